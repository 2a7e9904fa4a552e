"""What tests of the doctor share: a built corpus, its report, what is in it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from corpus.examination import Examined, examine
from corpus.view import build_index
from tests.corpora import NOW, dirs_of, fixed_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from corpus.doctor import Report

HOME = ".project-corpus"
MOMENT = datetime.fromtimestamp(NOW, UTC)
INDEX = f"{HOME}/cache/context.sqlite3"


def built(root: Path) -> Path:
    """Build the index of a corpus."""
    build_index(root, dirs=dirs_of(root), random=fixed_bytes, now=NOW)
    return root


def report_on(root: Path, **files: str) -> Report:
    """Examine a corpus and the files named."""
    return examine(
        Examined(root=root, **files),
        dirs=dirs_of(root),
        random=fixed_bytes,
        now=MOMENT,
    )


def places(report: Report) -> list[tuple[str, str, int]]:
    """Give the code, the path below `.project-corpus/` and the line of each issue."""
    return [
        (issue.code, issue.path.removeprefix(f"{HOME}/"), issue.line)
        for issue in report.issues
    ]


def codes(report: Report) -> list[str]:
    """Give the code of each issue."""
    return [issue.code for issue in report.issues]


def line_of(root: Path, path: str, start: str) -> int:
    """Find the first line of a file that begins so."""
    rows = (root / HOME / path).read_text("utf-8").split("\n")
    return next(n for n, row in enumerate(rows, start=1) if row.startswith(start))


def superseding(target: str) -> Mapping[str, str]:
    """Give the metadata of an artifact that supersedes another."""
    return {"Supersedes": target}
