"""What is found, what is not, and in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from agentctx.memory.clipping import api_tokens
from agentctx.memory.pools import RequestState
from agentctx.memory.ranking import specificity
from agentctx.memory.recall import open_recall, policy_for, search
from agentctx.memory.recallindex import index_item, unindex_item
from corpus.sqlite import transaction
from tests.agentctx.memory.recalled import (
    NOON,
    THREAD,
    asking,
    item,
    memory_of,
    subjects,
)

if TYPE_CHECKING:
    from pathlib import Path

    from agentctx.memory.mapping import Hit, Map
    from agentctx.memory.model import Item
    from corpus.sqlite import Db

POLICY = policy_for("ordinary", THREAD, recall=100_000, mapped=50_000)


def mapped(db: Db, text: str = "", *paths: str, **fields: str) -> Map:
    return open_recall(db, asking(text, *paths, **fields), POLICY, api_tokens)[1]


def found(db: Db, text: str, *paths: str, **fields: str) -> tuple[Hit, ...]:
    state = RequestState(asking("", *paths, **fields), POLICY)
    return search(db, state, text, api_tokens)[1].hits


def lone(folder: Path, one: Item, text: str) -> list[str]:
    """Ask a memory of one item; give why it was found."""
    with memory_of(folder, [one]) as db:
        return [hit.match_type for hit in found(db, text)]


@pytest.mark.requirement("M6.0", "M6.1(a)", "M6.1(a)")
def test_what_always_applies_needs_no_word_of_the_request(tmp_path: Path) -> None:
    items = [
        item(1, "answer style", recall_mode="always"),
        item(2, "naming", recall_mode="always", applies_to_paths=["src"]),
        item(3, "pagination"),
    ]
    with memory_of(tmp_path, items) as db:
        here = mapped(db, "hello", "src/a.py")
        there = mapped(db, "hello", "docs/a.md")
    assert [(one.subject, one.lane) for one in here.entries] == [
        ("naming", "standing"),
        ("answer style", "standing"),
    ]
    assert subjects(there.entries) == ["answer style"]


@pytest.mark.requirement("M6.1(a)")
def test_a_search_finds_what_always_applies_only_by_its_words(tmp_path: Path) -> None:
    with memory_of(tmp_path, [item(1, "answer style", recall_mode="always")]) as db:
        assert found(db, "pagination of lists") == ()
        assert [hit.match_type for hit in found(db, "answer style")] == ["subject"]


@pytest.mark.requirement("M6.2(a)")
@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param("how is pagination of listings done", "subject", id="subject"),
        pytest.param("which paging scheme", "alias_or_keyword", id="alias"),
        pytest.param("E501", "alias_or_keyword", id="rule id"),
        pytest.param("opaque token for walrus", "content_terms", id="two words of it"),
    ],
)
def test_why_an_item_is_found(tmp_path: Path, text: str, why: str) -> None:
    one = item(
        1,
        "pagination of listings",
        "Listings use an opaque token, as the walrus does.",
        aliases=["paging scheme"],
        keywords=["E501"],
    )
    assert lone(tmp_path, one, text) == [why]


@pytest.mark.requirement("M6.2(a)")
def test_the_rule_of_a_review_item_is_a_word_of_the_request(tmp_path: Path) -> None:
    with memory_of(tmp_path, [item(1, "line length", keywords=["E501"])]) as db:
        assert subjects(mapped(db, rule_id="E501").entries) == ["line length"]
        assert mapped(db, rule_id="F401").entries == ()


@pytest.mark.requirement("M6.2(b)", "M6.6")
def test_neither_a_path_nor_an_age_is_enough(tmp_path: Path) -> None:
    items = [
        item(1, "pagination", applies_to_paths=["src/a.py"]),
        item(2, "retries", updated_at="2030-01-01T00:00:00.000Z"),
    ]
    with memory_of(tmp_path, items) as db:
        shown = mapped(db, "tell me about walruses", "src/a.py")
        assert (shown.entries, shown.text, shown.tokens) == ((), "", 0)
        assert found(db, "walruses", "src/a.py") == ()


@pytest.mark.requirement("M6.2(a)")
def test_one_word_of_what_an_item_says_is_not_enough(tmp_path: Path) -> None:
    one = item(1, "pagination", "Listings use an opaque token.")
    assert lone(tmp_path, one, "opaque walrus") == []


@pytest.mark.requirement("M11.1")
def test_a_subject_is_not_named_by_any_one_of_its_words(tmp_path: Path) -> None:
    one = item(1, "release branch protection policy")
    assert lone(tmp_path, one, "which policy does the library have on fines") == []
    assert lone(tmp_path / "b", one, "protection of the release branch") == ["subject"]


@pytest.mark.requirement("M6.2(a)")
def test_the_order_is_path_then_subject_then_name_then_words(tmp_path: Path) -> None:
    said = "The walrus token is opaque."
    items = [
        item(1, "by words", said),
        item(2, "by alias", said, aliases=["walrus token"]),
        item(3, "walrus token", said),
        item(4, "by path", said, applies_to_paths=["src"]),
        item(5, "by longer path", said, applies_to_paths=["src/deep"]),
    ]
    with memory_of(tmp_path, items) as db:
        hits = found(db, "opaque walrus token", "src/deep/a.py")
    assert subjects(hits) == [
        "by longer path",
        "by path",
        "walrus token",
        "by alias",
        "by words",
    ]


@pytest.mark.requirement("M6.2(a)")
def test_what_matches_alike_is_ordered_by_origin_strength_age_and_id(
    tmp_path: Path,
) -> None:
    newer = "2026-04-01T00:00:00.000Z"
    soft = {"strength": "soft"}
    guessed = {**soft, "origin": "inferred_repetition", "kind": "user_preference"}
    items = [
        item(1, "walrus", "one", "x", **guessed, updated_at=newer),
        item(2, "walrus", "two", "x", origin="adopted_proposal"),
        item(3, "walrus", "three", "x", **soft, updated_at=newer),
        item(4, "walrus", "four", "x", updated_at=NOON),
        item(5, "walrus", "five", "x", updated_at=newer),
        item(6, "walrus", "six", "x", updated_at=newer),
    ]
    with memory_of(tmp_path, items) as db:
        order = [hit.statement for hit in found(db, "walrus")]
    assert order == ["five", "six", "four", "three", "two", "one"]


@pytest.mark.requirement("M6.3(a)", "M6.3(a)", "M11.2")
@pytest.mark.parametrize(
    ("one", "text"),
    [
        pytest.param(
            item(1, "数据库迁移"), "我们之前说的数据库迁移怎么做", id="subject"
        ),
        pytest.param(
            item(1, "x1", "y", aliases=["缓存失效"]), "请问缓存失效多久发生", id="alias"
        ),
        pytest.param(
            item(1, "x1", "y", keywords=["计费"]),
            "合并到计费模块要注意什么",
            id="keyword",
        ),
        pytest.param(
            item(1, "x1", "部署之前必须备份磁盘"), "磁盘坏了能部署吗", id="two words"
        ),
        pytest.param(item(1, "セッション管理"), "セッション管理はどうなる", id="kana"),
        pytest.param(item(1, "배포 시간대"), "배포 시간대가 언제인가요", id="Hangul"),
        pytest.param(item(1, "ฐานข้อมูล"), "ใช้ฐานข้อมูลอะไร", id="Thai"),
        pytest.param(item(1, "RecordStore"), "the record store leaks", id="name"),
        pytest.param(item(1, "резервные копии"), "где резервная копия?", id="Russian"),
    ],
)
def test_a_run_without_spaces_finds_what_stands_in_it(
    tmp_path: Path, one: Item, text: str
) -> None:
    assert len(lone(tmp_path, one, text)) == 1


@pytest.mark.requirement("M6.3(b)")
def test_a_run_that_shares_one_pair_finds_nothing(tmp_path: Path) -> None:
    one = item(1, "数据库迁移", "数据库迁移在夜里做")
    assert lone(tmp_path, one, "数据分析师的午餐吃了面条") == []


@pytest.mark.requirement("M5.2(d)")
def test_english_words_find_a_decision_made_in_chinese(tmp_path: Path) -> None:
    one = item(
        1,
        "旧 memory schema",
        "旧 memory schema 不兼容，直接删除。",
        aliases=["backward compatibility", "delete legacy schema"],
    )
    assert lone(tmp_path, one, "backward compatibility") == ["alias_or_keyword"]


@pytest.mark.requirement("M6.0")
def test_the_same_question_gives_the_same_answer(tmp_path: Path) -> None:
    items = [item(n, f"walrus {n}", "opaque token") for n in range(40)]
    with (
        memory_of(tmp_path / "a", items) as one,
        memory_of(tmp_path / "b", reversed(items)) as two,
    ):
        assert found(one, "opaque walrus token") == found(two, "opaque walrus token")
        assert mapped(one, "opaque walrus") == mapped(two, "opaque walrus")


def test_what_is_taken_out_of_the_index_or_no_longer_active_is_not_found(
    tmp_path: Path,
) -> None:
    items = [item(1, "walrus one"), item(2, "walrus two", status="superseded")]
    with memory_of(tmp_path, items) as db:
        assert subjects(found(db, "walrus one two")) == ["walrus one"]
        with transaction(db) as tx:
            unindex_item(tx, items[0].id)
        assert found(db, "walrus one two") == ()
        with transaction(db) as tx:
            index_item(tx, items[0])
            index_item(tx, items[0])
        assert subjects(found(db, "walrus one two")) == ["walrus one"]


@pytest.mark.parametrize(
    ("paths", "asked", "expected"),
    [
        pytest.param((), (), 0, id="everywhere"),
        pytest.param(("src",), (), None, id="no path asked"),
        pytest.param(("src",), ("src",), 3, id="the same"),
        pytest.param(("src",), ("src/a/b.py",), 3, id="below"),
        pytest.param(("src",), ("srcs/a.py",), None, id="no folder above"),
        pytest.param(("src/a.py",), ("src",), None, id="above"),
        pytest.param(("src", "src/a"), ("src/a/b.py",), 5, id="the longest"),
        pytest.param(("./src/",), ("src\\a.py",), 3, id="written otherwise"),
        pytest.param((".",), ("a.py",), 0, id="the root"),
    ],
)
def test_how_specific_an_item_is(
    paths: tuple[str, ...], asked: tuple[str, ...], expected: int | None
) -> None:
    assert specificity(paths, asked) == expected


@pytest.mark.requirement("M6.0")
@pytest.mark.parametrize("field", ["item_path", "target_path"])
def test_every_path_of_a_request_counts(tmp_path: Path, field: str) -> None:
    with memory_of(tmp_path, [item(1, "walrus", applies_to_paths=["src"])]) as db:
        assert found(db, "walrus") == ()
        assert len(found(db, "walrus", **{field: "src/a.py"})) == 1


@pytest.mark.requirement("M11.2")
def test_a_question_reads_a_bounded_part_of_a_large_memory(tmp_path: Path) -> None:
    def steps(count: int) -> int:
        items = (
            item(n, f"walrus token {n}", f"Opaque walrus number {n} of the listing.")
            for n in range(count)
        )
        taken = 0

        def step() -> int:
            nonlocal taken
            taken += 1
            return 0

        with memory_of(tmp_path / str(count), items) as db:
            db.set_progress_handler(step, 100)
            hits = found(db, f"opaque walrus token {count - 1} of the listing")
            db.set_progress_handler(None, 0)
        assert subjects(hits)[0] == f"walrus token {count - 1}"
        return taken

    assert steps(8_000) <= 1.25 * steps(4_000)


@pytest.mark.requirement("C2", "M6.6")
def test_an_empty_memory_answers_nothing_and_is_well(tmp_path: Path) -> None:
    with memory_of(tmp_path, []) as db:
        assert mapped(db, "walrus").entries == ()
        assert found(db, "walrus") == ()


@pytest.mark.requirement("M6.0")
def test_a_question_of_hostile_text_is_only_a_question(tmp_path: Path) -> None:
    with memory_of(tmp_path, [item(1, "walrus token")]) as db:
        for text in ("%' OR 1=1 --x", "\x00 walrus\ud800", "＂NEAR＂ x*", "(" * 9_999):
            mapped(db, text)
        assert subjects(mapped(db, "\ud800 walrus \x00 token").entries) == [
            "walrus token"
        ]


@pytest.mark.requirement("M6.2(a)", "M11.2")
def test_a_word_that_stands_in_every_name_still_finds_them(tmp_path: Path) -> None:
    items = (item(n, f"walrus rule {n}", f"Rule {n}.") for n in range(3_000))
    with memory_of(tmp_path, items) as db:
        assert len(found(db, "walrus")) == 8
        assert len(found(db, "which walrus rule")) == 8
        assert found(db, "walrus ballet tickets") == ()


@pytest.mark.requirement("M6.1(a)")
def test_what_always_applies_to_a_path_stands_among_very_many(tmp_path: Path) -> None:
    old = "2020-01-01T00:00:00.000Z"
    items = [
        item(n, f"rule {n}", recall_mode="always", applies_to_paths=[f"src/{n}"])
        for n in range(900)
    ]
    items.append(
        item(
            999,
            "the one",
            recall_mode="always",
            applies_to_paths=["docs"],
            updated_at=old,
        )
    )
    with memory_of(tmp_path, items) as db:
        assert subjects(mapped(db, "hello", "docs/a.md").entries) == ["the one"]
