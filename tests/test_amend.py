"""One thing in an artifact changes, and every other byte stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpus.lines import decode
from corpus.markdown import parse_markdown
from corpus.protocol.amend import with_section, with_value
from corpus.protocol.layout import NEXT_ACTION, STATUS_PATH
from corpus.protocol.metadata import read_metadata
from corpus.protocol.sections import section_text, sections
from corpus.refs import RelPath
from corpus.refusals import AmendmentError

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
TASK = RelPath(".project-corpus/tasks/measure-it.md")
STATUS = (
    "# Status\n\nProject-ID: demo-one\nActive-Task-ID: NONE\n\n"
    "## Blockers\n\nNONE\n\n## Exact Next Action\n\nMeasure it.\n"
)


def valued(text: str, value: str = "new-task", key: str = "Active-Task-ID") -> str:
    return with_value(text.encode(), STATUS_PATH, key, value).decode()


def sectioned(text: str, body: str, heading: str = NEXT_ACTION) -> str:
    return with_section(text.encode(), STATUS_PATH, heading, body).decode()


@pytest.mark.requirement("P13.1")
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("K: a", "K: b"),
        ("K: a\n", "K: b\n"),
        ("K:\ta  \n", "K:\tb  \n"),
        ("k: a\\\n", "k: b\\\n"),
        ("K: k: a\n", "K: b\n"),
        ("K:\n", "K: b\n"),
        ("K:   \n", "K: b   \n"),
        ("K: a <!-- why -->\n", "K: b <!-- why -->\n"),
        ("K: <!-- a -->a<!-- a -->\n", "K: <!-- a -->b<!-- a -->\n"),
        ("K: <!-- a -->\n", "K: b <!-- a -->\n"),
        ("<!-- x -->K: a\n", None),
        ("\ufeffK: a\r\n\r\nT\r\n", "\ufeffK: b\r\n\r\nT\r\n"),
        ("\ufeff\ufeffK: a\rT\r", "\ufeff\ufeffK: b\rT\r"),
        ("---\nK: a\n---\n", "---\nK: b\n---\n"),
        ("---\nk : a # why\n---\n", "---\nk : b # why\n---\n"),
        ("---\n'k': 'a''s'\n---\n", "---\n'k': 'b'\n---\n"),
        ('---\n"k":  "a\\"" # x\n---\n', '---\n"k":  "b" # x\n---\n'),
        ("---\nk: a#b c\n---\n", "---\nk: b\n---\n"),
        ("---\nk:\n---\n", "---\nk: b\n---\n"),
        ("---\nk: # why\nx: y\n---\n", "---\nk: b # why\nx: y\n---\n"),
        ("---\nk: a\n---\nK: a\n", "---\nk: b\n---\nK: b\n"),
        ("---\nk: |\n  a\n---\n", None),
        ("---\nk: a\n  c\n---\n", None),
        ("---\n{k: a}\n---\n", None),
        ("---\nk: [a]\n---\n", None),
        ('---\n"\\x6b": a\n---\n', None),
        ("---\nk: a\n---\nK: c\n", None),
        ("Note: a\n\n## S\n\nK: a\n", None),
        ("```\nK: a\n```\n", None),
        ("K: a<!-- x -->c\n", None),
        ("K: a <!-- open\n", "K: b\n"),
        ("Supersedes: a\n", None),
    ],
)
def test_a_value_changes_where_it_stands_or_not_at_all(
    before: str, after: str | None
) -> None:
    key = "Supersedes" if before.startswith("Supersedes") else "K"
    if after is None:
        with pytest.raises(AmendmentError) as caught:
            valued(before, "b", key)
        assert caught.value.facts["path"] == STATUS_PATH
        assert caught.value.facts["key"] == key
    else:
        assert valued(before, "b", key) == after


@pytest.mark.requirement("P13.1")
def test_a_key_that_is_given_twice_is_left_alone() -> None:
    twice = STATUS.replace("\n\n##", "\nactive_task_id: NONE\n\n##", 1)
    with pytest.raises(AmendmentError) as caught:
        valued(twice)
    assert caught.value.code == "AMENDMENT_IMPOSSIBLE"


@pytest.mark.requirement("P13.1")
@pytest.mark.parametrize("value", ["", " ", " a", "a\nb", "a\rb", "a\x00", "\ud800"])
@pytest.mark.parametrize("text", ["K: v\n", "---\nk: 'v'\n---\n", '---\nk: "v"\n---\n'])
def test_a_value_is_one_printable_line(value: str, text: str) -> None:
    with pytest.raises(AmendmentError):
        valued(text, value, "K")


@pytest.mark.requirement("P13.1")
@pytest.mark.parametrize("value", ["a\\", "<!-- a -->", "a<!-- b -->"])
def test_a_value_that_would_not_read_back_is_refused(value: str) -> None:
    with pytest.raises(AmendmentError):
        valued("K: v\n", value, "K")


@pytest.mark.requirement("P13.1")
@pytest.mark.parametrize("value", ["a: b", "a # b", "- a", "[a", "'a", "@a", "&a b"])
def test_a_plain_value_does_not_become_other_yaml(value: str) -> None:
    with pytest.raises(AmendmentError):
        valued("---\nk: v\n---\n", value, "k")
    for quote in "'\"":
        changed = valued(f"---\nk: {quote}v{quote}\n---\n", value, "k")
        assert read_metadata(parse_markdown(changed)).get("k") == value


@pytest.mark.requirement("P13.1")
def test_a_value_does_not_hide_the_lines_below_it() -> None:
    with pytest.raises(AmendmentError):
        valued("K: v\nsome text -->\n", "b <!--", "K")


@pytest.mark.requirement("P13.1")
def test_a_section_does_not_close_front_matter() -> None:
    with pytest.raises(AmendmentError):
        sectioned("---\nK: a\n\n## S\n\nold: one\n", "b: c\n\n---", "S")


@pytest.mark.requirement("P13.1")
def test_bytes_that_are_no_text_are_refused() -> None:
    for content in (b"K: \xff\n", "K: v\n".encode("utf-16")):
        with pytest.raises(AmendmentError):
            with_value(content, TASK, "K", "b")
        with pytest.raises(AmendmentError):
            with_section(content, TASK, "S", "b")


@pytest.mark.requirement("P13.1")
@pytest.mark.parametrize(
    ("before", "body", "after"),
    [
        ("## S\n\nold\n", "new", "## S\n\nnew\n"),
        ("## S\n\nold", "new\n", "## S\n\nnew"),
        ("## S\nold\n## T\n", "new", "## S\nnew\n## T\n"),
        ("## S\n\n\nold \n\n\n## T", "\n\nnew\n\n", "## S\n\n\nnew\n\n\n## T"),
        ("## S\r\n\r\nold\r\n", "a\n\nb", "## S\r\n\r\na\r\n\r\nb\r\n"),
        ("## S\r\rold\r", "a\r\nb", "## S\r\ra\rb\r"),
        ("S\n--\n\nold\n\nT\n==\n", "new", "S\n--\n\nnew\n\nT\n==\n"),
        ("## S", "new", "## S\n\nnew"),
        ("## S\n", "new", "## S\n\nnew\n"),
        ("## S\n## T\n", "new", "## S\n\nnew\n\n## T\n"),
        ("## S\n\n## T\n", "new", "## S\n\nnew\n\n## T\n"),
        ("## S\n\nold\n", "  ", "## S\n\nNONE\n"),
        ("## S\n\nold\n", "### A\n\nb", "## S\n\n### A\n\nb\n"),
        ("## S\n\nold\n", "    code\n- a", "## S\n\n    code\n- a\n"),
        ("## S\n\n<!-- c -->\n", "new", "## S\n\n<!-- c -->\n\nnew\n"),
        ("## S\n\n<!-- c -->", "new", "## S\n\n<!-- c -->\n\nnew"),
        (
            "## S\n\n<!-- c\n\nd -->\n\nold\n\n<!-- e -->\n<!-- f -->\n\n## T\n",
            "new",
            "## S\n\n<!-- c\n\nd -->\n\nnew\n\n<!-- e -->\n<!-- f -->\n\n## T\n",
        ),
        ("## S\n\n<!-- open\n", "new", "## S\n\nnew\n"),
        ("## S\n\na <!-- c -->\nb\n", "new", "## S\n\nnew\n"),
        ("## S\n\nold\n\n## T\n", "```\n## T\n```", "## S\n\n```\n## T\n```\n\n## T\n"),
    ],
)
def test_a_section_gets_another_text_between_what_stays(
    before: str, body: str, after: str
) -> None:
    assert sectioned(before, body, "S") == after


@pytest.mark.requirement("P13.1")
@pytest.mark.parametrize(
    "body",
    [
        "a\n\n## Blockers\n\nb",
        "# Title",
        "a\n---",
        "a\n===\n",
        "```\na",
        "~~~~\na\n~~~",
        "<!-- a",
        "<pre>\na",
        "<script>",
        "\ud800",
    ],
)
def test_a_text_that_begins_or_hides_a_section_is_refused(body: str) -> None:
    before = STATUS.replace("## Blockers", "## Exact Next\n\n```\n\n```\n\n## Blockers")
    with pytest.raises(AmendmentError) as caught:
        sectioned(before, body, "Blockers")
    assert caught.value.facts["key"] == "Blockers"


@pytest.mark.requirement("P13.1")
def test_a_section_that_is_missing_or_stands_twice_is_left_alone() -> None:
    for text in ("# S\n\n### S\n", "```\n## S\n```\n", "## S\n\na\n\n## S\n\nb\n"):
        with pytest.raises(AmendmentError):
            sectioned(text, "new", "S")


@pytest.mark.requirement("P13.1")
def test_real_files_keep_all_their_other_lines() -> None:
    if not DATA.is_dir():
        pytest.skip("the shared test data is not here")
    changed = 0
    for path in sorted(DATA.glob("corpora/*/files/**/*.md"))[::25]:
        content = path.read_bytes()
        titles = [each.title for each in sections(parse_markdown(decode(content)))]
        for title in {title for title in titles if titles.count(title) == 1}:
            after = with_section(content, RelPath("a.md"), title, "One line.")
            document = parse_markdown(decode(after))
            assert [each.title for each in sections(document)] == titles
            assert "One line." in (section_text(document, title) or "")
            assert with_section(after, RelPath("a.md"), title, "One line.") == after
            changed += 1
    assert changed > 100


@pytest.mark.requirement("P13.1")
@pytest.mark.parametrize(
    "body",
    [
        pytest.param("Go on.\x1b[2J", id="an escape"),
        pytest.param("Go \u202eon.", id="turned"),
        pytest.param("One\u2028## Scope", id="a line separator"),
        pytest.param("One\x0bTwo", id="a vertical tab"),
        pytest.param("Go on.\n\n<!-- and then", id="an open comment"),
        pytest.param("Go on.\n\n```\nand then", id="an open fence"),
        pytest.param("Go on.\n\n<script>", id="an open script"),
    ],
)
def test_a_section_takes_nothing_that_hides_or_swallows(body: str) -> None:
    with pytest.raises(AmendmentError):
        with_section(STATUS.encode(), STATUS_PATH, NEXT_ACTION, body)
