"""The inbox of candidates: what waits, on what evidence, and what is decided of it."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from corpus import inbox
from corpus.acceptance import entries_of
from corpus.candidate import LONGEST_STATEMENT
from corpus.errors import CodedError
from corpus.inbox import open_inbox
from corpus.origins import Lines, Origin, Rung
from corpus.submission import Wish, from_origin, lines_named
from corpus.view import open_project
from tests.corpora import HOME, dirs_of, write
from tests.published_inbox import EARLIER, RECORD, Keeper
from tests.trusted import (
    hash_of,
    write_trusted,
)
from tests.waiting import (
    PROJECT,
    candidate,
    code_of,
    put,
    state_of,
    turn_down,
)

REPORT = f"{HOME}/reports/report-one.md"
ROOT = Path(__file__).parents[1]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Give a corpus that its owner lets be written, and whose user has no inbox."""
    return write_trusted(tmp_path / "weather")


@pytest.fixture(autouse=True)
def no_power_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spare the disk: a process that dies loses nothing it gave to the system."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


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
        pytest.param((Lines("tasks/task-one.md"),), id="one word alike"),
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


@pytest.mark.requirement("P19.1")
def test_a_beginning_that_several_have_names_none(root: Path) -> None:
    for name in ("rain-one", "rain-two"):
        put(root, candidate(root, candidate_id=name))
    with pytest.raises(CodedError) as caught:
        turn_down(root, "rain-")
    assert code_of(caught) == "CANDIDATE_AMBIGUOUS"
    assert turn_down(root, "rain-t").id == "rain-two"
