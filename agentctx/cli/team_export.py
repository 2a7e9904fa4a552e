"""`agentctx team export`: write the records that are shared to the team's file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentctx.cli.opening import open_for_reading, open_for_writing
from agentctx.team.exporting import check_export, export_context
from corpus.cli.render import counted, visible

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.team.exporting import Exported
    from corpus.cli.call import Call

SUMMARY = "Write what is shared to .agentctx/context.md, for git to carry."
EXAMPLE = "agentctx team export --check"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What was written, or, where it was only checked, would be."""

    exported: Exported
    checked: bool

    def as_json(self) -> dict[str, object]:
        """Give the outcome as one JSON object."""
        return {**self.exported.as_json(), "checked": self.checked}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    parser.add_argument(
        "--check",
        action="store_true",
        help="write nothing; exit 1 where the file should be another",
    )


def run(call: Call, *, check: bool) -> Outcome:
    """Write the file, unless it says already what it should."""
    if check:
        with open_for_reading(call) as opened:
            root = str(opened.project.main_root)
            found = check_export(opened.store, opened.project_id, root)
            return Outcome(exported=found, checked=True)
    with open_for_writing(call) as opened:
        root = str(opened.project.main_root)
        done = export_context(opened.store, opened.project_id, root)
        return Outcome(exported=done, checked=False)


def exit_status(value: Outcome) -> int:
    """Answer 1 where a check found the file to be another."""
    return int(value.checked and value.exported.differs)


def lines(value: Outcome) -> Iterator[str]:
    """Say what the file holds, and what of it is new."""
    done = value.exported
    path = visible(done.path)
    blocks = counted(done.blocks, "block")
    if not done.differs:
        yield f"{path} is as it should be: {blocks}"
        if not done.blocks:
            yield "nothing is shared yet: `agentctx promote ID` shares a record"
    elif value.checked:
        yield f"{path} differs from what is shared"
    else:
        yield f"wrote {blocks} to {path}"
    for word, ids in (
        ("added", done.added),
        ("changed", done.changed),
        ("removed", done.removed),
    ):
        if ids:
            yield f"{word} {counted(len(ids), 'block')}: {_named(ids)}"
    for one in done.unshared:
        yield f"not shared yet: {one.record}  {visible(one.title)}"
        yield f"  nobody has confirmed it: `agentctx promote {one.record}`"


_MOST_NAMED = 5


def _named(ids: tuple[str, ...]) -> str:
    more = f" and {len(ids) - _MOST_NAMED} more" if len(ids) > _MOST_NAMED else ""
    return f"{', '.join(ids[:_MOST_NAMED])}{more}"
