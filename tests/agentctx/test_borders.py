"""What belongs to one project stays with it, or goes whole to whoever adopts it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from agentctx.errors import NothingToUndoError
from agentctx.records.adopt import adopt_namespace
from agentctx.records.graph import files_of
from agentctx.records.namespaces import list_namespaces, note_namespace
from agentctx.records.read import by_id, head_of, history_of
from agentctx.records.remove import delete_record, undo_delete
from agentctx.records.write import add_record
from tests.agentctx.facts import ELSEWHERE, HERE, add, fact, heard
from tests.recorded import store_at

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from agentctx.records.store import Store

THIRD = "c" * 64
TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with store_at(tmp_path / "home") as opened:
        yield opened


@pytest.mark.requirement("A2.4")
@pytest.mark.parametrize("way", [(ELSEWHERE,), (ELSEWHERE, THIRD)])
def test_what_was_deleted_comes_back_where_its_namespace_went(
    store: Store, way: tuple[str, ...]
) -> None:
    add(store, "Stays")
    lost = add(store, "Is deleted", files=["src/a.py"])
    delete_record(store, HERE, lost.id)
    old = HERE
    for new in way:
        adopt_namespace(store, old, new)
        old = new
    with pytest.raises(NothingToUndoError):
        undo_delete(store, HERE)
    undo_delete(store, way[-1])
    back = by_id(store.db, lost.id)
    assert back is not None
    assert back.project_id == way[-1]
    assert files_of(store.db, lost.id) == ["src/a.py"]
    assert store.db.execute("SELECT count(*) FROM tombstones").fetchone()[0] == 0
    namespaces = store.db.execute("SELECT DISTINCT project_id FROM nodes").fetchall()
    assert [row[0] for row in namespaces] == [way[-1]]
    assert add_record(store, way[-1], heard("Is deleted", "Anew")).record.current


@pytest.mark.requirement("A2.4")
def test_what_an_adopted_namespace_deletes_later_is_its_own(store: Store) -> None:
    add(store, "Stays")
    adopt_namespace(store, HERE, ELSEWHERE)
    add(store, "Begins again")
    later = add(store, "Is deleted")
    delete_record(store, HERE, later.id)
    with pytest.raises(NothingToUndoError):
        undo_delete(store, ELSEWHERE)
    assert undo_delete(store, HERE).record.project_id == HERE


@pytest.mark.requirement("A2.5")
def test_history_ends_at_the_border_of_a_namespace(store: Store) -> None:
    mine = add(store, "Mine")
    theirs = add_record(store, ELSEWHERE, fact("Theirs")).record
    query = "UPDATE records SET superseded_at = ?, superseded_by = ? WHERE id = ?"
    store.db.execute(query, (theirs.recorded_at, theirs.id, mine.id))
    for one, other in ((mine, theirs), (theirs, mine)):
        found = by_id(store.db, one.id)
        assert found is not None
        assert head_of(store.db, found).id == one.id
        assert [version.id for version in history_of(store.db, found)] == [one.id]
        assert other.id != one.id


@pytest.mark.requirement("A10.1")
def test_a_name_or_a_place_is_noted_without_its_secrets(store: Store) -> None:
    add(store, "One")
    note_namespace(store, HERE, name=f"x\u202e{TOKEN}", root=f"/srv/{TOKEN}\x1b[2J")
    store.db.execute("UPDATE namespaces SET name = name || ?", (TOKEN,))
    (found,) = list_namespaces(store.db)
    assert TOKEN not in f"{found.name}{found.root}"
    assert f"{found.name}{found.root}".isprintable()
