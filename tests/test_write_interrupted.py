"""An interrupted write is seen by whoever only looks, and nothing is changed by it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from corpus.confined.reader import open_root
from corpus.sources.scan import read_policy
from corpus.writes.interrupted import interrupted_write
from corpus.writes.runtime import runtime_path
from tests.corpora import HOME, dirs_of
from tests.interrupted import ask_update, project_with

if TYPE_CHECKING:
    from pathlib import Path

    from corpus.confined.reader import GuaranteeLevel
    from corpus.writes.interrupted import Interrupted
    from tests.interrupted import Project

pytestmark = pytest.mark.requirement("P13.2")


def journals(root: Path) -> list[Path]:
    return list((dirs_of(root).state / "writes").rglob("journal.json"))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Kill a write as soon as its journal is there."""
    project = project_with(tmp_path, ask_update)
    for _ in project.kills():
        if journals(project.root):
            return project
    pytest.fail("no journal was ever written")


def look(root: Path, level: GuaranteeLevel | None = None) -> Interrupted | None:
    with open_root(root, level) as opened:
        policy = read_policy(opened)
        return interrupted_write(opened, policy, state=dirs_of(root).state)


@pytest.mark.parametrize("level", [None, "portable"])
def test_it_is_seen_and_left_as_it_is(
    project: Project, level: GuaranteeLevel | None
) -> None:
    (journal,) = journals(project.root)
    before = journal.read_bytes()
    found = look(project.root, level)
    assert found is not None
    assert found.path == f"{HOME}/state/STATUS.md"
    assert look(project.root, level) == found
    assert journal.read_bytes() == before


def test_looking_makes_no_folder(tmp_path: Path) -> None:
    project = project_with(tmp_path, ask_update)
    project.fresh()
    assert look(project.root) is None
    assert not (dirs_of(project.root).state / "writes").exists()


def test_a_folder_that_others_can_write_is_not_believed(project: Project) -> None:
    (journal,) = journals(project.root)
    journal.parent.chmod(0o777)
    assert look(project.root) is None


def test_a_corpus_folder_that_is_gone_meanwhile_hides_nothing(
    project: Project,
) -> None:
    with open_root(project.root) as opened:
        policy = read_policy(opened)
        state = dirs_of(project.root).state
        assert runtime_path(state, policy.project_id, opened.identity).is_dir()
        (project.root / HOME).rename(project.root / "elsewhere")
        assert interrupted_write(opened, policy, state=state) is not None
