"""Passages of providers, scored beside the index as the index's own would be.

They are in no index: their terms are counted when a question is asked. Rarity and mean
lengths are those of the files, so what is joined never changes the score of a file's
passage, nor the order of two of them.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from corpus.hits import Hit, item_id
from corpus.index.postings import COUNT_MASK
from corpus.ranking import SOURCE_SHARE, Contents, score_text
from corpus.sources.facts import Facts, Piece, Standing
from corpus.substance import substance
from corpus.worth import (
    ASKED_HISTORY,
    EQUAL_COVERAGE,
    EQUAL_SCORE,
    NEARNESS_SHARE,
    RUNG,
    SCALE,
    TIME,
    UNSAID,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from corpus.lexical import WantedTerms
    from corpus.nearness import QueryPairs
    from corpus.ranking import Layout, Scores, TextScore
    from corpus.sources.provided import Provided

FIRST_NUMBER = -2
"""The first of the numbers below zero that passages of providers go by."""


class Question(NamedTuple):
    """What is asked, in the forms that scoring needs."""

    layout: Layout
    scores: Scores
    pairs: QueryPairs
    wanted: WantedTerms
    history: bool


class Joined(NamedTuple):
    """A passage, the share of its score it keeps for what it says, and its terms.

    `present` are the query's terms that stand in its text.
    """

    hit: Hit
    says: float
    present: frozenset[str]


def join(
    question: Question,
    sources: Sequence[Provided],
    files: Sequence[tuple[Hit, float]],
) -> list[Joined]:
    """Score the sources that hold a term of the query, and give them best first.

    Each stands below every passage of `files`, given with what it scores by itself,
    that is as relevant.
    """
    found = (
        _joined(question, source, FIRST_NUMBER - at, files)
        for at, source in enumerate(sources)
    )
    return sorted(
        (one for one in found if one is not None),
        key=lambda one: (-one.hit.score, one.hit.facts.path),
    )


def _joined(
    question: Question,
    source: Provided,
    number: int,
    files: Sequence[tuple[Hit, float]],
) -> Joined | None:
    words = question.wanted.of(source.text)
    score = _score(question, source, words)
    if not score.piece:
        return None
    near, phrase = question.pairs.nearness(words)
    present = question.pairs.wanted.intersection(words)
    says = substance(source.text)
    shared, near = SOURCE_SHARE * score.source, NEARNESS_SHARE * near
    relevance = score.piece + shared + near
    factor = 1 + RUNG[source.authority] + _age(source, history=question.history)
    kept = says * (1.0 if present else UNSAID)
    total = question.scores.total_weight
    hit = Hit(
        number=number,
        item_id=item_id(source.path, 0, source.sha256),
        text=source.text,
        piece=Piece(1, source.text.count("\n") + 1, 0, 0, ()),
        facts=_facts(source),
        standing=_standing(source),
        section=source.title,
        heading_path=(source.title,) if source.title else (),
        relevance=relevance,
        coverage=score.coverage / total if total else 0.0,
        score=round(SCALE * relevance * factor * kept),
        reasons=tuple(_reasons(source, phrase=phrase)),
        explain={
            "passage": round(score.piece, 3),
            "source": round(shared, 3),
            "nearness": round(near, 3),
            "authority_and_time": round(factor, 3),
        },
        provided=source,
    )
    return Joined(_below(hit, score.piece, files), says, present)


def _score(question: Question, source: Provided, words: Sequence[str]) -> TextScore:
    """Score a source; a word that is not asked for counts for the length alone."""
    counts = {term: min(COUNT_MASK, count) for term, count in Counter(words).items()}
    title = frozenset(question.wanted.of(source.title))
    return score_text(
        question.layout, question.scores.terms, Contents(counts, title, len(words))
    )


def _below(hit: Hit, own: float, files: Sequence[tuple[Hit, float]]) -> Hit:
    """Lower a passage below every file's passage that is as relevant."""
    above = [
        file.score - 1
        for file, files_own in files
        if file.coverage >= hit.coverage - EQUAL_COVERAGE
        and files_own >= EQUAL_SCORE * own
    ]
    return hit._replace(score=min([hit.score, *above]))


def _age(source: Provided, *, history: bool) -> float:
    if not source.superseded:
        return 0.0
    return ASKED_HISTORY if history else TIME["superseded"]


def _reasons(source: Provided, *, phrase: bool) -> Iterator[str]:
    if phrase:
        yield "exact_phrase"
    if source.superseded_by is not None:
        yield f"superseded_by:{source.superseded_by}"


def _standing(source: Provided) -> Standing:
    return Standing(source.authority, "superseded" if source.superseded else "current")


def _facts(source: Provided) -> Facts:
    return Facts(
        path=source.path,
        kind=source.kind,
        sha256=source.sha256,
        size=len(source.text.encode()),
        nonblank_lines=sum(1 for line in source.text.split("\n") if line.strip()),
        timestamp=source.valid_from,
        task_status=None,
        declared_past=False,
        supersedes=(),
    )
