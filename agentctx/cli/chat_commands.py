"""Commands of `agentctx` inside a chat: one table, and the same rendering (M8.0)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from agentctx.chat.host import NOT_HERE
from agentctx.cli import memory_new
from agentctx.cli.chat_voice import JsonVoice
from agentctx.cli.commands import PROGRAM
from agentctx.cli.memory_state import waits
from corpus.cli.app import command_parser
from corpus.cli.arguments import help_asked
from corpus.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType

    from agentctx.cli.chat_voice import TextVoice
    from agentctx.memory.telling import NewThread
    from corpus.cli.call import Call


class ChatCommands:
    """See `agentctx.chat.host.Commands`."""

    def __init__(self, call: Call, voice: TextVoice | JsonVoice) -> None:
        self._call = call._replace(notify=voice.notice)
        self._voice = voice

    def run(self, words: Sequence[str]) -> None:
        """Run a command by its words, and show what it says in the chat's format.

        Raises what the command raises, and `UsageError` where there is none.
        """
        command = PROGRAM.find(words)
        if command is None:
            self._voice.lines(words[0], _page(words))
            return
        module = import_module(command.module)
        parser = command_parser(PROGRAM, command, module)
        rest = list(words[len(command.path) :])
        if help_asked(rest):
            self._voice.lines(command.name, parser.format_help().splitlines())
            return
        values = parser.parse(rest)
        values.pop("format", None)  # a chat has one format
        value = module.run(self._now(), **values)
        if value is not None:
            self._show(command.name, module, value)

    def began(self, made: NewThread, waiting: str | None) -> None:
        """Show a thread that began, as `agentctx memory new` does."""
        why = waits(self._now(), waiting) if made.pending else None
        self._show("memory new", memory_new, memory_new.Begun(thread=made, waiting=why))

    def _now(self) -> Call:
        return self._call._replace(now=self._call.clock())

    def _show(self, name: str, module: ModuleType, value: object) -> None:
        if isinstance(self._voice, JsonVoice):
            as_json: Callable[[object], object]
            as_json = getattr(module, "as_json", lambda it: it)
            self._voice.value(name, as_json(value))
        else:
            self._voice.lines(name, module.lines(value))


def _page(words: Sequence[str]) -> list[str]:
    """List the commands of a group that a chat can run.

    `UsageError` for a word that is none of them.
    """
    group = PROGRAM.group_words(words)
    named = [word for word in words[len(group) :] if word not in {"-h", "--help"}]
    if named or not group:
        wanted = " ".join([*group, *named[:1]])
        error = UsageError(problem=f"`/{wanted}` is not a command here")
        error.hint = (
            f"`/{' '.join(group)}` lists what there is" if group else error.hint
        )
        raise error
    rows = [one for one in PROGRAM.group(group) if one.path[1] not in NOT_HERE]
    width = max(len(one.name) for one in rows)
    return [f"/{one.name:<{width}}  {one.summary}" for one in rows]
