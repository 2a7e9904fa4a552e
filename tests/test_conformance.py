"""`validate` checks every artifact in scope and names the place of each finding."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.confined.reader import open_root
from corpus.protocol.conformance import check_content, validate
from corpus.protocol.layout import PROJECT_PATH, STATUS_PATH, artifact_type
from corpus.protocol.scaffold import create, make_order
from corpus.refs import RelPath

if TYPE_CHECKING:
    from collections.abc import Callable

    from corpus.findings import Finding
    from corpus.protocol.conformance import Validation

NOW = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
POLICY = ".project-corpus/policy.toml"
TASK = ".project-corpus/tasks/task-0001-describe-the-software.md"
REPORT = ".project-corpus/reports/report-0001-corpus-created.md"
HISTORY = ".project-corpus/history/old-plan.md"
DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


class Project:
    """A valid corpus on disk, and the ways a test spoils it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, path: str, text: str) -> None:
        target = self.path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="")

    def text(self, path: str) -> str:
        return (self.path / path).read_text(encoding="utf-8")

    def replace(self, path: str, old: str, new: str) -> None:
        text = self.text(path)
        assert old in text
        self.write(path, text.replace(old, new))

    def line_of(self, path: str, start: str) -> int:
        lines = self.text(path).splitlines()
        return next(n for n, line in enumerate(lines, 1) if line.startswith(start))

    def validation(self) -> Validation:
        with open_root(self.path) as opened:
            return validate(opened)

    def findings(self) -> list[tuple[str, str, int]]:
        return [(i.code, i.path, i.line) for i in self.validation().issues]

    def only(self) -> Finding:
        (issue,) = self.validation().issues
        return issue


@pytest.fixture
def project(tmp_path: Path) -> Project:
    root = tmp_path / "weather"
    order = make_order(
        root,
        project_id="weather-station",
        name="Weather Station",
        template="software",
        language="en",
    )
    create(root, order, now=NOW)
    return Project(root)


@pytest.mark.requirement("P1.6")
def test_a_corpus_that_conforms_has_no_finding(project: Project) -> None:
    project.write(HISTORY, "Free text without any metadata.\n")
    validation = project.validation()
    assert validation.ok
    assert validation.issues == ()
    assert validation.source_count == 5
    assert validation.project_id == "weather-station"
    assert validation.guarantee_level in {"openat2", "walk", "portable"}


@pytest.mark.requirement("P1.6")
def test_the_report_is_json_with_six_fields_a_finding(project: Project) -> None:
    project.replace(TASK, "Task-Status: ACTIVE", "Task-Status: STARTED")
    report = project.validation().as_json()
    assert list(report) == [
        "ok",
        "project_id",
        "guarantee_level",
        "source_count",
        "issues",
    ]
    assert report["ok"] is False
    issues = report["issues"]
    assert isinstance(issues, list)
    assert [list(issue) for issue in issues] == [
        ["code", "severity", "path", "line", "detail", "hint"]
    ]


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


@pytest.mark.requirement("P1.6")
@pytest.mark.parametrize(
    "path",
    [
        "AGENTS.md",
        POLICY,
        PROJECT_PATH,
        STATUS_PATH,
        ".project-corpus/tasks",
        ".project-corpus/reports",
        ".project-corpus/history",
    ],
)
def test_a_missing_required_path_is_found(project: Project, path: str) -> None:
    (project.path / path).rename(project.path / "aside")
    assert ("MISSING_REQUIRED_PATH", path, 0) in project.findings()


@pytest.mark.requirement("P1.6", "P4.3")
@pytest.mark.parametrize(
    "path",
    [
        "AGENTS.md",
        POLICY,
        PROJECT_PATH,
        STATUS_PATH,
        ".project-corpus/tasks",
        ".project-corpus/reports",
        ".project-corpus/history",
    ],
)
def test_a_required_path_that_is_a_link_is_found(project: Project, path: str) -> None:
    original = project.path / path
    original.rename(project.path / "aside")
    original.symlink_to(project.path / "aside")
    found = project.findings()
    assert ("REQUIRED_PATH_LINK", path, 0) in found
    assert "SOURCE_SKIPPED" not in {code for code, _, _ in found}


@pytest.mark.requirement("P1.6")
@pytest.mark.parametrize("path", [PROJECT_PATH, STATUS_PATH])
def test_a_state_file_that_is_not_utf8_is_found(project: Project, path: str) -> None:
    (project.path / path).write_bytes(b"# Caf\xe9\n")
    assert ("INVALID_ENCODING", path, 0) in project.findings()


@pytest.mark.requirement("P1.6", "P2.1")
@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("policy_version", "policy_version =", "POLICY_PARSE"),
        ('profile = "READ_ONLY"', 'profile = "ROOT"', "POLICY_PROFILE"),
        ("write = []", "write = []\nallow = []", "POLICY_UNKNOWN_KEY"),
    ],
)
def test_a_broken_policy_is_a_finding_and_the_state_files_are_still_checked(
    project: Project, old: str, new: str, code: str
) -> None:
    project.replace(POLICY, old, new)
    project.replace(STATUS_PATH, "Evidence-Class: DOCUMENTED", "Evidence-Class: X")
    project.replace(TASK, "Task-Status: ACTIVE", "Task-Status: X")
    found = [(c, path) for c, path, _ in project.findings()]
    assert found == [(code, POLICY), ("INVALID_METADATA", STATUS_PATH)]
    validation = project.validation()
    assert validation.project_id == "weather-station"
    assert validation.source_count == 2


@pytest.mark.requirement("P1.6")
def test_a_broken_policy_names_the_line_of_the_mistake(project: Project) -> None:
    project.replace(POLICY, "write = []", "write = [")
    issue = next(i for i in project.validation().issues if i.code == "POLICY_PARSE")
    assert issue.line > 1
    assert issue.severity == "ERROR"


@pytest.mark.requirement("P1.6")
def test_without_a_policy_the_state_files_are_compared_with_each_other(
    project: Project,
) -> None:
    (project.path / POLICY).unlink()
    project.replace(STATUS_PATH, "weather-station", "weather-satellite")
    codes = [(code, path) for code, path, _ in project.findings()]
    assert codes == [
        ("MISSING_REQUIRED_PATH", POLICY),
        ("PROJECT_ID_MISMATCH", STATUS_PATH),
    ]


@pytest.mark.requirement("P1.6")
def test_a_generated_view_without_its_mark_is_found(project: Project) -> None:
    marked = "# View\n\nNON_AUTHORITATIVE_VIEW\n"
    project.write(".project-corpus/generated/good.md", marked)
    project.write(".project-corpus/generated/late.md", "x" * 512 + marked)
    project.write(".project-corpus/generated/none.md", "# View\n")
    assert project.findings() == [
        ("GENERATED_VIEW_UNMARKED", ".project-corpus/generated/late.md", 1),
        ("GENERATED_VIEW_UNMARKED", ".project-corpus/generated/none.md", 1),
    ]


@pytest.mark.requirement("P1.6", "P7.5")
def test_a_citation_of_nothing_is_a_warning_on_its_line(project: Project) -> None:
    gone = ".project-corpus/reports/report-0404.md"
    project.replace(STATUS_PATH, f"- {REPORT}\n", f"- {REPORT}\n- {gone}\n")
    issue = project.only()
    assert (issue.code, issue.severity) == ("DANGLING_CITATION", "WARNING")
    assert (issue.path, issue.line) == (
        STATUS_PATH,
        project.line_of(STATUS_PATH, f"- {gone}"),
    )
    assert project.validation().ok


@pytest.mark.requirement("P1.6", "P7.5")
def test_the_active_tasks_citations_are_checked_too(project: Project) -> None:
    project.write(TASK, project.text(TASK) + "\nSee [it](../reports/report-0404.md).\n")
    assert [f[:2] for f in project.findings()] == [("DANGLING_CITATION", TASK)]


@pytest.mark.requirement("P1.6", "P7.4")
def test_a_superseded_artifact_that_does_not_exist_is_a_warning(
    project: Project,
) -> None:
    supersedes = f"Supersedes: {HISTORY}, `no-such-plan`\n"
    project.write(HISTORY, "The old plan.\n")
    project.replace(REPORT, "Result: INFO\n", f"Result: INFO\n{supersedes}")
    issue = project.only()
    assert (issue.code, issue.severity) == ("DANGLING_CITATION", "WARNING")
    assert (issue.path, issue.line) == (REPORT, project.line_of(REPORT, "Supersedes"))
    assert "no-such-plan" in issue.detail


@pytest.mark.requirement("P1.6", "P4.3")
def test_files_that_cannot_be_read_are_reported_and_the_rest_is_checked(
    project: Project,
) -> None:
    reports = project.path / ".project-corpus/reports"
    os.mkfifo(reports / "fifo.md")
    (reports / "latin.md").write_bytes(b"caf\xe9\n")
    (reports / "link.md").symlink_to(reports / "report-0001-corpus-created.md")
    (reports / "twin-a.md").write_text("twin", encoding="utf-8")
    os.link(reports / "twin-a.md", project.path / "outside.md")
    project.replace(TASK, "Task-Status: ACTIVE", "Task-Status: X")
    found = project.findings()
    skipped = [path.rpartition("/")[2] for code, path, _ in found if "SKIP" in code]
    assert skipped == ["fifo.md", "latin.md", "link.md", "twin-a.md"]
    assert ("INVALID_METADATA", TASK, project.line_of(TASK, "Task-Status")) in found
    reasons = {i.detail for i in project.validation().issues if "SKIP" in i.code}
    assert {"not UTF-8 at byte 3", "symbolic link", "hard link"} < reasons


@pytest.mark.requirement("P2.4", "P1.6")
def test_what_is_out_of_scope_or_denied_is_invisible(project: Project) -> None:
    bad = "# Wrong\n\nReport-ID: another\nSupersedes: nothing-there\n"
    for place in ("reports/deep", "reports/private", "generated/private"):
        project.write(f".project-corpus/{place}/hidden-name.md", bad)
    project.write(".project-corpus/history/hidden-name.md", bad)
    project.replace(POLICY, '    ".project-corpus/history/**",\n', "")
    project.replace(
        POLICY,
        "write = []",
        'write = []\ndeny = [".project-corpus/*/private/**", "**/deep/**"]',
    )
    validation = project.validation()
    assert validation.issues == ()
    assert validation.source_count == 4
    assert "hidden-name" not in repr(validation)


@pytest.mark.requirement("P2.4", "P5.10")
def test_a_state_file_out_of_scope_is_reported_and_not_opened(
    project: Project,
) -> None:
    project.replace(POLICY, "state/**", "state/STATUS.md")
    project.write(PROJECT_PATH, "not even metadata")
    assert project.findings() == [("CONTEXT_SCOPE", PROJECT_PATH, 0)]


@pytest.mark.requirement("P1.6")
def test_a_missing_file_out_of_the_listing_never_hides_the_others(
    project: Project,
) -> None:
    (project.path / STATUS_PATH).unlink()
    project.replace(TASK, "Task-Status: ACTIVE", "Task-Status: X")
    codes = {code for code, _, _ in project.findings()}
    assert codes == {"MISSING_REQUIRED_PATH", "INVALID_METADATA"}


@pytest.mark.requirement("P1.6")
def test_history_is_free_but_belongs_to_this_project(project: Project) -> None:
    project.write(HISTORY, "# Old\n\nNote: a\nNote: b\nResult: whatever\n")
    assert project.findings() == []
    project.write(HISTORY, "# Old\n\nProject-ID: weather-satellite\n")
    assert project.findings() == [("PROJECT_ID_MISMATCH", HISTORY, 3)]


@pytest.mark.requirement("P1.1")
def test_markdown_is_known_by_its_name_in_any_case(project: Project) -> None:
    for name in ("a.markdown", "b.MD", "c.Markdown", "d.txt", "e.md.bak"):
        project.write(f".project-corpus/history/{name}", "text\n")
    assert project.validation().source_count == 4 + 3


@pytest.mark.requirement("P1.6")
def test_content_is_checked_before_it_is_written(project: Project) -> None:
    good = project.text(TASK).encode()
    assert check_content(RelPath(TASK), good, project_id="weather-station") == ()
    bad = good.replace(b"Task-Status: ACTIVE", b"Task-Status: X")
    (issue,) = check_content(RelPath(TASK), bad, project_id="weather-station")
    assert issue.code == "INVALID_METADATA"
    (issue,) = check_content(RelPath(TASK), b"\xff", project_id=None)
    assert issue.code == "INVALID_ENCODING"


@pytest.mark.requirement("P1.6")
@settings(max_examples=60, deadline=None)
@given(
    path=st.sampled_from([PROJECT_PATH, STATUS_PATH, TASK, REPORT, HISTORY]),
    pieces=st.lists(
        st.one_of(
            st.text(max_size=30),
            st.sampled_from(
                [
                    "\n\n",
                    "---\n",
                    "## Objective\n",
                    "Blockers\n---\n",
                    "## Evidence\n",
                    "Task-ID: x\n",
                    "Project-ID: weather-station\n",
                    "<!--",
                    "-->",
                    "```\n",
                    "Supersedes: a, b\n",
                    "Root: /x\n",
                ]
            ),
        ),
        max_size=20,
    ),
)
def test_any_text_is_checked_without_an_exception(path: str, pieces: list[str]) -> None:
    assert artifact_type(path) is not None
    content = "".join(pieces).encode("utf-8", "surrogatepass")
    issues = check_content(RelPath(path), content, project_id="weather-station")
    lines = content.count(b"\n") + content.count(b"\r") + 1
    assert all(0 <= issue.line <= lines for issue in issues)


@pytest.mark.requirement("P1.6")
@pytest.mark.parametrize(
    "name", sorted(p.name for p in DATA.glob("nasty-markdown/made/*.md"))
)
def test_nasty_files_never_stop_a_validation(project: Project, name: str) -> None:
    content = (DATA / "nasty-markdown/made" / name).read_bytes()
    target = project.path / ".project-corpus/history/nasty.md"
    target.write_bytes(content)
    codes = {code for code, _, _ in project.findings()}
    assert codes <= {"SOURCE_SKIPPED"}


@pytest.mark.requirement("P1.6")
def test_a_corpus_of_real_documents_conforms(
    project: Project, pep_reports: Callable[[Path], int]
) -> None:
    count = pep_reports(project.path / ".project-corpus/reports")
    validation = project.validation()
    assert validation.ok
    assert validation.source_count == 4 + count


@pytest.fixture
def pep_reports() -> Callable[[Path], int]:
    folder = DATA / "peps" / "md"
    if not folder.is_dir():
        pytest.skip("the documents of shared/data/peps are not here")

    def write(reports: Path) -> int:
        paths = sorted(folder.glob("*.md"))
        for path in paths:
            heading, _, body = path.read_text(encoding="utf-8").partition("\n")
            (reports / path.name).write_text(
                f"{heading}\n\nProtocol-Version: 2.0\nProject-ID: weather-station\n"
                f"Report-ID: {path.stem}\nTask-ID: NONE\nCreated-At: 2001-01-01\n"
                f"Result: INFO\n\n## Summary\n\n## Evidence\n\n{body}\n\n"
                "## Limitations\n\nNONE\n",
                encoding="utf-8",
            )
        return len(paths)

    return write


@pytest.mark.requirement("P1.6", "P18.2")
def test_the_command_exits_1_when_something_is_an_error(
    project: Project, cli: Callable[..., tuple[int, str, str]]
) -> None:
    assert cli("validate", str(project.path))[0] == 0
    project.replace(TASK, "Task-Status: ACTIVE", "Task-Status: X")
    status, out, err = cli("validate", str(project.path))
    assert (status, err) == (1, "")
    assert '"INVALID_METADATA"' in out
    status, out, _ = cli(
        "validate", cwd=project.path / ".project-corpus", terminal=True
    )
    assert status == 1
    assert f"{TASK}:{project.line_of(TASK, 'Task-Status')}" in out


@pytest.mark.requirement("P1.6")
def test_a_folder_that_is_no_corpus_is_refused(
    tmp_path: Path, cli: Callable[..., tuple[int, str, str]]
) -> None:
    status, _, err = cli("validate", str(tmp_path))
    assert status == 2
    assert "ROOT_NOT_FOUND" in err
