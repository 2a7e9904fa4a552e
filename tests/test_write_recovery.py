"""Interrupted writes that take their owner, and journals that nobody can use."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

import pytest

from corpus.confined.reader import open_root
from corpus.errors import CodedError
from corpus.soundness import orphan_stages
from corpus.sources.scan import read_policy
from corpus.writes.audit import AUDIT
from corpus.writes.journal import Journal, read_journal
from corpus.writes.recovery import pending, recover
from corpus.writes.requests import create_task
from corpus.writes.runtime import MOST_KEPT
from tests.corpora import HOME, dirs_of, status_page, task_page, write
from tests.interrupted import (
    Project,
    ask_activation,
    ask_task,
    ask_update,
    contents,
    project_with,
    receipts,
)
from tests.trusted import (
    STATUS,
    editing_policy,
    grant_everything,
    hash_of,
    leftovers,
    write_trusted,
    writer_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from corpus.writes.journal import Choice
    from tests.interrupted import Ask

pytestmark = pytest.mark.requirement("P13.2")

THIRD = status_page(blockers="Written by hand.").encode()
LATER = datetime(2100, 1, 1, tzinfo=UTC)


@pytest.fixture(autouse=True)
def no_power_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spare the disk: a process that dies loses nothing it gave to the system."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


def journal_file(root: Path) -> Path:
    (found,) = (dirs_of(root).state / "writes").glob("*/journal.json")
    return found


def interrupted(
    tmp_path: Path, ask: Ask, enough: Callable[[Project], bool]
) -> tuple[Project, dict[str, bytes], dict[str, bytes]]:
    """Kill the request at the first step at which enough has happened."""
    project = project_with(tmp_path, ask)
    old, new = project.sides()
    for step in project.kills(first=FIRST.get((ask, enough), 1)):
        if enough(project):
            FIRST[ask, enough] = step
            return project, old, new
    pytest.fail("that never happened")


FIRST: dict[object, int] = {}
"""The steps found, for the search takes long; a write takes the same ones each time."""


def is_half_published(project: Project) -> bool:
    return contents(project.root) != project.before


def is_published(project: Project) -> bool:
    return contents(project.root) != project.before


def is_staged(project: Project) -> bool:
    """Say whether every new content is there, and none is published."""
    writes = dirs_of(project.root).state / "writes"
    copies = {hash_of(path) for path in writes.rglob("*.new")}
    stages = {hash_of(path) for path in (project.root / HOME).rglob("*.stage")}
    return bool(copies) and stages == copies


def waiting(tmp_path: Path) -> tuple[Project, dict[str, bytes], dict[str, bytes]]:
    """Leave an activation half done, and STATUS saved by hand since."""
    project, old, new = interrupted(tmp_path, ask_activation, is_half_published)
    write(project.root / STATUS, THIRD)
    with writer_of(project.root, seed="two") as writer:
        outcome = recover(writer)
    assert outcome is not None
    assert outcome.phase == "NEEDS_OWNER"
    assert outcome.reason == f"UNEXPECTED_TARGET: {STATUS}"
    return project, old, new


def code_of(root: Path, action: Callable[..., object]) -> str:
    with writer_of(root, seed="three") as writer, pytest.raises(CodedError) as caught:
        action(writer)
    return caught.value.code


# The owner decides


def test_every_other_write_waits_until_the_owner_has_decided(tmp_path: Path) -> None:
    project, _, _ = waiting(tmp_path)
    before = contents(project.root)
    assert code_of(project.root, project.ask(project.root)) == "NEEDS_OWNER"
    assert code_of(project.root, ask_task(project.root)) == "NEEDS_OWNER"
    assert contents(project.root) == before
    assert list((project.root / HOME).rglob("*.stage")) == []


def test_all_sides_are_shown_to_the_owner(tmp_path: Path) -> None:
    project, old, new = waiting(tmp_path)
    with writer_of(project.root, seed="three") as writer:
        shown = pending(writer)
    assert shown is not None
    sides = {
        side.planned.path.removeprefix(f"{HOME}/"): side[1:4] for side in shown.sides
    }
    status, two = "state/STATUS.md", "tasks/task-two.md"
    assert sides[status] == (old[status], new[status], THIRD)
    assert sides[two] == (old[two], new[two], new[two])


@pytest.mark.parametrize("choice", ["old", "new"])
def test_what_the_owner_decides_holds_and_the_rest_is_kept(
    tmp_path: Path, choice: Choice
) -> None:
    project, old, new = waiting(tmp_path)
    with writer_of(project.root, seed="three") as writer:
        outcome = recover(writer, resolve=choice)
    assert outcome is not None
    assert outcome.reason == "OWNER_DECIDED"
    assert outcome.phase == ("COMPLETE" if choice == "new" else "ROLLED_BACK")
    assert contents(project.root) == (new if choice == "new" else old)
    assert list(outcome.kept) == leftovers(project.root)
    (copy,) = (dirs_of(project.root).state / "writes").rglob(outcome.kept[0])
    assert copy.read_bytes() == THIRD
    assert receipts(project.root) == (1 if choice == "new" else 0)
    if outcome.audit_path is not None:
        receipt = json.loads((project.root / outcome.audit_path).read_bytes())
        assert receipt["owner_decided"] is True


def test_what_stands_there_now_may_be_what_the_owner_wants(tmp_path: Path) -> None:
    project, _, _ = waiting(tmp_path)
    before = contents(project.root)
    with writer_of(project.root, seed="three") as writer:
        outcome = recover(writer, resolve="current")
    assert outcome is not None
    assert outcome.phase == "ROLLED_BACK"
    assert contents(project.root) == before
    assert leftovers(project.root) == []


@pytest.mark.parametrize("choice", ["old", "new"])
def test_a_creation_is_decided_like_a_change(tmp_path: Path, choice: Choice) -> None:
    project, old, new = interrupted(tmp_path, ask_task, _has_a_stage)
    mine = project.root / HOME / "tasks/task-new.md"
    write(mine, "# Mine\n")
    with writer_of(project.root, seed="two") as writer:
        outcome = recover(writer, resolve=choice)
    assert outcome is not None
    assert contents(project.root) == (new if choice == "new" else old)
    (copy,) = (dirs_of(project.root).state / "writes").rglob(outcome.kept[0])
    assert copy.read_bytes() == b"# Mine\n"


def _has_a_stage(project: Project) -> bool:
    stages = list((project.root / HOME / "tasks").glob("*.stage"))
    wanted = len(task_page("task-new"))
    return any(stage.stat().st_size == wanted for stage in stages)


def test_a_content_that_is_gone_cannot_be_decided_for(tmp_path: Path) -> None:
    project, old, _ = waiting(tmp_path)
    for copy in (dirs_of(project.root).state / "writes").rglob("*.new"):
        copy.unlink()
    before = contents(project.root)
    decide = partial(recover, resolve="new")
    assert code_of(project.root, decide) == "RESOLUTION_IMPOSSIBLE"
    assert contents(project.root) == before
    with writer_of(project.root, seed="four") as writer:
        recover(writer, resolve="old")
    assert contents(project.root) == old


def test_new_holds_only_if_the_rights_still_allow_it(tmp_path: Path) -> None:
    project, old, _ = waiting(tmp_path)
    grant_everything(project.root, capability_ceiling=frozenset({"corpus.read"}))
    decide = partial(recover, resolve="new")
    assert code_of(project.root, decide) == "CAPABILITY_DENIED"
    with writer_of(project.root, seed="four") as writer:
        recover(writer, resolve="old")
    assert contents(project.root) == old


def test_a_decision_that_meets_a_link_can_still_be_another_one(tmp_path: Path) -> None:
    project, _, _ = waiting(tmp_path)
    place = project.root / STATUS
    place.rename(place.with_name("elsewhere"))
    place.symlink_to("elsewhere")
    decide = partial(recover, resolve="old")
    assert code_of(project.root, decide) == "TARGET_UNUSABLE"
    with writer_of(project.root, seed="four") as writer:
        outcome = recover(writer, resolve="current")
    assert outcome is not None
    assert place.is_symlink()
    assert leftovers(project.root) == []


def test_a_receipt_that_is_not_ours_takes_the_owner(tmp_path: Path) -> None:
    project, old, new = interrupted(tmp_path, ask_update, is_published)
    journal = read_journal(journal_file(project.root).read_bytes())
    foreign = project.root / AUDIT / f"{journal.transaction_id}.json"
    write(foreign, "{}\n")
    with writer_of(project.root, seed="two") as writer:
        outcome = recover(writer)
    assert outcome is not None
    assert (outcome.phase, outcome.reason) == ("NEEDS_OWNER", "AUDIT_CONFLICT")
    assert contents(project.root) == new
    decide = partial(recover, resolve="new")
    assert code_of(project.root, decide) == "AUDIT_CONFLICT"
    with writer_of(project.root, seed="four") as writer:
        recover(writer, resolve="old")
    assert contents(project.root) == old
    assert foreign.read_bytes() == b"{}\n"
    assert leftovers(project.root) == []


def test_a_folder_that_became_a_link_takes_the_owner(tmp_path: Path) -> None:
    project, _, _ = interrupted(tmp_path, ask_activation, is_staged)
    outside = tmp_path / "outside"
    (project.root / HOME / "tasks").rename(outside)
    (project.root / HOME / "tasks").symlink_to(outside)
    before = sorted(path.name for path in outside.iterdir())
    with writer_of(project.root, seed="two") as writer:
        outcome = recover(writer)
    assert outcome is not None
    assert outcome.phase == "NEEDS_OWNER"
    assert sorted(path.name for path in outside.iterdir()) == before


def test_the_newest_copies_are_kept_whatever_the_clock_says(tmp_path: Path) -> None:
    project, _, _ = waiting(tmp_path)
    with writer_of(project.root, seed="three") as writer:
        recover(writer, resolve="old")
        recover(writer._replace(clock=lambda: LATER))
        (kept,) = leftovers(project.root)
        (folder,) = (dirs_of(project.root).state / "writes").iterdir()
        for number in range(MOST_KEPT):
            write(folder / f"{number}.kept", "a later copy")
        recover(writer)
    assert kept not in leftovers(project.root)
    assert len(leftovers(project.root)) == MOST_KEPT


# Journals that cannot be used


VALID = Journal(
    transaction_id="0" * 32,
    project_id="demo-one",  # type: ignore[arg-type]
    root_identity="posix:1:2",
    capabilities=("state.update",),
    started_at="2026-01-10T12:00:00.000Z",
    changes=(),
)


def _journal(**changes: object) -> bytes:
    change = {
        "path": STATUS,
        "old_sha256": "0" * 64,
        "old_identity": None,
        "new_sha256": "1" * 64,
        "stage": f".STATUS.md.{'0' * 16}.stage",
    }
    value = {
        "format": "project-corpus-journal-v1",
        **VALID._asdict(),
        "capabilities": ["state.update"],
        "changes": [change],
        **changes,
    }
    return json.dumps(value).encode()


def _changed(**changes: object) -> bytes:
    (change,) = json.loads(_journal())["changes"]
    return _journal(changes=[{**change, **changes}])


BAD_JOURNALS = {
    "nothing": b"",
    "half": _journal()[:100],
    "no JSON": b"\xff\xfe",
    "nested": b"[" * 100_000,
    "a list": b"[]",
    "another format": _journal(format="other"),
    "one field more": _journal(more=1),
    "no transaction": _journal(transaction_id="x"),
    "no project": _journal(project_id="../x"),
    "another project": _journal(project_id="demo-two"),
    "another root": _journal(),
    "an unknown state": _journal(state="DONE"),
    "an unknown choice": _journal(choice="both"),
    "a decision without a choice": _journal(state="RESOLVING"),
    "a choice without a decision": _journal(choice="old"),
    "no change": _journal(changes=[]),
    "nine changes": _journal(changes=json.loads(_journal())["changes"] * 9),
    "a change that is none": _journal(changes=[1]),
    "a path upwards": _changed(path="../outside.md"),
    "a path with a lone surrogate": _changed(path="\ud800"),
    "another stage": _changed(stage="STATUS.md"),
    "a stage elsewhere": _changed(stage=f"./../x.{'0' * 16}.stage"),
    "no hash": _changed(new_sha256="x"),
    "a number": _changed(path=7),
    "a capability that is none": _journal(capabilities=[1]),
}


@pytest.mark.requirement("P13.1")
@pytest.mark.parametrize("name", BAD_JOURNALS)
def test_a_journal_that_cannot_be_used_stops_writes(tmp_path: Path, name: str) -> None:
    project, _, _ = interrupted(tmp_path, ask_update, is_staged)
    before = contents(project.root)
    journal_file(project.root).write_bytes(BAD_JOURNALS[name])
    for action in (recover, pending, project.ask(project.root)):
        assert code_of(project.root, action) == "JOURNAL_UNREADABLE"
    assert contents(project.root) == before


def test_a_journal_reads_as_it_was_written(tmp_path: Path) -> None:
    project, _, _ = waiting(tmp_path)
    content = journal_file(project.root).read_bytes()
    assert read_journal(content).to_bytes() == content
    assert b"Gauge" not in content


def test_there_may_be_nothing_to_recover(tmp_path: Path) -> None:
    root = write_trusted(tmp_path / "corpus")
    with writer_of(root) as writer:
        assert recover(writer) is None
        assert recover(writer, resolve="old") is None
        assert pending(writer) is None
    assert leftovers(root) == []


# Orphans


ORPHAN = f".task-one.md.{'a' * 16}.stage"


@pytest.mark.requirement("P11.2")
@pytest.mark.parametrize("folder", ["state", "tasks", "tasks/later", "reports"])
@pytest.mark.parametrize("content", ["the same", "somebody's save"])
def test_a_stage_that_no_write_owns_is_swept_when_it_is_of_no_use(
    tmp_path: Path, folder: str, content: str
) -> None:
    root = write_trusted(tmp_path / "corpus")
    write(root / HOME / folder / "task-one.md", "the same")
    orphan = write(root / HOME / folder / ORPHAN, content)
    assert _orphans(root, LATER) == [f"{HOME}/{folder}/{ORPHAN}"]
    assert _orphans(root, datetime.now(UTC)) == []
    with writer_of(root) as writer:
        recover(writer._replace(clock=partial(datetime.now, UTC)))
        assert orphan.exists()
        recover(writer._replace(clock=lambda: LATER))
    assert orphan.exists() == (content != "the same")


@pytest.mark.requirement("P11.2", "P2.4")
def test_a_stage_out_of_scope_is_not_named(tmp_path: Path) -> None:
    policy = editing_policy(deny=[f"{HOME}/tasks/secret/**"])
    root = write_trusted(tmp_path / "corpus", policy=policy)
    write(root / HOME / "tasks/secret" / ORPHAN, "half")
    assert _orphans(root, LATER) == []


@pytest.mark.requirement("P11.2")
def test_a_stage_of_a_receipt_is_reported(tmp_path: Path) -> None:
    root = write_trusted(tmp_path / "corpus")
    name = f".{'0' * 32}.json.{'0' * 16}.stage"
    write(root / AUDIT / name, "half")
    assert _orphans(root, LATER) == [f"{AUDIT}/{name}"]


def _orphans(root: Path, now: datetime) -> list[str]:
    with open_root(root) as opened:
        policy = read_policy(opened)
        found = list(orphan_stages(opened, policy, now=now.timestamp()))
    assert {finding.code for finding in found} <= {"ORPHAN_STAGE"}
    assert all("recover" in finding.hint for finding in found)
    return [finding.path for finding in found]


def test_a_task_is_created_beside_what_an_interrupted_write_left(
    tmp_path: Path,
) -> None:
    project, old, _ = interrupted(tmp_path, ask_update, is_staged)
    content = task_page("task-later").encode()
    with writer_of(project.root, seed="two") as writer:
        create_task(writer, "task-later", content)
    assert contents(project.root) == {**old, "tasks/task-later.md": content}
    assert leftovers(project.root) == []
