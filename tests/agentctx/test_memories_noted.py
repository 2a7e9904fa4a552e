"""Which memories wait for the worker, and that a store that was mended still knows."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from agentctx.records.backup import make_backup, restore_backup
from agentctx.records.damage import examine_store
from agentctx.records.memories import (
    NO_MODEL,
    forget_memory,
    is_memory_waiting,
    memory_at,
    note_memory,
    put_memory_off,
    settle_memory,
    waiting_memories,
)
from agentctx.records.salvage import repair_store
from tests.recorded import Counted, Ticking, store_at

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from agentctx.records.memories import Remembered
    from agentctx.records.store import Store

pytestmark = pytest.mark.requirement("A1.1")

ROOT, HOUR = "/projects/weather", timedelta(hours=1)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def store(home: Path, clock: Ticking) -> Iterator[Store]:
    with store_at(home, clock) as opened:
        yield opened


def note(store: Store, *, asks: bool = True, root: str = ROOT) -> None:
    with store.writing() as tx:
        note_memory(tx, root, asks=asks, now=store.clock())


def known(store: Store, root: str = ROOT) -> Remembered:
    found = memory_at(store.db, root)
    assert found is not None
    return found


def put_off(store: Store, problem: str, span: timedelta = HOUR) -> None:
    with store.writing() as tx:
        put_memory_off(tx, ROOT, until=store.clock() + span, problem=problem)


def waits(store: Store) -> bool:
    return is_memory_waiting(store.db, now=store.clock())


def test_a_memory_waits_until_it_is_settled_and_again_when_it_is_noted(
    store: Store,
) -> None:
    assert not waits(store)
    note(store)
    one = known(store)
    assert waits(store)
    note(store)
    with store.writing() as tx:
        settle_memory(tx, one)
    assert waits(store), "it was noted after it was looked at"
    with store.writing() as tx:
        settle_memory(tx, known(store))
    assert (waits(store), waiting_memories(store.db)) == (False, [])
    note(store)
    assert waits(store)


@pytest.mark.parametrize(
    ("problem", "asks", "expected"),
    [
        pytest.param("SPEND_DAY", True, False, id="a cap holds for all"),
        pytest.param(NO_MODEL, True, True, id="a key is there now"),
        pytest.param(NO_MODEL, False, False, id="no key again"),
    ],
)
def test_what_is_put_off_waits_although_it_is_noted_anew(
    store: Store, clock: Ticking, problem: str, *, asks: bool, expected: bool
) -> None:
    note(store)
    put_off(store, problem)
    assert not waits(store)
    note(store, asks=asks)
    assert waits(store) is expected
    clock.tick(HOUR)
    assert waits(store)


def test_what_is_settled_until_a_moment_waits_from_then_on_or_when_noted(
    store: Store, clock: Ticking
) -> None:
    note(store)

    def settle() -> None:
        with store.writing() as tx:
            settle_memory(tx, known(store), until=store.clock() + HOUR)

    settle()
    assert not waits(store)
    assert [one.root for one in waiting_memories(store.db)] == [ROOT]
    note(store)
    assert waits(store)
    settle()
    clock.tick(HOUR)
    assert waits(store)


def test_what_was_put_off_by_a_clock_that_was_wrong_waits(
    store: Store, clock: Ticking
) -> None:
    note(store)
    put_off(store, "SPEND_DAY", timedelta(days=400))
    assert waits(store)
    clock.tick(timedelta(days=-400))
    note(store)
    assert waits(store)


def test_a_memory_that_nobody_with_a_key_noted_starts_no_worker(store: Store) -> None:
    note(store, asks=False)
    assert not waits(store)
    assert len(waiting_memories(store.db)) == 1
    note(store)
    note(store, asks=False)
    assert waits(store)
    with store.writing() as tx:
        forget_memory(tx, ROOT)
    assert waiting_memories(store.db) == []


@pytest.mark.requirement("A2.10")
def test_a_repaired_store_lets_the_worker_look_at_every_memory_anew(
    home: Path, clock: Ticking
) -> None:
    with store_at(home, clock) as store:
        note(store)
        put_off(store, "SPEND_DAY")
        note(store, root="/projects/keyless", asks=False)
        with store.writing() as tx:
            tx.execute(
                "INSERT INTO memories (root, noted_at, retry_at)"
                " VALUES ('not a path', 'not a time', 'nor this')"
            )
    repair_store(str(home), clock=clock, random=Counted())
    with store_at(home, clock) as store:
        one = known(store)
        assert (one.settled_at, one.retry_at, one.problem) == (None, None, None)
        assert one.asks
        assert not known(store, "/projects/keyless").asks
        assert len(waiting_memories(store.db)) == 2
    assert all(check.ok for check in examine_store(str(home)))


@pytest.mark.requirement("A2.10")
def test_a_store_that_lost_its_memories_is_told_and_mended(
    home: Path, clock: Ticking
) -> None:
    with store_at(home, clock) as store:
        store.db.execute("DROP TABLE memories")
    (check,) = (one for one in examine_store(str(home)) if not one.ok)
    assert (check.problem, check.cure) == ("missing: memories", "repair")
    repair_store(str(home), clock=clock, random=Counted())
    with store_at(home, clock) as store:
        note(store)
        assert waits(store)


@pytest.mark.requirement("A2.10")
def test_a_backup_holds_which_memories_wait(store: Store) -> None:
    note(store)
    saved = make_backup(store)
    with store.writing() as tx:
        forget_memory(tx, ROOT)
    restore_backup(store, saved.path)
    assert waits(store)
