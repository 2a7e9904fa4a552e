"""Let an item go, everywhere it reaches: candidates, evidence, checkpoint (M11.5).

What the user said stays as it was said, unless a person wants those words gone, too.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

from agentctx.memory.candidates import telling_quotes
from agentctx.memory.items import chain, forget, item_by_id
from agentctx.memory.jobs import call_back
from agentctx.memory.mapping import one_line
from agentctx.memory.refusals import MemoryRuleError
from agentctx.memory.speech.anchors import anchors
from agentctx.memory.telling import counted
from agentctx.memory.threads import checkpoints, write_checkpoint

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from agentctx.memory.model import CandidateId, Item, ItemId, Meaning, TurnId
    from agentctx.memory.store import MemoryStore, Writing
    from corpus.sqlite import Db

PURGED = "[forgotten]"
"""What stands where words were taken out at a person's wish."""

NOTHING_LEFT = "Nothing that is still remembered."
"""What a checkpoint says where all of it was about something forgotten."""

MANY = 2
"""Anchors of a content that a sentence shares when it is about it."""

_MOST_QUOTES = 10_000
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])|\n+")


class LetGo(NamedTuple):
    """What forgetting an item came to."""

    item: Item
    candidates: int
    turns: int
    sentences: int
    purged: bool

    @property
    def text(self) -> str:
        """What a person is told."""
        about = one_line(self.item.meaning.subject)
        told = f"forgotten: {about} (`{self.item.id}`)."
        if self.purged:
            purged = f"taken out of {counted(self.turns, 'turn')}"
            return f"{told} The words it stood on were {purged}."
        kept = (
            "turn is kept as it was"
            if self.turns == 1
            else "turns are kept as they were"
        )
        return (
            f"{told} The original {kept} said ({self.turns}); nothing is made of those"
            " words again."
        )


def let_go(store: MemoryStore, item_id: ItemId, *, purge: bool = False) -> LetGo:
    """Forget an item in one transaction; `purge` takes its words out of turns, too.

    What is being extracted meanwhile would write the old checkpoint on; it is asked
    again.
    """
    with store.writing() as writing:
        gone = forget(writing, item_id)
        revisions = chain(writing.tx, gone.item.logical_id)
        turns = _cited_turns(writing, gone.candidate_ids)
        call_back(writing)
        sentences = _edit_checkpoints(writing, [one.meaning for one in revisions])
        if purge:
            _purge(writing, revisions, gone.candidate_ids)
    return LetGo(gone.item, len(gone.candidate_ids), turns, sentences, purge)


def checkpoint_without_forgotten(
    db: Db, turns: Sequence[TurnId], checkpoint: str
) -> str:
    """Give a checkpoint without what some turns said that was forgotten since."""
    rows = db.execute(
        """
        SELECT DISTINCT l.item_id
          FROM forgotten_quotes f
          JOIN candidate_sources s ON lower(s.quote) = lower(f.quote)
          JOIN memory_item_candidates l ON l.candidate_id = s.candidate_id
          JOIN memory_items i ON i.id = l.item_id
         WHERE i.status <> 'active'
           AND f.turn_id IN (SELECT value FROM json_each(?))
        """,
        (json.dumps(list(turns)),),
    ).fetchall()
    if not rows:
        return checkpoint
    meanings = [item_by_id(db, row["item_id"]).meaning for row in rows]
    return without_sentences(checkpoint, meanings) or NOTHING_LEFT


def without_sentences(text: str, meanings: Sequence[Meaning]) -> str:
    """Give a text without the sentences that are about something forgotten."""
    names, contents = _anchors_of(meanings)
    kept = []
    for line in text.split("\n"):
        said = [
            one
            for one in _SENTENCE.split(line)
            if not _is_about(anchors(one), names, contents)
        ]
        if any(map(str.strip, said)) or not line.strip():
            kept.append(" ".join(said))
    return "\n".join(kept).strip()


def _anchors_of(
    meanings: Iterable[Meaning],
) -> tuple[frozenset[str], frozenset[str]]:
    named: set[str] = set()
    contents: set[str] = set()
    for one in meanings:
        named |= anchors(one.subject) | anchors(one.statement)
        for name in (*one.aliases, *one.keywords):
            named |= anchors(name)
        contents |= anchors(one.content)
    return frozenset(named), frozenset(contents)


def _is_about(
    said: frozenset[str], names: frozenset[str], contents: frozenset[str]
) -> bool:
    return bool(said & names) or len(said & contents) >= MANY


def _edit_checkpoints(writing: Writing, meanings: Sequence[Meaning]) -> int:
    edited = 0
    for thread in checkpoints(writing.tx):
        rest = without_sentences(thread.compaction, meanings)
        if rest != thread.compaction.strip():
            write_checkpoint(writing, thread.id, rest)
            edited += 1
    return edited


def _cited_turns(writing: Writing, ids: Sequence[CandidateId]) -> int:
    found: int = writing.tx.execute(
        "SELECT count(DISTINCT turn_id) FROM candidate_sources"
        " WHERE candidate_id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(ids)),),
    ).fetchone()[0]
    return found


def _purge(
    writing: Writing, revisions: Sequence[Item], ids: Sequence[CandidateId]
) -> None:
    """Take the quotes out of the turns, and the words out of what was made of them."""
    for item in revisions:
        _require_purgeable(writing, item)
    listed = json.dumps(list(ids))
    repeated = telling_quotes(writing.tx, ids)
    quotes = writing.tx.execute(
        "SELECT DISTINCT turn_id, role, quote FROM candidate_sources"
        " WHERE candidate_id IN (SELECT value FROM json_each(?)) LIMIT ?",
        (listed, _MOST_QUOTES),
    ).fetchall()
    emptied = set(ids)
    for row in sorted(quotes, key=lambda one: -len(one["quote"])):
        values = {"quote": row["quote"], "mark": PURGED, "turn": row["turn_id"]}
        column = "user_text" if row["role"] == "user" else "assistant_text"
        writing.tx.execute(
            f"UPDATE turns SET {column} = replace({column}, :quote, :mark)"
            " WHERE id = :turn",
            values,
        )
        emptied |= _purge_cited(writing, {**values, "role": row["role"]})
    for quote in repeated:
        _purge_repeated(writing, quote)
    writing.tx.execute(
        f"UPDATE memory_candidates SET {_EMPTIED}, updated_at = :now"
        " WHERE id IN (SELECT value FROM json_each(:ids))",
        {"mark": PURGED, "now": writing.stamp, "ids": json.dumps(sorted(emptied))},
    )
    writing.tx.execute(
        f"UPDATE memory_items SET {_EMPTIED}, identity = id"
        " WHERE id IN (SELECT value FROM json_each(:ids))",
        {"mark": PURGED, "ids": json.dumps([one.id for one in revisions])},
    )


_EMPTIED = (
    "subject = :mark, statement = :mark, content = :mark, aliases_json = '[]',"
    " keywords_json = '[]'"
)


def _purge_repeated(writing: Writing, quote: str) -> None:
    """Take the same words out of turns that nothing was made of."""
    writing.tx.execute(
        "UPDATE turns SET user_text = replace(user_text, :quote, :mark)"
        " WHERE instr(user_text, :quote) > 0 AND NOT EXISTS ("
        "   SELECT 1 FROM candidate_sources s WHERE s.turn_id = turns.id)",
        {"quote": quote, "mark": PURGED},
    )
    writing.tx.execute(
        "UPDATE OR IGNORE forgotten_quotes SET quote = :mark WHERE quote = :quote",
        {"quote": quote, "mark": PURGED},
    )
    writing.tx.execute("DELETE FROM forgotten_quotes WHERE quote = ?", (quote,))


def _purge_cited(writing: Writing, values: dict[str, str]) -> set[CandidateId]:
    """Take a quote out of every citation of its turn, and what holds it or is in it.

    Give the candidates that cited it: what they say was made of these words, too.
    """
    found_in: set[CandidateId] = set()
    for table, key in (
        ("candidate_sources", "candidate_id, "),
        ("forgotten_quotes", ""),
    ):
        rows = writing.tx.execute(
            f"SELECT {key}turn_id, role, quote FROM {table}"
            " WHERE turn_id = :turn AND role = :role AND (instr(quote, :quote) > 0"
            " OR instr(:quote, quote) > 0)",
            values,
        ).fetchall()
        for row in rows:
            left = row["quote"].replace(values["quote"], PURGED)
            if left == row["quote"]:  # a part of what is purged
                left = PURGED
            names = row.keys()
            where = " AND ".join(f"{name} = :{name}" for name in names)
            found = {name: row[name] for name in names}
            found_in |= {found["candidate_id"]} if "candidate_id" in found else set()
            writing.tx.execute(f"DELETE FROM {table} WHERE {where}", found)
            marks = ", ".join(f":{name}" for name in names)
            writing.tx.execute(
                f"INSERT OR IGNORE INTO {table} ({', '.join(names)}) VALUES ({marks})",
                {**found, "quote": left},
            )
    return found_in


def _require_purgeable(writing: Writing, item: Item) -> None:
    """Keep the words that another item still stands on."""
    row = writing.tx.execute(
        """
        SELECT other.id FROM memory_item_candidates mine
          JOIN candidate_sources said ON said.candidate_id = mine.candidate_id
          JOIN candidate_sources also
            ON also.turn_id = said.turn_id AND also.role = said.role
           AND (instr(also.quote, said.quote) > 0 OR instr(said.quote, also.quote) > 0)
          JOIN memory_item_candidates theirs ON theirs.candidate_id = also.candidate_id
          JOIN memory_items other ON other.id = theirs.item_id
         WHERE mine.item_id = ? AND other.status = 'active'
           AND other.logical_id <> ? LIMIT 1
        """,
        (item.id, item.logical_id),
    ).fetchone()
    if row is not None:
        raise MemoryRuleError(
            reason=f"`{row['id']}` stands on the same words; forget it first",
            rule="purge_shared",
        )
