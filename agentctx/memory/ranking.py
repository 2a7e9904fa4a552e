"""Whether an item answers a request, and before which others; pure (M6.1, M6.2, M6.6).

The gate is lexical and nothing else: a subject, an alias or a keyword that the request
names by its telling words, or at least two telling words of what the item says. Where
nothing passes, nothing is shown: neither a path nor an age makes up for it.
"""

from __future__ import annotations

import math

from agentctx.memory.terms import (
    PIECE,
    first_met,
    is_paired,
    normal_form,
    phrase,
    words_in,
)
from corpus.lexical import WantedTerms
from corpus.values import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from agentctx.memory.model import Item, Meaning, Origin, RecallQuery
    from agentctx.memory.terms import Asked

MatchType = Literal["standing", "subject", "alias_or_keyword", "content_terms"]

ORIGIN_RANK: dict[Origin, int] = {
    "explicit": 3,
    "adopted_proposal": 2,
    "inferred_repetition": 1,
}

FEWEST = 20
"""A store is taken for one of at least so many items: where all of a few are about one
thing, its name still tells them from everything else that could be asked."""

MOST_COUNTED = 2_000
"""From so many items on a term is as common as any, and is counted no further."""

HALF = 0.5
"""A request names a phrase by more than this part of its words, by weight; with only
this part of them where they are also this part of what the request says."""

ALL = 0.95
"""As good as everything that a request says: then any word of a phrase names it."""

TELLING = 0.3
"""What the most telling of those words says at least. Of N items a word that stands in
about 0.6 x N^0.7 says so much: 7 of 40, 110 of 1,500."""

SEVERAL, WORDS = 2, 1.75
"""Telling terms of what an item says: two, that stand for about two words."""

ENOUGH, PART, PLENTY = 0.5, 0.15, 1.0
"""What those words must say together: enough, and a part of all that the request says,
but never more than what is plenty from a long text."""

UNKNOWN_PAIR = 0.15
"""What a pair of characters that no item holds counts of what a request says: most of
them span two words, and no item could hold them."""

BASE = 0.5
"""What a word of the request counts beside the words of a search."""

SCALE = 1_000


class Known(NamedTuple):
    """A term of a query with what it tells: from 0, for what every item holds, to 1.

    `df` is in how many items it stands.
    """

    asked: Asked
    df: int
    rarity: float

    @property
    def worth(self) -> float:
        """What its match adds to coverage."""
        share = BASE if self.asked.base else 1.0
        return share * self.rarity * self.asked.weight / 100

    @property
    def tells(self) -> bool:
        """Whether it counts as one of the words that an item must hold."""
        return not (self.asked.common or self.asked.form)


class Place(NamedTuple):
    """Where an item stands, the greatest first; `updated_at` and id come after."""

    specificity: int
    subject: bool
    recall: bool
    coverage: int
    origin: int
    hard: bool


class Match(NamedTuple):
    """An item that answers, why, and where it stands."""

    item: Item
    match_type: MatchType
    place: Place


def know(asked: Asked, df: int, total: int) -> Known:
    """Say how much a term tells among `total` items."""
    total = max(total, FEWEST)
    df = min(df, total)
    rarity = math.log((total + 1) / (df + 0.5)) / math.log(2 * (total + 1))
    return Known(asked, df, max(0.0, rarity))


def specificity(paths: Sequence[str], asked: Iterable[str]) -> int | None:
    """Say how specific an item is for a request's paths; None where it does not apply.

    Without paths it applies everywhere, which is 0. Otherwise it is the length of the
    longest path that equals a path of the request or is a folder above it.
    """
    if not paths:
        return 0
    wanted = [plain_path(path) for path in asked]
    fitting = [
        len(path)
        for path in map(plain_path, paths)
        if any(_covers(path, one) for one in wanted)
    ]
    return max(fitting, default=None)


def request_paths(query: RecallQuery) -> tuple[str, ...]:
    """Give the paths that a request is about."""
    found = (*query.paths, query.item_path, query.target_path)
    return tuple(dict.fromkeys(path for path in found if path))


def plain_path(path: str) -> str:
    """Write a path from the root as items and requests are compared."""
    path = path.replace("\\", "/")
    while path.startswith("./"):
        path = path[2:]
    return "" if path == "." else path.strip("/")


def terms_of(known: Mapping[str, Known]) -> Terms:
    """Say what a request asks, and how much of it an item's own words must hold."""
    said = sum(
        one.worth * (1 if one.df or not is_paired(one.asked.text) else UNKNOWN_PAIR)
        for one in known.values()
        if one.tells
    )
    words = [one for one in known.values() if one.tells and not one.asked.base]
    there = [one.rarity for one in words if one.df]
    familiar = all(one.df or is_paired(one.asked.text) for one in words)
    least = min(TELLING, max(there, default=TELLING)) if familiar else TELLING
    enough = min(max(ENOUGH, PART * said), PLENTY)
    return Terms(known, said, enough, least, WantedTerms(known.keys()))


class Terms(NamedTuple):
    """What a request asks: by text, how much that says, and what of it is needed.

    `least` is what the most telling word of a name must say. Where a request has no
    word but those that many items hold, it means these. `wanted` knows the terms in a
    text that was never read before at a fraction of what reading it costs.
    """

    known: Mapping[str, Known]
    said: float
    needed: float
    least: float
    wanted: WantedTerms

    def names(self, text: str, gained: float) -> bool:
        """Say whether the request names a phrase: whole, or by its telling words.

        `gained` is what all the telling words of the item say.
        """
        form = normal_form(text)
        if form in self.known and not self._says_nothing(form):
            return True
        short = text.isascii() and len(text) <= PIECE
        if short and first_met(text) and not self._holds(text):
            return False
        parts = phrase(text)
        there = [part for part in parts if part.text in self.known]
        if not there:
            return False
        whole = sum(part.weight for part in parts)
        held = sum(part.weight for part in there)
        if all(part.common for part in there):
            return len(there) == len(parts) >= SEVERAL
        best = max(self.known[part.text].rarity for part in there if not part.common)
        if held == whole:
            return True
        enough = (
            held > HALF * whole
            or (held >= HALF * whole and gained >= HALF * self.said)
            or gained >= ALL * self.said
        )
        return enough and best >= self.least

    def _holds(self, text: str) -> bool:
        return any(term in self.known for term in self.wanted.of(text))

    def _says_nothing(self, form: str) -> bool:
        one = self.known[form].asked
        return one.common and not one.form

    def passes(self, telling: Sequence[Known]) -> bool:
        """Say whether the telling words an item holds are enough by themselves."""
        if len(telling) < SEVERAL:
            return False
        if words_in(one.asked for one in telling) < WORDS:
            return False
        gained = sum(one.worth for one in telling)
        return gained >= self.needed or gained >= ALL * self.said

    def match(
        self, item: Item, held: Sequence[Known], special: int, *, broad: bool = False
    ) -> Match | None:
        """Place an item that holds some of the terms; None where it is no answer.

        `broad` takes any two words of what an item says, or one that is a name of it.
        """
        meaning = item.meaning
        telling = [one for one in held if one.tells and one.rarity > 0]
        gained = sum(one.worth for one in telling)
        subject = self.names(meaning.subject, gained)
        names = (*meaning.aliases, *meaning.keywords)
        recall = any(self.names(text, gained) for text in names)
        said = self.passes(telling) or (broad and _touches(meaning, held))
        if not (subject or recall or said):
            return None
        why: MatchType = (
            "subject" if subject else "alias_or_keyword" if recall else "content_terms"
        )
        coverage = round(SCALE * sum(one.worth for one in held))
        return Match(item, why, place(meaning, special, (subject, recall), coverage))


def place(
    meaning: Meaning, special: int, named: tuple[bool, bool], coverage: int
) -> Place:
    """Give an item's place; `named` are its subject, and an alias or a keyword."""
    return Place(
        special,
        *named,
        coverage,
        ORIGIN_RANK[meaning.origin],
        meaning.strength == "hard",
    )


def ordered(matches: Iterable[Match]) -> list[Match]:
    """Put matches in their one order: place, then the newer, then the smaller id."""
    found = sorted(matches, key=lambda one: one.item.id)
    found.sort(key=lambda one: one.item.updated_at, reverse=True)
    found.sort(key=lambda one: one.place, reverse=True)
    return found


def _touches(meaning: Meaning, held: Sequence[Known]) -> bool:
    """Say whether an item holds two words of a request, or one of its names does."""
    words = {one.asked.text for one in held if not one.asked.form}
    if len(words) >= SEVERAL:
        return True
    names = (meaning.subject, *meaning.aliases, *meaning.keywords)
    return any(part.text in words for text in names for part in phrase(text))


def _covers(path: str, one: str) -> bool:
    return path in {"", one} or one.startswith(f"{path}/")
