"""The `candidate` commands, and the programs that keep origins."""

from __future__ import annotations

import io
import json
import os
import sys
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from corpus.origins import known_origins
from corpus.userdirs import user_dirs
from tests.corpora import write
from tests.published_formats import problems
from tests.published_inbox import Keeper
from tests.trusted import write_trusted
from tests.waiting import NOW, PROJECT, candidate

if TYPE_CHECKING:
    from tests.conftest import InProcess, Outcome

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def no_power_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spare the disk: a process that dies loses nothing it gave to the system."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


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
        install(tmp_path / "good", "tests.cli.test_candidate_commands:keeper", patch)
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
