"""What is said to do after a refusal: commands to people, tools to agents."""

from __future__ import annotations

import itertools
import re
import shlex
from typing import TYPE_CHECKING, Any

import pytest

import corpus.errors
import corpus.refusals
from corpus.authority import RUNTIME_HARD_LIMITS, Session
from corpus.confined.reader import open_root
from corpus.grant import Limits
from corpus.mandate import mandate_for
from corpus.mcp.hints import hint_for
from corpus.mcp.table import TOOLS
from corpus.policy import CAPABILITIES
from corpus.protocol.layout import REPORT, STATUS, TASK
from corpus.refusals import CapabilityDeniedError
from tests.corpora import HOME, policy_page, write
from tests.mcp.serving import call, desk_of, served_corpus
from tests.trusted import STATUS as STATUS_PATH
from tests.trusted import editing_policy, grant_everything, grant_file, hash_of

if TYPE_CHECKING:
    from pathlib import Path

    from corpus.errors import CodedError
    from corpus.mcp.desk import Desk

ALL = RUNTIME_HARD_LIMITS
UNSPEAKABLE = re.compile("project-corpus |docs/|--")
"""What an agent that has only tools cannot use."""

NONE = {"candidate": {"schema_version": "1"}}
NEVER_SAID = {
    *("INTERRUPTED", "POLICY_DENIED", "INDEX_KEY", "LEDGER_UNREADABLE"),
    *("INDEX_MISSING", "INDEX_PATH", "INDEX_CORRUPT", "INDEX_SCHEMA_MISMATCH"),
    *("INDEX_KEY_MISMATCH", "INDEX_PROJECT_MISMATCH", "INDEX_STALE"),
    *("BUNDLE_SCHEMA", "BUNDLE_HASH", "BUNDLE_SIZE", "BUNDLE_PROJECT"),
    *("EVAL_SCHEMA", "EVAL_LIMIT", "CONTEXT_INPUT_PATH", "INPUT_JSON"),
    *("INIT_TARGET_EXISTS", "INIT_VALUE", "OUTPUT_FAILED"),
    *("CAPABILITY_UNKNOWN", "TRUST_EXISTS", "TRUST_CHANGED", "TRUST_STATE"),
    *("TRUST_ROOT", "TRUST_UNWRITABLE", "CONFIRMATION_NEEDED"),
    *("RESOLUTION_IMPOSSIBLE", "TRANSACTION_AMBIGUOUS"),
    *("CANDIDATE_UNCITED", "CANDIDATE_UNKNOWN", "CANDIDATE_AMBIGUOUS"),
    *("CANDIDATE_EXISTS", "CANDIDATE_IN_DOUBT"),
}
"""Codes of commands that no tool runs."""

SAID = [
    error
    for module in (corpus.errors, corpus.refusals)
    for name, error in vars(module).items()
    if name.endswith("Error") and name != "CodedError"
    if not error.code.startswith("STORE_") and error.code not in NEVER_SAID
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return served_corpus(tmp_path / "project")


def hint_of(root: Path, capability: str, session: Session | None = None) -> str:
    with open_root(root) as opened:
        found = mandate_for(opened, root, grant_file(root), session or Session("cli"))
    with pytest.raises(CapabilityDeniedError) as caught:
        found.require(capability)
    return caught.value.hint


def command_in(hint: str) -> list[str]:
    (command,) = re.findall("`(project-corpus trust create [^`]*)`", hint)
    return shlex.split(command)


def allowed_by(words: list[str]) -> set[str]:
    return {b for a, b in itertools.pairwise(words) if a == "--allow"}


def an(error: type[CodedError]) -> CodedError:
    """Make an error whose every fact is a word."""
    facts = dict.fromkeys(re.findall(r"\{(\w+)\}", error.sentence), "word")
    return error(**facts)


@pytest.mark.requirement("P3.3")
def test_the_command_that_grants_one_more_takes_nothing_away(root: Path) -> None:
    ceiling = frozenset({"corpus.read", "mcp.stdio"})
    grant_everything(root, capability_ceiling=ceiling)
    words = command_in(hint_of(root, "corpus.context"))
    assert words[:4] == ["project-corpus", "trust", "create", "--replace"]
    assert allowed_by(words) == ceiling | {"corpus.context"}
    assert "--transport" not in words
    limits = Limits(sources=7, total_bytes=8, nonblank_lines=9)
    cli = frozenset({"cli"})
    grant_everything(root, capability_ceiling=ceiling, transports=cli, limits=limits)
    hint = hint_of(root, "corpus.context")
    assert "--transport cli --max-sources 7 --max-bytes 8 --max-lines 9`" in hint
    hint = hint_of(root, "mcp.stdio", Session("stdio-mcp"))
    assert allowed_by(command_in(hint)) == ceiling
    assert "--transport" not in hint


@pytest.mark.requirement("P3.3")
def test_the_policy_is_told_before_the_grant(root: Path) -> None:
    write(root / HOME / "policy.toml", policy_page())
    grant_everything(root, capability_ceiling=frozenset({"corpus.read"}))
    hint = hint_of(root, "task.update", Session("cli", frozenset()))
    told = ["policy.toml", "SAFE_EDIT", "trust create", "the session"]
    places = [hint.index(one) for one in told]
    assert places == sorted(places)
    assert allowed_by(command_in(hint)) == {"corpus.read", "task.update"}
    grant_everything(root)
    hint = hint_of(root, "audit.read")
    assert hint.index("policy.toml") < hint.index("approve-policy")
    assert "trust create" not in hint
    assert "SAFE_EDIT" not in hint


@pytest.mark.requirement("P3.3", "P3.1")
def test_another_folder_may_be_a_move_or_a_second_checkout(root: Path) -> None:
    grant_everything(root, root_identity="posix:1:1")
    hint = hint_of(root, "corpus.read")
    assert hint.index("trust renew") < hint.index("trust create --trust FILE")
    assert "`--trust FILE` at each command" in hint


@pytest.mark.requirement("P3.3")
@pytest.mark.parametrize(
    ("changes", "word"),
    [
        pytest.param({"project_id": "demo-two"}, "this project", id="project"),
        pytest.param({"policy_sha256": "0" * 64}, "approve-policy", id="drift"),
        pytest.param({"transports": frozenset({"stdio-mcp"})}, "--allow", id="way"),
    ],
)
def test_each_layer_has_a_next_step(
    root: Path, changes: dict[str, Any], word: str
) -> None:
    grant_everything(root, **changes)
    assert word in hint_of(root, "state.update")
    assert "no grant" in hint_of(root, min(CAPABILITIES - ALL))


@pytest.mark.requirement("P15.3")
@pytest.mark.parametrize("error", SAID, ids=lambda error: error.code)
def test_no_hint_to_an_agent_names_a_command_or_a_page(
    error: type[CodedError],
) -> None:
    hint = hint_for(an(error))
    assert hint.strip()
    assert not UNSPEAKABLE.search(hint)
    assert "\n" not in hint


@pytest.mark.requirement("P15.3")
@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("corpus.show", {"path": "report-one", "lines": "999"}, "USAGE"),
        ("corpus.show", {"path": "none"}, "ARTIFACT_NOT_FOUND"),
        ("corpus.timeline", {"selector": "none"}, "ARTIFACT_NOT_FOUND"),
        ("corpus.read", {"path": "AGENTS.md"}, "READ_SCOPE_DENIED"),
        ("corpus.read", {"path": f"{HOME}/tasks/none.md"}, "FILE_UNREADABLE"),
        ("corpus.context_query", {"query": "a", "path": "/x"}, "POLICY_SCOPE"),
        ("corpus.context_query", {"query": " "}, "QUERY_EMPTY"),
        ("corpus.context_query", {"query": "a", "limit": 0}, "QUERY_LIMIT"),
        ("corpus.candidate_validate", NONE, "CANDIDATE_SCHEMA"),
        ("report.create", {"id": "abc", "content": "x"}, "ARTIFACT_CONFORMANCE"),
        ("task.create", {"id": "abc", "content": "x"}, "ARTIFACT_CONFORMANCE"),
        (
            "task.close",
            {"id": "none", "expected_sha256": "STATUS"},
            "TARGET_MISSING",
        ),
        (
            "task.activate",
            {"id": "task-one", "expected_sha256": "STATUS"},
            "TASK_STATUS",
        ),
        (
            "state.update",
            {"content": "x", "expected_sha256": "STATUS"},
            "STATE_CONFORMANCE",
        ),
        (
            "task.close",
            {"id": "task-one", "expected_sha256": "0" * 64},
            "STALE_HASH",
        ),
        ("audit.read", {"transaction_id": "0" * 32}, "TRANSACTION_UNKNOWN"),
    ],
)
def test_a_failure_speaks_of_tools(
    root: Path, tool: str, arguments: dict[str, Any], code: str
) -> None:
    known = hash_of(root / STATUS_PATH)
    asked = {k: known if v == "STATUS" else v for k, v in arguments.items()}
    answer = call(desk_of(root), tool, asked)
    assert answer.code == code
    assert not UNSPEAKABLE.search(answer.value["hint"])


def broken(root: Path, how: str) -> Desk:
    """Give the desk of a project where only a person can help."""
    if how == "revoked":
        grant_file(root).unlink()
    elif how == "unsafe":
        grant_file(root).chmod(0o666)
    elif how == "too much":
        grant_everything(root, limits=Limits(sources=2))
    elif how == "policy":
        write(root / HOME / "policy.toml", "not toml")
    elif how == "narrow":
        write(root / HOME / "policy.toml", editing_policy(allow=["mcp.stdio"]))
    elif how == "moved":
        grant_everything(root, root_identity="posix:1:1")
    return desk_of(root)


@pytest.mark.requirement("P15.3", "P3.3")
@pytest.mark.parametrize(
    ("how", "code"),
    [
        ("revoked", "TRUST_MISSING"),
        ("unsafe", "TRUST_UNSAFE"),
        ("too much", "CONTEXT_LIMIT"),
        ("policy", "POLICY_PARSE"),
        ("narrow", "CAPABILITY_DENIED"),
        ("moved", "CAPABILITY_DENIED"),
    ],
)
def test_where_only_a_person_can_act_the_owner_is_named(
    root: Path, how: str, code: str
) -> None:
    answer = call(broken(root, how), "corpus.context_query", {"query": "gauge"})
    assert answer.code == code
    assert "ask the project's owner" in answer.value["hint"]
    assert not UNSPEAKABLE.search(answer.value["hint"])


@pytest.mark.requirement("P15.3", "P13.1")
@pytest.mark.parametrize(
    ("tool", "needs"),
    [("state.update", STATUS), ("task.create", TASK), ("report.create", REPORT)],
    ids=["status", "task", "report"],
)
def test_a_text_that_does_not_conform_is_told_what_it_must_carry(
    root: Path,
    tool: str,
    needs: Any,  # noqa: ANN401 - one of the requirements
) -> None:
    asked = {"content": "# Nothing\n", "id": "abc"}
    if tool == "state.update":
        asked = {"content": "x", "expected_sha256": hash_of(root / STATUS_PATH)}
    hint = call(desk_of(root), tool, asked).value["hint"]
    for word in (*needs.metadata, *needs.sections, *sum(needs.allowed.values(), ())):
        assert word in hint


def test_every_tool_is_named_where_a_hint_names_one() -> None:
    known = {tool.name for tool in TOOLS}
    hints = " ".join(hint_for(an(error)) for error in SAID)
    named = re.findall(r"(?:corpus|state|task|report|audit)\.[a-z_]+", hints)
    assert named
    assert set(named) <= known
