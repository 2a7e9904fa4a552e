"""Why something is believed: the ladder walked from every rung, whatever is gone."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from corpus.acceptance import Wording, accept, reject
from corpus.errors import CodedError
from corpus.ladder import climb, held_by
from corpus.userdirs import user_dirs
from tests.corpora import HOME, dirs_of, report_page, write
from tests.published_formats import problems
from tests.published_inbox import (
    EARLIER,
    ITEM,
    QUOTE,
    RECORD,
    RUNGS,
    TURN,
    Keeper,
    submitted,
)
from tests.trusted import write_trusted, writer_of

if TYPE_CHECKING:
    from pathlib import Path

    from corpus.ladder import Ladder
    from corpus.origins import Rung
    from tests.conftest import InProcess

pytestmark = pytest.mark.requirement("P19.3")

CANDIDATE = f"record-{RECORD.lower()}"
REPORT = "twelve-stations"
WHOLE = [REPORT, CANDIDATE, RECORD, ITEM, QUOTE, TURN]


@pytest.fixture(autouse=True)
def no_power_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spare the disk: a process that dies loses nothing it gave to the system."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Give a corpus with a report that was made of a record."""
    root = write_trusted(tmp_path / "weather")
    submitted(root, Keeper())
    with writer_of(root) as writer:
        accept(writer, CANDIDATE, Wording(REPORT), dirs=dirs_of(root))
    return root


def why(root: Path, text: str, keeper: Keeper | None = None) -> Ladder:
    held = held_by(root, dirs=dirs_of(root))
    return climb(text, held, root, [keeper or Keeper()])


def states(ladder: Ladder) -> dict[str, str]:
    return {one.rung: one.state for one in ladder.rungs}


def clear_inbox(root: Path) -> None:
    for path in (dirs_of(root).state / "candidates").rglob("*.json"):
        path.unlink()


@pytest.mark.parametrize(
    "start",
    [
        pytest.param(REPORT, id="a report's id"),
        pytest.param(f"{HOME}/reports/{REPORT}.md", id="its path"),
        pytest.param(f"reports/{REPORT}.md", id="its path in the corpus"),
        pytest.param(CANDIDATE, id="a candidate"),
        pytest.param(RECORD, id="a record"),
        pytest.param(f"agentctx:records/{RECORD}", id="a record as it is cited"),
        pytest.param(ITEM, id="an item"),
        pytest.param(TURN, id="a turn"),
    ],
)
def test_the_whole_ladder_is_walked_from_every_rung(root: Path, start: str) -> None:
    ladder = why(root, start)
    assert [one.id for one in ladder.rungs] == WHOLE
    assert set(states(ladder).values()) == {"here"}
    for above, one in zip(ladder.rungs, ladder.rungs[1:], strict=False):
        assert above.below == (one.id,)
        assert ladder.above(one) == (above.id,)
    assert problems("why", ladder.as_json()) == []


def test_every_rung_says_something_and_when(root: Path) -> None:
    for one in why(root, REPORT).rungs:
        assert one.says
        assert one.at
        assert one.place
        assert one.sha256 or one.rung == "turn"


@pytest.mark.parametrize("lost", range(1, 5))
def test_rungs_that_are_gone_are_said_to_be(root: Path, lost: int) -> None:
    """The lowest go first: the turn, then its words, the item, the record."""
    kept = RUNGS[: 4 - lost]
    ladder = why(root, REPORT, Keeper(kept) if kept else Silent())
    assert [one.id for one in ladder.rungs] == WHOLE
    gone = [one for one in ladder.rungs if one.state == "gone"]
    assert [one.id for one in gone] == WHOLE[-lost:]
    assert [one.says for one in gone] == [None] * lost
    assert [one.sha256 for one in gone] == [one.sha256 for one in RUNGS[4 - lost :]]
    assert problems("why", ladder.as_json()) == []


class Silent(Keeper):
    """A keeper that knows nothing any more."""

    def rungs(self, root: Path, text: str) -> tuple[Rung, ...]:
        del root, text
        return ()


def test_a_report_speaks_for_itself_where_the_inbox_is_gone(root: Path) -> None:
    clear_inbox(root)
    ladder = why(root, REPORT)
    assert [one.id for one in ladder.rungs] == WHOLE
    assert states(ladder)["candidate"] == "gone"
    assert states(ladder)["record"] == "here"
    lost = why(root, REPORT, Silent())
    assert [one.id for one in lost.rungs] == WHOLE[:3]
    assert states(lost) == {"report": "here", "candidate": "gone", "record": "gone"}


def test_a_report_is_no_evidence_of_an_origin_that_says_something_else_now(
    root: Path,
) -> None:
    clear_inbox(root)
    path = root / HOME / f"reports/{REPORT}.md"
    text = path.read_text(encoding="utf-8")
    forged = f"## Summary\n\nOrigin `agentctx:memory/{ITEM}`\n\n"
    write(path, text.replace("## Summary\n\n", forged))
    ladder = why(root, REPORT)
    assert [one.id for one in ladder.rungs] == WHOLE
    assert states(ladder)["record"] == "here"
    other = Keeper((RUNGS[0]._replace(sha256="4" * 64), *RUNGS[1:]))
    assert states(why(root, REPORT, other))["record"] == "changed"


def test_a_report_that_is_gone_is_known_by_its_candidate(root: Path) -> None:
    (root / HOME / f"reports/{REPORT}.md").unlink()
    ladder = why(root, RECORD)
    assert states(ladder)["report"] == "gone"
    assert ladder.rungs[0].sha256
    assert ladder.rungs[0].place.endswith(f"{REPORT}.md")


def test_a_report_that_was_edited_is_said_to_be_changed(root: Path) -> None:
    path = root / HOME / f"reports/{REPORT}.md"
    write(path, path.read_text(encoding="utf-8").replace("twelve", "thirteen"))
    assert states(why(root, REPORT))["report"] == "changed"


def test_what_was_revised_since_is_said_to_be_changed(root: Path) -> None:
    new = "01KENV8QW0G4T7XK3B5MZ2RJD7"
    revised = RUNGS[0]._replace(id=new, names=(RECORD, new), sha256="4" * 64)
    keeper = Keeper((revised, *RUNGS[1:]))
    ladder = why(root, REPORT, keeper)
    assert [one.id for one in ladder.rungs] == [*WHOLE[:2], new, *WHOLE[3:]]
    assert states(ladder)["record"] == "changed"
    assert ladder.above(ladder.rungs[2]) == (CANDIDATE,)
    again = why(root, new, keeper)
    assert [one.id for one in again.rungs] == [*WHOLE[:2], new, *WHOLE[3:]]
    assert again.above(again.rungs[2]) == (CANDIDATE,)


def test_a_report_of_no_candidate_stands_alone(root: Path) -> None:
    ladder = why(root, "report-one")
    assert [(one.rung, one.id) for one in ladder.rungs] == [("report", "report-one")]


def test_another_candidate_of_the_same_id_is_not_taken_for_a_reports(
    root: Path,
) -> None:
    page = (root / HOME / f"reports/{REPORT}.md").read_text(encoding="utf-8")
    clear_inbox(root)
    entry = submitted(root, Keeper((RUNGS[0]._replace(says="Rainfall is measured."),)))
    assert entry.id == CANDIDATE
    assert entry.sha256 not in page
    assert states(why(root, REPORT))["candidate"] == "gone"


def test_a_rejected_candidate_shows_and_has_no_report(tmp_path: Path) -> None:
    root = write_trusted(tmp_path / "other")
    submitted(root, Keeper())
    state = dirs_of(root).state
    reject(root, CANDIDATE, "No.", state=state, now=EARLIER, random=os.urandom)
    ladder = why(root, ITEM)
    assert [one.id for one in ladder.rungs] == WHOLE[1:]
    assert ladder.rungs[0].place == "inbox, rejected"


@pytest.mark.parametrize("text", ["", "nothing", "../up", "memory_1", "\x1b[2J"])
def test_what_is_on_no_rung_is_refused(root: Path, text: str) -> None:
    with pytest.raises(CodedError) as caught:
        why(root, text)
    assert caught.value.code == "RUNG_UNKNOWN"


def test_a_report_out_of_scope_is_not_shown(root: Path) -> None:
    policy = root / HOME / "policy.toml"
    text = policy.read_text(encoding="utf-8")
    write(policy, text.replace("deny = []", f'deny = ["{HOME}/reports/twelve*"]'))
    with pytest.raises(CodedError):
        why(root, f"{HOME}/reports/{REPORT}.md")
    assert why(root, RECORD).rungs[0].says is None


def test_the_command_shows_the_ladder_and_hides_what_deceives(
    tmp_path: Path, cli: InProcess
) -> None:
    root = write_trusted(tmp_path / "weather")
    page = report_page("report-two", summary="Rain \x1b[31m at twelve\u202e stations.")
    write(root / HOME / "reports/report-two.md", page)
    shown = cli("why", "report-two", "--format", "text", cwd=root)
    assert shown.status == 0
    assert "> report report-two" in shown.out
    assert "\x1b" not in shown.out
    assert "\u202e" not in shown.out
    value: dict[str, Any] = json.loads(cli("why", str(root), "report-two").out)
    assert problems("why", value) == []
    assert value["rungs"][0]["says"] == "Rain  at twelve\ufffd stations."
    assert not (user_dirs().state / "candidates").exists()
