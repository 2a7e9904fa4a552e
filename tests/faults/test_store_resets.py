"""Resetting and restoring a store while others write to it: nothing told is lost."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from agentctx.records.backup import (
    backups_in,
    make_backup,
    reset_project,
    restore_backup,
)
from agentctx.records.model import NewRecord
from agentctx.records.read import all_records
from agentctx.records.schema import LAYOUT
from agentctx.records.store import open_store
from agentctx.records.write import add_record
from corpus.sqlite import loaded_copy

if TYPE_CHECKING:
    from pathlib import Path

    from agentctx.records.store import Store

PROJECT = "p" * 64
WRITERS, RECORDS, TIMES = 3, 40, 3


def opened(home: str) -> Store:
    return open_store(home, clock=lambda: datetime.now(UTC), random=os.urandom)


def writer(home: str, number: int) -> int:
    """Add records in another process; each id is told once it is recorded."""
    read, write = os.pipe()
    if os.fork() == 0:
        status = 1
        try:
            with opened(home) as store:
                for count in range(RECORDS):
                    new = NewRecord(
                        type="decision",
                        title=f"Fact {count} of writer {number}",
                        body=f"The {count}th thing that writer {number} decided.",
                        source="cli",
                    )
                    made = add_record(store, PROJECT, new)
                    os.write(write, f"{made.record.id}\n".encode())
            status = 0
        finally:
            os._exit(status)
    os.close(write)
    return read


@pytest.mark.requirement("A2.10")
@pytest.mark.parametrize("act", ["reset", "restore"])
def test_what_was_recorded_is_in_the_store_or_in_a_copy(
    tmp_path: Path, act: str
) -> None:
    home = str(tmp_path / "home")
    with opened(home) as store:
        empty = make_backup(store, str(tmp_path / "empty.db")).path
        pipes = [writer(home, number) for number in range(WRITERS)]
        for _ in range(TIMES):
            if act == "reset":
                reset_project(store, PROJECT)
            else:
                restore_backup(store, empty)
        told = set()
        for pipe in pipes:
            with os.fdopen(pipe, encoding="ascii") as lines:
                told |= set(lines.read().split())
        for _ in pipes:
            assert os.waitstatus_to_exitcode(os.wait()[1]) == 0
        kept = {record.id for record in all_records(store.db, [PROJECT])}
        for path in backups_in(home):
            copy = loaded_copy(path, LAYOUT, still=True)
            kept |= {record.id for record in all_records(copy, [PROJECT])}
            copy.close()
    assert len(told) == WRITERS * RECORDS
    assert told <= kept
