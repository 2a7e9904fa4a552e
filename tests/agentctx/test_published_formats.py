"""What `agentctx` really prints fits the formats that are published for it."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, get_args

import pytest

from agentctx.cli.team_import import WAITS
from agentctx.drift.differences import Held
from agentctx.drift.proposal import MOST_ADDED
from agentctx.failures import note_failure
from agentctx.records.memories import note_memory
from agentctx.records.model import CONFIDENCES, SCOPES, SOURCES, TRUSTS, TYPES
from agentctx.records.transcripts import Source, hear
from agentctx.team.standing import STATES
from tests.agentctx.answers import namespace
from tests.agentctx.branching import Clone
from tests.agentctx.claude_host import Host
from tests.agentctx.extraction.conftest import decision, found
from tests.agentctx.hooked import SESSION, start_hook
from tests.agentctx.llm.fakeapi import FakeApi, Says
from tests.agentctx.memory.memories import memory_at, say
from tests.agentctx.spoken import transcript
from tests.agentctx.test_cli_status import damage
from tests.agentctx.working import at_work, wall
from tests.published_formats import EXPORTS, Json, example_of, problems, schema_of
from tests.recorded import store_at

if TYPE_CHECKING:
    from pathlib import Path

    from tests.agentctx.spoken import Transcript
    from tests.conftest import InProcess, Outcome

FORMATS = (
    "agentctx-status",
    "branch-status",
    "drift",
    "hook",
    "records",
    "registration",
    "session-review",
    "team-import",
    "team-status",
    "work",
)
UTC, SAID = "Store readings in UTC", "Let's store readings in UTC everywhere."


def fits(name: str, text: str) -> Json:
    """Read what was printed and hold it to its format."""
    value = json.loads(text)
    assert problems(name, value) == []
    return value


def printed(name: str, done: Outcome, *, status: int = 0) -> Json:
    assert done.status == status, done.err
    return fits(name, done.out)


def let_ask(patch: pytest.MonkeyPatch, api: FakeApi) -> None:
    patch.setenv("AGENTCTX_MEMORY", "0")
    patch.setenv("ANTHROPIC_API_KEY", "sk-x")
    patch.setenv("ANTHROPIC_BASE_URL", api.url)


def extract(run: InProcess, said: Transcript) -> Json:
    words = ("--session-id", said.session, "--transcript", str(said.path))
    return printed("work", run("extract", *words))


@pytest.mark.parametrize("name", FORMATS)
def test_what_a_program_may_read_of_agentctx_has_a_format(name: str) -> None:
    assert schema_of(name)["required"]
    assert problems(name, example_of(name)) == []


@pytest.mark.requirement("A2.1", "A7.2")
def test_the_schemas_know_every_word_that_the_program_does() -> None:
    review = schema_of("session-review")["properties"]["records"]["items"]
    fields = review["properties"]
    assert tuple(fields["type"]["enum"]) == TYPES
    assert tuple(fields["scope"]["enum"]) == SCOPES
    assert tuple(fields["confidence"]["enum"]) == CONFIDENCES
    assert tuple(fields["source"]["enum"]) == SOURCES
    assert tuple(fields["trust"]["enum"]) == TRUSTS
    counts = schema_of("agentctx-status")["properties"]["records"]["properties"]
    assert tuple(counts["by_type"]["propertyNames"]["enum"]) == TYPES
    assert tuple(counts["by_confidence"]["propertyNames"]["enum"]) == CONFIDENCES
    drift = schema_of("drift")
    assert drift["$defs"]["held"]["enum"] == [*get_args(Held), None]
    missing = drift["properties"]["missing"]["items"]["properties"]
    assert tuple(missing["type"]["enum"]) == TYPES


@pytest.mark.requirement("A4.3", "A6.8", "A7.2")
def test_the_examples_tell_one_story() -> None:
    review, worked = example_of("session-review"), example_of("work")
    drift, card = example_of("drift"), example_of("agentctx-status")
    assert len(review["records"]) == worked["records"]
    assert review["session"]["project_id"] == card["project"]["project_id"]
    assert review["session"]["tokens_injected"] == card["tokens_injected"]["total"]
    assert review["session"]["cost_usd"] == card["cost_usd"]["total"]
    made = {one["id"] for one in review["records"]}
    assert made & {one["id"] for one in drift["missing"]}
    given = example_of("hook")["hookSpecificOutput"]["additionalContext"]
    (stale,) = (one for one in drift["contradicted"] if one["file"] == "CLAUDE.md")
    assert f"[{stale['id']}]" in given
    assert stale["superseded"] not in given
    whole = f"{drift['proposed_diff']}\n{drift['own_diff']}"
    assert hashlib.sha256(whole.encode()).hexdigest().startswith(drift["plan"])


@pytest.mark.requirement("A4.1")
def test_what_hooks_print_fits(
    agentctx: InProcess, store_home: Path, project: Path
) -> None:
    for number in range(40):
        words = f"The gauge number {number} reports the wind of the north tower"
        body = f"{words}. " + "Its readings are long. " * 60
        agentctx("add", "decision", words, "--body", body[:1990])
    agentctx("consolidate")
    prompt = "what does the gauge report of the wind of the north tower"
    asked: dict[str, dict[str, str]] = {
        "session-start": {"source": "startup"},
        "user-prompt-submit": {"prompt": prompt},
        "subagent-start": {"agent_id": "a1", "agent_type": "Explore"},
    }
    payload = {"session_id": SESSION, "cwd": str(project), "transcript_path": ""}
    names = schema_of("hook")["properties"]["hookSpecificOutput"]["properties"]
    for event, name in zip(asked, names["hookEventName"]["enum"], strict=True):
        done = start_hook(event, {**payload, **asked[event]}, store_home)
        value = fits("hook", done.stdout.decode())
        assert value["hookSpecificOutput"]["hookEventName"] == name
    for event in ("stop", "session-end", "pre-compact", "post-tool-use"):
        assert start_hook(event, payload, store_home).stdout == b""


@pytest.mark.requirement("A9")
def test_what_status_prints_fits(
    agentctx: InProcess, store_home: Path, project: Path
) -> None:
    printed("agentctx-status", agentctx("status"))
    agentctx("add", "decision", "Readings are stored in UTC")
    agentctx("add", "preference", "Tabs", "--scope", "global")
    below = project / "below"
    (below / ".agentctx").mkdir(parents=True)
    note_failure(str(store_home), "stop", "BUG", "KeyError in x.py:3", now=wall())
    with at_work(store_home):
        value = printed("agentctx-status", agentctx("status", cwd=below))
    assert value["above"]["project_id"] == namespace(project)
    assert value["worker"]["running"]
    assert value["last_errors"]
    (store_home / "config.json").write_text("{", encoding="utf-8")
    degraded = printed("agentctx-status", agentctx("status"))["degraded"]
    assert {one["code"] for one in degraded} == {"CONFIG_UNREADABLE", "no-llm"}


@pytest.mark.requirement("A9", "M8.1(a)")
def test_what_status_and_work_print_of_a_memory_fits(
    agentctx: InProcess, store_home: Path, project: Path
) -> None:
    with memory_at(project) as memory:
        say(memory)
    with store_at(store_home) as store, store.writing() as tx:
        note_memory(tx, str(project), asks=False, now=wall())
    assert printed("work", agentctx("work", "--now"))["memory"]["waiting"]
    assert printed("agentctx-status", agentctx("status"))["memory"]["retry_at"]
    for path in (project / ".agentctx").glob("memory.db*"):
        path.write_bytes(b"no database" * 99)
    assert printed("agentctx-status", agentctx("status"))["memory"]["problem"]
    (project / ".agentctx" / "memory.off").touch()
    assert printed("agentctx-status", agentctx("status"))["memory"]["why"] == "off"


@pytest.mark.requirement("A9")
@pytest.mark.parametrize("kind", ["garbage", "newer", "corrupt", "folder"])
def test_what_status_prints_of_a_broken_store_fits(
    agentctx: InProcess, store_home: Path, kind: str
) -> None:
    damage(agentctx, store_home, kind)
    value = printed("agentctx-status", agentctx("status"))
    assert value["store"]["changes"] is None
    assert value["degraded"]


@pytest.mark.requirement("A1.1", "A6.2")
def test_what_work_prints_fits(
    agentctx: InProcess, store_home: Path, project: Path
) -> None:
    printed("work", agentctx("work", "--now"))
    gone = Source("gone", namespace(project), str(project), str(project / "no.jsonl"))
    with store_at(store_home) as store, store.writing() as tx:
        hear(tx, gone, now=wall())
    value = printed("work", agentctx("work", "--now"))
    assert value["problems"] == ["TRANSCRIPT_UNREADABLE"]
    with at_work(store_home):
        assert printed("work", agentctx("work"))["busy"]


@pytest.mark.requirement("A6.3", "A6.8")
def test_what_a_review_prints_fits(
    agentctx: InProcess, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = transcript(project, project, "s1").turn(SAID)
    review = ("review-session", "s1")
    extract(agentctx, said)
    (span,) = printed("session-review", agentctx(*review))["left_out"]
    assert span["problem"] == "NO_LLM"
    entries = [decision(UTC), decision("Nobody ever said this"), {"what": 3}]
    with FakeApi([Says(found(decisions=entries))]) as api:
        let_ask(monkeypatch, api)
        value = printed("session-review", agentctx(*review, "--extract"))
    assert set(value["outcomes"]) >= {"schema", "stored", "unsupported"}
    (made,) = (one["id"] for one in value["records"] if one["type"] == "decision")
    agentctx("show", made)
    confirmed = printed("session-review", agentctx(*review, "--confirm", made))
    assert confirmed["confirmed"] == [made]
    rejected = printed("session-review", agentctx(*review, "--reject", made))
    assert rejected["rejected"] == [made]
    said.path.unlink()
    extract(agentctx, transcript(project, project, "s2").turn(SAID))
    printed("session-review", agentctx("review-session", "s2"))


@pytest.mark.requirement("A6.8")
def test_a_review_of_a_session_that_no_hook_began_fits(
    agentctx: InProcess,
    store_home: Path,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said = transcript(project, project, "s1").turn(SAID)
    source = Source("s1", namespace(project), str(project), str(said.path), asks=True)
    with store_at(store_home) as store, store.writing() as tx:
        hear(tx, source, now=wall(), ended=True)
    with FakeApi([Says(found(decisions=[decision(UTC)]))]) as api:
        let_ask(monkeypatch, api)
        printed("work", agentctx("work", "--now"))
    value = printed("session-review", agentctx("review-session", "s1"))
    assert value["session"]["project_id"] is None
    assert value["session"]["cost_usd"] > 0


@pytest.mark.requirement("A8.6")
def test_what_branch_status_prints_fits(agentctx: InProcess, tmp_path: Path) -> None:
    clone = Clone(tmp_path / "else")
    clone.close()
    clone.on("utc")
    agentctx("add", "decision", UTC, "--branch", cwd=clone.root)
    value = printed("branch-status", agentctx("branch", "status", cwd=clone.root))
    assert [one["branch"] for one in value["records"]] == ["utc"]
    printed("agentctx-status", agentctx("status", cwd=clone.root))


@pytest.mark.requirement("A7.2")
def test_what_sync_prints_fits(agentctx: InProcess, project: Path) -> None:
    assert printed("drift", agentctx("sync"))["changes"] == []
    page = project / "CLAUDE.md"
    old, new = "Readings are kept in Redis", "Readings are kept in PostgreSQL"
    made = json.loads(agentctx("add", "decision", old).out)["record"]["id"]
    page.write_text(f"# Rules\n\n@none.md\n\n- {old}\n", encoding="utf-8")
    words = ("--title", new, "--body", f"{new}.", "--rationale", "It lasts.")
    agentctx("supersede", made, *words)
    for number in range(MOST_ADDED + 2):
        title = f"Sensor {number} is mounted on mast {number * 7} by crane"
        agentctx("add", "decision", title)
    value = printed("drift", agentctx("sync", "--check"), status=1)
    assert "later" in {one["held"] for one in value["missing"]}
    assert value["contradicted"]
    assert value["findings"]
    assert printed("drift", agentctx("sync"), status=2)["plan"] == value["plan"]
    done = printed("drift", agentctx("sync", "--apply", "1,2"))
    assert (done["applied"], done["written"]) == ([1, 2], ["CLAUDE.md"])
    agentctx("delete", changed_ids(done)[1], "--yes")
    gone = printed("drift", agentctx("sync", "--check"), status=1)
    assert gone["deleted"] == 1


def changed_ids(value: Json) -> list[str]:
    return [one["id"] for one in value["changes"]]


@pytest.mark.requirement("A1.5", "A4.9")
def test_what_init_prints_fits(
    monkeypatch: pytest.MonkeyPatch, user_home: Path, store_home: Path, project: Path
) -> None:
    host = Host(monkeypatch, user=user_home, home=store_home, project=project)
    value = printed("registration", host.run("init", "--dry-run"))
    assert (value["client"], value["files"]) == (None, [])
    taken = '{"mcpServers": {"agentctx": {"command": "other"}}}'
    host.has('{"disableAllHooks": true, "model": "opus"}', taken)
    monkeypatch.setenv("PATH", "")
    value = printed("registration", host.run("init", "--dry-run"))
    assert {one["code"] for one in value["warnings"]} == {
        "HOOKS_DISABLED",
        "PROGRAM_NOT_ON_PATH",
        "SERVER_NAME_TAKEN",
    }
    assert printed("registration", host.run("init"), status=2) == value
    (project / "Makefile").write_text("test:\n\ttrue\n", encoding="utf-8")
    (project / "package.json").write_text("{", encoding="utf-8")
    done = printed("registration", host.run("init", "--yes"))
    assert done["applied"]
    assert done["profile"]["problems"]
    again = printed("registration", host.run("init", "--yes"))
    assert {one["action"] for one in again["files"]} == {"none"}


@pytest.mark.requirement("A8.1", "A8.2")
def test_what_sharing_prints_and_writes_fits(
    agentctx: InProcess, project: Path
) -> None:
    example = (EXPORTS / "team-context" / "team-context.example.md").read_bytes()
    file = project / ".agentctx" / "context.md"
    file.write_bytes(example)
    plan = printed("team-import", agentctx("team", "import", "--dry-run"))
    done = printed("team-import", agentctx("team", "import", "--yes"))
    assert len(plan["added"]) == len(done["added"]) == 3
    assert len(printed("team-status", agentctx("team", "status"))["blocks"]) == 3
    assert agentctx("team", "export").status == 0
    assert file.read_bytes() == example
    file.write_bytes(example.replace(b"Also in", b"Not in").replace(b" id=", b" i=", 1))
    printed("team-import", agentctx("team", "import", "--dry-run"), status=1)
    printed("team-status", agentctx("team", "status"))
    schema = schema_of("team-status")["$defs"]
    assert tuple(schema["block"]["properties"]["state"]["enum"]) == STATES
    assert set(schema["held"]["properties"]["reason"]["enum"]) == set(WAITS)
