"""`agentctx show`: one record whole, with where it came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentctx.cli.edit import add_id
from agentctx.cli.opening import open_for_reading
from agentctx.cli.sheet import record_lines, version_lines
from agentctx.records.graph import files_of
from agentctx.records.read import find_record, head_of, history_of
from agentctx.records.risen import origin_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.records.model import Record
    from corpus.cli.call import Call

SUMMARY = "Show one record whole, with where it came from."
EXAMPLE = "agentctx show 01KBA2 --history"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A record, the files it is about, and its versions where they were asked for."""

    record: Record
    head: Record
    files: tuple[str, ...]
    versions: tuple[Record, ...] | None

    def as_json(self) -> dict[str, object]:
        """Give the record as one JSON object."""
        origin = origin_of(self.record)
        value: dict[str, object] = {
            "record": self.record.as_json(),
            "files": list(self.files),
            "made_from": None if origin is None else origin._asdict(),
            "head": self.head.id if self.head.current else None,
        }
        if self.versions is not None:
            value["history"] = [one.as_json() for one in self.versions]
        return value


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_id(parser)
    parser.add_argument(
        "--history", action="store_true", help="show every version of it as well"
    )


def run(call: Call, *, id: str, history: bool) -> Shown:  # noqa: A002
    """Find the record, current or past."""
    with open_for_reading(call) as opened:
        db = opened.store.db
        record = find_record(db, opened.project_id, id)
        return Shown(
            record=record,
            head=head_of(db, record),
            files=tuple(files_of(db, record.id)),
            versions=tuple(history_of(db, record)) if history else None,
        )


def lines(value: Shown) -> Iterator[str]:
    """Draw the record, then its versions."""
    yield from record_lines(value.record, value.files)
    origin = origin_of(value.record)
    if origin is not None:
        yield f"`agentctx memory why {origin.item_id}` shows what was said"
    if value.versions is not None:
        yield ""
        for one in value.versions:
            yield from version_lines(one)
