"""Words that come in pieces: what is shown of them is safe, however they are cut."""

from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentctx.chat.voice import Shown
from corpus.visible import begun, deceives, visible

_PARTS = (
    "word ",
    "\x1b",
    "[",
    "31m",
    "\x1b[2J",
    "\x1b]0;title\x07",
    "\x1b]8;;https://example.org",
    "\x1b\\",
    "\x9b1",
    "\x07",
    "\u202e",
    "\u200b",
    "\n",
    "日本",
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.sampled_from(_PARTS), max_size=12),
    st.lists(st.integers(0, 80), max_size=8),
)
def test_no_cut_lets_an_escape_through(parts: list[str], places: list[int]) -> None:
    text = "".join(parts)
    ends = sorted({0, len(text), *(one for one in places if one < len(text))})
    pieces: list[str] = []
    shown = Shown(pieces.append)
    for first, last in pairwise(ends):
        shown.take(text[first:last])
    shown.end()
    assert shown.text == "".join(pieces)
    assert not deceives(shown.text.replace("\ufffd", ""))
    assert _once(shown.text) == _once(visible(text))


def _once(text: str) -> str:
    """Give a text in which a run of marks is one, as in a text that was not cut."""
    return re.sub("\ufffd+", "\ufffd", text)


def test_what_is_no_beginning_of_an_escape_is_shown_at_once() -> None:
    pieces: list[str] = []
    shown = Shown(pieces.append)
    for piece in ("one \x1b[", "1mtwo ", "\x1b]0;" + "x" * 600, "\x07three"):
        shown.take(piece)
    shown.end()
    assert pieces[:2] == ["one ", "two "]
    assert begun("plain") == len("plain")
    assert "".join(pieces).endswith("three")


def test_parts_of_an_answer_are_paragraphs_that_were_shown() -> None:
    pieces: list[str] = []
    shown = Shown(pieces.append)
    shown.part()
    shown.take("One.")
    shown.part()
    shown.take("Two.\n")
    shown.part()
    shown.take("Three.")
    shown.end()
    assert shown.text == "".join(pieces) == "One.\n\nTwo.\nThree."
