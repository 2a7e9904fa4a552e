"""What people do with memory: look, forget, steer, take back, keep it small."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from agentctx.memory.candidates import commit_extraction, forgotten_quotes
from agentctx.memory.letting import PURGED, without_sentences
from agentctx.memory.model import ReviewItem
from agentctx.memory.refusals import (
    MemoryDegradedError,
    MemoryFencedError,
    MemoryItemNotFoundError,
    MemoryItemOldError,
    MemoryRuleError,
)
from agentctx.memory.threads import active_thread, thread_of, write_checkpoint
from tests.agentctx.memory.api.programs import Answering, begun, codes, program, said
from tests.agentctx.memory.memories import (
    SAID,
    TABS,
    believe,
    count,
    files,
    memory_at,
    propose,
    say,
    take,
)

if TYPE_CHECKING:
    from pathlib import Path

    from agentctx.memory import Memory
    from agentctx.memory.model import Item
    from tests.recorded import Ticking

QUOTES = TABS._replace(
    subject="Quotes",
    statement="Write double quotes.",
    content="Write double quotes.",
    aliases=(),
    keywords=(),
)


@pytest.fixture
def item(project: Path, talk: Memory) -> Item:
    """Give the one item of the memory."""
    with memory_at(project) as store:
        (made,) = believe(store, TABS)
    assert talk.list() == (made,)
    return made


def spoil(project: Path, statement: str) -> None:
    with closing(sqlite3.connect(project / ".agentctx" / "memory.db")) as db, db:
        db.execute(statement)


NO_THREAD = "UPDATE threads SET status = 'archived', archived_at = 'x'"


@pytest.mark.requirement("C2")
def test_an_empty_memory_is_healthy(talk: Memory) -> None:
    status = talk.status().as_json()
    assert (status["state"], status["schema_version"]) == ("healthy", 4)
    assert talk.list() == ()
    with talk.open_request(begun(talk)) as request:
        assert request.map().text == ""
        assert request.history() == ()
    assert talk.notices == ()
    json.dumps(status)


@pytest.mark.requirement("C7")
def test_what_was_said_is_shown_and_exported_although_memory_is_degraded(
    project: Path, talk: Memory, item: Item
) -> None:
    spoil(project, NO_THREAD)
    assert begun_or_none(talk) is None
    before = files(project)
    assert talk.status().as_json()["state"] == "degraded"
    assert talk.show(item.id).item == item
    whole = json.loads((project / talk.export()).read_bytes())
    assert whole["items"][0]["id"] == item.id
    assert files(project) == before
    with pytest.raises(MemoryDegradedError):
        talk.list()
    talk.clear(confirm=True)
    assert talk.status().state == "healthy"
    assert begun(talk).sequence == 1


@pytest.mark.requirement("C7")
def test_a_file_of_another_kind_is_cleared_and_not_read(project: Path) -> None:
    (project / ".agentctx" / "memory.db").write_bytes(b"garbage" * 999)
    with program(project) as memory:
        assert memory.status().as_json()["state"] == "degraded"
        for asked in (memory.export, memory.list, lambda: memory.show("memory_1")):  # type: ignore[arg-type]
            with pytest.raises(MemoryDegradedError):
                asked()
        with pytest.raises(MemoryRuleError):
            memory.clear()
        saved = memory.clear(confirm=True).backup
        assert saved is not None
        assert begun(memory).sequence == 1


def begun_or_none(memory: Memory) -> object:
    return memory.begin_turn("s9", "ordinary", "chat", "Hello?")


@pytest.mark.requirement("M8.2(a)", "M8.2(b)", "M11.5")
def test_forgetting_reaches_everything_but_the_turns(
    project: Path, talk: Memory, item: Item
) -> None:
    with memory_at(project) as store:
        propose(store, TABS)
        with store.writing() as writing:
            write_checkpoint(
                writing,
                active_thread(writing.tx),
                "The user wants indentation by tabs. The parser is nearly done.",
            )
    talk.summary()
    gone = talk.forget(item.id)
    assert "original turns are kept" in gone.text
    assert gone.sentences == 1
    with memory_at(project) as store:
        assert count(store, "memory_candidates", "status = 'suppressed'") == 2
        assert count(store, "turns", f"user_text = '{SAID}'") == 2
        assert count(store, "forgotten_quotes") == 2
        thread = thread_of(store.db, active_thread(store.db))
    assert thread is not None
    assert thread.compaction == "The parser is nearly done."
    text = (project / ".agentctx" / "memory_summary.md").read_text(encoding="utf-8")
    assert "tabs" not in text
    assert "parser" in text
    assert talk.search("indentation").hits == ()
    assert talk.list() == ()


@pytest.mark.requirement("M11.5")
def test_a_purge_takes_the_words_out_of_everything(
    project: Path, talk: Memory, item: Item
) -> None:
    said(talk, f"Before. {SAID} After.")
    with memory_at(project) as store, store.writing() as writing:
        writing.tx.execute(
            "INSERT INTO memory_candidates SELECT 'candidate_' || hex(randomblob(16)),"
            " extraction_job_id, thread_id, kind, subject, 'tabs, once refused',"
            " content, strength, origin, recall_mode, '[]', '[]', '[]', 'rejected',"
            " created_at, updated_at FROM memory_candidates"
        )
        writing.tx.execute(
            "INSERT INTO candidate_sources SELECT c.id, t.id, 'user', 'indent with'"
            " FROM memory_candidates c, turns t WHERE c.status = 'rejected'"
            " AND t.sequence = 1"
        )
    with pytest.raises(MemoryRuleError):
        talk.forget(item.id, purge_quotes=True)
    gone = talk.forget(item.id, purge_quotes=True, confirm=True)
    assert gone.purged
    with memory_at(project) as store:
        first = store.db.execute("SELECT user_text FROM turns ORDER BY rowid")
        assert first.fetchone()[0] == PURGED
        kept = store.db.execute("SELECT content FROM memory_items").fetchone()[0]
        assert kept == PURGED
    talk.vacuum()
    whole = json.loads((project / talk.export()).read_bytes())
    told = json.dumps({name: whole[name] for name in whole if name != "turns"})
    assert "tab" not in told
    assert "indent" not in told
    assert talk.status().state == "healthy"
    with pytest.raises(MemoryRuleError):
        talk.undo()


@pytest.mark.requirement("M11.5")
def test_an_extraction_under_way_does_not_bring_a_checkpoint_back(
    project: Path, talk: Memory, item: Item
) -> None:
    said(talk, "And now?")
    with memory_at(project) as store:
        batch = take(store)
        talk.forget(item.id)
        with pytest.raises(MemoryFencedError), store.writing() as writing:
            commit_extraction(writing, batch, "The user wants tabs.", [])
    assert talk.flush().pending == ()
    with memory_at(project) as store:
        assert count(store, "memory_jobs", "status = 'succeeded_no_output'") == 1


@pytest.mark.requirement("M11.5")
def test_words_that_another_item_stands_on_are_not_purged(
    project: Path, talk: Memory
) -> None:
    with memory_at(project) as store:
        first, _ = believe(store, TABS, QUOTES)
    with pytest.raises(MemoryRuleError):
        talk.forget(first.id, purge_quotes=True, confirm=True)
    assert len(talk.list()) == 2


@pytest.mark.requirement("M11.5")
def test_forgetting_an_old_revision_names_the_live_one(
    talk: Memory, item: Item
) -> None:
    new = talk.edit(item.id, statement="Indent with two tabs.")
    with pytest.raises(MemoryItemOldError, match=new.id):
        talk.forget(item.id)
    with pytest.raises(MemoryItemNotFoundError):
        talk.forget(item.id.replace("_r1", "_r9"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("", ""),
        ("Indentation is by tabs.", ""),
        ("缩进用 tabs。解析器快好了。", "解析器快好了。"),
        ("One.\n\nTwo about indentation.\nThree.", "One.\n\nThree."),
        ("x" * 4000, "x" * 4000),
    ],
    ids=["empty", "all of it", "chinese", "lines", "one long word"],
)
def test_a_checkpoint_loses_the_sentences_about_an_item(text: str, left: str) -> None:
    assert without_sentences(text, [TABS]) == left


@pytest.mark.requirement("M11.8")
def test_an_edit_is_a_revision_and_is_taken_back(talk: Memory, item: Item) -> None:
    new = talk.edit(item.id, statement="Indent with four spaces.")
    assert (new.revision, new.logical_id) == (2, item.logical_id)
    assert talk.search("four spaces").hits
    assert [one.id for one in talk.revisions(new.id)] == [item.id, new.id]
    undone = talk.undo()
    assert (undone.what, undone.item.meaning) == ("edit", item.meaning)
    assert talk.search("four spaces").hits == ()
    assert talk.undo().item.meaning == new.meaning  # and that is taken back, too
    assert talk.why(talk.list()[0].id).reasons[0].quote == SAID


@pytest.mark.requirement("M11.8")
def test_what_was_forgotten_comes_back(project: Path, talk: Memory, item: Item) -> None:
    talk.edit(item.id, subject="Tab indentation")
    live = talk.list()[0]
    talk.forget(live.id)
    undone = talk.undo()
    assert (undone.what, undone.item.id) == ("forget", live.id)
    assert [one.id for one in talk.search("indentation").hits] == [live.id]
    with memory_at(project) as store:
        assert count(store, "forgotten_quotes") == 0
        assert count(store, "memory_candidates", "status = 'consolidated'") == 1


@pytest.mark.requirement("M11.8")
def test_nothing_comes_back_where_another_took_its_place(
    project: Path, talk: Memory, item: Item
) -> None:
    talk.forget(item.id)
    with memory_at(project) as store:
        believe(store, TABS._replace(statement="Indent with spaces."))
    with pytest.raises(MemoryRuleError):
        talk.undo()
    assert len(talk.list()) == 1


@pytest.mark.requirement("M11.8")
def test_there_is_nothing_to_take_back_at_first(talk: Memory, item: Item) -> None:
    assert item.revision == 1
    with pytest.raises(MemoryRuleError):
        talk.undo()


@pytest.mark.requirement("M11.8")
@pytest.mark.parametrize(
    "words",
    [
        {"subject": " "},
        {"statement": ""},
        {"content": "x" * 4001},
        {"subject": "Quotes"},
    ],
    ids=["no subject", "no statement", "too long", "another's subject"],
)
def test_an_edit_keeps_to_the_rules(
    project: Path, talk: Memory, words: dict[str, str]
) -> None:
    with memory_at(project) as store:
        first, _ = believe(store, TABS, QUOTES)
    with pytest.raises(MemoryRuleError):
        talk.edit(first.id, **words)
    assert len(talk.list(every=True)) == 2


@pytest.mark.requirement("M11.8")
def test_a_person_confirms_and_pins(project: Path, talk: Memory) -> None:
    soft = TABS._replace(strength="soft", origin="inferred_repetition")
    with memory_at(project) as store:
        (item,) = believe(store, soft)
    with pytest.raises(MemoryRuleError):
        talk.pin(item.id)
    sure = talk.confirm(item.id)
    assert (sure.meaning.strength, sure.meaning.origin) == ("hard", "explicit")
    assert talk.confirm(sure.id) == sure
    pinned = talk.pin(sure.id)
    assert pinned.pinned
    with talk.open_request(begun(talk, "Something else.")) as request:
        assert [one.id for one in request.map().entries] == [pinned.id]
    free = talk.pin(pinned.id, on=False)
    assert not talk.show(free.id).item.pinned
    assert talk.show(free.id).revisions == (item.id, sure.id, pinned.id, free.id)


@pytest.mark.requirement("M11.8")
def test_why_names_turns_quotes_and_jobs(talk: Memory) -> None:
    turn = said(talk)
    talk.flush()
    (item,) = talk.list()
    found = talk.why(item.id)
    assert [(one.turn_id, one.role, one.quote) for one in found.reasons] == [
        (turn.id, "user", SAID)
    ]
    assert len(found.jobs) == 2


@pytest.mark.requirement("M11.9")
def test_old_words_go_and_what_is_believed_stays(project: Path, clock: Ticking) -> None:
    with program(project, clock, pipeline=Answering()) as memory:
        said(memory)
        said(memory, "Something else.", session="s2")
        memory.flush()
        clock.tick(timedelta(days=40))
        waiting = said(memory, "This waits.")
        with pytest.raises(MemoryRuleError):
            memory.retain(days=30)
        with pytest.raises(MemoryRuleError):
            memory.retain(confirm=True)
        assert memory.retain(days=30, confirm=True).turns == 2
        (item,) = memory.list()
        assert memory.show(item.id).sources[0].quote == SAID
        turn = begun(memory, "Go on.")
        assert turn.sequence == waiting.sequence + 1
        with memory.open_request(turn) as request:
            assert [one.user for one in request.history()] == ["This waits."]
        left = memory.retain(megabytes=0, confirm=True)
        assert left.bytes_left < 100  # what waits for its extraction stays
        assert count_of(project, "turns") == 3
        before, after = memory.vacuum()
        assert after <= before


def count_of(project: Path, table: str) -> int:
    with memory_at(project) as store:
        return count(store, table)


@pytest.mark.requirement("M8.3(a)")
def test_clearing_ends_what_goes_on(talk: Memory, item: Item) -> None:
    review = talk.review("s1", "run", [ReviewItem("f", "a.py")])
    with pytest.raises(MemoryRuleError):
        talk.clear()
    assert talk.list() == (item,)
    talk.clear(confirm=True)
    assert review.ended
    assert talk.list() == ()
    assert begun(talk).sequence == 1


@pytest.mark.requirement("M9.0", "M9.1(a)", "M9.1(b)", "M9.1(c)")
def test_a_reset_ends_what_is_under_way_and_keeps_memory(
    project: Path, clock: Ticking, talk: Memory, item: Item
) -> None:
    exported = project / talk.export()
    ended: list[str] = []
    with program(
        project, clock, before_new_thread=lambda: ended.append("workbench")
    ) as memory:
        review = memory.review("s1", "run", [ReviewItem("f", "a.py")])
        request = memory.open_request(begun(memory))
        assert "agentctx memory clear" in memory.reset()
        assert review.ended
        assert ended == ["workbench"]
        with pytest.raises(MemoryRuleError):
            request.search("indentation")
    assert talk.list() == (item,)
    assert exported.exists()


@pytest.mark.requirement("M5.4(a)")
def test_what_is_asked_of_a_draft_holds_for_its_file_and_its_review(
    talk: Memory,
) -> None:
    one, other = ReviewItem("f1", "src/a.py"), ReviewItem("f2", "src/b.py")
    review = talk.review("s1", "run1", [one, other])
    asked = review.constrain(one, "only here: keep the old name")
    keys = [review.key(one)]
    here = talk.begin_turn("s1", "review", "patch", "Go on.", ["src/a.py"], keys)
    assert here is not None
    assert here.evidence_keys == ("run1:f1",)
    assert talk.open_request(here).constraints == (asked,)
    there = talk.begin_turn("s1", "review", "patch", "Go on.", ["src/b.py"])
    assert talk.open_request(there).constraints == ()
    talk.end_review("s1")
    again = talk.begin_turn("s1", "review", "patch", "Go on.", ["src/a.py"])
    assert talk.open_request(again).constraints == ()
    for text in ("", " ", "x" * 1001):
        with pytest.raises(MemoryRuleError):
            talk.review("s1", "run2", [one]).constrain(one, text)
    with pytest.raises(MemoryRuleError):
        talk.review("s1", "run3", [ReviewItem("f", "../outside.py")])
    with pytest.raises(MemoryRuleError):
        talk.review("s1", "run3", [ReviewItem("x" * 300, "src/a.py")])


@pytest.mark.requirement("M4.10(b)")
def test_damage_makes_status_and_summary_say_so(
    project: Path, talk: Memory, item: Item
) -> None:
    assert talk.summary().state == "current"
    assert talk.status().summary.state == "current"
    spoil(project, "PRAGMA user_version = 7")
    status = talk.status()
    assert (status.state, status.summary.state) == ("degraded", "stale")
    assert item.id not in json.dumps(status.as_json())
    assert codes(talk) == []


@pytest.mark.requirement("M11.5")
def test_what_was_said_before_is_forgotten_wherever_it_was_said(
    talk: Memory, project: Path, item: Item
) -> None:
    with memory_at(project) as store:
        again = say(store, f"As I said: {SAID}", "s9")
        talk.forget(item.id)
        with store.looking() as db:
            assert forgotten_quotes(db, again.id) == (SAID,)
        later = say(store, f"No, really: {SAID}", "s9")
        talk.undo()
        with store.looking() as db:
            assert forgotten_quotes(db, again.id) == ()
            assert forgotten_quotes(db, later.id) == ()


@pytest.mark.requirement("M11.5", "M2.1(b)")
def test_history_repeats_no_turn_that_said_what_was_forgotten(
    talk: Memory, project: Path, item: Item
) -> None:
    with memory_at(project) as store:
        say(store, "How wide is a tab?", "s9")
    talk.forget(item.id)
    turn = talk.begin_turn("s9", "ordinary", "chat", "And now?")
    with talk.open_request(turn) as request:
        said = [one.user for one in request.history()]
    assert said == ["How wide is a tab?"]
