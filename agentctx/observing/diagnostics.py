"""The first error a compiler, a type checker, a linter or a bundler reports."""

from __future__ import annotations

from agentctx.observing.fault import Fault
from agentctx.observing.patterns import compiled
from agentctx.observing.places import Place, is_own, place
from agentctx.observing.terminal import one_line
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

_LONGEST_MESSAGE = 300
_MOST = 300
_F = r"(?P<file>(?:[A-Za-z]:[\\/])?[^\s:()'\"|][^\n:()'\"|]{0,250}\.[A-Za-z]\w{0,7})"
_PY = r"(?P<file>(?:[A-Za-z]:[\\/])?[^\s:()'\"|][^\n:()'\"|]{0,250}\.(?:pyi?|ipynb))"
_LC = r":(?P<line>\d{1,7})(?::\d+)?"


class _Form(NamedTuple):
    needle: str
    source: str
    more: int = 0
    """Lines after the error that belong to it."""


_RUFF = _Form(
    ":", rf"^{_PY}{_LC}:? (?P<code>[A-Z]{{1,4}}\d{{2,4}}) (?:\[\*\] )?(?P<msg>[^\n]*)$"
)
_FORMS: dict[str, tuple[_Form, ...]] = {
    "tsc": (
        _Form(
            "error TS",
            r"^(?P<file>[^\s(][^\n]{0,250}?)\((?P<line>\d+),\d+\): error "
            r"(?P<code>TS\d+): (?P<msg>[^\n]*)$",
        ),
        _Form("error TS", rf"^{_F}{_LC} - error (?P<code>TS\d+): (?P<msg>[^\n]*)$", 4),
        _Form("error TS", r"^error (?P<code>TS\d+): (?P<msg>[^\n]*)$"),
        _Form(
            "[ERROR]: ",
            r"^(?P<code>TS\d+) \[ERROR\]: (?P<msg>[^\n]*)\n(?:[^\n]*\n){0,6}?"
            r" +at (?P<file>[^\n]{1,250}?):(?P<line>\d+):\d+$",
            5,
        ),
    ),
    "mypy": (
        _Form(
            ": error: ",
            rf"^{_PY}{_LC}: error: (?P<msg>[^\n]*?)(?: {{2}}\[(?P<code>[\w-]+)\])?$",
        ),
    ),
    "pyright": (
        _Form(
            " - error: ",
            rf"^ *{_PY}{_LC} - error: (?P<msg>[^\n]*?)(?: \((?P<code>report\w+)\))?$",
        ),
    ),
    "ruff": (
        _RUFF,
        _Form(
            " --> ",
            r"^(?P<code>[A-Z]{1,4}\d{2,4}|invalid-syntax)(?: \[\*\])?:? "
            rf"(?P<msg>[^\n]*)\n +--> {_PY}{_LC}$",
            6,
        ),
    ),
    "flake8": (_RUFF,),
    "pylint": (_Form(": E", rf"^{_PY}{_LC}: (?P<code>[EF]\d{{4}}): (?P<msg>[^\n]*)$"),),
    "eslint": (
        _Form(
            "  error  ",
            r"^ +(?P<line>\d+):\d+ +error +(?P<msg>\S[^\n]*?)"
            r"(?: {2,}(?P<code>[@\w/-]+))?$",
        ),
        _Form(
            ": error ", rf"^{_F}: line (?P<line>\d+), col \d+, Error - (?P<msg>[^\n]*)$"
        ),
    ),
    "biome": (
        _Form(
            " ━",
            rf"^{_F}{_LC} (?P<code>(?:lint|parse|assist)[\w/]*)(?: +FIXABLE)? +━+$"
            r"(?:\n\s*)+[×✖] (?P<msg>[^\n]*)$",
            6,
        ),
    ),
    "rust": (
        _Form(
            " --> ",
            r"^error(?:\[(?P<code>E\d+|[\w:]+)\])?: (?P<msg>[^\n]*)\n"
            r"(?: *(?:\||=)[^\n]*\n){0,2} +--> "
            r"(?P<file>[^\n]{1,250}?):(?P<line>\d+):\d+$",
            8,
        ),
    ),
    "go": (
        _Form(
            ".go:",
            r"^(?:vet: )?(?P<file>(?:[A-Za-z]:[\\/])?[\w./\\@-]{1,250}\.go)"
            r":(?P<line>\d+):\d+: (?P<msg>\S[^\n]*)$",
        ),
    ),
    "javac": (
        _Form(
            ".java:",
            r"^(?P<file>[^\s:][^\n:]{0,250}\.java):(?P<line>\d+)"
            r": error: (?P<msg>[^\n]*)$",
            4,
        ),
        _Form(
            "[ERROR] ",
            r"^\[ERROR\] (?P<file>[^\n]{1,250}?\.(?:java|kt|scala|groovy))"
            r":\[(?P<line>\d+),\d+\] (?P<msg>[^\n]*)$",
            2,
        ),
    ),
    "kotlin": (
        _Form(
            "e: ",
            r"^e: (?:file://)?(?P<file>[^\n]{1,250}?\.kts?)"
            r"(?::(?P<line>\d+):\d+:?|: \(\d+, \d+\):) (?P<msg>[^\n]*)$",
        ),
    ),
    "dotnet": (
        _Form(
            ": error ",
            r"^ *(?P<file>[^\n(]{1,250}?)\((?P<line>\d+),\d+(?:,\d+,\d+)?\): error "
            r"(?P<code>(?!TESTERROR)[A-Z]{2,8}\d+): (?P<msg>[^\n]*?)"
            r"(?: \[[^\]\n]*\])?$",
        ),
    ),
    "gcc": (
        _Form(
            "error: ",
            rf"^(?![^\n:]{{0,250}}\.(?:pyi?|java|kts?):){_F}{_LC}: "
            r"(?:fatal )?error: (?P<msg>[^\n]*?)"
            r"(?: \[(?P<code>-W[\w=-]+)\])?$",
            5,
        ),
        _Form(
            "undefined reference to",
            r"^(?:[^\n]{0,200}: )?(?P<file>[^\s:]{1,200}\.(?:c|cc|cpp|cxx|o)):"
            r"(?:(?P<line>\d+):|[^\n]{0,100}: ) ?"
            r"(?P<msg>undefined reference to [^\n]*)$",
        ),
    ),
    "esbuild": (
        _Form(
            "[ERROR] ",
            rf"^[✘X] \[ERROR\] (?P<msg>[^\n]*)\n\n? +{_F}{_LC}:$",
            5,
        ),
    ),
    "vite": (
        _Form(
            "rror during build:",
            r"^(?:✗ Build failed in [^\n]*\n)?error during build:\n(?P<msg>[^\n]*)"
            rf"(?:\n(?:[^\n]*\n){{0,3}}?(?:file: )?{_F}{_LC}[^\n]*$)?",
            8,
        ),
    ),
    "webpack": (
        _Form(
            "ERROR in ",
            r"^ERROR in (?P<file>\.{0,2}/?[^\s:(]{1,250})(?:[ :](?P<line>\d+):\d+[^\n]*"
            r"|\(\d+,\d+\):?[^\n]*)?\n(?P<msg>[^\n]*)$",
            6,
        ),
    ),
    "next": (
        _Form(
            "Failed to compile",
            r"^Failed to compile\.?\n\n?(?P<file>\./[^\s:]{1,250})"
            r"(?::(?P<line>\d+):\d+)?[^\n]*\n(?P<msg>[^\n]*)$",
            6,
        ),
    ),
    "dart": (
        _Form(
            "error • ",
            r"^ *error • (?P<msg>[^\n]{1,400}?) • (?P<file>[^\n•]{1,250}?)"
            r":(?P<line>\d+):\d+ • (?P<code>\w+)$",
        ),
        _Form(
            "error - ",
            rf"^ *error - {_F}{_LC} - (?P<msg>[^\n]{{1,400}}?) - (?P<code>\w+)$",
        ),
        _Form(": Error: ", rf"^{_F}{_LC}: Error: (?P<msg>[^\n]*)$", 3),
    ),
    "elixir": (
        _Form(
            "** (",
            r"^\*\* \((?P<code>\w*(?:Compile|Syntax|Token)\w*Error)\) "
            r"(?:(?P<file>[^\s:]{1,250}\.exs?):(?P<line>\d+)(?::\d+)?: )?"
            r"(?P<msg>[^\n]*)$",
            4,
        ),
        _Form(
            "└─ ",
            r"^ +error: (?P<msg>[^\n]*)\n(?:[^\n]*\n){0,6}? +└─ "
            r"(?P<file>[^\s:]{1,250}):(?P<line>\d+)[^\n]*$",
            6,
        ),
    ),
    "rubocop": (_Form(": ", rf"^{_F}{_LC}: (?P<code>[EF]): (?P<msg>[^\n]*)$"),),
}


def first_diagnostic(text: str, checkers: Sequence[str]) -> Fault | None:
    """Give the error reported first, in the project's files if any is there."""
    found: list[tuple[bool, int, str, _Form, re.Match[str]]] = []
    for checker in dict.fromkeys(checkers):
        for form in _FORMS[checker]:
            if form.needle not in text:
                continue
            match = _first(text, form)
            if match is not None:
                own = is_own(match.groupdict().get("file") or "")
                found.append((not own, match.start(), checker, form, match))
    if not found:
        return None
    _, _, checker, form, match = min(found, key=lambda each: each[:2])
    return _fault(text, checker, form, match)


def _first(text: str, form: _Form) -> re.Match[str] | None:
    first = None
    for number, match in enumerate(compiled(form.source).finditer(text)):
        if first is None:
            first = match
        if is_own(match.groupdict().get("file") or ""):
            return match
        if number == _MOST:
            break
    return first


def _fault(text: str, checker: str, form: _Form, match: re.Match[str]) -> Fault:
    groups = match.groupdict()
    where = _place(text, match, groups)
    message = one_line(groups["msg"] or "", _LONGEST_MESSAGE)
    code = groups.get("code") or ""
    file = where.file if where else ""
    title = f"{file}: {code}" if file and code else file or code
    lines = text[match.start() : match.end()].split("\n")
    lines += text[match.end() + 1 : match.end() + 2_000].split("\n")[: form.more]
    others = compiled(form.source).finditer(text, match.end())
    for number, other in enumerate(others):
        if number == 8:  # noqa: PLR2004 - enough to see that there are more
            break
        lines.append(other[0].split("\n")[0])
    kept = tuple(dict.fromkeys(lines))
    return Fault(checker, title, message, kept, where, match.start(), match.end())


def _place(
    text: str, match: re.Match[str], groups: dict[str, str | None]
) -> Place | None:
    file = groups.get("file")
    if file is None and match[0].startswith(" ") and groups.get("line"):
        file = _heading(text, match.start())  # what ESLint writes above its lines
    return None if not file else place(file, groups.get("line"))


def _heading(text: str, at: int) -> str | None:
    for line in reversed(text[max(0, at - 20_000) : at].split("\n")):
        if line and not line[0].isspace():
            return line.strip()
    return None
