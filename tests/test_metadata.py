from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.markdown import parse_markdown
from corpus.protocol.layout import (
    PROJECT_PATH,
    STATUS_PATH,
    ArtifactType,
    artifact_type,
)
from corpus.protocol.metadata import (
    Metadata,
    instant,
    is_utc_instant,
    read_metadata,
)


def read(text: str) -> Metadata:
    return read_metadata(parse_markdown(text))


def codes(text: str) -> list[tuple[str, int]]:
    return [(problem.code, problem.line) for problem in read(text).problems]


@pytest.mark.requirement("P1.1", "P5.10")
@pytest.mark.parametrize(
    ("path", "kind"),
    [
        (PROJECT_PATH, "state"),
        (STATUS_PATH, "state"),
        (".project-corpus/tasks/a.md", "task"),
        (".project-corpus/reports/deep/er/a.MARKDOWN", "report"),
        (".project-corpus/history/a.Md", "history"),
        (".project-corpus/history/a.txt", None),
        (".project-corpus/generated/a.md", None),
        (".project-corpus/a.md", None),
        (".project-corpus/reports", None),
        ("reports/a.md", None),
        ("x/.project-corpus/reports/a.md", None),
        ("AGENTS.md", None),
    ],
)
def test_an_artifact_is_markdown_below_one_of_the_four_folders(
    path: str, kind: ArtifactType | None
) -> None:
    assert artifact_type(path) == kind


@pytest.mark.requirement("P1.2")
def test_metadata_is_the_lines_before_the_first_h2() -> None:
    metadata = read(
        "Before: title\n\n# T\n\nTask_ID: t-1\nCreated-At:\nEmpty-Space:   \n"
        "Note: prose: too\n\n### Deeper\n\nDate: 2024-05-01  \n\n## S\n\nLate: no\n"
    )
    assert [tuple(entry) for entry in metadata.entries] == [
        ("before", "title", 1),
        ("task-id", "t-1", 5),
        ("created-at", "", 6),
        ("empty-space", "", 7),
        ("note", "prose: too", 8),
        ("date", "2024-05-01", 12),
    ]
    assert metadata.get("TASK-id") == metadata.get("task_id") == "t-1"
    assert metadata.get("Late") is None
    assert metadata.problems == ()


@pytest.mark.requirement("P1.2")
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("```\nTask-ID: a\n```\n", id="fence"),
        pytest.param("    Task-ID: a\n", id="indented code"),
        pytest.param("> Task-ID: a\n", id="quote"),
        pytest.param("> quote\nTask-ID: a\n", id="lazy quote"),
        pytest.param("<!--\nTask-ID: a\n-->\n", id="comment"),
        pytest.param("text <!--\nTask-ID: a\n-->\n", id="comment inside a paragraph"),
        pytest.param("<div>\nTask-ID: a\n</div>\n", id="HTML"),
        pytest.param("<!-- Task-ID: a -->\n", id="comment on one line"),
        pytest.param("- Task-ID: a\n", id="list item"),
        pytest.param("Task-ID: a\n=========\n", id="heading"),
        pytest.param("# Task-ID: a\n", id="marked heading"),
        pytest.param("Task-ID:a\n", id="no space"),
        pytest.param("http://host/Task-ID: a\n", id="URL"),
        pytest.param("Task ID: a\n", id="space in the key"),
        pytest.param("1Task-ID: a\n", id="digit first"),
        pytest.param("T" + "x" * 64 + ": a\n", id="long key"),
        pytest.param("Ключ: a\n", id="other letters"),
    ],
)
def test_what_only_looks_like_metadata_is_text(text: str) -> None:
    assert read(text).entries == ()


@pytest.mark.requirement("P1.2")
def test_a_key_given_twice_is_a_problem_on_the_second_line() -> None:
    text = (
        "# T\n\nTask-ID: a\nNote: x\nNote: y\ntask_id: a\nSupersedes: b\nSupersedes: c"
    )
    assert codes(text) == [("DUPLICATE_METADATA", 6)]
    assert read(text).get("Task-ID") == "a"
    assert len(read(text).all("Task-ID")) == 2


@pytest.mark.requirement("P1.2")
def test_front_matter_is_metadata_too() -> None:
    metadata = read("---\ntask_id: t-1\nRoot: [a, b]\n---\n# T\n\nResult: PASS\n")
    assert [tuple(entry) for entry in metadata.entries] == [
        ("task-id", "t-1", 2),
        ("root", "a", 3),
        ("root", "b", 3),
        ("result", "PASS", 7),
    ]
    assert metadata.problems == ()


@pytest.mark.requirement("P1.2")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("---\nTask-ID: a\n---\nTask-ID: a\n", [], id="agree"),
        pytest.param(
            "---\nTask-ID: a\n---\ntask_id: b\n", [("INVALID_METADATA", 4)], id="differ"
        ),
        pytest.param("---\ntitle: a\n---\nTitle: b\n", [], id="not ours"),
        pytest.param(
            "---\nTask-ID: a\nTask_ID: b\n---\n",
            [("DUPLICATE_METADATA", 3)],
            id="two spellings",
        ),
        pytest.param(
            "---\nx: a\nx: b\n---\n", [("DUPLICATE_METADATA", 3)], id="twice in YAML"
        ),
        pytest.param("---\nx: [a\n---\n", [("INVALID_METADATA", 3)], id="bad YAML"),
        pytest.param(
            "---\nx: &a 1\ny: *a\n---\n", [("INVALID_METADATA", 3)], id="alias"
        ),
    ],
)
def test_front_matter_and_lines_must_agree(
    text: str, expected: list[tuple[str, int]]
) -> None:
    assert codes(text) == expected


@pytest.mark.requirement("P1.2", "P7.4")
@pytest.mark.parametrize(
    ("text", "targets"),
    [
        pytest.param("Supersedes: a, b c;d\n", "a b c d", id="commas and spaces"),
        pytest.param("supersedes: `a`, `b.md`\n", "a b.md", id="code ticks"),
        pytest.param("- Supersedes: `a`\n* SUPERSEDES: b\n", "a b", id="list items"),
        pytest.param("Supersedes:\n- a\n- `b`\n\ntext\n- c\n", "a b", id="list below"),
        pytest.param("- Supersedes:\n  - a\n  - b\n", "a b", id="list inside"),
        pytest.param("Supersedes: a\nSupersedes: b\n", "a b", id="twice"),
        pytest.param("Supersedes: NONE\n", "", id="none"),
        pytest.param("Supersedes:\n\n## S\n\n- a\n", "", id="empty"),
        pytest.param("Supersedes: [t](../r/a.md), [b]\n", "../r/a.md b", id="links"),
        pytest.param("---\nSupersedes: a, b\n---\n", "a b", id="YAML string"),
        pytest.param("---\nsupersedes:\n  - a\n  - `b`\n---\n", "", id="YAML ticks"),
        pytest.param('---\nsupersedes: ["a", "`b`"]\n---\n', "a b", id="YAML list"),
        pytest.param("---\nsupersedes: a\n---\nSupersedes: b\n", "a b", id="both"),
        pytest.param("```\nSupersedes: a\n```\n", "", id="fence"),
        pytest.param("> Supersedes: a\n", "", id="quote"),
        pytest.param("## S\nSupersedes: a\n", "", id="after the first H2"),
        pytest.param("text\n- item\n- c\n", "", id="a list of other things"),
    ],
)
def test_supersedes_takes_every_tolerated_form(text: str, targets: str) -> None:
    found = read(text).supersedes()
    assert " ".join(target for target, _ in found) == targets


@pytest.mark.requirement("P7.4")
def test_each_superseded_target_has_its_line() -> None:
    text = "# T\n\nSupersedes: a, b\n- Supersedes: c\n"
    assert read(text).supersedes() == (("a", 3), ("b", 3), ("c", 4))


@pytest.mark.requirement("P7.3")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Date: d\nCreated: c\nCreated-At: a\n", "a", id="created at"),
        pytest.param("Date: d\nCreated: c\nLast-Verified-At: v\n", "c", id="created"),
        pytest.param("Date: d\nLast-Verified-At: v\n", "v", id="verified"),
        pytest.param("Created-At:\nDate: d\n", "d", id="empty is not given"),
        pytest.param("Updated: u\n", None, id="none"),
    ],
)
def test_the_timestamp_is_the_first_given_in_order_of_precedence(
    text: str, expected: str | None
) -> None:
    assert read(text).timestamp() == expected


@pytest.mark.requirement("P1.6")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-05-01", datetime(2024, 5, 1, tzinfo=UTC)),
        ("2024-05-01T10:00Z", datetime(2024, 5, 1, 10, tzinfo=UTC)),
        (" 2024-05-01 10:00:00+02:00 ", datetime(2024, 5, 1, 8, tzinfo=UTC)),
        ("2024-05-01t10:00:00z", datetime(2024, 5, 1, 10, tzinfo=UTC)),
        ("2024-05-01T10:00:00.25-0130", datetime(2024, 5, 1, 11, 30, 0, 250000, UTC)),
        ("2024-12-31T23:59:60Z", datetime(2024, 12, 31, 23, 59, 59, tzinfo=UTC)),
        ("2024-02-30", None),
        ("2023-02-29", None),
        ("2024-13-01", None),
        ("2024-05-01T24:00Z", None),
        ("2024-05-01T10:00:61Z", None),
        ("2024-05-01T10:00+25:00", None),
        ("0001-01-01T00:00+10:00", None),
        ("2024-5-1", None),
        ("２０２４-05-01", None),
        ("2024-05-01T", None),
        ("UNVERIFIED", None),
        ("", None),
    ],
)
def test_dates_are_read_leniently_and_must_be_real(
    text: str, expected: datetime | None
) -> None:
    assert instant(text) == expected


@pytest.mark.requirement("P1.4")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-05-01T10:00:00Z", True),
        ("2024-05-01T10:00:00.5+00:00", True),
        ("2024-05-01T10:00:00", False),
        ("2024-05-01T10:00:00+02:00", False),
        ("2024-05-01", False),
        ("2024-02-30T10:00:00Z", False),
        ("UNVERIFIED", False),
    ],
)
def test_a_utc_instant_is_rfc_3339_and_real(text: str, *, expected: bool) -> None:
    assert is_utc_instant(text) is expected


@pytest.mark.requirement("P1.2")
@given(st.text())
def test_any_text_can_be_asked_for_metadata(text: str) -> None:
    for body in (text, f"---\n{text}\n---\n{text}", f"Supersedes: {text}"):
        metadata = read(body)
        metadata.supersedes()
        instant(text)
        assert all(entry.line >= 1 for entry in metadata.entries)
