"""A command line taken apart: pipelines, the commands in them, their words.

No shell: nothing is expanded and nothing is an error. What cannot be understood is a
word. Bodies of here-documents are left out.
"""

from __future__ import annotations

from agentctx.observing.patterns import compiled
from corpus.values import NamedTuple

LONGEST = 20_000
_MOST_COMMANDS = 200
_QUOTES = {'"': '\\\\.|"|\\$\\(', ")": "\\\\.|'[^']*'|\"|\\(|\\)"}

_MARK = (
    r"(?P<space>(?:[ \t\r]|\\\r?\n)+)"
    r"|(?P<comment>#[^\n]*)"
    r"|(?P<redirect>&>>?|\d?>>?&?-?|\d?<<?<?&?)"
    r"|(?P<operator>&&|\|\||\|&|;;|[;&|\n()])"
)
_PIECE = {
    False: r"'(?P<single>[^']*)'?|\\(?P<escaped>.?)|(?P<open>\"|\$\()"
    r"|`(?P<ticked>[^`]*)`?|(?P<plain>[^\s'\"\\$`&|;<>()]+|\$)",
    True: r"'(?P<single>(?:[^']|'')*)'?|`(?P<escaped>.?)|(?P<open>\"|\$\()"
    r"|(?P<ticked>(?!))|(?P<plain>[^\s'\"$`&|;<>()]+|\$)",
}
_HERE = r"<<-?[ \t]*(?:'([^'\n]+)'|\"([^\"\n]+)\"|\\?([A-Za-z_]\w*))"
_HERE_STRING = r"@(['\"])\r?\n"


class Command(NamedTuple):
    """The words of one command, and the file its output goes to."""

    words: tuple[str, ...]
    to: str | None


class Pipeline(NamedTuple):
    """Commands joined by pipes, and the operator that follows them."""

    commands: tuple[Command, ...]
    then: str


def pipelines(text: str, *, powershell: bool = False) -> tuple[Pipeline, ...]:
    """Take a command line apart, its first 20,000 characters."""
    text = text[:LONGEST]
    text = _without_here_strings(text) if powershell else _without_bodies(text)
    found: list[Pipeline] = []
    pipe: list[Command] = []
    for words, to, operator in _commands(text, powershell=powershell):
        if words:
            pipe.append(Command(tuple(words), to))
        if operator in {"|", "|&"} and pipe:
            continue
        if pipe:
            found.append(Pipeline(tuple(pipe), operator))
            pipe = []
        if len(found) == _MOST_COMMANDS:
            break
    return tuple(found)


def _commands(
    text: str, *, powershell: bool
) -> list[tuple[list[str], str | None, str]]:
    """Give each command's words, where its output goes, and what ends it."""
    found: list[tuple[list[str], str | None, str]] = []
    words: list[str] = []
    to: str | None = None
    redirect = ""
    at = 0
    while at < len(text):
        token = compiled(_MARK).match(text, at)
        if token is None:
            word, at = _word(text, at, powershell=powershell)
            if not redirect:
                words.append(word)
            elif redirect in {">", ">>", "1>", "1>>", "&>", "&>>"}:
                to = word
            redirect = ""
            continue
        at = token.end()
        if token["redirect"]:
            redirect, at = _redirect(text, token[0], at)
        elif token["operator"]:
            if powershell and token[0] == "&" and not words:
                continue  # the call operator
            found.append((words, to, token[0]))
            words, to, redirect = [], None, ""
    found.append((words, to, ""))
    return found


def _redirect(text: str, operator: str, at: int) -> tuple[str, int]:
    """Give the redirection that waits for its file; one to a number waits for none."""
    if not operator.endswith("&"):
        return ("" if operator.endswith("-") else operator), at
    while at < len(text) and text[at].isdigit():
        at += 1
    return "", at


def _word(text: str, at: int, *, powershell: bool) -> tuple[str, int]:
    """Read one word; there is one at this place."""
    pieces: list[str] = []
    while at < len(text):
        piece = compiled(_PIECE[powershell]).match(text, at)
        if piece is None:
            break
        at = piece.end()
        if piece["open"]:
            closed = _closed(text, at, piece["open"])
            inner = text[at : closed - 1] if text[closed - 1] in '")' else text[at:]
            pieces.append(inner if piece["open"] == '"' else f"$({inner})")
            at = closed
        else:
            kinds = ("single", "escaped", "ticked", "plain")
            pieces.append(next((piece[x] for x in kinds if piece[x] is not None), ""))
    if not pieces:  # nothing begins here that we know
        return text[at], at + 1
    return "".join(pieces), at


def _closed(text: str, at: int, opened: str) -> int:
    """Find the end of a quoted text or of a substitution; quotes nest in it."""
    open_now = ['"' if opened == '"' else ")"]
    while open_now:
        mark = compiled(_QUOTES[open_now[-1]]).search(text, at)
        if mark is None:
            return len(text)
        at = mark.end()
        if mark[0] == open_now[-1]:
            open_now.pop()
        elif mark[0] == '"':
            open_now.append('"')
        elif mark[0] in {"(", "$("}:
            open_now.append(")")
    return at


def _without_bodies(text: str) -> str:
    """Leave out what here-documents hold."""
    if "<<" not in text:
        return text
    kept: list[str] = []
    ends: list[str] = []
    for line in text.split("\n"):
        if ends:
            if line.strip() == ends[0]:
                ends.pop(0)
            continue
        kept.append(compiled(_HERE).sub(" ", line))
        if "<<<" not in line:
            ends = ["".join(found) for found in compiled(_HERE).findall(line)]
    return "\n".join(kept)


def _without_here_strings(text: str) -> str:
    parts: list[str] = []
    at = 0
    while (opened := compiled(_HERE_STRING).search(text, at)) is not None:
        closed = text.find(f"\n{opened[1]}@", opened.end() - 1)
        parts += (text[at : opened.start()], "''")
        at = len(text) if closed < 0 else closed + 3
    return "".join((*parts, text[at:]))
