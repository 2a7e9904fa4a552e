"""Take an export into an empty memory: all of it, or nothing (M11.9).

A file is somebody's file: ids, times and texts are checked, secrets are taken out, and
the database's own rules hold. What was open or leased when it was written is ended or
waits again.
"""

from __future__ import annotations

import json
import re
import sqlite3
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from agentctx.clock import moment_of
from agentctx.memory.exporting import FORMAT, FORMAT_VERSION, JSON_SUFFIX, TABLES
from agentctx.memory.items import identity, items
from agentctx.memory.model import MAX_SCOPE_PATHS, Meaning
from agentctx.memory.queueing import queue_turn
from agentctx.memory.rawtext import dumped, is_inside, raw
from agentctx.memory.recallindex import index_item
from agentctx.memory.refusals import MemoryRuleError
from agentctx.memory.store import fence_of
from agentctx.smallfile import small_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentctx.memory.model import TurnId
    from agentctx.memory.store import MemoryStore, Writing

MOST_BYTES = 512 * 1024 * 1024

_ID = re.compile("(?:thread|turn|job|candidate|memory)_[0-9a-f]{32}(?:_r[1-9][0-9]*)?")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_IDS = frozenset(
    [
        "id",
        "thread_id",
        "turn_id",
        "extraction_job_id",
        "candidate_id",
        "item_id",
        "logical_id",
        "replaced_by_id",
    ]
)
_TEXTS = frozenset(
    [
        "compaction",
        "user_text",
        "assistant_text",
        "subject",
        "statement",
        "content",
        "quote",
        "intent",
        "session_id",
    ]
)
_LISTS = frozenset(
    ["scope_paths", "evidence_keys", "applies_to_paths", "aliases", "keywords"]
)

_PATHS = frozenset(["scope_paths", "applies_to_paths"])
_NUMBERS = frozenset(
    [
        "compaction_sequence",
        "sequence",
        "late_refused",
        "claim_count",
        "provider_calls",
        "revision",
        "pinned",
    ]
)
MOST = 1_000_000_000
"""More than anything here is counted to."""

SESSION_CHARACTERS = 200

Row = dict[str, object]


class Imported(NamedTuple):
    """How much was taken in."""

    threads: int
    turns: int
    items: int


def import_memory(store: MemoryStore, path: str) -> Imported:
    """Take in the export at `path`; `MemoryRuleError` says what is wrong with it.

    Only into a memory without a turn and without an item.
    """
    whole = _parsed(path)
    with store.writing() as writing:
        _require_empty(writing)
        writing.tx.execute("DELETE FROM threads")
        counts = {}
        for name, (table, columns) in TABLES.items():
            rows = whole.get(name)
            if not isinstance(rows, list):
                _refuse(f"`{name}` is no list", "import_format")
            counts[name] = len(rows)
            for row in rows:
                _insert(writing, table, _checked(row, columns))
        _settle(writing)
    return Imported(counts["threads"], counts["turns"], counts["items"])


def _parsed(path: str) -> Mapping[str, object]:
    content = small_bytes(path, limit=MOST_BYTES)
    if content is None:
        _refuse("it is no file that can be read", "import_file")
    try:
        whole = json.loads(content)
    except (ValueError, RecursionError):
        _refuse("it is not JSON", "import_format")
    if not isinstance(whole, dict) or whole.get("format") != FORMAT:
        _refuse("it is no export of a memory", "import_format")
    if whole.get("version") != FORMAT_VERSION:
        _refuse("its version is not known", "import_version")
    return whole


def _require_empty(writing: Writing) -> None:
    held = writing.tx.execute(
        "SELECT EXISTS (SELECT 1 FROM turns) OR EXISTS (SELECT 1 FROM memory_items)"
    ).fetchone()[0]
    if held:
        _refuse("an export is taken into an empty memory alone", "import_not_empty")


def _checked(row: object, columns: str) -> Row:
    """Check the values of a row whose shape the database cannot."""
    names = [one.strip() for one in columns.split(",")]
    if not isinstance(row, dict):
        _refuse("a row is no object", "import_format")
    if row.keys() != {one.removesuffix(JSON_SUFFIX) for one in names}:
        _refuse("a row lacks a field or has one too many", "import_format")
    return {
        name: _value(
            name.removesuffix(JSON_SUFFIX), row[name.removesuffix(JSON_SUFFIX)]
        )
        for name in names
    }


def _value(name: str, value: object) -> object:
    if value is None:
        return None
    if name in _IDS and not (isinstance(value, str) and _ID.fullmatch(value)):
        _refuse("an id has another shape", "import_id")
    if name.endswith("_at") and not _is_time(value):
        _refuse("a time has another shape", "import_time")
    if name in _LISTS:
        return _list(name, value)
    if name == "payload":
        return json.dumps(_payload(value), separators=(",", ":"))
    if name in _NUMBERS:
        return _number(name, value)
    if not isinstance(value, str):
        _refuse(f"`{name}` is no text", "import_format")
    if name == "session_id" and not 0 < len(value) <= SESSION_CHARACTERS:
        _refuse("a session's id has 1 to 200 characters", "import_session")
    return raw(value) if name in _TEXTS else value


def _list(name: str, value: object) -> str:
    if not isinstance(value, list) or not all(isinstance(x, str) for x in value):
        _refuse(f"`{name}` is no list of texts", "import_format")
    if name in _PATHS and not all(map(is_inside, value)):
        _refuse(f"`{name}` names what is not in the project", "import_path")
    if name == "applies_to_paths":
        value = sorted(set(value))
    most = MAX_SCOPE_PATHS if name == "scope_paths" else None
    return dumped(raw(one) for one in value[:most])


def _number(name: str, value: object) -> int:
    if type(value) is not int or not 0 <= value <= MOST:
        _refuse(f"`{name}` is no number that memory counts to", "import_number")
    return value


def _is_time(value: object) -> bool:
    """Say whether a value is a stamp of a day that there is."""
    if not (isinstance(value, str) and _TIME.fullmatch(value)):
        return False
    try:
        moment_of(value)
    except ValueError:
        return False
    return True


def _payload(value: object) -> dict[str, list[str]]:
    if not isinstance(value, dict) or not value.keys() <= {
        "derived_from",
        "candidate_ids",
    }:
        _refuse("a job's payload is another's", "import_format")
    for listed in value.values():
        if not isinstance(listed, list) or not all(
            isinstance(one, str) and _ID.fullmatch(one) for one in listed
        ):
            _refuse("a job's payload is another's", "import_format")
    return value


def _insert(writing: Writing, table: str, row: Row) -> None:
    if table == "memory_jobs":
        row["generation"] = fence_of(writing.tx).generation
        if row["status"] in {"leased", "retry_wait"}:
            row |= {"status": "pending", "claim_count": 0}
    if table == "turns" and row["state"] == "open":
        row["state"] = "interrupted"
    if table == "memory_items":
        row["identity"] = row["id"]
    names = ", ".join(row)
    marks = ", ".join(f":{name}" for name in row)
    try:
        writing.tx.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", row)
    except (sqlite3.IntegrityError, OverflowError, UnicodeEncodeError):
        _refuse(f"a row of `{table}` breaks the rules of memory", "import_rows")


def _settle(writing: Writing) -> None:
    """Make what is derived: identities, the index, and jobs for all ended turns."""
    try:
        for item in items(writing.tx, every=True):
            writing.tx.execute(
                "UPDATE memory_items SET identity = ? WHERE id = ?",
                (identity(_sorted(item.meaning), item.thread_id), item.id),
            )
            if item.status == "active":
                index_item(writing.tx, item)
    except sqlite3.IntegrityError:
        _refuse("two active items are about the same", "import_rows")
    twice = writing.tx.execute(
        "SELECT 1 FROM memory_items WHERE status = 'active'"
        " GROUP BY logical_id HAVING count(*) > 1"
    ).fetchone()
    if twice is not None:
        _refuse("an item has two live revisions", "import_rows")
    active = writing.tx.execute(
        "SELECT count(*) FROM threads WHERE status = 'active'"
    ).fetchone()[0]
    broken = writing.tx.execute("PRAGMA foreign_key_check").fetchone()
    if active != 1 or broken is not None:
        _refuse("it lacks its active thread, or rows point to nothing", "import_rows")
    unqueued = writing.tx.execute(
        "SELECT id FROM turns t WHERE NOT EXISTS"
        " (SELECT 1 FROM memory_jobs WHERE turn_id = t.id)"
    ).fetchall()
    for row in unqueued:
        turn_id: TurnId = row["id"]
        queue_turn(writing, turn_id)


def _sorted(meaning: Meaning) -> Meaning:
    return meaning._replace(applies_to_paths=tuple(sorted(meaning.applies_to_paths)))


def _refuse(reason: str, rule: str) -> NoReturn:
    raise MemoryRuleError(reason=reason, rule=rule) from None
