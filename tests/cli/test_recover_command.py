"""`recover` ends an interrupted write, and asks its owner where it has to."""

from __future__ import annotations

import io
import json
import sys
from typing import TYPE_CHECKING

import pytest

from corpus.authority import Session
from corpus.canonical import sha256
from corpus.protocol.layout import STATUS_PATH
from corpus.userdirs import user_dirs
from corpus.writes.journal import Journal, Planned
from corpus.writes.writer import open_writer, turn_of
from tests.conftest import FakeTerminal
from tests.corpora import write_corpus
from tests.trusted import MOMENT, STATUS, counted, editing_policy

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import InProcess

TRANSACTION = "0123456789abcdef" * 2
STAGE = ".STATUS.md.0123456789abcdef.stage"


@pytest.fixture
def project(tmp_path: Path, cli: InProcess) -> Path:
    root = tmp_path / "weather"
    write_corpus(root, policy=editing_policy())
    words = ("--allow", "state.update", "--allow", "audit.read")
    assert cli("trust", "create", str(root), *words).status == 0
    return root


def interrupt(root: Path, *, now: bytes | None = None) -> tuple[bytes, bytes]:
    """Leave what a write leaves that dies before it publishes; give old and new.

    `now` is what somebody else has written to the target since.
    """
    status = root / STATUS
    old = status.read_bytes()
    new = old.replace(b"\n\n", b"\n\nNew.\n\n", 1)
    planned = Planned(STATUS_PATH, sha256(old), None, sha256(new), STAGE)
    grant = user_dirs().trust / "demo-one.toml"
    with (
        open_writer(
            root,
            grant,
            Session("cli"),
            state=user_dirs().state,
            clock=lambda: MOMENT,
            random=counted(),
        ) as writer,
        turn_of(writer) as turn,
    ):
        journal = Journal(
            transaction_id=TRANSACTION,
            project_id=turn.mandate.policy.project_id,
            root_identity=turn.opened.identity,
            capabilities=("state.update",),
            started_at="2026-01-10T12:00:00.000Z",
            changes=(planned,),
        )
        turn.runtime.begin(journal)
        turn.runtime.put(journal.backup_name(0), old)
    (status.parent / STAGE).write_bytes(new)
    if now is not None:
        status.write_bytes(now)
    return old, new


def stages(root: Path) -> list[str]:
    return [path.name for path in root.rglob("*.stage")]


@pytest.mark.requirement("P13.1", "P13.2")
def test_without_an_interrupted_write_recover_says_so(
    project: Path, cli: InProcess
) -> None:
    done = cli("recover", cwd=project)
    assert (done.status, json.loads(done.out)) == (0, {"result": None})
    again = cli("recover", "--resolve", "old", cwd=project)
    assert (again.status, json.loads(again.out)) == (0, {"result": None})
    assert cli("recover", cwd=project, terminal=True).out


@pytest.mark.requirement("P13.2")
def test_a_write_that_had_not_published_is_taken_back(
    project: Path, cli: InProcess
) -> None:
    old, _ = interrupt(project)
    done = cli("recover", cwd=project, terminal=True)
    assert done.status == 0
    assert STATUS in done.out
    assert (project / STATUS).read_bytes() == old
    assert stages(project) == []


@pytest.mark.requirement("P13.2")
def test_a_write_that_had_published_is_completed(project: Path, cli: InProcess) -> None:
    old, new = interrupt(project)
    stage = project / STATUS
    (stage.parent / STAGE).replace(stage)
    (stage.parent / STAGE).write_bytes(old)
    done = cli("recover", cwd=project)
    result = json.loads(done.out)["result"]
    assert (done.status, result["phase"]) == (0, "COMPLETE")
    assert (project / STATUS).read_bytes() == new
    assert (project / result["audit_relative"]).is_file()


@pytest.mark.requirement("P13.2", "P18.1")
def test_a_completed_write_is_told_with_its_receipt(
    project: Path, cli: InProcess
) -> None:
    old, new = interrupt(project)
    (project / STATUS).write_bytes(new)
    ((project / STATUS).parent / STAGE).write_bytes(old)
    done = cli("recover", cwd=project, terminal=True)
    assert done.status == 0
    assert sha256(new) in done.out
    assert f".project-corpus/audit/{TRANSACTION}.json" in done.out


@pytest.mark.requirement("P13.2")
def test_a_write_that_waits_shows_the_hashes_of_every_side(
    project: Path, cli: InProcess
) -> None:
    old, new = interrupt(project, now=b"# Mine\n")
    done = cli("recover", cwd=project)
    value = json.loads(done.out)
    assert (done.status, value["result"]["phase"]) == (1, "NEEDS_OWNER")
    assert value["files"] == [
        {
            "path": STATUS,
            "old_sha256": sha256(old),
            "new_sha256": sha256(new),
            "current_sha256": sha256(b"# Mine\n"),
        }
    ]
    text = cli("recover", cwd=project, terminal=True)
    assert text.status == 1
    assert sha256(old) in text.out
    assert (project / STATUS).read_bytes() == b"# Mine\n"
    words = ("--input", str(project / STATUS), "--expected-sha256", sha256(b"# Mine\n"))
    waiting = cli("state", "update", *words, cwd=project)
    assert json.loads(waiting.err)["error"] == "NEEDS_OWNER"


@pytest.mark.requirement("P13.2")
@pytest.mark.parametrize("choice", ["old", "new", "current"])
def test_the_owner_decides_which_content_holds(
    project: Path, cli: InProcess, choice: str
) -> None:
    old, new = interrupt(project, now=b"# Mine\n")
    unasked = cli("recover", "--resolve", choice, cwd=project)
    assert unasked.status == 2
    assert json.loads(unasked.err)["error"] == "CONFIRMATION_NEEDED"
    assert (project / STATUS).read_bytes() == b"# Mine\n"
    done = cli("recover", "--resolve", choice, "--yes", cwd=project)
    assert done.status == 0
    expected = {"old": old, "new": new, "current": b"# Mine\n"}[choice]
    assert (project / STATUS).read_bytes() == expected
    assert json.loads(cli("recover", cwd=project).out) == {"result": None}
    assert stages(project) == []


@pytest.mark.requirement("P13.2", "P18.1")
@pytest.mark.parametrize(("typed", "status"), [("yes\n", 0), ("no\n", 2), ("", 2)])
def test_a_person_sees_what_differs_and_is_asked(
    project: Path,
    cli: InProcess,
    monkeypatch: pytest.MonkeyPatch,
    typed: str,
    status: int,
) -> None:
    old, _ = interrupt(project, now=b"# Mine\n")
    terminal = FakeTerminal(io.BytesIO(typed.encode()), encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", terminal)
    done = cli("recover", "--resolve", "old", cwd=project, terminal=True)
    assert done.status == status
    assert "+New." in done.err
    assert "+# Mine" in done.err
    held = (project / STATUS).read_bytes()
    assert held == (old if status == 0 else b"# Mine\n")


@pytest.mark.requirement("P13.2")
def test_a_content_too_long_to_compare_is_not_compared(
    project: Path, cli: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupt(project, now=b"# Mine\n" * 50_000)
    terminal = FakeTerminal(io.BytesIO(b"n\n"), encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", terminal)
    done = cli("recover", "--resolve", "old", cwd=project, terminal=True)
    assert done.status == 2
    assert "+# Mine" not in done.err


@pytest.mark.requirement("P13.2")
def test_a_file_that_is_gone_is_shown_as_none(project: Path, cli: InProcess) -> None:
    interrupt(project)
    (project / STATUS).unlink()
    done = cli("recover", cwd=project)
    assert done.status == 1
    assert json.loads(done.out)["files"][0]["current_sha256"] is None
