"""The derived index of a store: the terms of every record, in every script (A3.1).

Terms are those of `corpus.lexical`. The weight of a term in a record is its BM25
factor in thousandths, with fixed parameters, so that a record's entries depend on
nothing but the record. Rows that plain SQL wrote are indexed at our next write.
"""

from __future__ import annotations

from collections import Counter

from corpus.lexical import terms
from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from corpus.sqlite import Db, Tx

K1, B = 1.2, 0.4
"""BM25's parameters (Robertson and Zaragoza 2009): records are short and alike."""

USUAL_LENGTH = 60
"""The length, in terms, of the record that is neither long nor short."""

TITLE_COUNTS = 2
"""A term of the title counts as often as this."""

MOST_AT_ONCE = 500
"""Rows of plain SQL that one of our writes indexes along the way."""


def weights(title: str, body: str) -> dict[str, int]:
    """Give each term of a record and its weight in thousandths."""
    counts: Counter[str] = Counter()
    for text, times in ((title, TITLE_COUNTS), (body, 1)):
        for term in terms(text):
            counts[term] += times
    length = counts.total()
    norm = K1 * (1 - B + B * length / USUAL_LENGTH)
    return {
        term: round(1000 * count * (K1 + 1) / (count + norm))
        for term, count in counts.items()
    }


def namespace_number(tx: Tx, project_id: str) -> int:
    """Give the number of a namespace, making one on first need."""
    query = "SELECT number FROM namespaces WHERE project_id = ?"
    row = tx.execute(query, (project_id,)).fetchone()
    if row is not None:
        return int(row[0])
    tx.execute(
        """
        INSERT INTO namespaces (project_id, number)
        SELECT ?, COALESCE(MAX(number), 0) + 1 FROM namespaces
        """,
        (project_id,),
    )
    return int(tx.execute(query, (project_id,)).fetchone()[0])


def index_record(tx: Tx, rowid: int, project_id: str, title: str, body: str) -> None:
    """Put one record into the index, in place of what it had there."""
    unindex_record(tx, rowid)
    namespace = namespace_number(tx, project_id)
    found = weights(title, body)
    tx.executemany(
        "INSERT INTO record_terms (namespace, term, record, weight)"
        " VALUES (?, ?, ?, ?)",
        ((namespace, term, rowid, weight) for term, weight in sorted(found.items())),
    )
    tx.execute(
        "INSERT INTO indexed_records (record, namespace, terms) VALUES (?, ?, ?)",
        (rowid, namespace, "\n".join(sorted(found))),
    )
    tx.execute("DELETE FROM unindexed_records WHERE record = ?", (rowid,))


def unindex_record(tx: Tx, rowid: int) -> None:
    """Take one record out of the index."""
    tx.execute("DELETE FROM unindexed_records WHERE record = ?", (rowid,))
    row = tx.execute(
        "SELECT namespace, terms FROM indexed_records WHERE record = ?", (rowid,)
    ).fetchone()
    if row is None:
        return
    tx.executemany(
        "DELETE FROM record_terms WHERE namespace = ? AND term = ? AND record = ?",
        ((row["namespace"], term, rowid) for term in row["terms"].split("\n")),
    )
    tx.execute("DELETE FROM indexed_records WHERE record = ?", (rowid,))


def index_missing(tx: Tx, *, limit: int | None = MOST_AT_ONCE) -> int:
    """Index rows that somebody else wrote or changed; give how many there were."""
    rows = tx.execute(
        """
           SELECT u.record, r.project_id, r.title, r.body
             FROM unindexed_records u LEFT JOIN records r ON r.rowid = u.record
         ORDER BY u.record
            LIMIT ?
        """,
        (-1 if limit is None else limit,),
    ).fetchall()
    entries: list[tuple[int, str, int, int]] = []
    numbers: dict[str, int] = {}
    for row in rows:
        record, project_id = row["record"], row["project_id"]
        unindex_record(tx, record)
        if row["title"] is None:
            continue
        if project_id not in numbers:
            numbers[project_id] = namespace_number(tx, project_id)
        found = weights(row["title"], row["body"])
        entries += [
            (numbers[project_id], term, record, weight)
            for term, weight in found.items()
        ]
        tx.execute(
            "INSERT INTO indexed_records (record, namespace, terms) VALUES (?, ?, ?)",
            (record, numbers[project_id], "\n".join(sorted(found))),
        )
    entries.sort()  # in the order of the index many are put in at once
    tx.executemany(
        "INSERT INTO record_terms (namespace, term, record, weight)"
        " VALUES (?, ?, ?, ?)",
        entries,
    )
    return len(rows)


def has_missing(db: Db) -> bool:
    """Say whether some row is not in the index as it is now."""
    return db.execute("SELECT 1 FROM unindexed_records").fetchone() is not None


def rebuild(tx: Tx) -> int:
    """Make the whole index anew; give how many records it holds."""
    tx.execute("DELETE FROM record_terms")
    tx.execute("DELETE FROM indexed_records")
    tx.execute("DELETE FROM unindexed_records")
    tx.execute("INSERT INTO unindexed_records (record) SELECT rowid FROM records")
    return index_missing(tx, limit=None)
