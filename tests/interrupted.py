"""Writes that are killed, or fail, at one call of the system: the same at every run.

A child process makes a request and counts its calls; at the call whose number a test
names it dies, or the call fails. Nothing is synchronised with the disk here: what a
process that dies has given to the system is not lost. So a death before a call that
changes nothing leaves what one before the next changing call leaves: to die, only
those are counted, and `changed_unnoticed` shows that they are all there are.
"""

from __future__ import annotations

import gc
import os
import shutil
import signal
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import pytest

from corpus.confined import rename
from corpus.errors import CodedError
from corpus.writes.requests import (
    activate_task,
    close_task,
    create_report,
    create_task,
    update_state,
)
from tests.corpora import HOME, dirs_of, report_page, status_page, task_page
from tests.trusted import STATUS, hash_of, write_trusted, writer_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from corpus.writes.writer import Writer

    Request = Callable[[Writer], object]
    Ask = Callable[[Path], Request]
    Happening = Callable[[str, Callable[..., object], tuple[object, ...]], object]
    Around = Callable[[str, Callable[..., object]], Callable[..., object]]

STEPS = (
    "open",
    "write",
    "fsync",
    "close",
    "replace",
    "link",
    "unlink",
    "mkdir",
    "fchmod",
    "fchown",
    "setxattr",
    "read",
    "stat",
    "fstat",
    "scandir",
    "listxattr",
    "getxattr",
)
"""What a write calls of the system, besides the renaming that is patched apart."""

CHANGING = {
    *("write", "replace", "link", "unlink", "mkdir"),
    *("fchmod", "fchown", "setxattr", "rename"),
}
"""Those of them that change something, besides some of `open`."""

MOST_STEPS = 500
FOLDERS = ("state", "tasks", "reports")


def ask_update(root: Path) -> Request:
    content = status_page(blockers="The road is closed.").encode()
    expected = hash_of(root / STATUS)
    return partial(update_state, content=content, expected_sha256=expected)


def ask_the_same(root: Path) -> Request:
    content = (root / STATUS).read_bytes()
    expected = hash_of(root / STATUS)
    return partial(update_state, content=content, expected_sha256=expected)


def ask_task(_root: Path) -> Request:
    content = task_page("task-new").encode()
    return partial(create_task, task_id="task-new", content=content)


def ask_report(_root: Path) -> Request:
    content = report_page("report-new").encode()
    return partial(create_report, report_id="report-new", content=content)


def ask_activation(root: Path) -> Request:
    return partial(
        activate_task, task_id="task-two", expected_sha256=hash_of(root / STATUS)
    )


def ask_closing(root: Path) -> Request:
    return partial(
        close_task,
        task_id="task-one",
        status="DONE",
        expected_sha256=hash_of(root / STATUS),
        next_action="Choose the next task.",
    )


REQUESTS: dict[str, Ask] = {
    "state update": ask_update,
    "state update to the same": ask_the_same,
    "task create": ask_task,
    "report create": ask_report,
    "task activate": ask_activation,
    "task close": ask_closing,
}


class Project(NamedTuple):
    """A project that is put back as it was, time and again, and one request to it."""

    root: Path
    ask: Ask
    before: dict[str, bytes]

    def fresh(self) -> Request:
        """Put every file back, forget all journals, and give the request anew."""
        now = contents(self.root)
        for path in now.keys() - self.before.keys():
            (self.root / HOME / path).unlink()
        for path, content in self.before.items():
            if now.get(path) != content:
                (self.root / HOME / path).write_bytes(content)
        for stage in (self.root / HOME).rglob("*.stage"):
            stage.unlink()
        shutil.rmtree(self.root / HOME / "audit", ignore_errors=True)
        shutil.rmtree(dirs_of(self.root).state / "writes", ignore_errors=True)
        return self.ask(self.root)

    def sides(self) -> tuple[dict[str, bytes], dict[str, bytes]]:
        """Give what the artifacts hold without the write and with it."""
        request = self.fresh()
        with writer_of(self.root) as writer:
            request(writer)
        return self.before, contents(self.root)

    def kills(self, *, first: int = 1, every: int = 1) -> Iterator[int]:
        """Kill the request at one step after the other, each time from the start."""
        for step in range(first, MOST_STEPS, every):
            if not killed_at(step, self.root, self.fresh()):
                return
            yield step
        pytest.fail("the request never ended")


def project_with(tmp_path: Path, ask: Ask) -> Project:
    root = write_trusted(tmp_path / "project")
    return Project(root, ask, contents(root))


def contents(root: Path) -> dict[str, bytes]:
    """Give every artifact a write may change, by its path in the corpus."""
    return {
        path.relative_to(root / HOME).as_posix(): path.read_bytes()
        for folder in FOLDERS
        for path in (root / HOME / folder).rglob("*.md")
    }


def receipts(root: Path) -> int:
    return len(list((root / HOME / "audit").glob("*.json")))


def killed_at(step: int, root: Path, request: Request, *, seed: str = "one") -> bool:
    """Run the request in a child that dies before its changing call number `step`.

    False when the request ended before it came to that call.
    """
    child = os.fork()
    if child == 0:
        status = 1
        try:
            gc.disable()  # it would look through, and so copy, all its parent holds
            _count_calls(step, _die, only=_changes)
            with writer_of(root, seed=seed) as writer:
                request(writer)
            status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return True
    assert os.waitstatus_to_exitcode(status) == 0
    return False


def failed_at(step: int, root: Path, request: Request, number: int | None) -> str:
    """Run the request in a child whose call number `step` fails; say how it ended.

    `number` is that of the system's error, None for an interruption by Ctrl-C. The
    answer is a code, `interrupted`, `done` when the failure did no harm, or `ended`
    when the request ended before it came to that call.
    """
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        answer = "another error"
        try:
            gc.disable()
            answer = _answer(step, root, request, number)
        except BaseException as error:  # the parent has to see what it was
            answer = repr(error)
            raise
        finally:
            os.write(theirs, answer.encode())
            os._exit(0)
    os.close(theirs)
    os.waitpid(child, 0)
    with os.fdopen(ours, "rb") as stream:
        return stream.read().decode()


def _answer(step: int, root: Path, request: Request, number: int | None) -> str:
    happened = []

    def fail(
        name: str, real: Callable[..., object], arguments: tuple[object, ...]
    ) -> object:
        happened.append(name)
        if number is None:
            raise KeyboardInterrupt
        if name == "rename":
            return number
        if name == "close":  # the descriptor is free whatever the answer is
            real(*arguments)
        raise OSError(number, os.strerror(number))

    with writer_of(root) as writer:
        real = _count_calls(step, fail)
        try:
            request(writer)
            answer = "done" if happened else "ended"
        except CodedError as error:
            answer = error.code
        except KeyboardInterrupt:
            answer = "interrupted"
        real()
    return answer


def _die(
    name: str, real: Callable[..., object], arguments: tuple[object, ...]
) -> object:
    if name == "write":  # torn: half of it arrives
        descriptor, content = arguments
        assert isinstance(content, memoryview)
        real(descriptor, content[: len(content) // 2])
    os.kill(os.getpid(), signal.SIGKILL)
    return None


def changed_unnoticed(root: Path, act: Callable[[], object]) -> list[str]:
    """Run `act` here; name each call before which something changed uncounted."""
    found: list[str] = []
    known = _tree(root)
    looking = False

    def watched(name: str, real: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **options: object) -> object:
            nonlocal known, looking
            if looking:
                return real(*arguments, **options)
            looking = True
            try:
                if known != (known := _tree(root)):
                    found.append(name)
                return real(*arguments, **options)
            finally:
                if _changes(name, arguments):
                    known = _tree(root)
                looking = False

        return call

    with pytest.MonkeyPatch.context() as patch:
        _around(watched, patch)
        act()
        watched("the end", lambda: None)()
    return found


def _tree(root: Path) -> list[tuple[object, ...]]:
    """Say what stands below a folder, and how each file is."""
    seen: list[tuple[object, ...]] = []
    for path in sorted(root.rglob("*")):
        status = path.lstat()
        is_file = path.is_file()
        content = path.read_bytes() if is_file else b""
        seen.append((path, status.st_ino, status.st_mode, is_file, content))
    return seen


def _changes(name: str, arguments: tuple[object, ...]) -> bool:
    if name == "open":
        _, flags, *_ = arguments
        assert isinstance(flags, int)
        return bool(flags & (os.O_CREAT | os.O_TRUNC))
    return name in CHANGING


def _always(name: str, arguments: tuple[object, ...]) -> bool:
    del name, arguments
    return True


def _count_calls(
    step: int,
    happening: Happening,
    *,
    only: Callable[[str, tuple[object, ...]], bool] = _always,
) -> Callable[[], None]:
    """Let something else happen at call number `step`; give what ends the counting."""
    calls = 0

    def counted(name: str, real: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **options: object) -> object:
            nonlocal calls
            calls += only(name, arguments)
            if calls == step:
                return happening(name, real, arguments)
            return None if name == "fsync" else real(*arguments, **options)

        return call

    def stop() -> None:
        nonlocal calls
        calls = step

    _around(counted, pytest.MonkeyPatch())
    return stop


def _around(made: Around, patch: pytest.MonkeyPatch) -> None:
    """Put something around each call."""
    for name in STEPS:
        patch.setattr(os, name, made(name, getattr(os, name)))
    patch.setattr(rename, "_attempt", made("rename", rename._attempt))  # noqa: SLF001
