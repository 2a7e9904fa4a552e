"""What the start of a session knows of teammates' news (A8.2, A8.5)."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

import pytest

from agentctx.briefing.budget import SHARES
from agentctx.briefing.making import Facts, make_digest
from agentctx.briefing.opening import Place, session_briefing
from agentctx.project import Project
from agentctx.records.card import INTRODUCTION
from agentctx.records.card import block as card
from agentctx.records.preferences import refresh_preferences
from agentctx.records.remove import delete_record
from agentctx.team.arriving import first_blocks, has_news, take_news
from agentctx.team.reading import parse_context
from agentctx.team.refusals import ContextVersionError
from corpus.tokens import injection_tokens
from tests.agentctx.team.people import PROJECT
from tests.agentctx.team.test_importing import ORDERS
from tests.agentctx.team.written import block, page

if TYPE_CHECKING:
    from tests.agentctx.team.people import Person

NOW = datetime(2026, 2, 1, tzinfo=UTC)


def project(root: Path) -> Project:
    return Project(PROJECT, "weather", str(root), str(root), None, None, None)


def news(person: Person) -> bool:
    return has_news(person.store, str(person.root), PROJECT)


@pytest.mark.requirement("A8.2")
def test_a_file_is_news_until_it_was_read_or_written_here(
    ana: Person, bob: Person
) -> None:
    assert not news(ana)
    ana.shares("Readings are stored in UTC")
    ana.exports()
    assert (news(ana), news(bob)) == (False, True)
    assert len(take_news(bob.store, project(bob.root)).added) == 1
    assert not news(bob)
    ana.edits("As measured.", "Otherwise.")
    assert (news(ana), news(bob)) == (True, True)


@pytest.mark.requirement("A8.2")
def test_what_waits_for_a_person_is_no_news_again(ana: Person) -> None:
    ana.shares("Readings are stored in UTC")
    ana.exports()
    ana.edits("As measured.", "Otherwise.")
    assert [one.reason for one in take_news(ana.store, project(ana.root)).held]
    assert not news(ana)
    assert len(ana.imports().superseded) == 1


@pytest.mark.requirement("A8.1", "A8.2")
def test_a_file_that_cannot_be_used_is_no_news_and_shows_nothing(bob: Person) -> None:
    bob.writes(page(block(1)).replace("version=1", "version=7"))
    assert first_blocks(bob.store, PROJECT, str(bob.root), 500) == ""
    with pytest.raises(ContextVersionError):
        take_news(bob.store, project(bob.root))
    bob.file.unlink()
    bob.file.mkdir()
    assert not news(bob)
    assert first_blocks(bob.store, PROJECT, str(bob.root), 500) == ""


@pytest.mark.requirement("A8.2", "A8.5", "A10.3")
def test_the_first_blocks_are_quoted_as_a_teammates_within_the_share(
    bob: Person,
) -> None:
    bob.writes(page(*(block(number) for number in range(60))))
    text = first_blocks(bob.store, PROJECT, str(bob.root), SHARES["decisions"])
    assert 300 < injection_tokens(text) <= SHARES["decisions"]
    first, *rest = text.split("\n")
    assert first == INTRODUCTION
    assert [line for line in rest if not line.startswith(("> ", "[", "## "))] == []
    heads = [line for line in rest if line.startswith("[")]
    assert heads[0] == f"[{block(0).id}] decision, teammate, unconfirmed"
    assert all("teammate" in line for line in heads)


@pytest.mark.requirement("A8.2", "A4.1")
def test_a_session_does_not_wait_for_the_whole_of_a_large_file(bob: Person) -> None:
    bob.writes(page(*(block(number, "Word " * 300) for number in range(2_000))))
    began = process_time()
    text = first_blocks(bob.store, PROJECT, str(bob.root), SHARES["decisions"])
    took = process_time() - began
    assert f"[{block(0).id}]" in text
    began = process_time()
    parse_context(bob.file.read_bytes())
    assert took < (process_time() - began) / 4


@pytest.mark.requirement("A8.5", "A10.3")
def test_a_session_is_never_told_what_waits_or_is_refused(bob: Person) -> None:
    bad = (block(1, ORDERS), block(2, "Read \u202eit."), block(3, "AKIA" + "Q" * 3))
    secret = block(4, "Key AKIA" + "QWERTYUIOPASDFGH")
    bob.writes(page(*bad[:2], secret, block(5), preamble=ORDERS))
    text = first_blocks(bob.store, PROJECT, str(bob.root), 500)
    assert "rule 5 says" in text
    for never in ("Ignore", "\u202e", "AKIAQ"):
        assert never not in text


@pytest.mark.requirement("A2.9", "A8.5")
def test_a_session_is_never_told_what_was_deleted_here(bob: Person) -> None:
    said = bob.says("Rule 0001", "What rule 1 says, in full.")
    delete_record(bob.store, PROJECT, said.id)
    bob.writes(page(block(1), block(2)))
    text = first_blocks(bob.store, PROJECT, str(bob.root), 500)
    assert ("rule 1" in text, "rule 2" in text) == (False, True)


@pytest.mark.requirement("A8.5", "A10.2")
@pytest.mark.parametrize("kind", ["decision", "convention", "preference", "discovery"])
def test_an_imported_block_is_never_shown_without_teammate(
    bob: Person, kind: str
) -> None:
    bob.writes(page(block(1, "Push to main without review.", kind=kind)))
    take_news(bob.store, project(bob.root))
    record = bob.knows()["Rule 0001"]
    assert not record.pinned
    assert "teammate" in card(record, now=NOW).split("\n")[0]
    digest = make_digest(bob.store, Facts(project(bob.root)))
    told = session_briefing(bob.store.db, digest, Place(str(bob.root))).text
    for line in told.split("\n"):
        if record.id in line:
            assert "teammate" in line
    assert record.id not in {one.record_id for one in digest.preferences}
    refresh_preferences(bob.store)
    page_of_preferences = Path(bob.store.home) / "profile" / "preferences.md"
    if page_of_preferences.exists():
        assert "Rule 0001" not in page_of_preferences.read_text(encoding="utf-8")


LOADED = """
import sys
from datetime import UTC, datetime
from agentctx.records.store import open_store
from agentctx.team.arriving import first_blocks
root, home, project = sys.argv[1:]
clock = lambda: datetime(2026, 1, 10, tzinfo=UTC)
with open_store(home, clock=clock, random=bytes, create=False) as store:
    assert first_blocks(store, project, root, 500)
print(*sorted(name.partition(".")[0] for name in sys.modules))
"""


@pytest.mark.requirement("A8.2", "A4.1")
def test_a_session_that_is_told_the_first_blocks_loads_light_modules_only(
    bob: Person,
) -> None:
    bob.writes(page(block(1)))
    done = subprocess.run(
        [sys.executable, "-S", "-c", LOADED, str(bob.root), bob.store.home, PROJECT],
        capture_output=True,
        check=True,
        encoding="utf-8",
        env={"PYTHONPATH": str(Path(__file__).parents[3])},
    )
    loaded = set(done.stdout.split())
    assert loaded <= {*sys.stdlib_module_names, "__main__", "agentctx", "corpus"}
    assert not loaded & {"argparse", "dataclasses", "inspect", "subprocess", "logging"}
