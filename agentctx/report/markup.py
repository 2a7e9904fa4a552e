"""HTML that cannot be broken by what it holds: every text and value is escaped.

What is a `Markup` was made here, of elements; whatever else stands inside of one is a
text. A stored text is somebody else's: it loses what a reader cannot see, and secrets,
keeps its own direction, and is said to be in no known language.
"""

from __future__ import annotations

import html
import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from agentctx.records.card import shown

if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST_OPEN = 600
"""Characters of a text that stands on the page as it is; a longer one is folded."""

_EXCERPT, _KEPT = 160, 2048
_VOID = frozenset(("meta",))
_BLANK = "\u2800"
"""A letter without ink: it takes room and cannot be seen."""

_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?Z")


class Markup(NamedTuple):
    """A piece of HTML that is well formed."""

    html: str


def element(
    name: str, /, *inside: Markup | str, **attributes: str | int | None
) -> Markup:
    """Make an element; an attribute that is None is left out.

    `class_` is `class`, and `aria_label` is `aria-label`.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_quoted(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _VOID:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{together(inside).html}</{name}>")


def together(parts: Iterable[Markup | str]) -> Markup:
    """Put pieces and texts behind one another."""
    return Markup(
        "".join(
            one.html if isinstance(one, Markup) else html.escape(one) for one in parts
        )
    )


@lru_cache(maxsize=_KEPT)
def clean(text: str) -> str:
    """Give a stored text as it may be shown; a page names a title more than once."""
    return shown(text).replace(_BLANK, "\ufffd")


def stored(name: str, text: str, **attributes: str | None) -> Markup:
    """Make an element that holds one short stored text."""
    own = {"lang": "", "dir": "auto", **attributes}
    return element(name, named(text), **own)


def named(text: str) -> str:
    """Give a stored text as the name of something, for the value of an attribute."""
    return " ".join(clean(text).split())


def told(text: str, **attributes: str | None) -> Markup:
    """Make a block of a stored text; a long one opens when it is asked for."""
    whole = clean(text).strip("\n")
    own = {"lang": "", "dir": "auto", "class_": "told", **attributes}
    if len(whole) <= LONGEST_OPEN:
        return element("div", whole, **own)
    begin = " ".join(whole[:_EXCERPT].split())
    return element(
        "details",
        element("summary", element("span", f"{begin}…", lang="", dir="auto")),
        element("div", whole, **own),
    )


def moment(text: str | None) -> Markup:
    """Make a time of a stamp; what is none stays the text that it is."""
    if text is None:
        return element("span", "not known")
    found = _MOMENT.fullmatch(text)
    if found is None:
        return stored("span", text)
    return element("time", f"{found[1]} {found[2]}", datetime=text)


def counted(number: int, one: str, more: str | None = None) -> str:
    """Write a number with its noun: `1 file`, `2 files`."""
    return f"{number:,} {one if number == 1 else more or f'{one}s'}"


def paragraph(*inside: Markup | str, class_: str | None = None) -> Markup:
    """Make a paragraph."""
    return element("p", *inside, class_=class_)


def listed(items: Iterable[Markup], *, class_: str | None = None) -> Markup:
    """Make a list."""
    return element("ul", *(element("li", one) for one in items), class_=class_)


def terms(pairs: Iterable[tuple[str, Markup | str]]) -> Markup:
    """Make a list of names, each with what it names."""
    return element(
        "dl",
        *(
            element("div", element("dt", name), element("dd", value))
            for name, value in pairs
        ),
    )


class Table(NamedTuple):
    """A table: its caption, the heads of its columns, and its rows.

    The first cell of a row is its head. Columns named in `numbers` hold numbers.
    """

    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Markup | str, ...], ...]
    numbers: frozenset[int] = frozenset()


def table(value: Table) -> Markup:
    """Draw a table; one that is too wide for a screen is moved by itself."""
    heads = [
        element("th", head, scope="col", class_=_kind(value, place))
        for place, head in enumerate(value.heads)
    ]
    body = [
        element(
            "tr",
            element("th", row[0], scope="row"),
            *(
                element("td", cell, class_=_kind(value, place))
                for place, cell in enumerate(row[1:], start=1)
            ),
        )
        for row in value.rows
    ]
    return element(
        "div",
        element(
            "table",
            element("caption", value.caption),
            element("thead", element("tr", *heads)),
            element("tbody", *body),
        ),
        class_="wide",
        role="group",
        aria_label=f"Table: {value.caption}",
        tabindex=0,
    )


def _quoted(value: str) -> str:
    """Escape the value of an attribute, which stands between double quotes."""
    return html.escape(value, quote=False).replace('"', "&quot;")


def _kind(value: Table, place: int) -> str | None:
    return "number" if place in value.numbers else None
