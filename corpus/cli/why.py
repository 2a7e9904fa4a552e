"""`project-corpus why`: what something stands on, and what it became."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.cli.arguments import root_and_text
from corpus.cli.inbox import origins_of
from corpus.cli.render import visible
from corpus.visible import visible as seen

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call
    from corpus.ladder import Ladder
    from corpus.origins import Rung

SUMMARY = "Show what a report, candidate, record or item stands on, and became."
EXAMPLE = "project-corpus why reports/cold-start.md"

_STATES = {
    "here": "",
    "changed": ", changed since",
    "forgotten": ", forgotten",
    "gone": ", not there any more",
    "unreadable": ", cannot be read now",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    root_and_text(
        parser,
        "id",
        meaning="a report's path or id, or the id of a candidate, a record, an item"
        " or a turn",
    )


def run(call: Call, *, root: str | None, id: str) -> Ladder:  # noqa: A002
    """Walk the ladder both ways from what is named; nothing is changed."""
    from corpus.ladder import climb, held_by  # noqa: PLC0415 - parses Markdown
    from corpus.userdirs import user_dirs  # noqa: PLC0415 - only when run

    folder = call.root(root)
    held = held_by(folder, dirs=user_dirs())
    return climb(id, held, folder, origins_of(call))


def lines(value: Ladder) -> Iterator[str]:
    """Show a rung a paragraph, the highest first; `>` marks the one asked about."""
    asked = next(one for one in value.rungs if one.id == value.start)
    for number, one in enumerate(value.rungs):
        if number:
            yield ""
        yield from _rung_lines(one, mark=">" if one is asked else " ")


def as_json(value: Ladder) -> dict[str, object]:
    """Give the ladder as one JSON object, without what a reader cannot see."""
    found = value._replace(rungs=tuple(map(_visible, value.rungs)))
    return found.as_json()


def _rung_lines(one: Rung, *, mark: str) -> Iterator[str]:
    yield f"{mark} {one.rung} {visible(one.id)}{_STATES[one.state]}"
    if one.place:
        yield f"    in {visible(one.place)}"
    for line in (one.says or "").splitlines():
        yield f"    | {visible(line)}"
    known = [] if one.at is None else [visible(one.at)]
    known += [] if one.sha256 is None else [f"SHA-256 {one.sha256}"]
    if known:
        yield f"    {', '.join(known)}"
    if one.below:
        yield f"    stands on {visible(', '.join(one.below))}"


def _visible(one: Rung) -> Rung:
    says = None if one.says is None else seen(one.says)
    return one._replace(says=says, place=seen(one.place))
