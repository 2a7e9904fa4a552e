"""One turn of a chat around its work: kept before, ended after, shown (M2.0, C5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agentctx.chat.answering import Answering, Means
from agentctx.chat.voice import Answered
from corpus.errors import CodedError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from agentctx.chat.answering import Frame
    from agentctx.chat.bench import Bench
    from agentctx.chat.paying import Payer
    from agentctx.chat.remembering import Remembering
    from agentctx.chat.tools import Toolbox
    from agentctx.chat.voice import Voice
    from agentctx.memory.budgets import ContextProfile
    from agentctx.memory.model import Profile, RecallQuery
    from agentctx.memory.projection import Exchange
    from agentctx.memory.request import Request
    from agentctx.memory.saying import Saying


class Desk(NamedTuple):
    """What a chat works with; `root` is the working tree that it is about."""

    memory: Remembering
    payer: Payer
    profile: ContextProfile
    voice: Voice
    root: Path

    @property
    def session(self) -> str:
        """The session that every turn of the chat belongs to."""
        return self.payer.session


class Workbench:
    """What a chat has under way, and its own talk, where memory does not give it."""

    def __init__(self) -> None:
        self.bench: Bench | None = None
        self.talk: tuple[Exchange, ...] = ()

    def clear(self) -> None:
        """Put everything away: a new thread begins, or the chat was reset (M3.6)."""
        self.bench = None
        self.talk = ()


class Asked(NamedTuple):
    """What a turn begins with."""

    profile: Profile
    intent: str
    text: str
    scope_paths: tuple[str, ...] = ()
    evidence_keys: tuple[str, ...] = ()


class Turns:
    """Runs the turns of a chat; `failed` counts those that came to nothing."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.count = 0
        self.failed = 0

    def run(self, asked: Asked, work: Callable[[Saying], str]) -> str | None:
        """Keep a turn around its work, which shows and gives the answer.

        None where the work failed or was stopped: that is told, and the chat goes on.
        """
        self.count += 1
        voice, turn = self.desk.voice, None
        try:
            with self.desk.memory.turn(self.desk.session, *asked) as saying:
                turn = saying.turn
                voice.tell()
                text = saying.answer(work(saying))
        except KeyboardInterrupt:
            self.failed += 1
            voice.answered(Answered("interrupted", "", turn and turn.id))
            return None
        except CodedError as error:
            self.failed += 1
            voice.failure(error)
            return None
        voice.answered(Answered("completed", text, turn and turn.id))
        return text

    def answer(
        self,
        saying: Saying,
        frame: Frame,
        toolbox: Toolbox,
        query: RecallQuery | None = None,
        *,
        shown: bool = True,
    ) -> str:
        """Have the model answer in a turn; give the text that it said."""

        def opened(half_map: bool) -> Request:  # noqa: FBT001 - the one flag
            return self.desk.memory.open_request(saying.turn, query, half_map=half_map)

        show = self.desk.voice.words if shown else _nobody
        means = Means(self.desk.payer, self.desk.profile, show)
        return Answering(means, frame, toolbox, opened).answer()


def _nobody(text: str) -> None:
    """Show it to nobody: a draft's outcome is shown in its place (M2.7)."""
    del text
