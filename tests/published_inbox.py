"""The examples of the inbox of candidates and of the ladder, of one story."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from corpus.acceptance import Wording, accept, entries_of
from corpus.candidate import validate_candidate
from corpus.cli.inbox import Doubt, entry_json
from corpus.inbox import change_inbox
from corpus.ladder import climb, held_by
from corpus.origins import Lines, Origin, Rung
from corpus.submission import Wish, from_origin
from corpus.view import open_project
from tests.corpora import HOME, dirs_of, fixed_bytes
from tests.trusted import write_trusted, writer_of

if TYPE_CHECKING:
    from pathlib import Path

    from corpus.inbox import Entry
    from corpus.origins import OriginKind, Origins

EARLIER = datetime(2026, 1, 10, 11, 30, tzinfo=UTC)
SAID = "Twelve stations is what we measure at, no more."
TURN = f"turn_{'7c1e' * 8}"
QUOTE = f"{TURN}/user/{'3' * 12}"
ITEM = f"memory_{'9b20' * 8}_r1"
RECORD = "01KENV8QW0G4T7XK3B5MZ2RJD6"

RUNGS = (
    Rung(
        "record",
        RECORD,
        f"agentctx:records/{RECORD}",
        says="Rainfall is measured at twelve stations",
        sha256="1" * 64,
        at="2026-01-09T16:20:11.000000Z",
        below=(ITEM,),
        names=(RECORD,),
    ),
    Rung(
        "item",
        ITEM,
        f"agentctx:memory/{ITEM}",
        says="Rainfall is measured at twelve stations.",
        sha256="2" * 64,
        at="2026-01-09T16:19:40.000000Z",
        below=(QUOTE,),
        names=(ITEM, ITEM.removesuffix("_r1")),
    ),
    Rung(
        "quote",
        QUOTE,
        "what the user said in session s1",
        says=SAID,
        sha256="3" * 64,
        at="2026-01-09T16:18:02.000000Z",
        below=(TURN,),
    ),
    Rung(
        "turn",
        TURN,
        f"agentctx:memory/{TURN}",
        says=SAID,
        at="2026-01-09T16:18:02.000000Z",
    ),
)
"""A record, the item it says, the words that item stands on, and their turn."""


class Keeper:
    """A keeper of origins that knows one record and what it stands on."""

    def __init__(self, rungs: tuple[Rung, ...] = RUNGS, *lines: Lines) -> None:
        self.known = rungs
        self.lines = lines or (Lines(f"{HOME}/state/PROJECT.md"),)

    def origin(self, root: Path, kind: OriginKind, text: str) -> Origin:
        """Give the one record, whatever is asked for."""
        del root, text
        statement = self.known[0].says or ""
        return Origin(kind, statement, "semantic_fact", self.lines, self.known)

    def rungs(self, root: Path, text: str) -> tuple[Rung, ...]:
        """Give the rungs, the one that is asked about first."""
        del root
        text = text.rpartition("/")[2]
        own = [one for one in self.known if text in {one.id, *one.names}]
        return (*own, *(one for one in self.known if one not in own)) if own else ()


def submitted(root: Path, keeper: Origins, wish: Wish | None = None) -> Entry:
    """Let a candidate wait that is made of what the keeper knows."""
    project = open_project(root, dirs=dirs_of(root))
    origin = keeper.origin(root, "record", RECORD)
    made = from_origin(project, origin, (), wish or Wish(), now=EARLIER)
    with change_inbox(
        project.project_id, state=dirs_of(root).state, random=fixed_bytes
    ) as inbox:
        return inbox.add(made.entry)


def inbox_examples(folder: Path) -> dict[str, object]:
    """Submit and accept one candidate, and ask why."""
    root = write_trusted(folder / "rain-gauges")
    entry = submitted(root, Keeper())
    project = open_project(root, dirs=dirs_of(root))
    verdict = validate_candidate(project, dict(entry.candidate), now=EARLIER)
    wording = Wording(report_id="twelve-stations", limitations=("The valley only.",))
    with writer_of(root) as writer:
        accept(writer, entry.id, wording, dirs=dirs_of(root))
    entries, damaged = entries_of(root, state=dirs_of(root).state)
    held = held_by(root, dirs=dirs_of(root))
    return {
        "candidate-entry": entry_json(entry, Doubt(verdict, None)),
        "candidate-list": {
            "candidates": [one.as_json() for one in entries],
            "damaged": list(damaged),
            "non_authoritative": True,
        },
        "why": climb("twelve-stations", held, root, [Keeper()]).as_json(),
    }
