"""Cutting a text to the room there is: where it is cut and what is kept."""

from __future__ import annotations

import unicodedata

import pytest

from corpus.excerpt import excerpt, shorten
from corpus.lexical import terms

PASSAGE = (
    "Gauges are checked in spring. A frozen gauge is thawed slowly with warm air.\n"
    "The crew writes down the level before and after.\n"
    "Afterwards the lid is closed."
)


def cut(text: str, words: str, room: int) -> str:
    found = excerpt(text, dict.fromkeys(terms(words), 1.0), room=room)
    assert found is not None
    assert len(found.text.encode()) <= room
    return found.text


@pytest.mark.requirement("P8.5")
def test_a_text_that_fits_is_left_alone() -> None:
    found = excerpt(PASSAGE, {}, room=len(PASSAGE))
    assert found == (PASSAGE, 0, 2)


@pytest.mark.requirement("P8.5")
def test_the_sentence_that_matches_is_kept_whole_and_marked() -> None:
    assert cut(PASSAGE, "thawed frozen", 60) == (
        "… A frozen gauge is thawed slowly with warm air. …"
    )


@pytest.mark.requirement("P8.5")
def test_the_span_shrinks_to_the_lines_shown() -> None:
    weights = dict.fromkeys(terms("crew level"), 1.0)
    found = excerpt(PASSAGE, weights, room=60)
    assert found == ("… The crew writes down the level before and after. …", 1, 1)


@pytest.mark.requirement("P8.5")
def test_nothing_is_marked_where_nothing_is_left_out() -> None:
    assert cut(PASSAGE, "spring", 40).startswith("Gauges are checked in spring.")
    assert cut(PASSAGE, "lid closed", 40).endswith("Afterwards the lid is closed.")


@pytest.mark.requirement("P8.5")
def test_the_rarer_match_decides() -> None:
    weights = {**dict.fromkeys(terms("lid"), 5.0), **dict.fromkeys(terms("gauge"), 1.0)}
    found = excerpt(PASSAGE, weights, room=40)
    assert found is not None
    assert "lid" in found.text


@pytest.mark.requirement("P8.5")
def test_one_long_line_without_sentences_is_cut_at_word_ends() -> None:
    line = " ".join(f"word{number}" for number in range(200))
    kept = cut(line, "word120", 100)
    assert "word120" in kept.split()
    assert set(kept.split()) <= {*line.split(), "…"}
    assert len(kept.encode()) > 80


@pytest.mark.requirement("P8.5")
def test_chinese_is_cut_at_its_sentence_ends_then_between_characters() -> None:
    text = "雨量计在第一站安装。第二站没有雨量计,因为冬天结冰。第三站正常工作。"
    assert cut(text, "冬天结冰", 58) == "… 第二站没有雨量计,因为冬天结冰。 …"
    assert "结冰" in cut(text, "结冰", 20)


@pytest.mark.requirement("P8.4", "P8.5")
def test_composed_characters_are_never_divided() -> None:
    text = "".join(
        "\u4e00\u0301\u0e01\u0e49\u1019\u1039\u0e40\u0e01" for _ in range(200)
    )
    for room in range(20, 200, 7):
        for kept in (cut(text, "x", room), shorten(text, room)):
            body = kept.removeprefix("… ").removesuffix(" …")
            assert not unicodedata.combining(body[0])
            end = text.index(body) + len(body) if body in text else len(text)
            assert end == len(text) or not unicodedata.combining(text[end])


@pytest.mark.requirement("P8.5")
def test_a_long_word_is_divided_after_its_punctuation_or_not_at_all() -> None:
    row = ",".join(f'"key{number}":{number}' for number in range(300))
    assert "key150" in cut(row, "key150", 100)
    assert excerpt("x" * 500, {}, room=100) is None


@pytest.mark.requirement("P8.4")
@pytest.mark.parametrize(
    ("room", "expected"),
    [
        pytest.param(200, "One. Two is longer than that. Three", id="it fits"),
        pytest.param(34, "One. Two is longer than that. …", id="at a sentence end"),
        pytest.param(30, "One. Two is longer than …", id="at a word end"),
        pytest.param(9, "One. …", id="the first sentence"),
        pytest.param(7, "", id="not even one word"),
        pytest.param(0, "", id="no room"),
        pytest.param(-5, "", id="less than none"),
    ],
)
def test_a_beginning_is_cut_at_sentence_or_word_ends(room: int, expected: str) -> None:
    assert shorten("One. Two is longer than that. Three", room) == expected


@pytest.mark.requirement("P8.4")
def test_an_abbreviated_text_never_ends_inside_a_number_or_word() -> None:
    text = "The level is 3.25 metres and rising, see the log."
    for room in range(8, len(text)):
        kept = shorten(text, room).removesuffix(" …")
        assert kept == "" or text[len(kept)].isspace()


@pytest.mark.requirement("P8.8")
@pytest.mark.timeout(60)
@pytest.mark.parametrize("unit", [".", ". ", "a", "a ", "。", "字", "a.\n", "!x"])
def test_a_long_run_is_cut_to_the_room_there_is_or_not_at_all(unit: str) -> None:
    text = unit * 60_000
    room = len(text.encode()) // 2
    kept = shorten(text, room)
    found = excerpt(text, {"a": 1.0}, room=room)
    assert (kept == "") == (found is None) == (unit in {".", "a", "。"})
    for cut_text in (kept, found.text if found else ""):
        assert len(cut_text.encode()) <= room
        assert text.startswith(cut_text.removesuffix(" …"))
        assert cut_text == "" or len(cut_text.encode()) > room - 10
