"""Writing the team's file from what was promoted; what others wrote in it stays (A8.1).

The same records and the same file give the same bytes. Nothing is written over that
nobody here has read: what is new in the file is imported first.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from agentctx.records.arrived import records_called
from agentctx.records.read import head_of
from agentctx.records.shared import (
    Shared,
    drop_shared,
    list_shared,
    note_arrival,
    put_shared,
)
from agentctx.team.blocks import (
    HEADINGS,
    Block,
    block_order,
    comment_of,
    escaped_title,
    normal,
    sureness,
)
from agentctx.team.blocks import escaped as escaped_body
from agentctx.team.layout import (
    PREAMBLE,
    VERSION,
    Layout,
    Piece,
    as_text,
    layout_lines,
    plain,
)
from agentctx.team.place import context_path, read_context, write_context
from agentctx.team.planning import match_blocks
from agentctx.team.reading import Context, parse_context
from agentctx.team.refusals import ContextBrokenError, ContextNewsError, ShareError
from agentctx.team.safety import refusals
from corpus.sqlite import store_failures

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentctx.records.model import Record
    from agentctx.records.store import Store
    from corpus.sqlite import Db, Tx


class Unshared(NamedTuple):
    """A promoted record whose newest version nobody has confirmed: the old one stays.

    `record` is that version.
    """

    block: str
    record: str
    title: str


class Exported(NamedTuple):
    """The file as it should be, and what of it differs from the one that is there."""

    path: str
    content: bytes
    blocks: int
    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    unshared: tuple[Unshared, ...]
    differs: bool
    old: bytes | None

    def as_json(self) -> dict[str, object]:
        """Give the outcome as one JSON object."""
        return {
            "path": self.path,
            "blocks": self.blocks,
            "added": list(self.added),
            "changed": list(self.changed),
            "removed": list(self.removed),
            "unshared": [one._asdict() for one in self.unshared],
            "differs": self.differs,
        }


class _Out(NamedTuple):
    """A block that is to be written, and what is known of it then."""

    block: Block
    known: Shared


def check_export(store: Store, project_id: str, root: str) -> Exported:
    """Say what exporting would write. Raises what `export_context` raises."""
    with store_failures():
        return _Export(store.db, project_id, root).exported()


def export_context(store: Store, project_id: str, root: str) -> Exported:
    """Write the team's file, and know what it holds.

    Raises `ContextNewsError` where it says what was not imported, `ContextBrokenError`
    where a part of it cannot be read, `ShareError` for a record that must not leave,
    and the errors of reading and writing it.
    """
    with store_failures(), store.writing() as tx:
        export = _Export(tx, project_id, root)
        done = export.exported()
        if done.differs:
            write_context(root, done.content, old=done.old)
        export.note(store, tx, done)
        return done


class _Export:
    """One export: the file that is there against what is known and promoted."""

    def __init__(self, db: Db, project_id: str, root: str) -> None:
        self.db, self.project_id, self.root = db, project_id, root
        self.path = context_path(root)
        self.old = read_context(root)
        self.known = list_shared(db, project_id)
        ids = (one.record_id for one in self.known.values())
        self.records = records_called(db, (one for one in ids if one))
        self.unshared: list[Unshared] = []
        self.leaving: list[Record] = []
        self.context = None if self.old is None else parse_context(self.old)
        self.out = {one.known.block: one for one in self._outgoing()}
        texts = [(record.title, record.body) for record in self.leaving]
        for place, reason in refusals(texts).items():
            raise ShareError(record_id=self.leaving[place].id, reason=reason)

    def exported(self) -> Exported:
        """Give the file as it should be."""
        layout = Layout(str(VERSION), PREAMBLE, {}, (), ())
        before: dict[str, str] = {}
        if self.context is not None:
            layout = self.context.layout
            before = {block.key: block.sha256 for block in self.context.blocks}
        blocks = sorted((one.block for one in self.out.values()), key=block_order)
        pieces = tuple(_piece(block) for block in blocks)
        text = as_text(layout_lines(layout._replace(pieces=pieces)))
        content = text.encode("utf-8")
        same = self.old is not None and plain(self.old).encode() == content
        after = {block.key: block.sha256 for block in blocks}
        return Exported(
            path=self.path,
            content=content,
            blocks=len(blocks),
            added=tuple(sorted(after.keys() - before.keys())),
            changed=tuple(
                key
                for key, text in sorted(after.items())
                if before.get(key, text) != text
            ),
            removed=tuple(sorted(before.keys() - after.keys())),
            unshared=tuple(self.unshared),
            differs=not same and bool(blocks or self.old is not None),
            old=self.old,
        )

    def note(self, store: Store, tx: Tx, done: Exported) -> None:
        """Know every block as the file holds it now."""
        waiting = {one.block for one in self.unshared}
        for key, one in self.known.items():
            if key in self.out or one.origin == "imported":
                continue
            if key in waiting:
                put_shared(tx, self.project_id, one._replace(sha256=None))
            else:
                drop_shared(tx, self.project_id, key)
        for out in self.out.values():
            fresh = out.known._replace(sha256=out.block.sha256)
            if fresh != self.known.get(fresh.block):
                put_shared(tx, self.project_id, fresh)
        if done.differs or self.old is not None:
            written = done.content if done.differs else self.old or b""
            sha256 = hashlib.sha256(written).hexdigest()
            note_arrival(tx, self.project_id, sha256, now=store.clock())

    def _outgoing(self) -> Iterator[_Out]:
        """Give what is to be written: what the file holds, changed, and what is new.

        Where there is no file every block that is known is written again.
        """
        in_file: set[str] = set()
        if self.context is not None:
            for known, block in self._in_file(self.context):
                in_file.add(known.block)
                yield from self._kept(known, block)
        for key, one in self.known.items():
            if key not in in_file and one.origin != "withdrawn":
                yield from self._of_records(one)

    def _in_file(self, context: Context) -> Iterator[tuple[Shared, Block]]:
        """Give the file's blocks as they are known.

        Raises `ContextBrokenError` and `ContextNewsError`.
        """
        for finding in context.findings:
            raise ContextBrokenError(
                path=self.path, line=finding.line, reason=finding.reason
            )
        keyed = match_blocks(context, self.known, self.records)
        for block, key in keyed.items():
            one = self.known.get(key)
            if one is None or one.sha256 != block.sha256:
                raise ContextNewsError(path=self.path, line=block.line)
            yield one, block
        present = set(keyed.values())
        for key, one in self.known.items():
            if key not in present and one.sha256 is not None:
                raise ContextNewsError(path=self.path, line=1)

    def _kept(self, one: Shared, block: Block) -> Iterator[_Out]:
        """Give a block of the file as it should be, nothing where it should go."""
        if one.origin == "withdrawn":
            return
        if one.origin == "promoted":
            head = self._head(one)
            if head is None:
                return
            if head.by_person:
                ours = self._from_record(one, head)
                if head.id == one.record_id:  # what others promoted, too, stays theirs
                    ours = ours._replace(block=_as_dated(ours.block, block))
                yield ours
                return
            self.unshared.append(Unshared(one.block, head.id, head.title))
        record = self.records.get(one.record_id or "")
        if block.id is None and record is not None:
            since = block.valid_from or record.valid_from
            block = block._replace(id=one.block, valid_from=since)
        yield _Out(block, one)

    def _of_records(self, one: Shared) -> Iterator[_Out]:
        """Give a block that the file lacks, where its record still holds."""
        head = self._head(one)
        if head is None:
            return
        if one.origin == "promoted" and not head.by_person:
            self.unshared.append(Unshared(one.block, head.id, head.title))
            return
        yield self._from_record(one, head)

    def _head(self, one: Shared) -> Record | None:
        """Give the current version of what a block says, None where it has ended."""
        record = self.records.get(one.record_id or "")
        if record is None:
            return None
        head = head_of(self.db, record)
        if one.origin == "imported" and head.id != record.id:
            return None  # somebody's own version is shared by promoting it
        return head if head.current else None

    def _from_record(self, one: Shared, record: Record) -> _Out:
        self.leaving.append(record)
        block = Block(
            type=record.type,
            title=record.title,
            body=normal(record.body),
            id=one.block,
            valid_from=record.valid_from,
            confidence=record.confidence,
        )
        return _Out(block, one._replace(record_id=record.id))


def _as_dated(ours: Block, there: Block) -> Block:
    """Keep the date that the file has for the same text, and the surer word of both."""
    if ours.sha256 != there.sha256:
        return ours
    return ours._replace(
        valid_from=there.valid_from or ours.valid_from,
        confidence=max(ours.confidence, there.confidence, key=sureness),
    )


def _piece(block: Block) -> Piece:
    return Piece(
        HEADINGS[block.type],
        escaped_title(block.title),
        "" if block.id is None else comment_of(block),
        escaped_body(normal(block.body)),
        block.line,
    )
