"""What a program is made of, as data: its name, its commands, its overview.

Nothing here loads a command: the overview is written from the table alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


_LONGEST = 40
_ALIKE = 0.72


class Command(NamedTuple):
    """One row of a program's table: the words that name it and where it lives.

    The module provides `SUMMARY`, `EXAMPLE`, `configure(parser)`,
    `run(call, **arguments)` and `lines(value)`; it may provide `exit_status(value)`,
    `as_json(value)` and `FORMATS`, a mapping of format names to a function from the
    value to lines of text, or to None for JSON.
    """

    path: tuple[str, ...]
    module: str
    summary: str

    @property
    def name(self) -> str:
        """The words a person types after the program's name."""
        return " ".join(self.path)


class Program(NamedTuple):
    """A program: what it is called, what it is for, what it can do."""

    name: str
    version: str
    about: str
    example: str
    commands: tuple[Command, ...]
    other_names: tuple[tuple[str, str], ...] = ()
    """Words that people try, each with the command that does what they mean."""

    def find(self, arguments: Sequence[str]) -> Command | None:
        """Find the command whose words `arguments` begins with."""
        for command in self.commands:
            if tuple(arguments[: len(command.path)]) == command.path:
                return command
        return None

    def group(self, words: Sequence[str]) -> tuple[Command, ...]:
        """Give the commands that some words gather, such as those of `context`."""
        return tuple(
            command
            for command in self.commands
            if words and command.path[: len(words)] == tuple(words) != command.path
        )

    def group_words(self, arguments: Sequence[str]) -> tuple[str, ...]:
        """Give the most words that `arguments` begins with and that gather commands."""
        deepest = max(len(command.path) for command in self.commands)
        for count in range(min(deepest, len(arguments)), 0, -1):
            if self.group(arguments[:count]):
                return tuple(arguments[:count])
        return ()


def meant(program: Program, arguments: Sequence[str]) -> str | None:
    """Guess which command, or group of commands, a call that names none means."""
    from difflib import get_close_matches  # noqa: PLC0415 - only for a mistake

    names = {command.name: command.name for command in program.commands}
    groups = {c.path[0]: c.path[0] for c in program.commands if len(c.path) > 1}
    last = {command.path[-1]: command.name for command in program.commands}
    known = {**last, **dict(program.other_names), **groups, **names}
    words = [word[:_LONGEST].casefold() for word in arguments]
    depth = len(program.group_words(words))
    tried = [" ".join(words[: max(2, depth + 1)])]
    tried += words[depth : depth + 1] if depth else words[:1]
    for word in tried:
        if word in known:
            return known[word]
    group = program.group_words(words)
    if group:  # the words of the group are alike, whatever follows them
        known = {" ".join(c.path[depth:]): c.name for c in program.group(group)}
        tried = [" ".join(words[depth : depth + 2]), words[depth]]
    for word in tried:
        near = get_close_matches(word, known, n=1, cutoff=_ALIKE)
        if near:
            return known[near[0]]
    return None


def overview(program: Program, group: Sequence[str] = ()) -> str:
    """Write the help page that lists the commands, all of them or those of a group."""
    return "\n".join(_overview_lines(program, group)) + "\n"


def _overview_lines(program: Program, group: Sequence[str]) -> Iterator[str]:
    commands = program.group(group) or program.commands
    call = "COMMAND [options]" if commands else "[--help | --version]"
    yield f"usage: {' '.join([program.name, *group])} {call}"
    yield ""
    yield program.about
    yield ""
    if commands:
        yield "commands:"
        width = max(len(command.name) for command in commands)
        for command in commands:
            yield f"  {command.name:<{width}}  {command.summary}"
        yield ""
    yield "options:"
    yield "  -h, --help  show this page; after a command, the command's own page"
    yield "  --version   show the version"
    yield ""
    yield "example:"
    example = f"{program.name} {commands[0].name} --help" if group else program.example
    yield f"  {example}"
