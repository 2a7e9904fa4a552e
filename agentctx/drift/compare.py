"""Whether instructions state what a record says, or what it said once (A7.1).

A record is compared with single statements, each read below its headings, and with
whole short sections. Of all statements only those are looked at that share a record's
rare words.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from functools import lru_cache
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from agentctx.drift.polarity import denies, forbids_alone, is_about_the_past
from agentctx.drift.wording import (
    Evidence,
    evidence_of,
    matched,
    number_terms,
    weighed,
)
from corpus.lexical import terms

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from agentctx.drift.claims import Claims
    from agentctx.drift.files import Instructions
    from agentctx.drift.outline import Statement
    from agentctx.drift.wording import Weighed, Word

STATED, STATED_BY_SECTION = 0.64, 0.82
"""The share of a claim, by weight, that a statement or a section has to say."""

STILL_STATED = 0.5
"""The share of an old claim that makes a statement a stale one."""

CHANGED = 0.6
"""The share of the words that changed that a stale statement has to say."""

BOTH = 0.34
"""From this share of the new words on, a statement tells of the change."""

OWN = 0.3
"""The share of a claim that the statement itself says, its headings aside."""

OPPOSED = 0.25
"""From this share on, what is said the other way makes it another statement."""

MOST_STATEMENTS = 20_000
"""A client would be lost in far fewer; what comes after them is not compared."""

LARGEST_SECTION = 160
MOST_TRIED = 16
_LEAST_RARITY = 0.4


class Passage(NamedTuple):
    """One statement of one file: the terms it says itself, and with its headings."""

    file: Instructions
    statement: Statement
    own: Evidence
    whole: Evidence


class Stated:
    """Everything that some files state, to be looked through for records.

    `left` is the first statement that was too many, with its file.
    """

    def __init__(self, files: Iterable[Instructions]) -> None:
        every = ((file, one) for file in files for one in file.outline.statements)
        some = islice(every, MOST_STATEMENTS)
        self.passages = [_passage(file, one) for file, one in some]
        self.left = next(every, None)
        self._by_term: defaultdict[str, list[int]] = defaultdict(list)
        self._sections: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
        self._places_of: dict[tuple[str, int], int] = {}
        self._known = [passage.whole.whole for passage in self.passages]
        for number, passage in enumerate(self.passages):
            for term in self._known[number]:
                self._by_term[term].append(number)
            path, statement = passage.file.path, passage.statement
            self._sections[path, statement.section].append(number)
            self._places_of.setdefault((path, statement.first), number)
        self._unions: dict[tuple[str, int], Evidence | None] = {}
        self._largest = math.log(len(self.passages) + 1) or 1.0

    def may_say(self, title: str, sentence: str) -> bool:
        """Say whether some statement shares enough terms with a record.

        Counted without any weight, at little cost, and with room below `STILL_STATED`:
        most records are told from all statements by this alone.
        """
        wanted = {*terms(title), *number_terms(title)}
        said = {*terms(sentence), *number_terms(sentence)}
        in_title, in_sentence = self._most_shared(wanted), self._most_shared(said)
        return (
            in_title >= _SHARED * max(1, len(wanted))
            or in_sentence >= _SHARED * max(1, len(said))
            or in_title + in_sentence >= _SHARED * max(1, len(wanted | said))
        )

    def _most_shared(self, wanted: Iterable[str]) -> int:
        """Give at least the number of terms that one statement shares with these.

        What is in very many statements is taken to be in each.
        """
        places = [self._by_term[term] for term in wanted if term in self._by_term]
        rare = [one for one in places if len(one) <= _MOST_COUNTED]
        counts = Counter(chain.from_iterable(rare))
        return max(counts.values(), default=0) + len(places) - len(rare)

    @property
    def vocabulary(self) -> Iterable[str]:
        """Every term that some statement has."""
        return self._by_term

    def rarity(self, term: str) -> float:
        """Give 1 for a term of one statement or none, less for commoner ones."""
        count = len(self._by_term.get(term, ()))
        if count <= 1:
            return 1.0
        return 1 - (1 - _LEAST_RARITY) * math.log(count) / self._largest

    def states(self, claims: Claims, *, allowed: Callable[[Passage], bool]) -> bool:
        """Say whether some statement or section says what a record says."""
        for words in claims.wordings:
            wanted = weighed(words, self.rarity)
            for number in self._near(wanted, STATED, allowed):
                if self._says_in(claims, wanted, self.passages[number], STATED):
                    return True
        near = self._near(weighed(claims.core, self.rarity), _PART, allowed)
        keys = dict.fromkeys(map(self._key, near))
        return any(self._section_says(claims, key) for key in keys)

    def stale(
        self, old: Claims, head: Claims, *, allowed: Callable[[Passage], bool]
    ) -> list[Passage]:
        """Give the statements that still say what a record said before its head."""
        changed = old.unlike(head)
        if not any(word.weight > _NEGLIGIBLE for word in changed):
            return []
        wanted = weighed(changed, self.rarity)
        near = self._near(wanted, CHANGED, allowed)
        if not near:
            return []
        after = head.after(old)
        return [
            self.passages[number]
            for number in near
            if matched(wanted, self.passages[number].own).same >= CHANGED
            and self._says(old, self.passages[number], need=STILL_STATED)
            and not self._tells_of(after, old, number)
        ]

    def is_renewed(self, old: Claims, head: Claims, *, place: tuple[str, int]) -> bool:
        """Say whether the statement at a path and line has what holds now instead.

        Words that two versions share do not count for the newer one: it has to say
        what is new, or no more what is gone.
        """
        gone = weighed(old.unlike(head), self.rarity)
        after = head.after(old)
        passage = self.at(place)
        if passage is None or not self._says(after, passage):
            return False
        return bool(after.fresh) or matched(gone, passage.own).same < CHANGED

    def at(self, place: tuple[str, int]) -> Passage | None:
        """Give the statement that begins at a path and line."""
        number = self._places_of.get(place)
        return None if number is None else self.passages[number]

    def _tells_of(self, head: Claims, old: Claims, number: int) -> bool:
        """Say whether a statement, or its section, has what holds now."""
        near = self._neighbours(number)
        if any(self._has_new(head.fresh, old, self.passages[one]) for one in near):
            return True
        section = self._sections[self._key(number)]
        words = dict.fromkeys(word for one in head.wordings for word in one)
        wanted = weighed(words, self.rarity)
        tried = self._near(wanted, _PART, _any) if len(section) > 1 else []
        beside = [one for one in tried if self._key(one) == self._key(number)]
        return any(self._says(head, self.passages[one]) for one in (number, *beside))

    def _has_new(self, new: Sequence[Word], old: Claims, passage: Passage) -> bool:
        """Say whether a statement has the words of the new version."""
        if not new:
            return False
        known = old.evidence.whole
        fresh = [word for word in new if word.found_in(known) < BOTH]
        if fresh:
            both = Evidence(passage.whole.whole, frozenset())
            affirmed = [word._replace(denied=False) for word in fresh]
            return matched(weighed(affirmed, self.rarity), both).same >= BOTH
        return matched(weighed(new, self.rarity), passage.whole).same >= CHANGED

    def _neighbours(self, number: int) -> list[int]:
        """Give a statement and what stands beside it in its section."""
        return [
            one
            for one in (number - 1, number, number + 1)
            if 0 <= one < len(self.passages) and self._key(one) == self._key(number)
        ]

    def _says(self, claims: Claims, passage: Passage, *, need: float = STATED) -> bool:
        return any(
            self._says_in(claims, weighed(words, self.rarity), passage, need)
            for words in claims.wordings
        )

    def _says_in(
        self, claims: Claims, wanted: Weighed, passage: Passage, need: float
    ) -> bool:
        return self._agrees(claims, wanted, passage.whole, need) and (
            matched(wanted, passage.own).same >= OWN
        )

    def _agrees(
        self, claims: Claims, wanted: Weighed, evidence: Evidence, need: float
    ) -> bool:
        found = matched(wanted, evidence)
        if found.same < need or found.opposite > OPPOSED:
            return False
        sides = evidence.whole
        if not all(word.found_in(sides) for word in wanted.words if word.number):
            return False
        names = [word.found_in(sides) for word in wanted.words if word.hard]
        if names and sum(names) < _HALF * len(names):
            return False
        fresh = claims.fresh
        if not fresh:
            return True
        return matched(weighed(fresh, self.rarity), evidence).same >= _HALF

    def _section_says(self, claims: Claims, key: tuple[str, int]) -> bool:
        union = self._union(key)
        return union is not None and any(
            self._agrees(claims, weighed(words, self.rarity), union, STATED_BY_SECTION)
            for words in claims.wordings
        )

    def _union(self, key: tuple[str, int]) -> Evidence | None:
        """Give what a whole section says, None where it is long enough to say much."""
        if key not in self._unions:
            parts = [self.passages[number].whole for number in self._sections[key]]
            affirmed = frozenset().union(*(one.affirmed for one in parts))
            denied = frozenset().union(*(one.denied for one in parts))
            small = len(affirmed) + len(denied) <= LARGEST_SECTION and len(parts) > 1
            self._unions[key] = Evidence(affirmed, denied) if small else None
        return self._unions[key]

    def _key(self, number: int) -> tuple[str, int]:
        passage = self.passages[number]
        return passage.file.path, passage.statement.section

    def _near(
        self, wanted: Weighed, need: float, allowed: Callable[[Passage], bool]
    ) -> list[int]:
        """Give the statements that may say so much of some words, the likeliest first.

        Who says so much says one at least of the rarest words that weigh the rest, so
        only their statements are looked at.
        """
        postings = [
            (self._places(word), weight)
            for word, weight in zip(wanted.words, wanted.weights, strict=True)
        ]
        postings.sort(key=lambda one: len(one[0]))
        tried: set[int] = set()
        rest = wanted.total
        for places, weight in postings:
            if rest < need * wanted.total or len(tried) > _MOST_SEEDED:
                break
            tried.update(places)
            rest -= weight
        bounds = [
            (bound, -number)
            for number in tried
            if (bound := wanted.at_most(self._known[number])) >= need
        ]
        bounds.sort(reverse=True)
        near = [-number for _, number in bounds]
        return [one for one in near if allowed(self.passages[one])][:MOST_TRIED]

    def _places(self, word: Word) -> Collection[int]:
        """Give the statements that have some of a word."""
        if len(word.terms) == 1:
            return self._by_term.get(word.terms[0], ())
        found: set[int] = set()
        for term in word.terms:
            found.update(self._by_term.get(term, ()))
        return found


_HALF = 0.5
_NEGLIGIBLE = 0.3
_PART = 0.4
"""The share of a claim with which a statement lets its whole section be looked at."""

_MOST_SEEDED = 2_000
_MOST_COUNTED = 200
_SHARED = 0.34


def _passage(file: Instructions, statement: Statement) -> Passage:
    """Read a statement with what stands above it.

    A heading or a lead that is only a prohibition turns round what stands below it.
    """
    above = _above(statement.headings, statement.lead)
    own = evidence_of(statement.text)
    if above.flips and not own.denied:
        own = Evidence(frozenset(), own.affirmed)
    if above.past:
        own = Evidence(frozenset(), own.whole)
    terms = above.terms
    affirmed = frozenset() if above.past else terms - own.denied
    whole = Evidence(own.affirmed | affirmed, own.denied | (terms - own.affirmed))
    return Passage(file, statement, own, whole)


def _any(passage: Passage) -> bool:
    del passage
    return True


class _Above(NamedTuple):
    terms: frozenset[str]
    flips: bool
    past: bool


@lru_cache(maxsize=256)
def _above(headings: tuple[str, ...], lead: str) -> _Above:
    heading = headings[-1] if headings else ""
    leads = lead.rstrip("*_ ").endswith((":", "：")) and denies(lead)
    return _Above(
        terms=evidence_of("\n".join((*headings, lead))).whole,
        flips=leads or forbids_alone(heading) or forbids_alone(lead),
        past=any(map(is_about_the_past, headings)),
    )
