"""Files of memory through the command line: exports, imports, clearing, damage."""

from __future__ import annotations

import json
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from agentctx.cli import memory_export
from agentctx.memory.candidates import commit_extraction
from agentctx.memory.refusals import MemoryFencedError
from agentctx.records.memories import waiting_memories
from tests.agentctx.memory.commands.conftest import call_at
from tests.agentctx.memory.memories import SAID, count, files, memory_at, say, take
from tests.recorded import START, store_at

if TYPE_CHECKING:
    from pathlib import Path

    from agentctx.memory.model import Item
    from tests.agentctx.memory.commands.conftest import Ask
    from tests.conftest import InProcess

NO_THREAD = "UPDATE threads SET status = 'archived', archived_at = created_at"
NO_META = "DELETE FROM memory_meta"
NO_TABLE = "DROP TABLE memory_terms"


def spoil(project: Path, statement: str) -> None:
    with closing(sqlite3.connect(project / ".agentctx" / "memory.db")) as db, db:
        db.execute(statement)


@pytest.mark.requirement("M8.5(a)", "M8.5(b)", "M8.0")
def test_an_export_is_a_new_file_that_holds_it_all(
    agentctx: InProcess, ask: Ask, refused: Ask, project: Path, item: Item
) -> None:
    first, second = (ask("export")["path"] for _ in range(2))
    assert first != second
    folder = project / ".agentctx" / "memory-exports"
    assert {str(path) for path in folder.iterdir()} == {first, second}
    whole = json.loads((project / first).read_bytes())
    assert [one["user_text"] for one in whole["turns"]] == [SAID]
    assert [one["id"] for one in whole["items"]] == [item.id]
    assert len(whole["item_candidates"]) == len(whole["sources"]) == 1
    out = ask("export", "--out", "mine.json")["path"]
    assert out == str(project / "mine.json")
    before = (project / "mine.json").read_bytes()
    assert refused("export", "--out", "mine.json")["facts"]["rule"] == "export_exists"
    assert (project / "mine.json").read_bytes() == before
    for name in ("", "a\x00b"):
        assert refused("export", "--out", name)["error"] == "USAGE"
        assert refused("import", name)["error"] == "USAGE"
    missing = agentctx("memory", "export", "--out", "missing/mine.json")
    assert missing.status == 2


@pytest.mark.requirement("M8.6(a)", "M8.6(b)")
def test_exports_at_one_moment_are_each_whole_and_alone(
    project: Path, store_home: Path, item: Item, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    assert not store_home.exists()

    def export(_: int) -> str:
        return memory_export.run(call_at(START), out=None).path

    with ThreadPoolExecutor(4) as pool:
        paths = list(pool.map(export, range(8)))
    assert len(set(paths)) == 8
    for path in paths:
        whole = json.loads((project / path).read_bytes())
        assert whole["items"][0]["id"] == item.id
    folder = project / ".agentctx" / "memory-exports"
    assert {str(one) for one in folder.iterdir()} == set(paths)


@pytest.mark.requirement("M11.9")
def test_an_export_is_taken_into_an_empty_memory_alone(
    agentctx: InProcess, ask: Ask, refused: Ask, tmp_path: Path, item: Item
) -> None:
    path = ask("export", "--out", str(tmp_path / "all.json"))["path"]
    assert refused("import", path)["facts"]["rule"] == "import_not_empty"
    other = tmp_path / "other"
    (other / ".agentctx").mkdir(parents=True)
    done = agentctx("memory", "import", path, cwd=other)
    assert json.loads(done.out) == {"threads": 1, "turns": 1, "items": 1}
    listed = json.loads(agentctx("memory", "list", cwd=other).out)
    assert listed == ask("list")
    assert listed["items"][0]["id"] == item.id
    text = agentctx("memory", "import", path, "--format", "text", cwd=other)
    assert "MEMORY_CONTRACT" in text.err


@pytest.mark.requirement("M11.9")
def test_what_waits_in_an_import_is_left_to_the_worker(
    agentctx: InProcess, ask: Ask, tmp_path: Path, project: Path, store_home: Path
) -> None:
    with memory_at(project) as store:
        say(store)
    path = ask("export", "--out", str(tmp_path / "all.json"))["path"]
    agentctx("add", "decision", "Readings are stored in UTC")  # makes the store
    other = tmp_path / "other"
    (other / ".agentctx").mkdir(parents=True)
    agentctx("memory", "import", path, cwd=other)
    with store_at(store_home) as records:
        (one,) = waiting_memories(records.db)
    assert (one.root, one.asks) == (str(other), False)


@pytest.mark.requirement("M11.9")
def test_words_of_old_turns_go_with_consent_alone(
    agentctx: InProcess, ask: Ask, refused: Ask, item: Item
) -> None:
    assert refused("retain")["error"] == "USAGE"
    assert refused("retain", "--days", "0")["error"] == "MEMORY_CONSENT"
    assert refused("retain", "--days", "-1", "--confirm")["error"] == "MEMORY_CONTRACT"
    assert refused("retain", "--days", "x", "--confirm")["error"] == "USAGE"
    gone = ask("retain", "--days", "0", "--max-mb", "0.5", "--confirm")
    assert gone["turns"] == 1
    assert ask("show", item.id)["sources"][0]["quote"] == SAID
    done = agentctx("memory", "retain", "--max-mb", "0", "--confirm", "--format=text")
    assert "bytes of words are left" in done.out
    pages = ask("vacuum")
    assert pages["pages_after"] <= pages["pages_before"]


@pytest.mark.requirement("M8.3(a)", "M8.3(b)", "M8.3(c)", "M11.9")
def test_clearing_empties_memory_after_a_copy_and_fences_who_was_at_work(
    agentctx: InProcess, ask: Ask, refused: Ask, project: Path, item: Item
) -> None:
    export = project / ask("export")["path"]
    assert refused("clear")["error"] == "MEMORY_CONSENT"
    before = ask("status")
    assert item.id
    with memory_at(project) as store:
        say(store)
        batch = take(store)
        cleared = ask("clear", "--confirm")
        with pytest.raises(MemoryFencedError), store.writing() as writing:
            commit_extraction(writing, batch, "They talked.", [])
        assert count(store, "turns") == 0
    card = ask("status")
    assert card["generation"] == before["generation"] + 1
    assert card["active_thread"] != before["active_thread"]
    assert (card["threads"], card["turns"], card["items"]["active"]) == (1, 0, 0)
    assert sum(card["jobs"].values()) == 0
    with closing(sqlite3.connect(cleared["backup"])) as db:
        assert db.execute("SELECT count(*) FROM memory_items").fetchone() == (1,)
    assert export.exists()
    text = agentctx("memory", "clear", "--confirm", "--format", "text").out
    assert "/backups/" in text
    assert "exports and the history of the terminal are kept" in text
    assert ask("clear", "--confirm", "--no-backup")["backup"] is None


@pytest.mark.requirement("C7", "M8.4(a)", "M8.4(b)", "M1.2(c)")
@pytest.mark.parametrize("damage", [NO_THREAD, NO_META, NO_TABLE, "garbage"])
def test_a_damaged_memory_is_shown_as_far_as_it_can_be_and_cleared(
    agentctx: InProcess, ask: Ask, refused: Ask, project: Path, item: Item, damage: str
) -> None:
    ask("summary")
    if damage == "garbage":
        (project / ".agentctx" / "memory.db").write_bytes(b"garbage" * 999)
    else:
        spoil(project, damage)
    before = files(project)
    card = ask("status")
    assert (card["state"], card["items"], card["failures"]) == ("degraded", None, [])
    assert card["problem"]
    assert card["summary"]["state"] == "stale"
    text = agentctx("memory", "status", "--format", "text").out
    assert "agentctx memory clear --confirm" in text
    if damage in {NO_THREAD, NO_META}:
        assert ask("show", item.id[:15])["item"]["id"] == item.id
        whole = json.loads((project / ask("export")["path"]).read_bytes())
        assert whole["items"][0]["id"] == item.id
    else:
        assert refused("show", item.id)["error"] == "MEMORY_DEGRADED"
        assert refused("export")["error"] == "MEMORY_DEGRADED"
    asked = [("list",), ("search", "tabs"), ("new",), ("flush",), ("summary",)]
    asked += [("undo",), ("vacuum",), ("read", item.id), ("import", "x")]
    for words in asked:
        error = refused(*words)
        assert error["error"] == "MEMORY_DEGRADED", words
        assert "agentctx memory clear --confirm" in error["hint"]
    assert files(project) == before
    assert ask("clear", "--confirm")["backup"]
    card = ask("status")
    assert (card["state"], card["threads"], card["turns"]) == ("healthy", 1, 0)


@pytest.mark.requirement("M1.3(b)")
def test_a_foreign_database_is_told_with_what_is_supported(
    ask: Ask, project: Path
) -> None:
    with closing(sqlite3.connect(project / ".agentctx" / "memory.db")) as db, db:
        db.execute("CREATE TABLE birds (name)")
    before = files(project)
    card = ask("status")
    assert card["state"] == "degraded"
    assert "layout 4" in card["problem"]
    assert "birds" in card["problem"]
    assert files(project) == before


@pytest.mark.requirement("C11")
def test_a_summary_that_cannot_be_written_is_told(
    agentctx: InProcess, project: Path, item: Item
) -> None:
    assert item.id
    path = project / ".agentctx" / "memory_summary.md"
    path.symlink_to(project / "elsewhere.md")
    done = agentctx("memory", "summary")
    assert done.status == 1
    assert json.loads(done.out)["error"] == "it is a link; remove it"
    assert json.loads(done.err)["notice"] == "MEMORY_SUMMARY"
    text = agentctx("memory", "summary", "--format", "text")
    assert text.err.startswith("note[MEMORY_SUMMARY]: ")
