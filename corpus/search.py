"""Answer a query with ranked passages, each a pointer into a source at one version.

The order is decided by relevance first: term rarity and coverage, the source it
stands in, phrase and proximity. Authority and time then order what is equally
relevant; together they move a score by less than a fifth, so they never lift a
passage above one that clearly matches more (P7.2). One thing may: a source that
another one supersedes gives its place to its successor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from corpus.errors import QueryEmptyError, QueryLimitError
from corpus.intent import asks_for_history, asks_for_successor
from corpus.lexical import query_terms
from corpus.ranker import MAX_LIMIT, MIN_LIMIT, Intent, Options, Ranker
from corpus.ranking import score, weigh
from corpus.sources.provided import RUNGS

if TYPE_CHECKING:
    from corpus.findings import Finding
    from corpus.hits import Hit
    from corpus.sources.provided import Provided
    from corpus.view import View


class QueryResult(NamedTuple):
    """The ranked answer to one query; `findings` are of providers that failed."""

    project_id: str
    query: str
    hits: tuple[Hit, ...]
    history_asked: bool
    guarantee_level: str
    note: str | None = None
    findings: tuple[Finding, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Give the answer as `context query` prints it."""
        value: dict[str, object] = {
            "schema_version": "1",
            "project_id": self.project_id,
            "query": self.query,
            "results": [hit.as_json(self.project_id) for hit in self.hits],
            "conflicts": sum(1 for hit in self.hits if hit.conflicts),
            "history_asked": self.history_asked,
            "guarantee_level": self.guarantee_level,
            "non_authoritative": True,
        }
        if self.note is not None:
            value["note"] = self.note
        if self.findings:
            value["findings"] = [finding.as_json() for finding in self.findings]
        return value


def search(view: View, query: str, options: Options | None = None) -> QueryResult:
    """Rank the passages of a view for a query.

    The same view, query and options give the same answer. Raises `QueryEmptyError` and
    `QueryLimitError`.
    """
    asked = options or Options()
    if not query.strip():
        raise QueryEmptyError
    if not MIN_LIMIT <= asked.limit <= MAX_LIMIT:
        raise QueryLimitError(found=asked.limit, minimum=MIN_LIMIT, maximum=MAX_LIMIT)
    successor = asks_for_successor(query)
    history = asked.temporal == "historical" or (
        asks_for_history(query) and not successor
    )
    found = query_terms(query)
    scores = score(view.layout, weigh(view.layout, found, view.hashed))
    given = _provided(view, query, asked, history=history)
    ranker = Ranker(view, found, scores, asked, Intent(history, successor), given)
    return QueryResult(
        project_id=view.project_id,
        query=query,
        hits=ranker.hits(),
        history_asked=history,
        guarantee_level=view.project.scan.guarantee_level,
        note=_note(len(found), len(scores.terms)),
        findings=view.provision.findings,
    )


def _provided(
    view: View, query: str, asked: Options, *, history: bool
) -> tuple[Provided, ...]:
    """Ask the providers, where what they give is wanted at all."""
    if asked.kind is not None and asked.kind not in RUNGS:
        return ()
    return view.provision.find(query, history=history)


def _note(asked: int, used: int) -> str | None:
    if not asked:
        return "no usable terms"
    if used < asked:
        return f"{asked - used} of {asked} terms left out: they stand nearly everywhere"
    return None
