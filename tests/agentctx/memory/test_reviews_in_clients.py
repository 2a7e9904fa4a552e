"""Reviews of outside clients: what their turns are about and may be told (M7.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from agentctx.memory.clipping import api_tokens
from agentctx.memory.hosted import OWNER, Begun, Prompt, begin, complete, leave
from agentctx.memory.model import ReviewItem
from agentctx.memory.recall import read, search
from agentctx.memory.refusals import MemoryRuleError
from agentctx.memory.requests import request_state
from agentctx.memory.threads import active_thread, write_checkpoint
from agentctx.memory.underreview import (
    MESSAGE_CHARACTERS,
    MOST_ITEMS,
    StoredReview,
    review_of,
    start_review,
    stop_review,
)
from tests.agentctx.memory.memories import memory_at
from tests.agentctx.memory.recalled import discussion, item, store_item, subjects

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from agentctx.memory.pools import RequestState
    from agentctx.memory.store import MemoryStore
    from tests.recorded import Ticking

SESSION = "window-one"
RIVER = ReviewItem("f1", "src/river.py", "E501", "line too long")
GAUGE = ReviewItem("f10", "src/gauge.py")
HERE = item(1, "walrus here", applies_to_paths=["src/river.py"])
ELSEWHERE = item(2, "walrus elsewhere", applies_to_paths=["docs"])
ANYWHERE = item(3, "walrus anywhere", kind="user_preference", recall_mode="always")
TALK = discussion(4, "walrus talk")


@pytest.fixture
def memory(project: Path, clock: Ticking) -> Iterator[MemoryStore]:
    with memory_at(project, clock, owner=OWNER) as opened:
        thread = active_thread(opened.db)
        with opened.writing() as writing:
            for one in (HERE, ELSEWHERE, ANYWHERE, TALK._replace(thread_id=thread)):
                store_item(writing.tx, one)
        yield opened


def started(memory: MemoryStore, *items: ReviewItem, run: str = "run-7") -> None:
    with memory.writing() as writing:
        start_review(writing, SESSION, run, items)


def stopped(memory: MemoryStore) -> bool:
    with memory.writing() as writing:
        return stop_review(writing, SESSION)


def prompted(memory: MemoryStore, text: str, session: str = SESSION) -> Begun:
    asked = Prompt(session, text, map_tokens=1_000, checkpoint_tokens=500)
    with memory.writing() as writing:
        return begin(writing, asked)


def state(memory: MemoryStore, begun: Begun) -> RequestState:
    kept = request_state(memory.db, begun.turn.id)
    assert kept is not None
    return kept


@pytest.mark.requirement("M5.5(b)", "M7.2(a)", "H3")
def test_a_turn_in_a_review_has_the_evidence_and_the_paths_of_what_it_names(
    memory: MemoryStore,
) -> None:
    started(memory, RIVER, GAUGE)
    whole = prompted(memory, "Go through all of it.").turn
    assert whole.profile == "review"
    assert whole.evidence_keys == ("run-7:f1", "run-7:f10")
    assert whole.scope_paths == ("src/river.py", "src/gauge.py")
    for text, key in (
        ("Why f1?", "run-7:f1"),
        ("f10: no.", "run-7:f10"),
        ("src/gauge.py is right", "run-7:f10"),
        ("请看f1的问题", "run-7:f1"),
    ):
        assert prompted(memory, text).turn.evidence_keys == (key,), text
    kept = state(memory, prompted(memory, "Why f1?"))
    assert kept.query.bound_item_id == "f1"
    assert (kept.query.rule_id, kept.query.item_path) == ("E501", "src/river.py")
    assert kept.query.item_message == "line too long"


@pytest.mark.requirement("M5.5(b)")
@pytest.mark.parametrize(
    ("text", "named"),
    [
        pytest.param("fix it in all 3 places", (), id="a number in prose"),
        pytest.param("#3 is wrong", ("3",), id="a number that is meant"),
        pytest.param("#30 is wrong", (), id="another number"),
        pytest.param("in a/b.py.", ("f1",), id="the end of a sentence"),
        pytest.param("in a/b.pyc", (), id="another file"),
        pytest.param("in x/a/b.py", (), id="a file elsewhere"),
        pytest.param("f1-b and xf1", (), id="longer names"),
    ],
)
def test_a_name_counts_as_a_whole(text: str, named: tuple[str, ...]) -> None:
    items = (ReviewItem("f1", "a/b.py"), ReviewItem("3", "c.py"))
    found = StoredReview("s", "r", items).about(text)
    assert tuple(one.item_id for one in found) == (named or ("f1", "3"))


@pytest.mark.requirement("M7.2(b)", "M7.2(c)")
def test_a_review_is_told_what_holds_for_its_files_and_nothing_that_was_said(
    memory: MemoryStore,
) -> None:
    prompted(memory, "The walrus is a secret of ours.")
    complete(memory, SESSION, "Understood.")
    with memory.writing() as writing:
        write_checkpoint(writing, active_thread(writing.tx), "Walrus talk.", sequence=1)
    ordinary = prompted(memory, "walrus")
    assert ordinary.checkpoint == "Walrus talk."
    assert set(subjects(ordinary.map.entries)) == {"walrus anywhere", "walrus talk"}
    started(memory, RIVER)
    begun = prompted(memory, "walrus")
    assert begun.checkpoint == ""
    expected = {"walrus here", "walrus anywhere"}
    assert set(subjects(begun.map.entries)) == expected
    after, answer = search(
        memory.db, state(memory, begun), "walrus talk secret elsewhere", api_tokens
    )
    assert set(subjects(answer.hits)) == expected
    assert set(after.readable) == {HERE.id, ANYWHERE.id}
    assert not after.policy.allow_recent_history
    for one in (HERE, ANYWHERE):
        _, detail = read(memory.db, after, one.id, api_tokens)
        assert "secret of ours" not in detail.text


@pytest.mark.requirement("H3", "M7.2(a)")
def test_the_profile_of_a_turn_is_fixed_where_it_begins(memory: MemoryStore) -> None:
    started(memory, RIVER)
    begun = prompted(memory, "walrus")
    before = state(memory, begun)
    assert stopped(memory)
    assert state(memory, begun) == before
    assert before.policy.profile == "review"
    ended = complete(memory, SESSION, "Done.")
    assert ended is not None
    assert (ended.profile, ended.evidence_keys) == ("review", ("run-7:f1",))
    following = prompted(memory, "walrus")
    assert following.turn.profile == "ordinary"
    started(memory, RIVER)
    assert state(memory, following).policy.profile == "ordinary"
    assert prompted(memory, "walrus").turn.profile == "review"


@pytest.mark.requirement("H3")
def test_a_review_is_of_one_session_and_ends_with_it(memory: MemoryStore) -> None:
    started(memory, RIVER)
    assert prompted(memory, "walrus", "window-two").turn.profile == "ordinary"
    started(memory, GAUGE, run="run-8")
    assert prompted(memory, "walrus").turn.evidence_keys == ("run-8:f10",)
    leave(memory, SESSION)
    assert review_of(memory.db, SESSION) is None
    assert prompted(memory, "walrus").turn.profile == "ordinary"
    assert not stopped(memory)


@pytest.mark.requirement("M1.6(a)", "M7.2(a)")
def test_a_review_of_many_files_has_ten_of_them_in_its_scope(
    memory: MemoryStore,
) -> None:
    started(memory, *(ReviewItem(f"f{n}", f"src/{n}.py") for n in range(MOST_ITEMS)))
    turn = prompted(memory, "Go through all of it.").turn
    assert turn.scope_paths == tuple(f"src/{n}.py" for n in range(10))
    assert len(turn.evidence_keys) == MOST_ITEMS


@pytest.mark.requirement("C12", "M7.2(b)")
def test_an_item_is_kept_as_paths_are_named_in_a_project(memory: MemoryStore) -> None:
    paths = ("./src/a.py", "src\\b.py", "src//c/./d.py/", ".\\e.py")
    started(memory, *(ReviewItem(f"f{n}", path) for n, path in enumerate(paths)))
    review = review_of(memory.db, SESSION)
    assert review is not None
    kept = [one.path for one in review.items]
    assert kept == ["src/a.py", "src/b.py", "src/c/d.py", "e.py"]


@pytest.mark.requirement("M5.5(b)")
def test_what_a_tool_reports_at_length_is_cut(memory: MemoryStore) -> None:
    started(memory, RIVER._replace(rule_id="r" * 500, message="m" * 5_000))
    review = review_of(memory.db, SESSION)
    assert review is not None
    (one,) = review.items
    assert (len(one.rule_id), len(one.message)) == (200, MESSAGE_CHARACTERS)


BAD_PATHS = (
    *("", ".", "./", "/etc/passwd", "//server/x", "..", "src/../../x", "..\\x"),
    *("C:\\x.py", "c:/x.py", "./C:/x", ".agentctx/memory.db", ".AgentCtx/memory.db"),
    *(".\\.agentctx\\x", ".//.agentctx/x", "src/\x00.py", "src/\n.py", "x" * 401),
)
BAD: list[tuple[str, str, tuple[ReviewItem, ...], str, str]] = [
    ("", "r", (), "session", "1 to 200"),
    ("s" * 201, "r", (), "session", "1 to 200"),
    ("s", "", (), "review_run", "run's name"),
    ("s", " ", (), "review_run", "run's name"),
    ("s", "a:b", (), "review_run", "no colon"),
    ("s", "r" * 101, (), "review_run", "100"),
    ("s", "r\nq", (), "review_run", "shown"),
    ("s", "r", (RIVER, RIVER), "review_item_twice", "item 2 has the id of item 1"),
    ("s", "r", (RIVER, GAUGE._replace(item_id="")), "review_item", "item 2"),
    ("s", "r", (GAUGE._replace(item_id="x" * 199),), "review_item", "1 to 198"),
    ("s", "r", (GAUGE._replace(item_id="a\tb"),), "review_item", "item 1"),
    ("s", "r", (RIVER,) * 201, "review_items", "at most 200"),
    *(
        ("s", "r", (RIVER, GAUGE._replace(path=path)), "review_item", "item 2: its")
        for path in BAD_PATHS
    ),
]


@pytest.mark.requirement("H3", "C12", "M5.5(b)")
def test_a_review_that_is_none_is_refused_with_the_place_of_what_is_wrong(
    memory: MemoryStore,
) -> None:
    for session, run, items, rule, words in BAD:
        with pytest.raises(MemoryRuleError) as caught, memory.writing() as writing:
            start_review(writing, session, run, items)
        assert caught.value.facts["rule"] == rule, (session, run, items)
        assert words in str(caught.value)
    assert review_of(memory.db, "s") is None
