"""Killed at any step of a publication, the old file stands or the new one is whole."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, get_args

import pytest

from corpus.confined.publish import publish, stages, sweep_stages
from corpus.confined.reader import GuaranteeLevel, open_root
from corpus.refs import RelPath

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CACHE = RelPath(".project-corpus/cache")
NAME = "context.sqlite3"
OLD, NEW = b"old rows " * 10_000, b"new rows " * 20_000
STEPS = ["open", "write", "fsync", "close", "replace", "mkdir"]
MOST_CALLS = 9


def killed(work: Callable[[], None], step: str, call: int, *, before: bool) -> bool:
    """Run `work` in a child that dies around its nth call of a system function."""
    child = os.fork()
    if child == 0:
        real = getattr(os, step)
        calls = 0

        def dying(*args: object, **named: object) -> object:
            nonlocal calls
            calls += 1
            if before and calls == call:
                os.kill(os.getpid(), signal.SIGKILL)
            result = real(*args, **named)
            if calls == call:
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        setattr(os, step, dying)
        try:
            work()
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


@pytest.mark.requirement("P5.5")
@pytest.mark.parametrize("level", get_args(GuaranteeLevel))
@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
@pytest.mark.parametrize("step", STEPS)
def test_a_publisher_killed_at_a_step_leaves_a_whole_file(
    tmp_path: Path, step: str, level: GuaranteeLevel, *, before: bool
) -> None:
    deaths = 0
    for call in range(1, MOST_CALLS):
        project = tmp_path / str(call)
        (project / ".project-corpus").mkdir(parents=True)
        place = project / CACHE / NAME
        with open_root(project, level) as root:
            if step != "mkdir":
                publish(root, CACHE, NAME, OLD)

        def work(project: Path = project) -> None:
            with open_root(project, level) as root:
                publish(root, CACHE, NAME, NEW)

        if not killed(work, step, call, before=before):
            break
        deaths += 1
        found = place.read_bytes() if place.exists() else None
        assert found in ({None, NEW} if step == "mkdir" else {OLD, NEW})
        with open_root(project) as root:
            left = stages(root, CACHE)
            assert len(left) <= 1
            swept = sweep_stages(root, CACHE, older_than=-60, now=4e9)
            assert swept == left
            publish(root, CACHE, NAME, NEW)
        assert [child.name for child in place.parent.iterdir()] == [NAME]
    assert deaths
