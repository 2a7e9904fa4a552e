"""Items through the command line: found by part of an id, shown safely, steered."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from agentctx.briefing.state import read_state, session_state
from agentctx.memory.candidates import Proposed, commit_extraction
from agentctx.memory.items import Operation
from agentctx.memory.model import Source
from tests.agentctx.memory.memories import (
    SAID,
    TABS,
    begin,
    believe,
    count,
    decide,
    memory_at,
    say,
    take,
)

if TYPE_CHECKING:
    from pathlib import Path

    from agentctx.memory.model import Item
    from tests.agentctx.memory.commands.conftest import Ask
    from tests.conftest import InProcess

TALK = TABS._replace(kind="discussion_context", strength="soft", subject="Storage")
LISTED = (
    "id",
    "kind",
    "subject",
    "statement",
    "strength",
    "origin",
    "recall_mode",
    "applies_to_paths",
    "status",
    "updated_at",
)
QUOTES = TABS._replace(
    subject="Quotes",
    statement="Write double quotes.",
    content="Write double quotes.\nIn every file.",
    aliases=(),
    keywords=(),
    strength="soft",
)
HIDDEN = "\x1b[31mred\x1b[0m \u202ereversed\u200b"
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"


def text_of(agentctx: InProcess, *words: str) -> str:
    done = agentctx("memory", *words, "--format", "text")
    assert done.status == 0, done.err
    return done.out


@pytest.mark.requirement("M8.0")
def test_a_list_tells_of_each_item(
    agentctx: InProcess, ask: Ask, project: Path, item: Item
) -> None:
    (entry,) = ask("list")["items"]
    assert tuple(entry) == LISTED
    assert (entry["id"], entry["status"]) == (item.id, "active")
    with memory_at(project) as store:
        believe(store, QUOTES)
    ask("edit", item.id, "--statement", "Indent with wide tabs.")
    assert len(ask("list")["items"]) == 2
    every = ask("list", "--all")["items"]
    assert sorted(one["status"] for one in every) == ["active", "active", "superseded"]
    assert text_of(agentctx, "list").splitlines()[-1] == "2 items"


@pytest.mark.requirement("M8.0", "M11.8")
def test_an_item_is_shown_with_what_it_stands_on(
    agentctx: InProcess, ask: Ask, item: Item
) -> None:
    shown = ask("show", item.id)
    assert shown["item"]["content"] == TABS.content
    assert shown["item"]["aliases"] == ["tab width"]
    assert [one["quote"] for one in shown["sources"]] == [SAID]
    assert shown["revisions"] == [item.id]
    detail = ask("read", item.id)
    assert [one["quote"] for one in detail["sources"]] == [SAID]
    why = ask("why", item.id)
    assert [(one["role"], one["quote"]) for one in why["reasons"]] == [("user", SAID)]
    assert len(why["jobs"]) == 2
    assert why["reasons"][0]["job_id"] in why["jobs"]
    for name in ("show", "read", "why"):
        assert f"  | {SAID}" in text_of(agentctx, name, item.id)


@pytest.mark.requirement("M11.8")
def test_a_search_finds_items_by_their_words_where_they_apply(
    agentctx: InProcess, ask: Ask, project: Path, item: Item
) -> None:
    with memory_at(project) as store:
        turn = say(store, "From now on write double quotes in src/lexer.py.")
        assert turn.sequence == 2
    (hit,) = ask("search", "how do we do the indentation")["hits"]
    assert (hit["id"], hit["match_type"]) == (item.id, "subject")
    assert ask("search", "an unrelated matter")["hits"] == []
    assert ask("search", "indentation", "--path", "src/lexer.py")["hits"]
    assert "by subject" in text_of(agentctx, "search", "indentation")
    outside = agentctx("memory", "search", "indentation", "--path", "/etc/passwd")
    assert json.loads(outside.err)["error"] == "FILE_OUTSIDE"
    assert json.loads(agentctx("memory", "search", " ").err)["error"]


def test_part_of_an_id_is_enough_where_no_other_has_it(
    ask: Ask, refused: Ask, project: Path, item: Item
) -> None:
    digits = item.logical_id.removeprefix("memory_")
    for part in (digits[:8], digits[:8].upper(), item.logical_id, item.id[:12]):
        assert ask("show", part)["item"]["id"] == item.id
    new = ask("edit", digits[:8], "--statement", "Indent with wide tabs.")["item"]
    assert ask("show", digits[:8])["item"]["id"] == new["id"]
    assert ask("show", item.id)["item"]["status"] == "superseded"
    with memory_at(project) as store:
        (other,) = believe(store, QUOTES)
    error = refused("show", "memory_")
    assert error["error"] == "ITEM_AMBIGUOUS"
    assert set(error["facts"]["ids"]) == {new["id"], other.id}
    assert "Quotes" in error["detail"]
    for name in ("show", "read", "why", "history", "forget", "confirm", "pin"):
        for unknown in ("f00dnothere", " ", "%", "\x1b[31m", item.id + "9"):
            assert refused(name, unknown)["error"] == "NOT_FOUND", (name, unknown)


@pytest.mark.requirement("M8.2(a)", "M8.2(b)", "M11.5")
def test_forgetting_reaches_everything_and_says_that_turns_are_kept(
    agentctx: InProcess, ask: Ask, refused: Ask, project: Path, item: Item
) -> None:
    new = ask("edit", item.id, "--statement", "Indent with wide tabs.")["item"]["id"]
    old = refused("forget", item.id)
    assert old["error"] == "ITEM_OLD"
    assert new in old["detail"]
    gone = agentctx("memory", "forget", new, "--format", "text")
    assert "original turn is kept" in gone.out
    assert ask("search", "indentation")["hits"] == []
    assert refused("read", new)["error"] == "ITEM_OLD"
    summary = project / ".agentctx" / "memory_summary.md"
    assert "tabs" not in summary.read_text(encoding="utf-8")
    with memory_at(project) as store:
        assert count(store, "turns", f"user_text = '{SAID}'") == 1
        assert count(store, "memory_candidates", "status = 'suppressed'") == 1


@pytest.mark.requirement("M11.5")
def test_words_leave_the_turns_with_a_confirmed_purge_alone(
    ask: Ask, refused: Ask, project: Path, item: Item, store_home: Path
) -> None:
    error = refused("forget", item.id, "--purge-quotes")
    assert error["error"] == "MEMORY_CONSENT"
    assert "--confirm" in error["hint"]
    store_home.mkdir(mode=0o700, exist_ok=True)
    with session_state(str(store_home), "s1") as state:
        state.add(["kept"])
        state.prompt = SAID
    gone = ask("forget", item.id, "--purge-quotes", "--confirm")
    state = read_state(str(store_home), "s1")
    assert (state.prompt, state.given) == ("", ["kept"])
    assert (gone["turns_kept"], gone["turns"]) == (False, 1)
    whole = json.loads((project / ask("export")["path"]).read_bytes())
    assert SAID not in json.dumps(whole)


@pytest.mark.requirement("M11.8")
def test_a_person_steers_and_takes_back(
    agentctx: InProcess, ask: Ask, refused: Ask, project: Path
) -> None:
    with memory_at(project) as store:
        (soft,) = believe(store, QUOTES)
    assert refused("pin", soft.id)["error"] == "MEMORY_CONTRACT"
    sure = ask("confirm", soft.id)
    assert sure["item"]["strength"] == "hard"
    assert sure["before"] == soft.id
    assert ask("confirm", sure["item"]["id"])["before"] is None
    pinned = ask("pin", sure["item"]["id"])["item"]
    assert (pinned["pinned"], pinned["recall_mode"]) == (True, "always")
    free = ask("pin", pinned["id"], "--off")["item"]
    assert (free["pinned"], free["recall_mode"]) == (False, "on_match")
    words = ("--subject", "Quotation marks", "--statement", "Write single quotes.")
    edited = ask("edit", free["id"], *words, "--content", "Single quotes.")["item"]
    assert (edited["subject"], edited["content"]) == (
        "Quotation marks",
        "Single quotes.",
    )
    assert refused("edit", edited["id"])["error"] == "USAGE"
    back = ask("undo")
    assert (back["undone"], back["item"]["subject"]) == ("edit", "Quotes")
    chain = ask("history", soft.id)
    assert [one["revision"] for one in chain["revisions"]] == [1, 2, 3, 4, 5, 6]
    assert chain["revisions"][0]["replaced_by_id"] == sure["item"]["id"]
    assert text_of(agentctx, "history", soft.id).count("to now") == 1
    ask("forget", back["item"]["id"])
    assert ask("undo")["undone"] == "forget"
    assert [one["id"] for one in ask("list")["items"]] == [back["item"]["id"]]


def test_there_is_nothing_to_take_back_at_first(refused: Ask, item: Item) -> None:
    assert item.revision == 1
    error = refused("undo")
    assert error["facts"]["rule"] == "no_undo"
    assert "agentctx memory list --all" in error["hint"]


def test_what_is_refused_is_told_with_what_can_be_done(
    refused: Ask, project: Path
) -> None:
    with memory_at(project) as store:
        (soft,) = believe(store, QUOTES)
        (talk,) = believe(store, TALK)
    asked = {
        ("pin", talk.id): "memory promote ID --type decision",
        ("pin", soft.id): "memory confirm ID",
        ("confirm", talk.id): "memory promote ID --type decision",
        ("import", "missing.json"): "that `agentctx memory export` wrote",
        ("retain", "--days", "-1", "--confirm"): "--max-mb 50",
    }
    for words, hint in asked.items():
        error = refused(*words)
        assert error["error"] == "MEMORY_CONTRACT"
        assert hint in error["hint"], words


@pytest.mark.requirement("M8.0", "M11.7")
def test_what_is_shown_hides_nothing_and_holds_no_secret(
    agentctx: InProcess, ask: Ask, project: Path
) -> None:
    said = f"{HIDDEN} {SECRET}"
    with memory_at(project) as store:
        (item,) = believe(store, TABS)
        # as if it had been stored by a version that knew less
        with store.writing() as writing:
            for table, name in (
                ("memory_items", "subject"),
                ("memory_items", "statement"),
                ("memory_items", "content"),
                ("candidate_sources", "quote"),
                ("turns", "session_id"),
            ):
                writing.tx.execute(f"UPDATE {table} SET {name} = ?", (said,))  # noqa: S608 - ours
    calls = [("list",), ("search", "tab width")]
    calls += [(name, item.id) for name in ("show", "read", "why", "history")]
    for words in calls:
        for told in (json.dumps(ask(*words)), text_of(agentctx, *words)):
            assert SECRET not in told, words
            assert "red" in told, words
            for mark in ("\x1b", "\\u001b", "\u202e", "\\u202e", "\u200b", "\\x1b"):
                assert mark not in told, words
    ambiguous = agentctx("memory", "forget", item.id, "--format", "text")
    assert SECRET not in ambiguous.out
    assert "\x1b" not in ambiguous.out


@pytest.mark.requirement("M8.0")
def test_looking_writes_nothing(ask: Ask, project: Path, item: Item) -> None:
    with memory_at(project) as store:
        begin(store)
        before = store.db.execute("PRAGMA data_version").fetchone()[0]
        for words in (("status",), ("list",), ("show", item.id), ("search", "tabs")):
            ask(*words)
        assert store.db.execute("PRAGMA data_version").fetchone()[0] == before
        assert count(store, "turns", "state = 'open'") == 1
    assert not (project / ".agentctx" / "memory_summary.md").exists()
    assert ask("status")["summary"]["state"] == "missing"
    assert ask("summary")["state"] == "current"
    path = project / ".agentctx" / "memory_summary.md"
    path.write_text("mine", encoding="utf-8")
    assert ask("status")["summary"]["state"] == "stale"


@pytest.mark.requirement("M5.10(c)")
def test_an_item_that_a_consolidation_replaced_keeps_its_chain(
    ask: Ask, project: Path, item: Item
) -> None:
    new = TABS._replace(statement="Indent with two tabs.")
    with memory_at(project) as store:
        turn = say(store)
        batch = take(store)
        with store.writing() as writing:
            proposed = Proposed(new, (Source(turn.id, "user", SAID),))
            commit_extraction(writing, batch, "They talked.", [proposed])
        batch = take(store, "consolidation")
        (one,) = batch.jobs[0].candidate_ids
        (made,) = decide(
            store, batch, [Operation("revise", (one,), item.id, new)], item.id
        )
    chain = ask("history", item.id[:14])["revisions"]
    assert [entry["id"] for entry in chain] == [item.id, made.id]
    assert chain[0]["status"] == "superseded"
