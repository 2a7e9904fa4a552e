"""Every refusal of a controlled write: its code, and that nothing was changed (P13)."""

from __future__ import annotations

import fcntl
import os
from functools import partial
from typing import TYPE_CHECKING

import pytest

from corpus.authority import RUNTIME_HARD_LIMITS, SOURCE_BYTES, Session
from corpus.confined.folder import Folder
from corpus.confined.reader import open_root
from corpus.errors import CodedError
from corpus.writes.recovery import recover
from corpus.writes.requests import (
    activate_task,
    close_task,
    create_report,
    create_task,
    update_state,
)
from corpus.writes.runtime import runtime_path
from corpus.writes.writer import open_writer
from tests.corpora import HOME, dirs_of, report_page, status_page, task_page, write
from tests.interrupted import (
    ask_activation,
    ask_closing,
    ask_task,
    ask_update,
    receipts,
)
from tests.trusted import (
    MOMENT,
    STATUS,
    counted,
    editing_policy,
    grant_everything,
    grant_file,
    hash_of,
    leftovers,
    write_trusted,
    writer_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.interrupted import Ask, Request

pytestmark = pytest.mark.requirement("P13.1", "P13.3")

NEW_TASK = f"{HOME}/tasks/task-new.md"
TWO = f"{HOME}/tasks/task-two.md"
SOME_HASH = "0" * 64


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_trusted(tmp_path / "corpus")


def everything(root: Path) -> dict[str, bytes | str]:
    """Give the whole corpus: every name, with the content of every plain file."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        if path.is_file() and not path.is_symlink()
        else "no plain file"
        for path in sorted(root.rglob("*"))
    }


def refused(root: Path, request: Request, session: Session | None = None) -> CodedError:
    """Give the refusal of a request that changes nothing and leaves nothing."""
    before = everything(root)
    with writer_of(root, session) as writer, pytest.raises(CodedError) as caught:
        request(writer._replace(patience=0.1))
    assert everything(root) == before
    assert leftovers(root) == []
    return caught.value


def update(root: Path, content: str | bytes, expected: str | None = None) -> Request:
    content = content.encode() if isinstance(content, str) else content
    expected = expected or hash_of(root / STATUS)
    return partial(update_state, content=content, expected_sha256=expected)


def activate(root: Path, **changes: object) -> Request:
    asked: dict[str, object] = {
        "task_id": "task-two",
        "expected_sha256": hash_of(root / STATUS),
    }
    return partial(activate_task, **{**asked, **changes})  # type: ignore[arg-type]


def close(root: Path, **changes: object) -> Request:
    asked: dict[str, object] = {
        "task_id": "task-one",
        "status": "DONE",
        "expected_sha256": hash_of(root / STATUS),
    }
    return partial(close_task, **{**asked, **changes})  # type: ignore[arg-type]


def create(own_id: str = "task-new", content: str | bytes | None = None) -> Request:
    content = task_page(own_id) if content is None else content
    content = content.encode() if isinstance(content, str) else content
    return partial(create_task, task_id=own_id, content=content)


WRONG: dict[str, tuple[str, Callable[[Path], Request]]] = {
    "no hash": ("EXPECTED_HASH", lambda r: update(r, status_page(), "f" * 63)),
    "an upper-case hash": (
        "EXPECTED_HASH",
        lambda r: activate(r, expected_sha256="F" * 64),
    ),
    "no hash of the task": ("EXPECTED_HASH", lambda r: close(r, task_sha256="")),
    "another STATUS": ("STALE_HASH", lambda r: update(r, status_page(), SOME_HASH)),
    "another STATUS at activation": (
        "STALE_HASH",
        lambda r: activate(r, expected_sha256=SOME_HASH),
    ),
    "another STATUS, though the other task does not change it": (
        "STALE_HASH",
        lambda r: close(r, task_id="task-two", expected_sha256=SOME_HASH),
    ),
    "another task": ("STALE_HASH", lambda r: activate(r, task_sha256=SOME_HASH)),
    "the same task": ("TARGET_EXISTS", lambda _: create("task-two")),
    "no such task": ("TARGET_MISSING", lambda r: activate(r, task_id="task-nine")),
    "an id that is none": ("ARTIFACT_ID", lambda _: create("../task")),
    "an id with a bell": ("ARTIFACT_ID", lambda r: close(r, task_id="task\a")),
    "too much": (
        "CONTENT_LIMIT",
        lambda _: create(content=task_page("task-new") + "x" * SOURCE_BYTES),
    ),
    "no UTF-8": ("CONTENT_ENCODING", lambda r: update(r, b"\xff\xfe")),
    "a NUL": ("CONTENT_ENCODING", lambda r: update(r, status_page(blockers="\0"))),
    "half a STATUS": ("STATE_CONFORMANCE", lambda r: update(r, "# Status\n")),
    "an active task that does not exist": (
        "STATE_CONFORMANCE",
        lambda r: update(r, status_page(active_task="task-nine")),
    ),
    "half a task": ("ARTIFACT_CONFORMANCE", lambda _: create(content="# Task\n")),
    "a task of another id": (
        "ARTIFACT_CONFORMANCE",
        lambda _: create(content=task_page("task-old")),
    ),
    "half a report": (
        "ARTIFACT_CONFORMANCE",
        lambda _: partial(create_report, report_id="report-new", content=b"# R\n"),
    ),
    "an active task": ("TASK_STATUS", lambda r: activate(r, task_id="task-one")),
    "a next action that opens a section": (
        "AMENDMENT_IMPOSSIBLE",
        lambda r: activate(r, next_action="Go.\n\n## Then\n\nRest."),
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_asked_wrongly_is_refused(project: Path, name: str) -> None:
    code, ask = WRONG[name]
    error = refused(project, ask(project))
    assert error.code == code
    assert str(error).isprintable()


@pytest.mark.parametrize("status", ["DONE", "CANCELLED"])
def test_a_task_that_has_ended_stays_so(project: Path, status: str) -> None:
    write(project / TWO, task_page("task-two", status=status))
    assert refused(project, activate(project)).code == "TASK_STATUS"
    closing = close(project, task_id="task-two")
    assert refused(project, closing).code == "TASK_STATUS"


# What stands in the target's place


def test_a_missing_state_file_is_missing(project: Path) -> None:
    (project / STATUS).unlink()
    request = update(project, status_page(), SOME_HASH)
    assert refused(project, request).code == "TARGET_MISSING"


def test_a_missing_folder_is_not_made_for_an_update(project: Path) -> None:
    request = update(project, status_page())
    (project / f"{HOME}/state").rename(project / "elsewhere")
    assert refused(project, request).code == "TARGET_MISSING"


@pytest.mark.parametrize("other", ["TASK-NEW.md", "Task-New.md", "task-new.MD"])
def test_a_name_of_another_letter_case_is_taken(project: Path, other: str) -> None:
    write(project / f"{HOME}/tasks/{other}", "# Another\n")
    assert refused(project, create()).code == "TARGET_EXISTS"


def test_an_id_in_a_folder_below_is_taken(project: Path) -> None:
    write(project / f"{HOME}/tasks/later/task-new.md", task_page("task-new"))
    error = refused(project, create())
    assert error.code == "TARGET_EXISTS"
    assert error.facts["path"] == f"{HOME}/tasks/later/task-new.md"


def a_link(place: Path) -> None:
    place.rename(place.with_name("elsewhere"))
    place.symlink_to("elsewhere")


def a_hard_link(place: Path) -> None:
    os.link(place, place.with_name("second-name"))


def a_folder(place: Path) -> None:
    place.unlink()
    place.mkdir()


def a_fifo(place: Path) -> None:
    place.unlink()
    os.mkfifo(place)


OBSTACLES = (a_link, a_hard_link, a_folder, a_fifo)


@pytest.mark.parametrize("obstacle", OBSTACLES)
def test_what_is_no_plain_file_is_not_replaced(
    project: Path, obstacle: Callable[[Path], None]
) -> None:
    request = ask_update(project)
    obstacle(project / STATUS)
    assert refused(project, request).code == "TARGET_UNUSABLE"


@pytest.mark.parametrize("obstacle", [a_link, a_hard_link])
def test_a_task_that_is_no_plain_file_is_not_activated(
    project: Path, obstacle: Callable[[Path], None]
) -> None:
    obstacle(project / TWO)
    assert refused(project, ask_activation(project)).code == "TARGET_UNUSABLE"


@pytest.mark.parametrize("obstacle", OBSTACLES)
def test_a_new_file_takes_no_place_that_is_taken(
    project: Path, obstacle: Callable[[Path], None]
) -> None:
    obstacle(write(project / NEW_TASK, "here already"))
    code = refused(project, ask_task(project)).code
    assert code in {"TARGET_EXISTS", "TARGET_UNUSABLE"}


@pytest.mark.parametrize("folder", ["tasks", "audit"])
def test_a_folder_that_is_a_link_is_not_written_through(
    project: Path, folder: str
) -> None:
    outside = project.parent / "outside"
    outside.mkdir()
    place = project / HOME / folder
    if place.exists():
        place.rename(project / "elsewhere")
    place.symlink_to(outside)
    assert refused(project, ask_task(project)).code == "TARGET_UNUSABLE"
    assert list(outside.iterdir()) == []


def test_a_folder_that_cannot_be_listed_may_hold_the_active_task(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / f"{HOME}/tasks/later").mkdir()
    request = ask_activation(project)
    real = os.scandir

    def denied(place: int) -> object:
        if os.fstat(place).st_ino == (project / f"{HOME}/tasks/later").stat().st_ino:
            raise PermissionError(13, "denied")
        return real(place)

    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", denied)
        with writer_of(project) as writer, pytest.raises(CodedError) as caught:
            request(writer)
    assert caught.value.code == "TARGET_UNUSABLE"


# Rights


def test_what_is_not_in_the_write_scope_is_denied(tmp_path: Path) -> None:
    policy = editing_policy(write=[f"{HOME}/reports/**"])
    root = write_trusted(tmp_path / "corpus", policy=policy)
    for ask in (ask_update, ask_task, ask_activation, ask_closing):
        assert refused(root, ask(root)).code == "WRITE_SCOPE_DENIED"


def test_deny_wins_over_the_write_scope(tmp_path: Path) -> None:
    policy = editing_policy(deny=[f"{HOME}/tasks/**"])
    root = write_trusted(tmp_path / "corpus", policy=policy)
    assert refused(root, ask_task(root)).code == "WRITE_SCOPE_DENIED"


WITHOUT = RUNTIME_HARD_LIMITS - {"state.update"}


@pytest.mark.parametrize("ask", [ask_update, ask_activation])
def test_each_layer_that_withholds_is_named(project: Path, ask: Ask) -> None:
    def reasons(session: Session | None = None) -> object:
        error = refused(project, ask(project), session)
        assert error.code == "CAPABILITY_DENIED"
        return error.facts["reasons"]

    asked = Session("cli", asked=WITHOUT)
    assert reasons(asked) == "SESSION_LIMIT"
    assert reasons(Session("cli", hard_limits=WITHOUT)) == "RUNTIME_HARD_LIMIT"
    grant_everything(project, capability_ceiling=WITHOUT)
    assert reasons() == "OWNER_GRANT_LIMIT"
    assert reasons(asked) == "OWNER_GRANT_LIMIT, SESSION_LIMIT"
    write(project / f"{HOME}/policy.toml", editing_policy(allow=sorted(WITHOUT)))
    grant_everything(project)
    assert reasons() == "PROJECT_POLICY_LIMIT"
    grant_everything(project, transports=frozenset({"stdio-mcp"}))
    assert str(reasons()).endswith("TRANSPORT_NOT_GRANTED")


@pytest.mark.parametrize("ask", [ask_update, ask_task, ask_activation, ask_closing])
def test_a_policy_that_changed_stops_writes(project: Path, ask: Ask) -> None:
    policy = project / f"{HOME}/policy.toml"
    policy.write_bytes(policy.read_bytes() + b"# a remark\n")
    error = refused(project, ask(project))
    assert error.code == "CAPABILITY_DENIED"
    assert error.facts["reasons"] == "POLICY_DRIFT"


def test_rights_are_read_anew_at_every_request(project: Path) -> None:
    with writer_of(project) as writer:
        create()(writer)
        grant_everything(project, capability_ceiling=frozenset({"corpus.read"}))
        with pytest.raises(CodedError) as caught:
            create("task-later")(writer)
    assert caught.value.code == "CAPABILITY_DENIED"


def test_a_missing_grant_stops_writes(project: Path) -> None:
    grant_file(project).unlink()
    assert refused(project, ask_update(project)).code == "TRUST_MISSING"


def test_another_file_system_than_the_granted_one_is_refused(project: Path) -> None:
    grant_everything(project, filesystem="nfs")
    assert refused(project, ask_update(project)).code == "FILESYSTEM_UNQUALIFIED"


def test_a_system_without_descriptors_of_folders_is_refused(project: Path) -> None:
    request = ask_update(project)
    with (
        open_root(project, "portable") as opened,
        writer_of(project) as writer,
        pytest.raises(CodedError) as caught,
    ):
        request(writer._replace(opened=opened))
    assert caught.value.code == "FILESYSTEM_UNQUALIFIED"


def test_a_lock_that_another_process_holds_is_waited_for_not_for_ever(
    project: Path,
) -> None:
    ready, holding = os.pipe()
    end, ended = os.pipe()
    child = os.fork()
    if child == 0:
        folder = os.open(project / HOME, os.O_RDONLY)
        fcntl.flock(folder, fcntl.LOCK_EX)
        os.write(holding, b"x")
        os.read(end, 1)
        os._exit(0)
    try:
        os.read(ready, 1)
        assert refused(project, ask_update(project)).code == "WRITE_LOCK"
    finally:
        os.write(ended, b"x")
        os.waitpid(child, 0)
        for descriptor in (ready, holding, end, ended):
            os.close(descriptor)


# The user's folder of journals


def test_a_folder_of_journals_inside_the_project_is_refused(project: Path) -> None:
    state = project / "state"
    request = ask_update(project)
    with (
        open_writer(
            project,
            grant_file(project),
            Session("cli"),
            state=state,
            clock=lambda: MOMENT,
            random=counted(),
        ) as writer,
        pytest.raises(CodedError) as caught,
    ):
        request(writer)
    assert caught.value.code == "RUNTIME_STATE"
    assert [path for path in state.rglob("*") if path.is_file()] == []


def runtime_of(root: Path) -> Path:
    """Name the folder of journals, and make it."""
    with open_root(root) as opened:
        identity = opened.identity
    state = dirs_of(root).state
    path = runtime_path(state, "demo-one", identity)  # type: ignore[arg-type]
    path.mkdir(parents=True, mode=0o700)
    return path


def test_a_folder_of_journals_that_is_a_link_is_refused(project: Path) -> None:
    runtime = runtime_of(project)
    runtime.rename(runtime.with_name("elsewhere"))
    runtime.symlink_to("elsewhere")
    assert refused(project, ask_update(project)).code == "RUNTIME_STATE"


@pytest.mark.parametrize("which", ["own", "above"])
def test_a_folder_of_journals_that_others_can_write_is_refused(
    project: Path, which: str
) -> None:
    runtime = runtime_of(project)
    (runtime if which == "own" else runtime.parent).chmod(0o770)
    assert refused(project, ask_update(project)).code == "RUNTIME_STATE"


# Failures on the way


def test_a_content_that_does_not_stay_takes_the_owner(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = ask_update(project)
    real = Folder.exchange

    def spoiling(folder: Folder, one: str, two: str) -> bool:
        if (project / f"{HOME}/state" / one).read_bytes().startswith(b"# Status"):
            answer = real(folder, one, two)
            with (project / STATUS).open("ab") as stream:
                stream.write(b"and more\n")
            return answer
        return real(folder, one, two)

    monkeypatch.setattr(Folder, "exchange", spoiling)
    with writer_of(project) as writer, pytest.raises(CodedError) as caught:
        request(writer)
    assert caught.value.code == "READBACK_VERIFY"
    assert (project / STATUS).read_bytes().endswith(b"and more\n")
    assert receipts(project) == 0
    with writer_of(project, seed="two") as writer:
        outcome = recover(writer)
    assert outcome is not None
    assert outcome.phase == "NEEDS_OWNER"
    assert (project / STATUS).read_bytes().endswith(b"and more\n")


def test_a_full_disk_changes_nothing(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "no space")

    monkeypatch.setattr(os, "write", full)
    assert refused(project, ask_activation(project)).code == "WRITE_FAILED"


def test_recovery_without_a_grant_is_refused(project: Path) -> None:
    grant_file(project).unlink()
    assert refused(project, recover).code == "TRUST_MISSING"


def test_a_report_is_created_only_with_its_own_capability(project: Path) -> None:
    allowed = frozenset({"task.create", "state.update"})
    grant_everything(project, capability_ceiling=allowed)
    content = report_page("report-new").encode()
    request = partial(create_report, report_id="report-new", content=content)
    assert refused(project, request).code == "CAPABILITY_DENIED"
