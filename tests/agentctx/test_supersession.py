"""Superseding, confidence, namespaces and the graph, as the store keeps them."""

from __future__ import annotations

import sqlite3
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from agentctx.errors import (
    AlreadySupersededError,
    IdAmbiguousError,
    IdError,
    OtherNamespaceError,
    RecordNotFoundError,
)
from agentctx.records.graph import (
    DEEPEST,
    files_of,
    reachable,
    records_of_file,
    repo_path,
)
from agentctx.records.model import Replacement
from agentctx.records.read import (
    Moment,
    all_records,
    by_id,
    current_records,
    find_record,
    history_of,
    holds_at,
    records_by_id,
)
from agentctx.records.remove import delete_record
from agentctx.records.write import (
    add_record,
    confirm_record,
    pin_record,
    reinforce_record,
    retire_record,
    supersede_record,
)
from tests.agentctx.facts import ELSEWHERE, HERE, add, fact, heard, replace

if TYPE_CHECKING:
    from agentctx.records.model import Record
    from agentctx.records.store import Store
    from tests.recorded import Ticking

NEW = Replacement(body="Something else", source="cli", trust="developer")


def now_of(store: Store, record: Record) -> Record:
    found = by_id(store.db, record.id)
    assert found is not None
    return found


@pytest.mark.requirement("A2.6")
def test_both_rows_of_a_supersession_say_the_same_moment(store: Store) -> None:
    old = add(store, "A decision", "As it was", files=["a.py"])
    new = replace(store, old, "As it is")
    ended = now_of(store, old)
    assert (ended.superseded_at, ended.superseded_by) == (new.recorded_at, new.id)
    assert new.valid_from == new.recorded_at
    assert (ended.title, ended.body) == (old.title, old.body)
    assert files_of(store.db, new.id) == ["a.py"]


@pytest.mark.requirement("A2.6")
def test_only_the_head_can_be_superseded_and_it_is_named(store: Store) -> None:
    old = add(store, "A decision", "One")
    head = replace(store, replace(store, old, "Two"), "Three")
    with pytest.raises(AlreadySupersededError) as refused:
        supersede_record(store, HERE, old.id, NEW)
    assert refused.value.facts["head"] == head.id
    with pytest.raises(AlreadySupersededError):
        add_record(store, HERE, fact("Another"), supersedes=old.id)
    assert len(history_of(store.db, now_of(store, old))) == 3


@pytest.mark.requirement("A2.6")
def test_a_clock_that_goes_back_keeps_the_order(store: Store, clock: Ticking) -> None:
    old = add(store, "A decision", "One")
    clock.tick(timedelta(days=-30))
    new = replace(store, old, "Two")
    assert new.recorded_at > old.recorded_at
    assert new.id > old.id
    assert [one.id for one in history_of(store.db, new)] == [old.id, new.id]
    assert now_of(store, old).superseded_at == new.recorded_at


@pytest.mark.requirement("A2.6")
def test_one_record_of_a_key_is_current(store: Store) -> None:
    for body in ("make", "just", "ninja"):
        add(store, "Build", body, type="profile", key="build")
    add(store, "Test", "pytest", type="profile", key="test")
    for tree in ("", "feature", ""):
        add(store, f"Handover {len(all_records(store.db, (HERE,)))}",
            type="handover", key=tree)  # fmt: skip
    current = {one.body for one in current_records(store.db, HERE)}
    assert {"ninja", "pytest"} < current
    assert len(current_records(store.db, HERE, record_type="handover")) == 2
    assert len(current_records(store.db, HERE, record_type="profile")) == 2


@pytest.mark.requirement("A2.6")
def test_a_failure_half_way_leaves_nothing(store: Store) -> None:
    old = add(store, "A decision", "One")
    store.db.execute(
        "CREATE TRIGGER refuse BEFORE INSERT ON edges BEGIN"
        " SELECT RAISE(ABORT, 'no'); END"
    )
    with pytest.raises(sqlite3.IntegrityError):
        replace(store, old, "Two")
    assert all_records(store.db, (HERE,)) == [old]
    assert not store.db.execute("SELECT 1 FROM unindexed_records").fetchall()


@pytest.mark.requirement("A2.5")
def test_no_act_crosses_namespaces_whatever_id_is_named(store: Store) -> None:
    other = add_record(store, ELSEWHERE, fact("Of another project")).record
    for act in (
        lambda: supersede_record(store, HERE, other.id, NEW),
        lambda: add_record(store, HERE, fact("Mine"), supersedes=other.id),
        lambda: pin_record(store, HERE, other.id),
        lambda: confirm_record(store, HERE, other.id),
        lambda: retire_record(store, HERE, other.id),
        lambda: delete_record(store, HERE, other.id),
        lambda: find_record(store.db, HERE, other.id),
    ):
        with pytest.raises(RecordNotFoundError):
            act()
    assert records_by_id(store.db, HERE, [other.id]) == {}
    assert now_of(store, other) == other


@pytest.mark.requirement("A2.5")
def test_a_project_s_record_does_not_supersede_a_global_one(store: Store) -> None:
    shared = fact("For all", type="preference", scope="global")
    record = add_record(store, HERE, shared).record
    assert find_record(store.db, ELSEWHERE, record.id) == record
    with pytest.raises(OtherNamespaceError):
        add_record(store, HERE, fact("Mine"), supersedes=record.id)
    own = add(store, "Of this project")
    with pytest.raises(OtherNamespaceError):
        add_record(store, HERE, shared._replace(title="New"), supersedes=own.id)
    new = supersede_record(store, ELSEWHERE, record.id, NEW).record
    assert (new.project_id, new.scope) == ("_global", "global")


@pytest.mark.requirement("A2.3")
def test_three_distinct_sessions_make_a_record_reinforced(store: Store) -> None:
    record = add_record(store, HERE, heard("Heard")).record
    seen = []
    for session in ("a", "a", "b", "b", "c", "c"):
        found = reinforce_record(store, record.id, session_id=session)
        assert found is not None
        seen.append((found.reinforce_count, found.confidence))
    assert [count for count, _ in seen] == [1, 1, 2, 2, 3, 3]
    assert [sure for _, sure in seen] == ["inferred"] * 4 + ["reinforced"] * 2


@pytest.mark.requirement("A2.3")
def test_confidence_never_falls(store: Store) -> None:
    said = add(store, "Said", "By the developer")
    add_record(store, HERE, heard("Said", "By the developer", type="decision"))
    assert now_of(store, said).confidence == "explicit"
    record = add_record(store, HERE, heard("Heard")).record
    assert confirm_record(store, HERE, record.id).confidence == "reinforced"
    add_record(store, HERE, heard("Heard"))
    assert now_of(store, record).confidence == "reinforced"


@pytest.mark.requirement("A2.7")
def test_both_times_answer_for_themselves(store: Store, clock: Ticking) -> None:
    old = add(store, "A decision", "One", valid_from="2025-01-01T00:00:00.000Z")
    clock.tick(timedelta(days=10))
    new = replace(store, old, "Two")

    def held(**moment: str) -> list[str]:
        found = holds_at(store.db, all_records(store.db, (HERE,)), Moment(**moment))
        return [one.body for one in found]

    assert held() == ["Two"]
    assert held(as_of="2026-01-15T00:00:00.000Z") == ["One"]
    assert held(as_of="2025-06-01T00:00:00.000Z") == []
    assert held(valid_at="2025-06-01T00:00:00.000Z") == ["One"]
    assert held(valid_at=new.valid_from) == ["Two"]
    assert held(
        valid_at="2027-01-01T00:00:00.000Z", as_of="2026-01-15T00:00:00.000Z"
    ) == ["One"]


@pytest.mark.requirement("A2.8")
@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("src/a.py", "src/a.py"),
        ("./src//a.py", "src/a.py"),
        ("src\\b\\a.py", "src/b/a.py"),
        ("src/x/../a.py", "src/a.py"),
        ("../a.py", None),
        ("src/../../a.py", None),
        ("/etc/passwd", None),
        ("C:\\a.py", None),
        ("a\x00b", None),
        ("", None),
        (".", None),
        ("x" * 401, None),
    ],
)
def test_a_file_is_named_from_the_root_or_not_at_all(
    store: Store, path: str, name: str | None
) -> None:
    assert repo_path(path) == name
    record = add(store, "About a file", files=[path])
    assert files_of(store.db, record.id) == ([] if name is None else [name])


@pytest.mark.requirement("A2.8")
def test_one_name_is_one_node_in_a_project_and_another_elsewhere(store: Store) -> None:
    for title in ("One", "Two"):
        add(store, title, files=["a.py", "./a.py"])
    add_record(store, ELSEWHERE, fact("Three", files=["a.py"]))
    rows = store.db.execute("SELECT project_id, name FROM nodes").fetchall()
    assert sorted(map(tuple, rows)) == [(HERE, "a.py"), (ELSEWHERE, "a.py")]
    found = records_of_file(store.db, HERE, "a.py")
    assert [one.title for one in found] == ["Two", "One"]


@pytest.mark.requirement("A2.8")
def test_a_walk_ends_in_a_ring_and_at_its_depth(store: Store) -> None:
    names = [f"n{number}" for number in range(30)]
    store.db.executemany(
        "INSERT INTO edges (id, from_id, to_id, rel_type)"
        " VALUES (?, ?, ?, 'derives_from')",
        (
            (f"e{number}", one, names[(number + 1) % len(names)])
            for number, one in enumerate(names)
        ),
    )
    for depth in (1, 5, 10):
        found = reachable(store.db, "n0", depth=depth)
        assert max(steps for _, steps in found) == depth
        assert len(found) == 2 * depth
    assert reachable(store.db, "n0", depth=99) == reachable(
        store.db, "n0", depth=DEEPEST
    )


@pytest.mark.requirement("A2.8")
def test_what_a_deleted_record_alone_was_about_is_no_node_any_more(
    store: Store,
) -> None:
    record = add(store, "One", files=["only.py", "shared.py"])
    add(store, "Two", files=["shared.py"])
    delete_record(store, HERE, record.id)
    rows = store.db.execute("SELECT name FROM nodes").fetchall()
    assert [row[0] for row in rows] == ["shared.py"]


@pytest.mark.requirement("A9")
def test_an_id_may_be_given_by_its_beginning_or_its_end(store: Store) -> None:
    one, two = add(store, "One"), add(store, "Two")
    assert one.id[:7] == two.id[:7]
    for part in (one.id, one.id[-6:], one.id[-6:].lower(), one.id[-20:]):
        assert find_record(store.db, HERE, part) == one
    with pytest.raises(IdAmbiguousError) as refused:
        find_record(store.db, HERE, one.id[:7])
    assert refused.value.facts["ids"] == (two.id, one.id)
    assert refused.value.facts["count"] == 2
    assert all(one.title in str(refused.value) for one in (one, two))
    for part in (one.id[:5], one.id[-5:], f"{one.id}0", "ILOU00", "8" + one.id[1:]):
        with pytest.raises(IdError):
            find_record(store.db, HERE, part)
    with pytest.raises(RecordNotFoundError):
        find_record(store.db, ELSEWHERE, one.id[-6:])
