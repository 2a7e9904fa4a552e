from __future__ import annotations

from pathlib import Path

import pytest

from corpus.blocks import MAX_NESTING, parse_blocks
from corpus.headings import HEADING_CHARACTERS
from corpus.markdown import (
    Document,
    Passage,
    decode,
    parse_markdown,
    split_lines,
    visible,
)
from corpus.passages import CODE_CHARACTERS, PASSAGE_CHARACTERS
from corpus.scanner import MAX_BLOCKS

NASTY = Path(__file__).parents[2] / "shared" / "data" / "nasty-markdown"
MIB = 1 << 20


def spans(text: str) -> list[tuple[int, int]]:
    return [(p.first, p.last) for p in parse_markdown(text).passages]


def titles(text: str) -> list[tuple[int, str, int]]:
    return [(h.level, h.text, h.line) for h in parse_markdown(text).headings]


def uncovered(document: Document) -> list[int]:
    """Give the lines with text that no passage holds or heads, or that two hold."""
    times = [0] * (len(document.lines) + 1)
    headed: set[int] = set()
    for passage in document.passages:
        for line in range(passage.first, passage.last + 1):
            times[line] += 1
        headed.update(passage.headings)
    on_path = {
        line
        for heading in document.headings
        if heading.line in headed
        for line in range(heading.line, heading.last + 1)
    }
    return [
        number
        for number, line in enumerate(document.lines, start=1)
        if line.strip(" \t")
        and (times[number] > 1 or (times[number] == 0 and number not in on_path))
    ]


@pytest.mark.requirement("P4.5")
@pytest.mark.parametrize(
    ("text", "lines"),
    [
        pytest.param("a\nb\n", ["a", "b"], id="LF"),
        pytest.param("a\r\nb\r\n", ["a", "b"], id="CRLF"),
        pytest.param("a\rb", ["a", "b"], id="CR"),
        pytest.param("a\r\n\rb\n\n", ["a", "", "b", ""], id="mixed"),
        pytest.param("a\u2028b\x0bc\x0cd\x85e\x00f", ["a\u2028b\x0bc\x0cd\x85e\x00f"]),
        pytest.param("", [], id="empty"),
        pytest.param("\n", [""], id="one line end"),
    ],
)
def test_lines_end_where_editors_and_git_end_them(text: str, lines: list[str]) -> None:
    assert split_lines(text) == lines
    assert list(parse_markdown(text).lines) == lines


@pytest.mark.requirement("P4.5")
def test_a_byte_order_mark_is_no_text_and_bad_bytes_are_refused() -> None:
    assert decode(b"\xef\xbb\xbf# T\n") == "# T\n"
    assert titles("\ufeff# T\n") == [(1, "T", 1)]
    with pytest.raises(UnicodeDecodeError):
        decode(b"caf\xe9")


@pytest.mark.requirement("P6.1")
def test_passages_stand_below_their_whole_heading_path() -> None:
    text = "intro\n\n# A\n\n## B\n\none\n\n### C\n\ntwo\n\n## D\n\nthree\n"
    assert parse_markdown(text).passages == (
        Passage(1, 1, ()),
        Passage(7, 7, (3, 5)),
        Passage(11, 11, (3, 5, 9)),
        Passage(15, 15, (3, 13)),
    )
    document = parse_markdown(text)
    assert document.heading_path(document.passages[2]) == ("A", "B", "C")
    assert [p.section_line for p in document.passages] == [0, 5, 9, 13]


@pytest.mark.requirement("P6.1")
def test_a_heading_with_nothing_below_is_a_passage_of_its_own() -> None:
    assert parse_markdown("# A\n\n## B\n## C\n\ntext\n\n# D\n").passages == (
        Passage(3, 3, (1, 3)),
        Passage(6, 6, (1, 4)),
        Passage(8, 8, (8,)),
    )


@pytest.mark.requirement("P6.1")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("# A #\n", [(1, "A", 1)], id="closing marks"),
        pytest.param("# C#\n", [(1, "C#", 1)], id="a sharp of its own"),
        pytest.param("#\tTab\n", [(1, "Tab", 1)], id="tab"),
        pytest.param("A\n===\n\nB c\nd\n---\n", [(1, "A", 1), (2, "B c d", 4)]),
        pytest.param("#hash\n####### seven\n\\# no\n    # code\n", [], id="not one"),
        pytest.param("```\n# no\n```\n~~~\n# no\n~~~~\n# yes\n", [(1, "yes", 7)]),
        pytest.param("```\n# no\n\n# unclosed\n", [], id="unclosed fence"),
        pytest.param("> # no\n\n- # no\n\n<!--\n# no\n\n# no\n-->\n", [], id="inside"),
        pytest.param("<div>\n# no\n\n# yes\n", [(1, "yes", 4)], id="HTML ends blank"),
        pytest.param("- a\n\n# yes\n", [(1, "yes", 3)], id="after a list"),
        pytest.param("a | b\n--|--\nc | d\n# yes\n", [(1, "yes", 4)], id="table"),
        pytest.param(
            "# `a_b` **bold** _it_ snake_case 2 * 3 \\*x\n",
            [(1, "a_b bold it snake_case 2 * 3 *x", 1)],
            id="markup",
        ),
    ],
)
def test_headings_are_those_of_commonmark(
    text: str, expected: list[tuple[int, str, int]]
) -> None:
    assert titles(text) == expected
    assert uncovered(parse_markdown(text)) == []


@pytest.mark.requirement("P6.1")
def test_a_long_heading_is_cut_in_paths_and_findable_as_a_passage() -> None:
    document = parse_markdown(f"# {'word ' * 100}end\n\ntext\n")
    assert len(document.headings[0].text) <= HEADING_CHARACTERS
    assert document.passages == (Passage(1, 1, (1,)), Passage(3, 3, (1,)))


@pytest.mark.requirement("P6.1")
def test_small_blocks_of_one_section_share_a_passage() -> None:
    assert spans("# A\n\none\n\n- two\n- three\n\n```\ncode\n```\n") == [(3, 10)]


@pytest.mark.requirement("P6.1")
def test_paragraphs_stay_whole_while_passages_fill_up() -> None:
    paragraph = "\n".join(["some words in a line of the text"] * 20)
    assert len(paragraph) * 2 > PASSAGE_CHARACTERS
    assert spans(f"{paragraph}\n\n{paragraph}\n\n{paragraph}\n") == [
        (1, 20),
        (22, 41),
        (43, 62),
    ]


@pytest.mark.requirement("P6.1")
def test_a_long_paragraph_is_divided_where_a_sentence_ends() -> None:
    sentence = "words and words and words\n" * 30 + "and the end.\n"
    found = spans(sentence * 3)
    assert found == [(1, 31), (32, 62), (63, 93)]


@pytest.mark.requirement("P6.1")
def test_a_long_line_is_one_passage() -> None:
    assert spans("word " * 60_000 + "\n\nshort\n") == [(1, 1), (3, 3)]


@pytest.mark.requirement("P6.1")
def test_a_long_list_is_divided_between_items_with_their_children() -> None:
    item = "- item " + "x" * 300 + "\n  more\n\n  - child " + "y" * 200 + "\n"
    assert spans(item * 6) == [(1, 8), (9, 16), (17, 24)]


@pytest.mark.requirement("P6.1")
def test_an_item_too_long_alone_is_divided_between_its_own_items() -> None:
    children = "".join(f"  - child {n} {'y' * 500}\n" for n in range(5))
    assert spans(f"- parent\n{children}- next\n") == [
        (1, 3),
        (4, 5),
        (6, 6),
        (7, 7),
    ]


@pytest.mark.requirement("P6.1")
def test_a_table_is_divided_between_rows_and_its_head_stays_with_the_first() -> None:
    row = f"| {'cell ' * 30} | b |\n"
    found = spans("| a | b |\n|---|---|\n" + row * 20)
    assert found[0][0] == 1
    assert [first for first, _ in found[1:]] == [last + 1 for _, last in found[:-1]]
    assert all(last - first < 9 for first, last in found)


@pytest.mark.requirement("P6.1")
def test_a_fence_stays_whole_up_to_its_cap() -> None:
    line = "some = code(here)\n"
    whole = line * ((CODE_CHARACTERS - 10) // len(line))
    count = whole.count("\n") + 2
    assert spans(f"```\n{whole}```\n") == [(1, count)]
    document = parse_markdown(f"```\n{whole * 3}```\n")
    assert len(document.passages) > 2
    assert uncovered(document) == []


@pytest.mark.requirement("P6.1")
def test_blank_lines_inside_a_long_fence_give_no_empty_passage() -> None:
    document = parse_markdown("```\na\n" + "\n" * 5_000 + "b\n```\n")
    assert uncovered(document) == []
    assert all(document.lines[p.first - 1].strip() for p in document.passages)


@pytest.mark.requirement("P6.1")
def test_definitions_comments_and_rules_are_found_too() -> None:
    text = "# A\n\n[x]: /url 'title'\n\n<!-- note -->\n\n***\n\n<p>\nhi\n</p>\n"
    assert spans(text) == [(3, 11)]


@pytest.mark.requirement("P6.1", "P1.2")
def test_plain_lines_are_those_outside_code_quotes_html_and_front_matter() -> None:
    text = (
        "---\nk: v\n---\nplain\n\n```\nfence\n```\n\n> quote\nlazy\n\n    code\n\n"
        "- item\n\n  ```\n  inner\n  ```\n- > inner quote\n\n<!-- c\n\nd -->\n\nend\n"
    )
    document = parse_markdown(text)
    shown = [document.lines[n - 1] for n in sorted(document.plain)]
    assert [line for line in shown if line] == ["plain", "- item", "end"]


@pytest.mark.requirement("P1.2")
def test_a_comment_inside_a_paragraph_hides_the_lines_it_covers() -> None:
    document = parse_markdown("text <!-- begins\nhidden\nends --> here\nplain\n")
    assert document.plain == {1, 4}
    assert parse_markdown("a <!-- never\nclosed\n\nb -->\n").plain == {1, 2, 3, 4}
    assert visible("a<!-- x -->b<!-- y -->c <!-- d") == "abc <!-- d"


@pytest.mark.requirement("P6.2")
def test_what_is_nested_deeper_than_the_parser_keeps_is_still_found() -> None:
    deep = "".join("  " * n + f"- level {n}\n" for n in range(60))
    document = parse_markdown(f"# A\n\n{deep}\n# B\n\nend\n")
    assert uncovered(document) == []
    assert [h.text for h in document.headings] == ["A", "B"]
    assert parse_blocks(split_lines(deep), 1) is None


@pytest.mark.requirement("P6.2")
def test_nesting_the_parser_keeps_is_told_apart() -> None:
    shallow = ["> " * (MAX_NESTING - 3) + "text"]
    blocks = parse_blocks(shallow, 5)
    assert blocks is not None
    assert [(b.kind, b.first, b.last) for b in blocks] == [("quote", 5, 5)]


@pytest.mark.requirement("P6.2")
def test_more_blocks_than_a_corpus_may_have_lines_end_in_one_block() -> None:
    document = parse_markdown("# a\n" * (MAX_BLOCKS + 100))
    assert len(document.headings) == MAX_BLOCKS
    assert uncovered(document) == []


def repeated(piece: str, *, size: int) -> str:
    return (piece * (size // len(piece) + 1))[:size]


ROW = "|a" * 90 + "|\n" + "|-" * 90 + "|\n" + "a\n" * 700 + "\n"
STAIRS = "".join("  " * n + "- a\n" for n in range(9))


@pytest.mark.requirement("P6.2")
@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "piece",
    [
        *("[", ">", "- ", "|", "`", "<!--", "*", "#", "\t", "[a]: b ", "> - ", "<a "),
        *("[\n", ">\n", "- \n", "|\n", "`\n", "<!--\n", "*\n", "#\n", "<\n", "a\n"),
        *("- a\n", "> a\n", "1. a\n", "[a]: b\n", "    a\n", "a\n=\n", "a|b\n-|-\n"),
        *("<div>\n", "<b>\n\n", "- > - > a\n", "> a\n\n", "- *a*\n\n", "[a\\\n"),
        *("- a\n```\n", "```\n", "> ```\n", "a <!-- b\n", "a <!-- b\nc --> d\n"),
        *(
            "- " * 9 + "a\n",
            "> " * 18 + "a\n",
            "- " * 100 + "a\n",
            "> - 1. " * 5 + "\n",
        ),
        *("- a\n  1. b\n     - c\n", "# a | b\n---|--\n", "# `` ` *_ \n", "\r"),
        pytest.param(ROW, id="tables of 90 columns"),
        pytest.param(f"- {ROW}", id="tables in lists"),
        pytest.param(STAIRS, id="stairs"),
    ],
)
def test_half_a_mebibyte_of_anything_is_read_and_every_line_is_covered(
    piece: str,
) -> None:
    text = repeated(piece, size=MIB // 2)
    document = parse_markdown(text)
    assert list(document.lines) == split_lines(text)
    assert uncovered(document) == []


@pytest.mark.requirement("P6.1", "P6.2")
def test_every_line_of_real_oddities_is_covered() -> None:
    if not NASTY.is_dir():
        pytest.skip("the collection of odd Markdown is not here")
    seen = 0
    for path in sorted(NASTY.rglob("*")):
        if not path.is_file():
            continue
        try:
            text = decode(path.read_bytes())
        except UnicodeDecodeError:
            continue
        assert uncovered(parse_markdown(text)) == [], path.name
        seen += 1
    assert seen > 50


FRONT = (
    "---\nTitle: One\n'Task-ID': \"t-1\"\nlist: [a, b]\nnested: {a: 1}\nno: 1.10\n---\n"
)


@pytest.mark.requirement("P1.2", "P6.1")
@pytest.mark.parametrize("start", ["", "\ufeff"], ids=["plain", "BOM"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_front_matter_gives_strings_and_lists_with_their_lines(
    start: str, end: str
) -> None:
    document = parse_markdown(start + f"{FRONT}# T\n".replace("\n", end))
    matter = document.front_matter
    assert matter is not None
    assert (matter.first, matter.last, matter.problem) == (1, 7, None)
    assert matter.values == {
        "Title": "One",
        "Task-ID": "t-1",
        "list": ("a", "b"),
        "no": "1.10",
    }
    assert matter.lines == {
        "Title": 2,
        "Task-ID": 3,
        "list": 4,
        "nested": 5,
        "no": 6,
    }
    assert [h.line for h in document.headings] == [8]
    assert document.passages[0] == Passage(1, 7, ())


@pytest.mark.requirement("P1.2")
def test_values_stay_as_they_were_written() -> None:
    document = parse_markdown("---\na: 2024-05-01\nb: yes\nc: 010\nd:\ne: 12:30\n---\n")
    assert document.front_matter is not None
    assert document.front_matter.values == {
        "a": "2024-05-01",
        "b": "yes",
        "c": "010",
        "d": "",
        "e": "12:30",
    }


@pytest.mark.requirement("P1.2")
@pytest.mark.parametrize(
    ("yaml", "problem", "line"),
    [
        pytest.param("a: 1\nb: 2\na: 3", "a key is given twice", 4, id="twice"),
        pytest.param("a: &x 1\nb: *x", "it uses an alias", 3, id="alias"),
        pytest.param("a: !!python/name:os.system 1", "it uses a tag", 2, id="tag"),
        pytest.param("a: 1\n? [b]\n: 2", "a key is not a string", 3, id="key"),
        pytest.param("a: [1", "it is not valid YAML", 3, id="malformed"),
        pytest.param("a: " + "[" * 40 + "]" * 40, "it is nested too deeply", 2),
        pytest.param("a: " + "[" * 5000, "it is not valid YAML", 2, id="deeper"),
        pytest.param("a: \ud800", "it holds a character that is not text", 1),
        pytest.param("a: b\n" * 20_000, "it is longer than 65,536 characters", 1),
    ],
)
def test_front_matter_that_cannot_be_trusted_is_text_with_a_problem(
    yaml: str, problem: str, line: int
) -> None:
    document = parse_markdown(f"---\n{yaml}\n---\n\n# T\n\nbody\n")
    matter = document.front_matter
    assert matter is not None
    assert (matter.values, matter.problem, matter.problem_line) == ({}, problem, line)
    assert [h.text for h in document.headings] == ["T"]
    assert uncovered(document) == []


@pytest.mark.requirement("P1.2")
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("---\na: b\n", id="unclosed"),
        pytest.param("---\n\nSome prose here.\n\n---\n\nMore.\n", id="a rule"),
        pytest.param("---\n- a\n- b\n---\n", id="a list"),
        pytest.param("---\nProse: with [odd\nand: more: colons\nhere\n", id="open"),
        pytest.param("---\nIt was so: [we\ndid\n---\n", id="prose with a colon"),
        pytest.param("+++\na = 1\n+++\n", id="TOML"),
        pytest.param('{\n"a": 1\n}\n', id="JSON"),
        pytest.param("\n---\na: b\n---\n", id="not first"),
        pytest.param(" ---\na: b\n---\n", id="indented"),
    ],
)
def test_what_only_looks_like_front_matter_is_text(text: str) -> None:
    document = parse_markdown(text)
    assert document.front_matter is None
    assert uncovered(document) == []


@pytest.mark.requirement("P1.2")
def test_empty_front_matter_says_nothing() -> None:
    matter = parse_markdown("---\n---\n# T\n").front_matter
    assert matter is not None
    assert (matter.last, matter.values, matter.problem) == (2, {}, None)


@pytest.mark.requirement("P1.2", "P4.5")
def test_keys_have_the_lines_an_editor_shows() -> None:
    matter = parse_markdown("---\na: 'x\u2028y\x85z'\nb: 1\n---\n").front_matter
    assert matter is not None
    assert matter.lines == {"a": 2, "b": 3}
