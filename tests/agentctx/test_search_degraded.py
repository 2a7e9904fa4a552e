"""Searches of stores that are damaged, without an index, or written with SQL."""

from __future__ import annotations

import random
import sqlite3
from typing import TYPE_CHECKING

import pytest

from agentctx.records.candidates import ANYTHING, MOST_READ, Candidates
from agentctx.records.card import framed
from agentctx.records.search import (
    LIKE_SEARCH,
    PINNED_ONLY,
    search_records,
)
from agentctx.records.write import (
    pin_record,
)
from corpus.errors import CodedError
from tests.agentctx.searched import (
    FACTS,
    PROJECT,
    keep,
    plain_row,
    prompted,
    titles,
)
from tests.recorded import Ticking, store_at

if TYPE_CHECKING:
    from pathlib import Path

    from agentctx.records.store import Store


@pytest.mark.requirement("A3.3")
def test_without_full_text_the_answer_says_so(filled: Store) -> None:
    with filled.writing() as tx:
        tx.execute("DROP TABLE records_fts")
    answer = search_records(filled, PROJECT, "exponential retries")
    assert answer.degraded == LIKE_SEARCH
    assert [one.record.title for one in answer.results] == [FACTS[0][0]]


@pytest.mark.requirement("A3.3")
def test_a_sqlite_without_full_text_searches_and_says_so(filled: Store) -> None:
    filled.full_text = False
    for query in ("exponential retries", "on May 2nd"):
        assert search_records(filled, PROJECT, query).degraded == LIKE_SEARCH
    with filled.writing() as tx:
        tx.execute("DROP TABLE record_terms")
    answer = search_records(filled, PROJECT, "exponential retries")
    assert answer.degraded == LIKE_SEARCH
    assert [one.record.title for one in answer.results] == [FACTS[0][0]]
    filled.full_text = False
    assert search_records(filled, PROJECT, "on May 2nd") == ((), LIKE_SEARCH)


@pytest.mark.requirement("A3.3")
def test_without_the_index_the_full_text_answers(filled: Store) -> None:
    with filled.writing() as tx:
        tx.execute("DROP TABLE record_terms")
    assert titles(filled, "exponential retries") == [FACTS[0][0]]
    answer = search_records(filled, PROJECT, "本地时间")
    assert answer.degraded == LIKE_SEARCH
    assert [one.record.title for one in answer.results] == [FACTS[4][0]]


@pytest.mark.requirement("A3.3")
@pytest.mark.parametrize("query", ["ledger strategy SQLite", "КЭШ", "本地时间"])
def test_without_both_texts_are_compared(filled: Store, query: str) -> None:
    before = search_records(filled, PROJECT, query).results[0].record.id
    with filled.writing() as tx:
        tx.execute("DROP TABLE record_terms")
        tx.execute("DROP TABLE records_fts")
    answer = search_records(filled, PROJECT, query)
    assert answer.degraded == LIKE_SEARCH
    assert answer.results[0].record.id == before
    assert prompted(filled, "looks good to me") == []


@pytest.mark.requirement("A3.3")
def test_where_nothing_can_be_compared_the_pinned_are_given(filled: Store) -> None:
    pinned = keep(filled, "Pinned", "Whatever is asked.")
    pin_record(filled, PROJECT, pinned.id)
    with filled.writing() as tx:
        tx.execute("DROP TABLE record_terms")
        tx.execute("DROP TABLE records_fts")
    filled.db.setlimit(sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1)
    answer = search_records(filled, PROJECT, "exponential")
    assert answer.degraded == PINNED_ONLY
    assert [one.record.id for one in answer.results] == [pinned.id]


@pytest.mark.requirement("A3.3")
def test_a_store_without_its_tables_answers_nothing_and_never_fails(
    filled: Store,
) -> None:
    with filled.writing() as tx:
        tx.execute("DROP TABLE provenance")
    answer = search_records(filled, PROJECT, "exponential")
    assert answer == ((), PINNED_ONLY)


@pytest.mark.requirement("A3.3")
@pytest.mark.parametrize("query", ["", "   \n\t", "\x00", "?!", "🙂"])
def test_a_question_without_words_finds_nothing(filled: Store, query: str) -> None:
    assert search_records(filled, PROJECT, query) == ((), None)


@pytest.mark.requirement("A2.1")
def test_rows_of_plain_sql_are_found_at_once(filled: Store) -> None:
    record_id = plain_row(filled, "Walrus by hand", "海象在北方。")
    for query in ("walrus", "海象"):
        found = search_records(filled, PROJECT, query).results
        assert [one.record.id for one in found] == [record_id]
    with filled.writing() as tx:
        tx.execute("UPDATE records SET title = 'Seal' WHERE id = ?", (record_id,))
    assert titles(filled, "walrus") == []
    assert titles(filled, "seal") == ["Seal"]


@pytest.mark.requirement("A2.1", "A3.3")
@pytest.mark.parametrize("said", ["2026-01-01", "2026-01-01 10:00:00", "", "last week"])
def test_a_row_that_says_its_time_in_another_way_is_found_too(
    store: Store, said: str
) -> None:
    record_id = plain_row(store, "Walrus by hand", "In the north.")
    with store.writing() as tx:
        tx.execute(
            "UPDATE records SET recorded_at = ?, confidence = NULL, pinned = NULL,"
            " type = 'bugfix' WHERE id = ?",
            (said, record_id),
        )
    found = search_records(store, PROJECT, "walrus").results
    assert [one.record.id for one in found] == [record_id]
    assert "unconfirmed" in framed([found[0].record], now=store.clock())


@pytest.mark.requirement("A2.10", "A3.3")
@pytest.mark.parametrize("seed", range(40))
def test_a_store_damaged_anywhere_never_fails_a_search(
    tmp_path: Path, seed: int
) -> None:
    with store_at(tmp_path / "home") as store:
        for number in range(60):
            keep(store, f"Walrus {number}", f"Body {number} of a walrus." * 9)
    path = tmp_path / "home" / "agentctx.db"
    content = bytearray(path.read_bytes())
    dice = random.Random(seed)  # noqa: S311 - the same bytes every time
    for _ in range(40):
        at = dice.randrange(4_096, len(content))
        content[at] = dice.randrange(256)
    path.write_bytes(content)
    try:
        store = store_at(tmp_path / "home", create=False)
    except CodedError:
        return  # said at the door
    with store:
        answer = search_records(store, PROJECT, "walrus body")
    assert answer.degraded in {None, LIKE_SEARCH, PINNED_ONLY}


@pytest.mark.requirement("A2.1")
def test_many_rows_of_plain_sql_are_found_through_the_full_text(store: Store) -> None:
    for number in range(MOST_READ + 20):
        plain_row(store, f"Seal {number}", "Nothing of it.", number)
    last = plain_row(store, "Walrus by hand", "海象在北方。", MOST_READ + 20)
    for query in ("walrus", "海象"):
        found = search_records(store, PROJECT, query).results
        assert [one.record.id for one in found] == [last]


@pytest.mark.requirement("A3.3")
def test_a_kept_count_follows_every_change(store: Store, tmp_path: Path) -> None:
    def total() -> int:
        return Candidates(store, PROJECT, ANYTHING).total()

    keep(store, "first", "of its kind")
    assert (total(), total()) == (1, 1)
    keep(store, "second", "of another kind")
    assert total() == 2
    with store_at(tmp_path / "home", Ticking()) as other, other.writing() as tx:
        tx.execute("DELETE FROM records WHERE title = 'first'")
    assert total() == 1
    keep(store, "third", "in its place")
    with store.writing() as tx:
        tx.execute("SAVEPOINT taken_back")
        tx.execute("DELETE FROM records")
        assert total() == 0
        tx.execute("ROLLBACK TO taken_back")
        assert total() == 2
    assert total() == 2
    store.db.execute("BEGIN IMMEDIATE")
    store.db.execute("DELETE FROM records")
    assert total() == 0
    store.db.execute("ROLLBACK")
    assert total() == 2


@pytest.mark.requirement("A3.2", "A3.3")
def test_a_row_whose_type_is_none_is_ranked_all_the_same(filled: Store) -> None:
    db = filled.db
    db.execute("PRAGMA ignore_check_constraints = ON")
    with filled.writing() as tx:
        tx.execute("UPDATE records SET type = 'discIvery' WHERE title LIKE 'Retries%'")
    answer = search_records(filled, PROJECT, "how do retries back off?")
    assert [one.record.type for one in answer.results][:1] == ["discIvery"]
