"""A block of the team's file: one record as readable Markdown, the same bytes anywhere.

What a text may say that would end its block is escaped by a backslash, which Markdown
does not show, and reading takes away just that. Spaces at the end of a line and blank
lines around a text are no part of it.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

SECTIONS = (
    ("decision", "Decisions"),
    ("convention", "Conventions"),
    ("preference", "Preferences"),
    ("discovery", "Discoveries"),
    ("bugfix", "Bug fixes"),
)
"""The types that are shared, in the order of the file, each with its heading."""

SHARED_TYPES = tuple(name for name, _ in SECTIONS)
HEADINGS = dict(SECTIONS)
TYPES = {heading: name for name, heading in SECTIONS}

SECTION, TITLE = "## ", "### "
MARK = "<!-- agentctx:"
CONFLICT = "conflict: the other side of a merge says this; keep one of the two texts"

_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_SAID = (
    r"(?:#{1,6}(?=[ \t]|$)|`{3,}(?=[^`]*$)|~{3,}|[=-]+$|<{7}|={7}|>{7}|\|{7}"
    r"|<(?:\?|!(?!--)|(?i:script|pre|style|textarea)\b))"
)
"""What means something to Markdown, to git or to us where a line begins with it."""

_BEGINS = re.compile(rf"( {{0,3}})(\\*)(?={_SAID})")
_ESCAPED = re.compile(rf"^( {{0,3}})\\(?=\\*{_SAID})")
_ENDS_BLOCK = re.compile(r" {0,3}(?:#{2,3}(?:[ \t]|$)|<{7}|={7}|>{7}|\|{7})")
_COMMENT = re.compile(r"(\\*)<!--")
_ESCAPED_COMMENT = re.compile(r"(?<!\\)\\((?:\\\\)*)<!--")
_BARE_COMMENT = re.compile(r"(?<!\\)(?:\\\\)*<!--")
_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_DERIVED_DIGITS = 16
_SURER = ("inferred", "reinforced", "explicit")


class Block(NamedTuple):
    """One shared record. `line` is where it stands in the file it was read from.

    Without a comment it has no id: somebody wrote it by hand. `said_sha256` is what
    the comment says of the text; another one tells of a hand that changed it.
    """

    type: str
    title: str
    body: str
    id: str | None = None
    valid_from: str = ""
    confidence: str = "explicit"
    said_sha256: str | None = None
    line: int = 0

    @property
    def sha256(self) -> str:
        """Hash the text, as the comment is to say it."""
        return text_sha256(self.title, self.body)

    @property
    def key(self) -> str:
        """Give the id, or the one that everybody gives to a block without."""
        return self.id or derived_id(self)


def normal(text: str) -> str:
    """Give a text as blocks hold it: LF, no space at the end of a line or around it."""
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").split("\n")]
    return "\n".join(lines).strip()


@lru_cache(maxsize=4_096)
def text_sha256(title: str, body: str) -> str:
    """Hash what a block says."""
    content = f"{title.strip()}\n\n{normal(body)}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(content).hexdigest()


def derived_id(block: Block) -> str:
    """Give the id of a block that has none: the same for everybody who reads it."""
    content = f"{block.type}\n{block.sha256}".encode()
    digest = hashlib.sha256(content).digest()
    return "0" * 10 + "".join(_ALPHABET[byte & 31] for byte in digest[:_DERIVED_DIGITS])


def block_order(block: Block) -> tuple[str, str, str]:
    """Order the blocks of a section by their titles: additions lie apart."""
    return block.title.casefold(), block.title, block.key


def sureness(confidence: str) -> int:
    """Say how sure a word is, the surest the highest; -1 for none of ours."""
    return _SURER.index(confidence) if confidence in _SURER else -1


def comment_of(block: Block) -> str:
    """Write the line that says what a block is."""
    return (
        f"{MARK} id={block.key} type={block.type} valid_from={block.valid_from}"
        f" confidence={block.confidence} sha256={block.sha256} -->"
    )


def escaped_title(title: str) -> str:
    """Give a title that hides nothing in a comment."""
    return _without_comments(title.strip())


def unescaped_title(text: str) -> str:
    """Give back what `escaped_title` was given."""
    return _with_comments(text.strip())


def escaped(text: str) -> str:
    """Give a body of which no line begins a block, ends one or hides the next."""
    lines = text.split("\n")
    fenced = _fenced(lines)
    return "\n".join(
        _without_comments(_escaped_line(line, inside=number in fenced))
        for number, line in enumerate(lines)
    )


def unescaped(text: str) -> str:
    """Give back what `escaped` was given."""
    return "\n".join(
        _ESCAPED.sub(r"\1", _with_comments(line), count=1) if "\\" in line else line
        for line in text.split("\n")
    )


def hides_text(text: str) -> bool:
    """Say whether a comment begins in it, which whoever reads the page does not see.

    `escaped` writes none.
    """
    return _BARE_COMMENT.search(text) is not None


def _without_comments(line: str) -> str:
    """Let no comment begin: an odd number of backslashes stands before its mark."""
    return _COMMENT.sub(r"\\\1\1<!--", line)


def _with_comments(line: str) -> str:
    """Give back what `_without_comments` was given."""
    return _ESCAPED_COMMENT.sub(lambda found: f"{found[1][::2]}<!--", line)


def _escaped_line(line: str, *, inside: bool) -> str:
    """Escape how a line begins; code keeps what only Markdown would misread."""
    found = _BEGINS.match(line)
    if found is None:
        return line
    if inside and not found[2] and _ENDS_BLOCK.match(line) is None:
        return line
    return f"{found[1]}\\{line[len(found[1]) :]}"


def _fenced(lines: Sequence[str]) -> set[int]:
    """Give the numbers of the lines of closed code fences, the fences included."""
    found: set[int] = set()
    opened: tuple[int, str] | None = None
    for number, line in enumerate(lines):
        fence = _FENCE.match(line)
        if fence is None:
            continue
        if opened is None:
            opened = number, fence[1]
        elif fence[1].startswith(opened[1]) and not line[fence.end() :].strip():
            found.update(range(opened[0], number + 1))
            opened = None
    return found
