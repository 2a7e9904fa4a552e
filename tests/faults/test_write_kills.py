"""Writers killed between any two steps (P13.2): old, new, or the owner decides.

A step is a call of the system that changes something; at all others a writer that dies
leaves what it leaves at the next of these, which the first test here shows.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import partial
from random import Random
from typing import TYPE_CHECKING

import pytest

from corpus.confined import rename
from corpus.confined.reader import open_root
from corpus.protocol.conformance import validate
from corpus.refusals import StaleHashError, TargetExistsError, TaskStatusError
from corpus.writes.recovery import recover
from corpus.writes.requests import activate_task, create_task, update_state
from tests.corpora import HOME, dirs_of, live_view_of_corpus, status_page, task_page
from tests.interrupted import (
    MOST_STEPS,
    REQUESTS,
    ask_activation,
    ask_closing,
    ask_update,
    changed_unnoticed,
    contents,
    killed_at,
    project_with,
    receipts,
)
from tests.trusted import STATUS, hash_of, leftovers, writer_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from corpus.writes.journal import Choice
    from corpus.writes.writer import Writer
    from tests.interrupted import Ask, Project, Request


@pytest.fixture(autouse=True)
def no_power_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spare the disk: a process that dies loses nothing it gave to the system."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture(params=["one step", "hard links"])
def renaming(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Let the system exchange names, or not even know how."""
    if request.param == "hard links":
        monkeypatch.setattr(rename, "_system_call", lambda: None)
    return str(request.param)


@pytest.mark.requirement("P13.2")
def test_a_write_changes_nothing_but_at_its_steps(
    tmp_path: Path, renaming: str
) -> None:
    del renaming
    for number, ask in enumerate(REQUESTS.values()):
        folder = tmp_path / str(number)
        project = project_with(folder, ask)

        def write(project: Project = project) -> None:
            with writer_of(project.root) as writer:
                project.ask(project.root)(writer)

        assert changed_unnoticed(folder, write) == []


@pytest.mark.requirement("P13.2")
@pytest.mark.parametrize("name", REQUESTS)
def test_a_writer_killed_at_any_step_leaves_old_or_new(
    tmp_path: Path, name: str, renaming: str
) -> None:
    del renaming
    project = project_with(tmp_path, REQUESTS[name])
    old, new = project.sides()
    seen = set()
    for step in project.kills():
        with writer_of(project.root, seed="two") as writer:
            outcome = recover(writer)
        after = contents(project.root)
        assert after in (old, new), step
        assert leftovers(project.root) == [], step
        done = receipts(project.root)
        assert done == (1 if after == new else 0) or old == new, step
        if outcome is not None:
            assert (outcome.phase == "COMPLETE") == (done == 1), step
            seen.add(outcome.phase)
    assert seen == {"COMPLETE", "ROLLED_BACK"}


@pytest.mark.requirement("P13.2")
@pytest.mark.parametrize("name", sorted(REQUESTS.keys() - {"state update to the same"}))
def test_the_next_writer_settles_what_a_killed_one_left(
    tmp_path: Path, name: str
) -> None:
    project = project_with(tmp_path, REQUESTS[name])
    _, new = project.sides()
    for step in range(1, MOST_STEPS):
        request = project.fresh()
        if not killed_at(step, project.root, request):
            break
        with writer_of(project.root, seed="two") as writer:
            try:
                request(writer)
            except (StaleHashError, TargetExistsError):
                assert contents(project.root) == new, step
        assert contents(project.root) == new, step
        assert leftovers(project.root) == [], step
        assert receipts(project.root) == 1, step


@pytest.mark.requirement("P13.2")
def test_recovery_killed_at_any_step_can_be_run_again(
    tmp_path: Path, renaming: str
) -> None:
    del renaming
    project = project_with(tmp_path, ask_activation)
    old, new = project.sides()
    halfway = _interrupting(project)
    for first in halfway[:: len(halfway) // 4]:
        for step in range(1 + first % 2, MOST_STEPS, 2):
            assert killed_at(first, project.root, project.fresh())
            if not killed_at(step, project.root, recover):
                break
            with writer_of(project.root, seed="three") as writer:
                recover(writer)
            assert contents(project.root) in (old, new), (first, step)
            assert leftovers(project.root) == [], (first, step)


@pytest.mark.requirement("P13.2")
@pytest.mark.parametrize("choice", ["old", "new", "current"])
def test_a_decision_killed_at_any_step_is_carried_out_later(
    tmp_path: Path, choice: Choice
) -> None:
    project = project_with(tmp_path, ask_activation)
    old, new = project.sides()
    third = status_page(blockers="Written by hand.").encode()
    current = {**old, "state/STATUS.md": third}
    current["tasks/task-two.md"] = new["tasks/task-two.md"]
    wanted = {"old": old, "new": new, "current": current}[choice]
    decide = partial(recover, resolve=choice)
    first = _half_published(project, new)
    for step in range(1, MOST_STEPS):
        assert killed_at(first, project.root, project.fresh())
        (project.root / STATUS).write_bytes(third)
        with writer_of(project.root, seed="two") as writer:
            outcome = recover(writer)
        assert outcome is not None
        assert outcome.phase == "NEEDS_OWNER"
        if not killed_at(step, project.root, decide):
            break
        with writer_of(project.root, seed="three") as writer:
            outcome = recover(writer, resolve=choice)
        assert contents(project.root) == wanted, step
        copies = leftovers(project.root)
        if choice == "current":
            assert copies == []
        else:
            kept = [name.name for name in _copies(project.root, third)]
            assert copies == kept, step
            assert len(kept) == 1, step
            assert outcome is None or list(outcome.kept) == kept
        assert receipts(project.root) == (1 if choice == "new" else 0), step


@pytest.mark.requirement("P13.2")
def test_the_corpus_answers_whatever_a_killed_writer_left(tmp_path: Path) -> None:
    project = project_with(tmp_path, ask_closing)
    for step in project.kills(every=2):
        view = live_view_of_corpus(project.root)
        assert len(view.rows.facts) == 6, step
        assert view.project.scan.skipped == (), step


@pytest.mark.requirement("P13.2")
def test_a_target_changed_after_the_kill_is_left_to_its_owner(tmp_path: Path) -> None:
    project = project_with(tmp_path, ask_update)
    by_hand = status_page(blockers="Written by hand.").encode()
    phases = set()
    for step in project.kills():
        (project.root / STATUS).write_bytes(by_hand)
        written = receipts(project.root) == 1
        with writer_of(project.root, seed="two") as writer:
            outcome = recover(writer)
        assert (project.root / STATUS).read_bytes() == by_hand, step
        assert list((project.root / HOME).rglob("*.stage")) == [], step
        if outcome is not None:
            wanted = "COMPLETE" if written else "NEEDS_OWNER"
            assert outcome.phase == wanted, step
            phases.add(outcome.phase)
    assert phases == {"COMPLETE", "NEEDS_OWNER"}


@pytest.mark.requirement("P13.2")
@pytest.mark.parametrize("seed", range(3))
def test_a_history_of_writes_and_deaths_leaves_no_file_half_written(
    tmp_path: Path, seed: int, renaming: str
) -> None:
    del renaming
    chance = Random(seed)  # noqa: S311 - the same at every run
    root = project_with(tmp_path, ask_update).root
    for number in range(40):
        page = status_page(
            blockers=f"Number {number}.", active_task=_named_active(root)
        )
        name = f"task-new-{number}"
        requests: list[Request] = [
            partial(
                update_state,
                content=page.encode(),
                expected_sha256=hash_of(root / STATUS),
            ),
            partial(create_task, task_id=name, content=task_page(name).encode()),
            partial(
                activate_task,
                task_id=chance.choice(["task-one", "task-two"]),
                expected_sha256=hash_of(root / STATUS),
            ),
            recover,
        ]
        request = _forgiving(chance.choice(requests))
        killed_at(chance.randrange(1, 40), root, request, seed=f"write {number}")
        if chance.random() < 0.5:
            with writer_of(root, seed=f"recovery {number}") as writer:
                recover(writer)
            assert leftovers(root) == []
            with open_root(root) as opened:
                assert validate(opened).issues == ()
            assert _marked_active(root) == [_named_active(root)]


def _marked_active(root: Path) -> list[str]:
    """Name the tasks that say they are active."""
    tasks = (root / HOME / "tasks").glob("*.md")
    return [t.stem for t in tasks if b"\nTask-Status: ACTIVE\n" in t.read_bytes()]


def _named_active(root: Path) -> str:
    """Name the task that STATUS says is active."""
    text = (root / STATUS).read_text(encoding="utf-8")
    return text.partition("Active-Task-ID: ")[2].partition("\n")[0]


def _forgiving(request: Request) -> Request:
    """Make a request that may be refused, as one after another death may be."""

    def ask(writer: Writer) -> None:
        with suppress(StaleHashError, TargetExistsError, TaskStatusError):
            request(writer)

    return ask


def _interrupting(project: Project) -> list[int]:
    """List the steps at which the request leaves something to be settled."""
    return [step for step in project.kills() if leftovers(project.root)]


def _half_published(project: Project, new: dict[str, bytes]) -> int:
    """Find a step at which the task is changed already and STATUS is not."""
    for step in project.kills(first=_FOUND.get(project.ask, 1)):
        now = contents(project.root)
        if now not in (project.before, new):
            _FOUND[project.ask] = step
            return step
    pytest.fail("both files change in one step")


_FOUND: dict[Ask, int] = {}
"""The steps found, for the search takes long; a write takes the same ones each time."""


def _copies(root: Path, content: bytes) -> Iterator[Path]:
    folder = dirs_of(root).state / "writes"
    return (path for path in folder.rglob("*.kept") if path.read_bytes() == content)
