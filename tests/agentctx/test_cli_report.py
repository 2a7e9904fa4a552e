"""`agentctx report` writes one private page, and over nothing that is not its own."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from agentctx.records.store import FILE
from agentctx.report.page import MARK
from tests.agentctx.answers import answer, facts, refusal
from tests.agentctx.furnished import DELETED, NEW, SECRET, SEEN, furnish
from tests.agentctx.pages import Node, read_page
from tests.recorded import store_at

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import InProcess

pytestmark = pytest.mark.requirement("A12", "A9")

THEIRS = "<!DOCTYPE html>\n<html>a page of somebody's</html>\n"


def drawn(path: Path) -> Node:
    return read_page(path.read_text(encoding="utf-8"))


def test_everything_that_is_known_comes_onto_one_private_page(
    agentctx: InProcess, store_home: Path, project: Path
) -> None:
    furnish(store_home, project)
    before = (store_home / FILE).read_bytes()
    path = project / "out" / "weather.html"
    value = answer(agentctx("report", "--html", "out/weather.html"))
    assert value["path"] == str(path)
    assert value["problem"] is None
    assert value["records"] == 5
    content = path.read_bytes()
    assert value["bytes"] == len(content)
    page = drawn(path)
    assert NEW in page.text
    assert "From now on indent with tabs." in page.text
    assert "now it holds that" in page.one("section", id="differences").text
    assert "no-llm" in page.one("section", id="state").text
    for absent in (SECRET, DELETED, SEEN, str(store_home), "violet"):
        assert absent not in content.decode()
    if os.name != "nt":
        assert path.stat().st_mode & 0o777 == 0o600
    assert list(path.parent.iterdir()) == [path]
    assert (store_home / FILE).read_bytes() == before
    told = agentctx("report", "--html", str(path), "--everywhere", terminal=True)
    assert "6 records" in told.out
    assert "violet" in drawn(path).text


def test_standard_output_gets_the_page_itself(
    agentctx: InProcess, store_home: Path, project: Path
) -> None:
    furnish(store_home, project)
    for more in ((), ("--format", "json"), ("--format", "text")):
        done = agentctx("report", "--html", "-", *more)
        assert (done.status, done.err) == (0, "")
        assert done.out.startswith(MARK)
        assert done.out.endswith("</html>\n")
        assert NEW in read_page(done.out).text
    assert not (project / "-").exists()


def test_the_page_of_another_folder_is_of_its_project(
    agentctx: InProcess, store_home: Path, project: Path, tmp_path: Path
) -> None:
    furnish(store_home, project)
    other = tmp_path / "harbour"
    (other / ".agentctx").mkdir(parents=True)
    agentctx("add", "decision", "Ships moor at noon", cwd=other)
    path = tmp_path / "one.html"
    words = ("report", "--html", str(path), "--project", "../harbour")
    assert answer(agentctx(*words))["records"] == 1
    assert "Ships moor at noon" in drawn(path).text
    assert NEW not in drawn(path).text
    for named in ("nowhere", "", "a\x00b"):
        done = agentctx("report", "--html", "-", "--project", named)
        assert refusal(done) == "USAGE"


def test_a_report_of_ours_is_replaced_and_nothing_else(
    agentctx: InProcess, project: Path
) -> None:
    path = project / "page.html"
    path.write_text(THEIRS, encoding="utf-8")
    done = agentctx("report", "--html", "page.html")
    assert refusal(done) == "REPORT_TARGET"
    assert "--force" in facts(done)["hint"]
    assert path.read_text(encoding="utf-8") == THEIRS
    answer(agentctx("report", "--html", "page.html", "--force"))
    first = path.read_text(encoding="utf-8")
    assert first.startswith(MARK)
    agentctx("add", "decision", "The wind turns")
    answer(agentctx("report", "--html", "page.html"))
    assert "The wind turns" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", ["folder", "pipe", "link to nothing", "empty"])
def test_what_is_no_report_stays(agentctx: InProcess, project: Path, kind: str) -> None:
    path = project / "page.html"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        if not hasattr(os, "mkfifo"):
            pytest.skip("this system has no named pipes")
        os.mkfifo(path)
    elif kind == "link to nothing":
        path.symlink_to(project / "elsewhere")
    else:
        path.touch()
    mode = path.lstat().st_mode
    assert refusal(agentctx("report", "--html", "page.html")) == "REPORT_TARGET"
    if kind != "empty":
        done = agentctx("report", "--html", "page.html", "--force")
        assert refusal(done) == "REPORT_TARGET"
    assert path.lstat().st_mode == mode
    assert not (project / "elsewhere").exists()


def test_a_link_to_a_report_stays_a_link(agentctx: InProcess, project: Path) -> None:
    answer(agentctx("report", "--html", "one.html"))
    (project / "latest.html").symlink_to("one.html")
    agentctx("add", "decision", "The wind turns")
    answer(agentctx("report", "--html", "latest.html"))
    assert (project / "latest.html").is_symlink()
    assert "The wind turns" in drawn(project / "one.html").text


def test_a_place_where_nothing_can_be_written_is_told(
    agentctx: InProcess, project: Path
) -> None:
    (project / "file").touch()
    done = agentctx("report", "--html", "file/a.html")
    assert refusal(done) == "REPORT_TARGET"
    name = f"{'a' * 250}.html"  # a stage beside it has a longer one
    assert refusal(agentctx("report", "--html", name)) == "OUTPUT_FAILED"
    assert [one for one in project.iterdir() if one.name.endswith(".stage")] == []


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--html", ""),
        ("--html", "a\x00b"),
        ("--html", "-", "--most", "0"),
        ("--html", "-", "--most", "1001"),
        ("--html", "-", "--most", "many"),
    ],
    ids=["no file", "no name", "NUL", "none", "too many", "no number"],
)
def test_a_call_that_cannot_be_meant_is_refused(
    agentctx: InProcess, words: tuple[str, ...]
) -> None:
    assert refusal(agentctx("report", *words)) == "USAGE"


def test_a_project_of_which_nothing_is_known_has_a_page(
    agentctx: InProcess, store_home: Path, project: Path
) -> None:
    value = answer(agentctx("report", "--html", "page.html"))
    assert value["records"] == 0
    assert "Nothing is recorded yet." in drawn(project / "page.html").text
    assert not store_home.exists()


@pytest.mark.parametrize("damage", ["foreign", "cut short"])
def test_a_store_that_cannot_be_read_is_told_on_the_page(
    agentctx: InProcess, store_home: Path, project: Path, damage: str
) -> None:
    agentctx("add", "decision", "The wind turns")
    place = store_home / FILE
    with store_at(store_home) as store:
        store.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = place.read_bytes()
    place.write_bytes(content[:8192] if damage == "cut short" else b"no store" * 999)
    left = place.read_bytes()
    value = answer(agentctx("report", "--html", "page.html"), status=1)
    code = value["problem"]["code"]
    assert code in {"STORE_CORRUPT", "STORE_FOREIGN"}
    page = drawn(project / "page.html")
    assert code in page.one("p", **{"class": "alarm"}).text
    assert "Not known" in page.one("section", id="known").text
    assert place.read_bytes() == left
    done = agentctx("report", "--html", "-")
    assert (done.status, code in done.out) == (1, True)
    told = agentctx("report", "--html", "page.html", terminal=True)
    assert (told.status, code in told.out) == (1, True)


def test_memory_that_is_off_is_said_to_be(
    agentctx: InProcess, store_home: Path, project: Path
) -> None:
    furnish(store_home, project)
    answer(agentctx("memory", "off"))
    answer(agentctx("report", "--html", "page.html"))
    memory = drawn(project / "page.html").one("section", id="memory")
    assert "Conversation memory is off" in memory.text
    assert "tabs" not in memory.text


def test_memory_that_is_damaged_is_said_to_be(
    agentctx: InProcess, store_home: Path, project: Path
) -> None:
    furnish(store_home, project)
    (project / ".agentctx" / "memory.db").write_bytes(b"nothing" * 999)
    value = answer(agentctx("report", "--html", "page.html"))
    assert value["records"] == 5
    memory = drawn(project / "page.html").one("section", id="memory")
    assert "memory.db" in memory.text
    assert "tabs" not in memory.text


def test_ten_thousand_records_make_a_page_of_bounded_size(
    agentctx: InProcess, store_home: Path, project: Path
) -> None:
    made = answer(agentctx("add", "decision", "The wind turns"))["record"]
    with store_at(store_home) as store, store.writing() as tx:
        tx.executemany(
            "INSERT INTO records (id, project_id, type, title, body, valid_from,"
            " recorded_at, source) VALUES (?, ?, ?, ?, ?, ?, ?, 'cli')",
            (
                (
                    store.ids.new(),
                    made["project_id"],
                    "discovery" if number % 2 else "bugfix",
                    f"Gauge {number} reads high",
                    f"Gauge {number} reads two percent high at noon. " * 20,
                    made["valid_from"],
                    made["recorded_at"],
                )
                for number in range(10_000)
            ),
        )
    value = answer(agentctx("report", "--html", "page.html", "--most", "50"))
    assert value["records"] == 10_001
    assert value["bytes"] < 500_000
    known = drawn(project / "page.html").one("section", id="known")
    assert len(list(known.all("article"))) == 101
    assert known.text.count("and 4,950 records not shown here") == 2
