"""Sharing on the command line: what each command asks, says and answers (A8, A9)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from agentctx.records.model import NewRecord
from agentctx.records.write import add_record
from agentctx.team.importing import import_context
from tests.agentctx.answers import answer, facts, namespace, refusal, withheld
from tests.agentctx.team.test_importing import ORDERS
from tests.agentctx.team.written import block, page
from tests.recorded import store_at

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import InProcess

UTC = ("add", "decision", "Readings are stored in UTC", "--body", "As agreed.")


@pytest.fixture
def file(project: Path) -> Path:
    """Give the team's file of the project; it is not there yet."""
    return project / ".agentctx" / "context.md"


def shared(agentctx: InProcess) -> str:
    record_id = str(answer(agentctx(*UTC))["record"]["id"])
    done = answer(agentctx("promote", record_id))
    assert (done["shared"], done["block"]) == (True, record_id)
    return record_id


def state(agentctx: InProcess) -> Any:  # noqa: ANN401 - any JSON
    return answer(agentctx("team", "status"))


@pytest.mark.requirement("A8.2", "A9")
def test_promote_export_check_and_withdraw(agentctx: InProcess, file: Path) -> None:
    record_id = shared(agentctx)
    assert not file.exists()
    assert agentctx("team", "export", "--check").status == 1
    assert answer(agentctx("team", "export"))["added"] == [record_id]
    assert f"id={record_id} " in file.read_text(encoding="utf-8")
    assert not answer(agentctx("team", "export", "--check"))["differs"]
    assert [one["state"] for one in state(agentctx)["blocks"]] == ["shared"]
    agentctx("edit", record_id, "--body", "As agreed in May.")
    assert answer(agentctx("team", "export", "--check"), status=1)["changed"]
    assert [one["state"] for one in state(agentctx)["blocks"]] == ["to export"]
    assert not answer(agentctx("promote", record_id[-8:], "--off"))["shared"]
    assert [one["state"] for one in state(agentctx)["blocks"]] == ["to remove"]
    answer(agentctx("team", "export"))
    assert record_id not in file.read_text(encoding="utf-8")
    assert refusal(agentctx("promote", record_id, "--off")) == "NOT_SHARED"


@pytest.mark.requirement("A8.2", "A10.2")
def test_what_nobody_confirmed_is_promoted_only_by_somebody_who_says_so(
    agentctx: InProcess, project: Path, store_home: Path
) -> None:
    guess = NewRecord(
        type="decision",
        title="Stations report hourly",
        body="Once an hour.",
        source="llm_extraction",
        confidence="inferred",
        trust="model",
    )
    with store_at(store_home) as store:
        record_id = add_record(store, namespace(project), guess).record.id
    assert refusal(agentctx("promote", record_id)) == "CONSENT_REQUIRED"
    done = answer(agentctx("promote", record_id, "--yes"))
    assert done["record"]["confidence"] == "reinforced"


@pytest.mark.requirement("A8.2", "A9")
def test_an_import_shows_its_plan_and_asks(agentctx: InProcess, file: Path) -> None:
    file.write_text(page(block(1), block(2, ORDERS)), encoding="utf-8")
    plan = withheld(agentctx("team", "import"))
    assert [one["title"] for one in plan["added"]] == ["Rule 0001"]
    dry = answer(agentctx("team", "import", "--dry-run"), status=1)
    assert dry == plan
    assert answer(agentctx("export"))["records"] == []
    done = answer(agentctx("team", "import", "--yes"), status=1)
    assert [one["reason"] for one in done["held"]] == ["orders"]
    assert len(answer(agentctx("export"))["records"]) == 1
    found = state(agentctx)
    assert [one["state"] for one in found["blocks"]] == ["shared", "held"]
    assert not found["news"]
    taken = agentctx("team", "import", "--accept", str(block(2).id))
    assert len(answer(taken)["added"]) == 1
    assert answer(agentctx("team", "import"))["present"] == 2
    unknown = agentctx("team", "import", "--accept", str(block(2).id))
    assert refusal(unknown) == "BLOCK_UNKNOWN"


@pytest.mark.requirement("A8.2")
def test_without_a_file_there_is_nothing_to_import_and_none_is_made(
    agentctx: InProcess, file: Path
) -> None:
    assert answer(agentctx("team", "import"))["exists"] is False
    assert answer(agentctx("team", "export"))["blocks"] == 0
    assert not file.exists()


@pytest.mark.requirement("A8.1")
def test_a_newer_file_is_told_as_such(agentctx: InProcess, file: Path) -> None:
    text = page(block(1)).replace("version=1", "version=3")
    file.write_text(text, encoding="utf-8")
    for command in ("import", "export", "status"):
        assert refusal(agentctx("team", command)) == "CONTEXT_TOO_NEW"
    assert file.read_text(encoding="utf-8") == text


@pytest.mark.requirement("A8.3", "A9")
def test_people_are_told_the_line_and_what_to_do(
    agentctx: InProcess, file: Path
) -> None:
    text = page(block(1), block(2, ORDERS))
    broken = text.replace("sha256=", "sha=", 1)
    file.write_text(broken, encoding="utf-8")
    line = broken.split("\n").index("### Rule 0001") + 1
    for command in (("team", "import", "--yes"), ("team", "status")):
        told = agentctx(*command, "--format", "text").out
        assert f"left out: line {line}: Rule 0001" in told
        assert f"`agentctx team import --accept {block(2).id}`" in told
    done = agentctx("team", "export")
    assert facts(done)["error"] == "CONTEXT_BROKEN"
    assert facts(done)["facts"]["line"] == line


@pytest.mark.requirement("A8.4")
def test_outside_a_repository_no_driver_is_installed(agentctx: InProcess) -> None:
    done = agentctx("team", "install-merge-driver", "--yes")
    assert refusal(done) == "GIT_FAILED"


@pytest.mark.requirement("A8.2", "A9")
def test_people_are_told_what_is_shared_and_how_it_stands(
    agentctx: InProcess, file: Path
) -> None:
    def told(*command: str) -> str:
        done = agentctx(*command, "--format", "text")
        assert done.err == ""
        return done.out

    record_id = str(answer(agentctx(*UTC))["record"]["id"])
    assert told("promote", record_id).startswith(f"shared  {record_id}  explicit")
    assert "agentctx team export" not in told("promote", record_id)
    assert "differs from what is shared" in told("team", "export", "--check")
    assert f"added 1 block: {record_id}" in told("team", "export")
    assert "is as it should be: 1 block" in told("team", "export")
    status = told("team", "status")
    assert "shared: 1 block" in status
    assert "nothing is new" in status
    assert "install-merge-driver" in status
    assert "no longer shared" in told("promote", record_id, "--off")
    assert "removed 1 block" in told("team", "export")
    file.unlink()
    assert "which is not there" in told("team", "status")
    assert "there is no .agentctx/context.md" in told("team", "import")


@pytest.mark.requirement("A8.2", "A9")
def test_an_edit_of_ones_own_words_in_the_file_is_told_until_it_is_taken_in(
    agentctx: InProcess, file: Path, project: Path, store_home: Path
) -> None:
    def told() -> tuple[object, str]:
        card = answer(agentctx("status"))["team"]
        shown = agentctx("team", "status", "--format", "text").out
        return card, shown

    assert "agentctx promote ID" in told()[1]
    shared(agentctx)
    answer(agentctx("team", "export"))
    answer(agentctx("team", "import", "--yes"))
    assert told()[0] == {"changes": 0, "held": 0, "news": False}
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("As agreed.", "As agreed in May."), encoding="utf-8")
    card, shown = told()
    assert card == {"changes": 1, "held": 0, "news": True}
    with store_at(store_home, create=False) as store:
        import_context(store, namespace(project), str(project))
    card, shown = told()
    assert card == {"changes": 1, "held": 0, "news": False}
    assert "`agentctx team import`" in shown
    assert "`agentctx team import`" in agentctx("status", "--format", "text").out
    answer(agentctx("team", "import", "--yes"))
    assert told()[0] == {"changes": 0, "held": 0, "news": False}
    file.write_text("<!-- agentctx: context version=9 -->\n", encoding="utf-8")
    degraded = answer(agentctx("status"))["degraded"]
    assert "CONTEXT_TOO_NEW" in {one["code"] for one in degraded}
