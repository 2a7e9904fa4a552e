"""Finding records: what is read of a question, what answers it, and in which order."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from agentctx.clock import stamp
from agentctx.errors import SearchQueryError
from agentctx.records.dates import take_days
from agentctx.records.model import NewRecord, Replacement
from agentctx.records.question import MOST_TERMS, READ, read_question
from agentctx.records.ranking import (
    MOST_ADDED,
    MOST_POSTINGS,
    MOST_SWING,
    sought,
    weigh,
)
from agentctx.records.ranking import MOST_TERMS as LOOKED_UP
from agentctx.records.read import Moment
from agentctx.records.search import (
    Filters,
    count_records,
    list_records,
    require_query,
    search_records,
)
from agentctx.records.write import (
    add_record,
    pin_record,
    retire_record,
    supersede_record,
)
from tests.agentctx.searched import (
    FACTS,
    OTHER,
    PROJECT,
    keep,
    plain_row,
    prompted,
    titles,
)
from tests.quality.recordsets import Row, fill
from tests.quality.smalltalk import SMALL_TALK
from tests.recorded import START, Ticking, store_at

if TYPE_CHECKING:
    from pathlib import Path

    from agentctx.records.store import Store


@pytest.mark.requirement("A3.1")
@pytest.mark.parametrize(
    ("query", "title"),
    [
        pytest.param("exponential retry", FACTS[0][0], id="inflected words"),
        pytest.param("record store", FACTS[3][0], id="the parts of a name"),
        pytest.param("open_record_store", FACTS[3][0], id="a name whole"),
        pytest.param("recordstore", FACTS[3][0], id="a name in one case"),
        pytest.param("本地时间", FACTS[4][0], id="Chinese"),
        pytest.param("金曜日のデプロイ", FACTS[5][0], id="Japanese"),
        pytest.param("сколько живет кэш", FACTS[6][0], id="Russian"),
    ],
)
def test_a_record_is_found_in_every_script(
    filled: Store, query: str, title: str
) -> None:
    assert titles(filled, query)[0] == title
    assert prompted(filled, query)[:1] == [title]


@pytest.mark.requirement("A3.1")
@pytest.mark.parametrize("language", SMALL_TALK)
def test_small_talk_brings_nothing_up(filled: Store, language: str) -> None:
    assert [said for said in SMALL_TALK[language] if prompted(filled, said)] == []


@pytest.mark.requirement("A3.1")
@pytest.mark.parametrize(
    "prompt",
    [
        "what is the capital of France?",
        "write a poem about a cat on a roof",
        "center the login button on the page",
        "帮我写一首关于春天的诗",
        "the of and to",
    ],
)
def test_a_question_about_something_else_brings_nothing_up(
    filled: Store, prompt: str
) -> None:
    assert prompted(filled, prompt) == []


@pytest.mark.requirement("A3.1")
def test_common_words_beside_a_name_do_not_hide_it(filled: Store) -> None:
    prompt = (
        "Hi again! Sorry, one more thing before I forget. I was wondering, could you"
        " please have a look at why the ledger in SQLite is so slow today? Thanks!"
    )
    assert prompted(filled, prompt) == ["Use SQLite for the ledger"]


@pytest.mark.requirement("A3.1")
def test_a_question_is_read_at_its_two_ends(filled: Store) -> None:
    padding = " ".join(f"padding{number}" for number in range(20_000))
    assert len(padding) > 2 * READ
    assert titles(filled, f"exponential retries {padding}")[:1] == [FACTS[0][0]]
    assert titles(filled, f"{padding} exponential retries")[:1] == [FACTS[0][0]]
    assert titles(filled, f"{padding} exponential retries {padding}") == []


@pytest.mark.requirement("A3.1")
def test_at_most_32_terms_are_looked_up_the_rarest_first() -> None:
    question = read_question(" ".join(f"alpha{n:04}beta" for n in range(3_000)))
    assert len(question.terms) <= MOST_TERMS
    weighed = [weigh(term, df + 1, 5_000) for df, term in enumerate(question.terms)]
    chosen = sought(reversed(weighed)).first
    assert len(chosen) == LOOKED_UP == 32
    dfs = [term.df for term in chosen]
    assert dfs == sorted(dfs)
    assert len({term.asked.text for term in chosen}) == 32


@pytest.mark.requirement("A3.1")
def test_a_named_day_finds_what_was_true_from_then(store: Store) -> None:
    spring = keep(store, "Mood", "It rained.", valid_from="2026-05-02T09:00:00.000Z")
    keep(store, "Other", "It rained.", valid_from="2026-05-03T09:00:00.000Z")
    for query in ("what happened on May 2nd?", "5月2日", "2 мая 2026", "2026-05-02"):
        found = search_records(store, PROJECT, query).results
        assert [one.record.id for one in found] == [spring.id], query
    assert titles(store, "on May 2nd 2025") == []
    with store.writing() as tx:  # the rows are read, indexed or not
        tx.execute("UPDATE records SET title = 'Joy' WHERE id = ?", (spring.id,))
    assert titles(store, "what happened on May 2nd?") == ["Joy"]
    plain_row(store, "Undated", "It rained.")
    assert titles(store, "what happened on May 2nd?") == ["Joy"]


@pytest.mark.requirement("A3.1")
@pytest.mark.parametrize(
    ("text", "days", "rest"),
    [
        ("on May 2nd?", ("05-02",), "on  ?"),
        ("2 May 2023 and March 3", ("2023-05-02", "03-03"), "  and  "),
        ("在2023年5月2号", ("2023-05-02",), "在 "),
        ("5월 2일에", ("05-02",), " 에"),
        ("am 2. März", ("03-02",), "am  "),
        ("le 1er août 2024", ("2024-08-01",), "le  "),
        ("2 de mayo de 2023", ("2023-05-02",), " "),
        ("2 мая", ("05-02",), " "),
        ("since 2026-03-01", ("2026-03-01",), "since 2026-03-01"),
        ("it may 2 times", (), "it may 2 times"),
        ("13月40日 and 2026-13-01", (), "13月40日 and 2026-13-01"),
        ("no day in May", (), "no day in May"),
        ("Python 3.12, 10 files", (), "Python 3.12, 10 files"),
    ],
)
def test_days_are_read_in_many_languages(
    text: str, days: tuple[str, ...], rest: str
) -> None:
    assert take_days(text) == (days, rest)


@pytest.mark.requirement("A3.1")
def test_no_more_days_are_read_than_anybody_asks_about() -> None:
    days, _ = take_days(" ".join(f"2026-01-{day:02}" for day in range(1, 29)))
    assert len(days) == 8


@pytest.mark.requirement("A3.2")
@pytest.mark.parametrize(
    "query",
    [
        'exponential" OR "x',
        "exponential NEAR(retries) AND NOT title:backoff*",
        "exponential\x00retries",
        "'; DROP TABLE records; -- exponential",
        "exponential %_\\ (((( \ud800 {}^",
        '"""exponential"""',
    ],
)
def test_operators_quotes_and_nuls_are_words(filled: Store, query: str) -> None:
    assert FACTS[0][0] in titles(filled, query)
    for table in ("record_terms", "records_fts"):
        with filled.writing() as tx:
            tx.execute(f"DROP TABLE {table}")
        answer = search_records(filled, PROJECT, query)
        assert FACTS[0][0] in [one.record.title for one in answer.results]


@pytest.mark.requirement("A3.2")
def test_what_was_decided_keeps_its_score_and_the_rest_ages(
    store: Store, clock: Ticking
) -> None:
    for kind in ("decision", "convention", "preference", "discovery", "bugfix"):
        keep(store, f"Use the walrus for {kind}", "Walrus everywhere.", type=kind)

    def scores() -> dict[str, int]:
        found = search_records(store, PROJECT, "walrus").results
        return {one.record.type: one.score for one in found}

    fresh = scores()
    clock.tick(timedelta(days=90))
    later = scores()
    assert later["decision"] == fresh["decision"]
    assert later["convention"] == fresh["convention"]
    lost = {kind: 1 - later[kind] / fresh[kind] for kind in fresh}
    assert 0 < lost["preference"] < lost["discovery"]
    assert lost["discovery"] == pytest.approx(lost["bugfix"], abs=0.01)


@pytest.mark.requirement("A3.2", "A2.3")
def test_a_pin_lifts_and_a_guess_sinks(store: Store) -> None:
    guess = keep(store, "Walrus one", "Alike.", confidence="inferred", trust="model")
    said = keep(store, "Walrus two", "Alike.")
    pinned = keep(store, "Walrus six", "Alike.")
    pin_record(store, PROJECT, pinned.id)
    found = search_records(store, PROJECT, "walrus").results
    assert [one.record.id for one in found] == [pinned.id, said.id, guess.id]


@pytest.mark.requirement("A3.2")
def test_no_factor_lifts_a_weak_match_above_a_clearly_better_one(
    store: Store, clock: Ticking
) -> None:
    assert MOST_SWING < 1.5
    strong = keep(
        store,
        "Walrus migration plan",
        "The walrus migration has three steps.",
        type="handover",
        confidence="inferred",
        trust="model",
    )
    clock.tick(timedelta(days=3_000))
    weak = keep(store, "Sea", "A walrus was seen.", type="decision")
    pin_record(store, PROJECT, weak.id)
    found = search_records(store, PROJECT, "walrus migration").results
    assert [one.record.id for one in found] == [strong.id, weak.id]


@pytest.mark.requirement("A3.2")
def test_the_order_is_total_and_the_same_every_time(
    store: Store, clock: Ticking
) -> None:
    ids = [keep(store, f"Walrus {n}", "Alike.").id for n in "abcdefgh"]
    clock.tick(timedelta(days=1_000_000))
    answers = {
        tuple(one.record.id for one in search_records(store, PROJECT, "walrus").results)
        for _ in range(3)
    }
    assert len(answers) == 1
    found = search_records(store, PROJECT, "walrus", limit=3).results
    assert len({one.score for one in found}) == 1
    assert [one.record.id for one in found] == ids[:-4:-1]
    assert all(type(one.score) is int for one in found)
    assert all(one.score > 0 for one in found)


def test_a_search_for_nothing_is_refused_where_somebody_typed_it() -> None:
    require_query("x")
    with pytest.raises(SearchQueryError):
        require_query(" \n")


@pytest.mark.requirement("A1.3")
def test_superseded_records_are_never_found_by_default(store: Store) -> None:
    old = keep(store, "Walrus lives north", "The walrus is in the north.")
    south = Replacement(body="In the south.", source="cli", trust="developer")
    new = supersede_record(store, PROJECT, old.id, south).record
    gone = keep(store, "Walrus eats fish", "It eats fish.")
    retire_record(store, PROJECT, gone.id)
    ended = keep(store, "Walrus sleeps", "It sleeps.")
    with store.writing() as tx:  # the index does not hear of this
        tx.execute(
            "UPDATE records SET superseded_at = ? WHERE id = ?",
            (stamp(store.clock()), ended.id),
        )
    for query in ("walrus", "walrus north fish sleeps"):
        found = search_records(store, PROJECT, query).results
        assert [one.record.id for one in found] == [new.id]
    for table in ("record_terms", "records_fts"):
        with store.writing() as tx:
            tx.execute(f"DROP TABLE {table}")
        found = search_records(store, PROJECT, "walrus").results
        assert [one.record.id for one in found] == [new.id]


@pytest.mark.requirement("A2.7")
def test_a_moment_finds_what_held_then(store: Store, clock: Ticking) -> None:
    old = keep(store, "Walrus lives north", "The walrus is in the north.")
    then = stamp(clock.tick())
    south = Replacement(body="In the south.", source="cli", trust="developer")
    new = supersede_record(store, PROJECT, old.id, south).record
    now = stamp(clock.tick())

    def ids(moment: Moment) -> list[str]:
        filters = Filters(moment=moment)
        found = search_records(store, PROJECT, "walrus", filters=filters).results
        return [one.record.id for one in found]

    assert ids(Moment(as_of=then)) == [old.id]
    assert ids(Moment(as_of=now)) == [new.id]
    assert ids(Moment(valid_at=then)) == [old.id]
    assert ids(Moment(as_of=then, valid_at=now)) == [old.id]
    assert ids(Moment(as_of="2025-01-01T00:00:00.000Z")) == []


@pytest.mark.requirement("A2.5")
def test_a_project_sees_its_own_and_what_holds_everywhere(store: Store) -> None:
    own = keep(store, "Walrus here", "Own.")
    keep(store, "Walrus there", "Another project's.", project=OTHER)
    everywhere = keep(store, "Walrus always", "Global.", scope="global")

    def ids(scope: str | None) -> set[str]:
        filters = Filters(scope=scope)
        found = search_records(store, PROJECT, "walrus", filters=filters).results
        return {one.record.id for one in found}

    assert ids(None) == ids("project") == {own.id, everywhere.id}
    assert ids("global") == {everywhere.id}


def test_filters_keep_a_type_and_a_file(store: Store) -> None:
    new = NewRecord(
        type="bugfix",
        title="Walrus crash",
        body="Fixed.",
        source="cli",
        files=("src/walrus.py",),
    )
    crash = add_record(store, PROJECT, new).record
    for number in range(40):
        keep(store, f"Walrus walrus {number}", "Walrus walrus.")

    def ids(filters: Filters) -> list[str]:
        found = search_records(store, PROJECT, "walrus", filters=filters).results
        return [one.record.id for one in found]

    assert ids(Filters(type="bugfix")) == [crash.id]
    assert ids(Filters(file="./src/walrus.py")) == [crash.id]
    assert ids(Filters(file="src/other.py")) == []
    assert ids(Filters(file="../outside.py")) == []
    assert ids(Filters(file="src/\ud800.py")) == []
    assert ids(Filters(type="handover")) == []


def test_a_search_inside_a_transaction_sees_what_it_wrote(filled: Store) -> None:
    with filled.writing() as tx:
        tx.execute("UPDATE records SET title = 'Walrus' WHERE title = ?", FACTS[0][:1])
        assert titles(filled, "walrus") == ["Walrus"]


def test_a_limit_gives_the_beginning_of_a_longer_answer(store: Store) -> None:
    for number in range(60):
        keep(store, f"Walrus {'walrus ' * (number % 7)}{number}", "Again.")
    all_of_them = titles(store, "walrus", limit=60)
    assert len(all_of_them) == 60
    assert titles(store, "walrus", limit=7) == all_of_them[:7]
    assert titles(store, "walrus", limit=0) == []


def test_the_present_is_that_of_the_clock(tmp_path: Path) -> None:
    early = Ticking(datetime(2020, 1, 1, tzinfo=UTC))
    with store_at(tmp_path / "home", early) as store:
        keep(store, "Walrus", "From a clock that is ahead.")
        early.now -= timedelta(days=400)
        assert titles(store, "walrus") == ["Walrus"]


@pytest.mark.requirement("A3.2")
def test_common_words_are_found_together_in_a_title_among_20_000(
    tmp_path: Path,
) -> None:
    words = ("payment", "invoice", "retry", "ledger", "upload", "queue", "worker")
    pairs = [(a, b) for a in words for b in words if a != b]
    rows = [
        Row(
            str(number),
            PROJECT,
            f"The {a} and the {b} {number}",
            f"Payment, invoice or retry: {a} {a} {b} {b}.",
            START,
        )
        for number in range(20_000)
        for a, b in [pairs[number % len(pairs)]]
    ]
    wanted = {"17": "Retry of an invoice payment", "9000": "Payments, invoices, retry"}
    for key, title in wanted.items():
        rows[int(key)] = rows[int(key)]._replace(title=title, body="See there.")
    filled = fill(tmp_path / "home", rows, now=START)
    with filled.store:
        keys = filled.ours(PROJECT, "payment invoice retry", limit=10, floor="search")
        assert set(keys[:2]) == set(wanted)
        assert len(keys) == 10
        filters = Filters(type="decision")
        found = search_records(filled.store, PROJECT, "payment retry", filters=filters)
        assert found == ((), None)


@pytest.mark.requirement("A3.2")
def test_what_is_read_of_the_index_for_common_words_is_bounded() -> None:
    question = read_question("payment invoice queue ledger upload report", literal=True)
    weighed = [weigh(term, 100_000, 100_000) for term in question.terms]
    asked = sought(weighed, "search")
    assert asked.wide
    assert len(asked.all) == MOST_ADDED + 1
    rarer = [
        weigh(term, 900 * at + 1, 100_000) for at, term in enumerate(question.terms)
    ]
    asked = sought(rarer, "search")
    assert not asked.wide
    assert sum(term.df for term in asked.first) <= MOST_POSTINGS
    assert len(asked.all) == len(question.terms) == MOST_ADDED + 2
    assert sought(rarer).added == []


@pytest.mark.requirement("A3.1")
@pytest.mark.parametrize("query", ["fix", "bugs", "it", "Is it", "The fix", "it is"])
def test_a_search_for_common_words_alone_means_them(filled: Store, query: str) -> None:
    keep(filled, "The fix", "It is for bugs of the list.")
    assert titles(filled, query)[:1] == ["The fix"]
    if query != "bugs":  # a word that names something, however often it does
        assert prompted(filled, query) == []


@pytest.mark.requirement("A3.1")
def test_a_list_has_what_a_search_is_limited_to_the_newest_first(
    store: Store, clock: Ticking
) -> None:
    old = keep(store, "Walrus", "One.", type="bugfix")
    then = stamp(clock.tick())
    two = Replacement(body="Two.", source="cli", trust="developer")
    new = supersede_record(store, PROJECT, old.id, two).record
    other = keep(store, "Seal", "A seal.", type="bugfix", scope="global")
    keep(store, "Of another project", "It is.", type="bugfix", project=OTHER)
    keep(store, "A decision", "It is.", type="decision")

    def ids(filters: Filters, limit: int = 10) -> list[str]:
        found = list_records(store, PROJECT, filters=filters, limit=limit)
        assert found.degraded is None
        return [one.record.id for one in found.results]

    assert ids(Filters(type="bugfix")) == [other.id, new.id]
    assert ids(Filters(type="bugfix"), 1) == [other.id]
    assert ids(Filters(scope="global")) == [other.id]
    assert ids(Filters(type="bugfix", moment=Moment(as_of=then))) == [old.id]
    assert count_records(store, PROJECT, Filters(type="bugfix")) == 2
