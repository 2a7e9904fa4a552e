"""The namespace of a project, and taking over another one."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import pytest

from agentctx.project import path_id, remote_id
from agentctx.records.graph import files_of
from agentctx.records.model import GLOBAL, NewRecord
from agentctx.records.namespaces import note_namespace
from agentctx.records.read import find_record
from agentctx.records.tombstones import bury, is_forgotten
from agentctx.records.write import add_record
from tests.agentctx.answers import answer, namespace, refusal
from tests.conftest import FakeTerminal
from tests.gitrepos import URL, Git
from tests.recorded import Ticking, store_at

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import InProcess


@pytest.fixture
def git(tmp_path: Path) -> Git:
    return Git(tmp_path)


@pytest.fixture
def repository(tmp_path: Path, git: Git) -> Path:
    return git.repository(tmp_path / "widget")


@pytest.mark.requirement("A2.4", "A9")
def test_a_project_says_where_its_namespace_comes_from(
    agentctx: InProcess, repository: Path, git: Git
) -> None:
    before = answer(agentctx("project", cwd=repository))
    assert (before["name"], before["branch"]) == ("widget", "main")
    assert (before["origin"], before["remote"]) == ("path", None)
    git(repository, "remote", "add", "origin", URL)
    after = answer(agentctx("project", "show", cwd=repository))
    assert (after["origin"], after["remote"]) == ("remote", "git.example/acme/widget")
    assert after["project_id"] != before["project_id"]
    assert agentctx("project", cwd=repository, terminal=True).status == 0


@pytest.mark.requirement("A2.4", "A9")
def test_a_working_tree_shares_the_records_and_has_a_handover_of_its_own(
    agentctx: InProcess, repository: Path, git: Git, tmp_path: Path
) -> None:
    tree = tmp_path / "feature"
    git(repository, "worktree", "add", "-q", str(tree))
    assert answer(agentctx("project", cwd=tree))["worktree"] == "feature"
    assert "feature" in agentctx("project", cwd=tree, terminal=True).out
    made = answer(agentctx("add", "decision", "Widgets are round", cwd=repository))
    assert answer(agentctx("show", made["record"]["id"], cwd=tree))["head"]
    for folder in (repository, tree):
        answer(agentctx("add", "handover", f"Stopped in {folder.name}", cwd=folder))
    counts = answer(agentctx("status", cwd=tree))["records"]["by_type"]
    assert counts["handover"] == 2


@pytest.mark.requirement("A2.4", "A9")
def test_a_project_that_gains_a_remote_takes_its_records_along(
    agentctx: InProcess, repository: Path, git: Git
) -> None:
    words = ("add", "decision", "Widgets are round", "--file", "src/round.py")
    made = answer(agentctx(*words, cwd=repository))["record"]["id"]
    git(repository, "remote", "add", "origin", URL)
    assert refusal(agentctx("show", made, cwd=repository)) == "RECORD_NOT_FOUND"
    shown = answer(agentctx("project", cwd=repository))
    (earlier,) = shown["earlier"]
    assert (earlier["name"], earlier["records"]) == ("widget", 1)
    old = earlier["project_id"][:12]
    assert old in agentctx("project", cwd=repository, terminal=True).out
    done = answer(agentctx("project", "adopt", old, "--yes", cwd=repository))
    assert (done["records"], done["superseded"]) == (1, 0)
    assert answer(agentctx("show", made, cwd=repository))["files"] == ["src/round.py"]
    found = answer(agentctx("search", "round widgets", cwd=repository))
    assert [one["id"] for one in found["results"]] == [made]
    assert answer(agentctx("project", cwd=repository))["earlier"] == []


@pytest.mark.requirement("A2.4", "A2.6", "A2.8", "A2.9")
def test_adopting_moves_everything_and_leaves_one_head_a_key(
    agentctx: InProcess, project: Path, store_home: Path
) -> None:
    old, own = "ab" * 32, namespace(project)
    clock = Ticking()
    with store_at(store_home, clock) as store:
        for number, where in enumerate((old, own, old)):
            new = NewRecord(
                type="handover",
                title=f"Handover {number}",
                body="Where the work stands.",
                source="cli",
                files=["a.py"],
            )
            clock.tick()
            add_record(store, where, new)
        with store.writing() as tx:
            bury(store, tx, old, "A forgotten fact", "It was deleted by a person.")
            tx.execute(
                "INSERT INTO sessions (session_id, project_id, tokens_injected)"
                " VALUES ('s', ?, 7)",
                (old,),
            )
    done = answer(agentctx("project", "adopt", old[:6], "--yes"))
    assert (done["adopted"], done["records"], done["superseded"]) == (old, 2, 1)
    status = answer(agentctx("status"))
    assert status["records"]["by_type"] == {"handover": 1}
    assert status["tokens_injected"]["total"] == 7
    found = answer(agentctx("search", "handover", "--type", "handover"))["results"]
    assert [one["title"] for one in found] == ["Handover 2"]
    with store_at(store_home) as store:
        head = find_record(store.db, own, found[0]["id"])
        assert files_of(store.db, head.id) == ["a.py"]
        names = store.db.execute("SELECT project_id FROM nodes").fetchall()
        assert [row[0] for row in names] == [own]
        words = ("A forgotten fact", "It was deleted by a person.")
        assert is_forgotten(store, store.db, own, *words)
        assert not is_forgotten(store, store.db, old, *words)


@pytest.mark.requirement("A2.4", "A2.6", "A9")
def test_the_newer_of_two_entries_with_one_key_stays_current(
    agentctx: InProcess, repository: Path, git: Git
) -> None:
    words = ("add", "profile", "test", "--body")
    old = answer(agentctx(*words, "make test", cwd=repository))["record"]["id"]
    namespace_id = namespace(repository)
    git(repository, "remote", "add", "origin", URL)
    new = answer(agentctx(*words, "make check", cwd=repository))["record"]["id"]
    adopt = ("project", "adopt", namespace_id, "--yes")
    done = agentctx(*adopt, cwd=repository, terminal=True)
    assert done.status == 0
    assert "1 record made way" in done.out
    shown = answer(agentctx("show", old, cwd=repository))
    assert (shown["record"]["superseded_by"], shown["head"]) == (new, new)


@pytest.mark.requirement("A2.4", "A9")
def test_a_project_in_a_folder_whose_name_is_no_text_is_a_project(
    agentctx: InProcess, tmp_path: Path
) -> None:
    if sys.platform in {"win32", "darwin"}:
        pytest.skip("every name is text there")
    odd = tmp_path / "odd\udcff"
    (odd / ".agentctx").mkdir(parents=True)
    made = answer(agentctx("add", "decision", "Widgets are round", cwd=odd))
    assert answer(agentctx("show", made["record"]["id"], cwd=odd))["head"]
    shown = answer(agentctx("project"))
    assert [one["name"] for one in shown["others"]] == ["odd?"]


@pytest.mark.requirement("A2.4", "A9")
def test_only_another_known_namespace_can_be_adopted(
    agentctx: InProcess, project: Path, store_home: Path
) -> None:
    answer(agentctx("add", "preference", "Tabs", "--scope", "global"))
    with store_at(store_home) as store:
        for end in ("0", "1"):
            new = NewRecord(type="decision", title="A", body="B", source="cli")
            add_record(store, f"{'c' * 63}{end}", new)
    for name in (GLOBAL, namespace(project), "d" * 64, "cccccc", "ccc", "x" * 64, ""):
        done = agentctx("project", "adopt", name, "--yes")
        assert refusal(done) == "NAMESPACE_UNKNOWN", name


@pytest.mark.requirement("A9")
@pytest.mark.parametrize(
    ("typed", "status"), [("y\n", 0), ("n\n", 2), ("", 2), (None, 2)]
)
def test_adopting_asks_and_does_nothing_without_a_yes(
    agentctx: InProcess,
    store_home: Path,
    monkeypatch: pytest.MonkeyPatch,
    typed: str | None,
    status: int,
) -> None:
    with store_at(store_home) as store:
        new = NewRecord(type="decision", title="A", body="B", source="cli")
        add_record(store, "ab" * 32, new)
    if typed is not None:
        stdin = FakeTerminal(io.BytesIO(typed.encode()), encoding="utf-8")
        monkeypatch.setattr(sys, "stdin", stdin)
    done = agentctx("project", "adopt", "ababab", terminal=typed is not None)
    assert done.status == status
    assert ("CONSENT_REQUIRED" in done.err) == (status == 2)
    total = answer(agentctx("status"))["records"]["total"]
    assert total == (1 if status == 0 else 0)


def known(store_home: Path, name: str, root: Path, namespace_id: str) -> None:
    """Record a fact of a project and note where it lies."""
    with store_at(store_home) as store:
        new = NewRecord(type="decision", title=name, body="B", source="cli")
        add_record(store, namespace_id, new)
        note_namespace(store, namespace_id, name=name, root=str(root))


@pytest.mark.requirement("A2.4", "A9")
def test_adopting_copies_the_store_first(
    agentctx: InProcess, store_home: Path, tmp_path: Path
) -> None:
    gone = tmp_path / "gone"
    known(store_home, "gone", gone, path_id(gone))
    done = answer(agentctx("project", "adopt", path_id(gone), "--yes"))
    assert done["warnings"] == []
    back = done["saved"]["path"]
    answer(agentctx("restore", back, "--yes"))
    assert answer(agentctx("status"))["records"]["total"] == 0


@pytest.mark.requirement("A2.4", "A9")
@pytest.mark.parametrize(
    ("kind", "warning"), [("folder", "FOLDER_IN_USE"), ("remote", "OWN_REMOTE")]
)
def test_what_seems_to_be_another_project_s_is_not_taken_for_a_yes(
    agentctx: InProcess,
    store_home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    warning: str,
) -> None:
    other = tmp_path / "other"
    old = path_id(other) if kind == "folder" else remote_id("git.example/a/other")
    if kind == "folder":
        (other / ".agentctx").mkdir(parents=True)
    known(store_home, "other", other, old)
    for words in ((), ("--yes",)):
        done = agentctx("project", "adopt", old, *words)
        assert refusal(done) == "NAMESPACE_IN_USE"
    assert not (store_home / "backups").exists()
    stdin = FakeTerminal(io.BytesIO(b"n\n"), encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", stdin)
    asked = agentctx("project", "adopt", old, terminal=True)
    assert (asked.status, "another project" in asked.err) == (2, True)
    done = answer(agentctx("project", "adopt", old, "--force"))
    assert (done["records"], done["warnings"]) == (1, [warning])


@pytest.mark.requirement("A2.4", "A9")
def test_status_names_records_of_an_earlier_namespace(
    agentctx: InProcess, repository: Path, git: Git
) -> None:
    answer(agentctx("add", "decision", "Widgets are round", cwd=repository))
    assert answer(agentctx("status", cwd=repository))["earlier"] == []
    old = namespace(repository)
    git(repository, "remote", "add", "origin", URL)
    (earlier,) = answer(agentctx("status", cwd=repository))["earlier"]
    assert (earlier["project_id"], earlier["records"]) == (old, 1)
    shown = agentctx("status", cwd=repository, terminal=True).out
    assert f"agentctx project adopt {old[:12]}" in shown
    answer(agentctx("project", "adopt", old, "--yes", cwd=repository))
    assert answer(agentctx("status", cwd=repository))["earlier"] == []


@pytest.mark.requirement("A2.4", "A9")
def test_outside_a_repository_the_records_of_a_folder_above_are_named(
    agentctx: InProcess, tmp_path: Path, repository: Path
) -> None:
    above = tmp_path / "notes"
    inner = above / "2026" / "march"
    inner.mkdir(parents=True)
    answer(agentctx("add", "decision", "The wind turns", cwd=above))
    told = answer(agentctx("status", cwd=inner))
    assert told["above"]["project_id"] == namespace(above)
    assert str(above) in agentctx("status", cwd=inner, terminal=True).out
    assert answer(agentctx("project", cwd=inner))["above"]["records"] == 1
    assert answer(agentctx("status", cwd=repository))["above"] is None
