"""A fresh clone's first session is told what the team wrote; the next what is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from agentctx.briefing.budget import SESSION_TOKENS, SHARES
from agentctx.extraction.consolidation import consolidate
from agentctx.project import resolve_project
from agentctx.records.namespaces import note_namespace
from agentctx.records.read import current_records
from corpus.tokens import injection_tokens
from tests.agentctx.answers import answer
from tests.agentctx.hooked import Client
from tests.agentctx.team.written import block, page
from tests.recorded import store_at
from tests.trusted import write_trusted

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import InProcess


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Give a project whose team wrote something down."""
    folder = tmp_path / "weather"
    (folder / ".agentctx").mkdir(parents=True, exist_ok=True)
    text = page(*(block(number) for number in range(40)))
    (folder / ".agentctx" / "context.md").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.requirement("A8.2")
@pytest.mark.parametrize("with_store", [False, True], ids=["no store", "a store"])
def test_the_first_session_is_told_the_teams_decisions_as_theirs(
    tmp_path: Path, clone: Path, *, with_store: bool
) -> None:
    home = tmp_path / "home"
    if with_store:
        store_at(home).close()
    client = Client(home, clone)
    told = client.hook("session-start", source="startup")
    assert "> Rule 0000" in told
    assert all("teammate" in line for line in told.splitlines() if line.startswith("["))
    assert injection_tokens(told) <= SHARES["decisions"]
    assert home.exists() is with_store


@pytest.mark.requirement("A4.2", "A8.2")
def test_whoever_works_elsewhere_too_is_told_the_teams_with_the_corpus(
    agentctx: InProcess, tmp_path: Path, clone: Path, store_home: Path
) -> None:
    add = ("add", "preference", "Short functions", "--scope", "global")
    answer(agentctx(*add, cwd=tmp_path))
    told = Client(store_home, clone).hook("session-start", source="startup")
    assert "> Short functions" in told
    assert "> Rule 0000" in told
    write_trusted(clone)
    made = agentctx("init", "--yes", "--no-memory", cwd=clone)
    assert answer(made)["corpus"].startswith("corpus demo-one, ACTIVE")
    told = Client(store_home, clone).hook("session-start", source="startup")
    assert "> active task" in told
    assert "> Rule 0000" in told
    assert injection_tokens(told) <= SESSION_TOKENS
    answer(agentctx("add", "decision", "Of ours", cwd=clone))
    record = answer(agentctx("search", "ours", cwd=clone))["results"][0]["id"]
    answer(agentctx("promote", record, cwd=clone))
    told = Client(store_home, clone).hook("session-start", source="startup")
    assert "> Rule 0000" not in told, "whoever shares something knows the file"


@pytest.mark.requirement("A8.2")
def test_what_is_new_in_the_file_wakes_the_worker_which_takes_it_in(
    tmp_path: Path, clone: Path
) -> None:
    home = tmp_path / "home"
    with store_at(home) as store:
        project = resolve_project(clone, environ={})
        root = str(project.main_root)
        note_namespace(store, project.project_id, name=project.name, root=root)
    client = Client(home, clone)
    client.hook("session-start", source="startup")
    assert client.woken == 1
    with store_at(home, create=False) as store:
        consolidate(store, [str(clone)], environ={})
        records = current_records(store.db, project.project_id)
        assert len(records) == 40
        assert {one.trust for one in records} == {"teammate"}
        consolidate(store, [str(clone)], environ={})
        assert len(current_records(store.db, project.project_id)) == 40
    told = client.hook("session-start", source="startup")
    assert client.woken == 1, "nothing is new"
    assert "teammate" in told


@pytest.mark.requirement("A8.2", "A8.5")
def test_a_file_of_a_newer_version_is_told_and_stops_nothing(
    tmp_path: Path, clone: Path
) -> None:
    path = clone / ".agentctx" / "context.md"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("version=1 ", "version=9 "), encoding="utf-8")
    assert path.read_text(encoding="utf-8") != text
    client = Client(tmp_path / "home", clone)
    with store_at(tmp_path / "home") as store:
        project = resolve_project(clone, environ={})
        root = str(project.main_root)
        note_namespace(store, project.project_id, name=project.name, root=root)
        consolidate(store, [str(clone)], environ={})
        assert list(current_records(store.db, project.project_id)) == []
    assert client.hook("session-start", source="startup") == ""
