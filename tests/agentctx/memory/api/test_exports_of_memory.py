"""Exports: whole, new, private, told to nobody else; and taken in again."""

from __future__ import annotations

import json
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from agentctx.memory.jobs import Failure, fail
from agentctx.memory.opening import open_memory
from agentctx.memory.refusals import MemoryRuleError
from agentctx.memory.store import RandomIds
from corpus.errors import StoreUnusableError
from tests.agentctx.memory.api.programs import Failing, begun, program, said
from tests.agentctx.memory.memories import SAID, TABS, believe, memory_at, take
from tests.recorded import START, Ticking

if TYPE_CHECKING:
    from pathlib import Path

    from agentctx.memory import Memory


def exported(memory: Memory, out: str | None = None) -> dict[str, Any]:
    with open(memory.export(out), "rb") as file:  # noqa: PTH123 - a text
        found: dict[str, Any] = json.load(file)
    return found


def standing() -> Ticking:
    """Give a clock that stands still."""
    clock = Ticking(START)
    clock.__class__ = type("Still", (Ticking,), {"__call__": lambda self: self.now})
    return clock


@pytest.mark.requirement("M8.5(a)", "M8.5(b)", "M8.5(c)")
def test_an_export_holds_turns_relations_and_safe_diagnostics(
    project: Path, talk: Memory
) -> None:
    said(talk)
    talk.flush()
    said(talk, "And another thing.")
    with memory_at(project) as store:
        batch = take(store)
        with store.writing() as writing:
            fail(
                writing,
                batch,
                Failure("provider_permanent", "call", "primary", "http_400"),
                retryable=False,
            )
    begun(talk, "Still open.")
    whole = exported(talk)
    assert [one["user_text"] for one in whole["turns"]] == [
        SAID,
        "And another thing.",
        "Still open.",
    ]
    (item,) = whole["items"]
    (link,) = whole["item_candidates"]
    (source,) = whole["sources"]
    assert link == {"item_id": item["id"], "candidate_id": source["candidate_id"]}
    assert source["quote"] == SAID
    failed = [one for one in whole["jobs"] if one["status"] == "failed"]
    assert [one["failure_rule"] for one in failed] == ["http_400"]
    assert not {"lease_owner", "response", "error", "state_json"} & {
        key for name in whole for row in _rows(whole[name]) for key in row
    }


def _rows(value: object) -> list[dict[str, object]]:
    return value if isinstance(value, list) else []


@pytest.mark.requirement("M8.1(b)", "M8.5(c)")
def test_neither_status_nor_export_holds_what_a_provider_said(
    project: Path, clock: Ticking
) -> None:
    with program(project, clock, pipeline=Failing()) as memory:
        said(memory)
        memory.flush()
        status = memory.status().as_json()
        assert "http_503" in json.dumps(status["failures"])
        assert SAID not in json.dumps(status)


@pytest.mark.requirement("M8.5(a)", "M8.6(a)", "M8.6(b)")
def test_exports_of_the_same_moment_are_each_whole_and_new(project: Path) -> None:
    with program(project, standing()) as memory:
        said(memory)

    def export(number: int) -> str:
        with program(project, standing(), owner=f"program {number}") as one:
            return ",".join([one.export() for _ in range(10)])

    with ThreadPoolExecutor(6) as pool:
        paths = ",".join(pool.map(export, range(6))).split(",")
    folder = project / ".agentctx" / "memory-exports"
    names = sorted(path.name for path in folder.iterdir())
    assert len(set(paths)) == 60
    assert len(names) == 60
    assert all(name.endswith(".json") and not name.startswith(".") for name in names)
    for name in names:
        whole = json.loads((folder / name).read_bytes())
        assert [one["user_text"] for one in whole["turns"]] == [SAID]
        assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600


@pytest.mark.requirement("M8.5(a)")
def test_an_export_takes_no_place_of_another_file(
    project: Path, tmp_path: Path, talk: Memory
) -> None:
    out = tmp_path / "mine.json"
    assert exported(talk, str(out))["turns"] == []
    before = out.read_bytes()
    with pytest.raises(MemoryRuleError):
        talk.export(str(out))
    link = tmp_path / "link.json"
    link.symlink_to(tmp_path / "elsewhere.json")
    with pytest.raises(MemoryRuleError):
        talk.export(str(link))
    assert out.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "link.json",
        "mine.json",
        project.name,
    ]
    with pytest.raises(StoreUnusableError):
        talk.export(str(tmp_path / "missing" / "mine.json"))


@pytest.mark.requirement("M8.6(b)")
def test_what_a_killed_export_left_is_removed_once_it_is_old(
    project: Path, tmp_path: Path, talk: Memory
) -> None:
    folder = project / ".agentctx" / "memory-exports"
    talk.export()
    old, new = folder / ".memory-export.100001.stage", folder / ".memory-export.1.stage"
    for stage in (old, new):
        stage.write_bytes(b"{")
    os.utime(old, (1, 1))
    talk.export()
    assert not old.exists()
    assert new.exists()
    moved = folder.rename(tmp_path / "moved")
    folder.symlink_to(moved)
    with pytest.raises(StoreUnusableError):
        talk.export()


@pytest.mark.requirement("M11.9")
def test_an_export_is_taken_into_an_empty_memory(
    tmp_path: Path, clock: Ticking, talk: Memory
) -> None:
    said(talk)
    talk.flush()
    talk.edit(talk.list()[0].id, statement="Indent with wide tabs.")
    said(talk, "This waits.")
    begun(talk, "This is open.")
    path = talk.export()
    other = tmp_path / "other"
    with program(other, clock) as memory:
        taken = memory.take_in(path)
        assert (taken.turns, taken.items) == (3, 2)
        assert memory.list() == talk.list()
        assert memory.list(every=True) == talk.list(every=True)
        assert memory.search("indentation").hits == talk.search("indentation").hits
        assert memory.why(talk.list()[0].id) == talk.why(talk.list()[0].id)
        status = memory.status().as_json()
        assert (status["state"], status["open_turns"]) == ("healthy", 0)
        assert status["jobs"]["pending"] == 2  # type: ignore[index]
        with pytest.raises(MemoryRuleError):
            memory.take_in(path)
        again = exported(memory)
    whole = exported(talk)
    for name in ("threads", "candidates", "sources", "items", "item_candidates"):
        assert again[name] == whole[name]
    with open_memory(
        str(other),
        clock=clock,
        ids=RandomIds(os.urandom),
        owner="x",
    ) as store:
        assert store.db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"


BREAKS: dict[str, Any] = {
    "no object": lambda _: [],
    "no format": lambda whole: {**whole, "format": "other"},
    "another version": lambda whole: {**whole, "version": 2},
    "a list is missing": lambda whole: {k: v for k, v in whole.items() if k != "jobs"},
    "a row is no object": lambda whole: {**whole, "turns": [1]},
    "a field more": lambda whole: _with(whole, "turns", extra=1),
    "an id of another shape": lambda whole: _with(whole, "turns", id="turn_1'; --"),
    "a time of another shape": lambda whole: _with(whole, "turns", created_at="now"),
    "a path that is no text": lambda whole: _with(whole, "turns", scope_paths=[1]),
    "no active thread": lambda whole: {**whole, "threads": []},
    "a state of another kind": lambda whole: _with(whole, "turns", state="done"),
    "a number too large": lambda whole: _with(whole, "turns", sequence=10**30),
    "a text of an object": lambda whole: _with(whole, "turns", user_text={"a": 1}),
    "a lone surrogate": lambda whole: _with(whole, "jobs", idempotency_key="\ud800"),
    "a payload of another": lambda whole: _with(whole, "jobs", payload={"x": 1}),
    "a quote too long": lambda whole: _with(whole, "sources", quote="x" * 2001),
    "the same item twice": lambda whole: {**whole, "items": [*whole["items"]] * 2},
    "an item of no kind": lambda whole: _with(whole, "items", kind="fact"),
}


def _with(whole: dict[str, Any], name: str, **values: object) -> dict[str, Any]:
    first, *rest = whole[name]
    return {**whole, name: [{**first, **values}, *rest]}


@pytest.mark.requirement("M11.9")
@pytest.mark.parametrize("broken", BREAKS)
def test_a_file_that_is_no_export_changes_nothing(
    project: Path, tmp_path: Path, broken: str
) -> None:
    with memory_at(project) as store:
        believe(store, TABS)
    with program(project) as memory:
        whole = exported(memory)
    path = tmp_path / "import.json"
    path.write_text(json.dumps(BREAKS[broken](whole)), encoding="ascii")
    with program(tmp_path / "other") as memory:
        with pytest.raises(MemoryRuleError):
            memory.take_in(str(path))
        assert memory.status().state == "healthy"
        assert begun(memory).sequence == 1


@pytest.mark.requirement("M11.9")
@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[" * 100_000])
def test_a_file_that_is_no_json_changes_nothing(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "import.json"
    path.write_bytes(content)
    with program(tmp_path / "other") as memory:
        for one in (str(path), str(tmp_path), str(tmp_path / "missing")):
            with pytest.raises(MemoryRuleError):
                memory.take_in(one)
        assert memory.list() == ()


@pytest.mark.requirement("M11.7")
def test_secrets_of_an_export_are_taken_out(project: Path, tmp_path: Path) -> None:
    with program(project) as memory:
        said(memory, "Hello.")
        whole = exported(memory)
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    path = tmp_path / "import.json"
    path.write_text(
        json.dumps(_with(whole, "turns", user_text=f"use {key}")), encoding="ascii"
    )
    with program(tmp_path / "other") as memory:
        memory.take_in(str(path))
        assert key not in json.dumps(exported(memory))
