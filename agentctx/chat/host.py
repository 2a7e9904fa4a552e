"""The host of a talk: each line a person gives is a turn or a command (M2, M3, M9).

A turn is kept before the model is asked and ended with exactly what was shown. What
fails is told and ends the turn, never the chat; what is wrong with memory is told once
and ends neither.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Protocol

from agentctx.chat.answering import Frame
from agentctx.chat.prompting import latest_within
from agentctx.chat.prompts import ORDINARY
from agentctx.chat.reviewing import Reviewing, spoken
from agentctx.chat.scope import named_paths
from agentctx.chat.slash import command_in, help_lines, message_of
from agentctx.chat.tools import Toolbox
from agentctx.chat.turning import Asked, Turns
from agentctx.memory.budgets import budgets
from agentctx.memory.model import TurnId
from agentctx.memory.projection import Exchange
from corpus.errors import CodedError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentctx.chat.turning import Desk, Workbench
    from agentctx.memory.saying import Saying
    from agentctx.memory.telling import NewThread

INTENT = "general_chat"
_PURPOSE = "chat"
_OWN = (["new"], ["reset"])
"""What ends a chat's own work besides; the same as `/new` and `/reset`."""

_ENDING = frozenset({"new", "reset", "clear"})
NOT_HERE = {
    "mcp": "an agent starts that, not a chat",
    "review": "in a chat it is `/review FILE.json RUN`",
    "chat": "this is one",
}
"""Commands of memory that a chat cannot run, each with why."""


class Commands(Protocol):
    """The commands of `agentctx`, as a chat shows them."""

    def run(self, words: Sequence[str]) -> None:
        """Run a command by its words, and show what it says."""

    def began(self, made: NewThread, waiting: str | None) -> None:
        """Show a thread that began, as the command that begins one does."""


class Host:
    """Takes the lines of a chat, one after the other."""

    def __init__(
        self,
        desk: Desk,
        workbench: Workbench,
        commands: Commands,
        *,
        intent: str = INTENT,
    ) -> None:
        self.turns = Turns(desk)
        self.reviewing = Reviewing(self.turns, workbench)
        self._desk = desk
        self._workbench = workbench
        self._program = commands
        self._intent = intent
        self._scope: tuple[str, ...] = ()
        review = self.reviewing
        self._slashes: dict[str, Callable[[str], None]] = {
            "memory": self._memory,
            "new": self._new,
            "reset": self._reset,
            "review": self._review,
            "next": review.next,
            "item": review.item,
            "constrain": review.constrain,
            "revise": review.revise,
            "draft": review.draft,
            "done": review.done,
            "end": review.stop,
            "help": self._help,
        }

    def take(self, line: str) -> bool:
        """Take a line; False when the chat is to end."""
        line = line.strip()
        if not line:
            return True
        try:
            command = command_in(line)
            if command is None:
                self.say(message_of(line))
            elif command.name == "quit":
                return False
            else:
                self._slashes[command.name](command.rest)
        except CodedError as error:
            self._desk.voice.failure(error)
        self._desk.voice.tell()
        return True

    def say(self, text: str) -> None:
        """Answer a message: about the finding at hand, where one is."""
        if self.reviewing.goes_on:
            self.reviewing.ask(text)
            return
        named = named_paths(str(self._desk.root), text)
        scope = tuple(dict.fromkeys((*named, *self._scope)))
        talk = self._workbench.talk

        def work(saying: Saying) -> str:
            frame = Frame(ORDINARY, _PURPOSE, text, unkept=talk)
            toolbox = Toolbox(self._desk.root)
            return spoken(self.turns.answer(saying, frame, toolbox))

        answer = self.turns.run(Asked("ordinary", self._intent, text, scope), work)
        self._scope = named or self._scope
        if answer is not None:
            talk = (*talk, Exchange(TurnId(""), text, answer))
            most = budgets(self._desk.profile).history
            self._workbench.talk = latest_within(talk, most)

    def _memory(self, rest: str) -> None:
        """Run a command of memory: the same one as on the command line (M8.0)."""
        words = _split(rest)
        first = words[0] if words else "--help"
        if first in NOT_HERE:
            error = UsageError(problem=f"`/memory {first}` is not for a chat")
            error.hint = NOT_HERE[first]
            raise error
        if words in _OWN:
            self._slashes[first]("")
            return
        self._program.run(("memory", *(words or ["--help"])))
        if first in _ENDING:
            self.reviewing.end()
            self._workbench.clear()

    def _new(self, _: str) -> None:
        """Begin an empty thread; what is under way ends (M3)."""
        self.reviewing.end()
        made = self._desk.memory.new_thread()
        self._scope = ()
        if made is None:
            self._desk.voice.lines("new", ["The talk begins anew; memory is off."])
        else:
            self._program.began(made, self._desk.memory.waiting)

    def _reset(self, _: str) -> None:
        """Reset the workbench; memory is kept, as it says (M9)."""
        self._scope = ()
        self.reviewing.end()
        self._desk.voice.lines("reset", [self._desk.memory.reset()])

    def _review(self, rest: str) -> None:
        words = _split(rest)
        if len(words) != 2:  # noqa: PLR2004 - a file and a run
            raise UsageError(problem="`/review` takes a file and the name of a run")
        self.reviewing.begin(*words)

    def _help(self, _: str) -> None:
        self._desk.voice.lines("help", help_lines())


def _split(rest: str) -> list[str]:
    try:
        return shlex.split(rest)
    except ValueError:
        raise UsageError(problem="a quotation mark is missing") from None
