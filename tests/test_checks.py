"""One artifact must say what the protocol asks of its kind, whatever the others say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from corpus.protocol.layout import PROJECT_PATH, STATUS_PATH
from tests.scaffolded import REPORT, TASK, Project, scaffolded

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return scaffolded(tmp_path / "weather")


STATE_CASES = [
    pytest.param(
        STATUS_PATH,
        "Lifecycle-Status: ACTIVE",
        "Lifecycle-Status: RUNNING",
        "INVALID_METADATA",
        "Lifecycle-Status",
        id="unknown lifecycle",
    ),
    pytest.param(
        STATUS_PATH,
        "Evidence-Class: DOCUMENTED",
        "Evidence-Class: GUESSED",
        "INVALID_METADATA",
        "Evidence-Class",
        id="unknown evidence class",
    ),
    pytest.param(
        STATUS_PATH,
        "Last-Verified-At: UNVERIFIED",
        "Last-Verified-At: 2026-02-30T09:00:00Z",
        "INVALID_METADATA",
        "Last-Verified-At",
        id="verified on a day that does not exist",
    ),
    pytest.param(
        STATUS_PATH,
        "Last-Verified-At: UNVERIFIED",
        "Last-Verified-At: 2026-02-03T09:00:00+02:00",
        "INVALID_METADATA",
        "Last-Verified-At",
        id="verified at a time that is not UTC",
    ),
    pytest.param(
        STATUS_PATH,
        "Active-Task-ID: task-0001-describe-the-software",
        "Active-Task-ID: Task One!",
        "INVALID_METADATA",
        "Active-Task-ID",
        id="active task that is no id",
    ),
    pytest.param(
        STATUS_PATH,
        "Active-Task-ID: task-0001-describe-the-software",
        "Active-Task-ID: task-0404",
        "DANGLING_ACTIVE_TASK",
        "Active-Task-ID",
        id="active task that does not exist",
    ),
    pytest.param(
        PROJECT_PATH,
        "Protocol-Version: 2.0",
        "Protocol-Version: 3.0",
        "INVALID_METADATA",
        "Protocol-Version",
        id="another protocol version",
    ),
    pytest.param(
        PROJECT_PATH,
        "Project-ID: weather-station",
        "Project-ID: W",
        "INVALID_METADATA",
        "Project-ID",
        id="project id that is no id",
    ),
    pytest.param(
        PROJECT_PATH,
        "Project-ID: weather-station",
        "Project-ID: weather-satellite",
        "PROJECT_ID_MISMATCH",
        "Project-ID",
        id="PROJECT of another project",
    ),
    pytest.param(
        STATUS_PATH,
        "Project-ID: weather-station",
        "Project-ID: weather-satellite",
        "PROJECT_ID_MISMATCH",
        "Project-ID",
        id="STATUS of another project",
    ),
    pytest.param(
        TASK,
        "Project-ID: weather-station",
        "Project-ID: weather-satellite",
        "PROJECT_ID_MISMATCH",
        "Project-ID",
        id="task of another project",
    ),
    pytest.param(
        TASK,
        "Task-ID: task-0001-describe-the-software",
        "Task-ID: task-0002",
        "ARTIFACT_ID_MISMATCH",
        "Task-ID",
        id="task id is not the file's name",
    ),
    pytest.param(
        REPORT,
        "Report-ID: report-0001-corpus-created",
        "Report-ID: report-0002",
        "ARTIFACT_ID_MISMATCH",
        "Report-ID",
        id="report id is not the file's name",
    ),
    pytest.param(
        TASK,
        "Created-At: 2026-03-01T09:00:00Z",
        "Created-At: yesterday",
        "INVALID_METADATA",
        "Created-At",
        id="created at no date",
    ),
    pytest.param(
        REPORT,
        "Created-At: 2026-03-01T09:00:00Z",
        "Created-At: 2026-13-01T09:00:00Z",
        "INVALID_METADATA",
        "Created-At",
        id="created in a thirteenth month",
    ),
    pytest.param(
        REPORT,
        "Result: INFO",
        "Result: GREAT",
        "INVALID_METADATA",
        "Result",
        id="unknown result",
    ),
    pytest.param(
        REPORT,
        "Task-ID: task-0001-describe-the-software",
        "Task-ID: ?",
        "INVALID_METADATA",
        "Task-ID",
        id="report of a task that is no id",
    ),
]


@pytest.mark.requirement("P1.1", "P1.3", "P1.4", "P1.5", "P1.6")
@pytest.mark.parametrize(("path", "old", "new", "code", "key"), STATE_CASES)
def test_a_wrong_value_is_found_on_its_line(
    project: Project, path: str, old: str, new: str, code: str, key: str
) -> None:
    project.replace(path, old, new)
    line = project.line_of(path, key)
    found = project.findings()
    if code == "INVALID_METADATA" and key == "Active-Task-ID":
        assert found == [(code, path, line)]
    assert (code, path, line) in found
    assert len(found) == 1


@pytest.mark.requirement("P1.3", "P1.4", "P1.5")
@pytest.mark.parametrize(
    ("path", "line"),
    [
        (PROJECT_PATH, "Logical-Name: Weather Station\n"),
        (PROJECT_PATH, "Protocol-Version: 2.0\n"),
        (STATUS_PATH, "Evidence-Class: DOCUMENTED\n"),
        (TASK, "Task-Status: ACTIVE\n"),
        (TASK, "Created-At: 2026-03-01T09:00:00Z\n"),
        (REPORT, "Result: INFO\n"),
        (REPORT, "Report-ID: report-0001-corpus-created\n"),
    ],
)
def test_missing_metadata_is_found_at_the_title(
    project: Project, path: str, line: str
) -> None:
    project.replace(path, line, "")
    assert project.findings() == [("MISSING_METADATA", path, 1)]


@pytest.mark.requirement("P1.6")
def test_missing_metadata_below_a_comment_is_found_at_the_title_below_it(
    project: Project,
) -> None:
    text = project.text(TASK).replace("Task-Status: ACTIVE\n", "")
    project.write(TASK, f"<!-- a note -->\n\n{text}")
    assert project.findings() == [("MISSING_METADATA", TASK, 3)]


@pytest.mark.requirement("P1.2")
def test_a_key_given_twice_is_found(project: Project) -> None:
    project.replace(TASK, "Task-Status: ACTIVE\n", "Task-Status: ACTIVE\n" * 2)
    issue = project.only()
    assert (issue.code, issue.path) == ("DUPLICATE_METADATA", TASK)
    assert issue.line == project.line_of(TASK, "Task-Status") + 1


@pytest.mark.requirement("P1.2")
def test_front_matter_that_disagrees_with_the_text_is_found(project: Project) -> None:
    project.write(TASK, "---\ntask_status: DONE\n---\n" + project.text(TASK))
    line = project.line_of(TASK, "Task-Status")
    assert project.findings() == [("INVALID_METADATA", TASK, line)]


@pytest.mark.requirement("P1.2")
def test_front_matter_alone_carries_the_metadata(project: Project) -> None:
    text = project.text(REPORT)
    title, _, rest = text.partition("\n\n")
    metadata, _, body = rest.partition("\n\n")
    project.write(REPORT, f"---\n{metadata}\n---\n{title}\n\n{body}")
    assert project.findings() == []


@pytest.mark.requirement("P1.2")
@pytest.mark.parametrize(
    "frame",
    [
        pytest.param("```\n{}\n```\n", id="fence"),
        pytest.param("<!--\n{}\n-->\n", id="comment"),
        pytest.param("> {}\n", id="quote"),
    ],
)
def test_metadata_in_code_quotes_and_comments_is_text(
    project: Project, frame: str
) -> None:
    hidden = frame.format("Task-Status: DONE")
    project.replace(TASK, "\n## Objective", f"\n{hidden}\n## Objective")
    assert project.findings() == []


@pytest.mark.requirement("P1.3", "P1.4", "P1.5")
@pytest.mark.parametrize(
    ("path", "title"),
    [
        (PROJECT_PATH, "Invariants"),
        (PROJECT_PATH, "Non-Goals"),
        (STATUS_PATH, "Blockers"),
        (STATUS_PATH, "Evidence References"),
        (TASK, "Acceptance Criteria"),
        (TASK, "Scope"),
        (REPORT, "Limitations"),
        (REPORT, "Evidence"),
    ],
)
def test_a_missing_section_is_found(project: Project, path: str, title: str) -> None:
    project.replace(path, f"## {title}\n", f"### {title}\n")
    found = [f for f in project.findings() if f[0] != "DANGLING_CITATION"]
    assert found == [("MISSING_SECTION", path, 0)]


@pytest.mark.requirement("P1.3", "P1.4", "P1.5")
@pytest.mark.parametrize("path", [PROJECT_PATH, STATUS_PATH, TASK])
def test_a_required_section_that_stands_twice_is_found(
    project: Project, path: str
) -> None:
    text = project.text(path)
    title = next(x for x in text.splitlines() if x.startswith("## "))
    project.write(path, f"{text}\n{title}\n\nAgain.\n")
    assert project.findings() == [("DUPLICATE_SECTION", path, text.count("\n") + 2)]


@pytest.mark.requirement("P1.5")
def test_a_report_may_hold_a_document_with_such_sections_of_its_own(
    project: Project,
) -> None:
    project.write(REPORT, project.text(REPORT) + "\n## Summary\n\nIts own.\n")
    assert project.findings() == []


@pytest.mark.requirement("P1.5")
@pytest.mark.parametrize("path", [TASK, REPORT])
def test_tasks_and_reports_may_have_further_sections_in_any_order(
    project: Project, path: str
) -> None:
    head, first, rest = project.text(path).partition("## ")
    project.write(path, f"{head}## Notes\n\nA.\n\n## Notes\n\nB.\n\n{first}{rest}")
    assert project.findings() == []
    sections = (first + rest).split("\n## ")
    sections[0] = sections[0].removeprefix("## ")
    shuffled = "\n\n".join(f"## {section.strip()}" for section in reversed(sections))
    project.write(path, f"{head}{shuffled}\n")
    assert project.findings() == []


@pytest.mark.requirement("P1.3", "P1.4")
@pytest.mark.parametrize(
    ("path", "first", "second"),
    [
        (PROJECT_PATH, "Objective", "Invariants"),
        (STATUS_PATH, "Current Verified Baseline", "Blockers"),
    ],
)
def test_state_sections_out_of_order_are_found(
    project: Project, path: str, first: str, second: str
) -> None:
    text = project.text(path)
    swapped = text.replace(f"## {first}", "## \0").replace(
        f"## {second}", f"## {first}"
    )
    project.write(path, swapped.replace("\0", second))
    assert project.findings() == [
        ("SECTION_ORDER", path, project.line_of(path, f"## {second}"))
    ]


@pytest.mark.requirement("P1.4")
@pytest.mark.parametrize(
    "body", ["", "\n   \n", "<!-- nothing yet -->\n", "<!--\nnothing\n\nyet\n-->\n"]
)
def test_an_empty_state_section_must_say_none(project: Project, body: str) -> None:
    project.replace(STATUS_PATH, "## Blockers\n\nNONE\n", f"## Blockers\n\n{body}")
    assert project.findings() == [
        ("MISSING_SECTION", STATUS_PATH, project.line_of(STATUS_PATH, "## Blockers"))
    ]


@pytest.mark.requirement("P1.4")
@pytest.mark.parametrize("nothing", ["NONE", "- NONE", "none", "**NONE**."])
def test_an_active_project_needs_a_next_action(project: Project, nothing: str) -> None:
    action = (
        "Write the objective of the software into `.project-corpus/state/PROJECT.md`."
    )
    project.replace(STATUS_PATH, action, nothing)
    line = project.line_of(STATUS_PATH, "Lifecycle-Status")
    assert project.findings() == [("INVALID_METADATA", STATUS_PATH, line)]
    project.replace(STATUS_PATH, "Status: ACTIVE", "Status: PAUSED")
    assert project.findings() == []


@pytest.mark.requirement("P1.3", "P1.4")
@pytest.mark.parametrize(
    ("path", "title"),
    [(PROJECT_PATH, "Blockers"), (STATUS_PATH, "Non-Goals")],
)
def test_a_state_file_with_the_other_ones_section_is_found(
    project: Project, path: str, title: str
) -> None:
    project.write(path, project.text(path) + f"\n## {title}\n\nNONE\n")
    assert project.findings() == [
        ("ROLE_OVERLAP", path, project.line_of(path, f"## {title}"))
    ]


@pytest.mark.requirement("P1.3")
@pytest.mark.parametrize(
    "line",
    [
        "Project-Root: /srv/weather",
        "Physical-Root: C:\\work\\weather",
        "Filesystem-Root: \\\\server\\share",
        "- **Root:** `/opt/weather`",
        "Checkout: ~/weather",
        "The code lies in /home/anna/weather/src.",
        "See file:///weather/README",
        "It is built in C:\\Users\\anna\\weather.",
    ],
)
def test_a_place_on_one_machine_is_found_in_project(
    project: Project, line: str
) -> None:
    project.replace(PROJECT_PATH, "## Non-Goals\n", f"{line}\n\n## Non-Goals\n")
    assert project.findings() == [
        ("PROJECT_ABSOLUTE_ROOT", PROJECT_PATH, project.line_of(PROJECT_PATH, line))
    ]


@pytest.mark.requirement("P1.3")
@pytest.mark.parametrize(
    "line",
    [
        "Root: relative/folder",
        "The API answers at /api/v1/users and https://example.org/home/a/b.",
        "It writes to /var/lib/weather and nowhere else.",
        "The root cause: /dev/random was empty.",
    ],
)
def test_other_paths_in_project_are_no_root(project: Project, line: str) -> None:
    project.replace(PROJECT_PATH, "## Non-Goals\n", f"{line}\n\n## Non-Goals\n")
    assert project.findings() == []
