"""`agentctx team status`: how the records and the team's file stand to each other."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from agentctx.cli.opening import open_for_reading
from agentctx.cli.team_import import change_lines
from agentctx.cli.teamcard import waiting
from agentctx.team.driver import is_installed
from agentctx.team.standing import team_status
from corpus.cli.render import counted, visible

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.team.standing import TeamStatus
    from corpus.cli.call import Call

SUMMARY = "Show what is shared, what is new in the file, and what waits."
EXAMPLE = "agentctx team status"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments: there are none."""
    del parser


def run(call: Call) -> TeamStatus:
    """Look at the records and the file; nothing is changed."""
    with open_for_reading(call) as opened:
        root = str(opened.project.main_root)
        driver = is_installed(root)
        return team_status(opened.store, opened.project_id, root, driver=driver)


def as_json(value: TeamStatus) -> dict[str, object]:
    """Give the status as one JSON object."""
    return value.as_json()


def lines(value: TeamStatus) -> Iterator[str]:
    """Say how many blocks stand how, what is new, and whether git merges by blocks."""
    there = "" if value.pending.exists else ", which is not there"
    yield f"{visible(value.path)}{there}"
    states = Counter(one.state for one in value.blocks)
    for state, count in sorted(states.items()):
        yield f"{state}: {counted(count, 'block')}"
    for one in value.blocks:
        if one.state != "shared":
            yield f"  {one.block}  {one.state}  {visible(one.title)}"
    if value.pending.exists:
        yield from change_lines(value.pending, would=True)
        if value.pending.changes:
            yield waiting(news=value.news)
    elif not value.blocks:
        yield "nothing is shared yet: `agentctx promote ID` shares a record"
    if not value.driver and (value.pending.exists or value.blocks):
        yield "git merges the file line by line;"
        yield "`agentctx team install-merge-driver` lets it merge by blocks"
