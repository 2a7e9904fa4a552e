"""The view a server keeps: proved by hash at every call, never older than the files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.corpora import HOME, live_view_of_corpus, report_page, write
from tests.mcp.serving import call, desk_of, served_corpus
from tests.trusted import editing_policy, grant_everything

if TYPE_CHECKING:
    from pathlib import Path

    from corpus.mcp.desk import Desk

REPORT = f"{HOME}/reports/report-one.md"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return served_corpus(tmp_path / "project")


def found(desk: Desk, query: str) -> list[str]:
    answer = call(desk, "corpus.context_query", {"query": query})
    assert not answer.failed, answer
    return [one["source_path"] for one in answer.value["results"]]


@pytest.mark.requirement("P15.2", "P5.11")
def test_an_edit_that_keeps_time_and_size_is_seen(root: Path) -> None:
    desk = desk_of(root)
    path = root / REPORT
    assert found(desk, "collector") == [REPORT]
    status = path.stat()
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("collector", "telescope"), encoding="utf-8")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert path.stat().st_size == status.st_size
    assert found(desk, "collector") == []
    assert found(desk, "telescope") == [REPORT]


@pytest.mark.requirement("P15.2")
def test_sources_that_come_and_go_are_seen(root: Path) -> None:
    desk = desk_of(root)
    assert found(desk, "zeppelin") == []
    new = write(root / HOME / "reports/new.md", report_page("new", summary="Zeppelin."))
    assert found(desk, "zeppelin") == [f"{HOME}/reports/new.md"]
    new.unlink()
    assert found(desk, "zeppelin") == []


@pytest.mark.requirement("P15.2")
def test_a_bundle_after_many_edits_is_the_one_of_a_fresh_start(root: Path) -> None:
    desk = desk_of(root)
    asked = {"query": "gauge winter report"}
    for number in range(12):
        name = f"note-{number % 5}"
        summary = f"The gauge in winter {number}, as report {number * 7} says."
        write(root / HOME / f"reports/{name}.md", report_page(name, summary=summary))
        if number % 4 == 3:
            (root / HOME / f"reports/note-{number % 3}.md").unlink()
        warm = call(desk, "corpus.context_bundle", asked).value
        cold = call(desk_of(root), "corpus.context_bundle", asked).value
        assert warm == cold


@pytest.mark.requirement("P15.2")
def test_an_unchanged_corpus_is_not_parsed_again(root: Path) -> None:
    desk = desk_of(root)
    first = desk.view()
    assert desk.view().rows is first.rows
    write(root / REPORT, report_page("report-one", summary="Changed."))
    second = desk.view()
    assert second.rows is not first.rows
    kept = [at for at, f in enumerate(second.rows.facts) if f.path != REPORT]
    assert all(second.rows.facts[at] is first.rows.facts[at] for at in kept)


@pytest.mark.requirement("P15.2", "P2.4")
def test_a_scope_that_narrows_holds_at_the_next_call(root: Path) -> None:
    desk = desk_of(root)
    assert found(desk, "collector") == [REPORT]
    write(root / HOME / "policy.toml", editing_policy(deny=[REPORT]))
    assert found(desk, "collector") == []
    grant_everything(root)
    assert found(desk, "collector") == []


@pytest.mark.requirement("P15.2")
def test_another_project_id_makes_the_view_anew(root: Path) -> None:
    desk = desk_of(root)
    assert found(desk, "collector") == [REPORT]
    for name in ("policy.toml", "state/PROJECT.md", "state/STATUS.md"):
        path = root / HOME / name
        text = path.read_text(encoding="utf-8").replace("demo-one", "demo-two")
        path.write_text(text, encoding="utf-8")
    answer = call(desk, "corpus.context_query", {"query": "collector"})
    assert answer.value["facts"]["reasons"].endswith("PROJECT_ID_MISMATCH")


@pytest.mark.requirement("P5.2", "P15.2")
def test_the_key_of_a_server_is_its_own(root: Path) -> None:
    view = desk_of(root).view()
    assert len(view.key) == 32
    assert view.key != live_view_of_corpus(root).key
    assert not (root / HOME / "cache").exists()
