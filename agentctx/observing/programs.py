"""What each program of a command line can show: tests, diagnostics, a crash."""

from __future__ import annotations

from agentctx.observing.patterns import compiled
from agentctx.observing.wrapping import program_name
from corpus.values import NamedTuple

CRASHES = ("python", "node", "go", "rust", "java", "ruby", "php", "elixir", "dotnet")
"""Languages whose programs say on what line they ended."""

RUNNERS = (
    "pytest", "unittest", "jest", "vitest", "mocha", "ava", "node", "playwright",
    "cypress", "bun", "deno", "go", "nextest", "cargo", "maven", "gradle", "dotnet",
    "rspec", "minitest", "phpunit", "ctest", "gtest", "bats", "exunit", "swift",
    "dart",
)  # fmt: skip
CHECKERS = (
    "tsc", "mypy", "pyright", "ruff", "pylint", "eslint", "biome", "rust", "go",
    "javac", "kotlin", "dotnet", "gcc", "esbuild", "vite", "webpack", "next", "dart",
    "elixir", "rubocop",
)  # fmt: skip


class Reads(NamedTuple):
    """What may be read in the output of one program."""

    program: str
    runners: tuple[str, ...] = ()
    checkers: tuple[str, ...] = ()
    crashes: tuple[str, ...] = ()


_NODE_CHECKS = ("vite", "esbuild", "webpack", "tsc", "next", "eslint")
_KNOWN: dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "pytest": (("pytest",), (), ("python",)),
    "py.test": (("pytest",), (), ("python",)),
    "unittest": (("unittest",), (), ("python",)),
    "nose2": (("unittest",), (), ("python",)),
    "nosetests": (("unittest",), (), ("python",)),
    "nose": (("unittest",), (), ("python",)),
    "jest": (("jest",), (), ()),
    "vitest": (("vitest",), (), ()),
    "mocha": (("mocha",), (), ("node",)),
    "_mocha": (("mocha",), (), ("node",)),
    "ava": (("ava",), (), ()),
    "tap": (("node",), (), ()),
    "cypress": (("cypress", "mocha"), (), ()),
    "mvn": (("maven",), ("javac", "kotlin"), ()),
    "mvnw": (("maven",), ("javac", "kotlin"), ()),
    "gradle": (("gradle",), ("javac", "kotlin"), ()),
    "gradlew": (("gradle",), ("javac", "kotlin"), ()),
    "rspec": (("rspec",), (), ("ruby",)),
    "phpunit": (("phpunit",), (), ("php",)),
    "pest": (("phpunit",), (), ("php",)),
    "ctest": (("ctest", "gtest"), ("gcc",), ()),
    "bats": (("bats",), (), ()),
    "tsc": ((), ("tsc",), ()),
    "vue-tsc": ((), ("tsc",), ()),
    "tsgo": ((), ("tsc",), ()),
    "mypy": ((), ("mypy",), ()),
    "pyright": ((), ("pyright",), ()),
    "basedpyright": ((), ("pyright",), ()),
    "flake8": ((), ("ruff",), ()),
    "pylint": ((), ("pylint",), ()),
    "eslint": ((), ("eslint",), ()),
    "biome": ((), ("biome",), ()),
    "golangci-lint": ((), ("go",), ()),
    "staticcheck": ((), ("go",), ()),
    "rustc": ((), ("rust",), ()),
    "javac": ((), ("javac",), ()),
    "kotlinc": ((), ("kotlin",), ()),
    "msbuild": ((), ("dotnet",), ()),
    "ninja": ((), ("gcc",), ()),
    "cmake": ((), ("gcc",), ()),
    "zig": ((), ("gcc",), ()),
    "swiftc": ((), ("gcc",), ()),
    "xcodebuild": (("swift",), ("gcc",), ()),
    "vite": ((), _NODE_CHECKS, ()),
    "webpack": ((), _NODE_CHECKS, ()),
    "rollup": ((), _NODE_CHECKS, ()),
    "esbuild": ((), _NODE_CHECKS, ()),
    "tsup": ((), _NODE_CHECKS, ()),
    "next": ((), _NODE_CHECKS, ()),
    "astro": ((), _NODE_CHECKS, ()),
    "svelte-check": ((), _NODE_CHECKS, ()),
    "rubocop": ((), ("rubocop",), ()),
    "ruby": (("minitest",), (), ("ruby",)),
    "java": ((), (), ("java",)),
    "php": (("phpunit",), (), ("php",)),
    "elixir": ((), ("elixir",), ("elixir",)),
    "iex": ((), (), ()),
    "ts-node": ((), ("tsc",), ("node",)),
    "tsx": (("node",), ("esbuild",), ("node",)),
}
_BY_SUBCOMMAND: dict[
    str, dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]]
] = {
    "go": {
        "test": (("go",), ("go",), ("go",)),
        "build vet install generate": ((), ("go",), ()),
        "run": ((), ("go",), ("go",)),
    },
    "cargo": {
        "test t": (("cargo",), ("rust",), ()),
        "nextest": (("nextest",), ("rust",), ()),
        "build b check c clippy doc fix bench": ((), ("rust",), ()),
        "run r": ((), ("rust",), ("rust",)),
    },
    "dotnet": {
        "test": (("dotnet",), ("dotnet",), ()),
        "build publish pack": ((), ("dotnet",), ()),
        "run watch": ((), ("dotnet",), ("dotnet",)),
    },
    "swift": {
        "test": (("swift",), ("gcc",), ()),
        "build run": ((), ("gcc",), ()),
    },
    "dart": {
        "test": (("dart",), ("dart",), ()),
        "analyze run compile": ((), ("dart",), ()),
    },
    "flutter": {
        "test": (("dart",), ("dart",), ()),
        "analyze build run": ((), ("dart",), ()),
    },
    "deno": {
        "test": (("deno",), ("tsc",), ("node",)),
        "run check": ((), ("tsc",), ("node",)),
        "task": (RUNNERS, CHECKERS, CRASHES),
    },
    "bun": {
        "test": (("bun",), (), ("node",)),
        "run": (RUNNERS, CHECKERS, CRASHES),
        "build": ((), _NODE_CHECKS, ("node",)),
    },
    "playwright": {"test": (("playwright",), (), ())},
    "react-scripts": {"test": (("jest",), (), ()), "build": ((), _NODE_CHECKS, ())},
    "ruff": {"check": ((), ("ruff",), ())},
    "rails": {"test": (("minitest",), (), ("ruby",))},
    "mix": {
        "test": (("exunit",), ("elixir",), ("elixir",)),
        "compile run": ((), ("elixir",), ("elixir",)),
    },
}
_ASKING = frozenset(
    ("--help", "--version", "--collect-only", "--co", "--listTests", "--showConfig")
)
"""With these a program only tells of itself."""

_INTERPRETERS = {"python", "node", "ruby", "php", "tsx", "ts-node"}
_SCRIPTS = {
    "make", "gmake", "just", "task", "tox", "nox", "rake", "lerna", "nx", "turbo",
    "composer",
    "pre-commit", "pre_commit", "ng",
    "bazel", "hatch", "sbt", "invoke", "inv", "poe", "wireit",
}  # fmt: skip
_NODE_SCRIPTS = {"npm", "pnpm", "yarn"}
_NOT_SCRIPTS = {
    "install", "i", "ci", "add", "remove", "rm", "uninstall", "update", "upgrade", "up",
    "audit", "outdated", "publish", "pack", "link", "ls", "list", "why", "info", "view",
    "init", "create", "config", "cache", "login", "set", "dedupe", "prune", "store",
    "import", "fund", "version", "whoami", "search", "explain", "query", "get",
}  # fmt: skip


def reads_of(words: tuple[str, ...]) -> Reads | None:
    """Say what may be read in a program's output; None for one we do not know.

    A language's own program runs tests only where its command line says so.
    """
    found = _known(words)
    if found is None or found.program not in _INTERPRETERS:
        return found
    return found if _speaks_of_tests(words) else found._replace(runners=())


def _speaks_of_tests(words: tuple[str, ...]) -> bool:
    return any("test" in word.lower() or "spec" in word for word in words)


def _known(words: tuple[str, ...]) -> Reads | None:
    if not _ASKING.isdisjoint(words):
        return None
    name = program_name(words[0])
    name = name[:1] + name[1:].partition("@")[0]  # a version may follow
    arguments = [word for word in words[1:] if not word.startswith(("-", "+")) and word]
    if name in _BY_SUBCOMMAND:
        return _by_subcommand(name, arguments)
    if name in _KNOWN:
        return Reads(name, *_KNOWN[name])
    if compiled(r"(?:python|pypy)[\d.]*$|py$").match(name):
        return Reads("python", ("pytest", "unittest"), (), ("python",))
    if name in {"node", "nodejs"}:
        return Reads("node", ("node",), (), ("node",))
    if compiled(r"(?:[\w-]+-)?(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+)(?:-\d+)?$").match(
        name
    ):
        return Reads(name, (), ("gcc",))
    return _script(name, words, arguments)


def may_test(reads: Reads, words: tuple[str, ...]) -> bool:
    """Say whether a program is sure to run tests, or a script says so by its name."""
    if len(reads.runners) < len(RUNNERS):
        return True
    return _speaks_of_tests((reads.program, *words))


def _by_subcommand(name: str, arguments: list[str]) -> Reads | None:
    first = arguments[0] if arguments else ""
    for subcommands, known in _BY_SUBCOMMAND[name].items():
        if first in subcommands.split():
            return Reads(name, *known)
    if name in {"bun", "deno"} and "." in first:  # a file to run
        return Reads(name, (), (), ("node",))
    if name == "mix" and first.startswith("test"):
        return Reads(name, *_BY_SUBCOMMAND["mix"]["test"])
    return None


def _script(name: str, words: tuple[str, ...], arguments: list[str]) -> Reads | None:
    """Know what runs other programs and may show what any of them shows."""
    first = arguments[0] if arguments else ""
    if name in _NODE_SCRIPTS:
        if not first or first in _NOT_SCRIPTS:
            return None
        inner = _KNOWN.get(first)
        return Reads(first, *inner) if inner else Reads(name, *_ANYTHING)
    local = words[0].startswith(("./", ".\\", "../")) or name.endswith(
        (".sh", ".bash", ".py", ".js", ".rb")
    )
    if name == "mise" and first in {"run", "r"}:
        local = True
    if name in {"bash", "sh", "zsh"} and first:
        name, local = program_name(first), True
    if name in _SCRIPTS or local:
        return Reads(name, *_ANYTHING)
    return None


_ANYTHING = (RUNNERS, CHECKERS, CRASHES)
