from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from corpus.blocks import parse_blocks
from corpus.markdown import Document, parse_markdown, split_lines
from corpus.passages import CODE_CHARACTERS
from corpus.scanner import scan

PIECES = (
    *("a", "word two", "# h", "## h | x", "---", "===", "- ", "- a", "* b", "1. x"),
    *("2) y", "> q", ">", "```", "~~~", "``` x", "    code", "\tcode", "  in", "-"),
    *("   - deep", "     - deeper", "|", "| a | b |", "|---|---|", "a | b", "-|-"),
    *("[x]: /u", "[x]: /u 't'", "[x", "y]: z", "[a] b", "<!--", "-->", "<div>", "*"),
    *("<b>", "<pre>", "</pre>", "<?", "?>", "<!X", ">", "", "", "", "", "   ", "***"),
    *("* * *", "- - -", "+ c", "10. z", "'", "(x", "**b**", "- **b**", "- [x] t"),
    *("1.", "`c`", "- `c`", "\x0b", "\u2028", "  # h", "  ```", "-- ", "=", "--"),
    *("a\x00b", "#", "#\t", "> ```", "> - a", "- > b", "- ```", "  ===", "a -->"),
    *(":-:", ":--", "\xa0", "<script>", "</script>", "<a", "href>", "- # h", "k: v"),
    *("- a | b", "- a\n  b", "- a\n\n  b", "word. " * 300, "x\n" * 700, "text <!--"),
)

markdown = st.lists(
    st.one_of(
        st.sampled_from(PIECES),
        st.tuples(st.sampled_from(PIECES), st.sampled_from(PIECES)).map("".join),
        st.text(max_size=12),
    ),
    max_size=25,
).map("\n".join)


def covering(document: Document) -> list[int]:
    times = [0] * (len(document.lines) + 1)
    for passage in document.passages:
        for line in range(passage.first, passage.last + 1):
            times[line] += 1
    return times


@pytest.mark.requirement("P6.1", "P6.2")
@given(text=st.one_of(markdown, st.text(), markdown.map("---\nk: v\n---\n{}".format)))
@settings(max_examples=400, deadline=None)
def test_every_line_with_text_is_in_one_passage_or_heads_one(text: str) -> None:
    document = parse_markdown(text)
    times = covering(document)
    headed = {line for p in document.passages for line in p.headings}
    on_path = {
        line
        for heading in document.headings
        if heading.line in headed
        for line in range(heading.line, heading.last + 1)
    }
    for number, line in enumerate(document.lines, start=1):
        assert times[number] <= 1
        if line.strip(" \t"):
            assert times[number] == 1 or number in on_path
    assert {heading.line for heading in document.headings} <= headed


@pytest.mark.requirement("P6.1")
@given(text=markdown)
@example(text="word. " * 300 + "\n" + "x\n" * 700 + "---")
@settings(max_examples=200, deadline=None)
def test_passages_are_in_order_begin_and_end_with_text_and_stay_short(
    text: str,
) -> None:
    document = parse_markdown(text)
    last = 0
    for passage in document.passages:
        assert last < passage.first <= passage.last
        last = passage.last
        lines = document.lines[passage.first - 1 : passage.last]
        assert lines[0].strip(" \t")
        assert lines[-1].strip(" \t")
        size = sum(len(line) + 1 for line in lines)
        assert len(lines) == 1 or size <= CODE_CHARACTERS


@pytest.mark.requirement("P6.1")
@given(text=markdown)
@settings(max_examples=400, deadline=None)
def test_the_scanner_finds_the_blocks_the_parser_finds(text: str) -> None:
    lines = split_lines(text)
    whole = parse_blocks(lines, 1)
    if whole is not None:  # else the nesting is deeper than the parser keeps
        assert scan(lines) == whole


@pytest.mark.requirement("P6.1")
@given(text=st.one_of(markdown, st.text()))
@settings(max_examples=200, deadline=None)
def test_a_heading_path_climbs_and_stands_above_its_passage(text: str) -> None:
    document = parse_markdown(text)
    levels = {heading.line: heading.level for heading in document.headings}
    for passage in document.passages:
        path = [levels[line] for line in passage.headings]
        assert path == sorted(set(path))
        assert all(line <= passage.first for line in passage.headings)
        above = [line for line in levels if line <= passage.first]
        assert passage.section_line == max(above, default=0)
