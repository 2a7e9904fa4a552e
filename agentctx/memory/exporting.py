"""A snapshot of memory as one JSON file: whole, new, and for the user alone (M8.5).

It holds the turns, every relation that an audit needs, and how jobs failed, in closed
words; no lease, and nothing of what a model or a provider answered.
"""

from __future__ import annotations

import errno
import json
import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

from agentctx.clock import stamp
from agentctx.memory.names import FOLDER
from agentctx.memory.refusals import MemoryRuleError
from agentctx.memory.schema import VERSION
from agentctx.privatefile import (
    ABANDONED,
    make_private_folder,
    name_stage,
    remove_stages,
)
from corpus.errors import StoreUnusableError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from typing import TextIO

    from agentctx.memory.store import MemoryStore
    from corpus.sqlite import Db

FORMAT, FORMAT_VERSION = "agentctx-memory-export", 1
EXPORTS = "memory-exports"

_MEANING = (
    "kind, subject, statement, content, strength, origin, recall_mode,"
    " applies_to_paths_json, aliases_json, keywords_json"
)
TABLES: dict[str, tuple[str, str]] = {
    "threads": (
        "threads",
        "id, status, compaction, compaction_sequence, created_at, archived_at",
    ),
    "turns": (
        "turns",
        (
            "id, thread_id, sequence, profile, intent, session_id, user_text,"
            " assistant_text, scope_paths_json, evidence_keys_json, state, error_code,"
            " late_refused, created_at, updated_at"
        ),
    ),
    "jobs": (
        "memory_jobs",
        (
            "id, kind, thread_id, turn_id, payload_json, idempotency_key, status,"
            " claim_count, provider_calls, failure_class, failure_phase, failure_call,"
            " failure_rule, created_at, updated_at, completed_at"
        ),
    ),
    "candidates": (
        "memory_candidates",
        f"id, extraction_job_id, thread_id, {_MEANING}, status, created_at, updated_at",
    ),
    "sources": ("candidate_sources", "candidate_id, turn_id, role, quote"),
    "items": (
        "memory_items",
        (
            f"id, logical_id, revision, thread_id, {_MEANING}, status, replaced_by_id,"
            " pinned, created_at, updated_at"
        ),
    ),
    "item_candidates": ("memory_item_candidates", "item_id, candidate_id"),
    "forgotten_quotes": ("forgotten_quotes", "turn_id, role, quote"),
}
"""The lists of an export: the table each is of, and the columns it holds."""

JSON_SUFFIX = "_json"
"""What ends the name of a column whose text is JSON; an export holds the value."""

_STAGE = "memory-export"
_MOST_NAMES = 10_000
_PRIVATE = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
)


def export_memory(store: MemoryStore, out: str | None = None) -> str:
    """Write a snapshot to a file that did not exist; give its path.

    The file has its name only once it is whole. `out` names it, else it is named by
    the moment and a number. `MemoryRuleError` where something has the name.
    """
    now = store.clock()
    try:
        if out is None:
            folder = f"{store.root}/{FOLDER}/{EXPORTS}"
            make_private_folder(folder)
            if not stat.S_ISDIR(os.lstat(folder).st_mode):
                raise NotADirectoryError(errno.ENOTDIR, f"`{EXPORTS}` is no folder")
        else:
            folder = os.path.dirname(os.path.abspath(out))  # noqa: PTH100, PTH120 - text
        number, stage = _stage(folder)
        try:
            with os.fdopen(number, "w", encoding="utf-8", newline="\n") as stream:
                with store.looking() as db:
                    _write(stream, db, now)
                stream.flush()
                changed = os.fstat(stream.fileno()).st_mtime - ABANDONED
                remove_stages(f"{folder}/{_STAGE}", changed_before=changed)
                os.fsync(stream.fileno())
            return _named(stage, out, folder, now)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(stage)  # noqa: PTH108 - text
    except OSError as error:
        raise StoreUnusableError(reason=error.strerror or "EIO") from None


def _stage(folder: str) -> tuple[int, str]:
    """Make the private file that is written; it is nobody else's.

    What exports that were killed left long ago goes first.
    """
    for number in range(_MOST_NAMES):
        path = f"{folder}/.{_STAGE}.{os.getpid()}{number:05}.stage"
        with suppress(FileExistsError):
            return os.open(path, _PRIVATE, 0o600), path  # noqa: TID251 - a new file
    raise FileExistsError(folder)


def _named(stage: str, out: str | None, folder: str, now: datetime) -> str:
    """Give the whole file a name that nothing has."""
    if out is not None:
        with suppress(FileExistsError):
            name_stage(stage, out)
            return out
        raise MemoryRuleError(
            reason="an export overwrites nothing, and there is something already",
            rule="export_exists",
        )
    digits = stamp(now).replace("-", "").replace(":", "").replace(".", "")
    for number in range(1, _MOST_NAMES):
        more = "" if number == 1 else f"-{number}"
        path = f"{folder}/memory-{digits}{more}.json"
        with suppress(FileExistsError):
            name_stage(stage, path)
            return path
    raise FileExistsError(folder)


def _write(stream: TextIO, db: Db, now: datetime) -> None:
    head = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "schema_version": VERSION,
        "generation": _generation(db),
        "exported_at": stamp(now),
    }
    stream.write(f"{_json(head)[:-1]}")
    for name, (table, columns) in TABLES.items():
        stream.write(f',\n"{name}": [')
        stream.writelines(
            f"{',' if number else ''}\n{_json(row)}"
            for number, row in enumerate(_rows(db, table, columns))
        )
        stream.write("]")
    stream.write("}\n")


def _generation(db: Db) -> int | None:
    """Give the generation, None for a memory that has lost its singleton."""
    row = db.execute("SELECT generation FROM memory_meta").fetchone()
    return None if row is None else int(row[0])


def _rows(db: Db, table: str, columns: str) -> Iterator[dict[str, object]]:
    rows = db.execute(f"SELECT {columns} FROM {table} ORDER BY rowid")
    for row in rows:
        found: dict[str, object] = {}
        for name in row.keys():  # noqa: SIM118 - a row is no mapping
            text = name.endswith(JSON_SUFFIX)
            value = json.loads(row[name]) if text else row[name]
            found[name.removesuffix(JSON_SUFFIX)] = value
        yield found


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))
