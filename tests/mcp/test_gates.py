"""What is listed and what can be called: the four layers, read anew at every call."""

from __future__ import annotations

import itertools
import json
import shutil
from typing import TYPE_CHECKING

import pytest

from corpus.authority import RUNTIME_HARD_LIMITS
from corpus.grant import Limits
from corpus.mcp.hints import withheld_by
from corpus.mcp.table import TOOLS
from tests.corpora import HOME, write
from tests.mcp.serving import ERAS, call, command_of, desk_of, listed, served_corpus
from tests.trusted import (
    STATUS,
    editing_policy,
    grant_everything,
    grant_file,
    hash_of,
)

if TYPE_CHECKING:
    from pathlib import Path

    from corpus.mcp.table import Tool
    from tests.conftest import OutOfProcess

CONTEXT = "corpus.context"
CONTEXT_TOOLS = {
    "corpus.context_query",
    "corpus.context_bundle",
    "corpus.context_doctor",
    "corpus.candidate_validate",
}
ALL = RUNTIME_HARD_LIMITS
WITHOUT = ALL - {CONTEXT}
REASONS = (
    "RUNTIME_HARD_LIMIT",
    "OWNER_GRANT_LIMIT",
    "PROJECT_POLICY_LIMIT",
    "SESSION_LIMIT",
)
LAYERS = list(itertools.product((True, False), repeat=4))


def layers_name(layers: tuple[bool, ...]) -> str:
    return "-".join("held" if held else "withheld" for held in layers)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return served_corpus(tmp_path / "project")


@pytest.mark.requirement("P15.1", "P3.3")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("layers", LAYERS, ids=layers_name)
def test_the_context_tools_need_the_capability_in_all_four_layers(
    root: Path, layers: tuple[bool, bool, bool, bool], era: str
) -> None:
    hard, ceiling, policy, session = (ALL if held else WITHOUT for held in layers)
    write(root / HOME / "policy.toml", editing_policy(allow=sorted(policy)))
    grant_everything(root, capability_ceiling=ceiling)
    desk = desk_of(root, asked=session, hard_limits=hard)
    tools = listed(desk, era=era)
    answer = call(desk, "corpus.context_query", {"query": "gauge"}, era=era)
    if all(layers):
        assert set(tools) >= CONTEXT_TOOLS
        assert not answer.failed
    else:
        assert set(tools) & CONTEXT_TOOLS == set()
        assert answer.code == "CAPABILITY_DENIED"
        missing = [r for r, held in zip(REASONS, layers, strict=True) if not held]
        assert answer.value["facts"]["reasons"] == ", ".join(missing)


@pytest.mark.requirement("P15.1")
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_tool_needs_its_own_capability(root: Path, tool: Tool) -> None:
    name, capability = tool.name, tool.capability
    desk = desk_of(root, asked=ALL - {capability})
    expected = {one.name for one in TOOLS if capability not in one.capabilities}
    assert set(listed(desk)) == expected
    assert call(desk, name).code == "CAPABILITY_DENIED"
    asked = frozenset({*tool.capabilities, "mcp.stdio"})
    only = set(listed(desk_of(root, asked=asked)))
    assert only == {one.name for one in TOOLS if asked.issuperset(one.capabilities)}
    assert name in only


@pytest.mark.requirement("P15.1", "P13.1")
@pytest.mark.parametrize("missing", ["task.update", "state.update"])
@pytest.mark.parametrize("tool", ["task.activate", "task.close"])
def test_a_task_is_changed_only_where_state_may_be_too(
    root: Path, tool: str, missing: str
) -> None:
    before = {p: p.read_bytes() for p in (root / HOME).rglob("*.md")}
    desk = desk_of(root, asked=ALL - {missing})
    assert tool not in listed(desk)
    status = hash_of(root / STATUS)
    answer = call(desk, tool, {"id": "task-two", "expected_sha256": status})
    assert (answer.code, answer.value["facts"]["capability"]) == (
        "CAPABILITY_DENIED",
        missing,
    )
    assert before == {p: p.read_bytes() for p in (root / HOME).rglob("*.md")}


@pytest.mark.requirement("P15.1")
def test_who_may_not_call_a_tool_learns_nothing_of_its_arguments(root: Path) -> None:
    desk = desk_of(root, asked=ALL - {"corpus.stat"})
    answer = call(desk, "corpus.stat", {"unknown": 1})
    assert answer.code == "CAPABILITY_DENIED"


@pytest.mark.requirement("P15.1", "P3.3")
@pytest.mark.parametrize("era", ERAS)
def test_without_the_transport_nothing_is_listed_or_called(
    root: Path, era: str
) -> None:
    desk = desk_of(root)
    assert listed(desk, era=era)
    grant_everything(root, transports=frozenset({"cli"}))
    assert listed(desk, era=era) == {}
    answer = call(desk, "corpus.search", {"query": "gauge"}, era=era)
    assert answer.value["facts"]["reasons"] == "TRANSPORT_NOT_GRANTED"


@pytest.mark.requirement("P3.3")
def test_a_changed_policy_stops_writes_and_lets_reads_go_on(root: Path) -> None:
    desk = desk_of(root)
    write(root / HOME / "policy.toml", editing_policy() + "# changed\n")
    tools = listed(desk)
    assert "corpus.context_query" in tools
    assert {"state.update", "task.create", "report.create"} & set(tools) == set()
    assert not call(desk, "corpus.context_query", {"query": "gauge"}).failed
    answer = call(
        desk, "report.create", {"title": "A", "result": "PASS", "summary": "B"}
    )
    assert answer.value["facts"]["reasons"] == "POLICY_DRIFT"
    assert not list((root / HOME / "reports").glob("a*.md"))


@pytest.mark.requirement("P3.3")
def test_a_policy_that_narrows_itself_holds_at_the_next_call(root: Path) -> None:
    desk = desk_of(root)
    assert "corpus.search" in listed(desk)
    write(root / HOME / "policy.toml", editing_policy(allow=["mcp.stdio"]))
    assert listed(desk) == {}
    assert call(desk, "corpus.search", {"query": "a"}).code == "CAPABILITY_DENIED"


@pytest.mark.requirement("P3.3")
def test_a_revoked_grant_ends_everything_at_the_next_call(root: Path) -> None:
    desk = desk_of(root)
    assert not call(desk, "corpus.context_query", {"query": "gauge"}).failed
    grant_file(root).unlink()
    assert listed(desk) == {}
    answer = call(desk, "corpus.context_query", {"query": "gauge"})
    assert answer.code == "TRUST_MISSING"


@pytest.mark.requirement("P3.3")
def test_another_folder_in_the_project_s_place_is_refused(root: Path) -> None:
    desk = desk_of(root)
    assert not call(desk, "corpus.search", {"query": "gauge"}).failed
    copy = root.parent / "copy"
    shutil.copytree(root, copy)
    root.rename(root.parent / "moved")
    copy.rename(root)
    assert listed(desk) == {}
    answer = call(desk, "corpus.search", {"query": "gauge"})
    assert answer.code == "CAPABILITY_DENIED"
    assert "ROOT_IDENTITY_MISMATCH" in answer.value["facts"]["reasons"]


@pytest.mark.requirement("P3.3", "P15.3")
def test_a_project_that_is_gone_is_told_without_its_path(root: Path) -> None:
    desk = desk_of(root)
    shutil.rmtree(root)
    answer = call(desk, "corpus.search", {"query": "gauge"})
    assert answer.code == "ROOT_NOT_FOUND"
    assert str(root) not in answer.text


@pytest.mark.requirement("P15.1")
def test_a_policy_that_cannot_be_read_lists_nothing(root: Path) -> None:
    desk = desk_of(root)
    write(root / HOME / "policy.toml", "not toml")
    assert listed(desk) == {}
    assert call(desk, "corpus.search", {"query": "a"}).code == "POLICY_PARSE"


@pytest.mark.requirement("P14", "P15.2")
def test_the_limits_are_those_of_the_grant_in_use(root: Path) -> None:
    desk = desk_of(root)
    grant_everything(root, limits=Limits(sources=3))
    answer = call(desk, "corpus.context_query", {"query": "gauge"})
    assert answer.code == "CONTEXT_LIMIT"
    grant_everything(root, limits=Limits(sources=3_000))
    assert not call(desk, "corpus.context_query", {"query": "gauge"}).failed


@pytest.mark.requirement("P15.1", "P3.3")
@pytest.mark.parametrize(
    ("options", "code"),
    [
        pytest.param(["--allow", "corpus.context"], "CAPABILITY_DENIED", id="unasked"),
        pytest.param(["--allow", "corpus.all"], "CAPABILITY_UNKNOWN", id="unknown"),
        pytest.param(
            ["--trust", "/nowhere/nowhere.toml"], "TRUST_MISSING", id="no grant"
        ),
        pytest.param(["--results", "both"], "USAGE", id="results"),
    ],
)
def test_the_server_refuses_to_start(
    root: Path, program: OutOfProcess, options: list[str], code: str
) -> None:
    words = command_of(root)[5:]
    outcome = program(*words, *options, cwd=root)
    assert (outcome.status, outcome.out) == (2, "")
    assert json.loads(outcome.err)["error"] == code


@pytest.mark.requirement("P15.1", "P3.3")
@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"capability_ceiling": ALL - {"mcp.stdio"}}, id="the ceiling"),
        pytest.param({"transports": frozenset({"cli"})}, id="the transport"),
        pytest.param({"root_identity": "posix:1:1"}, id="the root"),
    ],
)
def test_the_server_refuses_to_start_where_the_grant_withholds(
    root: Path, program: OutOfProcess, changes: dict[str, object]
) -> None:
    grant_everything(root, **changes)
    outcome = program(*command_of(root)[5:], cwd=root)
    assert (outcome.status, outcome.out) == (2, "")
    assert json.loads(outcome.err)["error"] == "CAPABILITY_DENIED"


@pytest.mark.requirement("P15.1", "P3.3")
def test_a_server_that_can_list_no_tool_says_who_withholds(
    root: Path, program: OutOfProcess
) -> None:
    words = command_of(root)[5:]
    assert program(*words, cwd=root).err == ""
    grant_everything(root, capability_ceiling=frozenset({"mcp.stdio"}))
    outcome = program(*words, "--allow", "mcp.stdio", "--allow", "audit.read", cwd=root)
    assert (outcome.status, outcome.out) == (0, "")
    (line,) = outcome.err.splitlines()
    assert line.startswith("project-corpus mcp: no tool can be listed")
    assert withheld_by(["OWNER_GRANT_LIMIT", "SESSION_LIMIT"]) in line
