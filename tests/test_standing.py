"""Authority, time and supersession follow from STATUS and metadata alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from corpus.userdirs import UserDirs
from corpus.view import live_view
from tests.corpora import (
    fixed_bytes,
    live_view_of_corpus,
    report_page,
    status_page,
    task_page,
    write_corpus,
)

if TYPE_CHECKING:
    from pathlib import Path

    from corpus.view import View

REPORTS = ".project-corpus/reports"


def standing(view: View, path: str) -> tuple[str, str]:
    at = view.positions[f".project-corpus/{path}.md"]
    return tuple(view.rows.standings[at])  # type: ignore[return-value]


def verdicts(view: View) -> dict[str, str]:
    return {
        relation.source.rpartition("/")[2].removesuffix(".md"): relation.verdict
        for relation in view.rows.relations
    }


@pytest.mark.requirement("P7.3")
def test_every_kind_of_source_has_its_standing(tmp_path: Path) -> None:
    root = write_corpus(
        tmp_path / "one",
        tasks={
            "task-one": task_page("task-one", status="ACTIVE"),
            "task-two": task_page("task-two", status="OPEN"),
        },
        reports={
            "report-one": report_page("report-one", created="2020-01-01T00:00:00Z"),
            "report-old": report_page("report-old", created="2025-12-31T23:59:59Z"),
            "report-new": report_page("report-new", created="2026-01-02T00:00:00Z"),
        },
    )
    (root / ".project-corpus/state/NOTES.md").write_text(
        "# Notes\n\nA note.\n", "utf-8"
    )
    view = live_view_of_corpus(root)
    assert standing(view, "state/PROJECT") == ("CANONICAL", "current")
    assert standing(view, "state/STATUS") == ("CANONICAL", "current")
    assert standing(view, "state/NOTES") == ("OTHER_TASK", "unknown")
    assert standing(view, "tasks/task-one") == ("ACTIVE_TASK", "current")
    assert standing(view, "tasks/task-two") == ("OTHER_TASK", "historical")
    assert standing(view, "reports/report-one") == ("CITED_REPORT", "scoped")
    assert standing(view, "reports/report-old") == ("SCOPED_REPORT", "historical")
    assert standing(view, "reports/report-new") == ("SCOPED_REPORT", "scoped")
    assert standing(view, "history/year-one") == ("HISTORY", "historical")


@pytest.mark.requirement("P7.3")
def test_without_a_verified_date_the_newest_cited_report_divides(
    tmp_path: Path,
) -> None:
    root = write_corpus(
        tmp_path / "one",
        status=status_page(verified="UNVERIFIED"),
        reports={
            "report-one": report_page("report-one", created="2026-01-05T00:00:00Z"),
            "report-old": report_page("report-old", created="2026-01-04T00:00:00Z"),
            "report-new": report_page("report-new", created="2026-01-06T00:00:00Z"),
        },
    )
    view = live_view_of_corpus(root)
    assert standing(view, "reports/report-old")[1] == "historical"
    assert standing(view, "reports/report-new")[1] == "scoped"


@pytest.mark.requirement("P7.3")
def test_a_report_of_the_verified_day_itself_is_not_the_past(tmp_path: Path) -> None:
    root = write_corpus(
        tmp_path / "one",
        status=status_page(verified="2026-01-01T12:00:00Z"),
        reports={"report-day": report_page("report-day", created="2026-01-01")},
    )
    assert standing(live_view_of_corpus(root), "reports/report-day")[1] == "scoped"


@pytest.mark.requirement("P7.4")
@pytest.mark.parametrize(
    "value",
    [
        pytest.param(".project-corpus/reports/report-two.md", id="path"),
        pytest.param("report-two", id="id"),
        pytest.param("`report-two`", id="code ticks"),
        pytest.param("REPORT-TWO", id="other case"),
        pytest.param("report-three, report-two", id="list with commas"),
        pytest.param("report-three report-two", id="list with spaces"),
    ],
)
def test_a_valid_relation_supersedes(tmp_path: Path, value: str) -> None:
    root = write_corpus(
        tmp_path / "one",
        reports={
            "report-two": report_page("report-two"),
            "report-six": report_page("report-six", metadata={"Supersedes": value}),
        },
    )
    view = live_view_of_corpus(root)
    assert standing(view, "reports/report-two")[1] == "superseded"
    assert standing(view, "reports/report-six")[1] == "scoped"


@pytest.mark.requirement("P7.4")
@pytest.mark.parametrize(
    ("target", "verdict"),
    [
        pytest.param(".project-corpus/state/PROJECT.md", "INVALID", id="project"),
        pytest.param(".project-corpus/state/STATUS.md", "INVALID", id="status"),
        pytest.param("task-one", "INVALID", id="active task"),
        pytest.param("report-six", "INVALID", id="itself"),
        pytest.param("report-missing", "ORPHAN", id="nothing"),
        pytest.param("report-one", "UNCITED", id="evidence that STATUS cites"),
    ],
)
def test_a_relation_that_may_not_be_changes_nothing(
    tmp_path: Path, target: str, verdict: str
) -> None:
    root = write_corpus(
        tmp_path / "one",
        reports={
            "report-one": report_page("report-one"),
            "report-six": report_page("report-six", metadata={"Supersedes": target}),
        },
    )
    view = live_view_of_corpus(root)
    assert verdicts(view) == {"report-six": verdict}
    assert all(found.temporal != "superseded" for found in view.rows.standings)


@pytest.mark.requirement("P7.4")
def test_a_cited_report_may_supersede_cited_evidence(tmp_path: Path) -> None:
    cited = status_page(evidence_references="- report-one\n- report-six")
    root = write_corpus(
        tmp_path / "one",
        status=cited,
        reports={
            "report-one": report_page("report-one"),
            "report-six": report_page(
                "report-six", metadata={"Supersedes": "report-one"}
            ),
        },
    )
    view = live_view_of_corpus(root)
    assert standing(view, "reports/report-one") == ("CITED_REPORT", "superseded")


@pytest.mark.requirement("P7.4")
def test_a_cycle_cancels_and_a_chain_beside_it_stands(tmp_path: Path) -> None:
    def page(name: str, target: str) -> str:
        return report_page(name, metadata={"Supersedes": target})

    root = write_corpus(
        tmp_path / "one",
        reports={
            "report-a": page("report-a", "report-b"),
            "report-b": page("report-b", "report-c"),
            "report-c": page("report-c", "report-a report-d"),
            "report-d": report_page("report-d"),
        },
    )
    view = live_view_of_corpus(root)
    assert standing(view, "reports/report-a")[1] == "scoped"
    assert standing(view, "reports/report-b")[1] == "scoped"
    assert standing(view, "reports/report-c")[1] == "scoped"
    assert standing(view, "reports/report-d")[1] == "superseded"


@pytest.mark.requirement("P7.5")
@pytest.mark.parametrize(
    ("reference", "authority"),
    [
        pytest.param(
            "see `.project-corpus/reports/report-six.md`", "CITED_REPORT", id="path"
        ),
        pytest.param("[it](../reports/report-six.md)", "CITED_REPORT", id="link"),
        pytest.param("- report-six", "CITED_REPORT", id="id"),
        pytest.param(
            "```\n.project-corpus/reports/report-six.md\n```",
            "SCOPED_REPORT",
            id="in a fence",
        ),
        pytest.param(
            "> .project-corpus/reports/report-six.md", "SCOPED_REPORT", id="in a quote"
        ),
    ],
)
def test_status_cites_by_path_link_or_id(
    tmp_path: Path, reference: str, authority: str
) -> None:
    root = write_corpus(
        tmp_path / "one",
        status=status_page(evidence_references=reference),
        reports={"report-six": report_page("report-six")},
    )
    assert standing(live_view_of_corpus(root), "reports/report-six")[0] == authority


@pytest.mark.requirement("P7.5")
def test_the_active_task_cites_too(tmp_path: Path) -> None:
    scope = "Follow [the finding](../reports/report-six.md)."
    root = write_corpus(
        tmp_path / "one",
        tasks={"task-one": task_page("task-one", status="ACTIVE", scope=scope)},
        reports={"report-six": report_page("report-six")},
    )
    view = live_view(
        root, dirs=UserDirs(tmp_path / "s", tmp_path / "t"), random=fixed_bytes
    )
    assert standing(view, "reports/report-six")[0] == "CITED_REPORT"
