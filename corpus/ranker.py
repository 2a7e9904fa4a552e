"""Put scored pieces in their final order, and say why each stands where it does."""

from __future__ import annotations

from heapq import merge
from itertools import chain
from typing import TYPE_CHECKING, Literal, NamedTuple

from corpus.headings import heading_at
from corpus.hits import Hit, is_past, item_id
from corpus.joined import Question, join
from corpus.lexical import WantedTerms
from corpus.nearness import QueryPairs
from corpus.ranking import SOURCE_SHARE
from corpus.sameness import Profile, likeness
from corpus.sources.facts import piece_text
from corpus.substance import HOLLOW, WHOLE, substance
from corpus.worth import (
    ASKED_HISTORY,
    AUTHORITY,
    DECLARED_PAST,
    EQUAL_COVERAGE,
    EQUAL_SCORE,
    NEARNESS_SHARE,
    RECENCY,
    SCALE,
    TIME,
    UNSAID,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from corpus.lexical import QueryTerm
    from corpus.policy import Scope
    from corpus.ranking import Scores
    from corpus.sources.provided import Provided
    from corpus.view import View

Temporal = Literal["any", "current", "historical"]

MIN_LIMIT, MAX_LIMIT, DEFAULT_LIMIT = 1, 100, 20
OPENINGS = 12
"""How many pieces of a successor are tried for one that says something."""

STANDS_IN = "supersedes:"
"""Begins the selection reason of a passage that took the place of a superseded one."""

EXAMINED = 90
"""Pieces whose text decides their order, however many results are asked for; so a
shorter answer is the beginning of a longer one."""

REPEAT = 0.92
"""Each further passage of the same source counts this much of the one before."""

EQUALS = 40
"""How many of the best passages are compared for being equally relevant."""

STEP = 0.03
"""A difference in standing smaller than this changes no order of its own."""

MAX_CONFLICTS = 5

ASKED_ABOUT = 0.6
"""A superseded source that matches this well, compared with the best, is what a
query for a successor is about."""


class Options(NamedTuple):
    """What a caller may ask of a query besides its words.

    `limit` counts results, 1 to 100. `kind` is an artifact type. `temporal` keeps the
    current (with scoped, unknown and open tasks) or the historical (with superseded).
    """

    limit: int = DEFAULT_LIMIT
    kind: str | None = None
    temporal: Temporal = "any"
    path: Scope | None = None
    explain: bool = False


class Intent(NamedTuple):
    """What the words of a query ask for: what was, or what took something's place."""

    history: bool
    successor: bool


class Ranker:
    """The final order of one query's pieces."""

    def __init__(
        self,
        view: View,
        terms_asked: Sequence[QueryTerm],
        scores: Scores,
        options: Options,
        intent: Intent,
        provided: Sequence[Provided] = (),
    ) -> None:
        self.view = view
        self.layout = view.layout
        self.scores = scores
        self.options = options
        self.history, self.successor = intent
        self.asked = terms_asked
        weights = {w.term.text: w.weight for w in scores.terms}
        self.pairs = QueryPairs([t.text for t in terms_asked], weights)
        self.wanted = WantedTerms(self.pairs.wanted)
        self.present: dict[int, frozenset[str]] = {}
        self.says: dict[int, float] = {}
        self.standing = [0.0] * len(view.rows.facts)
        self.factors = self._factors()
        self.source_scores = [SOURCE_SHARE * gained for gained in scores.sources]
        self.superseded_by = view.successors
        self.provided = provided

    def hits(self) -> tuple[Hit, ...]:
        """Give the results, best first."""
        shortlist = self._shortlist()
        found = [self._hit(*entry) for entry in shortlist[:EXAMINED]]
        found = self._ordered_by_standing(sorted(found, key=_order))
        if not self.history:
            found = self._yield_to_successors(found)
        found = self._spread(sorted(found, key=_order))
        shown = {hit.number for hit in found}
        rest = (entry for entry in shortlist[EXAMINED:] if entry[0] not in shown)
        ranked = chain(found, self._tail(found, rest))
        return self._distinct(merge(ranked, self._joined(found), key=_by_score))

    def _joined(self, found: Sequence[Hit]) -> Iterator[Hit]:
        """Give the passages of providers, each below the files' that match as well."""
        if not self.provided:
            return
        question = Question(
            self.layout, self.scores, self.pairs, self.wanted, self.history
        )
        wanted = [
            source
            for source in self.provided
            if self._wanted(source.path, source.kind, past=source.superseded)
        ]
        pieces, says = self.scores.pieces, self.says
        files = [
            (hit, pieces[hit.number]) for hit in found if says[hit.number] == WHOLE
        ]
        for one in join(question, wanted, files):
            number = one.hit.number
            self.says[number], self.present[number] = one.says, one.present
            yield one.hit if self.options.explain else one.hit._replace(explain={})

    def _tail(
        self, found: Sequence[Hit], rest: Iterable[tuple[int, int]]
    ) -> Iterator[Hit]:
        """Give what follows those examined, read only when it is asked for."""
        lowest = found[-1].score if found else 0
        for entry in rest:
            hit = self._hit(*entry)
            lowest = min(hit.score, lowest)
            yield hit._replace(score=lowest)

    def _factors(self) -> list[float]:
        """Give each source's authority and time factor; 0 where it is filtered out."""
        rows = self.view.rows
        dates = sorted({f.timestamp for f in rows.facts if f.timestamp})
        recency = {date: (at + 1) / len(dates) for at, date in enumerate(dates)}
        factors = []
        for facts, standing in zip(rows.facts, rows.standings, strict=True):
            past = is_past(facts, standing)
            if not self._wanted(facts.path, facts.kind, past=past):
                factors.append(0.0)
                continue
            time = TIME[standing.temporal] if past or facts.kind != "task" else 0.0
            if facts.declared_past:
                time = min(time, DECLARED_PAST)
            if past and self.history:
                time = ASKED_HISTORY
            self.standing[len(factors)] = 1 + AUTHORITY[standing.authority] + time
            recent = RECENCY * recency.get(facts.timestamp or "", 0.0)
            factors.append(self.standing[len(factors)] + recent)
        return factors

    def _wanted(self, path: str, kind: str, *, past: bool) -> bool:
        asked = self.options
        return (
            (asked.kind is None or asked.kind == kind)
            and (asked.path is None or asked.path.matches(path))
            and (asked.temporal == "any" or past == (asked.temporal == "historical"))
        )

    def _shortlist(self) -> list[tuple[int, int]]:
        """Give the best pieces, each with how many exact duplicates it stands for."""
        owners, factors, sources = self.layout.owners, self.factors, self.source_scores
        ranked = sorted(
            (
                -(gained + sources[owner]) * factors[owner],
                owner,
                number,
            )
            for number, (gained, owner) in enumerate(
                zip(self.scores.pieces, owners, strict=True)
            )
            if gained and factors[owner]
        )
        chosen: dict[int, tuple[int, int]] = {}
        same, twins = self.layout.same, self.layout.twins
        for _, _, number in ranked:
            if same[number] not in chosen:
                alike = twins.get(same[number], ())
                others = sum(1 for twin in alike if factors[owners[twin]]) - 1
                chosen[same[number]] = (number, max(0, others))
                if len(chosen) == EXAMINED + MAX_LIMIT:
                    break
        return list(chosen.values())

    def _hit(self, number: int, duplicates: int) -> Hit:
        view, layout = self.view, self.layout
        owner = layout.owners[number]
        facts, standing = view.rows.facts[owner], view.rows.standings[owner]
        piece = layout.piece(number)
        lines = view.lines(facts.path)
        text = piece_text(lines, piece)
        headings = tuple(heading_at(lines, line) for line in piece.headings)
        found = self.wanted.of(text)
        self.present[number] = self.pairs.wanted.intersection(found)
        near, phrase = self.pairs.nearness(found)
        total = self.scores.total_weight
        covered = self.scores.coverage[number] / total if total else 0.0
        shared = self.source_scores[owner]
        relevance = self.scores.pieces[number] + shared + NEARNESS_SHARE * near
        self.says[number] = substance(text)
        if self.says[number] == HOLLOW:
            covered = 0.0
        return Hit(
            number=number,
            item_id=item_id(
                facts.path, number - layout.first_pieces[owner], facts.sha256
            ),
            text=text,
            piece=piece,
            facts=facts,
            standing=standing,
            section=headings[-1] if headings else "",
            heading_path=headings,
            relevance=relevance,
            coverage=covered,
            score=round(SCALE * relevance * self.factors[owner]),
            reasons=("exact_phrase",) if phrase else (),
            duplicates=duplicates,
            explain=self._explained(number, shared, near)
            if self.options.explain
            else {},
        )

    def _explained(
        self, number: int, shared: float, near: float
    ) -> Mapping[str, float]:
        owner = self.layout.owners[number]
        return {
            "passage": round(self.scores.pieces[number], 3),
            "source": round(shared, 3),
            "nearness": round(NEARNESS_SHARE * near, 3),
            "authority_and_time": round(self.factors[owner], 3),
        }

    def _ordered_by_standing(self, found: list[Hit]) -> list[Hit]:
        """Let a passage of higher standing stand above those it matches as well as.

        Two passages are equally relevant when the one covers as much of the query as
        the other and scores nearly as much by itself, whatever source it stands in.
        """
        top, rest = found[:EQUALS], found[EQUALS:]
        raised: list[Hit] = []
        for hit in top:
            score = hit.score
            for other in reversed(raised):
                if self._outranks(hit, other):
                    score = max(score, other.score + 1)
            raised.append(hit._replace(score=score) if score > hit.score else hit)
        return [*raised, *rest]

    def _outranks(self, hit: Hit, other: Hit) -> bool:
        own, others = self.scores.pieces[hit.number], self.scores.pieces[other.number]
        return (
            self._standing(hit) >= self._standing(other) + STEP
            and hit.coverage >= other.coverage - EQUAL_COVERAGE
            and own >= EQUAL_SCORE * others
        )

    def _standing(self, hit: Hit) -> float:
        owner = self.view.positions[hit.facts.path]
        return self.standing[owner]

    def _yield_to_successors(self, found: Sequence[Hit]) -> list[Hit]:
        """Put each superseded source's successor right above it.

        Where the query asks what took something's place, and the best superseded
        source is nearly the best match of all, its successor comes first.
        """
        floors: dict[str, tuple[int, str]] = {}
        best: dict[str, Hit] = {}
        if self.successor:
            found = self._answered_by_successor(found)
        for hit in found:
            path = hit.facts.path
            if path not in best or hit.score > best[path].score:
                best[path] = hit
            for successor in self.superseded_by.get(path, ()):
                floor = (hit.score + 1, path)
                floors[successor] = max(floor, floors.get(successor, floor))
        raised: dict[int, Hit] = {}
        for path, (least, old) in floors.items():
            hit_or_none = best.get(path)
            if hit_or_none is None or self.says[hit_or_none.number] != WHOLE:
                hit_or_none = self._opening(path)
            if hit_or_none is not None:
                reasons = (*hit_or_none.reasons, f"{STANDS_IN}{old}")
                score = max(hit_or_none.score, least)
                raised[hit_or_none.number] = hit_or_none._replace(
                    score=score, reasons=reasons
                )
        return [*raised.values(), *(h for h in found if h.number not in raised)]

    def _answered_by_successor(self, found: Sequence[Hit]) -> Sequence[Hit]:
        top = max((hit.score for hit in found), default=0)
        asked = max(
            (hit for hit in found if hit.facts.path in self.superseded_by),
            key=lambda hit: hit.score,
            default=None,
        )
        if asked is None or asked.score < ASKED_ABOUT * top:
            return found
        facts, positions = self.view.rows.facts, self.view.positions
        successors = self.superseded_by[asked.facts.path]
        if all(facts[positions[path]].declared_past for path in successors):
            return found
        first = asked._replace(score=top)
        return [first, *(hit for hit in found if hit is not asked)]

    def _opening(self, path: str) -> Hit | None:
        """Give a source's first piece that says something, unless filtered out."""
        owner = self.view.positions[path]
        first = self.layout.first_pieces[owner]
        if first < 0 or not self.factors[owner]:
            return None
        opening = self._hit(first, 0)
        owners = self.layout.owners
        for number in range(first + 1, min(first + OPENINGS, len(owners))):
            if self.says[opening.number] == WHOLE or owners[number] != owner:
                break
            opening = self._hit(number, 0)
        return opening

    def _spread(self, ordered: Sequence[Hit]) -> list[Hit]:
        """Let each further passage of a source, and each that says little, count less.

        A passage that stands in for a superseded source keeps the place it was given.
        """
        seen: dict[str, int] = {}
        spread = []
        for hit in ordered:
            before = seen.get(hit.facts.path, 0)
            seen[hit.facts.path] = before + 1
            share = REPEAT**before
            if not any(reason.startswith(STANDS_IN) for reason in hit.reasons):
                share *= self.says[hit.number]
                share *= 1.0 if self.present[hit.number] else UNSAID
            spread.append(hit._replace(score=round(hit.score * share)))
        return sorted(spread, key=_order)

    def _distinct(self, ordered: Iterable[Hit]) -> tuple[Hit, ...]:
        """Suppress near-duplicates; let contradicting passages point at each other."""
        kept: list[Hit] = []
        profiles: list[Profile] = []
        joined: set[int] = set()
        for hit in ordered:
            if len(kept) == self.options.limit:
                break
            if self.says[hit.number] != WHOLE:
                kept.append(hit)
                profiles.append(Profile(""))
                continue
            own = Profile(hit.text)
            deaf = joined if hit.provided is None else frozenset[int]()
            twin, against = _compare(own, profiles, deaf)
            if twin is not None:
                more = kept[twin].duplicates + 1 + hit.duplicates
                kept[twin] = kept[twin]._replace(duplicates=more)
                continue
            for other in against:
                kept[other] = _pointing(kept[other], hit)
                hit = _pointing(hit, kept[other])  # noqa: PLW2901 - a value, grown
            if hit.provided is not None:
                joined.add(len(kept))
            kept.append(hit)
            profiles.append(own)
        return tuple(hit._replace(reasons=tuple(self._reasons(hit))) for hit in kept)

    def _reasons(self, hit: Hit) -> Iterator[str]:
        present = self.present[hit.number]
        under = set(self.wanted.of("\n".join(hit.heading_path)))
        words = [t.text for t in self.asked if t.text in present]
        if words:
            yield "lexical_terms:" + ",".join(sorted(words))
        headed = [t.text for t in self.asked if t.text in under]
        if headed:
            yield "heading_terms:" + ",".join(sorted(headed))
        yield from hit.reasons
        for successor in self.superseded_by.get(hit.facts.path, ()):
            yield f"superseded_by:{successor}"
        yield f"authority:{hit.standing.authority}"
        yield f"temporal:{hit.standing.temporal}"
        if hit.facts.declared_past:
            yield "declares_itself_past"
        if hit.past and self.history:
            yield "historical_query_intent"
        if hit.provided is None or not hit.provided.everywhere:
            yield "exact_project_scope"
        if hit.facts.timestamp:
            yield "explicit_timestamp"
        if hit.section:
            yield "section_provenance"


def _order(hit: Hit) -> tuple[int, str, int, int]:
    return (-hit.score, hit.facts.path, hit.piece.first, hit.piece.begin)


def _by_score(hit: Hit) -> int:
    return -hit.score


def _compare(
    own: Profile, others: Sequence[Profile], deaf: AbstractSet[int]
) -> tuple[int | None, list[int]]:
    """Find the first duplicate, or else every contradiction.

    Those in `deaf` are of providers, and hide nothing that a file says.
    """
    against = []
    for at, other in enumerate(others):
        alike = likeness(own, other)
        if alike == "duplicate":
            if at in deaf:
                continue
            return at, []
        if alike == "conflict":
            against.append(at)
    return None, against


def _pointing(hit: Hit, other: Hit) -> Hit:
    known = hit.conflicts
    if other.item_id in known or len(known) >= MAX_CONFLICTS:
        return hit
    return hit._replace(conflicts=(*known, other.item_id))
