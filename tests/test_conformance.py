"""`validate` checks every artifact in scope and names the place of each finding."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.protocol.conformance import check_content
from corpus.protocol.layout import PROJECT_PATH, STATUS_PATH, artifact_type
from corpus.refs import RelPath
from tests.scaffolded import HISTORY, POLICY, REPORT, TASK, Project, scaffolded

if TYPE_CHECKING:
    from collections.abc import Callable

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return scaffolded(tmp_path / "weather")


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
