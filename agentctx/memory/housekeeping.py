"""Keep memory small: words that are old or too many go, at a person's wish (M11.9).

Only the words of turns go, those that were worked through. What is believed keeps the
quotes it stands on, and a turn that is cited, or the last of its thread, keeps its row.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from agentctx.clock import stamp
from agentctx.memory.refusals import MemoryDegradedError, MemoryRuleError
from agentctx.memory.store import memory_failures
from corpus.sqlite import flush_log

if TYPE_CHECKING:
    from agentctx.memory.store import MemoryStore, Writing

NO_LONGER_KEPT = "[no longer kept]"
"""What stands where a turn's words were."""

MEGABYTE = 1_000_000
LONGEST_DAYS = 100_000

_WORKED_THROUGH = """
    t.state <> 'open' AND t.user_text <> :mark AND NOT EXISTS (
      SELECT 1 FROM memory_jobs j WHERE j.turn_id = t.id
         AND j.status IN ('pending', 'leased', 'retry_wait'))
    AND NOT EXISTS (
      SELECT 1 FROM candidate_sources s JOIN memory_candidates c
          ON c.id = s.candidate_id
       WHERE s.turn_id = t.id AND c.status = 'pending')
"""


class Retained(NamedTuple):
    """How many turns lost their words, and how many bytes of words are left."""

    turns: int
    bytes_left: int


def retain(
    writing: Writing, *, days: int | None = None, megabytes: float | None = None
) -> Retained:
    """Let the words go of turns older than `days`, then of the oldest beyond a size."""
    given = [one for one in (days, megabytes) if one is not None]
    if not given or any(not 0 <= one <= LONGEST_DAYS for one in given):
        raise MemoryRuleError(
            reason="what is kept is told in days or in megabytes", rule="retention"
        )
    chosen: list[str] = []
    if days is not None:
        until = stamp(writing.now - timedelta(days=days))
        rows = writing.tx.execute(
            f"SELECT t.id FROM turns t WHERE {_WORKED_THROUGH}"
            " AND t.updated_at < :until ORDER BY t.rowid",
            {"until": until, "mark": NO_LONGER_KEPT},
        )
        chosen += [str(row["id"]) for row in rows]
    for turn_id in chosen:
        _let_words_go(writing, turn_id)
    if megabytes is not None:
        chosen += _beyond(writing, round(megabytes * MEGABYTE))
    return Retained(len(chosen), _size(writing))


def vacuum(store: MemoryStore) -> tuple[int, int]:
    """Give back room that nothing uses; say the pages before and after."""
    before = _pages(store)
    with memory_failures():
        store.db.execute("VACUUM")
        flush_log(store.db)
    return before, _pages(store)


def _beyond(writing: Writing, most: int) -> list[str]:
    left = _size(writing)
    chosen: list[str] = []
    rows = writing.tx.execute(
        "SELECT t.id, length(CAST(t.user_text AS BLOB))"
        f" + length(CAST(t.assistant_text AS BLOB)) FROM turns t"
        f" WHERE {_WORKED_THROUGH} ORDER BY t.updated_at, t.rowid",
        {"mark": NO_LONGER_KEPT},
    ).fetchall()
    for turn_id, size in rows:
        if left <= most:
            break
        _let_words_go(writing, turn_id)
        chosen.append(turn_id)
        left -= size
    return chosen


def _let_words_go(writing: Writing, turn_id: str) -> None:
    """Delete a turn that nothing needs; take the words out of any other."""
    deleted = writing.tx.execute(
        """
        DELETE FROM turns WHERE id = :id
           AND NOT EXISTS (SELECT 1 FROM candidate_sources WHERE turn_id = :id)
           AND NOT EXISTS (
             SELECT 1 FROM memory_jobs j JOIN memory_candidates c
                 ON c.extraction_job_id = j.id WHERE j.turn_id = :id)
           AND EXISTS (
             SELECT 1 FROM turns later WHERE later.thread_id = turns.thread_id
                AND later.sequence > turns.sequence)
        """,
        {"id": turn_id},
    ).rowcount
    if not deleted:
        writing.tx.execute(
            "UPDATE turns SET user_text = :mark,"
            " assistant_text = CASE assistant_text WHEN '' THEN '' ELSE :mark END"
            " WHERE id = :id",
            {"mark": NO_LONGER_KEPT, "id": turn_id},
        )


def _size(writing: Writing) -> int:
    found: int = writing.tx.execute(
        "SELECT COALESCE(sum(length(CAST(user_text AS BLOB))"
        " + length(CAST(assistant_text AS BLOB))), 0) FROM turns"
    ).fetchone()[0]
    return found


def _pages(store: MemoryStore) -> int:
    with store.looking() as db:
        row = db.execute("PRAGMA page_count").fetchone()
    if row is None:
        raise MemoryDegradedError(detail="it has no pages", problem="damaged")
    return int(row[0])
