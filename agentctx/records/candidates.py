"""The rows that may answer a question, read in four ways; SQL and nothing else (A3.3).

By the index of terms, by the full text, by plain comparison, by pin. Every way keeps to
the namespaces, the filters and the moment of the search, and reads those from the rows.
"""

from __future__ import annotations

from agentctx.records.graph import repo_path
from agentctx.records.model import COLUMNS, FROM, GLOBAL, record_of
from agentctx.records.ranking import MOST_COUNTED, Evidence, stump
from agentctx.records.read import PRESENT, Moment, holds_at
from agentctx.records.staged import hidden_on
from corpus.sqlite import DatabaseError
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from agentctx.records.model import Record
    from agentctx.records.question import Asked, Question
    from agentctx.records.ranking import Needs, Sought, Weighed
    from agentctx.records.store import Store

MOST_READ = 400
"""Rows whose text is compared where they are not in the index."""

OWN_DAY = 1_500
"""The weight, in thousandths, of a record's own day: as that of a word of its title."""

UNIT = 1_000
"""In what parts of one the index keeps weights, and SQL the rarity of a term."""

MOST_LED = 200
"""Of what the rarer terms find, so many of the best are asked for the commoner ones."""

MOST_WIDE = 21_000
"""Entries of the index read where every word of a search is common, newest first."""

MOST_TITLED = 20
"""Records whose titles hold every word of such a search, the newest."""

_LIKE_TERMS = 12
_ENTRY = 6
_NAMED = 100
_HIT = "record, score, information, named, best"
_FEWEST_AT_ONCE, _MOST_AT_ONCE = 16, 800


class Filters(NamedTuple):
    """What a search is limited to.

    `scope` "global" is only what holds everywhere, "own" only the project's own;
    "project" and None give both. `file` keeps what is linked to a file, named from
    the root. `superseded` is for what no longer holds, read as text alone. `staging`
    are the namespaces of branches whose records are wanted, too; unless `replaced`,
    what they have others in place of is left out.
    """

    type: str | None = None
    scope: str | None = None
    file: str | None = None
    moment: Moment = PRESENT
    superseded: bool = False
    staging: tuple[str, ...] = ()
    replaced: bool = False


ANYTHING = Filters()


class Brief(NamedTuple):
    """As much of a record as decides its place."""

    rowid: int
    id: str
    type: str
    title: str
    pinned: bool
    confidence: str
    recorded_at: str


class Candidate(NamedTuple):
    """A record, how well it matches (BM25), and what of the question it holds."""

    record: Record | Brief
    raw: float
    evidence: Evidence


class Candidates:
    """What one search may find in one store."""

    def __init__(self, store: Store, project_id: str, filters: Filters) -> None:
        self.store = store
        self.db = store.db
        self.project_id = project_id
        self.filters = filters
        own = GLOBAL if filters.scope == "global" else project_id
        self.names = (
            own if filters.scope == "own" else GLOBAL,
            own,
            *(() if filters.scope == "global" else filters.staging),
        )
        self._names = f"({', '.join('?' * len(self.names))})"
        self._hidden: tuple[str, ...] | None = None
        self._settled = not self.db.in_transaction

    def total(self) -> int:
        """Count the current records of the namespaces.

        A count is kept as long as neither this connection nor another has changed the
        file; inside somebody's transaction, which may be taken back, it is not.
        """
        query = (
            "SELECT count(*) FROM records"
            f" WHERE project_id IN {self._names} AND superseded_at IS NULL"
        )
        if not self._settled:
            return int(self.db.execute(query, self.names).fetchone()[0])
        others = self.db.execute("PRAGMA data_version").fetchone()[0]
        state = (others, self.db.total_changes, self.names)
        if state not in self.store.counted:
            count = self.db.execute(query, self.names).fetchone()[0]
            self.store.counted = {state: int(count)}
        return self.store.counted[state]

    def counts(self, question: Question) -> dict[str, int]:
        """Count the records that hold each term, and each day, up to a bound."""
        counts = {term.text: 0 for term in question.terms}
        marks = ", ".join(["(?)"] * len(counts))
        for number in self._numbers() if counts else ():
            rows = self.db.execute(
                f"""
                WITH asked(term) AS (VALUES {marks})
                SELECT a.term,
                       (SELECT count(*) FROM (
                          SELECT 1 FROM record_terms t
                           WHERE t.namespace = ? AND t.term = a.term LIMIT ?))
                  FROM asked a
                """,
                (*list(counts)[: len(question.terms)], number, MOST_COUNTED),
            )
            for term, count in rows:
                counts[term] += count
        for day in question.days:
            condition, values = self._on_day(day)
            query = f"SELECT count(*) FROM records WHERE {condition}"
            counts[day] = self.db.execute(query, values).fetchone()[0]
        return counts

    def by_index(
        self, sought: Sought, needed: Needs, *, brief: bool
    ) -> Iterator[Candidate]:
        """Give what the index holds of these terms, the best match first.

        `brief` gives only what decides their places; the rest is for `whole`.
        """
        query, values = self._wide(sought) if sought.wide else self._hits(sought)
        matched = self.db.execute(query, (*values, round(UNIT * needed.least)))
        size = _FEWEST_AT_ONCE
        while batch := matched.fetchmany(size):
            held = {
                record: (score, Evidence(gained / UNIT, named, best / UNIT))
                for record, score, gained, named, best in batch
            }
            wanted = [
                at for at, (_, found) in held.items() if needed.may_be_met_by(found)
            ]
            rows = self._indexed(wanted, brief=brief)
            for at in wanted:
                if at in rows:
                    score, found = held[at]
                    yield Candidate(rows[at], score / UNIT / UNIT, found)
            size = min(2 * size, _MOST_AT_ONCE)

    def whole(self, rowids: Sequence[int]) -> dict[int, Record]:
        """Read some rows that were found."""
        marks = ", ".join("?" * len(rowids))
        query = f"SELECT {COLUMNS} FROM {FROM} WHERE r.rowid IN ({marks})"
        return {row["rowid"]: record_of(row) for row in self.db.execute(query, rowids)}

    def _indexed(
        self, rowids: Sequence[int], *, brief: bool
    ) -> Mapping[int, Record | Brief]:
        """Read those of some rows that may be found and that the index has as they are.

        The sign keeps SQLite from walking a whole namespace in search of a few rows.
        """
        condition, values = self._condition("+")
        rows = self.db.execute(
            f"""
            SELECT r.rowid, r.id, r.type, r.title, r.pinned, r.confidence, r.recorded_at
              FROM records r
             WHERE r.rowid IN ({", ".join("?" * len(rowids))}) AND {condition}
               AND r.rowid NOT IN (SELECT record FROM unindexed_records)
            """,
            (*rowids, *values),
        )
        found = {row[0]: Brief(*row) for row in rows}
        return found if brief else self.whole(list(found))

    def unindexed(self, question: Question) -> tuple[list[Record], bool]:
        """Give records that plain SQL wrote, as far as they may answer.

        The flag says whether the full text could be read, needed or not.
        """
        only = "AND r.rowid IN (SELECT record FROM unindexed_records)"
        count = self.db.execute(
            "SELECT count(*) FROM (SELECT 1 FROM unindexed_records LIMIT ?)",
            (MOST_READ + 1,),
        ).fetchone()[0]
        found: list[Record] = []
        try:
            if count > MOST_READ and is_spaced(question):
                return self.by_full_text(question, only), True
            self._probe()
            readable = True
        except DatabaseError:
            readable = False
        if count > MOST_READ:
            found = self.by_like(question, only)
        elif count:
            found = self._rows(only, ())
        return found, readable

    def by_full_text(self, question: Question, further: str = "") -> list[Record]:
        """Read the rows that FTS5 finds; every term is quoted, so all are words."""
        if not self.store.full_text:
            raise DatabaseError
        words = " OR ".join(f'"{_stump(term)}"*' for term in question.terms)
        found = (
            "AND r.rowid IN (SELECT rowid FROM records_fts WHERE records_fts MATCH ?)"
        )
        return self._rows(f"{found} {further}", (words,)) if words else []

    def by_like(self, question: Question, further: str = "") -> list[Record]:
        """Read the rows that hold the beginning of some term."""
        named = [term for term in question.terms if not term.common] or question.terms
        shapes: dict[str, None] = {}
        for term in named[:_LIKE_TERMS]:
            shapes.update(dict.fromkeys(_cases(_stump(term))))
        if not shapes:
            return []
        parts = " OR ".join(
            [r"r.title LIKE ? ESCAPE '\' OR r.body LIKE ? ESCAPE '\'"] * len(shapes)
        )
        given = [f"%{_escaped(shape)}%" for shape in shapes for _ in range(2)]
        return self._rows(f"AND ({parts}) {further}", given)

    def titled(self, words: Sequence[str]) -> list[Record]:
        """Read the newest current rows whose titles hold all of some words."""
        if not (words and self.filters.moment.is_present):
            return []
        found, given = "", list[object](self.names)
        for word in words:
            shapes = _cases(word)
            parts = " OR ".join([r"title LIKE ? ESCAPE '\'"] * len(shapes))
            found += f" AND ({parts})"
            given += [f"%{_escaped(shape)}%" for shape in shapes]
        further = (
            "AND r.rowid IN (SELECT rowid FROM records"
            f" WHERE project_id IN {self._names} AND superseded_at IS NULL {found})"
        )
        return self._rows(further, given)[:MOST_TITLED]

    def newest(self) -> Iterator[Record]:
        """Read what may be found at all, the newest first."""
        condition, values = self._condition()
        rows = self.db.execute(
            f"""
              SELECT {COLUMNS} FROM {FROM}
               WHERE {condition}
            ORDER BY r.recorded_at DESC, r.id DESC
            """,
            values,
        )
        while batch := rows.fetchmany(_FEWEST_AT_ONCE):
            found = [record_of(row) for row in batch]
            yield from holds_at(self.db, found, self.filters.moment)

    def by_words(self, words: Sequence[str]) -> list[Record]:
        """Read the newest rows that hold each of some words as it stands."""
        if not self.store.full_text:
            raise DatabaseError
        quoted = " AND ".join('"' + word.replace('"', " ") + '"' for word in words)
        further = (
            "AND r.rowid IN (SELECT rowid FROM records_fts WHERE records_fts MATCH ?)"
        )
        return self._rows(further, (quoted,))

    def pinned(self) -> list[Record]:
        """Read what is pinned, the newest first."""
        return self._rows("AND r.pinned = 1", ())

    def _probe(self) -> None:
        """Raise when the full text cannot be asked."""
        if not self.store.full_text:
            raise DatabaseError
        query = "SELECT rowid FROM records_fts WHERE records_fts MATCH ? LIMIT 1"
        self.db.execute(query, ('"x"',)).fetchone()

    def _numbers(self) -> list[int]:
        query = f"SELECT number FROM namespaces WHERE project_id IN {self._names}"
        return [row[0] for row in self.db.execute(query, self.names)]

    def _hits(self, sought: Sought) -> tuple[str, list[object]]:
        """Say in SQL what holds a term, and which of the best hold the added ones."""
        asked, entries = self._asked("asked", sought.first)
        days, on_days = self._days(sought.first)
        found = f"""
            {asked}, {{}}({_HIT}) AS (
              SELECT t.record, t.weight * a.idf, a.information, a.named, a.best
                FROM asked a CROSS JOIN record_terms t
                  ON t.namespace = a.namespace AND t.term = a.term
              {days})"""
        summed = """
              SELECT record, SUM(score) AS score, SUM(information), SUM(named),
                     MAX(best)
                FROM hits
            GROUP BY record
              HAVING SUM(named) >= 1 AND SUM(information) >= ?
            ORDER BY score DESC, record"""
        if not sought.added:
            return f"WITH {found.format('hits')} {summed}", [*entries, *on_days]
        further, more = self._asked("further", sought.added)
        query = f"""
            WITH {found.format("found")}, {further},
            led(record) AS (
              SELECT record FROM found
               GROUP BY record ORDER BY SUM(score) DESC, record LIMIT {MOST_LED}),
            hits({_HIT}) AS (
              SELECT * FROM found
               UNION ALL
              SELECT t.record, t.weight * a.idf, a.information, a.named, a.best
                FROM led l CROSS JOIN further a CROSS JOIN record_terms t
                  ON t.namespace = a.namespace AND t.term = a.term
                 AND t.record = l.record)
            {summed}"""
        return query, [*entries, *on_days, *more]

    def _wide(self, sought: Sought) -> tuple[str, list[object]]:
        """Say in SQL what holds any of some common terms, as far as can be read.

        Of so many entries two sums are made, not four: what one term tells is no
        matter here.
        """
        terms = [term for term in sought.all if not term.asked.day]
        numbers = self._numbers()
        most = MOST_WIDE // max(1, len(terms) * len(numbers))
        one = """
              SELECT * FROM (
                SELECT record, weight * ?, ? FROM record_terms
                 WHERE namespace = ? AND term = ? ORDER BY record DESC LIMIT ?)"""
        values: list[object] = []
        for number in numbers:
            for term in terms:
                idf, information, named, _ = _parts(term)
                tally = information * _NAMED + named
                values += [idf, tally, number, term.asked.text, most]
        union = " UNION ALL ".join([one] * (len(terms) * len(numbers)))
        query = f"""
            WITH hits(record, score, tally) AS ({union}),
                 sums(record, score, tally) AS (
                   SELECT record, SUM(score), SUM(tally) FROM hits GROUP BY record)
              SELECT record, score, tally / {_NAMED}, tally % {_NAMED}, 0 FROM sums
               WHERE tally % {_NAMED} >= 1 AND tally / {_NAMED} >= ?
            ORDER BY score DESC, record"""
        return query, values

    def _asked(self, name: str, terms: Sequence[Weighed]) -> tuple[str, list[object]]:
        """Give terms as a table in SQL."""
        entries = self._entries(terms)
        marks = ", ".join([f"({', '.join('?' * _ENTRY)})"] * (len(entries) // _ENTRY))
        columns = "namespace, term, idf, information, named, best"
        return f"{name}({columns}) AS (VALUES {marks})", entries

    def _entries(self, sought: Sequence[Weighed]) -> list[object]:
        """Give the rows of terms to join with; one that matches nothing at least."""
        entries: list[object] = []
        for number in self._numbers():
            for term in sought:
                if not term.asked.day:
                    entries += [number, term.asked.text, *_parts(term)]
        return entries or [0, "", 0, 0, 0, 0]

    def _days(self, sought: Sequence[Weighed]) -> tuple[str, list[object]]:
        """Give the hits of the days asked for as further rows in SQL."""
        parts, values = [], list[object]()
        for term in sought:
            if term.asked.day:
                condition, given = self._on_day(term.asked.text)
                parts.append(
                    f"UNION ALL SELECT rowid, ?, ?, ?, ? FROM records WHERE {condition}"
                )
                idf, *rest = _parts(term)
                values += [OWN_DAY * idf, *rest, *given]
        return " ".join(parts), values

    def _on_day(self, day: str) -> tuple[str, list[object]]:
        start = len("2026-") + 1 if len(day) == len("05-02") else 1
        condition = f"project_id IN {self._names} AND substr(valid_from, ?, ?) = ?"
        return condition, [*self.names, start, len(day), day]

    def _condition(self, prefix: str = "") -> tuple[str, list[object]]:
        """Say in SQL which rows may be found at all."""
        parts = [f"{prefix}r.project_id IN {self._names}"]
        values = list[object](self.names)
        hidden = self._left_out()
        if hidden:
            parts.append(f"{prefix}r.id NOT IN ({', '.join('?' * len(hidden))})")
            values += hidden
        if self.filters.superseded:
            parts.append("r.superseded_at IS NOT NULL")
        elif self.filters.moment.is_present:
            parts.append("r.superseded_at IS NULL")
        if self.filters.type is not None:
            parts.append("r.type = ?")
            values.append(self.filters.type)
        if self.filters.file is not None:
            parts.append(
                "r.id IN (SELECT e.record_id FROM record_entities e"
                " JOIN nodes n ON n.id = e.entity_id"
                " WHERE n.project_id = ? AND n.kind = 'file' AND n.name = ?)"
            )
            name = repo_path(self.filters.file) or ""
            values += [self.project_id, name.encode(errors="replace").decode()]
        return " AND ".join(parts), values

    def _left_out(self) -> tuple[str, ...]:
        """Give the records that the branches asked about have others in place of."""
        if self._hidden is None:
            past = self.filters.replaced or not self.filters.moment.is_present
            staging = () if past else self.filters.staging
            found = {one for own in staging for one in hidden_on(self.db, own)}
            self._hidden = tuple(sorted(found))
        return self._hidden

    def _rows(self, further: str, given: Sequence[object]) -> list[Record]:
        """Read the newest rows that may be found, and hold for the moment."""
        condition, values = self._condition()
        rows = self.db.execute(
            f"""
              SELECT {COLUMNS} FROM {FROM}
               WHERE {condition} {further}
            ORDER BY r.recorded_at DESC, r.id
               LIMIT {MOST_READ}
            """,
            (*values, *given),
        )
        records = [record_of(row) for row in rows]
        if self.filters.superseded:
            return records
        return holds_at(self.db, records, self.filters.moment)


def is_spaced(question: Question) -> bool:
    """Say whether FTS5's own tokenizer can find every term of a question."""
    return all(term.text.isascii() for term in question.terms)


def _parts(term: Weighed) -> list[int]:
    """Give what SQL sums up for a matched term, as whole numbers."""
    information = round(UNIT * term.information)
    named = int(not term.asked.common)
    return [round(UNIT * term.worth), information, named, information * named]


def _stump(term: Asked) -> str:
    return stump(term.text.replace('"', " "))


def _cases(text: str) -> tuple[str, ...]:
    """Give the ways a word is written; LIKE folds the case of ASCII only."""
    return (text,) if text.isascii() else (text, text.capitalize(), text.upper())


def _escaped(text: str) -> str:
    for sign in "\\%_":
        text = text.replace(sign, f"\\{sign}")
    return text
