"""What an evaluation found, and how it compares with an earlier one; values only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpus.errors import EvalSchemaError
from corpus.metrics import mean

if TYPE_CHECKING:
    from collections.abc import Mapping

    from corpus.canonical import Json

UNTESTED = "untested"

MEASURES = (
    "recall_at_k",
    "bundle_recall",
    "mrr",
    "ndcg_at_10",
    "contamination",
    "temporal",
    "authority",
    "budget",
    "staleness",
    "repeatability",
)
"""What is averaged over the cases that measure it; `isolation` comes on top."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedCheck:
    """One expectation that did not hold: what was expected, what came."""

    check: str
    expected: Json
    got: Json

    def as_json(self) -> dict[str, object]:
        """Give the check as a JSON object."""
        return {"check": self.check, "expected": self.expected, "got": self.got}


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """What one case showed; a measure is None where the case does not ask for it.

    Measures run from 0 to 1; of `contamination` and `staleness` 0 is best. `isolated`
    is None without a scope assertion.
    """

    name: str
    failed: tuple[FailedCheck, ...]
    measures: Mapping[str, float | None]
    isolated: bool | None

    @property
    def passed(self) -> bool:
        """Whether every expectation held."""
        return not self.failed

    def as_json(self) -> dict[str, object]:
        """Give the result as a JSON object."""
        return {
            "name": self.name,
            "pass": self.passed,
            "failed_checks": [each.as_json() for each in self.failed],
            **self.measures,
            "isolation": UNTESTED if self.isolated is None else float(self.isolated),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """An earlier report against this one: names of cases, differences of means."""

    better: tuple[str, ...]
    worse: tuple[str, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    means: Mapping[str, float]

    def as_json(self) -> dict[str, object]:
        """Give the comparison as a JSON object."""
        return {
            "better": list(self.better),
            "worse": list(self.worse),
            "added": list(self.added),
            "removed": list(self.removed),
            "means": dict(self.means),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalReport:
    """The results of a dataset, in its order."""

    project_id: str
    results: tuple[CaseResult, ...]
    baseline: Comparison | None = None

    @property
    def ok(self) -> bool:
        """Whether every case passed."""
        return all(result.passed for result in self.results)

    @property
    def means(self) -> dict[str, float | str | None]:
        """Average each measure over the cases that have it."""
        found: dict[str, float | str | None] = {
            name: mean(result.measures[name] for result in self.results)
            for name in MEASURES
        }
        isolation = mean(
            None if result.isolated is None else float(result.isolated)
            for result in self.results
        )
        found["isolation"] = UNTESTED if isolation is None else isolation
        return found

    def as_json(self) -> dict[str, object]:
        """Give the report as one JSON object."""
        value: dict[str, object] = {
            "ok": self.ok,
            "project_id": self.project_id,
            "case_count": len(self.results),
            "means": self.means,
            "results": [result.as_json() for result in self.results],
            "non_authoritative": True,
        }
        if self.baseline is not None:
            value["baseline"] = self.baseline.as_json()
        return value


def compare(report: EvalReport, earlier: Json) -> Comparison:
    """Say what changed since an earlier report, case by case and in the mean.

    A case is better or worse when it passes or fails now and did not before; between
    equals the number of failed checks, then the rank measures decide. Raises
    `EvalSchemaError` (case 0) when `earlier` is no report of an evaluation.
    """
    before = _read_report(earlier)
    now = {result.name: _standing(result.as_json()) for result in report.results}
    was = {name: _standing(value) for name, value in before.results.items()}
    both = [name for name in now if name in was]
    means = {
        name: round(value - before.means[name], 6)
        for name, value in report.means.items()
        if isinstance(value, float) and name in before.means
    }
    return Comparison(
        better=tuple(name for name in both if now[name] > was[name]),
        worse=tuple(name for name in both if now[name] < was[name]),
        added=tuple(name for name in now if name not in was),
        removed=tuple(name for name in was if name not in now),
        means=means,
    )


@dataclass(frozen=True, slots=True)
class _Earlier:
    results: Mapping[str, Mapping[str, object]]
    means: Mapping[str, float]


def _read_report(value: Json) -> _Earlier:
    results: dict[str, Mapping[str, object]] = {}
    means: dict[str, float] = {}
    if isinstance(value, dict):
        for each in _listed(value.get("results")):
            name = each.get("name")
            if isinstance(name, str) and isinstance(each.get("pass"), bool):
                results[name] = each
        stated = value.get("means")
        if isinstance(stated, dict):
            means = {
                name: float(number)
                for name, number in stated.items()
                if isinstance(number, (int, float)) and not isinstance(number, bool)
            }
    if not results:
        raise EvalSchemaError(
            case=0, field="baseline", reason="is not a report of `context eval`"
        )
    return _Earlier(results, means)


def _listed(value: object) -> list[dict[str, object]]:
    rows = value if isinstance(value, list) else []
    return [each for each in rows if isinstance(each, dict)]


def _standing(result: Mapping[str, object]) -> tuple[float, ...]:
    """Order two results of one case: more is better."""
    failed = result.get("failed_checks")
    ranks = (result.get("mrr"), result.get("ndcg_at_10"), result.get("recall_at_k"))
    return (
        float(result.get("pass") is True),
        -float(len(failed)) if isinstance(failed, list) else 0.0,
        *(float(each) if isinstance(each, (int, float)) else 0.0 for each in ranks),
    )
