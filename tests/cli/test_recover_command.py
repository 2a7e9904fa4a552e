"""`recover` ends an interrupted write, and asks its owner where it has to."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from corpus.authority import Session
from corpus.canonical import sha256
from corpus.confined.reader import open_root
from corpus.protocol.layout import HOME, STATUS_PATH
from corpus.refs import RelPath
from corpus.userdirs import user_dirs
from corpus.writes.journal import Journal, Planned
from corpus.writes.writer import open_writer, turn_of
from tests.conftest import FakeTerminal
from tests.corpora import write_corpus
from tests.trusted import MOMENT, STATUS, counted, editing_policy

if TYPE_CHECKING:
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
            "old": "kept",
            "new": "kept",
            "current": "file",
        }
    ]
    assert value["possible"] == ["old", "new", "current"]
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
    assert json.loads(done.out)["files"][0]["current"] == "no file"


def lose(kind: str) -> None:
    """Remove the copies of one side that were kept for the owner."""
    for copy in (user_dirs().state / "writes").rglob(f"*.{kind}"):
        copy.unlink()


@pytest.mark.requirement("P13.2")
def test_only_what_is_kept_is_offered(project: Path, cli: InProcess) -> None:
    interrupt(project, now=b"# Mine\n")
    assert cli("recover", cwd=project).status == 1
    lose("old")
    value = json.loads(cli("recover", cwd=project).out)
    assert value["possible"] == ["new", "current"]
    assert value["files"][0]["old"] == "not kept"
    text = cli("recover", str(project), terminal=True).out
    assert "(not kept)" in text
    assert f"next: project-corpus recover {project} --resolve new\n" in text
    assert "--resolve old" not in text


@pytest.mark.requirement("P13.2")
def test_a_copy_that_was_damaged_is_not_kept(project: Path, cli: InProcess) -> None:
    interrupt(project, now=b"# Mine\n")
    assert cli("recover", cwd=project).status == 1
    for copy in (user_dirs().state / "writes").rglob("*.new"):
        copy.write_bytes(b"torn")
    value = json.loads(cli("recover", cwd=project).out)
    assert value["possible"] == ["old", "current"]
    assert value["files"][0]["new"] == "not kept"


@pytest.mark.requirement("P13.2", "P18.2")
def test_what_is_impossible_is_refused_before_anybody_is_asked(
    project: Path, cli: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupt(project, now=b"# Mine\n")
    assert cli("recover", cwd=project).status == 1
    lose("new")
    done = cli("recover", "--resolve", "new", cwd=project)
    assert json.loads(done.err)["error"] == "RESOLUTION_IMPOSSIBLE"
    terminal = FakeTerminal(io.BytesIO(b"n\n"), encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", terminal)
    asked = cli("recover", "--resolve", "old", cwd=project, terminal=True)
    assert "new is not kept" in asked.err
    assert "are the same" not in asked.err


@pytest.mark.requirement("P13.2")
def test_something_in_the_way_is_named(project: Path, cli: InProcess) -> None:
    interrupt(project)
    (project / STATUS).unlink()
    (project / STATUS).symlink_to("elsewhere")
    value = json.loads(cli("recover", cwd=project).out)
    assert "link" in value["files"][0]["current"]
    assert value["possible"] == ["current"]
    assert cli("recover", "--resolve", "current", "--yes", cwd=project).status == 0


@pytest.mark.requirement("P13.2")
def test_the_owner_is_told_where_copies_are_kept(project: Path, cli: InProcess) -> None:
    interrupt(project, now=b"# Mine\n")
    done = cli("recover", "--resolve", "new", "--yes", cwd=project)
    value = json.loads(done.out)
    (name,) = value["result"]["kept"]
    kept = Path(value["kept_in"]) / name
    assert kept.read_bytes() == b"# Mine\n"


@pytest.mark.requirement("P13.2")
def test_a_journal_that_cannot_be_read_is_set_aside_on_purpose(
    project: Path, cli: InProcess
) -> None:
    interrupt(project)
    (journal,) = (user_dirs().state / "writes").rglob("journal.json")
    journal.write_bytes(b"{")
    before = (project / STATUS).read_bytes()
    for words in (("recover",), ("recover", "--resolve", "old", "--yes")):
        error = json.loads(cli(*words, cwd=project).err)["error"]
        assert error == "JOURNAL_UNREADABLE"
    unasked = cli("recover", "--resolve", "current", cwd=project)
    assert json.loads(unasked.err)["error"] == "CONFIRMATION_NEEDED"
    done = cli("recover", "--resolve", "current", "--yes", cwd=project, terminal=True)
    assert done.status == 0
    assert str(journal.parent) in done.out
    assert not journal.exists()
    assert (project / STATUS).read_bytes() == before


@pytest.mark.requirement("P13.2", "P11.1")
def test_a_write_that_waits_is_seen_without_a_grant(
    project: Path, cli: InProcess
) -> None:
    def seen() -> tuple[bool, list[dict[str, object]]]:
        card = json.loads(cli("status", cwd=project).out)
        issues = json.loads(cli("context", "doctor", cwd=project).out)["issues"]
        found = [one for one in issues if one["code"] == "INTERRUPTED_WRITE"]
        return card["findings"]["interrupted_write"], found

    assert seen() == (False, [])
    interrupt(project)
    assert cli("trust", "revoke", str(project), "--yes").status == 0
    waits, (issue,) = seen()
    assert waits
    assert (issue["severity"], issue["path"]) == ("WARN", STATUS)
    assert "project-corpus recover" in str(issue["hint"])
    assert "project-corpus recover" in cli("status", cwd=project, terminal=True).out
    (journal,) = (user_dirs().state / "writes").rglob("journal.json")
    journal.write_bytes(b"{")
    waits, (issue,) = seen()
    assert (waits, issue["path"]) == (True, ".project-corpus")
    policy = project / ".project-corpus/policy.toml"
    policy.write_text("=", encoding="utf-8")
    assert json.loads(cli("status", cwd=project).out)["findings"]["errors"]


@pytest.mark.requirement("P13.2", "P11.1")
def test_the_journal_of_a_live_writer_is_no_finding(
    project: Path, cli: InProcess
) -> None:
    interrupt(project)
    with open_root(project) as opened, opened.open_folder(RelPath(HOME)) as folder:
        assert folder.lock()
        card = json.loads(cli("status", cwd=project).out)
        assert card["findings"]["interrupted_write"] is False
    card = json.loads(cli("status", cwd=project).out)
    assert card["findings"]["interrupted_write"] is True


@pytest.mark.requirement("P13.2", "P2.4")
def test_a_file_out_of_scope_is_not_named(project: Path, cli: InProcess) -> None:
    interrupt(project)
    (journal,) = (user_dirs().state / "writes").rglob("journal.json")
    hidden = journal.read_bytes().replace(b"state/STATUS.md", b"secret/HIDDEN.md")
    journal.write_bytes(hidden)
    done = cli("context", "doctor", cwd=project)
    assert "INTERRUPTED_WRITE" in done.out
    assert "secret" not in done.out
