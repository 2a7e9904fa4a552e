"""Whole rows put back as they were: after a deletion, from a file, out of a wreck.

What comes in was checked by the caller; the tables' own checks stand behind it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.records.model import Record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from corpus.sqlite import Tx

    Cell = str | int | float | bytes | None

RECORD_COLUMNS = Record._fields[1:21]
"""The columns of `records`, in their order."""

PROVENANCE_COLUMNS = ("record_id", "trust", "confirmed", "key", "rationale", "quote")

LATE = "superseded_by"
"""The column that points to another record, which may come later."""


def put_record(
    tx: Tx, columns: Mapping[str, Cell], provenance: Mapping[str, Cell] | None
) -> None:
    """Insert a row of `records`, pointing to no other, and where it comes from."""
    values = {**columns, LATE: None}
    put_row(tx, "records", RECORD_COLUMNS, values)
    if provenance is not None:
        put_row(tx, "provenance", PROVENANCE_COLUMNS, provenance)


def put_row(
    tx: Tx, table: str, columns: Sequence[str], values: Mapping[str, Cell]
) -> None:
    """Insert a row; IntegrityError where a check of the table refuses it."""
    marks = ", ".join("?" * len(columns))
    tx.execute(
        f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})",
        tuple(values[name] for name in columns),
    )


def put_row_if_new(
    tx: Tx, table: str, columns: Sequence[str], values: Mapping[str, Cell]
) -> None:
    """Insert a row unless one like it is there already."""
    marks = ", ".join("?" * len(columns))
    tx.execute(
        f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) VALUES ({marks})",
        tuple(values[name] for name in columns),
    )


def point_to_successor(tx: Tx, record_id: str, successor: str) -> bool:
    """Let a record point to the one that replaced it, where that one exists."""
    changed = tx.execute(
        """
        UPDATE records SET superseded_by = :successor
         WHERE id = :id AND superseded_at IS NOT NULL AND superseded_by IS NULL
           AND EXISTS (SELECT 1 FROM records WHERE id = :successor)
        """,
        {"id": record_id, "successor": successor},
    )
    return changed.rowcount > 0
