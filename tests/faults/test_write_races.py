"""Writers that race (P13.3): one is complete, and a reader never sees a torn file."""

from __future__ import annotations

import multiprocessing
import os
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

import pytest

from corpus.authority import SOURCE_BYTES
from corpus.confined.reader import open_root
from corpus.errors import CodedError
from corpus.refs import RelPath
from corpus.writes.requests import activate_task, create_task, update_state
from tests.corpora import HOME, status_page, task_page
from tests.interrupted import receipts
from tests.trusted import STATUS, hash_of, leftovers, write_trusted, writer_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from multiprocessing.connection import Connection
    from pathlib import Path

    from tests.interrupted import Request

MANY = 16
WRITES = 200
PAGES = (
    status_page(blockers="One.\n" * 4000).encode(),
    status_page(blockers="Another one.\n" * 5000).encode(),
)
FORK = multiprocessing.get_context("fork")


def race(root: Path, requests: Sequence[Request]) -> Counter[str]:
    """Make every request in a process of its own at one moment; count the answers."""
    start = FORK.Barrier(len(requests))
    answers: multiprocessing.Queue[str] = FORK.Queue()

    def run(number: int, request: Request) -> None:
        with writer_of(root, seed=f"racer {number}") as writer:
            start.wait()
            try:
                request(writer._replace(patience=60.0))
                answers.put("COMPLETE")
            except CodedError as error:
                answers.put(error.code)

    racers = [
        FORK.Process(target=run, args=(number, request))
        for number, request in enumerate(requests)
    ]
    for racer in racers:
        racer.start()
    counted = Counter(answers.get(timeout=120) for _ in racers)
    for racer in racers:
        racer.join()
    assert leftovers(root) == []
    return counted


@pytest.mark.requirement("P13.3")
@pytest.mark.parametrize("count", [2, MANY])
def test_of_writers_that_read_the_same_one_is_complete(
    tmp_path: Path, count: int
) -> None:
    root = write_trusted(tmp_path / "corpus")
    expected = hash_of(root / STATUS)
    pages = [status_page(blockers=f"Racer {n}.").encode() for n in range(count)]
    requests = [
        partial(update_state, content=page, expected_sha256=expected) for page in pages
    ]
    wanted = {"COMPLETE": 1, "STALE_HASH": count - 1}
    assert race(root, requests) == Counter(wanted)
    assert (root / STATUS).read_bytes() in pages
    assert receipts(root) == 1


@pytest.mark.requirement("P13.3")
def test_of_writers_that_activate_the_same_task_one_is_complete(tmp_path: Path) -> None:
    root = write_trusted(tmp_path / "corpus")
    request = partial(
        activate_task, task_id="task-two", expected_sha256=hash_of(root / STATUS)
    )
    assert race(root, [request] * 4) == Counter({"COMPLETE": 1, "STALE_HASH": 3})
    assert receipts(root) == 1


@pytest.mark.requirement("P13.3")
def test_of_writers_that_create_the_same_task_one_is_complete(tmp_path: Path) -> None:
    root = write_trusted(tmp_path / "corpus")
    content = task_page("task-new").encode()
    request = partial(create_task, task_id="task-new", content=content)
    wanted = {"COMPLETE": 1, "TARGET_EXISTS": MANY - 1}
    assert race(root, [request] * MANY) == Counter(wanted)
    assert receipts(root) == 1


@pytest.mark.requirement("P13.3")
def test_writers_that_create_different_tasks_are_all_complete(tmp_path: Path) -> None:
    root = write_trusted(tmp_path / "corpus")
    names = [f"task-new-{number}" for number in range(MANY)]
    requests = [
        partial(create_task, task_id=name, content=task_page(name).encode())
        for name in names
    ]
    assert race(root, requests) == Counter({"COMPLETE": MANY})
    assert all((root / HOME / f"tasks/{name}.md").exists() for name in names)
    assert receipts(root) == MANY


@pytest.mark.requirement("P13.3")
@pytest.mark.parametrize("reading", ["plain", "confined"])
def test_a_reader_sees_a_whole_file_at_every_moment(
    tmp_path: Path, reading: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)
    root = write_trusted(tmp_path / "corpus")
    (root / STATUS).write_bytes(PAGES[0])
    # Who reads only what is settled needs a moment between two writes.
    ours, theirs = FORK.Pipe()
    waits_for = theirs if reading == "confined" else None
    writing = FORK.Process(target=_write_in_turn, args=(root, waits_for))
    writing.start()
    seen = Counter[bytes]()
    with open_root(root) as opened:
        confined = partial(opened.content, RelPath(STATUS), limit=SOURCE_BYTES)
        plain = (root / STATUS).read_bytes
        while writing.is_alive():
            seen[plain() if reading == "plain" else confined()] += 1
            if ours.poll():
                ours.send(ours.recv())
    writing.join()
    assert writing.exitcode == 0
    assert set(seen) == set(PAGES)
    assert receipts(root) == WRITES


def _write_in_turn(root: Path, reader: Connection | None) -> None:
    with writer_of(root) as writer:
        for number in range(1, WRITES + 1):
            if reader is not None:
                reader.send(number)
                assert reader.recv() == number
            expected = hash_of(root / STATUS)
            update_state(writer, PAGES[number % 2], expected_sha256=expected)
