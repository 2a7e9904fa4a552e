"""What a controlled write changes, what it keeps, and what its receipt says (P13.1)."""

from __future__ import annotations

import grp
import json
import os
import stat
from functools import partial
from typing import TYPE_CHECKING

import pytest

from corpus.authority import Session
from corpus.canonical import sha256
from corpus.confined.folder import Folder
from corpus.confined.reader import open_root
from corpus.mandate import mandate_for
from corpus.refusals import (
    ReadbackError,
    StaleHashError,
    TargetExistsError,
    TargetUnusableError,
    WriteUnsettledError,
)
from corpus.writes.audit import read_receipt
from corpus.writes.recovery import recover
from corpus.writes.requests import (
    activate_task,
    close_task,
    create_report,
    create_task,
    update_state,
)
from tests.corpora import HOME, dirs_of, report_page, status_page, task_page, write
from tests.interrupted import (
    ask_activation,
    ask_closing,
    ask_report,
    ask_task,
    ask_update,
    contents,
    receipts,
)
from tests.trusted import (
    STATUS,
    grant_file,
    hash_of,
    leftovers,
    write_trusted,
    writer_of,
)

if TYPE_CHECKING:
    from pathlib import Path

    from corpus.writes.outcome import Outcome
    from tests.interrupted import Ask, Request

pytestmark = pytest.mark.requirement("P13.1")

NEW_TASK = f"{HOME}/tasks/task-new.md"
NEW_REPORT = f"{HOME}/reports/report-new.md"
ONE, TWO = f"{HOME}/tasks/task-one.md", f"{HOME}/tasks/task-two.md"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_trusted(tmp_path / "corpus")


def done(root: Path, request: Request, *, seed: str = "one") -> Outcome:
    """Make a request that is complete, and leaves nothing but its receipt."""
    with writer_of(root, seed=seed) as writer:
        outcome: Outcome = request(writer)  # type: ignore[assignment]
    assert outcome.phase == "COMPLETE"
    assert leftovers(root) == []
    return outcome


def receipt_of(root: Path, outcome: Outcome) -> dict[str, object]:
    """Read the receipt as `audit-read` does."""
    session = Session(transport="cli")
    with open_root(root) as opened:
        mandate = mandate_for(opened, root, grant_file(root), session)
        receipt = read_receipt(opened, mandate, outcome.transaction_id)
    content = (root / receipt.path).read_bytes()
    assert receipt.sha256 == sha256(content)
    assert receipt.path == outcome.audit_path
    assert json.loads(content) == receipt.content
    return receipt.content


@pytest.mark.requirement("P13.3")
@pytest.mark.parametrize(
    ("ask", "capabilities", "targets"),
    [
        (ask_update, ["state.update"], [STATUS]),
        (ask_task, ["task.create"], [NEW_TASK]),
        (ask_report, ["report.create"], [NEW_REPORT]),
        (ask_activation, ["task.update", "state.update"], [TWO, ONE, STATUS]),
        (ask_closing, ["task.update", "state.update"], [ONE, STATUS]),
    ],
)
def test_a_write_says_what_it_changed_and_so_does_its_receipt(
    project: Path, ask: Ask, capabilities: list[str], targets: list[str]
) -> None:
    old = {t: hash_of(project / t) if (project / t).exists() else None for t in targets}
    outcome = done(project, ask(project))
    new = {target: hash_of(project / target) for target in targets}
    changes = [{"path": t, "old_sha256": old[t], "new_sha256": new[t]} for t in targets]
    assert outcome.as_json() == {
        "transaction_id": outcome.transaction_id,
        "phase": "COMPLETE",
        "target": targets[0],
        "sha256": new[targets[0]],
        "audit_relative": f"{HOME}/audit/{outcome.transaction_id}.json",
        "reason": None,
        "changes": changes,
        "kept": [],
    }
    receipt = receipt_of(project, outcome)
    assert receipt["capability"] == capabilities[0]
    assert receipt["capabilities"] == capabilities
    assert receipt["operation"] == ("update" if old[targets[0]] else "create")
    assert receipt["started_at"] == "2026-01-10T12:00:00.000Z"
    assert receipt["transport"] == "cli"
    assert receipt["owner_decided"] is False
    told = receipt["changes"]
    assert isinstance(told, list)
    assert [one["target"] for one in told] == targets
    assert [one["new_sha256"] for one in told] == list(new.values())
    assert all(one["new_identity"] != one["old_identity"] for one in told)


@pytest.mark.requirement("P13.3")
def test_a_receipt_holds_no_content(project: Path) -> None:
    content = task_page("task-new", objective="Nobody but us should know.").encode()
    outcome = done(project, partial(create_task, task_id="task-new", content=content))
    text = (project / f"{HOME}/audit/{outcome.transaction_id}.json").read_bytes()
    assert b"Nobody" not in text
    assert (project / NEW_TASK).read_bytes() == content


def test_the_bytes_that_were_given_are_the_bytes_that_stand_there(
    project: Path,
) -> None:
    content = b"\xef\xbb\xbf" + status_page(blockers="Ж").replace("\n", "\r\n").encode()
    request = partial(
        update_state, content=content, expected_sha256=hash_of(project / STATUS)
    )
    done(project, request)
    assert (project / STATUS).read_bytes() == content


def test_folders_of_new_files_are_made_when_they_are_missing(project: Path) -> None:
    (project / f"{HOME}/reports/report-one.md").unlink()
    (project / f"{HOME}/reports").rmdir()
    assert not (project / f"{HOME}/audit").exists()
    content = report_page("report-new").encode()
    done(project, partial(create_report, report_id="report-new", content=content))
    assert (project / NEW_REPORT).read_bytes() == content
    assert stat.S_IMODE((project / NEW_REPORT).stat().st_mode) == 0o644
    assert receipts(project) == 1


def test_one_writer_may_write_again_and_again(project: Path) -> None:
    with writer_of(project) as writer:
        for number in range(3):
            content = status_page(blockers=f"Number {number}.").encode()
            expected = hash_of(project / STATUS)
            update_state(writer, content, expected_sha256=expected)
    assert receipts(project) == 3
    assert leftovers(project) == []


# Activating and closing


def value_of(path: Path, key: str) -> str:
    lines = path.read_text(encoding="utf-8").splitlines()
    return next(line for line in lines if line.startswith(f"{key}: "))[len(key) + 2 :]


def test_the_task_that_was_active_is_open_again(project: Path) -> None:
    done(project, ask_activation(project))
    assert value_of(project / TWO, "Task-Status") == "ACTIVE"
    assert value_of(project / ONE, "Task-Status") == "OPEN"
    assert value_of(project / STATUS, "Active-Task-ID") == "task-two"


def test_a_task_is_activated_where_none_was_active(tmp_path: Path) -> None:
    root = write_trusted(tmp_path / "corpus")
    done(root, ask_closing(root))
    outcome = done(root, ask_activation(root), seed="two")
    assert [change.path for change in outcome.changes] == [TWO, STATUS]
    assert value_of(root / ONE, "Task-Status") == "DONE"


def test_the_next_action_is_written_with_the_pointer(project: Path) -> None:
    request = partial(
        activate_task,
        task_id="task-two",
        expected_sha256=hash_of(project / STATUS),
        task_sha256=hash_of(project / TWO),
        next_action="Call the workshop.",
    )
    done(project, request)
    text = (project / STATUS).read_text(encoding="utf-8")
    assert "## Exact Next Action\n\nCall the workshop.\n" in text


def test_closing_the_active_task_leaves_none_active(project: Path) -> None:
    done(project, ask_closing(project))
    assert value_of(project / STATUS, "Active-Task-ID") == "NONE"
    assert value_of(project / ONE, "Task-Status") == "DONE"


def test_closing_another_task_leaves_the_pointer(project: Path) -> None:
    before = (project / STATUS).read_bytes()
    request = partial(
        close_task,
        task_id="task-two",
        status="CANCELLED",
        expected_sha256=hash_of(project / STATUS),
    )
    done(project, request)
    assert value_of(project / TWO, "Task-Status") == "CANCELLED"
    assert (project / STATUS).read_bytes() == before


@pytest.mark.parametrize(
    "form",
    [
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: text.rstrip("\n").encode(),
        lambda text: _front_matter(text).encode(),
    ],
    ids=["CRLF", "byte order mark", "no last newline", "front matter"],
)
def test_every_other_byte_of_a_task_stays(project: Path, form: object) -> None:
    assert callable(form)
    content: bytes = form(task_page("task-two"))
    write(project / TWO, content)
    done(project, ask_activation(project))
    assert (project / TWO).read_bytes() == content.replace(b"OPEN", b"ACTIVE")


def _front_matter(text: str) -> str:
    title, _, rest = text.partition("\n\n")
    metadata, _, body = rest.partition("\n\n")
    return f"---\n{metadata}\n---\n{title}\n\n{body}"


# What belongs to the file stays with it


def test_mode_and_attributes_of_the_target_stay(project: Path) -> None:
    (project / STATUS).chmod(0o664)
    try:
        os.setxattr(project / STATUS, "user.colour", b"green")
    except OSError:
        pytest.skip("this file system keeps no attributes")
    done(project, ask_update(project))
    assert stat.S_IMODE((project / STATUS).stat().st_mode) == 0o664
    assert os.getxattr(project / STATUS, "user.colour") == b"green"
    assert os.listxattr(project / STATUS) == ["user.colour"]


def test_the_group_of_the_target_stays(project: Path) -> None:
    own = os.getegid()
    known = [each.gr_gid for each in grp.getgrall()]
    may = known if os.geteuid() == 0 else os.getgroups()
    other = next((group for group in may if group != own), None)
    if other is None:
        pytest.skip("this user is in one group alone")
    os.chown(project / STATUS, -1, other)
    done(project, ask_update(project))
    assert (project / STATUS).stat().st_gid == other


def test_a_target_with_special_bits_is_refused(project: Path) -> None:
    (project / STATUS).chmod(0o2664)
    before = contents(project)
    request = ask_update(project)
    with writer_of(project) as writer, pytest.raises(TargetUnusableError):
        request(writer)
    assert contents(project) == before
    assert leftovers(project) == []


# Nobody else's work is lost


BY_HAND = status_page(blockers="Written by hand.").encode()
AGAIN = status_page(blockers="Written by hand once more.").encode()


def saving(
    monkeypatch: pytest.MonkeyPatch, step: str, path: Path, *contents: bytes
) -> None:
    """Let somebody save a file, as editors do, each time just before a `step` on it."""
    real = getattr(Folder, step)
    left = list(contents)

    def late(folder: Folder, one: str, two: str) -> object:
        if two == path.name and left:
            other = path.with_name("saved.tmp")
            other.write_bytes(left.pop(0))
            other.replace(path)
        return real(folder, one, two)

    monkeypatch.setattr(Folder, step, late)


@pytest.mark.parametrize("ask", [ask_update, ask_activation])
def test_what_is_saved_just_before_publication_stands(
    project: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(project)
    request = ask(project)
    saving(monkeypatch, "exchange", project / STATUS, BY_HAND)
    with writer_of(project) as writer, pytest.raises(StaleHashError):
        request(writer)
    assert contents(project) == {**before, "state/STATUS.md": BY_HAND}
    assert leftovers(project) == []
    assert receipts(project) == 0


def test_what_is_created_just_before_publication_stands(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(project)
    request = ask_task(project)
    saving(monkeypatch, "claim", project / NEW_TASK, b"# Mine\n")
    with writer_of(project) as writer, pytest.raises(TargetExistsError):
        request(writer)
    assert contents(project) == {**before, "tasks/task-new.md": b"# Mine\n"}
    assert leftovers(project) == []


@pytest.mark.requirement("P13.2")
def test_what_is_saved_before_and_after_publication_is_kept(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = ask_update(project)
    saving(monkeypatch, "exchange", project / STATUS, BY_HAND, AGAIN)
    with writer_of(project) as writer, pytest.raises(WriteUnsettledError):
        request(writer)
    assert (project / STATUS).read_bytes() == AGAIN
    with writer_of(project, seed="two") as writer:
        waiting = recover(writer)
        assert waiting is not None
        assert waiting.phase == "NEEDS_OWNER"
        outcome = recover(writer, resolve="current")
    assert (project / STATUS).read_bytes() == AGAIN
    assert outcome is not None
    copies = [runtime_file(project, name).read_bytes() for name in outcome.kept]
    assert copies == [BY_HAND]


def test_a_file_with_the_same_text_put_there_meanwhile_is_another_file(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(project)
    old = (project / STATUS).read_bytes()
    request = ask_update(project)
    real = Folder.write_new

    def late(folder: Folder, name: str, content: bytes, mode: int = 0o600) -> None:
        real(folder, name, content, mode)
        if name.startswith(".STATUS.md."):
            other = project / f"{HOME}/state/saved.tmp"
            other.write_bytes(old)
            other.replace(project / STATUS)

    monkeypatch.setattr(Folder, "write_new", late)
    with writer_of(project) as writer, pytest.raises(StaleHashError):
        request(writer)
    assert contents(project) == before
    assert leftovers(project) == []


def test_what_is_saved_after_publication_is_not_taken_for_the_write(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = ask_update(project)
    real = Folder.exchange

    def late(folder: Folder, one: str, two: str) -> bool:
        answer = real(folder, one, two)
        other = project / f"{HOME}/state/saved.tmp"
        other.write_bytes(BY_HAND)
        other.replace(project / STATUS)
        return answer

    monkeypatch.setattr(Folder, "exchange", late)
    with writer_of(project) as writer, pytest.raises(ReadbackError):
        request(writer)
    assert (project / STATUS).read_bytes() == BY_HAND
    assert receipts(project) == 0
    monkeypatch.undo()
    with writer_of(project, seed="two") as writer:
        outcome = recover(writer, resolve="current")
    assert outcome is not None
    assert outcome.phase == "ROLLED_BACK"
    assert (project / STATUS).read_bytes() == BY_HAND
    assert leftovers(project) == []


def runtime_file(root: Path, name: str) -> Path:
    (found,) = (dirs_of(root).state / "writes").rglob(name)
    return found
