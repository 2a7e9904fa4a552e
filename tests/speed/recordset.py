"""Write a store of made-up records, the same at every run.

    python tests/speed/recordset.py HOME PROJECT [--records 10000] [--in-order]

The records are those of one project, of every type that may have many. Their words are
as common and as rare as in a text without its stop words: the commonest is in a fifth
of the records, most are in a few. `--in-order` lets the last of them be of today, and
leaves the store as a consolidation does that has found nothing to propose.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

if __package__ in {None, ""}:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from agentctx.briefing.making import Facts, refresh_digest
from agentctx.project import resolve_project
from agentctx.records.model import TYPES, NewRecord
from agentctx.records.namespaces import note_namespace
from agentctx.records.store import open_store
from agentctx.records.tidying import mark_tidied
from agentctx.records.write import add_record

RECORDS = 10_000
WORDS, TITLE, BODY = 8_000, 7, 60
EVENNESS = 60
"""The higher, the less the commonest words stand out."""

SEED = 4_711
START = datetime(2025, 1, 1, tzinfo=UTC)
STEP, SHORT_STEP = timedelta(minutes=50), timedelta(minutes=10)
"""10,000 of the short ones are 69 days: none of the records is too old for anything."""

QUERIES = (
    "why is {0} stored with {1} and {2}",
    "{3} {4} migration decision",
    "which tests cover the {5} of {6} in {7}",
    "retry limit of the {8} client",
    "подмирнием {9} и узловая схема",
)


def vocabulary(dice: random.Random) -> list[str]:
    """Make words of syllables, the commonest first."""
    syllables = [c + v for c in "bdfgklmnprstvz" for v in "aeiou"]
    words = {"".join(dice.choices(syllables, k=dice.randint(2, 4))): None}
    while len(words) < WORDS:
        words["".join(dice.choices(syllables, k=dice.randint(2, 4)))] = None
    return list(words)


def write_records(
    home: Path,
    project: Path,
    *,
    records: int,
    start: datetime = START,
    step: timedelta = STEP,
) -> None:
    """Write the store; nothing of it depends on when or where it is made."""
    dice = random.Random(SEED)  # noqa: S311 - the same at every run
    words = vocabulary(dice)
    weights = [1 / (rank + EVENNESS) for rank in range(len(words))]
    project_id = resolve_project(project, environ=os.environ).project_id
    moment = [start]
    kinds = [kind for kind in TYPES if kind not in {"handover", "profile"}]

    def clock() -> datetime:
        return moment[0]

    with open_store(str(home), clock=clock, random=dice.randbytes) as store:
        # What is measured is reading; the disk need not have every record at once.
        store.db.execute("PRAGMA synchronous = OFF")
        for number in range(records):
            moment[0] += step
            new = NewRecord(
                type=kinds[number % len(kinds)],
                title=" ".join(dice.choices(words, weights, k=TITLE))[:110],
                body=" ".join(dice.choices(words, weights, k=BODY)),
                source="llm_extraction",
                confidence="inferred" if number % 3 else "explicit",
                trust="developer",
                files=[f"src/module_{number % 300}.py"],
            )
            add_record(store, project_id, new)


def put_in_order(home: Path, project: Path) -> None:
    """Make the digest, and count all records as compared with one another."""
    found = resolve_project(project, environ=os.environ)
    with open_store(str(home), clock=_now, random=os.urandom, create=False) as store:
        (last,) = store.db.execute("SELECT max(rowid) FROM records").fetchone()
        with store.writing() as tx:
            mark_tidied(tx, last)
        root = str(found.main_root)
        note_namespace(store, found.project_id, name=found.name, root=root)
        refresh_digest(store, Facts(found, drift=0))


def _now() -> datetime:
    return datetime.now(UTC)


def queries() -> list[str]:
    """Give questions that some records answer and some do not."""
    dice = random.Random(SEED)  # noqa: S311 - the same at every run
    words = vocabulary(dice)
    named = [words[rank] for rank in (3, 40, 400, 9, 900, 90, 2_000, 15, 300, 30)]
    return [query.format(*named) for query in QUERIES]


def main() -> None:
    """Write what the arguments name."""
    parser = argparse.ArgumentParser(description="Write a store of made-up records.")
    parser.add_argument("home", type=Path)
    parser.add_argument("project", type=Path)
    parser.add_argument("--records", type=int, default=RECORDS)
    parser.add_argument("--in-order", action="store_true")
    asked = parser.parse_args()
    (asked.project / ".agentctx").mkdir(parents=True, exist_ok=True)
    home, project, records = asked.home, asked.project, asked.records
    if not asked.in_order:
        write_records(home, project, records=records)
        return
    start = _now() - records * SHORT_STEP
    write_records(home, project, records=records, start=start, step=SHORT_STEP)
    put_in_order(home, project)


if __name__ == "__main__":
    main()
