"""From what was said to a report: candidates of records and items, and why (P19)."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from agentctx.memory.verdict import memory_path
from agentctx.rungs import Rungs
from corpus.userdirs import user_dirs
from tests.agentctx.answers import answer
from tests.agentctx.extraction.risen import SAID, UTC, Both
from tests.agentctx.memory.memories import files
from tests.corpora import HOME, write
from tests.published_formats import problems
from tests.recorded import Ticking
from tests.trusted import write_trusted

if TYPE_CHECKING:
    from pathlib import Path

    from agentctx.memory.model import Item
    from corpus.origins import Rung
    from tests.conftest import InProcess, Outcome

PROJECT_FILE = f"{HOME}/state/PROJECT.md"
BODY = f"Rainfall is measured at twelve stations, see {PROJECT_FILE}:9-10."


class Story(NamedTuple):
    """A project with a corpus, an item that was said in it, and a record of that."""

    root: Path
    item: Item
    record: str
    turn: str


@pytest.fixture(autouse=True)
def no_power_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spare the disk: a process that dies loses nothing it gave to the system."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the corpus find us, as an installed program is found."""
    place = tmp_path / "site" / "keeper-1.0.dist-info"
    write(place / "METADATA", "Metadata-Version: 2.1\nName: keeper\nVersion: 1.0\n")
    told = "[corpus.origins]\nagentctx = agentctx.rungs:Rungs\n"
    write(place / "entry_points.txt", told)
    monkeypatch.syspath_prepend(tmp_path / "site")


@pytest.fixture
def story(
    project: Path, store_home: Path, agentctx: InProcess, cli: InProcess
) -> Story:
    """Say something, believe it, and make a record of it, beside a corpus."""
    write_trusted(project)
    allow = ("--allow", "report.create", "--allow", "corpus.read")
    assert cli("trust", "create", str(project), *allow).status == 0
    both = Both(project, store_home, Ticking())
    meaning = UTC._replace(
        statement="Rainfall is measured at twelve stations.",
        content=BODY,
        applies_to_paths=(PROJECT_FILE,),
    )
    item = both.believe(meaning)
    with both.memory.looking() as db:
        turn = db.execute("SELECT id FROM turns").fetchone()["id"]
    both.close()
    made = answer(agentctx("memory", "promote", item.id))
    return Story(project, item, made["record"]["id"], turn)


def rungs(done: Outcome) -> dict[str, dict[str, Any]]:
    """Give the rungs of an answer by what they are; there is one of each kind."""
    value = answer(done)
    assert problems("why", value) == []
    found = {one["rung"]: one for one in value["rungs"]}
    assert len(found) == len(value["rungs"])
    return found


WHOLE = ["report", "candidate", "record", "item", "quote", "turn"]


@pytest.mark.requirement("P19.1", "P19.2", "P19.3")
@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("kind", ["record", "item"])
def test_what_was_said_becomes_a_report_and_can_be_asked_for(
    story: Story, agentctx: InProcess, cli: InProcess, kind: str
) -> None:
    start = story.record if kind == "record" else str(story.item.id)
    made = answer(cli("candidate", "submit", f"--{kind}", start, cwd=story.root))
    assert made["evidence"][0]["source_path"] == PROJECT_FILE
    assert made["evidence"][0]["line_start"] == 9
    assert made["origin"]["id"] == start
    assert SAID not in json.dumps(made)
    name = made["candidate"]["candidate_id"]
    words = ("candidate", "accept", name, "--report", "twelve", "--yes")
    done = answer(cli(*words, cwd=story.root))
    path = done["report"]["path"]
    page = (story.root / path).read_text(encoding="utf-8")
    assert f"Origin `{made['origin']['place']}`" in page
    ids = {
        "report": "twelve",
        "candidate": name,
        "record": story.record,
        "item": story.item.id,
        "turn": story.turn,
    }
    for asked in (story.item.id, story.turn, story.record[:8]):
        found = rungs(agentctx("why", asked, cwd=story.root))
        assert list(found) == WHOLE
        assert {one: found[one]["id"] for one in ids} == ids
        assert found["quote"]["says"] == SAID
        assert found["candidate"]["rises_to"] == ["twelve"]
        assert found["turn"]["rises_to"] == [found["quote"]["id"]]
    for asked in (path, name):
        found = rungs(cli("why", asked, cwd=story.root))
        assert list(found) == [
            one for one in WHOLE if one != "record" or kind == "record"
        ]
        assert {one["state"] for one in found.values()} == {"here"}


@pytest.mark.requirement("P19.1")
@pytest.mark.usefixtures("installed")
def test_a_record_without_lines_needs_a_persons(
    story: Story, agentctx: InProcess, cli: InProcess
) -> None:
    made = answer(agentctx("add", "decision", "Loggers run on batteries"))
    record = made["record"]["id"]
    command = ("candidate", "submit", "--record", record)
    done = cli(*command, cwd=story.root)
    assert json.loads(done.err)["error"] == "CANDIDATE_UNCITED"
    lines = ("--source", "state/PROJECT.md:9")
    waits = answer(cli(*command, *lines, cwd=story.root))
    assert waits["candidate"]["statement"] == "Loggers run on batteries"
    assert waits["candidate"]["kind"] == "premise"
    assert [one["code"] for one in waits["verdict"]["warnings"]] == [
        "EVIDENCE_UNRELATED"
    ]


@pytest.mark.requirement("P19.1")
@pytest.mark.usefixtures("installed")
def test_the_files_of_a_record_are_evidence_where_they_are_sources(
    story: Story, agentctx: InProcess, cli: InProcess
) -> None:
    words = ("add", "discovery", "Twelve stations measure rainfall")
    files_named = ("--file", PROJECT_FILE, "--file", "src/gauge.py")
    made = answer(agentctx(*words, *files_named, cwd=story.root))
    record = made["record"]["id"]
    waits = answer(cli("candidate", "submit", "--record", record, cwd=story.root))
    assert [(one["source_path"], one["line_start"]) for one in waits["evidence"]] == [
        (PROJECT_FILE, 9)
    ]


@pytest.mark.requirement("P19.1")
@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("words", "code"),
    [
        pytest.param(("--record", "01KENV8QW0"), "RECORD_NOT_FOUND", id="no record"),
        pytest.param(("--record", "!"), "ID_INVALID", id="no id of a record"),
        pytest.param(("--item", f"memory_{'f' * 32}"), "NOT_FOUND", id="no item"),
    ],
)
def test_an_origin_that_is_not_there_is_named(
    story: Story, cli: InProcess, words: tuple[str, ...], code: str
) -> None:
    done = cli("candidate", "submit", *words, cwd=story.root)
    assert json.loads(done.err)["error"] == code


@pytest.mark.requirement("P19.3")
@pytest.mark.usefixtures("installed")
def test_what_is_forgotten_is_gone_from_the_ladder_which_stands(
    story: Story, agentctx: InProcess, cli: InProcess
) -> None:
    made = answer(cli("candidate", "submit", "--record", story.record, cwd=story.root))
    name = made["candidate"]["candidate_id"]
    answer(cli("candidate", "accept", name, "--yes", cwd=story.root))
    cleared = agentctx("memory", "clear", "--confirm", "--no-backup", cwd=story.root)
    assert cleared.status == 0, cleared.err
    found = rungs(cli("why", name, cwd=story.root))
    assert list(found) == WHOLE
    states = {one: found[one]["state"] for one in WHOLE}
    assert (states["report"], states["record"]) == ("here", "here")
    assert {states[one] for one in ("item", "quote", "turn")} == {"gone"}
    assert found["quote"]["says"] is None
    assert found["quote"]["sha256"]


@pytest.mark.requirement("P19.3", "M11.5")
@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("purge", [(), ("--purge-quotes", "--confirm")])
def test_what_was_let_go_is_told_of_without_its_words(
    story: Story, agentctx: InProcess, cli: InProcess, purge: tuple[str, ...]
) -> None:
    submit = ("candidate", "submit", "--item", story.item.id)
    name = answer(cli(*submit, cwd=story.root))["candidate"]["candidate_id"]
    path = answer(cli("candidate", "accept", name, "--yes", cwd=story.root))
    edit = ("memory", "edit", story.item.id, "--statement", "Thirteen stations.")
    newer = answer(agentctx(*edit, cwd=story.root))["item"]["id"]
    done = agentctx("memory", "forget", newer, *purge, cwd=story.root)
    assert done.status == 0, done.err
    asked = (path["report"]["path"], name, story.item.id, newer, story.record)
    for program in (agentctx, cli):
        for one in asked:
            found = answer(program("why", one, cwd=story.root))
            assert problems("why", found) == []
            low = [one for one in found["rungs"] if one["rung"] in WHOLE[3:]]
            assert {one["says"] for one in low} == {None}
            assert ("item", "forgotten") in {(one["rung"], one["state"]) for one in low}
    kept = answer(agentctx("why", story.turn, cwd=story.root))["rungs"]
    assert (SAID in json.dumps(kept)) == (not purge)
    assert {one["says"] for one in kept if one["rung"] in {"item", "quote"}} == {None}
    done = cli(*submit, "--id", "again", cwd=story.root)
    assert json.loads(done.err)["error"] == "ITEM_OLD"


@pytest.mark.requirement("P19.2", "M11.5")
@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("kind", ["item", "record"])
def test_what_was_let_go_becomes_no_report(
    story: Story, agentctx: InProcess, cli: InProcess, kind: str
) -> None:
    made_of = story.item.id if kind == "item" else story.record
    submit = ("candidate", "submit", f"--{kind}", made_of)
    name = answer(cli(*submit, cwd=story.root))["candidate"]["candidate_id"]
    if kind == "item":
        done = agentctx("memory", "forget", made_of, cwd=story.root)
    else:
        done = agentctx("delete", made_of, "--yes", cwd=story.root)
    assert done.status == 0, done.err
    shown = answer(cli("candidate", "show", name, cwd=story.root))
    assert shown["verdict"]["problem"]["code"] == "ORIGIN_LET_GO"
    refused = cli("candidate", "accept", name, "--yes", cwd=story.root)
    assert json.loads(refused.err)["error"] == "ORIGIN_LET_GO"
    assert (
        cli("candidate", "reject", name, "--reason", "gone", cwd=story.root).status == 0
    )


@pytest.mark.requirement("P19.3")
def test_a_memory_that_cannot_be_read_breaks_no_ladder(
    story: Story, agentctx: InProcess
) -> None:
    path = memory_path(str(story.root))
    with open(path, "r+b") as stream:  # noqa: PTH123 - a test's own
        stream.write(b"no database, whatever it was before")
    found = rungs(agentctx("why", story.record, cwd=story.root))
    assert {one: found[one]["state"] for one in found} == {
        "record": "here",
        "item": "unreadable",
    }
    done = agentctx("why", story.item.id, cwd=story.root)
    assert json.loads(done.err)["error"] == "MEMORY_DEGRADED"


@pytest.mark.requirement("P19.3")
def test_a_record_that_was_edited_has_still_what_it_became(
    story: Story, agentctx: InProcess, cli: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("corpus.cli.candidate_submit.origins_of", _keepers)
    answer(cli("candidate", "submit", "--record", story.record, cwd=story.root))
    new = answer(
        agentctx("edit", story.record, "--title", "Rain at twelve", cwd=story.root)
    )["record"]["id"]
    found = rungs(agentctx("why", new, cwd=story.root))
    assert found["candidate"]["stands_on"] == [new]
    assert found["record"]["rises_to"] == [found["candidate"]["id"]]


def _keepers(_: object) -> list[Rungs]:
    return [Rungs(Ticking(), os.urandom)]


@pytest.mark.requirement("P19.3")
def test_a_project_without_a_corpus_has_the_lower_rungs(
    story: Story, agentctx: InProcess
) -> None:
    (story.root / HOME).rename(story.root / "elsewhere")
    found = rungs(agentctx("why", story.turn, cwd=story.root))
    assert list(found) == ["record", "item", "quote", "turn"]
    shown = agentctx("why", story.record, "--format", "text", cwd=story.root)
    assert f"> record {story.record}" in shown.out
    assert f"| {SAID}" in shown.out


@pytest.mark.requirement("P19.3")
def test_a_corpus_that_cannot_be_read_is_told_of(
    story: Story, agentctx: InProcess
) -> None:
    write(story.root / HOME / "policy.toml", "policy_version = 3\n")
    done = agentctx("why", story.record, cwd=story.root)
    assert done.status == 0
    assert json.loads(done.out)["rungs"][0]["rung"] == "record"
    assert "POLICY_" in done.err


@pytest.mark.requirement("P19.3")
@pytest.mark.parametrize("text", ["turn_" + "0" * 32, "memory_1", "zz", "01KENV8QW0"])
def test_an_id_of_nothing_is_refused(
    story: Story, agentctx: InProcess, text: str
) -> None:
    done = agentctx("why", text, cwd=story.root)
    assert json.loads(done.err)["error"] == "RUNG_UNKNOWN"


@pytest.mark.requirement("P19.3")
def test_asking_changes_nothing(
    story: Story, agentctx: InProcess, store_home: Path
) -> None:
    before = files(story.root), (store_home / "agentctx.db").read_bytes()
    rungs(agentctx("why", story.turn, cwd=story.root))
    after = files(story.root), (store_home / "agentctx.db").read_bytes()
    assert after[1] == before[1]
    assert after[0]["memory.db"] == before[0]["memory.db"]
    assert not (user_dirs().state / "candidates").exists()


@pytest.mark.requirement("P19.3")
def test_secrets_and_what_nobody_sees_are_not_told(
    project: Path, store_home: Path, agentctx: InProcess
) -> None:
    del store_home
    key = "AKIA" + "Q7ZX2M4K8W1T9B3V"
    made = answer(agentctx("add", "decision", "The key", "--body", "Kept in a vault."))
    keeper = Rungs(Ticking(), os.urandom)
    found: tuple[Rung, ...] = keeper.rungs(project, made["record"]["id"])
    assert [one.rung for one in found] == ["record"]
    both = Both(project, project / "other-home", Ticking())
    item = both.believe(UTC, "It is so, \x1b[2Jsince May.")
    with both.memory.writing() as writing:
        writing.tx.execute("UPDATE turns SET user_text = ?", (f"It is {key}.",))
    both.close()
    words = json.dumps([one._asdict() for one in keeper.rungs(project, item.id)])
    assert key not in words
    assert "since May." in words
    assert "\\u001b" not in words
