"""Programs that ended in a traceback, a stack trace or a panic."""

from __future__ import annotations

from agentctx.observing.fault import Fault
from agentctx.observing.patterns import compiled
from agentctx.observing.places import Place, first_place, last_place, place, places
from agentctx.observing.terminal import one_line
from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Sequence

_LONGEST_MESSAGE = 300
_MOST_FRAMES = 12

_SURROUNDINGS = (
    r"ECONNREFUSED|ENOTFOUND|ETIMEDOUT|EAI_AGAIN|EADDRINUSE|ECONNRESET|EACCES|ENOSPC"
    r"|\bgaierror\b|[Cc]onnection refused|[Nn]ame resolution|Max retries exceeded"
    r"|[Aa]ddress already in use|ConnectTimeout|SSLError|KeyboardInterrupt|SystemExit"
    r"|BrokenPipe|Broken pipe|No space left|Permission denied|timed out"
    r"|No module named '?\w+'?$|Cannot find (?:module|package) '(?![./]|[A-Za-z]:)"
    r"|dial tcp|no such host|UnknownHostException|cannot load such file -- [a-z]+$"
)
"""What goes wrong around a program, not in it."""


def crash(text: str, languages: Sequence[str]) -> Fault | None:
    """Give the crash a text ends with, in one of these languages.

    One whose frames are all in libraries or in a text typed on the spot is none of
    the project's.
    """
    found: list[Fault] = []
    for language in dict.fromkeys(languages):
        needles, read = _LANGUAGES[language]
        if any(needle in text for needle in needles):
            one = read(text)
            if one is not None and not _is_around(one):
                found.append(one)
    return max(found, key=lambda each: each.end, default=None)


def _is_around(fault: Fault) -> bool:
    said = f"{fault.name}: {fault.message}"
    if compiled(_SURROUNDINGS).search(said):
        return True
    return fault.place is None or not _is_project(fault.place)


def _is_project(where: Place) -> bool:
    path = where.file.replace("\\", "/")
    typed = compiled(r"^(?:/private)?/(?:tmp|var/tmp|dev/shm)/[^/]+$").match(path)
    return where.own and not path.startswith("[") and not typed


def _fault(
    text: str, language: str, error: tuple[str, str], span: tuple[int, int]
) -> Fault:
    start, end = span
    lines = text[start:end].split("\n")
    if len(lines) > 2 * _MOST_FRAMES:
        lines = [*lines[:_MOST_FRAMES], "…", *lines[-_MOST_FRAMES:]]
    block = text[start:end]
    where = last_place(block) if language == "python" else first_place(block)
    name = one_line(error[0], 150)
    message = one_line(error[1], _LONGEST_MESSAGE)
    part = _ending(where) if where else ""
    return Fault(language, name, message, tuple(lines), where, start, end, part)


def _ending(where: Place) -> str:
    """Give a file's name and its folder's: what is above changes with the machine."""
    return "/".join(where.file.replace("\\", "/").split("/")[-2:])


def _python(text: str) -> Fault | None:
    """Read the last traceback, or the one line that a syntax error has for it."""
    if " while loading conftest " in text:
        return _conftest(text)
    mark = "Traceback (most recent call last):"
    start = text.rfind(mark)
    start = text.rfind("\n", 0, start) + 1 if start >= 0 else start
    source = r"^(?P<type>[A-Za-z_][\w.]{0,150})(?:: (?P<msg>[^\n]*))?$"
    if start >= 0:
        frames = compiled(r"(?:[ \t|+][^\n]*\n|\n)+").match(
            text, text.find("\n", start) + 1
        )
        error = compiled(source).match(text, frames.end()) if frames else None
    else:
        found = list(
            compiled(
                r"^ {2}File \"[^\"\n]{1,300}\", line \d+\n(?: {4}[^\n]*\n){0,3}"
                r"(?P<type>\w*(?:Syntax|Indentation|Tab)Error): (?P<msg>[^\n]*)$"
            ).finditer(text)
        )
        if not found:
            return None
        error, start = found[-1], found[-1].start()
    if error is None:
        return None
    said = error["type"].rpartition(".")[2], error["msg"] or ""
    fault = _fault(text, "python", said, (start, error.end()))
    own = [one for one in places(text[start : error.start()]) if _is_project(one)]
    if said[0].endswith(("SyntaxError", "IndentationError", "TabError")):
        own = [one for one in places(text[start : error.end()]) if _is_project(one)]
    where = own[-1] if own else None
    return fault._replace(place=where, part=_ending(where) if where else "")


def _conftest(text: str) -> Fault | None:
    """Read what pytest says where it cannot even begin."""
    start = text.rfind("\n", 0, text.rfind(" while loading conftest ")) + 1
    error = compiled(r"^E +(?P<type>\w+(?:Error|Exception)): (?P<msg>[^\n]*)$").search(
        text, start
    )
    if error is None:
        return None
    said = error["type"], error["msg"]
    return _fault(text, "python", said, (start, error.end()))


def _node(text: str) -> Fault | None:
    """Read an error with the frames below it, and the line of the source above."""
    frames = r"(?:\n {4,}at [^\n]*)+"
    found = list(
        compiled(
            r"^(?:error: )?(?:Uncaught )?(?:\(in promise\) )?"
            r"(?P<type>(?:[A-Za-z_$][\w$.]{0,80}?)?(?:Error|Exception)\w{0,20}|error"
            r"|[A-Za-z_$][\w$.]{0,80}(?= \[Error\]))"
            r"(?: \[\w+\])?: (?P<msg>[^\n]*)(?:\n(?! {4,}at )[^\n]*){0,12}?" + frames
        ).finditer(text)
    )
    if not found:
        return None
    match = found[-1]
    fault = _fault(text, "node", (match["type"], match["msg"]), match.span())
    if fault.place is None or not fault.place.own:
        above = text[max(0, match.start() - 2_500) : match.start()]
        line = compiled(
            r"^(?:file://)?(?P<file>(?:/|[A-Za-z]:\\)[^\n]{1,300}?)"
            r":(?P<line>\d+)$"
        ).search(above)
        required = compiled(r"^- (?P<file>/[^\n]{1,300})$").search(text, match.start())
        if line is not None:
            where = place(line["file"], line["line"])
            return fault._replace(place=where, part=_ending(where))
        if required is not None:
            where = place(required["file"])
            return fault._replace(place=where, part=_ending(where))
    return fault


def _by_pattern(
    language: str, source: str, below: str
) -> Callable[[str], Fault | None]:
    """Make a reader of an error's line and the lines below that belong to it."""

    def read(text: str) -> Fault | None:
        last: re.Match[str] | None = None
        for match in compiled(source + below).finditer(text):
            last = match
        if last is None:
            return None
        groups = last.groupdict()
        said = groups.get("type") or "", groups.get("msg") or ""
        return _fault(text, language, said, last.span())

    return read


_INDENTED = r"(?:\n[ \t]+[^\n]*){0,60}"
_LANGUAGES: dict[str, tuple[tuple[str, ...], Callable[[str], Fault | None]]] = {
    "python": (
        ("Traceback (most recent", "SyntaxError: ", "tionError: ", "loading conftest "),
        _python,
    ),
    "node": (("    at ",), _node),
    "go": (
        ("panic: ", "fatal error: "),
        _by_pattern(
            "go",
            r"^(?P<type>panic|fatal error): (?P<msg>[^\n]*)",
            r"(?:\n(?!panic: |fatal error: )[^\n]*){0,60}?\n\ngoroutine [^\n]*"
            r"(?:\n[^\n]+){0,40}",
        ),
    ),
    "rust": (
        ("panicked at ",),
        _by_pattern(
            "rust",
            r"^thread '[^'\n]{0,100}'(?: \(\d+\))? (?P<type>panicked) at ",
            r"(?:[^\s'][^\n]{0,300}:\n(?P<msg>[^\n]*)|[^\n]*)",
        ),
    ),
    "java": (
        ("Exception in thread ",),
        _by_pattern(
            "java",
            r"^Exception in thread \"[^\"\n]{0,100}\" (?P<type>[\w.$]{1,200})"
            r"(?:: (?P<msg>[^\n]*))?",
            r"(?:\n(?:\s+at |Caused by: |\s+\.\.\. )[^\n]*){1,80}",
        ),
    ),
    "ruby": (
        (".rb:",),
        _by_pattern(
            "ruby",
            r"^[^\s:][^\n:]{0,250}\.rb:\d+:in [`'][^'\n]{1,200}': (?P<msg>[^\n]*?) "
            r"\((?P<type>[A-Z][\w:]{1,150})\)$",
            r"(?:\n\s+from [^\n]*){0,60}",
        ),
    ),
    "php": (
        ("Fatal error: ", "Parse error: "),
        _by_pattern(
            "php",
            r"^(?:PHP )?(?:Fatal|Parse) error: +(?:Uncaught )?"
            r"(?P<type>[\w\\]{1,150}(?: error)?)(?::|,) (?P<msg>[^\n]*)",
            r"(?:\n(?:Stack trace:|#\d|  thrown)[^\n]*){0,60}",
        ),
    ),
    "elixir": (
        ("** (",),
        _by_pattern(
            "elixir",
            r"^\*\* \((?P<type>[A-Z][\w.]{1,150})\) (?P<msg>[^\n]*)",
            r"(?:\n {2,}[^\n]*){1,40}",
        ),
    ),
    "dotnet": (
        ("Unhandled exception. ",),
        _by_pattern(
            "dotnet",
            r"^Unhandled exception\. (?P<type>[\w.]{1,200})(?:: (?P<msg>[^\n]*))?",
            _INDENTED,
        ),
    ),
}
