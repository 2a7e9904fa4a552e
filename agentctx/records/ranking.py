"""How well a record answers a question, and when it does not answer at all; pure.

The score is BM25 over the terms of the record, times four factors that never change
it by more than `MOST_SWING` in all: what matches clearly more always stands above what
is merely newer, pinned or of a stronger kind (A3.2). The floor asks how much of what
the question says a record holds, so that small talk and other subjects find nothing.
"""

from __future__ import annotations

import math

from agentctx.clock import days_since
from agentctx.records.model import NEVER_DECAY
from agentctx.records.question import WHOLE
from corpus.lexical import WantedTerms
from corpus.nearness import QueryPairs
from corpus.values import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from agentctx.records.candidates import Brief
    from agentctx.records.model import Record
    from agentctx.records.question import Asked

Floor = Literal["search", "prompt"]
"""How sure an answer must be: where somebody asked for it, and where nobody did."""

SCALE = 1_000
"""Scores are whole numbers: BM25 times this."""

MOST_COUNTED = 2_000
"""From so many records on a term is as common as any, and is counted no further."""

FEWEST = 20
"""A store is taken for one of at least so many records: where all of a few are about
one thing, its name still tells them from everything else that could be asked."""

MOST_POSTINGS = 2_500
"""Entries of the index read for one question; the commonest terms go without."""

MOST_TERMS = 32
"""Terms of a question that are looked up, the rarest first (A3.1)."""

MOST_ADDED = 4
"""Terms too common to be looked up that order what a search finds by the others."""

HALF_LIFE = {"preference": 365.0, "discovery": 90.0, "bugfix": 90.0, "handover": 21.0}
"""Days after which a record has lost half of what age can take from it.

How somebody works changes over years. What was learned of code and its bugs loses
half its use in a quarter, as code moves. A handover is about the work of these weeks.
"""

USUAL_HALF_LIFE = 90.0
"""The same for a row whose type is none, as damage can make it."""

OLDEST = 0.88
"""What age leaves of a score at most."""

TYPE_FACTOR = {"decision": 1.03, "convention": 1.03, "handover": 0.96}
"""What was decided binds; what was being done says least about other questions."""

PINNED = 1.08
UNCONFIRMED = 0.9
SURE = frozenset({"explicit", "reinforced"})
"""Confidences of what somebody said, or said again; the rest is a guess."""


TITLED = 2.0
"""What it makes of a match that the title holds every word of a search: a title says
what a record is about, a body also mentions."""

MOST_FACTOR = 1.03 * PINNED
"""The most that the factors make of a match."""

MOST_SWING = (1 / OLDEST) * (1.03 / 0.96) * PINNED * (1 / UNCONFIRMED)
"""How far the factors can part two records that match alike."""


PAIR = 2
SHORTEST_STUMP = 4


class Weighed(NamedTuple):
    """A term of a question, with how rare it is in the store.

    `df` is in how many records it stands. `idf` weighs a match in the score;
    `information`, from 0 to 1, is what a match tells of the subject.
    """

    asked: Asked
    df: int
    idf: float
    information: float

    @property
    def is_word(self) -> bool:
        """Whether it is more than a pair of characters cut from a run."""
        return self.asked.text.isascii() or len(self.asked.text) > PAIR

    @property
    def worth(self) -> float:
        """What a match adds to the score, for each unit of its weight in a record."""
        return self.idf * self.asked.weight / 100


def weigh(asked: Asked, df: int, total: int) -> Weighed:
    """Say how rare a term is among `total` records."""
    df = min(df, total)
    idf = math.log(1 + (total - df + 0.5) / (df + 0.5))
    total = max(total, FEWEST)
    rarest = math.log(2 * (total + 1))
    information = max(0.0, math.log((total + 1) / (df + 0.5)) / rarest)
    return Weighed(asked, df, idf, information * asked.weight / 100)


class Sought(NamedTuple):
    """The terms to look up, and commoner ones that tell apart what those find.

    `wide` says that every word searched is so common that only all of them together
    tell anything.
    """

    first: list[Weighed]
    added: list[Weighed]
    wide: bool

    @property
    def all(self) -> list[Weighed]:
        """Every term that counts in the score."""
        return [*self.first, *self.added]


def sought(weighed: Iterable[Weighed], floor: Floor = "prompt") -> Sought:
    """Choose the terms to look up: the rarest that occur, within the bounds.

    Who searches means every word: the named ones that are too common for the bounds
    are added to order what is found.
    """
    present = [term for term in weighed if term.df]
    present.sort(key=lambda term: (-term.information, term.asked.text))
    first = _within_bounds(present)
    added = [
        term
        for term in present[len(first) : MOST_TERMS]
        if floor == "search" and is_meant(term)
    ]
    wide = floor == "search" and all(
        term.asked.common or term.df >= MOST_COUNTED for term in first
    )
    return Sought(first, added[:MOST_ADDED], wide)


def is_meant(term: Weighed) -> bool:
    """Say whether a term counts as a word that was searched: it tells something."""
    asked = term.asked
    return not asked.day and (not asked.common or asked.weight >= WHOLE)


def _within_bounds(present: list[Weighed]) -> list[Weighed]:
    found: list[Weighed] = []
    budget = MOST_POSTINGS
    for term in present[:MOST_TERMS]:
        if found and (term.df > budget or term.df >= MOST_COUNTED):
            break
        budget -= term.df
        found.append(term)
    return found


class Evidence(NamedTuple):
    """What of a question a record holds.

    `gained` is the information of the matched terms, `named` how many of them are not
    common, `best` the information of the most telling of those.
    """

    gained: float
    named: int
    best: float


def evidence(matched: Iterable[Weighed]) -> Evidence:
    """Sum up the terms that a record holds."""
    found = list(matched)
    named = [term.information for term in found if not term.asked.common]
    return Evidence(
        sum(term.information for term in found), len(named), max(named, default=0.0)
    )


class Needs(NamedTuple):
    """What a record must hold of a question to be an answer to it.

    One named term at least. Then `most` of what the question says, where a single
    named term is to be rare or supported; or `much` of it, supported; or many named
    terms that hold `enough`, however long the question is. Supported is what stands
    in the title or near each other.
    """

    most: float
    much: float
    enough: float
    rare: float
    support: float

    def may_be_met_by(self, found: Evidence) -> bool:
        """Say whether a record can be an answer, by its terms alone."""
        return found.named >= 1 and (
            found.gained >= self.much
            or (found.named >= MANY and found.gained >= self.enough)
        )

    def met_by(self, found: Evidence, support: Callable[[], float]) -> bool:
        """Say whether what may be an answer is one; `support` is asked if needed."""
        several = found.named >= SEVERAL
        if found.named >= MANY and found.gained >= self.enough:
            return True
        if found.gained >= self.most and (several or found.best >= self.rare):
            return True
        alone = not several and found.gained < self.most
        return support() >= (ALONE * self.support if alone else self.support)

    @property
    def by_terms(self) -> bool:
        """Whether terms alone decide, however they stand."""
        return not self.support

    @property
    def least(self) -> float:
        """The least information that any answer holds."""
        return min(self.much, self.enough)


SEVERAL, MANY = 2, 3

MOST, MUCH = 0.75, 0.4
"""Parts of what a question says. With fewer, one lucky word of a stranger's question
is enough; with more, a question of three words must be found whole."""

ENOUGH = 1.2
"""Information that is enough from a long prompt: more than any one word can hold."""

RARE = 0.55
"""Of N records a term is rare in at most about 0.7 x N^0.45: 7 of 200, 43 of 10,000."""

SUPPORTED = 0.2
ALONE = 1.5
"""Support, in information; a single named term needs this much more of it."""

LEAST_PART, LEAST = 0.05, 1.0
"""Where somebody searches: this part of the question, and never more than that."""

UNKNOWN_PAIR = 0.3
"""What a pair of characters that no record holds counts of what a question says: most
of them span two words, and no record could hold them."""

CUT: dict[Floor, float] = {"search": 0.1, "prompt": 0.4}
"""What matches less than this part of the best match is left out."""


def needs(terms: Iterable[Weighed], floor: Floor) -> Needs:
    """Say what an answer to these terms must hold."""
    total = sum(
        term.information * (1.0 if term.df or term.is_word else UNKNOWN_PAIR)
        for term in terms
    )
    if floor == "search":
        least = min(LEAST_PART * total, LEAST)
        return Needs(least, least, least, 0.0, 0.0)
    return Needs(MOST * total, MUCH * total, ENOUGH, RARE, SUPPORTED)


class Support:
    """How the named words of a question stand in a record."""

    def __init__(self, weighed: Iterable[Weighed]) -> None:
        self._worth = {
            term.asked.text: term.information
            for term in weighed
            if not (term.asked.common or term.asked.day)
        }
        self._pairs = QueryPairs(list(self._worth), self._worth)
        self._wanted = WantedTerms(self._pairs.wanted)

    def of(self, record: Record) -> float:
        """Add up the information of pairs that stand together, and half the title's."""
        title = self._wanted.of(record.title)
        near, _ = self._pairs.nearness([*title, "", *self._wanted.of(record.body)])
        there = sum(self._worth.get(term, 0.0) for term in set(title))
        return near + there / 2


def title_words(terms: Sequence[Weighed], floor: Floor) -> tuple[str, ...]:
    """Give what a title must hold to be about the whole of a search of many words."""
    named = [term.asked.text for term in terms if is_meant(term)]
    if floor != "search" or len(named) < SEVERAL:
        return ()
    return tuple(stump(text) for text in named)


def stump(text: str) -> str:
    """Give what a word and its stem have in common: strategy, strategi."""
    long = len(text) >= SHORTEST_STUMP
    return text[:-1] if long and text[-1] in "iy" else text


def cut(best: float, floor: Floor) -> float:
    """Give the least match that is kept beside the best one."""
    return CUT[floor] * best


def factor(record: Record | Brief, now: datetime) -> float:
    """Give what a record's age, type, pin and confidence make of its score."""
    return (
        recency(record, now)
        * TYPE_FACTOR.get(record.type, 1.0)
        * (PINNED if record.pinned else 1.0)
        * (1.0 if record.confidence in SURE else UNCONFIRMED)
    )


def recency(record: Record | Brief, now: datetime) -> float:
    """Give what age leaves of a record; decisions, conventions and profile keep all."""
    if record.type in NEVER_DECAY:
        return 1.0
    days = max(0.0, days_since(record.recorded_at, now))
    left = math.exp2(-days / HALF_LIFE.get(record.type, USUAL_HALF_LIFE))
    return OLDEST + (1 - OLDEST) * left
