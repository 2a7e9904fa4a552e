"""`agentctx profile refresh`: let the profile follow the project's own files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentctx.cli.opening import open_for_writing
from agentctx.cli.sheet import row
from agentctx.records.profile import refresh_profile
from corpus.cli.render import visible

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.records.profile import Refreshed
    from corpus.cli.call import Call

SUMMARY = "Read the project's own files and renew its profile."
EXAMPLE = "agentctx profile refresh"


@dataclass(frozen=True, slots=True, kw_only=True)
class Renewed:
    """What became of each key, and the manifests that could not be read."""

    refreshed: Refreshed
    problems: tuple[str, ...]

    def as_json(self) -> dict[str, object]:
        """Give the outcome as one JSON object."""
        return {**self.refreshed.as_json(), "problems": list(self.problems)}


def configure(parser: argparse.ArgumentParser) -> None:
    """Take nothing."""
    del parser


def run(call: Call) -> Renewed:
    """Detect stack, commands and entry points; store what changed, key by key."""
    from agentctx.profile.detect import (  # noqa: PLC0415 - reads every manifest
        detect_profile,
    )

    with open_for_writing(call, create=True) as opened:
        found = detect_profile(opened.project.root)
        refreshed = refresh_profile(
            opened.store,
            opened.project_id,
            found.facts,
            complete=not found.problems,
        )
    return Renewed(refreshed=refreshed, problems=found.problems)


def exit_status(value: Renewed) -> int:
    """Answer 1 where a manifest could not be read: nothing known was changed."""
    return 1 if value.problems else 0


def lines(value: Renewed) -> Iterator[str]:
    """Show what became of each key."""
    for name, keys in value.refreshed._asdict().items():
        told = ", ".join(visible(key) for key in keys)
        yield from row(name, told or "none")
    for problem in value.problems:
        yield from row("not read", visible(problem))
    if value.problems:
        yield "nothing that was known was changed or ended; only new keys were added"
