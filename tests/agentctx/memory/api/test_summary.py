"""The summary for people: a projection that is written and never read."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

import pytest

from agentctx.memory.summary import FIRST_LINE
from tests.agentctx.memory.api.programs import (
    CHECKPOINT,
    Answering,
    codes,
    program,
    said,
)
from tests.agentctx.memory.memories import SAID, TABS, believe, memory_at

if TYPE_CHECKING:
    from pathlib import Path

    from agentctx.memory import Memory
    from tests.recorded import Ticking


def file(project: Path) -> Path:
    return project / ".agentctx" / "memory_summary.md"


@pytest.mark.requirement("C11")
def test_the_summary_follows_what_memory_holds(project: Path, clock: Ticking) -> None:
    with program(project, clock, pipeline=Answering()) as memory:
        assert file(project).read_text(encoding="utf-8").splitlines()[0] == FIRST_LINE
        assert memory.status().summary.state == "current"
        said(memory)
        memory.flush()
        text = file(project).read_text(encoding="utf-8")
        assert CHECKPOINT in text
        assert TABS.statement in text
        assert SAID in text
        assert memory.status().summary.state == "current"
        memory.new_thread()
        assert CHECKPOINT not in file(project).read_text(encoding="utf-8")
        (item,) = memory.list()
        memory.forget(item.id)
        assert TABS.statement not in file(project).read_text(encoding="utf-8")
        assert memory.status().summary.state == "current"
        memory.clear(confirm=True)
        assert memory.status().summary.state == "current"
    assert stat.S_IMODE(file(project).stat().st_mode) == 0o600


@pytest.mark.requirement("C11")
def test_an_edit_of_the_summary_is_stale_and_is_overwritten(
    project: Path, talk: Memory
) -> None:
    before = file(project).read_bytes()
    file(project).write_bytes(before + b"My own line.\n")
    assert talk.status().summary.state == "stale"
    assert talk.summary().state == "current"
    assert file(project).read_bytes() == before
    file(project).unlink()
    assert talk.status().summary.state == "missing"
    with memory_at(project) as store:
        believe(store, TABS)
    talk.summary()
    assert TABS.statement in file(project).read_text(encoding="utf-8")


@pytest.mark.requirement("C11")
@pytest.mark.parametrize("kind", ["folder", "link"])
def test_a_summary_that_cannot_be_written_harms_nothing(
    project: Path, tmp_path: Path, talk: Memory, kind: str
) -> None:
    file(project).unlink()
    elsewhere = tmp_path / "elsewhere.md"
    elsewhere.write_bytes(b"mine")
    if kind == "folder":
        file(project).mkdir()
    else:
        file(project).symlink_to(elsewhere)
    written = talk.summary()
    assert (written.state, bool(written.error)) == ("stale", True)
    assert elsewhere.read_bytes() == b"mine"
    said(talk)
    assert talk.flush().pending == ()
    assert talk.status().state == "healthy"
    assert len(talk.list()) == 1
    assert codes(talk) == ["MEMORY_SUMMARY"]


@pytest.mark.requirement("C11")
def test_stored_words_stay_in_their_lines(project: Path, talk: Memory) -> None:
    sly = TABS._replace(
        subject="A\n# Heading", statement="One\n\n## Two <!-- x", content="-"
    )
    with memory_at(project) as store:
        believe(store, sly)
    talk.summary()
    lines = file(project).read_text(encoding="utf-8").splitlines()
    assert "# Heading" not in lines
    assert "## Two <!-- x" not in lines
