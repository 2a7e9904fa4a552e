"""How a call is read: options anywhere, an optional ROOT, text after `--`."""

from __future__ import annotations

import pytest

from corpus.cli.arguments import CommandParser, add_root, root_and_text
from corpus.errors import UsageError


@pytest.mark.requirement("P18.1", "P7.1")
@pytest.mark.parametrize(
    ("arguments", "root", "query"),
    [
        pytest.param(["wind"], None, "wind", id="query alone"),
        pytest.param(["here", "wind"], "here", "wind", id="root and query"),
        pytest.param(["here", "--limit", "5", "wind"], "here", "wind", id="between"),
        pytest.param(["--limit=5", "here", "wind"], "here", "wind", id="before"),
        pytest.param(["wind", "--limit", "5"], None, "wind", id="after"),
        pytest.param(["--", "-wind"], None, "-wind", id="hyphen"),
        pytest.param(["here", "--", "--limit"], "here", "--limit", id="like option"),
        pytest.param(["here", "--", "-h"], "here", "-h", id="like help"),
        pytest.param(["-5"], None, "-5", id="a negative number"),
        pytest.param(["here", "-x y"], "here", "-x y", id="hyphen and space"),
        pytest.param(["--limit", "5", "--", ""], None, "", id="empty query"),
    ],
)
def test_root_is_optional_and_options_stand_anywhere(
    arguments: list[str], root: str | None, query: str
) -> None:
    parser = CommandParser(prog="p", summary="s", example="e")
    root_and_text(parser, "query")
    parser.add_argument("--limit", type=int)
    values = parser.parse(arguments)
    assert (values["root"], values["query"]) == (root, query)


def parser_of_a_query() -> CommandParser:
    parser = CommandParser(prog="p do", summary="s", example="e")
    root_and_text(parser, "query")
    parser.add_argument("--limit", type=int)
    return parser


@pytest.mark.requirement("P18.3")
def test_a_question_without_quotes_is_shown_with_them() -> None:
    with pytest.raises(UsageError) as caught:
        parser_of_a_query().parse(["why", "is", "it", "--limit", "3", "so?"])
    assert "`p do 'why is it so?'`" in caught.value.hint


@pytest.mark.requirement("P18.3")
def test_an_option_that_is_nearly_one_is_guessed() -> None:
    for wrong in ("--limt", "--limt=3"):
        with pytest.raises(UsageError) as caught:
            parser_of_a_query().parse(["why", wrong])
        assert "did you mean `--limit`?" in caught.value.hint
    with pytest.raises(UsageError) as caught:
        parser_of_a_query().parse(["why", "--zzz"])
    assert "did you mean" not in caught.value.hint


def test_one_argument_too_many_is_named_where_no_text_is_taken() -> None:
    parser = CommandParser(prog="p", summary="s", example="e")
    add_root(parser)
    with pytest.raises(UsageError) as caught:
        parser.parse(["one", "two"])
    assert "`two`" in str(caught.value)
    assert "quotes" not in caught.value.hint
