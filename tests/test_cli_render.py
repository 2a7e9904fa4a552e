"""What reaches a terminal or a pipe: escapes, JSON, the progress line."""

from __future__ import annotations

import io
import json
import unicodedata
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.cli.render import (
    PATIENCE,
    Progress,
    Screen,
    counted,
    json_text,
    visible,
)
from corpus.errors import IndexStaleError

if TYPE_CHECKING:
    from tests.conftest import InProcess

FILLERS = "\u115f\u1160\u3164\uffa0\u2800"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.requirement("P18.1")
def test_stored_text_cannot_steer_a_terminal(probe: InProcess) -> None:
    hostile = "a\x1b[2Jb\u202ec\u200bd\re\nf\x9bg\U000e0041\ttab"
    _, text, _ = probe("do", hostile, terminal=True)
    _, as_json, _ = probe("do", "--format", "json", hostile, terminal=True)
    shown = "a\\x1b[2Jb\\u202ec\\u200bd\\re\\nf\\x9bg\\U000e0041\ttab"
    assert text.splitlines()[0] == f"query {shown}"
    assert json.loads(as_json)["query"] == hostile
    for sign in "\x1b\u202e\u200b\x9b\U000e0041":
        assert sign not in as_json


@given(st.text())
def test_visible_text_has_nothing_that_acts_or_hides(text: str) -> None:
    shown = visible(text)
    kinds = {unicodedata.category(sign) for sign in shown if sign != "\t"}
    assert kinds.isdisjoint({"Cc", "Cs", "Zl", "Zp"})
    directions = {unicodedata.bidirectional(sign) for sign in shown}
    assert directions.isdisjoint(
        {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    )


@given(st.text(st.characters(categories=("L", "N", "P", "S", "Zs"))))
def test_plain_text_is_shown_as_it_is(text: str) -> None:
    if not any(sign in FILLERS or "\ufff0" <= sign <= "\uffff" for sign in text):
        assert visible(text) == text


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists))
def test_json_text_survives_the_way_through_the_stream(value: object) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    Screen(stream, None).write_json(value)
    stream.flush()
    stream.seek(0)
    assert json.loads(stream.read()) == value


def test_a_value_without_a_json_form_is_a_defect() -> None:
    with pytest.raises(TypeError):
        json_text(object())


@pytest.mark.requirement("P5.9")
def test_progress_waits_half_a_second_and_leaves_no_trace() -> None:
    err = Terminal()
    seconds = iter([0.0, PATIENCE - 0.01, PATIENCE, PATIENCE + 0.01, PATIENCE + 0.2])
    progress = Progress(Screen(io.StringIO(), err), lambda: next(seconds))
    progress(1, 9, "hashing")
    assert err.getvalue() == ""
    progress(2, 9, "hashing")
    assert err.getvalue() == "\rhashing 2/9"
    progress(3, 9, "hashing")
    assert err.getvalue() == "\rhashing 2/9"
    progress(4, 9, "a\x1bb")
    assert err.getvalue().rstrip().endswith("\ra\\x1bb 4/9")
    progress.clear()
    assert err.getvalue().endswith("\r           \r")


@pytest.mark.requirement("P5.9")
def test_progress_is_silent_where_stderr_is_no_terminal() -> None:
    err = io.StringIO()
    seconds = iter([0.0, 60.0])
    progress = Progress(Screen(Terminal(), err), lambda: next(seconds))
    progress(1, 9, "hashing")
    progress.clear()
    assert err.getvalue() == ""


def told(error: IndexStaleError) -> list[str]:
    err = io.StringIO()
    Screen(io.StringIO(), err).tell_failure(error, as_json=False)
    return err.getvalue().splitlines()


@pytest.mark.requirement("P5.7", "P18.2")
def test_a_stale_index_names_the_first_paths_and_counts_the_rest() -> None:
    error = IndexStaleError(
        count=30, changed=["a.md", "b\x1b.md"], added=["c.md"], removed=list("defgh")
    )
    assert told(error)[1:-1] == [
        "  changed a.md",
        "  changed b\\x1b.md",
        "  added c.md",
        "  removed d",
        "  removed e",
        "  and 25 more",
    ]


@pytest.mark.requirement("P5.7", "P18.2")
def test_one_stale_source_is_one() -> None:
    error = IndexStaleError(count=1, changed=["a.md"], added=[], removed=[])
    assert told(error)[0].endswith("1 source differs from the index")
    assert told(error)[1:-1] == ["  changed a.md"]
    unnamed = IndexStaleError(count=2, changed=[], added=[], removed=[])
    assert len(told(unnamed)) == 2


def test_a_noun_agrees_with_its_number() -> None:
    assert [counted(number, "case") for number in (0, 1, 2)] == [
        "0 cases",
        "1 case",
        "2 cases",
    ]
    assert counted(2, "match", "matches") == "2 matches"


@pytest.mark.requirement("P18.1")
def test_half_a_character_never_leaves_as_json() -> None:
    assert json.loads(json_text({"query": "a\udcffb"})) == {"query": "a\ufffdb"}


@pytest.mark.requirement("P18.1")
def test_a_notice_is_one_line_that_hides_nothing() -> None:
    for err in (io.StringIO(), Terminal()):
        screen = Screen(io.StringIO(), err)
        screen.tell_notice("STALE", "one\ntwo \u202e", as_json=False)
        screen.tell_notice("STALE", "one\ntwo \u202e", as_json=True)
        text, value = err.getvalue().splitlines()
        assert text == "note[STALE]: one\\ntwo \\u202e"
        assert json.loads(value) == {"notice": "STALE", "detail": "one\ntwo \u202e"}
        assert ("\u202e" in value) != err.isatty()
