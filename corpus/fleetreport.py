"""What was done to many corpora: a bounded row for each, in the order they were named.

A row holds no time, no process and no path but the ones its user gave or its project
has inside; so the same corpora give the same rows wherever the work was done.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from corpus.doctor import Report
    from corpus.errors import CodedError
    from corpus.evalreport import CaseResult, EvalReport
    from corpus.findings import Finding
    from corpus.index.build import BuildReport

    Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]

Job = Literal["build", "doctor", "eval"]

State = Literal["done", "untested", "failed"]
"""`untested`: there is no dataset. `failed`: there is no report, but an error."""

MOST = 10
"""How many skipped files, issues or failed cases a row names; it counts all of them."""

LONGEST = 200
"""How many characters of a detail or a name a row holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What became of one corpus. `root` is the folder as it was given.

    `content` is the bounded report of one that is done, the failure of one that
    failed, and empty for one that is untested.
    """

    root: str
    state: State
    ok: bool
    content: Mapping[str, Json]

    def as_json(self) -> dict[str, object]:
        """Give the row as a JSON object."""
        value: dict[str, object] = {
            "root": self.root,
            "state": self.state,
            "ok": self.ok,
        }
        if self.state == "done":
            return {**value, "report": dict(self.content)}
        return {**value, **self.content}


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetReport:
    """The rows of one run; `repeated` pairs a further name with the corpus's first."""

    job: Job
    rows: tuple[Row, ...]
    repeated: tuple[tuple[str, str], ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing failed and something was done.

        An evaluation in which no corpus has a dataset has measured nothing.
        """
        done = any(row.state == "done" for row in self.rows)
        return done and all(row.ok for row in self.rows)

    @property
    def counts(self) -> dict[str, int]:
        """Count the corpora by what became of them; each is counted once."""
        return {
            "corpora": len(self.rows),
            "fine": sum(row.state == "done" and row.ok for row in self.rows),
            "with_problems": sum(
                row.state == "done" and not row.ok for row in self.rows
            ),
            "untested": sum(row.state == "untested" for row in self.rows),
            "failed": sum(row.state == "failed" for row in self.rows),
        }

    def as_json(self) -> dict[str, object]:
        """Give the report as one JSON object."""
        return {
            "ok": self.ok,
            "job": self.job,
            "counts": self.counts,
            "rows": [row.as_json() for row in self.rows],
            "repeated": [
                {"root": root, "same_as": first} for root, first in self.repeated
            ],
            "non_authoritative": True,
        }


def failed_row(root: str, error: CodedError) -> Row:
    """Make the row of a corpus that could not be worked on."""
    facts: dict[str, Json] = dict(error.facts)
    content: dict[str, Json] = {
        "error": error.code,
        "detail": str(error),
        "hint": error.hint,
        "facts": facts,
    }
    return Row(root=root, state="failed", ok=False, content=content)


def untested_row(root: str) -> Row:
    """Make the row of a corpus that has no dataset."""
    return Row(root=root, state="untested", ok=True, content={})


def built_row(root: str, report: BuildReport) -> Row:
    """Make the row of a build; a file that was skipped is no failure of it."""
    content: dict[str, Json] = {
        "project_id": report.project_id,
        "source_count": report.source_count,
        "item_count": report.item_count,
        "parsed": report.parsed,
        "written": report.written,
        "source_snapshot_digest": report.source_snapshot_digest,
        "guarantee_level": report.guarantee_level,
        "skipped_count": len(report.skipped),
        "skipped": [
            {"source_path": path, "reason": reason}
            for path, reason in report.skipped[:MOST]
        ],
    }
    return Row(root=root, state="done", ok=True, content=content)


def examined_row(root: str, report: Report) -> Row:
    """Make the row of a diagnosis: every code counted, what fails named first."""
    named = sorted(report.issues, key=lambda issue: issue.severity != "FAIL")[:MOST]
    counted = Counter(issue.code for issue in report.issues)
    content: dict[str, Json] = {
        "project_id": report.project_id,
        "source_count": report.source_count,
        "guarantee_level": report.guarantee_level,
        "failures": report.failures,
        "warnings": report.warnings,
        "codes": dict(sorted(counted.items())),
        "issues": [_issue(issue) for issue in named],
    }
    return Row(root=root, state="done", ok=report.ok, content=content)


def evaluated_row(root: str, report: EvalReport) -> Row:
    """Make the row of an evaluation: the means, and which cases failed what."""
    failed = [result for result in report.results if not result.passed]
    content: dict[str, Json] = {
        "project_id": report.project_id,
        "case_count": len(report.results),
        "failed_count": len(failed),
        "means": dict(report.means),
        "failed": [_case(result) for result in failed[:MOST]],
    }
    return Row(root=root, state="done", ok=report.ok, content=content)


def _issue(issue: Finding) -> dict[str, Json]:
    return {
        "code": issue.code,
        "severity": issue.severity,
        "path": issue.path,
        "line": issue.line,
        "detail": _cut(issue.detail),
    }


def _case(result: CaseResult) -> dict[str, Json]:
    checks = dict.fromkeys(failed.check for failed in result.failed)
    return {"name": _cut(result.name), "failed_checks": list(checks)}


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
