"""The terms of items and of requests."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentctx.memory.terms import (
    LONGEST,
    MOST_ASKED,
    MOST_OF,
    is_paired,
    item_terms,
    map_terms,
    normal_form,
    search_terms,
)
from tests.agentctx.memory.recalled import asking, item


def texts(query: str) -> list[str]:
    return [one.text for one in map_terms(asking(query))]


def of_kind(kind: str, *said: str, **fields: object) -> list[str]:
    meaning = item(1, *said, **fields).meaning
    return [term for found, term in item_terms(meaning) if found == kind]


@pytest.mark.requirement("M6.4(b)")
def test_a_map_asks_for_the_item_of_a_review_before_what_the_user_said() -> None:
    query = asking(
        "zebra", rule_id="E501", item_message="giraffe", bound_item_id="lion"
    )
    found = [one.text for one in map_terms(query)]
    assert found.index("e501") < found.index("giraff")
    assert found.index("giraff") < found.index("lion") < found.index("zebra")


@pytest.mark.requirement("M6.4(b)")
def test_the_words_of_a_search_come_before_those_of_a_long_request() -> None:
    query = asking(" ".join(f"word{number}x" for number in range(90)), rule_id="E501")
    found = search_terms("pelican", query)
    assert len(found) == MOST_ASKED
    assert found[0].text == "pelican"
    assert not found[0].base
    assert all(one.base for one in found[1:] if one.text != "pelican")


@pytest.mark.requirement("M11.2", "M6.3(b)")
def test_room_is_kept_for_scripts_without_spaces_behind_many_words() -> None:
    found = texts(" ".join(f"name{n}q" for n in range(90)) + " 数据库迁移方案")
    assert len(found) == MOST_ASKED
    assert {"数据", "据库"} <= set(found)
    assert sum(map(is_paired, found)) <= MOST_ASKED // 3


@pytest.mark.requirement("M11.2", "M6.3(b)")
def test_room_is_kept_for_words_behind_a_long_run() -> None:
    run = "".join(chr(0x4E00 + 3 * number) for number in range(300))
    assert "pelican" in texts(f"{run} pelican")


@pytest.mark.requirement("M6.3(b)")
def test_a_field_gives_its_whole_form_first_and_pairs_last() -> None:
    found = of_kind("subject", "数据库 Migration plan")
    assert found[0] == "数据库 migration plan"
    assert found.index("migrat") < found.index("数据")


@pytest.mark.requirement("M11.1")
@pytest.mark.parametrize(
    "text",
    ["what is it that we were?", "the of and", "这个的了吗", "и в на что", "です ます"],
)
def test_function_words_name_nothing(text: str) -> None:
    found = map_terms(asking(text))
    assert [one for one in found if not (one.form or one.common)] == []


@pytest.mark.parametrize("kind", ["subject", "alias", "keyword", "content", "path"])
def test_a_field_has_no_more_terms_than_its_cap(kind: str) -> None:
    run = "".join(chr(0x4E00 + 2 * number) for number in range(300))
    many = [f"{n}w{n} part{n}/x{n}" for n in range(400)]
    found = of_kind(
        kind,
        run[:160],
        " ".join(many),
        run + " ".join(many),
        aliases=many[:16],
        keywords=many[:24],
        applies_to_paths=many[:10],
    )
    assert 0 < len(found) <= MOST_OF[kind]  # type: ignore[index]
    assert len(set(found)) == len(found)


@given(st.text(max_size=400), st.text(max_size=60))
def test_any_text_gives_few_short_terms_the_same_each_time(one: str, two: str) -> None:
    found = search_terms(one, asking(two))
    assert found == search_terms(one, asking(two))
    assert len(found) <= MOST_ASKED
    assert len({term.text for term in found}) == len(found)
    made = list(item_terms(item(1, one or "x", two, aliases=[two]).meaning))
    assert all(0 < len(term) <= LONGEST for _, term in made)
    assert len(set(made)) == len(made)


@given(st.text(max_size=200))
def test_a_normal_form_is_its_own_normal_form(text: str) -> None:
    assert normal_form(normal_form(text)) == normal_form(text)


def test_a_pasted_log_costs_as_much_as_its_two_ends() -> None:
    found = texts("beginning " + "noise;" * 200_000 + " ending")
    assert {"begin", "end"} & set(found)
    assert len(found) <= MOST_ASKED
