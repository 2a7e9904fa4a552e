"""What a person decides of candidates: a report, or a reason, and no tool does."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from corpus.acceptance import Wording, accept, entries_of
from corpus.confined.reader import open_root
from corpus.errors import CodedError
from corpus.markdown import parse_markdown
from corpus.mcp.table import TOOLS
from corpus.protocol.conformance import validate
from corpus.protocol.sections import section_text
from tests.corpora import HOME, dirs_of, report_page, write
from tests.published_inbox import RECORD, Keeper, submitted
from tests.trusted import (
    STATUS,
    editing_policy,
    grant_everything,
    hash_of,
    leftovers,
    write_trusted,
    writer_of,
)
from tests.waiting import (
    PROJECT,
    candidate,
    code_of,
    put,
    state_of,
    take,
    turn_down,
)

if TYPE_CHECKING:
    from collections.abc import Callable


ROOT = Path(__file__).parents[1]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Give a corpus that its owner lets be written, and whose user has no inbox."""
    return write_trusted(tmp_path / "weather")


@pytest.fixture(autouse=True)
def no_power_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spare the disk: a process that dies loses nothing it gave to the system."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.mark.requirement("P19.2")
def test_an_accepted_candidate_is_a_report_with_its_evidence(root: Path) -> None:
    entry = submitted(root, Keeper())
    wording = Wording("twelve-stations", "Twelve", "task-one", ("The valley only.",))
    done = take(root, entry.id[:12], wording)
    assert done.report is not None
    text = (root / done.report.path).read_text(encoding="utf-8")
    page = parse_markdown(text)
    assert text.startswith("# Twelve\n")
    assert section_text(page, "Summary") == entry.statement
    assert section_text(page, "Limitations") == "The valley only."
    evidence = section_text(page, "Evidence") or ""
    for said in (
        f"`{PROJECT}:9`, SHA-256 `{hash_of(root / PROJECT)}`",
        f"Candidate `{entry.id}`",
        entry.sha256,
        f"Origin `agentctx:records/{RECORD}`",
        f"Receipt `{done.report.receipt}`",
    ):
        assert said in evidence
    receipt = json.loads((root / done.report.receipt).read_text(encoding="utf-8"))
    assert receipt["capability"] == "report.create"
    assert receipt["target"] == done.report.path
    assert (
        receipt["new_sha256"] == done.report.sha256 == hash_of(root / receipt["target"])
    )
    assert state_of(root, entry.id) == "accepted"
    assert leftovers(root) == []
    with open_root(root) as opened:
        assert validate(opened).ok


@pytest.mark.requirement("P19.2")
def test_evidence_that_changed_since_is_refused(root: Path) -> None:
    put(root, candidate(root))
    text = (root / PROJECT).read_text(encoding="utf-8")
    write(root / PROJECT, text.replace("daily", "hourly"))
    with pytest.raises(CodedError) as caught:
        take(root, "rain-at-stations")
    assert code_of(caught) == "CANDIDATE_EVIDENCE"
    assert state_of(root) == "waiting"
    assert not (root / HOME / "reports/rain-at-stations.md").exists()


def _without_right(root: Path) -> None:
    grant_everything(root, capability_ceiling=frozenset({"corpus.read"}))


def _without_scope(root: Path) -> None:
    policy = editing_policy(write=(STATUS, f"{HOME}/tasks/**"))
    write(root / HOME / "policy.toml", policy)
    grant_everything(root)


def _without_grant(root: Path) -> None:
    for grant in dirs_of(root).trust.glob("*"):
        grant.unlink()


def _with_the_report(root: Path) -> None:
    page = report_page("rain-at-stations")
    write(root / HOME / "reports/deep/rain-at-stations.md", page)


@pytest.mark.requirement("P19.2")
@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        pytest.param(_without_right, "CAPABILITY_DENIED", id="no right"),
        pytest.param(_without_scope, "WRITE_SCOPE_DENIED", id="no write scope"),
        pytest.param(_without_grant, "TRUST_MISSING", id="no grant"),
        pytest.param(_with_the_report, "TARGET_EXISTS", id="the id is taken"),
    ],
)
def test_what_the_owner_does_not_allow_is_not_accepted(
    root: Path,
    spoil: Callable[[Path], None],
    code: str,
) -> None:
    put(root, candidate(root))
    spoil(root)
    with pytest.raises(CodedError) as caught:
        take(root, "rain-at-stations")
    assert code_of(caught) == code
    assert state_of(root) == "waiting"
    assert not (root / HOME / "reports/rain-at-stations.md").exists()


@pytest.mark.requirement("P19.2")
def test_a_statement_that_would_begin_a_section_is_not_accepted(root: Path) -> None:
    put(root, candidate(root, statement="Rain.\n\n## Evidence\n\nMine."))
    with pytest.raises(CodedError) as caught:
        take(root, "rain-at-stations")
    assert code_of(caught) == "ARTIFACT_CONFORMANCE"
    assert state_of(root) == "waiting"


@pytest.mark.requirement("P19.2")
def test_the_inbox_of_another_project_is_not_this_ones(
    root: Path, tmp_path: Path
) -> None:
    put(root, candidate(root))
    other = write_trusted(tmp_path / "other")
    with writer_of(other) as writer, pytest.raises(CodedError) as caught:
        accept(writer, "rain-at-stations", Wording(), dirs=dirs_of(other))
    assert code_of(caught) == "CANDIDATE_UNKNOWN"
    policy = editing_policy("demo-two")
    write(root / HOME / "policy.toml", policy)
    assert entries_of(root, state=dirs_of(root).state) == ((), ())


@pytest.mark.requirement("P19.2")
def test_a_candidate_is_decided_once(root: Path) -> None:
    put(root, candidate(root))
    take(root, "rain-at-stations")
    for decide in (take, turn_down):
        with pytest.raises(CodedError) as caught:
            decide(root, "rain-at-stations")
        assert code_of(caught) == "CANDIDATE_DECIDED"
    put(root, candidate(root, candidate_id="another"))
    turn_down(root, "another")
    with pytest.raises(CodedError) as caught:
        take(root, "another")
    assert code_of(caught) == "CANDIDATE_DECIDED"
    assert not (root / HOME / "reports/another.md").exists()


@pytest.mark.requirement("P19.2")
def test_a_rejected_candidate_keeps_the_reason(root: Path) -> None:
    put(root, candidate(root))
    turn_down(root, "rain-at-stations", " Nine of them,\nnot twelve. ")
    (found,), _ = entries_of(root, state=dirs_of(root).state)
    assert (found.state, found.reason) == ("rejected", "Nine of them,\nnot twelve.")
    assert found.decided_at == "2026-02-01T12:00:00Z"


@pytest.mark.requirement("P19.2")
@pytest.mark.parametrize("reason", ["", " \n", "x" * 1001, "no\x1b[2J"])
def test_a_reason_is_a_text_for_people(root: Path, reason: str) -> None:
    put(root, candidate(root))
    with pytest.raises(CodedError) as caught:
        turn_down(root, "rain-at-stations", reason)
    assert code_of(caught) == "REJECTION_REASON"
    assert state_of(root) == "waiting"


# No tool


def importers_of(name: str) -> set[str]:
    """Give every module of ours that says the name of another one."""
    found = set()
    for package in ("corpus", "agentctx"):
        for path in (ROOT / package).rglob("*.py"):
            if re.search(rf"\b{re.escape(name)}\b", path.read_text(encoding="utf-8")):
                found.add(".".join(path.relative_to(ROOT).with_suffix("").parts))
    return found


@pytest.mark.requirement("P19.2")
def test_no_tool_leads_to_an_acceptance() -> None:
    named = [tool.name for tool in TOOLS if "candidate" in tool.name]
    assert named == ["corpus.candidate_validate"]
    commands = {f"corpus.cli.candidate_{word}" for word in WORDS}
    assert importers_of("corpus.acceptance") == {"corpus.ladder", *commands}
    for command in commands:
        assert importers_of(command) == {"corpus.cli.commands"}
    tools = ("corpus.mcp.", "agentctx.mcp.", "agentctx.chat.", "agentctx.hooks.")
    knows = importers_of("corpus.cli.commands") | importers_of("corpus.ladder")
    assert not [one for one in knows if one.startswith(tools)]


WORDS = ("submit", "list", "show", "accept", "reject")
