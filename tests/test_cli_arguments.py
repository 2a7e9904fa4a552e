"""How a call is read: options anywhere, an optional ROOT, text after `--`."""

from __future__ import annotations

import pytest

from corpus.cli.arguments import CommandParser, root_and_text


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
