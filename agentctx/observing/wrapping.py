"""The program a command runs, below everything that only runs another program."""

from __future__ import annotations

from agentctx.observing.patterns import compiled
from agentctx.observing.shellwords import pipelines
from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentctx.observing.shellwords import Pipeline

_DEEPEST = 12
_SHELLS = {"bash", "sh", "zsh", "dash", "ksh", "fish"}
_POWERSHELLS = {"powershell", "pwsh"}
_KEYWORDS = {
    "!", "{", "}", "if", "then", "else", "elif", "fi", "do", "done", "while", "until",
    "time", "command", "exec", "nohup", "setsid", "builtin", "eval", "unbuffer",
    "winpty", "caffeinate", "catchsegv", "noglob", "&", "call",
}  # fmt: skip
"""Words before a command that change nothing of what it is."""

_PLAIN: dict[str, set[str]] = {
    "sudo": {"-u", "-g", "-h", "-p", "-C", "-T"},
    "doas": {"-u"},
    "nice": {"-n"},
    "ionice": {"-c", "-n", "-p"},
    "stdbuf": {"-i", "-o", "-e"},
    "env": {"-u", "-C", "-S"},
    "cross-env": set(),
    "dotenv": {"-e", "-f"},
    "xvfb-run": {"-n", "-s", "-e", "-f", "-p", "-w"},
    "dbus-run-session": set(),
    "arch": set(),
    "uvx": {"--from", "--with", "-p", "--python"},
    "npx": {"-p", "--package", "-c"},
    "bunx": {"-p", "--package"},
    "xargs": {"-n", "-P", "-I", "-L", "-d", "-s", "-a", "-E"},
    "parallel": {"-j"},
    "rtk": set(),
    "flock": {"-w", "-E"},
}
"""Wrappers with the options of theirs that take a value."""

_BELOW: dict[str, set[str]] = {
    "uv": {"run"},
    "poetry": {"run"},
    "pipenv": {"run"},
    "pdm": {"run"},
    "rye": {"run"},
    "hatch": {"run"},
    "pixi": {"run"},
    "conda": {"run"},
    "mamba": {"run"},
    "micromamba": {"run"},
    "pipx": {"run"},
    "npm": {"exec", "x"},
    "pnpm": {"exec", "dlx"},
    "yarn": {"exec", "dlx"},
    "bun": {"x"},
    "bundle": {"exec"},
    "mise": {"exec", "x"},
    "asdf": {"exec"},
    "direnv": {"exec"},
    "doppler": {"run"},
    "op": {"run"},
    "fvm": {"flutter", "dart"},
    "coverage": {"run"},
    "docker": {"exec", "run", "compose"},
    "docker-compose": {"exec", "run"},
    "podman": {"exec", "run", "compose"},
    "kubectl": {"exec"},
    "nix": {"develop", "shell"},
}
"""Wrappers that run another program with one of their subcommands."""

_VALUED = {
    "-p", "-n", "-e", "-u", "-w", "-v", "-f", "-c", "-C", "-m", "--package", "--python",
    "--with", "--from", "--extra", "--group", "--directory", "--project", "--env",
    "--env-file", "--user", "--workdir", "--volume", "--name", "--network", "--filter",
    "--with-requirements", "--with-editable", "--prefix", "--entrypoint", "--mount",
    "--index", "--default-index", "--file", "--profile", "--only-group",
    "--platform", "-F",
}  # fmt: skip
_HAS_TARGET = {"docker", "docker-compose", "podman"}
_TOOLS = {
    "pytest", "unittest", "nose", "nose2", "mypy", "pyright", "basedpyright", "ruff",
    "flake8", "pylint", "coverage", "tox", "nox", "invoke", "pre_commit", "poetry",
    "pdm", "hatch", "uv", "pip", "venv", "build", "twine", "ensurepip", "pipx",
}  # fmt: skip
"""Modules that are tools and no program of the project's."""

_TASKED = {"hatch", "pdm", "rye", "pixi", "poetry"}
_TASK = r"(?:tests?|lint|check|build|types?|ci|cov|all)\b[\w:-]*$|[\w-]+:[\w:-]+$"
_ASSIGNMENT = r"[A-Za-z_]\w*\+?="


def program_name(word: str) -> str:
    """Give a program's name without its folder and its Windows ending."""
    name = word.replace("\\", "/").rstrip("/").rpartition("/")[2]
    stem, dot, ending = name.rpartition(".")
    if dot and ending.lower() in {"exe", "cmd", "bat", "ps1"}:
        name = stem
    return name.lower() if dot else name


def unwrapped(words: tuple[str, ...], depth: int = 0) -> Iterator[tuple[str, ...]]:
    """Give the words of what a command runs in the end; a shell may run several."""
    for inner in _lines_within(words, depth):
        yield from inner


def _lines_within(
    words: tuple[str, ...], depth: int
) -> Iterator[Iterator[tuple[str, ...]]]:
    for _ in range(_DEEPEST):
        if not words:
            return
        line = _script(words)
        if line is not None:
            if depth < 3:  # noqa: PLR2004 - a shell in a shell in a shell
                for pipeline in _inner(line, words):
                    for command in pipeline.commands:
                        yield unwrapped(command.words, depth + 1)
            return
        inside = _once(words)
        if inside == words:
            yield iter((words,))
            return
        words = inside


def _inner(line: str, words: tuple[str, ...]) -> tuple[Pipeline, ...]:
    return pipelines(line, powershell=program_name(words[0]) in _POWERSHELLS)


def _script(words: tuple[str, ...]) -> str | None:
    """Give the command line that a shell is asked to run, or an assignment runs."""
    name = program_name(words[0])
    if name in _SHELLS | _POWERSHELLS:
        for at, word in enumerate(words[1:], 1):
            dashed = word.startswith("-") and not word.startswith("--")
            if dashed and "c" in word.lower() and at + 1 < len(words):
                return " ".join(words[at + 1 :][: 1 if name in _SHELLS else None])
            if not word.startswith("-") and at > 1 and words[at - 1] != "-o":
                return None
    if name == "cmd" and len(words) > 2 and words[1].lower() == "/c":  # noqa: PLR2004
        return " ".join(words[2:])
    if name == "nix-shell" and "--run" in words[:-1]:
        return words[words.index("--run") + 1]
    match = compiled(_ASSIGNMENT + r"\$\(").match(words[0])
    if match is not None and len(words) == 1:
        return words[0][match.end() :].removesuffix(")")
    return None


def _once(words: tuple[str, ...]) -> tuple[str, ...]:
    """Take one wrapper off, if there is one."""
    if words[0] in _KEYWORDS:
        return _after_options(words[1:], {"-f", "-o"})
    if compiled(_ASSIGNMENT).match(words[0]):
        return words[1:]
    name = program_name(words[0])
    if name in {"timeout", "gtimeout"}:
        return _after_options(words[1:], {"-s", "-k", "--signal", "--kill-after"})[1:]
    if name in _PLAIN:
        inside = _after_options(words[1:], _PLAIN[name])
        return inside[1:] if name == "flock" else inside
    if name in _BELOW:
        return _subcommand(words, name)
    if compiled(r"python[\d.]*$|py$|pypy\d?$").match(name):
        return _module(words)
    return words


def _subcommand(words: tuple[str, ...], name: str) -> tuple[str, ...]:
    rest = _after_options(words[1:], _VALUED)
    if not rest or rest[0] not in _BELOW[name]:
        return words
    if rest[0] == "compose":
        return ("docker-compose", *rest[1:])
    if name == "fvm":
        return rest
    if name == "kubectl" or (name == "nix" and "-c" in rest):
        mark = "--" if name == "kubectl" else "-c"
        return rest[rest.index(mark) + 1 :] if mark in rest else ()
    options = _VALUED - {"-m"} if name in {"uv", "coverage"} else _VALUED
    inside = _after_options(rest[1:], options)
    if name in {"uv", "coverage"}:
        return _python_of(inside)
    if name in _TASKED and inside and compiled(_TASK).match(inside[0]):
        return ("make", *inside)  # a task of the project's, not a program
    return inside[1:] if name in _HAS_TARGET or name == "direnv" else inside


def _python_of(words: tuple[str, ...]) -> tuple[str, ...]:
    """Read what `uv run` and `coverage run` take: a module, a script, a program."""
    if words and (words[0] == "-m" or words[0].endswith(".py")):
        return ("python", *words)
    return words


def _module(words: tuple[str, ...]) -> tuple[str, ...]:
    """Give the module that Python is asked to run in the place of Python."""
    valued = {"-X", "-W"}
    at = 1
    while at < len(words) and words[at].startswith("-"):
        if words[at] == "-m":
            return _known_module(words[at + 1 :])
        if words[at] == "-c" or words[at] == "-":
            return words
        if words[at].startswith("-m") and len(words[at]) > 2:  # noqa: PLR2004
            return _known_module((words[at][2:], *words[at + 1 :]))
        at += 2 if words[at] in valued else 1
    return words


def _known_module(words: tuple[str, ...]) -> tuple[str, ...]:
    """Give a tool by its own name; any other module is a program in Python."""
    if words and words[0].partition(".")[0] in _TOOLS:
        return (words[0].partition(".")[0], *words[1:])
    return ("python", "-m", *words) if words else ()


def _after_options(words: tuple[str, ...], valued: set[str]) -> tuple[str, ...]:
    """Leave out the options at the beginning, and the values they take."""
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] != "-m":
        if words[at] == "--":
            return words[at + 1 :]
        at += 2 if words[at] in valued else 1
    return words[at:]
