"""Commands of `agentctx` inside a chat: one table, and the same rendering (M8.0)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from agentctx.cli.chat_voice import JsonVoice
from agentctx.cli.commands import PROGRAM
from corpus.cli.app import command_parser
from corpus.cli.arguments import help_asked
from corpus.cli.program import overview
from corpus.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentctx.cli.chat_voice import TextVoice
    from corpus.cli.call import Call


def run_command(call: Call, words: Sequence[str], voice: TextVoice | JsonVoice) -> None:
    """Run a command by its words, and show what it says in the chat's own format.

    Raises what the command raises, and `UsageError` where there is none.
    """
    command = PROGRAM.find(words)
    if command is None:
        voice.lines(words[0], _page(words))
        return
    module = import_module(command.module)
    parser = command_parser(PROGRAM, command, module)
    rest = list(words[len(command.path) :])
    if help_asked(rest):
        voice.lines(command.name, parser.format_help().splitlines())
        return
    values = parser.parse(rest)
    chosen = str(values.pop("format", None) or _format(voice))
    value = module.run(call._replace(now=call.clock(), format=chosen), **values)
    if value is None:
        return
    if isinstance(voice, JsonVoice):
        as_json: Callable[[object], object] = getattr(module, "as_json", lambda it: it)
        voice.value(command.name, as_json(value))
    else:
        voice.lines(command.name, module.lines(value))


def _format(voice: TextVoice | JsonVoice) -> str:
    return "json" if isinstance(voice, JsonVoice) else "text"


def _page(words: Sequence[str]) -> list[str]:
    """List the commands of a group; `UsageError` for a word that is none of them."""
    group = PROGRAM.group(words[0])
    named = [word for word in words[1:] if word not in {"-h", "--help"}]
    if named or not group:
        wanted = " ".join([words[0], *named[:1]])
        error = UsageError(problem=f"`/{wanted}` is not a command here")
        error.hint = f"`/{words[0]}` lists what there is" if group else error.hint
        raise error
    return overview(PROGRAM, group).splitlines()
