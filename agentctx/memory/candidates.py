"""Candidates: proposals with their quotes, kept until a consolidation decides (M5).

The whole outcome of an extraction is one transaction: checkpoint, candidates, the job
of their consolidation, and the end of the extraction (M4.6(b)).
"""

from __future__ import annotations

import json
import sqlite3
from typing import TYPE_CHECKING, NamedTuple

from agentctx.memory.jobs import Failure, finish, require_held
from agentctx.memory.model import (
    MOST_CANDIDATES,
    MOST_SOURCES,
    Candidate,
    CandidateId,
    Meaning,
    Source,
)
from agentctx.memory.queueing import queue_consolidation
from agentctx.memory.rawtext import dumped, loaded, raw
from agentctx.memory.refusals import (
    MemoryRuleError,
    TurnNotFoundError,
)
from agentctx.memory.speech.markers import is_acknowledgement
from agentctx.memory.threads import write_checkpoint
from agentctx.memory.turns import turn_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentctx.memory.jobs import Batch, Job
    from agentctx.memory.model import TurnId
    from agentctx.memory.store import Writing
    from corpus.sqlite import Db

TELLING_BYTES = 16
"""UTF-8 bytes from which on words say something wherever they stand."""

MEANING_COLUMNS = (
    "kind, subject, statement, content, strength, origin, recall_mode,"
    " applies_to_paths_json, aliases_json, keywords_json"
)
_MEANING_MARKS = (
    ":kind, :subject, :statement, :content, :strength, :origin, :recall_mode,"
    " :paths, :aliases, :keywords"
)


class Proposed(NamedTuple):
    """A candidate that was admitted, before it has an id."""

    meaning: Meaning
    sources: tuple[Source, ...]


class Extracted(NamedTuple):
    """What became of the proposals: those that were kept, and how many were not.

    `forgotten` stood on words that a person had forgotten (M11.5).
    """

    kept: tuple[CandidateId, ...]
    forgotten: int


def commit_extraction(
    writing: Writing,
    batch: Batch,
    checkpoint: str,
    proposed: Sequence[Proposed],
) -> Extracted:
    """Keep what a batch yielded, and end it (M4.2, M4.6(b)).

    Raises `MemoryFencedError` for a batch that is no longer its claimer's, and
    `MemoryRuleError`, nothing being kept.
    """
    require_held(writing.tx, batch)
    if len(proposed) > MOST_CANDIDATES:
        raise MemoryRuleError(
            reason="a batch has 32 candidates at most", rule="too_many_candidates"
        )
    last = batch.turns[-1].sequence
    write_checkpoint(writing, batch.thread_id, checkpoint, sequence=last)
    wanted = [one for one in proposed if not _is_forgotten(writing.tx, one.sources)]
    kept = tuple(_keep(writing, batch, one) for one in wanted)
    if kept:
        queue_consolidation(
            writing,
            batch.thread_id,
            derived_from=[job.id for job in batch.jobs],
            candidates=kept,
        )
    finish(writing, batch, output=bool(kept))
    return Extracted(kept, len(proposed) - len(wanted))


def note_refused(writing: Writing, batch: Batch, rules: Mapping[TurnId, str]) -> None:
    """Note on the jobs of a batch which rule broke what was made of their turns.

    They ended well all the same: a status tells what was refused beside the failures.
    """
    for job in batch.jobs:
        rule = None if job.turn_id is None else rules.get(job.turn_id)
        if rule is not None:
            writing.tx.execute(
                "UPDATE memory_jobs SET failure_class = 'contract_semantic',"
                " failure_phase = 'validate', failure_rule = ? WHERE id = ?",
                (rule, job.id),
            )


def leave_out(writing: Writing, batch: Batch, rule: str) -> None:
    """End a batch that does not fit into the model, nothing being kept (M4.3, M4.4)."""
    finish(writing, batch, output=False, note=Failure("capacity", "prepare", rule=rule))


def candidate_of(db: Db, candidate_id: CandidateId) -> Candidate | None:
    """Give a candidate by its id."""
    found = _loaded(db, [candidate_id])
    return found[0] if found else None


def pending_candidates(db: Db, batch: Batch) -> tuple[Candidate, ...]:
    """Give what a consolidation has to decide on, in the order it was proposed."""
    ids = [one for job in batch.jobs for one in job.candidate_ids]
    return tuple(one for one in _loaded(db, ids) if one.status == "pending")


def suppress(writing: Writing, ids: Sequence[CandidateId]) -> int:
    """Let candidates lead to nothing more; say how many there were."""
    changed = writing.tx.execute(
        "UPDATE memory_candidates SET status = 'suppressed', updated_at = ?"
        " WHERE status <> 'suppressed' AND id IN (SELECT value FROM json_each(?))",
        (writing.stamp, json.dumps(list(ids))),
    )
    return changed.rowcount


def forget_evidence(writing: Writing, ids: Sequence[CandidateId]) -> int:
    """Let nothing be extracted again from what candidates stood on (M11.5)."""
    changed = writing.tx.execute(
        "INSERT OR IGNORE INTO forgotten_quotes (turn_id, role, quote)"
        " SELECT turn_id, role, quote FROM candidate_sources"
        " WHERE role = 'user' AND candidate_id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(ids)),),
    )
    return changed.rowcount + sum(
        _forget_said_before(writing, quote) for quote in telling_quotes(writing.tx, ids)
    )


def telling_quotes(db: Db, ids: Sequence[CandidateId]) -> tuple[str, ...]:
    """Give the user's words that candidates stood on and that say it by themselves.

    A `yes` that adopted a proposal says nothing without that, and is said of others.
    """
    rows = db.execute(
        "SELECT DISTINCT quote FROM candidate_sources WHERE role = 'user'"
        " AND candidate_id IN (SELECT value FROM json_each(?)) ORDER BY quote",
        (json.dumps(list(ids)),),
    )
    return tuple(
        quote
        for (quote,) in rows
        if len(quote.encode()) >= TELLING_BYTES and not is_acknowledgement(quote)
    )


def _forget_said_before(writing: Writing, quote: str) -> int:
    """Let the same words be forgotten wherever they were said up to now (M11.5)."""
    changed = writing.tx.execute(
        "INSERT OR IGNORE INTO forgotten_quotes (turn_id, role, quote)"
        " SELECT id, 'user',"
        "        substr(user_text, instr(lower(user_text), lower(:quote)),"
        "               length(:quote))"
        "   FROM turns WHERE instr(lower(user_text), lower(:quote)) > 0",
        {"quote": quote},
    )
    return changed.rowcount


def forgotten_quotes(db: Db, turn_id: str) -> tuple[str, ...]:
    """Give what a turn said that was forgotten."""
    rows = db.execute(
        "SELECT quote FROM forgotten_quotes WHERE turn_id = ?", (turn_id,)
    )
    return tuple(str(row["quote"]) for row in rows)


def meaning_values(meaning: Meaning) -> dict[str, str]:
    """Give the values of the columns that say what something means.

    Paths are stored sorted and distinct, and no text with a secret (M11.7).
    """
    return {
        "kind": meaning.kind,
        "subject": raw(meaning.subject),
        "statement": raw(meaning.statement),
        "content": raw(meaning.content),
        "strength": meaning.strength,
        "origin": meaning.origin,
        "recall_mode": meaning.recall_mode,
        "paths": dumped(sorted(set(map(raw, meaning.applies_to_paths)))),
        "aliases": dumped(map(raw, meaning.aliases)),
        "keywords": dumped(map(raw, meaning.keywords)),
    }


def _keep(writing: Writing, batch: Batch, proposed: Proposed) -> CandidateId:
    sources = tuple(dict.fromkeys(proposed.sources))
    _check_sources(writing.tx, batch, sources)
    made = CandidateId(writing.ids.new("candidate"))
    try:
        writing.tx.execute(
            f"INSERT INTO memory_candidates (id, extraction_job_id, thread_id,"
            f" {MEANING_COLUMNS}, status, created_at, updated_at)"
            f" VALUES (:id, :job, :thread, {_MEANING_MARKS}, 'pending', :now, :now)",
            {
                **meaning_values(proposed.meaning),
                "id": made,
                "job": _job_of(batch, sources).id,
                "thread": batch.thread_id,
                "now": writing.stamp,
            },
        )
        writing.tx.executemany(
            "INSERT INTO candidate_sources (candidate_id, turn_id, role, quote)"
            " VALUES (?, ?, ?, ?)",
            ((made, *source) for source in sources),
        )
    except sqlite3.IntegrityError:
        raise MemoryRuleError(
            reason="a candidate's fields do not agree", rule="fields"
        ) from None
    return made


def _check_sources(db: Db, batch: Batch, sources: Sequence[Source]) -> None:
    """Let a quote be what its turn says, in the same thread, now (M5.7(a))."""
    if not 1 <= len(sources) <= MOST_SOURCES:
        raise MemoryRuleError(
            reason="a candidate has 1 to 8 sources", rule="source_count"
        )
    for source in sources:
        try:
            turn = turn_of(db, source.turn_id)
        except TurnNotFoundError:
            raise MemoryRuleError(
                reason="a source names no turn", rule="source_turn"
            ) from None
        text = turn.user_text if source.role == "user" else turn.assistant_text
        if turn.thread_id != batch.thread_id or turn.state == "open":
            raise MemoryRuleError(
                reason="a source is no ended turn of the thread", rule="source_turn"
            )
        if not source.quote.strip() or source.quote not in text:
            raise MemoryRuleError(
                reason="a quote is not what its turn says", rule="source_quote"
            )


def _job_of(batch: Batch, sources: Sequence[Source]) -> Job:
    """Choose the job of the newest turn that is quoted; the last one without any."""
    quoted = {source.turn_id for source in sources}
    of_quoted = [job for job in batch.jobs if job.turn_id in quoted]
    return (of_quoted or batch.jobs)[-1]


def _is_forgotten(db: Db, sources: Sequence[Source]) -> bool:
    """Say whether a source is, holds, or is part of what was forgotten."""
    for source in sources:
        if source.role == "user":
            for quote in forgotten_quotes(db, source.turn_id):
                if quote in source.quote or source.quote in quote:
                    return True
    return False


def _loaded(db: Db, ids: Sequence[CandidateId]) -> list[Candidate]:
    rows = db.execute(
        f"SELECT {MEANING_COLUMNS}, id, extraction_job_id, thread_id, status,"
        " created_at FROM memory_candidates"
        " WHERE id IN (SELECT value FROM json_each(?)) ORDER BY rowid",
        (json.dumps(list(ids)),),
    ).fetchall()
    return [_candidate(db, row) for row in rows]


def _candidate(db: Db, row: sqlite3.Row) -> Candidate:
    sources = db.execute(
        "SELECT turn_id, role, quote FROM candidate_sources WHERE candidate_id = ?"
        " ORDER BY rowid",
        (row["id"],),
    )
    meaning = Meaning._make((*row[:7], *map(loaded, row[7:10])))
    return Candidate(
        row["id"],
        row["extraction_job_id"],
        row["thread_id"],
        meaning,
        tuple(Source(*one) for one in sources),
        row["status"],
        row["created_at"],
    )
