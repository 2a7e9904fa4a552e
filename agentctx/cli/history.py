"""`agentctx history`: every version of a fact, with both of its times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentctx.cli.edit import add_id
from agentctx.cli.opening import open_for_reading
from agentctx.cli.sheet import version_lines
from agentctx.records.read import find_record, head_of, history_of
from agentctx.records.staged import note_of
from corpus.cli.render import visible

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.records.model import Record
    from agentctx.records.staged import Note
    from corpus.cli.call import Call

SUMMARY = "Show every version of a fact, with both of its times."
EXAMPLE = "agentctx history 01KBA2"


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The versions of one fact, the oldest first; `head` is the one that is current.

    The notes tell of those that were learned on a branch.
    """

    record: Record
    head: Record
    versions: tuple[Record, ...]
    notes: tuple[Note, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Give the history as one JSON object."""
        notes = [one._asdict() for one in self.notes]
        return {
            **({"branches": notes} if notes else {}),
            "id": self.record.id,
            "head": self.head.id if self.head.current else None,
            "versions": [one.as_json() for one in self.versions],
        }


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_id(parser)


def run(call: Call, *, id: str) -> History:  # noqa: A002 - the argument's name
    """Follow the record both ways, to what it replaced and to what replaced it."""
    with open_for_reading(call) as opened:
        db = opened.store.db
        record = find_record(db, opened.project_id, id)
        versions = tuple(history_of(db, record))
        notes = (note_of(db, one.id) for one in versions)
        return History(
            record=record,
            head=head_of(db, record),
            versions=versions,
            notes=tuple(one for one in notes if one is not None),
        )


def lines(value: History) -> Iterator[str]:
    """Show one version after another, the oldest first."""
    for one in value.versions:
        yield from version_lines(one)
        for note in value.notes:
            if note.record_id == one.id:
                yield f"  learned   {_told(note)}"


def _told(note: Note) -> str:
    ended = "" if note.outcome is None else f", {note.outcome} {note.ended_at}"
    return f"on branch {visible(note.branch)} {note.staged_at}{ended}"
