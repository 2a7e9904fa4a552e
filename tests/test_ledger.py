"""The ledger of receipts: what it keeps, what it notices, what it survives."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from corpus.canonical import canonical_json, digest
from corpus.errors import LedgerError
from corpus.ledger import read_ledger, record

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from corpus.canonical import Json

APPENDER = """
import sys
from pathlib import Path
from corpus.ledger import record
for number in range(25):
    receipt = {"project_id": "demo-one", "consumer": f"{sys.argv[2]}-{number}"}
    record(receipt, state=Path(sys.argv[1]))
"""


def receipt(consumer: str = "agent") -> Mapping[str, Json]:
    return {"project_id": "demo-one", "consumer": consumer, "delivered_item_ids": []}


def ledger_of(state: Path, *consumers: str) -> Path:
    for consumer in consumers:
        record(receipt(consumer), state=state)
    return state / "receipts/demo-one.jsonl"


@pytest.mark.requirement("P9.3")
def test_each_entry_holds_the_hash_of_the_one_before(tmp_path: Path) -> None:
    path = ledger_of(tmp_path, "one", "two")
    first, second = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    assert (first["seq"], first["previous_sha256"]) == (1, "0" * 64)
    assert (second["seq"], second["previous_sha256"]) == (2, first["entry_sha256"])
    hashed = {key: second[key] for key in second if key != "entry_sha256"}
    assert digest(hashed) == second["entry_sha256"]


@pytest.mark.requirement("P9.3")
def test_what_was_recorded_is_listed_in_order(tmp_path: Path) -> None:
    ledger_of(tmp_path, "one", "two", "three")
    found = read_ledger("demo-one", state=tmp_path)
    assert [entry.receipt["consumer"] for entry in found.entries] == [
        "one",
        "two",
        "three",
    ]
    assert (found.ok, found.torn_bytes) == (True, 0)


@pytest.mark.requirement("P9.3")
def test_no_ledger_yet_is_an_empty_one_and_reading_makes_none(tmp_path: Path) -> None:
    found = read_ledger("demo-one", state=tmp_path)
    assert (found.ok, found.entries) == (True, ())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.requirement("P9.3")
def test_the_ledger_is_the_users_alone(tmp_path: Path) -> None:
    path = ledger_of(tmp_path / "new/state", "one")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@pytest.mark.requirement("P9.3")
@pytest.mark.parametrize(
    ("change", "line"),
    [
        pytest.param((b"two", b"owt"), 2, id="a changed receipt"),
        pytest.param((b'"seq":2', b'"seq":7'), 2, id="a changed number"),
    ],
)
def test_a_changed_entry_breaks_the_chain(
    tmp_path: Path, change: tuple[bytes, bytes], line: int
) -> None:
    path = ledger_of(tmp_path, "one", "two", "three")
    path.write_bytes(path.read_bytes().replace(*change))
    found = read_ledger("demo-one", state=tmp_path)
    assert not found.ok
    assert found.breaks[0].line == line


@pytest.mark.requirement("P9.3")
@pytest.mark.parametrize("order", [(1, 3), (2, 1, 3), (1, 1, 2, 3), (2, 3)])
def test_a_missing_moved_or_repeated_entry_breaks_the_chain(
    tmp_path: Path, order: tuple[int, ...]
) -> None:
    path = ledger_of(tmp_path, "one", "two", "three")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[number - 1] for number in order))
    assert not read_ledger("demo-one", state=tmp_path).ok


@pytest.mark.requirement("P9.3")
def test_an_entry_written_anew_without_its_followers_breaks_the_chain(
    tmp_path: Path,
) -> None:
    path = ledger_of(tmp_path, "one", "two")
    first, second = path.read_bytes().splitlines()
    forged = json.loads(first)
    forged["receipt"]["consumer"] = "someone else"
    del forged["entry_sha256"]
    forged["entry_sha256"] = digest(forged)
    path.write_bytes(canonical_json(forged) + b"\n" + second + b"\n")
    assert not read_ledger("demo-one", state=tmp_path).ok


@pytest.mark.requirement("P9.3")
def test_every_tear_of_the_last_line_is_reported_and_mended(tmp_path: Path) -> None:
    path = ledger_of(tmp_path, "one", "two", "three")
    whole = path.read_bytes()
    start = whole.rindex(b"\n", 0, -1) + 1
    for end in range(start + 1, len(whole), 17):
        path.write_bytes(whole[:end])
        torn = read_ledger("demo-one", state=tmp_path)
        assert (torn.ok, len(torn.entries)) == (True, 2)
        assert torn.torn_bytes == end - start
        done = record(receipt("four"), state=tmp_path)
        assert (done.entry.seq, done.repaired) == (3, True)
        mended = read_ledger("demo-one", state=tmp_path)
        assert (mended.ok, mended.torn_bytes) == (True, 0)
        assert [e.receipt["consumer"] for e in mended.entries] == ["one", "two", "four"]


@pytest.mark.requirement("P9.3")
def test_a_whole_entry_without_its_line_break_is_kept(tmp_path: Path) -> None:
    path = ledger_of(tmp_path, "one", "two")
    path.write_bytes(path.read_bytes()[:-1])
    assert len(read_ledger("demo-one", state=tmp_path).entries) == 2
    assert record(receipt("three"), state=tmp_path).entry.seq == 3
    found = read_ledger("demo-one", state=tmp_path)
    assert (found.ok, len(found.entries)) == (True, 3)


@pytest.mark.requirement("P9.3")
def test_a_tear_in_the_only_line_starts_the_ledger_anew(tmp_path: Path) -> None:
    path = ledger_of(tmp_path, "one")
    path.write_bytes(path.read_bytes()[:40])
    assert record(receipt("two"), state=tmp_path) == (
        read_ledger("demo-one", state=tmp_path).entries[0],
        True,
    )


@pytest.mark.requirement("P9.3")
def test_nothing_is_appended_to_a_damaged_entry(tmp_path: Path) -> None:
    path = ledger_of(tmp_path, "one")
    path.write_bytes(b"damaged\n")
    with pytest.raises(LedgerError):
        record(receipt("two"), state=tmp_path)
    assert path.read_bytes() == b"damaged\n"
    assert not read_ledger("demo-one", state=tmp_path).ok


@pytest.mark.requirement("P9.3")
def test_processes_that_append_at_once_lose_nothing(
    tmp_path: Path, program_env: dict[str, str]
) -> None:
    running = [
        subprocess.Popen(
            [sys.executable, "-c", APPENDER, str(tmp_path), f"process-{number}"],
            env=program_env,
        )
        for number in range(8)
    ]
    assert [process.wait(timeout=90) for process in running] == [0] * 8
    found = read_ledger("demo-one", state=tmp_path)
    assert (found.ok, found.torn_bytes) == (True, 0)
    names = {str(entry.receipt["consumer"]) for entry in found.entries}
    assert len(names) == len(found.entries) == 8 * 25


@pytest.mark.requirement("P9.3")
def test_what_others_could_write_is_not_used(tmp_path: Path) -> None:
    path = ledger_of(tmp_path, "one")
    path.chmod(0o622)
    with pytest.raises(LedgerError):
        read_ledger("demo-one", state=tmp_path)
    with pytest.raises(LedgerError):
        record(receipt(), state=tmp_path)
    path.chmod(0o600)
    path.parent.chmod(0o777)
    with pytest.raises(LedgerError):
        record(receipt(), state=tmp_path)


@pytest.mark.requirement("P9.3")
@pytest.mark.parametrize("kind", ["link", "fifo", "folder"])
def test_what_is_no_regular_file_is_not_used(tmp_path: Path, kind: str) -> None:
    path = ledger_of(tmp_path, "one")
    path.rename(tmp_path / "elsewhere")
    if kind == "link":
        path.symlink_to(tmp_path / "elsewhere")
    elif kind == "fifo":
        os.mkfifo(path, 0o600)
    else:
        path.mkdir()
    with pytest.raises(LedgerError):
        record(receipt(), state=tmp_path)
    with pytest.raises(LedgerError):
        read_ledger("demo-one", state=tmp_path)


def test_a_project_without_a_valid_id_has_no_ledger(tmp_path: Path) -> None:
    with pytest.raises(LedgerError):
        record({"project_id": "../../x"}, state=tmp_path)
    assert list(tmp_path.iterdir()) == []
