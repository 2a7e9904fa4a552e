"""The commands that delete, copy, carry and repair: what they ask, say and leave."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.agentctx import test_backup as harms
from tests.agentctx.answers import faults

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import InProcess, Outcome

pytestmark = pytest.mark.requirement("A9")


def value(done: Outcome) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(done.out)
    return found


def code(done: Outcome) -> str:
    assert done.status == 2
    return str(json.loads(done.err)["error"])


def lost(path: Path) -> None:
    """Leave nothing of a store but its first page."""
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xa5" * (len(content) - 4096))


@pytest.fixture
def record(agentctx: InProcess) -> str:
    """Record one fact and give its id."""
    done = agentctx(
        "add", "decision", "Readings are stored in UTC", "--body", "As agreed"
    )
    return str(value(done)["record"]["id"])


def titles(agentctx: InProcess) -> list[str]:
    return [one["title"] for one in value(agentctx("export"))["records"]]


@pytest.mark.parametrize(
    "command", ["delete ID", "reset", "restore COPY", "import FILE", "doctor --repair"]
)
def test_nothing_is_changed_without_a_person_s_word(
    agentctx: InProcess, record: str, store_home: Path, tmp_path: Path, command: str
) -> None:
    copy, document = tmp_path / "copy.db", tmp_path / "x.json"
    agentctx("backup", "--out", str(copy))
    document.write_text(agentctx("export").out, encoding="utf-8")
    agentctx("delete", record, "--yes")
    agentctx("add", "decision", "Another", "--body", "As agreed")
    other = value(agentctx("export"))["records"][0]["id"]
    if "repair" in command:
        lost(store_home / "agentctx.db")
    before = (store_home / "agentctx.db").read_bytes()
    names = {"ID": other, "COPY": str(copy), "FILE": str(document)}
    done = agentctx(*(names.get(word, word) for word in command.split()))
    assert code(done) == "CONSENT_REQUIRED"
    assert (store_home / "agentctx.db").read_bytes() == before
    again = agentctx(*(names.get(word, word) for word in command.split()), "--yes")
    assert again.status == ("repair" in command), again.err  # nothing was left of it


def test_a_deleted_record_comes_back_with_undo(
    agentctx: InProcess, record: str
) -> None:
    done = agentctx("delete", record[:10], "--yes")
    told = value(done)
    assert (told["id"], told["erased"], told["backups"]) == (record, True, 0)
    assert "UTC" not in done.out
    assert titles(agentctx) == []
    assert value(agentctx("undo"))["record"]["id"] == record
    assert titles(agentctx) == ["Readings are stored in UTC"]
    assert code(agentctx("undo")) == "NOTHING_TO_UNDO"


def test_deleted_for_ever_says_what_may_still_hold_it(
    agentctx: InProcess, record: str
) -> None:
    agentctx("backup")
    told = value(agentctx("delete", record, "--forever", "--yes"))
    assert (told["copy"], told["undo_until_days"], told["backups"]) == (None, None, 1)
    assert code(agentctx("undo")) == "NOTHING_TO_UNDO"


def test_reset_and_restore_go_there_and_back(agentctx: InProcess, record: str) -> None:
    told = value(agentctx("reset", "--yes"))
    assert told["deleted"] == 1
    assert titles(agentctx) == []
    assert value(agentctx("reset")) == {"deleted": 0, "saved": None}
    back = value(agentctx("restore", told["saved"]["path"], "--yes"))
    assert back["records"] == 1
    assert value(agentctx("show", record))["record"]["id"] == record


def test_a_store_is_made_for_a_backup_to_be_restored(
    agentctx: InProcess, record: str, store_home: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.db"
    agentctx("backup", "--out", str(copy))
    store_home.rename(tmp_path / "gone")
    assert code(agentctx("backup")) == "BACKUP_UNUSABLE"
    assert value(agentctx("restore", str(copy), "--yes"))["records"] == 1
    assert value(agentctx("show", record))["record"]["id"] == record


@pytest.mark.parametrize("harm", harms.HARMED, ids=lambda harm: harm.__name__)
def test_a_bad_backup_is_refused_with_a_code(
    agentctx: InProcess, record: str, tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    copy = tmp_path / "copy.db"
    agentctx("backup", "--out", str(copy))
    harm(copy)
    assert code(agentctx("restore", str(copy), "--yes")) == "BACKUP_UNUSABLE"
    assert value(agentctx("show", record))["record"]["id"] == record


def test_an_export_is_imported_in_another_project(
    agentctx: InProcess, record: str, tmp_path: Path
) -> None:
    document = tmp_path / "out" / "records.json"
    told = value(agentctx("export", "--out", str(document)))
    assert told == {"path": str(document), "records": 1}
    assert document.read_text("utf-8") == agentctx("export").out
    assert code(agentctx("export", "--out", str(document))) == "CONSENT_REQUIRED"
    assert agentctx("export", "--out", str(document), "--yes").status == 0
    assert value(agentctx("import", str(document), "--yes"))["present"] == [record]
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / ".agentctx").mkdir(parents=True)
    done = agentctx("import", str(document), "--yes", cwd=elsewhere)
    assert done.status == 1  # the id is another project's here
    assert value(done)["conflicts"] == value(done)["elsewhere"] == [record]
    shown = agentctx(
        "import", str(document), "--yes", "--format", "text", cwd=elsewhere
    )
    assert record not in shown.out
    assert "1 record" in shown.out


def test_what_is_no_document_is_refused_before_it_is_asked_about(
    agentctx: InProcess, tmp_path: Path
) -> None:
    document = tmp_path / "x.json"
    document.write_text('{"records": []}', encoding="utf-8")
    for name in (document, tmp_path / "absent", tmp_path):
        assert code(agentctx("import", str(name))) == "IMPORT_UNREADABLE"


@pytest.mark.requirement("A2.7")
def test_an_export_can_be_of_a_date(agentctx: InProcess, record: str) -> None:
    agentctx("edit", record, "--body", "As it is now")
    assert len(titles(agentctx)) == 2
    found = value(agentctx("export", "--valid-at", "2999-01-01"))["records"]
    assert [one["body"] for one in found] == ["As it is now"]
    assert value(agentctx("export", "--as-of", "1999-01-01"))["records"] == []
    assert code(agentctx("export", "--as-of", "then")) == "TIME_INVALID"


@pytest.mark.requirement("A2.10")
def test_the_doctor_finds_repairs_and_ends_well(
    agentctx: InProcess, record: str, store_home: Path
) -> None:
    assert value(agentctx("doctor"))["ok"]
    harms.made_text(store_home / "agentctx.db")
    found = agentctx("doctor")
    assert found.status == 1
    assert [c["cure"] for c in value(found)["checks"] if not c["ok"]] == ["repair"]
    assert code(agentctx("add", "decision", "X", "--body", "Y")) == "STORE_FOREIGN"
    found = agentctx("doctor", "--repair", "--yes")
    done = value(found)
    assert (found.status, done["ok"]) == (1, False)
    assert all(check["ok"] for check in done["checks"])
    assert (done["repaired"]["recovered"], done["repaired"]["expected"]) == (0, None)
    assert agentctx("doctor").status == 0
    assert agentctx("show", record).status == 2
    assert agentctx("add", "decision", "X", "--body", "Y").status == 0
    assert b"not a database" in Path(done["repaired"]["aside"]).read_bytes()


@pytest.mark.requirement("A1.7")
def test_the_doctor_rebuilds_what_follows_from_the_records(
    agentctx: InProcess, record: str, store_home: Path
) -> None:
    db = sqlite3.connect(store_home / "agentctx.db")
    db.execute("DELETE FROM record_terms")
    db.commit()
    db.close()
    assert agentctx("doctor").status == 1
    done = agentctx("doctor", "--rebuild")
    assert (done.status, value(done)["rebuilt"]["records"]) == (0, 1)
    answer = value(agentctx("search", "readings stored"))
    assert [one["id"] for one in answer["results"]] == [record]
    assert code(agentctx("doctor", "--rebuild", "--repair")) == "USAGE"


def test_the_doctor_names_a_bad_configuration(
    agentctx: InProcess, record: str, store_home: Path
) -> None:
    assert record
    (store_home / "config.json").write_text("{", encoding="utf-8")
    done = agentctx("doctor")
    assert done.status == 1
    assert [c["name"] for c in value(done)["checks"] if not c["ok"]] == ["config"]


@pytest.mark.parametrize(
    "command",
    [
        "backup",
        "delete ID --yes",
        "export",
        "export --out OUT",
        "reset --yes",
        "doctor",
        "doctor --rebuild",
    ],
)
def test_people_are_told_in_text(
    agentctx: InProcess, record: str, tmp_path: Path, command: str
) -> None:
    names = {"ID": record, "OUT": str(tmp_path / "out.json")}
    words = [names.get(word, word) for word in command.split()]
    done = agentctx(*words, "--format", "text")
    assert done.status == 0
    assert done.out.strip()


def test_people_are_told_in_text_what_came_back(
    agentctx: InProcess, record: str, store_home: Path, tmp_path: Path
) -> None:
    document = tmp_path / "x.json"
    agentctx("export", "--out", str(document))
    agentctx("delete", record, "--yes")
    for words in (("import", str(document), "--yes"), ("undo",)):
        assert record in agentctx(*words, "--format", "text").out
    lost(store_home / "agentctx.db")
    shown = agentctx("doctor", "--format", "text")
    assert (shown.status, "hint: " in shown.out) == (1, True)
    assert (
        "set aside" in agentctx("doctor", "--repair", "--yes", "--format", "text").out
    )


@pytest.mark.requirement("A2.10")
@pytest.mark.parametrize("harm", [harms.overwritten, harms.truncated, harms.made_text])
@pytest.mark.parametrize(
    "command",
    [
        "status",
        "add decision Title --body Text",
        "search readings",
        "show ID",
        "history ID",
        "edit ID --body New",
        "supersede ID --body New --rationale Because",
        "pin ID",
        "reinforce ID",
        "delete ID --yes",
        "undo",
        "export",
        "backup",
        "restore COPY --yes",
        "reset --yes",
        "doctor",
        "doctor --rebuild",
        "profile show",
        "profile refresh",
        "project",
    ],
)
def test_no_command_changes_a_damaged_store(
    agentctx: InProcess,
    record: str,
    store_home: Path,
    tmp_path: Path,
    command: str,
    harm: Callable[[Path], None],
) -> None:
    copy = tmp_path / "copy.db"
    agentctx("backup", "--out", str(copy))
    harm(store_home / "agentctx.db")
    before = (store_home / "agentctx.db").read_bytes()
    names = {"ID": record, "COPY": str(copy)}
    done = agentctx(*(names.get(word, word) for word in command.split()))
    assert done.status in {0, 1, 2}, done.err
    if done.status == 2:
        assert code(done) in {"STORE_CORRUPT", "STORE_FOREIGN", "NOTHING_TO_UNDO"}
    assert (store_home / "agentctx.db").read_bytes() == before


def text(done: Outcome) -> str:
    assert done.status in {0, 1}, done.err
    return done.out


def test_people_are_told_what_was_left_out(
    agentctx: InProcess, record: str, tmp_path: Path
) -> None:
    document, wanted = tmp_path / "x.json", ("--yes", "--format", "text")
    agentctx("export", "--out", str(document))
    assert "here already" in text(agentctx("import", str(document), *wanted))
    changed = document.read_text("utf-8").replace("As agreed", "Otherwise")
    document.write_text(changed, encoding="utf-8")
    assert record in text(agentctx("import", str(document), *wanted))
    told = text(agentctx("backup", "--format", "text"))
    assert "1 record" in told
    shown = text(agentctx("delete", record, "--forever", *wanted))
    assert "no copy" in shown
    assert "1 older backup" in shown
    assert "0 records" in text(agentctx("reset", *wanted))
    backup = told.splitlines()[0]
    assert "1 record" in text(agentctx("restore", backup, *wanted))
    assert "anew" not in text(agentctx("doctor", "--rebuild", "--format", "text"))


@pytest.mark.requirement("A10.1")
def test_people_are_told_which_secrets_a_document_held(
    agentctx: InProcess, record: str, tmp_path: Path
) -> None:
    document = tmp_path / "x.json"
    agentctx("export", "--out", str(document))
    agentctx("delete", record, "--yes")
    token = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    changed = document.read_text("utf-8").replace("As agreed", f"Token {token}")
    document.write_text(changed, encoding="utf-8")
    shown = text(agentctx("import", str(document), "--yes", "--format", "text"))
    assert "redacted" in shown
    assert token not in agentctx("export").out


def test_a_place_that_cannot_be_written_is_told(
    agentctx: InProcess, record: str, store_home: Path
) -> None:
    taken = store_home / "agentctx.db" / "x.json"
    assert code(agentctx("export", "--out", str(taken))) == "OUTPUT_FAILED"
    (store_home / "backups").write_text("in the way", encoding="utf-8")
    assert code(agentctx("delete", record, "--yes")) == "HOME_UNUSABLE"
    assert code(agentctx("backup")) == "BACKUP_TARGET"
    assert agentctx("show", record).status == 0


@pytest.mark.requirement("A2.10")
def test_a_repair_that_loses_records_names_the_copy_to_put_back(
    agentctx: InProcess, record: str, store_home: Path
) -> None:
    agentctx("add", "preference", "Short functions", "--scope", "global")
    saved = value(agentctx("backup"))["path"]
    (store_home / "backups" / "agentctx-99990101T000000Z.db").write_bytes(b"broken")
    lost(store_home / "agentctx.db")
    done = agentctx("doctor", "--repair", "--yes", "--format", "text")
    assert done.status == 1
    assert f"agentctx restore {saved}" in done.out
    assert faults(value(agentctx("status"))) == []
    agentctx("restore", saved, "--yes")
    assert value(agentctx("show", record))["record"]["id"] == record


@pytest.mark.requirement("A2.10")
def test_a_repair_that_loses_nothing_ends_well(
    agentctx: InProcess, record: str, store_home: Path
) -> None:
    db = sqlite3.connect(store_home / "agentctx.db")
    db.execute("DROP TABLE tombstones")
    db.close()
    assert agentctx("doctor").status == 1
    done = value(agentctx("doctor", "--repair", "--yes"))
    assert (done["ok"], done["repaired"]["whole"]) == (True, True)
    assert done["repaired"]["recovered"] == done["repaired"]["expected"] == 1
    assert value(agentctx("show", record))["record"]["id"] == record


def test_a_copy_goes_to_a_new_file_in_a_folder_that_exists(
    agentctx: InProcess, record: str, tmp_path: Path
) -> None:
    assert record
    (tmp_path / "mine").write_text("mine", encoding="utf-8")
    for place in ("mine", "absent/copy.db"):
        done = agentctx("backup", "--out", str(tmp_path / place))
        assert code(done) == "BACKUP_TARGET"


def test_after_a_reset_both_ways_back_are_named(
    agentctx: InProcess, record: str
) -> None:
    assert record
    told = agentctx("reset", "--yes", "--format", "text").out
    assert "agentctx restore" in told
    assert "import" in told


@pytest.mark.skipif(os.name == "nt", reason="no modes there")
def test_who_can_read_the_store_is_told_with_the_path_to_correct(
    agentctx: InProcess, record: str, store_home: Path
) -> None:
    assert record
    (store_home / "agentctx.db").chmod(0o644)
    found = value(agentctx("doctor"))["checks"]
    (hint,) = [one["hint"] for one in found if not one["ok"]]
    assert str(store_home / "agentctx.db") in hint
