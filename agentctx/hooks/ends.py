"""Both ends of a long text, without secrets: what a moment allows to look at."""

from __future__ import annotations

from agentctx.redact import redact
from corpus.patterns import pattern
from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    import re

AROUND = 8_000
"""Characters beyond a cut in which a secret that lies across it is still seen whole."""

_INSIDE = pattern(r"[!-~]+")
"""What is never cut: a word, a key, the mark of a secret that was taken out."""


def ends_of(text: str, each: int) -> str:
    """Give the first and the last characters of a text, so many of each end.

    Secrets go before anything is cut, and no run of letters is cut in two.
    """
    if len(text) <= 2 * (each + AROUND):
        text = redact(text).text
        if len(text) <= 2 * each:
            return text
        first, last = text, text
    else:
        first = redact(text[: each + AROUND]).text
        last = redact(text[-each - AROUND :]).text
    return f"{_first(first, each)}\n{_last(last, each)}"


def _first(text: str, most: int) -> str:
    run = _run_across(text, most)
    return text[:most] if run is None else text[: run.start()]


def _last(text: str, most: int) -> str:
    at = max(0, len(text) - most)
    run = _run_across(text, at)
    return text[at:] if run is None else text[run.end() :]


def _run_across(text: str, at: int) -> re.Match[str] | None:
    """Give the run of letters that a cut would fall into."""
    for run in _INSIDE.finditer(text):
        if run.end() > at:
            return run if run.start() < at else None
    return None
