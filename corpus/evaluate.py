"""Measure retrieval and bundles against judged queries, without a model (P12).

Retrieval (the ranked results) and the bundle are checked apart. The same corpus and
dataset give the same report; nothing in it is a time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from corpus.bundle import MAX_ENVELOPE, bundle_of, storable
from corpus.canonical import digest
from corpus.errors import BundleLimitError
from corpus.evalreport import CaseResult, EvalReport, FailedCheck
from corpus.metrics import mean, ndcg, recall, reciprocal_rank
from corpus.ranker import MAX_LIMIT, Options
from corpus.search import search
from corpus.selection import survey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime
    from typing import Any

    from corpus.canonical import Json
    from corpus.evaldata import EvalCase
    from corpus.hits import Hit
    from corpus.view import View

    Progress = Callable[[int, int, str], None]

RANKED_TWICE = 20
"""So many first cases are ranked twice to prove that ranking repeats; every bundle is
compiled twice."""


def evaluate(
    view: View,
    cases: Sequence[EvalCase],
    *,
    now: datetime,
    progress: Progress | None = None,
) -> EvalReport:
    """Run every case against one view; a case that fails is part of the answer."""
    results = []
    snapshot = digest(view.snapshot)
    for number, case in enumerate(cases, start=1):
        answer = _answer(view, case, now, twice=number <= RANKED_TWICE)
        results.append(_judged(answer, snapshot))
        if progress is not None:
            progress(number, len(cases), "evaluating cases")
    return EvalReport(project_id=view.project_id, results=tuple(results))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """What came back for one case. `bundle` is None when none could be compiled."""

    case: EvalCase
    view: View
    hits: Sequence[Hit]
    bundle: Mapping[str, Any] | None
    repeatable: bool
    ranking: tuple[str, ...] = field(default=())

    @property
    def items(self) -> Sequence[Mapping[str, Any]]:
        return self.bundle["items"] if self.bundle is not None else ()

    @property
    def bundle_paths(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(item["source_path"] for item in self.items))

    @property
    def bundle_classes(self) -> frozenset[str]:
        return frozenset(item["authority_class"] for item in self.items)


def _answer(view: View, case: EvalCase, now: datetime, *, twice: bool) -> _Answer:
    longest = Options(limit=MAX_LIMIT)
    query = storable(case.query)
    answer = search(view, query, longest)
    hits = answer.hits[: case.retrieval_limit]
    ground = survey(view, query, max_tokens=case.max_tokens, answer=answer)
    bundle: Mapping[str, Any] | None = None
    repeatable = True
    try:
        bundle = bundle_of(ground, max_tokens=case.max_tokens, now=now)
        if twice:
            ground = survey(view, query, max_tokens=case.max_tokens)
            repeatable = search(view, query, longest) == answer
        again = bundle_of(ground, max_tokens=case.max_tokens, now=now)
        repeatable = repeatable and again == bundle
    except BundleLimitError:
        bundle = None
    return _Answer(
        case=case,
        view=view,
        hits=hits,
        bundle=bundle,
        repeatable=repeatable,
        ranking=tuple(dict.fromkeys(hit.facts.path for hit in hits)),
    )


def _judged(answer: _Answer, snapshot: str) -> CaseResult:
    failed = (
        *_retrieval_failures(answer),
        *_bundle_failures(answer),
        *_scope_failures(answer),
        *_state_failures(answer, snapshot),
    )
    scope = answer.case.forbidden_scope_paths
    isolated = not any(f.check == "forbidden_scope_paths" for f in failed)
    return CaseResult(
        name=answer.case.name,
        failed=failed,
        measures={name: _rounded(value) for name, value in _measures(answer)},
        isolated=isolated if scope else None,
    )


# What failed


def _retrieval_failures(answer: _Answer) -> Iterator[FailedCheck]:
    case, ranking = answer.case, answer.ranking
    top = ranking[0] if ranking else None
    wanted = case.expected_top_source_path
    if wanted is not None and top != wanted:
        yield _failed("expected_top_source_path", wanted, top)
    top_k = ranking[: case.top_k]
    if not set(case.expected_top_k_paths) <= set(top_k):
        yield _failed("expected_top_k_paths", case.expected_top_k_paths, top_k)
    for check, expected, got in (
        ("expected_source_authority", case.expected_source_authority, _authority),
        ("expected_source_temporal", case.expected_source_temporal, _temporal),
    ):
        standings = got(answer.hits)
        wrong = {p: v for p, v in expected.items() if standings.get(p) != v}
        if wrong:
            yield FailedCheck(
                check=check,
                expected=wrong,
                got={path: standings.get(path) for path in wrong},
            )
    status = answer.hits[0].standing.temporal if answer.hits else None
    if case.expected_temporal_status not in {None, status}:
        yield _failed("expected_temporal_status", case.expected_temporal_status, status)
    yield from _present(
        "forbidden_retrieval_source_paths",
        case.forbidden_retrieval_source_paths,
        ranking,
    )


def _bundle_failures(answer: _Answer) -> Iterator[FailedCheck]:
    case = answer.case
    if answer.bundle is None:
        yield _failed("bundle", "a bundle", BundleLimitError.code)
        return
    paths, classes = answer.bundle_paths, answer.bundle_classes
    if not set(case.expected_source_paths) <= set(paths):
        yield _failed("expected_source_paths", case.expected_source_paths, paths)
    if not set(case.expected_authority_classes) <= classes:
        yield _failed(
            "expected_authority_classes",
            case.expected_authority_classes,
            sorted(classes),
        )
    yield from _present("forbidden_source_paths", case.forbidden_source_paths, paths)
    yield from _present(
        "forbidden_authority_classes", case.forbidden_authority_classes, classes
    )
    text = _spaced("\n".join(item["text"] for item in answer.items))
    missing = [each for each in case.must_contain if _spaced(each) not in text]
    if missing:
        yield _failed("must_contain", case.must_contain, _without(case, missing))
    held = [each for each in case.must_not_contain if _spaced(each) in text]
    if held:
        yield _failed("must_not_contain", [], held)


def _scope_failures(answer: _Answer) -> Iterator[FailedCheck]:
    seen = {*answer.view.snapshot, *answer.ranking, *answer.bundle_paths}
    yield from _present(
        "forbidden_scope_paths", answer.case.forbidden_scope_paths, seen
    )


def _state_failures(answer: _Answer, snapshot: str) -> Iterator[FailedCheck]:
    case = answer.case
    if case.expected_project_id not in {None, answer.view.project_id}:
        yield _failed(
            "expected_project_id", case.expected_project_id, answer.view.project_id
        )
    if case.expected_snapshot_digest not in {None, snapshot}:
        yield _failed(
            "expected_snapshot_digest", case.expected_snapshot_digest, snapshot
        )
    if answer.bundle is not None and not _in_budget(answer.bundle):
        tokens = answer.bundle["budget"]["estimated_tokens"]
        yield _failed("max_tokens", case.max_tokens, tokens)
    if not answer.repeatable:
        yield _failed("repeatability", "the same answer twice", "two answers")
    stale = _stale_paths(answer)
    if stale:
        yield _failed("staleness", [], stale)


def _failed(check: str, expected: Json, got: Json) -> FailedCheck:
    return FailedCheck(check=check, expected=_plain(expected), got=_plain(got))


def _plain(value: Json) -> Json:
    return list(value) if isinstance(value, tuple) else value


def _present(
    check: str, forbidden: Sequence[str], seen: Iterable[str]
) -> Iterator[FailedCheck]:
    found = sorted(set(forbidden) & set(seen))
    if found:
        yield _failed(check, [], found)


def _without(case: EvalCase, missing: Sequence[str]) -> list[str]:
    return [each for each in case.must_contain if each not in missing]


def _spaced(text: str) -> str:
    return " ".join(text.split())


def _authority(hits: Iterable[Hit]) -> dict[str, str]:
    return {hit.facts.path: hit.standing.authority for hit in hits}


def _temporal(hits: Iterable[Hit]) -> dict[str, str]:
    return {hit.facts.path: hit.standing.temporal for hit in hits}


# What is measured


def _measures(answer: _Answer) -> Iterator[tuple[str, float | None]]:
    case, ranking = answer.case, answer.ranking
    top = case.expected_top_source_path
    relevant = {
        *case.expected_top_k_paths,
        *case.expected_source_paths,
        *((top,) if top else ()),
    }
    asked = bool(relevant)
    yield "recall_at_k", recall(ranking[: case.top_k], relevant) if asked else None
    wanted = case.expected_source_paths
    yield "bundle_recall", recall(answer.bundle_paths, wanted) if wanted else None
    yield "mrr", reciprocal_rank(ranking, relevant) if asked else None
    yield "ndcg_at_10", ndcg(ranking, relevant) if asked else None
    yield "contamination", _contamination(answer)
    temporal = _correct(case.expected_source_temporal, _temporal(answer.hits))
    if case.expected_temporal_status is not None:
        status = answer.hits[0].standing.temporal if answer.hits else None
        temporal.append(status == case.expected_temporal_status)
    yield "temporal", mean(temporal)
    authority = _correct(case.expected_source_authority, _authority(answer.hits))
    authority += [
        each in answer.bundle_classes for each in case.expected_authority_classes
    ]
    yield "authority", mean(authority)
    fits = answer.bundle is not None and _in_budget(answer.bundle)
    yield "budget", float(fits)
    yield "staleness", float(bool(_stale_paths(answer)))
    yield "repeatability", float(answer.repeatable)


def _contamination(answer: _Answer) -> float | None:
    """Give the share of what came back that was forbidden."""
    case = answer.case
    paths = {*case.forbidden_source_paths, *case.forbidden_scope_paths}
    classes = set(case.forbidden_authority_classes)
    ranked = {*case.forbidden_retrieval_source_paths, *case.forbidden_scope_paths}
    if not paths | classes | ranked:
        return None
    bad = [
        item["source_path"] in paths or item["authority_class"] in classes
        for item in answer.items
    ]
    bad += [hit.facts.path in ranked for hit in answer.hits]
    return sum(bad) / len(bad) if bad else 0.0


def _correct(expected: Mapping[str, str], got: Mapping[str, str]) -> list[float]:
    return [float(got.get(path) == value) for path, value in expected.items()]


def _in_budget(bundle: Mapping[str, Any]) -> bool:
    budget = bundle["budget"]
    fits: bool = budget["estimated_tokens"] <= budget["max_tokens"]
    return fits and bundle["serialized_bytes"] <= MAX_ENVELOPE


def _stale_paths(answer: _Answer) -> list[str]:
    """Name the sources cited at a version that is not the current one."""
    snapshot = answer.view.snapshot
    return sorted(
        {
            item["source_path"]
            for item in answer.items
            if snapshot.get(item["source_path"]) != item["source_sha256"]
        }
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)
