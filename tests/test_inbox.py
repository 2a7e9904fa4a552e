"""The inbox of candidates: what waits, on what evidence, and what is decided of it."""

from __future__ import annotations

import io
import json
import os
import re
import stat
import sys
import tomllib
from datetime import UTC, datetime
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from corpus import inbox
from corpus.acceptance import Wording, accept, entries_of, reject
from corpus.candidate import LONGEST_STATEMENT
from corpus.confined.reader import open_root
from corpus.errors import CodedError
from corpus.inbox import change_inbox, open_inbox
from corpus.markdown import parse_markdown
from corpus.mcp.table import TOOLS
from corpus.origins import Lines, Origin, Rung, known_origins
from corpus.protocol.conformance import validate
from corpus.protocol.sections import section_text
from corpus.submission import Wish, from_file, from_origin, lines_named
from corpus.userdirs import user_dirs
from corpus.view import open_project
from tests.corpora import HOME, dirs_of, report_page, write
from tests.published_formats import problems
from tests.published_inbox import EARLIER, RECORD, Keeper, submitted
from tests.trusted import (
    STATUS,
    editing_policy,
    grant_everything,
    hash_of,
    leftovers,
    write_trusted,
    writer_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import InProcess, Outcome

PROJECT = f"{HOME}/state/PROJECT.md"
REPORT = f"{HOME}/reports/report-one.md"
NOW = datetime(2026, 2, 1, 12, tzinfo=UTC)
ROOT = Path(__file__).parents[1]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Give a corpus that its owner lets be written, and whose user has no inbox."""
    return write_trusted(tmp_path / "weather")


@pytest.fixture(autouse=True)
def no_power_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spare the disk: a process that dies loses nothing it gave to the system."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


def candidate(root: Path, **changed: object) -> dict[str, Any]:
    value = {
        "schema_version": "1",
        "candidate_id": "rain-at-stations",
        "project_id": "demo-one",
        "kind": "semantic_fact",
        "statement": "Rainfall is measured at twelve stations.",
        "source_refs": [
            {
                "source_path": PROJECT,
                "source_sha256": hash_of(root / PROJECT),
                "line_start": 9,
            }
        ],
        "created_at": "2026-01-05T12:00:00Z",
        "status": "candidate",
    }
    return {**value, **changed}


def put(root: Path, value: dict[str, Any]) -> inbox.Entry:
    project = open_project(root, dirs=dirs_of(root))
    made = from_file(project, value, now=EARLIER)
    with change_inbox(
        "demo-one", state=dirs_of(root).state, random=os.urandom
    ) as opened:
        return opened.add(made.entry)


def take(root: Path, name: str, wording: Wording | None = None) -> inbox.Entry:
    with writer_of(root) as writer:
        done = accept(writer, name, wording or Wording(), dirs=dirs_of(root))
    return done.entry


def turn_down(root: Path, name: str, reason: str = "It is not so.") -> inbox.Entry:
    state = dirs_of(root).state
    return reject(root, name, reason, state=state, now=NOW, random=os.urandom)


def state_of(root: Path, name: str = "rain-at-stations") -> str:
    entries, damaged = entries_of(root, state=dirs_of(root).state)
    assert damaged == ()
    return next(one.state for one in entries if one.id == name)


def code_of(caught: pytest.ExceptionInfo[CodedError]) -> str:
    return caught.value.code


# What waits


@pytest.mark.requirement("P19.1")
def test_a_candidate_waits_with_its_evidence_for_its_user_alone(root: Path) -> None:
    entry = put(root, candidate(root))
    (found,), _ = entries_of(root, state=dirs_of(root).state)
    assert found == entry
    assert found.evidence == (inbox.Cited(PROJECT, hash_of(root / PROJECT), 9, 9),)
    place = dirs_of(root).state / "candidates/demo-one/rain-at-stations.json"
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700


@pytest.mark.requirement("P19.1")
def test_nothing_of_the_project_changes_while_candidates_wait(root: Path) -> None:
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    put(root, candidate(root))
    turn_down(root, "rain-at-stations")
    after = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    assert after == before


@pytest.mark.requirement("P19.1")
@pytest.mark.parametrize(
    ("changed", "code"),
    [
        pytest.param({"source_refs": []}, "CANDIDATE_EVIDENCE", id="no evidence"),
        pytest.param({"project_id": "demo-two"}, "CANDIDATE_PROJECT", id="elsewhere"),
        pytest.param({"candidate_id": "../up"}, "CANDIDATE_ID", id="a path"),
        pytest.param({"candidate_id": "nul.one"}, "CANDIDATE_ID", id="a device"),
        pytest.param({"kind": "rumour"}, "CANDIDATE_KIND", id="an unknown kind"),
    ],
)
def test_what_is_no_candidate_does_not_wait(
    root: Path, changed: dict[str, Any], code: str
) -> None:
    with pytest.raises(CodedError) as caught:
        put(root, candidate(root, **changed))
    assert code_of(caught) == code
    assert entries_of(root, state=dirs_of(root).state) == ((), ())


@pytest.mark.requirement("P19.1")
def test_the_same_candidate_waits_once_and_another_needs_its_own_id(root: Path) -> None:
    first = put(root, candidate(root))
    again = put(root, candidate(root, created_at="2026-01-06T12:00:00Z"))
    assert again == first
    with pytest.raises(CodedError) as caught:
        put(root, candidate(root, statement="Rain falls at every station."))
    assert code_of(caught) == "CANDIDATE_EXISTS"
    turn_down(root, first.id)
    with pytest.raises(CodedError) as caught:
        put(root, candidate(root))
    assert code_of(caught) == "CANDIDATE_EXISTS"


@pytest.mark.requirement("P19.1")
def test_the_inbox_is_bounded(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inbox, "MOST_WAITING", 2)
    monkeypatch.setattr(inbox, "MOST_DECIDED", 1)
    for name in ("one-one", "two-two"):
        put(root, candidate(root, candidate_id=name))
    with pytest.raises(CodedError) as caught:
        put(root, candidate(root, candidate_id="three"))
    assert code_of(caught) == "INBOX_FULL"
    turn_down(root, "one-one")
    turn_down(root, "two-two")
    put(root, candidate(root, candidate_id="three"))
    entries, _ = entries_of(root, state=dirs_of(root).state)
    assert len([one for one in entries if one.state == "rejected"]) == 1
    assert state_of(root, "three") == "waiting"


@pytest.mark.requirement("P19.1")
@pytest.mark.parametrize("content", [b"", b"{}", b"[" * 99, b"\xff", b'{"state":1}'])
def test_a_damaged_file_hides_no_other_candidate(root: Path, content: bytes) -> None:
    put(root, candidate(root))
    folder = dirs_of(root).state / "candidates/demo-one"
    write(folder / "broken.json", content)
    entries, damaged = entries_of(root, state=dirs_of(root).state)
    assert [one.id for one in entries] == ["rain-at-stations"]
    assert damaged == ("broken",)
    with pytest.raises(CodedError) as caught:
        turn_down(root, "broken")
    assert code_of(caught) == "INBOX_UNUSABLE"


@pytest.mark.requirement("P19.1")
def test_an_entry_that_was_changed_by_hand_is_damaged(root: Path) -> None:
    put(root, candidate(root))
    place = dirs_of(root).state / "candidates/demo-one/rain-at-stations.json"
    text = place.read_text(encoding="utf-8")
    place.write_text(text.replace("twelve", "thirteen"), encoding="utf-8")
    assert entries_of(root, state=dirs_of(root).state) == ((), ("rain-at-stations",))


@pytest.mark.requirement("P19.1")
def test_an_inbox_that_others_can_write_is_refused(root: Path) -> None:
    put(root, candidate(root))
    (dirs_of(root).state / "candidates/demo-one").chmod(0o777)
    with pytest.raises(CodedError) as caught:
        entries_of(root, state=dirs_of(root).state)
    assert code_of(caught) == "INBOX_UNUSABLE"


@pytest.mark.requirement("P19.1")
def test_looking_makes_no_inbox(root: Path) -> None:
    with open_inbox("demo-one", state=dirs_of(root).state) as opened:
        assert opened.entries() == ()
    assert not (dirs_of(root).state / "candidates").exists()


# What a record or an item brings


def made_of(root: Path, *named: Lines, given: tuple[str, ...] = ()) -> inbox.Entry:
    project = open_project(root, dirs=dirs_of(root))
    keeper = Keeper()
    origin = keeper.origin(root, "record", RECORD)._replace(lines=named)
    lines = [lines_named(one) for one in given]
    return from_origin(project, origin, lines, Wish(), now=EARLIER).entry


@pytest.mark.requirement("P19.1")
def test_an_origin_brings_the_lines_it_names_and_what_it_stands_on(root: Path) -> None:
    entry = made_of(root, Lines(PROJECT, 9, 13), Lines("src/gauge.py", 4))
    assert entry.evidence == (inbox.Cited(PROJECT, hash_of(root / PROJECT), 9, 13),)
    assert entry.candidate["source_refs"] == [
        {
            "source_path": PROJECT,
            "source_sha256": hash_of(root / PROJECT),
            "line_start": 9,
        }
    ]
    assert entry.origin is not None
    assert entry.origin.place == f"agentctx:records/{RECORD}"
    rungs = [one.rung for one in entry.origin.chain]
    assert rungs == ["record", "item", "quote", "turn"]
    assert "no more" not in json.dumps(entry.as_json())  # its words stay where they are


@pytest.mark.requirement("P19.1")
def test_a_file_named_without_a_line_is_cited_where_it_says_the_same(
    root: Path,
) -> None:
    assert made_of(root, Lines("state/PROJECT.md")).evidence[0].line_start == 9


@pytest.mark.requirement("P19.1")
@pytest.mark.parametrize(
    "named",
    [
        pytest.param((), id="nothing"),
        pytest.param((Lines("src/gauge.py", 4),), id="no source"),
        pytest.param((Lines(PROJECT, 10),), id="a blank line"),
        pytest.param((Lines(PROJECT, 999),), id="no line of it"),
        pytest.param((Lines(f"{HOME}/history/year-one.md"),), id="nothing alike"),
    ],
)
def test_without_evidence_an_origin_makes_no_candidate(
    root: Path, named: tuple[Lines, ...]
) -> None:
    with pytest.raises(CodedError) as caught:
        made_of(root, *named)
    assert code_of(caught) == "CANDIDATE_UNCITED"


@pytest.mark.requirement("P19.1")
def test_a_person_gives_lines_that_count_instead(root: Path) -> None:
    entry = made_of(root, Lines(PROJECT, 9), given=("reports/report-one.md:12-14",))
    assert [one.source_path for one in entry.evidence] == [REPORT]
    assert entry.evidence[0][2:] == (12, 14)


@pytest.mark.requirement("P19.1")
@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param("reports/report-one.md", "USAGE", id="no lines"),
        pytest.param("reports/report-one.md:0", "USAGE", id="no such line"),
        pytest.param("reports/report-one.md:9-3", "USAGE", id="backwards"),
        pytest.param("src/gauge.py:1", "CANDIDATE_EVIDENCE", id="no source"),
        pytest.param("state/PROJECT.md:900", "CANDIDATE_EVIDENCE", id="beyond it"),
        pytest.param("state/PROJECT.md:10", "CANDIDATE_EVIDENCE", id="blank"),
    ],
)
def test_lines_that_are_none_are_refused(root: Path, text: str, code: str) -> None:
    with pytest.raises(CodedError) as caught:
        made_of(root, given=(text,))
    assert code_of(caught) == code


@pytest.mark.requirement("P19.1")
def test_what_an_origin_says_is_cut_and_cleaned(root: Path) -> None:
    project = open_project(root, dirs=dirs_of(root))
    said = "Rain\x1b[31m at twelve stations. " + "x" * LONGEST_STATEMENT
    rung = Rung("item", "memory_1", "agentctx:memory/memory_1", says=said)
    origin = Origin("item", said, "premise", (Lines(PROJECT, 9),), (rung,))
    entry = from_origin(project, origin, (), Wish(), now=EARLIER).entry
    assert entry.statement.startswith("Rain at twelve stations.")
    assert len(entry.statement) == LONGEST_STATEMENT


# Accepting


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


@pytest.mark.requirement("P19.1")
def test_a_beginning_that_several_have_names_none(root: Path) -> None:
    for name in ("rain-one", "rain-two"):
        put(root, candidate(root, candidate_id=name))
    with pytest.raises(CodedError) as caught:
        turn_down(root, "rain-")
    assert code_of(caught) == "CANDIDATE_AMBIGUOUS"
    assert turn_down(root, "rain-t").id == "rain-two"


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


# The commands


@pytest.fixture
def project(tmp_path: Path, cli: InProcess) -> Path:
    """Give a corpus of the user whose folders the commands know, granted by command."""
    root = write_trusted(tmp_path / "weather")
    allow = ("--allow", "report.create", "--allow", "corpus.read")
    assert cli("trust", "create", str(root), *allow).status == 0
    write(root / "candidate.json", json.dumps(candidate(root)))
    return root


def answer(done: Outcome, *, status: int = 0) -> dict[str, Any]:
    assert (done.status, done.err) == (status, "")
    value = json.loads(done.out)
    assert isinstance(value, dict)
    return value


def refusal(done: Outcome) -> str:
    assert (done.status, done.out) == (2, "")
    return str(json.loads(done.err)["error"])


@pytest.mark.requirement("P19.1", "P19.2")
def test_a_candidate_is_submitted_shown_and_accepted_by_commands(
    project: Path, cli: InProcess
) -> None:
    waits = answer(cli("candidate", "submit", "candidate.json", cwd=project))
    assert (waits["state"], waits["verdict"]["ok"]) == ("waiting", True)
    assert problems("candidate-entry", waits) == []
    listed = answer(cli("candidate", "list", str(project)))
    assert problems("candidate-list", listed) == []
    assert [one["candidate"]["candidate_id"] for one in listed["candidates"]] == [
        "rain-at-stations"
    ]
    shown = cli("candidate", "show", "rain", "--format", "text", cwd=project)
    assert f"cites {PROJECT}:9" in shown.out
    words = ("candidate", "accept", "rain", "--title", "Twelve stations")
    assert refusal(cli(*words, cwd=project)) == "CONFIRMATION_NEEDED"
    assert answer(cli("candidate", "list", cwd=project))["candidates"]
    done = answer(cli(*words, "--yes", cwd=project))
    assert problems("candidate-entry", done) == []
    assert (project / done["report"]["path"]).is_file()
    assert answer(cli("candidate", "list", cwd=project))["candidates"] == []
    every = answer(cli("candidate", "list", "--state", "all", cwd=project))
    assert [one["state"] for one in every["candidates"]] == ["accepted"]
    told = cli("candidate", "show", "rain", "--format", "text", cwd=project).out
    assert done["report"]["receipt"] in told


@pytest.mark.requirement("P19.1")
def test_a_candidate_comes_from_standard_input_as_well(
    project: Path, cli: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = json.dumps(candidate(project)).encode()
    stdin = io.TextIOWrapper(io.BytesIO(text), encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", stdin)
    waits = answer(cli("candidate", "submit", str(project), "-"))
    assert waits["candidate"]["candidate_id"] == "rain-at-stations"


@pytest.mark.requirement("P19.1")
@pytest.mark.parametrize(
    ("words", "code"),
    [
        pytest.param((), "USAGE", id="nothing"),
        pytest.param(("no.json",), "CONTEXT_INPUT_PATH", id="no file"),
        pytest.param(("candidate.json", "--id", "other"), "USAGE", id="a file renamed"),
        pytest.param(("--record", "a", "--item", "b"), "USAGE", id="two origins"),
        pytest.param((".", "c.json", "--record", "a"), "USAGE", id="file and origin"),
    ],
)
def test_a_candidate_has_one_origin(
    project: Path, cli: InProcess, words: tuple[str, ...], code: str
) -> None:
    assert refusal(cli("candidate", "submit", *words, cwd=project)) == code


@pytest.mark.requirement("P19.1")
def test_what_could_be_no_report_is_refused_before_it_waits(
    project: Path, cli: InProcess
) -> None:
    value = candidate(project, statement="Rain.\n\n## Limitations\n\nNONE")
    write(project / "candidate.json", json.dumps(value))
    done = cli("candidate", "submit", "candidate.json", cwd=project)
    assert refusal(done) == "ARTIFACT_CONFORMANCE"
    assert answer(cli("candidate", "list", cwd=project))["candidates"] == []


@pytest.mark.requirement("P19.2")
def test_a_candidate_is_rejected_by_command_and_says_why(
    project: Path, cli: InProcess
) -> None:
    answer(cli("candidate", "submit", "candidate.json", cwd=project))
    words = ("candidate", "reject", "rain-at-stations", "--reason", "Nine of them.")
    done = answer(cli(*words, cwd=project))
    assert problems("candidate-entry", done) == []
    assert (done["state"], done["reason"]) == ("rejected", "Nine of them.")
    text = cli("candidate", "show", "rain", "--format", "text", cwd=project).out
    assert "Nine of them." in text
    no = cli("candidate", "accept", "rain", "--yes", cwd=project)
    assert refusal(no) == "CANDIDATE_DECIDED"


@pytest.mark.requirement("P19.2")
def test_stale_evidence_is_shown_before_anybody_accepts(
    project: Path, cli: InProcess
) -> None:
    answer(cli("candidate", "submit", "candidate.json", cwd=project))
    text = (project / PROJECT).read_text(encoding="utf-8")
    write(project / PROJECT, text.replace("daily", "hourly"))
    shown = answer(cli("candidate", "show", "rain", cwd=project))
    assert problems("candidate-entry", shown) == []
    assert shown["verdict"]["problem"]["code"] == "CANDIDATE_EVIDENCE"
    assert "\x1b" not in cli("candidate", "list", "--format", "text", cwd=project).out


@pytest.mark.requirement("P19.1")
def test_a_damaged_file_is_told_of_by_the_list(project: Path, cli: InProcess) -> None:
    answer(cli("candidate", "submit", "candidate.json", cwd=project))
    write(user_dirs().state / "candidates/demo-one/broken.json", "{")
    listed = answer(cli("candidate", "list", cwd=project), status=1)
    assert problems("candidate-list", listed) == []
    assert listed["damaged"] == ["broken"]
    text = cli("candidate", "list", "--format", "text", cwd=project)
    assert "broken" in text.out


# Who keeps origins


def install(folder: Path, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a program that says it keeps origins."""
    place = folder / "keeper-1.0.dist-info"
    write(place / "METADATA", "Metadata-Version: 2.1\nName: keeper\nVersion: 1.0\n")
    write(place / "entry_points.txt", f"[corpus.origins]\nkeeper = {target}\n")
    monkeypatch.syspath_prepend(folder)


@pytest.mark.requirement("P19.1")
def test_an_installed_keeper_is_asked_and_a_broken_one_is_named(
    project: Path, cli: InProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        install(tmp_path / "good", "tests.test_inbox:keeper", patch)
        kinds = {
            type(one) for one in known_origins(clock=lambda: NOW, random=os.urandom)
        }
        assert Keeper in kinds
    with monkeypatch.context() as patch:
        install(tmp_path / "bad", "a_keeper_that_is_gone:make", patch)
        done = cli("candidate", "submit", "--record", "x1y2z3", cwd=project)
        assert refusal(done) == "ORIGIN_UNUSABLE"


def keeper(*_: object) -> Keeper:
    return Keeper()


@pytest.mark.requirement("P19.1")
def test_agentctx_says_that_it_keeps_origins() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (value,) = tomllib.loads(text)["project"]["entry-points"]["corpus.origins"].values()
    point = EntryPoint("agentctx", value, "corpus.origins")
    made = point.load()(lambda: NOW, os.urandom)
    assert callable(made.origin)
    assert callable(made.rungs)
