"""Records to search, and what searches of them give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.clock import stamp
from agentctx.records.model import NewRecord
from agentctx.records.search import (
    Filters,
    search_records,
)
from agentctx.records.write import (
    add_record,
)

if TYPE_CHECKING:
    from agentctx.records.model import Record
    from agentctx.records.store import Store

PROJECT, OTHER = "a" * 64, "b" * 64

FACTS = (
    ("Retries back off exponentially", "The uploader waits 2, 4 and 8 seconds."),
    ("Use SQLite for the ledger", "Postgres was too much to operate for one table."),
    ("Name migrations by date", "A file is called 2026_03_01_add_column.sql."),
    ("RecordStore keeps one connection", "Threads share it; see `open_record_store`."),
    ("日志写入本地时区", "用户要求报表按本地时间显示, 不用 UTC。"),
    ("デプロイは金曜日に行わない", "週末の障害対応を避けるため。"),
    ("Кэш живёт пять минут", "Дольше нельзя: цены меняются."),
    ("Tests run with a fixed clock", "Sleeping in a test is refused by review."),
)


def keep(
    store: Store, title: str, body: str, *, project: str = PROJECT, **more: str
) -> Record:
    new = NewRecord(
        type=more.pop("type", "discovery"), title=title, body=body, source="cli"
    )
    return add_record(store, project, new._replace(**more)).record  # type: ignore[arg-type]


def titles(
    store: Store, query: str, *, filters: Filters | None = None, limit: int = 10
) -> list[str]:
    answer = search_records(
        store, PROJECT, query, filters=filters or Filters(), limit=limit
    )
    assert answer.degraded is None
    return [found.record.title for found in answer.results]


def prompted(store: Store, prompt: str) -> list[str]:
    answer = search_records(store, PROJECT, prompt, limit=3, floor="prompt")
    return [found.record.title for found in answer.results]


def plain_row(store: Store, title: str, body: str, number: int = 0) -> str:
    """Insert a row as somebody with SQL would."""
    record_id = f"01PLAIN{number:019}"
    now = stamp(store.clock())
    with store.writing() as tx:
        tx.execute(
            "INSERT INTO records (id, project_id, type, title, body, valid_from,"
            " recorded_at, source, confidence)"
            " VALUES (?, ?, 'decision', ?, ?, ?, ?, 'cli', 'explicit')",
            (record_id, PROJECT, title, body, now, now),
        )
    return record_id
