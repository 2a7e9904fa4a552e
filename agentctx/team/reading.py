"""The blocks of a team's file, and what is wrong with it, by line (A8.3).

A block that cannot be used takes no other with it. A file of a newer format is refused
whole.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from agentctx.clock import parse_moment
from agentctx.errors import BadTimeError, BodyError, TitleError
from agentctx.ids import is_record_id
from agentctx.records.card import shown
from agentctx.records.model import CONFIDENCES, check_body, check_title
from agentctx.team.blocks import (
    MARK,
    SHARED_TYPES,
    TYPES,
    Block,
    hides_text,
    unescaped,
    unescaped_title,
)
from agentctx.team.layout import VERSION, layout_of, plain
from agentctx.team.refusals import ContextFileError, ContextVersionError
from agentctx.team.safety import refusals

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentctx.team.layout import Layout, Piece

NAME = ".agentctx/context.md"
"""The team's file, as it is named to a reader."""

MOST_BLOCKS = 20_000

_COMMENT = re.compile(
    r"<!-- agentctx: id=(?P<id>\S+) type=(?P<type>\S+) valid_from=(?P<valid_from>\S+)"
    r" confidence=(?P<confidence>\S+) sha256=(?P<sha256>\S+)(?: conflict:[^\n]*)? -->"
)
_SHA256 = re.compile(r"[0-9a-f]{64}")


class Finding(NamedTuple):
    """One place that a person should look at; nothing of the block there was used."""

    line: int
    title: str
    reason: str


class Context(NamedTuple):
    """What a team's file says: its blocks in their order, and what cannot be used."""

    layout: Layout
    blocks: tuple[Block, ...]
    findings: tuple[Finding, ...]


class _BrokenError(Exception):
    """A block that cannot be used; the reason is its text."""


def _refuse(reason: str) -> NoReturn:
    raise _BrokenError(reason)


@lru_cache(maxsize=1)
def parse_context(content: bytes, *, name: str = NAME) -> Context:
    """Read a team's file; what is asked again about the same bytes is known.

    Raises `ContextVersionError` for a newer format, `ContextFileError` for what is no
    text or of no format at all.
    """
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as problem:
        reason = f"it is not UTF-8 at byte {problem.start}"
        raise ContextFileError(path=name, reason=reason) from None
    layout = layout_of(plain(content))
    if not layout.known:
        _refuse_format(str(layout.version), name)
    if len(layout.pieces) > MOST_BLOCKS:
        reason = f"it has more than {MOST_BLOCKS} blocks"
        raise ContextFileError(path=name, reason=reason)
    blocks: list[Block] = []
    findings = list(_loose_conflicts(layout))
    ends = [piece.line for piece in layout.pieces[1:]] + [_END]
    for piece, end in zip(layout.pieces, ends, strict=True) if layout.pieces else ():
        first = bisect_left(layout.unresolved, piece.line)
        inside = bisect_left(layout.unresolved, end) > first
        try:
            blocks.append(_block(piece, in_conflict=inside))
        except _BrokenError as problem:
            findings.append(Finding(piece.line, _named(piece.title), str(problem)))
    unsafe = refusals([(block.title, block.body) for block in blocks])
    findings += [
        Finding(blocks[place].line, _named(blocks[place].title), reason)
        for place, reason in unsafe.items()
    ]
    safe = [block for place, block in enumerate(blocks) if place not in unsafe]
    kept, twice = _once(safe)
    findings += twice
    return Context(layout, tuple(kept), tuple(sorted(findings)))


_END = 1 << 62
_SHOWN = 120


def _named(title: str) -> str:
    """Name a block that is refused by its title, but for what it is refused for."""
    return shown(title[: 4 * _SHOWN])[:_SHOWN]


def _refuse_format(version: str, name: str) -> None:
    if version.isascii() and version.isdecimal() and int(version[:9]) > VERSION:
        raise ContextVersionError(path=name, found=version[:9], known=VERSION)
    raise ContextFileError(path=name, reason="its first line names no known format")


def _loose_conflicts(layout: Layout) -> Iterator[Finding]:
    """Tell of conflict marks above the first block."""
    first = layout.pieces[0].line if layout.pieces else _END
    if layout.unresolved and layout.unresolved[0] < first:
        yield Finding(layout.unresolved[0], "", _IN_CONFLICT)


_IN_CONFLICT = "it stands in a conflict that nobody has resolved"


def _block(piece: Piece, *, in_conflict: bool) -> Block:
    """Read one block; _BrokenError says why it cannot be used."""
    if in_conflict:
        _refuse(_IN_CONFLICT)
    if any(line.startswith(MARK) for line in piece.text.split("\n")):
        _refuse("a second comment of agentctx stands in its text")
    if hides_text(f"{piece.title}\n{piece.text}"):
        _refuse("it holds a comment, which nobody sees; write `\\<!--` to show it")
    try:
        title = check_title(unescaped_title(piece.title))
        body = check_body(unescaped(piece.text))
    except (TitleError, BodyError) as problem:
        _refuse(str(problem))
    section = TYPES.get(piece.section)
    found = Block(section or "", title, body, line=piece.line)
    if piece.comment:
        found = _commented(found, piece.comment)
    elif section is None:
        _refuse(f"it stands below no heading of ours: {', '.join(TYPES)}")
    return found


def _commented(block: Block, comment: str) -> Block:
    """Take what the comment of a block says."""
    found = _COMMENT.fullmatch(comment)
    if found is None:
        _refuse("its comment line cannot be read")
    said = found.groupdict()
    if not is_record_id(said["id"]):
        _refuse("its comment names no record's id")
    if said["type"] not in SHARED_TYPES:
        _refuse(f"its comment names no type of {', '.join(SHARED_TYPES)}")
    if said["confidence"] not in CONFIDENCES:
        _refuse("its comment names no confidence")
    if _SHA256.fullmatch(said["sha256"]) is None:
        _refuse("its comment names no SHA-256")
    try:
        valid_from = parse_moment(said["valid_from"], field="valid_from")
    except BadTimeError:
        _refuse("its comment names no moment")
    return block._replace(
        id=said["id"],
        type=said["type"],
        valid_from=valid_from,
        confidence=said["confidence"],
        said_sha256=said["sha256"],
    )


def _once(blocks: list[Block]) -> tuple[list[Block], list[Finding]]:
    """Let an id stand for one text; of the same text twice one is enough."""
    by_key: dict[str, list[Block]] = {}
    for block in blocks:
        by_key.setdefault(block.key, []).append(block)
    kept: list[Block] = []
    findings: list[Finding] = []
    for some in by_key.values():
        if len({block.sha256 for block in some}) == 1:
            kept.append(some[0])
            continue
        reason = f"{len(some)} texts have its id; keep one of them"
        findings += [Finding(one.line, one.title, reason) for one in some]
    kept.sort(key=lambda block: block.line)
    return kept, findings
