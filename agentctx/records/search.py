"""Finding the records that answer a question, in every script, and never failing (A3).

Where the index of terms cannot be read the full text answers, where that cannot
either a plain comparison does, and in the end what is pinned: a search of records
never raises for the state of the store. Superseded records are found only for a moment
in the past; that is read from the rows, whatever an index says (A1.3).
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from heapq import nlargest
from itertools import islice

from agentctx.clock import moment_of
from agentctx.errors import SearchQueryError
from agentctx.records.candidates import (
    ANYTHING,
    OWN_DAY,
    UNIT,
    Brief,
    Candidate,
    Candidates,
    Filters,
    is_spaced,
)
from agentctx.records.question import read_question
from agentctx.records.ranking import (
    MOST_FACTOR,
    MOST_POSTINGS,
    SCALE,
    TITLED,
    Evidence,
    Support,
    cut,
    evidence,
    factor,
    needs,
    sought,
    title_words,
    weigh,
)
from agentctx.records.read import holds_at
from agentctx.records.terms import weights
from corpus.sqlite import DatabaseError, reading
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from agentctx.records.model import Record
    from agentctx.records.question import Question
    from agentctx.records.ranking import Floor, Needs, Weighed
    from agentctx.records.store import Store

__all__ = [
    "Answer",
    "Filters",
    "Found",
    "count_records",
    "list_records",
    "require_query",
    "search_records",
    "superseded_records",
]

LIKE_SEARCH, PINNED_ONLY = "like-search", "pinned-only"
"""What an answer says of itself below the first rung (A3.3)."""

MOST_ALIKE = 300
"""Matches that are compared where every word of a search is common."""

FIRST = 48
"""Of the best matches, so many are looked at for a title that holds every word."""

_AT_ONCE = 16
_UNREADABLE = (DatabaseError, UnicodeDecodeError)
"""What SQLite raises of a damaged file; a message may quote names that are no text."""


class Found(NamedTuple):
    """A record that answers, with its score: a whole number, the higher the better."""

    record: Record
    score: int


class Answer(NamedTuple):
    """What was found, the best first; `degraded` names the rung, None on the first."""

    results: tuple[Found, ...]
    degraded: str | None = None


def search_records(
    store: Store,
    project_id: str,
    query: str,
    *,
    filters: Filters = ANYTHING,
    limit: int = 10,
    floor: Floor = "search",
) -> Answer:
    """Find the records of a project, and of `_global`, that answer a question.

    The floor `prompt` gives only what is surely about the question: nobody asked for
    it. Order and scores depend on the store, the clock and the question alone.
    """
    question = read_question(query, literal=floor == "search")
    named = any(not term.common for term in question.terms)
    if limit < 1 or not (question.days or question.words or named):
        return Answer(())
    search = _Search(store, project_id, question, filters, floor)
    rungs = (search.by_index, search.by_full_text, search.by_like, search.by_pin)
    for rung in (search.by_words, search.by_pin) if question.words else rungs:
        try:
            with _one_moment(store):
                return rung(limit)
        except _UNREADABLE:
            continue
    return Answer((), PINNED_ONLY)


def superseded_records(
    store: Store, project_id: str, query: str, *, filters: Filters = ANYTHING
) -> list[Record]:
    """Find superseded records that hold a word of a question, the newest first.

    Raises the errors of a database that cannot be read.
    """
    question = read_question(query, literal=True)
    rows = Candidates(store, project_id, filters._replace(superseded=True))
    if not question.terms:
        return []
    with _one_moment(store):
        if store.full_text and is_spaced(question):
            return rows.by_full_text(question)
        return rows.by_like(question)


def list_records(
    store: Store, project_id: str, *, filters: Filters, limit: int = 10
) -> Answer:
    """List the records that a search is limited to, the newest first.

    Raises the errors of a database that cannot be read.
    """
    with _one_moment(store):
        found = islice(Candidates(store, project_id, filters).newest(), limit)
        return Answer(tuple(Found(record, 0) for record in found))


def count_records(store: Store, project_id: str, filters: Filters) -> int:
    """Count the records that a search is limited to, as `list_records` lists them."""
    with _one_moment(store):
        return sum(1 for _ in Candidates(store, project_id, filters).newest())


def require_query(query: str) -> None:
    """Refuse a search for nothing; raises `SearchQueryError`."""
    if not query.strip():
        raise SearchQueryError


class _Search:
    """One question to one store, on whichever rung."""

    def __init__(
        self,
        store: Store,
        project_id: str,
        question: Question,
        filters: Filters,
        floor: Floor,
    ) -> None:
        self.rows = Candidates(store, project_id, filters)
        self.question = question
        self.filters = filters
        self.floor: Floor = floor
        self.title_words: tuple[str, ...] = ()
        self.most_read = MOST_POSTINGS
        self._shares: dict[int, float] = {}
        as_of = filters.moment.as_of
        self.now: datetime = store.clock() if as_of is None else moment_of(as_of)

    def by_index(self, limit: int) -> Answer:
        """Answer from the index of terms, and from the text of what it lacks."""
        fresh, readable = self.rows.unindexed(self.question)
        held = self._held(fresh)
        counts = self.rows.counts(self.question)
        for term in self.question.terms:  # days are counted in the rows
            counts[term.text] += sum(term.text in own for _, own in held)
        weighed = self._weighed(counts, self.rows.total())
        terms, needed = sought(weighed, self.floor), needs(weighed, self.floor)
        self.title_words = title_words(terms.all, self.floor)
        self._shares.clear()
        if terms.wide:
            self.most_read = MOST_ALIKE
            held += self._held(self.rows.titled(self.title_words))
        support = Support(weighed)
        brief = needed.by_terms and self.filters.moment.is_present
        indexed = self.rows.by_index(terms, needed, brief=brief)
        found = [
            *self._best(indexed, needed, support, limit),
            *self._scored(held, terms.all, needed, support),
        ]
        return Answer(self._ranked(found, limit), None if readable else LIKE_SEARCH)

    def by_full_text(self, limit: int) -> Answer:
        """Answer from FTS5 alone; scripts that it cannot cut are for the next rung."""
        if not is_spaced(self.question):
            raise DatabaseError
        return Answer(self._by_text(self.rows.by_full_text(self.question), limit))

    def by_like(self, limit: int) -> Answer:
        """Answer by comparing texts."""
        found = self._by_text(self.rows.by_like(self.question), limit)
        return Answer(found, LIKE_SEARCH)

    def by_words(self, limit: int) -> Answer:
        """Answer a search for words that only the full text holds, by the titles."""
        found = [
            Candidate(record, TITLED ** self._is_titled(record), Evidence(0.0, 0, 0.0))
            for record in self.rows.by_words(self.question.words)
        ]
        return Answer(self._ranked(found, limit))

    def by_pin(self, limit: int) -> Answer:
        """Give what is pinned, the newest first, whatever was asked."""
        found = self.rows.pinned()[:limit]
        return Answer(tuple(Found(record, 0) for record in found), PINNED_ONLY)

    def _by_text(self, records: Sequence[Record], limit: int) -> tuple[Found, ...]:
        held = self._held(records)
        asked = [*(term.text for term in self.question.terms), *self.question.days]
        counts = {text: sum(text in own for _, own in held) for text in asked}
        weighed = self._weighed(counts, max(self.rows.total(), len(records)))
        needed = needs(weighed, self.floor)
        terms = sought(weighed, self.floor).all
        self.title_words = title_words(terms, self.floor)
        self._shares.clear()
        found = self._scored(held, terms, needed, Support(weighed))
        return self._ranked(found, limit)

    def _held(self, records: Iterable[Record]) -> list[tuple[Record, dict[str, int]]]:
        """Give records with the weights the index would have, and their days."""
        held = []
        for record in records:
            own = weights(record.title, record.body)
            for day in self.question.days:
                if record.valid_from[: len("2026-05-02")].endswith(day):
                    own[day] = OWN_DAY
            held.append((record, own))
        return held

    def _weighed(self, counts: dict[str, int], total: int) -> list[Weighed]:
        asked = (*self.question.terms, *self.question.as_days())
        return [weigh(term, counts.get(term.text, 0), total) for term in asked]

    def _best(
        self,
        candidates: Iterator[Candidate],
        needed: Needs,
        support: Support,
        limit: int,
    ) -> list[Candidate]:
        """Read as far down as a record could still rise into the answer.

        Of very many that match alike the first ones are enough.
        """
        kept: list[Candidate] = []
        best: list[float] = []
        lift = TITLED if self.title_words else 1.0
        read = 0
        while batch := list(islice(candidates, _AT_ONCE)):
            read += len(batch)
            if read > FIRST:
                lift = 1.0
            found = [
                one
                for one in self._holding(batch)
                if isinstance(one.record, Brief)
                or needed.met_by(one.evidence, partial(support.of, one.record))
            ]
            kept += found
            best = nlargest(limit, [*best, *map(self._score, found)])
            if len(best) == limit and (
                read >= self.most_read or batch[-1].raw * lift * MOST_FACTOR < best[-1]
            ):
                break
            if kept and batch[-1].raw < cut(kept[0].raw, self.floor):
                break
        return kept

    def _holding(self, batch: Sequence[Candidate]) -> list[Candidate]:
        """Keep what answers for a moment of the past; the present is in the rows."""
        if self.filters.moment.is_present:
            return list(batch)
        records = [one.record for one in batch if not isinstance(one.record, Brief)]
        held = holds_at(self.rows.db, records, self.filters.moment)
        rowids = {record.rowid for record in held}
        return [one for one in batch if one.record.rowid in rowids]

    def _scored(
        self,
        held: Iterable[tuple[Record, dict[str, int]]],
        terms: Sequence[Weighed],
        needed: Needs,
        support: Support,
    ) -> Iterator[Candidate]:
        """Score records by their text as the index would."""
        for record, own in held:
            matched = [term for term in terms if term.asked.text in own]
            found = evidence(matched)
            if needed.may_be_met_by(found) and needed.met_by(
                found, partial(support.of, record)
            ):
                raw = sum(own[term.asked.text] * term.worth for term in matched)
                yield Candidate(record, raw / UNIT, found)

    def _score(self, one: Candidate) -> float:
        """Score a record; that of a row is kept, for it is asked once more at the end.

        A row's share is the same however well it matches.
        """
        share = self._shares.get(one.record.rowid)
        if share is None:
            titled = self.title_words and self._is_titled(one.record)
            share = factor(one.record, self.now) * (TITLED if titled else 1.0)
            self._shares[one.record.rowid] = share
        return one.raw * share

    def _is_titled(self, record: Record | Brief) -> bool:
        """Say whether a title holds every word that was searched."""
        title = record.title.lower()
        words = self.title_words or self.question.words
        return all(word in title for word in words)

    def _ranked(self, candidates: Iterable[Candidate], limit: int) -> tuple[Found, ...]:
        found = list({one.record.rowid: one for one in candidates}.values())
        least = cut(max((one.raw for one in found), default=0.0), self.floor)
        ranked = [
            (round(SCALE * self._score(one)), one.record)
            for one in found
            if one.raw >= least
        ]
        ranked.sort(key=lambda one: one[1].id)
        ranked.sort(key=lambda one: one[1].recorded_at, reverse=True)
        ranked.sort(key=lambda one: one[0], reverse=True)
        chosen = ranked[:limit]
        whole = self.rows.whole([row.rowid for _, row in chosen])
        return tuple(Found(whole[row.rowid], score) for score, row in chosen)


@contextmanager
def _one_moment(store: Store) -> Iterator[None]:
    """See one state of the store throughout, also inside somebody's transaction."""
    if store.db.in_transaction:
        yield
    else:
        with reading(store.db):
            yield
