"""What `agentctx status` tells of the team's file: what is in it, not taken in here."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agentctx.cli.sheet import row
from agentctx.errors import ForgetKeyError
from agentctx.team.refusals import ContextFileError, ContextVersionError
from corpus.cli.render import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentctx.cli.opening import Opened


class TeamCard(NamedTuple):
    """How many changes of the file are not taken in, and blocks that are held.

    `news` says that the file was not read since, so that a session will take them in,
    except what would end what a person here said.
    """

    changes: int = 0
    held: int = 0
    news: bool = False

    def as_json(self) -> dict[str, object]:
        """Give the counts as one JSON object."""
        return self._asdict()


NO_TEAM = TeamCard()
TEAM_ERRORS = (ContextFileError, ContextVersionError, ForgetKeyError)
"""Why a file cannot be compared."""


def team_card(opened: Opened) -> TeamCard:
    """Compare the file with the records, as an import would; nothing is changed.

    Raises one of `TEAM_ERRORS` for a file that cannot be used.
    """
    from agentctx.team.arriving import has_news  # noqa: PLC0415 - only when asked
    from agentctx.team.importing import preview_context  # noqa: PLC0415 - as above

    root = opened.project.main_folder
    found = preview_context(opened.store, opened.project_id, root)
    if not found.exists:
        return NO_TEAM
    news = has_news(opened.store, root, opened.project_id)
    return TeamCard(found.changes, len(found.held), news)


def lines(value: TeamCard) -> Iterator[str]:
    """Say what waits in the file, and for whom; nothing where nothing does."""
    if value.changes:
        what = f"{counted(value.changes, 'change')} of .agentctx/context.md"
        yield from row("team", f"{what} not taken in yet")
        yield from row("", waiting(news=value.news))
    if value.held:
        what = f"{counted(value.held, 'block')} of .agentctx/context.md"
        yield from row("team", f"{what} held back: `agentctx team status` says why")


def waiting(*, news: bool) -> str:
    """Say who takes changes in: a session, but for what somebody here said."""
    if news:
        return "the next session takes in what leaves your own words as they are"
    return "your own words would change: `agentctx team import` shows how, and asks"
