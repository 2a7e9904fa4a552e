"""A page of HTML as a test reads it: every element closed, every text, every link."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

VOID = {"meta"}
HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}


@dataclass
class Node:
    """One element: its attributes, and what stands in it."""

    name: str
    attributes: dict[str, str | None]
    inside: list[Node | str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(one if isinstance(one, str) else one.text for one in self.inside)

    def all(self, *names: str) -> Iterator[Node]:
        """Give the elements of these names, or every one, in their order."""
        for one in self.inside:
            if isinstance(one, Node):
                if not names or one.name in names:
                    yield one
                yield from one.all(*names)

    def one(self, name: str, **attributes: str) -> Node:
        """Give the only element of a name that has these attributes."""
        (found,) = (
            one
            for one in self.all(name)
            if attributes.items() <= one.attributes.items()
        )
        return found


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("#page", {})
        self.open = [self.root]
        self.comments: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"an attribute of {tag} stands twice"
        node = Node(tag, dict(attrs))
        self.open[-1].inside.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().name == tag, f"</{tag}> closes something else"

    def handle_data(self, data: str) -> None:
        self.open[-1].inside.append(data)

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def handle_pi(self, data: str) -> None:
        raise AssertionError(data)

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(data)


def read_page(text: str) -> Node:
    """Parse a page; whatever is not closed, or is closed twice, fails."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    assert reader.open == [reader.root], reader.open[-1].name
    assert reader.comments == [" agentctx report "]
    return reader.root
