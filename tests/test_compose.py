"""A task or report is written from a person's words, exactly as they were given."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.lines import decode
from corpus.markdown import Document, parse_markdown
from corpus.protocol.compose import (
    ReportDraft,
    TaskDraft,
    compose_report,
    compose_task,
    id_from_title,
)
from corpus.protocol.conformance import check_content
from corpus.protocol.layout import REPORT, TASK
from corpus.protocol.metadata import read_metadata
from corpus.protocol.sections import section_text, sections
from corpus.refs import RelPath, is_id, name_problem
from corpus.refusals import ArtifactConformanceError

NOW = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
DRAFT = TaskDraft("Measure it", "Know how long it takes.")
DONE = ReportDraft("It takes 40 ms", "measure-it", "PASS", "40 ms at the median.")


def task(draft: TaskDraft) -> Document:
    content = compose_task(draft, project_id="demo-one", task_id="measure-it", now=NOW)
    return parse_markdown(decode(content))


def report(draft: ReportDraft) -> Document:
    content = compose_report(
        draft, project_id="demo-one", report_id="it-takes-40", now=NOW
    )
    return parse_markdown(decode(content))


@pytest.mark.requirement("P13.1")
def test_a_task_carries_its_metadata_and_says_none_where_nothing_is_given() -> None:
    document = task(DRAFT)
    assert [(e.key, e.value) for e in read_metadata(document).entries] == [
        ("protocol-version", "2.0"),
        ("project-id", "demo-one"),
        ("task-id", "measure-it"),
        ("task-status", "OPEN"),
        ("created-at", "2026-03-01T09:30:00Z"),
    ]
    assert document.headings[0].text == "Measure it"
    assert tuple(each.title for each in sections(document)) == TASK.sections
    texts = [section_text(document, title) for title in TASK.sections]
    assert texts == ["Know how long it takes.", "NONE", "NONE", "NONE"]


@pytest.mark.requirement("P13.1")
def test_a_report_carries_its_metadata_and_its_result() -> None:
    document = report(DONE._replace(evidence=["one\ntwo", "three", " "]))
    metadata = read_metadata(document)
    assert metadata.get("Report-ID") == "it-takes-40"
    assert metadata.get("Task-ID") == "measure-it"
    assert metadata.get("Result") == "PASS"
    assert tuple(each.title for each in sections(document)) == REPORT.sections
    assert section_text(document, "Evidence") == "- one\n  two\n- three"
    assert section_text(document, "Limitations") == "NONE"


@pytest.mark.requirement("P13.1")
@pytest.mark.parametrize(
    "value",
    ["## Scope", "# T", "a\n===", "a\n---", "```", "<!-- a", "<pre>", "\ud800"],
)
def test_words_that_begin_or_hide_a_section_are_refused(value: str) -> None:
    with pytest.raises(ArtifactConformanceError) as caught:
        task(DRAFT._replace(objective=value))
    assert caught.value.code == "ARTIFACT_CONFORMANCE"
    assert caught.value.facts["path"] == ".project-corpus/tasks/measure-it.md"


@pytest.mark.requirement("P13.1")
@pytest.mark.parametrize(
    "title",
    ["", "  ", "a\nProject-ID: other", "a\n## S", "a\x1b", "#", "\ud800", "x" * 201],
)
def test_a_title_is_one_printable_line(title: str) -> None:
    with pytest.raises(ArtifactConformanceError):
        task(DRAFT._replace(title=title))
    with pytest.raises(ArtifactConformanceError):
        report(DONE._replace(title=title))


@pytest.mark.requirement("P13.1")
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("result", "DONE"),
        ("result", "PASS\nNote: a"),
        ("task_id", "No Id"),
        ("task_id", "measure-it\nDate: 2026-01-01"),
        ("task_id", ""),
    ],
)
def test_a_report_that_would_not_conform_is_refused(field: str, value: str) -> None:
    with pytest.raises(ArtifactConformanceError):
        report(DONE._replace(**{field: value}))


@pytest.mark.requirement("P13.1")
@pytest.mark.parametrize("task_id", ["A", "../up", "a b c", "", "abc\n\n## S"])
def test_an_id_that_is_none_is_refused(task_id: str) -> None:
    with pytest.raises(ArtifactConformanceError):
        compose_task(DRAFT, project_id="demo-one", task_id=task_id, now=NOW)
    with pytest.raises(ArtifactConformanceError):
        compose_task(DRAFT, project_id=task_id, task_id="measure-it", now=NOW)


PIECES = (
    *("a", "## S", "# T", "---", "===", "```", "<!--", "-->", "", "Task-ID: x"),
    *("- a", "> q", "    c", "{{title}}", "<div>", "| a |", "|--|", "~~~", "1."),
)
WORDS = st.one_of(
    st.text(max_size=20),
    st.lists(st.sampled_from(PIECES), max_size=5).map("\n".join),
)


@pytest.mark.requirement("P13.1")
@given(title=st.text(max_size=20), objective=WORDS, scope=st.lists(WORDS, max_size=3))
@settings(max_examples=300, deadline=None)
def test_what_is_composed_conforms_and_says_only_what_was_given(
    title: str, objective: str, scope: list[str]
) -> None:
    draft = TaskDraft(title, objective, scope)
    try:
        content = compose_task(
            draft, project_id="demo-one", task_id="measure-it", now=NOW
        )
    except ArtifactConformanceError:
        return
    path = RelPath(".project-corpus/tasks/measure-it.md")
    assert check_content(path, content, project_id="demo-one") == ()
    document = parse_markdown(decode(content))
    assert len(read_metadata(document).entries) == 5
    assert tuple(each.title for each in sections(document)) == TASK.sections
    assert sum(h.level <= 2 for h in document.headings) == 5
    assert document.lines[0] == f"# {title.strip()}"


@pytest.mark.requirement("P13.1")
@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Measure the Cold Start!", "measure-the-cold-start"),
        ("Café: 2nd  try", "cafe-2nd-try"),
        ("--a.b_c--", "a-b-c"),
        ("Straße", "strasse"),
        ("ab", None),
        ("", None),
        ("Измерить холодный запуск", "izmerit-xolodnyj-zapusk"),
        ("Объём съёмки: ещё раз", "obyom-syomki-eshhyo-raz"),
        ("Измерить v12", "izmerit-v12"),
        ("Їжак і ґанок", "yizhak-i-ganok"),
        ("\u0418\u0306од", "jod"),
        ("测量冷启动", None),
        ("冷启动を測る", None),
        ("🚀", None),
        ("CON", None),
        ("x" * 63 + " yz", "x" * 63),
        ("x" * 70, "x" * 64),
    ],
)
def test_an_id_is_the_words_of_a_title_in_latin_letters(
    title: str, expected: str | None
) -> None:
    assert id_from_title(title) == expected


@pytest.mark.requirement("P1.1")
@given(st.text())
def test_an_id_from_a_title_is_always_an_id_that_can_be_a_file(title: str) -> None:
    found = id_from_title(title)
    assert found is None or (is_id(found) and name_problem(f"{found}.md") is None)
