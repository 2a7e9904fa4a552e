"""One request: what it may search and read, and what that costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from agentctx.errors import MemoryContractError
from agentctx.memory.clipping import api_tokens
from agentctx.memory.mapping import hit_block
from agentctx.memory.model import ItemId
from agentctx.memory.pools import RequestState, parse_state, state_text
from agentctx.memory.recall import open_recall, policy_for, read, refresh, search
from agentctx.memory.refusals import (
    RecallItemError,
    RecallMismatchError,
    RecallPoolError,
    RecallQuotaError,
    RecallTextError,
)
from corpus.sqlite import transaction
from corpus.tokens import injection_tokens
from tests.agentctx.memory.recalled import (
    OTHER_THREAD,
    THREAD,
    asking,
    discussion,
    item,
    memory_of,
    store_source,
    subjects,
)

if TYPE_CHECKING:
    from pathlib import Path

    from agentctx.memory.model import Item, RecallPolicy
    from corpus.sqlite import Db

AMPLE = 100_000


def ordinary(recall: int = AMPLE, mapped: int = AMPLE) -> RecallPolicy:
    return policy_for("ordinary", THREAD, recall=recall, mapped=mapped)


def walruses(count: int) -> list[Item]:
    return [item(n, f"walrus {n}", f"Walrus {n} sleeps.") for n in range(count)]


def begun(recall: int = AMPLE, text: str = "") -> RequestState:
    return RequestState(asking(text), ordinary(recall))


def taught(db: Db, one: Item, *quotes: str) -> None:
    with transaction(db) as tx:
        for sequence, quote in enumerate(quotes, start=1):
            store_source(tx, one, sequence, quote)


@pytest.mark.requirement("M6.4(c)")
def test_a_search_gives_eight_items_at_most(tmp_path: Path) -> None:
    with memory_of(tmp_path, walruses(30)) as db:
        _, answer = search(db, begun(), "walrus", api_tokens)
    assert len(answer.hits) == 8


@pytest.mark.requirement("M6.4(c)", "M11.2")
def test_an_answered_search_also_gives_what_may_answer_and_a_map_does_not(
    tmp_path: Path,
) -> None:
    told = [
        item(0, "release branch", "Releases are cut from the release branch."),
        item(1, "hiking", "We plan to visit the coast.", keywords=["recent"]),
        item(2, "lunch", "Lunch is at noon."),
    ]
    asked = "what is our recent release branch"
    with memory_of(tmp_path, told) as db:
        _, answer = search(db, begun(), asked, api_tokens)
        _, alone = search(db, begun(), "what happened in recent years", api_tokens)
        _, shown = open_recall(db, asking(asked), ordinary(), api_tokens)
    assert [hit.subject for hit in answer.hits] == ["release branch", "hiking"]
    assert alone.hits == ()
    assert [entry.subject for entry in shown.entries] == ["release branch"]


@pytest.mark.requirement("M6.4(d)")
def test_a_fifth_different_search_is_refused_and_a_repeated_one_is_free(
    tmp_path: Path,
) -> None:
    with memory_of(tmp_path, walruses(3)) as db:
        state = begun()
        for text in ("walrus 0", "walrus 1", "walrus 2", "nothing like it"):
            state, _ = search(db, state, text, api_tokens)
        with pytest.raises(RecallQuotaError):
            search(db, state, "walrus", api_tokens)
        again, answer = search(db, state, "  WALRUS 1!", api_tokens)
    assert again == state
    assert subjects(answer.hits)[0] == "walrus 1"


@pytest.mark.requirement("M6.4(a)")
def test_a_search_asks_for_the_words_of_its_request_too(tmp_path: Path) -> None:
    items = [item(1, "line length", keywords=["E501"]), item(2, "walrus")]
    query = asking(rule_id="E501")
    with memory_of(tmp_path, items) as db:
        _, answer = search(db, RequestState(query, ordinary()), "walrus", api_tokens)
    assert subjects(answer.hits) == ["walrus", "line length"]


@pytest.mark.requirement("M6.4(a)")
@pytest.mark.parametrize("text", ["", "  \n", "?!…", "\u200b"])
def test_a_search_without_a_word_is_refused(tmp_path: Path, text: str) -> None:
    with memory_of(tmp_path, []) as db, pytest.raises(RecallTextError):
        search(db, begun(), text, api_tokens)


@pytest.mark.requirement("M6.5(a)", "M6.5(a)")
def test_reading_gives_the_item_and_its_newest_words_first(tmp_path: Path) -> None:
    one = item(1, "walrus", "The walrus sleeps.", "It sleeps until noon.")
    with memory_of(tmp_path, [one]) as db:
        taught(db, one, "oldest", "older", "newer " + "x" * 900, "newest")
        state, _ = search(db, begun(), "walrus", api_tokens)
        after, detail = read(db, state, one.id, api_tokens)
    assert "> It sleeps until noon." in detail.text
    assert detail.text.index("newest") < detail.text.index("newer")
    assert detail.text.index("newer") < detail.text.index("older")
    assert "oldest" not in detail.text
    assert "x" * 800 not in detail.text
    assert after.spent_tokens == state.spent_tokens + detail.tokens


@pytest.mark.requirement("M6.5(a)")
def test_reading_gives_the_whole_of_the_longest_content(tmp_path: Path) -> None:
    one = item(1, "walrus", "s", "#" * 4_000)
    with memory_of(tmp_path, [one]) as db:
        state, _ = search(db, begun(), "walrus", api_tokens)
        _, detail = read(db, state, one.id, api_tokens)
    assert detail.text.count("#") == 4_000


@pytest.mark.requirement("M6.5(b)")
def test_a_ninth_item_is_not_read_and_a_repeated_one_is_free(tmp_path: Path) -> None:
    items = walruses(10)
    with memory_of(tmp_path, items) as db:
        state, _ = open_recall(db, asking("walrus"), ordinary(), api_tokens)
        assert len(state.readable) == 10
        for one in items[:8]:
            state, detail = read(db, state, one.id, api_tokens)
        with pytest.raises(RecallQuotaError):
            read(db, state, items[8].id, api_tokens)
        again, repeated = read(db, state, items[7].id, api_tokens)
    assert (again, repeated) == (state, detail)


@pytest.mark.requirement("M6.5(b)")
def test_map_searches_and_reads_share_one_pool(tmp_path: Path) -> None:
    with memory_of(tmp_path, walruses(6)) as db:
        state, shown = open_recall(
            db, asking("walrus"), ordinary(1_000, 300), api_tokens
        )
        assert 0 < shown.tokens <= 300
        assert state.left == 1_000 - shown.tokens
        state, answer = search(db, state, "walrus sleeps", api_tokens)
        cost = sum(api_tokens(hit_block(hit)) for hit in answer.hits)
        assert state.left == 1_000 - shown.tokens - cost
        state, detail = read(db, state, answer.hits[0].id, api_tokens)
    assert state.left == 1_000 - shown.tokens - cost - detail.tokens


@pytest.mark.requirement("M6.5(b)")
def test_hits_that_the_pool_does_not_hold_are_left_out(tmp_path: Path) -> None:
    items = [item(1, "walrus", "w" * 900), item(2, "walrus two", "short")]
    with memory_of(tmp_path, items) as db:
        _, whole = search(db, begun(), "walrus two", api_tokens)
        assert len(whole.hits) == 2
        state, few = search(db, begun(100), "walrus two", api_tokens)
    assert [hit.statement for hit in few.hits] == ["short"]
    assert items[0].id not in state.readable
    assert 0 <= state.left <= 100


@pytest.mark.requirement("M6.5(b)")
def test_a_detail_that_is_too_large_is_cut_and_cut_the_same_again(
    tmp_path: Path,
) -> None:
    one = item(1, "walrus", "The walrus sleeps.", "word " * 700)
    with memory_of(tmp_path, [one]) as db:
        taught(db, one, "it was said once", "q" * 1_900)
        state, _ = search(db, begun(600), "walrus", api_tokens)
        after, detail = read(db, state, one.id, api_tokens)
        assert detail.tokens <= state.left
        assert after.left == state.left - detail.tokens
        assert "…" in detail.text
        assert read(db, after, one.id, api_tokens) == (after, detail)
    lines = detail.text.split("\n")
    assert all(line.startswith("> ") for line in lines if "word" in line)


@pytest.mark.requirement("M6.5(b)")
def test_a_frame_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    one = item(1, "walrus")
    with memory_of(tmp_path, [one]) as db:
        state, _ = search(db, begun(80), "walrus", api_tokens)
        assert state.readable == (one.id,)
        with pytest.raises(RecallPoolError):
            read(db, state, one.id, api_tokens)


@pytest.mark.requirement("C8", "M6.5(a)")
def test_what_is_not_to_be_had_is_refused_in_the_same_words(tmp_path: Path) -> None:
    shown, hidden = item(1, "walrus"), item(2, "pelican")
    talk = discussion(3, "giraffe")
    placed = item(4, "lion", applies_to_paths=["src"])
    with memory_of(tmp_path, [shown, hidden, talk, placed]) as db:
        state, _ = search(db, begun(), "walrus", api_tokens)
        review = RequestState(
            asking(profile="review"),
            policy_for("review", THREAD, recall=AMPLE, mapped=0),
            readable=(talk.id, placed.id, shown.id),
        )
        other = review._replace(
            policy=policy_for("ordinary", OTHER_THREAD, recall=AMPLE, mapped=0)
        )
        tries = [
            (state, hidden.id),
            (state, ItemId("memory_" + "9" * 32 + "_r1")),
            (state, ItemId("' OR 1=1 --\ud800")),
            (review, talk.id),
            (review, placed.id),
            (other, talk.id),
        ]
        with transaction(db) as tx:
            tx.execute(
                "UPDATE memory_items SET status = 'forgotten' WHERE id = ?", (shown.id,)
            )
        tries.append((state, shown.id))
        said = set()
        for asked, item_id in tries:
            with pytest.raises(RecallItemError) as refused:
                read(db, asked, item_id, api_tokens)
            said.add((str(refused.value), refused.value.code, *refused.value.facts))
    assert len(said) == 1


@pytest.mark.requirement("C8")
def test_a_repeated_search_does_not_bring_back_what_is_forgotten(
    tmp_path: Path,
) -> None:
    one = item(1, "walrus")
    with memory_of(tmp_path, [one]) as db:
        state, _ = search(db, begun(), "walrus", api_tokens)
        with transaction(db) as tx:
            tx.execute("UPDATE memory_items SET status = 'forgotten'")
        again, answer = search(db, state, "walrus", api_tokens)
    assert (again, answer.hits, answer.text) == (state, (), "")


@pytest.mark.requirement("M7.0", "M7.1(b)", "M7.2(b)", "M6.1(b)", "M3.7(a)")
def test_a_review_sees_what_holds_for_the_project_and_no_discussion(
    tmp_path: Path,
) -> None:
    items = [
        discussion(1, "walrus talk"),
        item(2, "walrus rule"),
        item(3, "walrus always", recall_mode="always"),
        item(4, "walrus wish", kind="user_preference"),
        item(5, "walrus elsewhere", applies_to_paths=["docs"]),
    ]
    whole = {"walrus rule", "walrus always", "walrus wish"}
    with memory_of(tmp_path, items) as db:
        for profile, thread, expected in (
            ("ordinary", THREAD, whole | {"walrus talk"}),
            ("ordinary", OTHER_THREAD, whole),
            ("review", THREAD, whole),
        ):
            policy = policy_for(profile, thread, recall=AMPLE, mapped=AMPLE)  # type: ignore[arg-type]
            query = asking("walrus", "src/a.py", profile=profile, thread_id=thread)
            state, shown = open_recall(db, query, policy, api_tokens)
            _, answer = search(db, state, "walrus", api_tokens)
            assert set(subjects(shown.entries)) == expected
            assert set(subjects(answer.hits)) == expected
            assert set(state.readable) == {entry.id for entry in shown.entries}


@pytest.mark.requirement("M7.2(c)", "M7.1(b)")
def test_what_a_profile_may_be_told() -> None:
    one = policy_for("ordinary", THREAD, recall=10, mapped=5)
    two = policy_for("review", THREAD, recall=10, mapped=5)
    assert one.allowed_kinds == two.allowed_kinds | {"discussion_context"}
    assert one.allow_recent_history
    assert one.allow_thread_checkpoint
    assert one.allow_discussion
    assert not two.allow_recent_history
    assert not two.allow_thread_checkpoint
    assert not two.allow_discussion


@pytest.mark.requirement("M7.0")
@pytest.mark.parametrize(
    "changed", [{"profile": "review"}, {"thread_id": OTHER_THREAD}]
)
def test_a_query_of_another_profile_or_thread_is_refused(
    tmp_path: Path, changed: dict[str, str]
) -> None:
    with memory_of(tmp_path, []) as db, pytest.raises(RecallMismatchError) as refused:
        open_recall(db, asking(**changed), ordinary(), api_tokens)
    assert isinstance(refused.value, MemoryContractError)


@pytest.mark.requirement("C9", "M6.5(b)")
def test_the_next_step_makes_the_map_within_what_is_left_and_forgets_no_id(
    tmp_path: Path,
) -> None:
    with memory_of(tmp_path, walruses(6)) as db:
        state, first = open_recall(db, asking("walrus"), ordinary(700, 400), api_tokens)
        state, _ = search(db, state, "walrus sleeps", api_tokens)
        before = state.readable
        state, second = refresh(db, state, api_tokens)
        assert state.map_tokens == second.tokens
        assert second.tokens + state.spent_tokens <= 700
        assert set(before) <= set(state.readable)
        assert len(second.entries) <= len(first.entries)
        with transaction(db) as tx:
            tx.execute("UPDATE memory_items SET status = 'superseded'")
        state, third = refresh(db, state, api_tokens)
    assert third.entries == ()
    assert set(before) <= set(state.readable)


@pytest.mark.requirement("M3.8(a)", "M7.0")
def test_a_state_comes_back_from_its_text_as_it_was(tmp_path: Path) -> None:
    query = asking("walrus \ud800 'x'", "src/a.py", rule_id="E501")
    with memory_of(tmp_path, walruses(3)) as db:
        state, _ = open_recall(db, query, ordinary(), injection_tokens)
        state, _ = search(db, state, "walrus 1", injection_tokens)
        state, _ = read(db, state, state.readable[0], injection_tokens)
    assert parse_state(state_text(state)) == state
    state_text(state).encode("utf-8")


def test_a_search_of_any_length_is_kept_by_a_short_key(tmp_path: Path) -> None:
    with memory_of(tmp_path, walruses(2)) as db:
        state, _ = search(db, begun(), "walrus " * 30_000, api_tokens)
        state, _ = search(db, state, "walrus " * 30_001, api_tokens)
    assert len(state.searches) == 2
    assert all(len(one.key) <= 160 for one in state.searches)
