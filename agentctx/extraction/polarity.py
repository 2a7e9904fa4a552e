"""Which terms of a text are denied there and which are affirmed; any script (A6.5).

It is a rule of thumb, used to refuse: what is denied in the one text and affirmed in
the other is not the same statement.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from agentctx.drift.polarity import parts_of
from corpus.lexical import terms

_ASIDE = re.compile(
    r"(?<=\w) (?:in|for|on|at|within|inside|because|since|when|while|if|under|during"
    r"|в|для|при|im|für)(?!\w)",
    re.IGNORECASE,
)
"""What says where or why something is denied; that itself is not."""

_INSTEAD = re.compile(r"(?<!\w)вместо (?:него|неё|нее|них|этого)(?!\w)", re.IGNORECASE)
"""What affirms that which follows, although it begins as a denial."""


class Polarity(NamedTuple):
    """The terms that a text affirms and those that it denies; some may be both."""

    affirmed: frozenset[str]
    denied: frozenset[str]


def polarity(text: str) -> Polarity:
    """Sort the terms of a text by whether they are denied there."""
    affirmed: set[str] = set()
    denied: set[str] = set()
    for part in parts_of(_INSTEAD.sub(" ", text)):
        if part.denied:
            denied.update(terms(_without_aside(part.text)))
        else:
            affirmed.update(terms(part.text))
    return Polarity(frozenset(affirmed), frozenset(denied))


def _without_aside(denied: str) -> str:
    """Give what is denied; the denial itself and one word of it come first."""
    for match in _ASIDE.finditer(denied):
        if len(denied[: match.start()].split()) > 1:
            return denied[: match.start()]
    return denied


def contradict(one: Polarity, other: Polarity, shared: frozenset[str]) -> bool:
    """Say whether one text only denies what the other only affirms."""
    return any(
        term in first.denied
        and term not in first.affirmed
        and term in second.affirmed
        and term not in second.denied
        for first, second in ((one, other), (other, one))
        for term in shared
    )
