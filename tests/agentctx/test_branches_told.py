"""Who is told something on a branch is told what is so there, and it alone (A8.6)."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from agentctx.briefing.making import Facts, refresh_digest
from agentctx.config import write_setting
from agentctx.extraction.consolidation import consolidate
from agentctx.extraction.following import keep_in_step
from agentctx.records.adopt import adopt_namespace
from agentctx.records.backup import reset_project
from agentctx.records.joining import join_branch
from agentctx.records.namespaces import list_namespaces, note_namespace
from agentctx.records.read import by_id
from agentctx.records.remove import delete_record, undo_delete
from agentctx.records.staged import branches_of
from tests.agentctx.branching import LOCAL, UTC, Clone
from tests.agentctx.extraction.conftest import Sessions, decision, found
from tests.agentctx.extraction.risen import Both
from tests.agentctx.hooked import Client
from tests.agentctx.hooks.test_tools import FAILURE, failed
from tests.agentctx.llm.fakeapi import FakeApi, Says
from tests.agentctx.mcp.serving import call, desk_at

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.conftest import InProcess
    from tests.recorded import Ticking

pytestmark = pytest.mark.requirement("A8.6")

PROMPT = "In which time zone are the readings stored?"


@pytest.fixture
def clone(tmp_path: Path) -> Iterator[Clone]:
    clone = Clone(tmp_path)
    yield clone
    clone.close()


def test_sessions_are_told_what_is_so_on_their_branch(clone: Clone) -> None:
    old = clone.learns(LOCAL, trust="developer")
    clone.on("utc").learns(UTC, supersedes=old.id, trust="developer")
    refresh_digest(clone.store, Facts(clone.project))
    client = Client(clone.home, clone.root, clone.clock)
    told = [
        client.hook("session-start", source="startup"),
        client.hook("user-prompt-submit", prompt=PROMPT, session_id="s2"),
        client.hook("subagent-start", agent_id="a", agent_type="Explore"),
    ]
    assert all(f"> {UTC}" in one and LOCAL not in one for one in told)
    assert all("on branch utc" in one for one in told)
    clone("checkout", "-q", "main")
    told = [
        client.hook("session-start", source="startup", session_id="s3"),
        client.hook("user-prompt-submit", prompt=PROMPT, session_id="s4"),
    ]
    assert all(f"> {LOCAL}" in one and UTC not in one for one in told)


def test_a_session_that_begins_lets_a_merged_branch_be_looked_at(clone: Clone) -> None:
    clone.on("utc").learns()
    note_namespace(
        clone.store, clone.project.project_id, name="weather", root=str(clone.root)
    )
    clone.commits()
    consolidate(clone.store, [str(clone.root)], environ=clone.git.environ)
    client = Client(clone.home, clone.root, clone.clock)
    client.environ = clone.git.environ
    client.hook("session-start", source="startup")
    assert client.woken == 0
    clone("checkout", "-q", "main")
    clone("merge", "-q", "utc")
    client.hook("session-start", source="startup", session_id="s2")
    assert client.woken == 1
    done = consolidate(clone.store, environ=clone.git.environ)
    assert done.joined == 1
    told = client.hook("session-start", source="startup", session_id="s3")
    assert UTC in told
    assert "on branch" not in told


def test_an_agent_records_on_its_branch(clone: Clone) -> None:
    old = clone.learns(LOCAL)
    clone.on("utc")
    desk = desk_at(clone.home, clone.root, clone.clock)
    asked = {"old_id": old.id, "new_body": f"{UTC}.", "rationale": "stations move"}
    new_id = call(desk, "ctx_supersede", asked).value["new_id"]
    fact = {"type": "convention", "title": "Readings have a zone", "body": "Always."}
    rule_id = call(desk, "ctx_record", fact).value["id"]
    search = {"query": "readings stored zone"}

    def ids() -> set[str]:
        return {one["id"] for one in call(desk, "ctx_search", search).value["results"]}

    assert ids() == {new_id, rule_id}
    given = call(desk, "ctx_get", {"ids": [old.id, new_id]}).value
    assert given["heads"] == {old.id: new_id}
    assert given["records"][0]["branch"] == "utc"
    assert "on branch utc" in given["records"][0]["standing"]
    clone("checkout", "-q", "main")
    assert ids() == {old.id}
    desk.forget()


def test_what_was_said_on_a_branch_is_learned_there(clone: Clone) -> None:
    clone.store.close()
    sessions = Sessions(clone.home, clone.root, clone.clock)
    clone("branch", "feature/utc")
    rules = ("Store readings in UTC", "Keep wind speed in knots")
    said = sessions.session("s1")
    said.says("Let's store readings in UTC.", gitBranch="feature/utc").answers("Done.")
    said.turn("And we keep wind speed in knots.")
    with FakeApi([Says(found(decisions=[decision(one) for one in rules]))]) as api:
        sessions.ask(api)
        sessions.hear(said, ended=True)
        sessions.work()
    assert [one.title for one in sessions.records("decision")] == [rules[1]]
    with sessions.store() as store:
        (branch,) = branches_of(store.db, clone.project.project_id)
        assert branch.name == "feature/utc"
        clone("checkout", "-q", "feature/utc")  # said, then done and merged, then read
        clone.commits()
        clone("checkout", "-q", "main")
        clone("merge", "-q", "feature/utc")
        clone("branch", "-q", "-d", "feature/utc")
        assert consolidate(store, environ=clone.git.environ).joined == 1
    assert {one.title for one in sessions.records("decision")} == set(rules)


def test_a_failure_is_learned_on_its_branch(clone: Clone) -> None:
    clone.on("wip")
    client = Client(clone.home, clone.root, clone.clock)
    failed(client, "pytest -q", FAILURE)
    (branch,) = branches_of(clone.store.db, clone.project.project_id)
    assert branch.name == "wip"
    clone("checkout", "-q", "main")
    failed(client, "pytest -q", FAILURE)
    query = "SELECT count(*) FROM records WHERE type = 'bugfix' AND project_id = ?"
    project_id = clone.project.project_id
    assert clone.store.db.execute(query, (project_id,)).fetchone()[0] == 1


def test_what_memory_believes_becomes_a_record_of_the_branch(
    clone: Clone, clock: Ticking
) -> None:
    (clone.root / ".agentctx").mkdir()
    both = Both(clone.root, clone.home.parent / "other", clock)
    try:
        project_id = clone.project.project_id
        clone.on("utc")
        item = both.believe()
        keep_in_step(both.memory, both.records, project_id, where=clone.standing())
        (branch,) = branches_of(both.records.db, project_id)
        again = keep_in_step(both.memory, both.records, project_id)
        assert not again.changed
        clone("checkout", "-q", "main")
        both.revise(item, "Store readings in local time.")
        where = clone.standing()
        keep_in_step(both.memory, both.records, project_id, where=where)
        assert branches_of(both.records.db, project_id) == []
        rows = both.records.db.execute(
            "SELECT body FROM records WHERE superseded_at IS NULL AND project_id = ?",
            (project_id,),
        )
        assert [row[0] for row in rows] == ["Store readings in local time."]
        assert branch.name == "utc"
    finally:
        both.close()


def test_the_records_of_a_branch_go_where_the_project_goes(clone: Clone) -> None:
    made = clone.on("f").learns()
    project_id = clone.project.project_id
    delete_record(clone.store, project_id, made.id)
    assert branches_of(clone.store.db, project_id) == []
    undo_delete(clone.store, project_id)
    assert [one.name for one in branches_of(clone.store.db, project_id)] == ["f"]
    (space,) = list_namespaces(clone.store.db)
    assert (space.project_id, space.records) == (project_id, 1)
    other = "b" * 64
    adopt_namespace(clone.store, project_id, other)
    assert branches_of(clone.store.db, project_id) == []
    assert [one.name for one in branches_of(clone.store.db, other)] == ["f"]
    assert reset_project(clone.store, other).records == 1
    assert by_id(clone.store.db, made.id) is None
    assert branches_of(clone.store.db, other) == []


def test_staging_can_be_switched_off_and_what_waits_goes_on_waiting(
    clone: Clone,
) -> None:
    clone.on("f").learns()
    write_setting(str(clone.home), "branchStaging", value=False)
    assert clone.standing().why == "off"
    assert clone.learns("Readings are stored forever").branch is None
    assert [one.name for one in branches_of(clone.store.db, clone.project.project_id)]
    write_setting(str(clone.home), "branchStaging", value=True)
    write_setting(str(clone.home), "mainBranch", value="f")
    assert clone.standing().why == "main_line"
    assert clone.settles().joined == 1


@pytest.mark.parametrize(
    ("head", "why"),
    [
        pytest.param(b"ref: refs/heads/main\n", "main_line", id="main"),
        pytest.param(b"ref: refs/heads/new\n", "branch", id="nothing committed"),
        pytest.param(b"ref: refs/heads/a/../../../etc/x\n", "detached", id="climbs"),
        pytest.param(b"ref: refs/heads/a\x1b[31mb\n", "detached", id="escapes"),
        pytest.param("ref: refs/heads/a\u202eb\n".encode(), "detached", id="turns"),
        pytest.param(b"ref: refs/heads/-x\n", "detached", id="an option"),
        pytest.param(b"ref: refs/heads/" + b"x" * 300, "detached", id="too long"),
        pytest.param(b"ref: refs/heads/.invalid\n", "detached", id="a table"),
        pytest.param(b"0" * 40, "detached", id="detached"),
        pytest.param(b"ref: refs/heads/" + b"x" * 1_000_000, "no_git", id="huge"),
        pytest.param(b"ref: ../../etc/passwd\n", "no_git", id="no reference"),
    ],
)
def test_an_odd_head_is_never_taken_for_a_branch(
    clone: Clone, head: bytes, why: str
) -> None:
    (clone.root / ".git" / "HEAD").write_bytes(head)
    assert clone.standing().why == why


def test_odd_references_lead_nowhere(clone: Clone) -> None:
    heads = clone.root / ".git" / "refs" / "heads"
    secret = clone.root.parent / "secret"
    secret.write_text(clone("rev-parse", "HEAD"), encoding="ascii")
    (heads / "linked").symlink_to(secret)
    clone("symbolic-ref", "HEAD", "refs/heads/linked")
    assert clone.standing().tip is None
    os.mkfifo(heads / "pipe")
    head = clone.root / ".git" / "HEAD"
    head.write_text("ref: refs/heads/pipe\n", encoding="ascii")
    assert clone.standing().tip is None
    clone.learns()
    assert clone.settles().joined == 0
    config = clone.root / ".git" / "config"
    with config.open("a", encoding="ascii") as file:
        file.write("[extensions]\n\trefStorage = reftable\n")
    assert clone.standing().why == "unreadable"


def test_without_a_main_line_nothing_is_staged(clone: Clone) -> None:
    clone("branch", "-m", "main", "one")
    assert clone.standing().why == "main_line"  # the only branch
    clone("branch", "two")
    assert clone.standing().why == "unknown"
    write_setting(str(clone.home), "mainBranch", value="elsewhere")
    assert clone.standing().why == "unknown"
    write_setting(str(clone.home), "mainBranch", value="one")
    assert clone.standing().why == "main_line"
    write_setting(str(clone.home), "mainBranch", value="auto")
    clone("config", "--file", str(clone.home.parent / ".gitconfig"), *_DEFAULT)
    assert clone.standing()[:3] == ("one", "branch", "two")


_DEFAULT = ("init.defaultBranch", "two")


def test_the_commands_show_join_and_drop(
    clone: Clone, agentctx: InProcess, store_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(clone.home.parent))

    def run(*words: str, status: int = 0) -> Any:  # noqa: ANN401 - any JSON
        done = agentctx(*words, "--format", "json", cwd=clone.root)
        assert done.status == status, done
        return json.loads(done.out or done.err)

    assert run("add", "decision", UTC, "--branch", status=2)["error"] == "NOT_ON_BRANCH"
    old = run("add", "decision", LOCAL)["record"]
    clone.on("utc")
    mine = run("add", "decision", UTC, "--branch", "--supersedes", old["id"])["record"]
    assert mine["branch"] == "utc"
    assert (
        "branch" not in run("add", "decision", "Readings are stored as text")["record"]
    )

    def titles(*words: str) -> set[str]:
        found = run("search", "readings stored", *words)["results"]
        return {one["title"] for one in found}

    text = "Readings are stored as text"
    assert titles() == {UTC, text}
    assert titles("--branch", "none") == {LOCAL, text}
    assert titles("--branch", "all") == {UTC, LOCAL, text}
    card = run("status")["branches"]
    assert (card["staging"], card["main"]) == ("utc", "main")
    assert [one["records"] for one in card["waiting"]] == [1]
    assert "utc: 1 record" in agentctx("status", "--format", "text", cwd=clone.root).out
    clone.commits()
    assert run("branch", "status")["waiting"][0]["state"] == "open"
    clone("checkout", "-q", "main")
    clone("branch", "-q", "-D", "utc")
    assert run("branch", "status")["waiting"][0]["state"] == "gone"
    told = agentctx("status", "--format", "text", cwd=clone.root).out
    assert "agentctx branch join utc" in told
    assert run("branch", "drop", "utc")["records"] == [mine["id"]]
    assert run("branch", "restore", "utc")["records"] == [mine["id"]]
    run("supersede", old["id"], "--body", "Elsewhere.", "--rationale", "It moved.")
    assert run("branch", "join", "utc", status=1)["contested"] == [mine["id"]]
    assert run("branch", "join", "utc", "--replace")["joined"] == [mine["id"]]
    assert run("branch", "join", "none", status=2)["error"] == "BRANCH_UNKNOWN"
    assert titles() == {UTC, text}
    assert store_home.exists()


def test_two_who_look_at_once_let_it_join_once(clone: Clone) -> None:
    clone.on("f").learns()
    clone.commits()
    clone.settles()
    clone("checkout", "-q", "main")
    clone("merge", "-q", "f")
    stale = clone.branch("f")
    assert clone.settles().joined == 1
    assert join_branch(clone.store, stale) == ((), (), ())
    assert clone.finds() == {UTC}
