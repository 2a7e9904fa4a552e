"""Facts to record, and everything that a store holds, to compare."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.records.model import NewRecord, Replacement
from agentctx.records.write import add_record, supersede_record

if TYPE_CHECKING:
    from agentctx.records.model import Record
    from agentctx.records.store import Store

HERE, ELSEWHERE = "a" * 64, "b" * 64
"""Two projects."""

EVERY = "SELECT * FROM "
DERIVED = {"record_terms", "indexed_records", "unindexed_records", "namespaces"}


def fact(title: str, body: str = "", **more: object) -> NewRecord:
    """Make a decision of the developer's, if nothing else is said."""
    values = {"type": "decision", "source": "cli", **more}
    text = body or f"{title}, as was agreed."
    return NewRecord(title=title, body=text, **values)  # type: ignore[arg-type]


def heard(title: str, body: str = "", **more: object) -> NewRecord:
    """Make a discovery that a model extracted."""
    values = {
        "type": "discovery",
        "source": "llm_extraction",
        "trust": "model",
        "confidence": "inferred",
        **more,
    }
    return fact(title, body, **values)


def add(store: Store, title: str, body: str = "", **more: object) -> Record:
    """Record a fact of the project `HERE`."""
    return add_record(store, HERE, fact(title, body, **more)).record


def replace(store: Store, old: Record, body: str) -> Record:
    """Supersede a record, as the developer."""
    new = Replacement(body=body, source="cli", trust="developer")
    return supersede_record(store, HERE, old.id, new).record


def dump(store: Store, *, derived: bool = False) -> dict[str, list[tuple[object, ...]]]:
    """Give every row of every table, sorted; of what is derived, if wanted."""
    names = [
        row[0]
        for row in store.db.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql IS NOT NULL"
            " AND name NOT LIKE 'records_fts%' ORDER BY name"
        )
    ]
    return {
        name: sorted(map(tuple, store.db.execute(EVERY + name)), key=repr)
        for name in names
        if name not in {"state", "changes"} and (derived or name not in DERIVED)
    }
