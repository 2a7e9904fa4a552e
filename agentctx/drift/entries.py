"""The lines that we write into a file of instructions, and how to know them again.

A line of ours is one list item and ends in a mark, a comment with the record's id and a
hash of the line's words: as long as the hash fits, nobody has changed it. A record's
text cannot leave its line, open markup that goes on after it, or import a file.
"""

from __future__ import annotations

import re
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from agentctx.drift.claims import statement_of
from agentctx.drift.outline import imports_in, outline_of
from agentctx.records.card import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentctx.drift.files import Instructions
    from agentctx.drift.outline import Outline

BEGIN, END = "<!-- agentctx:begin -->", "<!-- agentctx:end -->"
HEADING = "## Decisions and conventions"
HASH_DIGITS = 12
_ID, _DIGITS = "[0-9A-HJKMNP-TV-Z]{26}", f"[0-9a-f]{{{HASH_DIGITS}}}"


class Marked(NamedTuple):
    """One line of ours in a file; `intact` says that nobody has changed it since."""

    line: int
    record_id: str
    text: str
    intact: bool


def entry_text(title: str, body: str) -> str:
    """Give what a record says as one line of Markdown that is only text."""
    return _harmless(one_line(statement_of(title, body)))


def marked_text(text: str, record_id: str) -> str:
    """Put our mark behind a text."""
    return f"{text} <!-- agentctx:{record_id} {_hash(text)} -->"


def can_be_marked(record_id: str) -> bool:
    """Say whether an id is one that we gave; a row of plain SQL may have any text."""
    return re.fullmatch(_ID, record_id) is not None


def marked_lines(file: Instructions) -> Iterator[Marked]:
    """Find the lines of ours in a file, outside code."""
    if "<!-- agentctx:" not in file.text:
        return
    shown = {
        one.first
        for one in file.outline.statements
        if one.kind in {"item", "text"} and one.first == one.last
    }
    for number, line in enumerate(file.text.split("\n"), 1):
        found = _MARK.search(line)
        if found is None or number not in shown:
            continue
        bare = line[: found.start()].removeprefix("\ufeff")
        text = bare.removeprefix(bullet_of(bare)).strip()
        yield Marked(number, found[1], text, found[2] == _hash(text))


def end_of_section(outline: Outline) -> int | None:
    """Give the line that ends our section, None where a text has none of ours.

    Marks that code or a longer comment shows are somebody's text.
    """
    begun, found = False, None
    for number, note in outline.notes:
        begun = begun or note == BEGIN
        if begun and note == END:
            found = number
    return found


def can_take_lines(outline: Outline) -> bool:
    """Say whether what is added to a text would be read."""
    return not outline.is_open or end_of_section(outline) is not None


def bullet_of(line: str) -> str:
    """Give the marker that a line of a list or a quote begins with, or its indent."""
    found = _BULLET.match(line)
    assert found is not None, "the pattern matches nothing too"
    return found[0]


def _hash(text: str) -> str:
    content = text.encode("utf-8", "surrogatepass")
    return sha256(content).hexdigest()[:HASH_DIGITS]


def _harmless(text: str) -> str:
    """Take from a line what Markdown, or a client, would obey."""
    text = text.replace("\ufffd", "?")
    text = text.replace("<!--", "&lt;!--").replace("-->", "--&gt;")
    if not _are_ticks_paired(text):
        text = text.replace("`", "'")
    parts = _CODE.split(text)
    parts[::2] = [_escaped(part) for part in parts[::2]]
    text = "".join(parts).strip()
    if _OPENS.match(text):
        text = f"\\{text}"
    text = _NUMBERED.sub(r"\1\\\2", text)
    if imports_in(text) or len(outline_of(f"- {text}").statements) != 1:
        text = text.replace("@", "(at)").replace("`", "'").replace("<", "&lt;")
    return text or "(nothing that can be shown)"


def _escaped(part: str) -> str:
    """Escape tags, links and imports, whatever backslashes stand before them."""
    return _AT.sub(r"\\@", _LIVE.sub(_escaped_once, part))


def _escaped_once(found: re.Match[str]) -> str:
    slashes, sign = found[1], found[2]
    if len(slashes) % 2 == 0:
        slashes += "\\"
    return f"{slashes}{sign}"


def _are_ticks_paired(text: str) -> bool:
    """Say whether backticks only make simple code spans."""
    return "``" not in text and text.count("`") % 2 == 0 and r"\`" not in text


_MARK = re.compile(rf"<!-- agentctx:({_ID}) ({_DIGITS}) -->\s*$")
_BULLET = re.compile(
    r"\s*(?:>\s?)*\s*(?:(?:[-*+]|[0-9]{1,9}[.)])\s+(?:\[[ xX]\]\s+)?)?"
)
_CODE = re.compile(r"(`[^`]*`)")
_LIVE = re.compile(r"(\\*)(<(?=[A-Za-z/!?])|\](?=[(\[])|(?<=!)\[)")
_AT = re.compile(r"(?<![\w\\])@")
_OPENS = re.compile(r"[#>\-+*=|~\[:]|(?:_\s*){3}")
_NUMBERED = re.compile(r"^([0-9]{1,9})([.)])")
