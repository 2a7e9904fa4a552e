"""What a session is told when it begins, goes on or forgot (A4.2, A1.2, A1.3)."""

from __future__ import annotations

import subprocess
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agentctx.briefing.budget import SESSION_TOKENS, SHARES
from agentctx.briefing.digest import digest_path, read_digest
from agentctx.briefing.state import read_state
from agentctx.extraction.consolidation import consolidate
from agentctx.project import resolve_project
from agentctx.records.card import INTRODUCTION
from agentctx.records.model import Replacement
from agentctx.records.remove import delete_record
from agentctx.records.write import confirm_record, supersede_record
from corpus.errors import StoreTooNewError
from corpus.tokens import injection_tokens
from tests.agentctx.hooked import SESSION, Client, quoted
from tests.recorded import store_at

if TYPE_CHECKING:
    from agentctx.records.model import Record
    from tests.agentctx.hooks.conftest import Desk

SOURCES = ("startup", "resume", "clear", "compact", "fork")


def replaced(desk: Desk, old: Record, body: str) -> Record:
    new = Replacement(body=body, source="cli", trust="developer")
    return supersede_record(desk.store, desk.project.project_id, old.id, new).record


@pytest.mark.requirement("A4.2")
@pytest.mark.parametrize("source", SOURCES)
def test_a_session_begins_with_what_is_in_force(
    client: Client, desk: Desk, source: str
) -> None:
    record = desk.keep("Readings are stored in UTC")
    told = client.hook("session-start", source=source)
    assert f"[{record.id}] decision, since 2026-01-10, explicit" in told
    assert quoted(told) == [
        "project weather",
        "Readings are stored in UTC.",
    ]
    assert told.startswith(f"agentctx. {INTRODUCTION}\n")


@pytest.mark.requirement("A4.2")
def test_the_sections_come_in_their_order(client: Client, desk: Desk) -> None:
    desk.keep("Stack: Python", type="profile", key="stack")
    desk.keep("Use SQLite")
    desk.keep("Finish the parser", type="handover", confidence="inferred")
    desk.keep("Short commits", type="preference", scope="global")
    desk.refresh(drift=3)
    told = client.hook("session-start", source="startup")
    titles = [line[3:] for line in told.split("\n") if line.startswith("## ")]
    assert titles == [
        "The project",
        "In force",
        "Where work stopped",
        "How the developer works",
        "Tools",
        "CLAUDE.md",
    ]
    assert list(SHARES.values()) == [200, 500, 400, 200, 100, 60]


@pytest.mark.requirement("A4.2")
def test_the_hint_of_drift_waits_for_two_candidates(client: Client, desk: Desk) -> None:
    desk.keep("Use SQLite")
    desk.refresh(drift=1)
    assert "CLAUDE.md" not in client.hook("session-start")
    desk.refresh(drift=2)
    assert "2 places of CLAUDE.md" in client.hook("session-start")


@pytest.mark.requirement("A1.2")
def test_a_start_never_costs_more_than_its_budget(client: Client, desk: Desk) -> None:
    for number in range(12):
        for kind in ("decision", "profile", "handover", "preference"):
            desk.keep(
                f"{kind} {number} 日本語の長い題名 " + "x" * 70,
                "長い本文。" * 150 + " long body" * 90,
                type=kind,
                key=f"k{number}" if kind == "profile" else None,
                scope="global" if kind == "preference" else "project",
            )
    desk.refresh(drift=9)
    told = client.hook("session-start")
    assert injection_tokens(told) <= SESSION_TOKENS
    assert "## In force" in told
    for title, share in (("In force", 500), ("How the developer works", 200)):
        section = told.split(f"## {title}\n")[1].split("\n## ")[0]
        assert injection_tokens(section) <= share


@pytest.mark.requirement("A1.3", "A4.2")
@pytest.mark.parametrize("source", SOURCES)
def test_a_stale_digest_shows_no_superseded_fact(
    client: Client, desk: Desk, source: str
) -> None:
    old = desk.keep("Readings are stored in local time")
    kept = desk.keep("Use SQLite")
    replaced(desk, old, "Readings are stored in UTC.")  # the digest is not made anew
    told = client.hook("session-start", source=source)
    assert "local time" not in told
    assert kept.id in told
    assert client.woken == 1


@pytest.mark.requirement("A1.3")
def test_a_deleted_and_an_edited_record_leave_a_stale_digest(
    client: Client, desk: Desk
) -> None:
    gone = desk.keep("Deploys happen on Fridays")
    edited = desk.keep("Use four spaces")
    delete_record(desk.store, desk.project.project_id, gone.id)
    with desk.store.writing() as tx:
        tx.execute("UPDATE records SET body = 'tabs' WHERE id = ?", (edited.id,))
    told = client.hook("session-start")
    assert "Fridays" not in told
    assert "four spaces" not in told


@pytest.mark.requirement("A1.3", "A4.2")
def test_a_digest_carries_the_version_of_the_store(client: Client, desk: Desk) -> None:
    desk.keep("Use SQLite")
    made = read_digest(str(client.home), desk.project.project_id)
    assert made is not None
    assert made.store_version == desk.store.version
    client.hook("session-start")
    assert client.woken == 0
    desk.store.touch(desk.project.project_id)
    client.hook("session-start")
    assert client.woken == 1


@pytest.mark.requirement("A4.2")
def test_what_is_only_inferred_is_not_in_the_digest(client: Client, desk: Desk) -> None:
    desk.keep("Perhaps they like tabs", confidence="inferred")
    desk.keep("Going on with the parser", type="handover", confidence="inferred")
    told = client.hook("session-start")
    assert "tabs" not in told
    assert "handover, since 2026-01-10, unconfirmed" in told


@pytest.mark.requirement("A4.2", "A10.2")
def test_what_an_agent_noted_is_no_preference_until_a_person_stands_for_it(
    client: Client, desk: Desk
) -> None:
    noted = desk.keep(
        "Never write comments",
        type="preference",
        scope="global",
        source="mcp_tool",
        trust="model",
    )
    assert "Never write comments" not in client.hook("session-start")
    confirm_record(desk.store, desk.project.project_id, noted.id)
    desk.refresh()
    assert "Never write comments" in client.hook("session-start")


@pytest.mark.requirement("A4.2")
@pytest.mark.parametrize(
    ("source", "given"),
    [
        pytest.param("resume", True, id="resume"),
        pytest.param("startup", True, id="startup"),
        pytest.param("compact", False, id="compact"),
        pytest.param("clear", False, id="clear"),
    ],
)
def test_a_compaction_and_a_clear_forget_what_was_given(
    client: Client, desk: Desk, source: str, *, given: bool
) -> None:
    desk.keep("The uploader retries", "It waits 2, 4 and 8 seconds.", type="discovery")
    prompt = "how long does the uploader wait when it retries?"
    assert client.hook("user-prompt-submit", prompt=prompt)
    client.hook("session-start", source=source)
    again = client.hook("user-prompt-submit", prompt=prompt)
    assert (again == "") is given


@pytest.mark.requirement("A4.2", "A4.3")
def test_what_the_start_showed_whole_is_not_given_again(
    client: Client, desk: Desk
) -> None:
    record = desk.keep("The uploader retries", "It waits 2, 4 and 8 seconds.")
    client.hook("session-start")
    assert read_state(str(client.home), SESSION).given == [record.id]
    prompt = "how long does the uploader wait when it retries?"
    assert client.hook("user-prompt-submit", prompt=prompt) == ""


@pytest.mark.requirement("A4.2")
def test_a_project_of_which_nothing_is_known_is_told_nothing(client: Client) -> None:
    assert client.hook("session-start") == ""


@pytest.mark.requirement("A4.2")
def test_without_a_store_nothing_is_told_and_none_is_made(
    tmp_path: Path, project: Path
) -> None:
    client = Client(tmp_path / "no-home", project)
    assert client.hook("session-start") == ""
    assert not (tmp_path / "no-home").exists()


@pytest.mark.requirement("A1.7", "A4.2")
def test_a_digest_that_was_removed_is_asked_for(client: Client, desk: Desk) -> None:
    desk.keep("Use SQLite")
    Path(digest_path(str(client.home), desk.project.project_id)).unlink()
    assert client.hook("session-start") == ""
    assert client.woken == 1


@pytest.mark.requirement("A4.2")
@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"{", id="cut"),
        pytest.param(b"[]", id="a list"),
        pytest.param(b'{"version": 1}', id="keys missing"),
        pytest.param(b'{"version": 99}', id="a version of later"),
        pytest.param(b"[" * 100_000, id="deep"),
        pytest.param(b"\xff\xfe", id="no text"),
    ],
)
def test_a_digest_that_is_none_is_no_failure(
    client: Client, desk: Desk, content: bytes
) -> None:
    desk.keep("Use SQLite")
    Path(digest_path(str(client.home), desk.project.project_id)).write_bytes(content)
    assert client.hook("session-start") == ""
    assert client.woken == 1


@pytest.mark.requirement("A4.2", "A3.3")
def test_a_store_that_cannot_be_read_shows_no_record_and_says_so(
    client: Client, desk: Desk
) -> None:
    desk.keep("Use SQLite")
    desk.store.close()
    (client.home / "agentctx.db").write_bytes(b"no database at all" * 100)
    told = client.hook("session-start")
    assert "degraded: STORE_FOREIGN" in told
    assert "SQLite" not in told
    assert (client.home / "agentctx.db").read_bytes() == b"no database at all" * 100


@pytest.mark.requirement("A4.2")
def test_every_token_of_a_start_is_counted(client: Client, desk: Desk) -> None:
    desk.keep("Use SQLite")
    told = client.hook("session-start")
    row = desk.store.db.execute(
        "SELECT tokens_injected FROM sessions WHERE session_id = ?", (SESSION,)
    ).fetchone()
    assert row[0] == injection_tokens(told)


@pytest.mark.requirement("A2.6", "A4.2")
def test_each_working_tree_goes_on_where_it_stopped(
    tmp_path: Path, client: Client, desk: Desk
) -> None:
    run = subprocess.check_call
    git = ["git", "-c", "user.email=a@b.example", "-c", "user.name=a"]
    run([*git, "init", "-q", str(client.cwd)])
    run([*git, "-C", str(client.cwd), "commit", "-q", "--allow-empty", "-m", "x"])
    tree = tmp_path / "feature"
    run([*git, "-C", str(client.cwd), "worktree", "add", "-q", str(tree)])
    desk.project = type(desk)(desk.store, client.cwd).project
    desk.keep("The main work", type="handover", confidence="inferred", key="")
    desk.keep("The feature", type="handover", confidence="inferred", key="feature")
    assert "The main work" in client.hook("session-start")
    told = client.hook("session-start", cwd=str(tree))
    assert "The feature" in told
    assert "The main work" not in told


@pytest.mark.requirement("A4.2", "A1.3")
def test_a_global_record_that_ends_leaves_every_digest(
    client: Client, desk: Desk, tmp_path: Path
) -> None:
    other = type(desk)(desk.store, tmp_path / "other")
    desk.keep("Answer in German", type="preference", scope="global")
    other.keep("Use Postgres")
    found = read_digest(str(client.home), desk.project.project_id)
    assert found is not None
    record = found.preferences[0].record_id
    new = Replacement(body="Answer in French.", source="cli", trust="developer")
    supersede_record(desk.store, other.project.project_id, record, new)
    other.refresh()
    renewed = read_digest(str(client.home), desk.project.project_id)
    assert renewed is not None
    assert "French" in renewed.preferences[0].text
    assert renewed.decisions == found.decisions


@pytest.mark.requirement("A4.2")
def test_the_same_store_makes_the_same_digest(client: Client, desk: Desk) -> None:
    desk.keep("Use SQLite")
    path = Path(digest_path(str(client.home), desk.project.project_id))
    first = path.read_bytes()
    client.clock.tick(timedelta(days=3))
    desk.refresh()
    assert path.read_bytes() == first
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_newer_store_is_left_alone(client: Client, desk: Desk) -> None:
    desk.keep("Use SQLite")
    desk.store.db.execute("PRAGMA user_version = 99")
    desk.store.close()
    told = client.hook("session-start")
    assert "degraded: STORE_TOO_NEW" in told
    assert "SQLite" not in told
    with pytest.raises(StoreTooNewError):
        store_at(client.home)


@pytest.mark.requirement("A4.2")
def test_a_new_project_begins_with_what_holds_everywhere(
    client: Client, desk: Desk, tmp_path: Path
) -> None:
    desk.keep("Use SQLite")
    desk.keep("Short commits", type="preference", scope="global")
    new = tmp_path / "new"
    (new / ".agentctx").mkdir(parents=True)
    told = client.hook("session-start", cwd=str(new))
    assert quoted(told)[0] == "project new"
    assert "Short commits" in told
    assert "SQLite" not in told
    assert client.woken == 1
    consolidate(desk.store, environ={})
    found = read_digest(str(client.home), resolve_project(new, environ={}).project_id)
    assert found is not None
    assert found.name == "new"
