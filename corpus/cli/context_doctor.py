"""`project-corpus context doctor`: diagnose the corpus; repair nothing."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from corpus.cli.arguments import add_root
from corpus.cli.opening import add_index
from corpus.cli.render import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call
    from corpus.doctor import Report
    from corpus.findings import Finding

SUMMARY = "Diagnose the sources, the index, a bundle or a candidate."
EXAMPLE = "project-corpus context doctor --bundle bundle.json"

MOST = 10
"""How many warnings of one code are shown in text."""

_WIDTH = 200
_LAST = (2, "")
_HANDED_IN = ("BUNDLE_", "CANDIDATE_", "EVIDENCE_")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_root(parser)
    parser.add_argument(
        "--bundle", metavar="FILE", help="also check a bundle that was made earlier"
    )
    parser.add_argument(
        "--candidate",
        metavar="FILE",
        help="also check a candidate, a JSON file inside the project",
    )
    add_index(parser)


def run(
    call: Call,
    *,
    root: str | None,
    bundle: str | None,
    candidate: str | None,
    index: str | None,
) -> Report:
    """Examine everything; what is wrong is part of the answer."""
    from corpus.examination import Examined, examine  # noqa: PLC0415 - loads it all
    from corpus.userdirs import user_dirs  # noqa: PLC0415 - no page of help needs it

    return examine(
        Examined(root=call.root(root), index=index, bundle=bundle, candidate=candidate),
        dirs=user_dirs(),
        random=call.random,
        now=call.now,
    )


def exit_status(value: Report) -> int:
    """Give 1 when anything fails."""
    return 0 if value.ok else 1


def lines(value: Report) -> Iterator[str]:
    """Show a count for each code, then one issue a paragraph, then the verdict.

    What fails and what is wrong with the files handed in is all shown; of the rest
    `MOST` of each code.
    """
    issues = sorted(value.issues, key=_urgency)
    counts = Counter((issue.severity, issue.code) for issue in issues)
    if len(issues) > 1:
        for (severity, code), count in sorted(counts.items()):
            yield f"{count:>5}  {severity.lower()}[{code}]"
        yield ""
    shown: Counter[str] = Counter()
    for issue in issues:
        shown[issue.code] += 1
        if shown[issue.code] <= MOST or _urgency(issue) < _LAST:
            yield from _issue_lines(issue)
        elif shown[issue.code] == counts[issue.severity, issue.code]:
            left = shown[issue.code] - MOST
            yield f"… {left} more {issue.code}; `--format json` lists all"
    verdict = "is sound" if value.ok else "is not sound"
    yield (
        f"{value.project_id} {verdict}: {counted(value.source_count, 'source')}, "
        f"{counted(value.failures, 'failure')}, {counted(value.warnings, 'warning')}"
    )


def _issue_lines(issue: Finding) -> Iterator[str]:
    place = f"{issue.path}:{issue.line}" if issue.line else issue.path
    yield f"{issue.severity.lower()}[{issue.code}] {place}"
    cut = len(issue.detail) > _WIDTH
    yield f"  {issue.detail[:_WIDTH]}{'…' if cut else ''}"
    yield f"  hint: {issue.hint}"


def _urgency(issue: Finding) -> tuple[int, str]:
    """Order findings: the files handed in, what fails, then the rest by code."""
    if issue.code.startswith(_HANDED_IN):
        return 0, ""
    return (1, "") if issue.severity == "FAIL" else (2, issue.code)
