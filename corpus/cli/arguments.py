"""How commands declare what they take.

`CommandParser` is argparse with three manners of its own: a mistake is a `UsageError`,
options and positionals may come in any order, and everything after `--` is text.
"""

from __future__ import annotations

import argparse
import os.path
import re
import shlex
from typing import TYPE_CHECKING, NoReturn

from corpus.errors import (
    BudgetError,
    QueryLimitError,
    RootNotFoundError,
    UsageError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LIMIT = (1, 100)
"""How many results a query may ask for (P7.1)."""

BUDGET = (80, 20_000)
"""How many tokens a bundle may ask for (P8.1)."""

_NUMBER = re.compile(r"-\d+|-\d*\.\d+")
_GREEDY = ("*", "+")
_SHOWN = 60


class CommandParser(argparse.ArgumentParser):
    """The arguments of one command."""

    text: str | None = None
    """The positional that is free text, which people forget to quote."""

    def __init__(self, *, prog: str, summary: str, example: str) -> None:
        shown = "\n".join(f"  {line}" for line in example.splitlines())
        super().__init__(
            prog=prog,
            description=summary,
            epilog=f"example:\n{shown}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )

    def error(self, message: str) -> NoReturn:
        """Report a mistake in how the command was called."""
        raise UsageError(problem=message)

    def parse(self, arguments: Sequence[str]) -> dict[str, object]:
        """Read the arguments of one call; UsageError when they do not fit."""
        return vars(self.parse_args(self._options_first(arguments)))

    def advise(self, error: RootNotFoundError) -> None:
        """Say what to do where a word of an unquoted text was taken for ROOT."""
        root = str(error.facts["root"])
        if self.text is not None and not os.path.isdir(root):  # noqa: PTH112 - any text
            error.hint = (
                f"name the project's folder; or if `{_shown(root)}` belongs to"
                f" {self.text.upper()}, put all of it in quotes"
            )

    def _options_first(self, arguments: Sequence[str]) -> list[str]:
        """Put the positionals last, behind `--`.

        Argparse assigns positionals at the first one it meets, so it would take the
        ROOT of `ROOT --limit 5 QUERY` for the query.
        """
        known = {
            name: action
            for action in actions_of(self)
            for name in action.option_strings
        }
        options: list[str] = []
        words: list[str] = []
        rest = list(arguments)
        while rest:
            part = rest.pop(0)
            if part == "--":
                words += rest
                break
            if not _is_option(part, known):
                words.append(part)
                continue
            if part.partition("=")[0] not in known:
                self._refuse_option(part.partition("=")[0], known)
            options.append(part)
            count = _values_taken(known.get(part), rest)
            options += rest[:count]
            del rest[:count]
        if "--" in words:
            raise UsageError(problem="`--` cannot be an argument by itself")
        self._refuse_surplus(words)
        return [*options, "--", *words] if words else options

    def _refuse_option(self, name: str, known: dict[str, argparse.Action]) -> NoReturn:
        from difflib import get_close_matches  # noqa: PLC0415 - only for a mistake

        error = UsageError(
            problem=f"`{_shown(name)}` is not an option of `{self.prog}`"
        )
        near = get_close_matches(name[:_SHOWN], known, n=1)
        if near:
            error.hint = f"did you mean `{near[0]}`? `--help` lists the options"
        raise error

    def _refuse_surplus(self, words: Sequence[str]) -> None:
        """Refuse more positionals than fit, which are most often an unquoted text."""
        taken = [action for action in actions_of(self) if not action.option_strings]
        if len(words) <= len(taken) or any(one.nargs in _GREEDY for one in taken):
            return
        surplus = UsageError(
            problem=f"`{self.prog}` does not take `{_shown(words[len(taken)])}` as well"
        )
        if self.text is not None:
            text = shlex.quote(_shown(" ".join(words)))
            surplus.hint = f"put {self.text.upper()} in quotes: `{self.prog} {text}`"
        raise surplus


def actions_of(parser: argparse.ArgumentParser) -> tuple[argparse.Action, ...]:
    """Give what a parser takes, in the order it was declared."""
    return tuple(parser._actions)  # noqa: SLF001 - argparse offers no public list


def takes_value(action: argparse.Action) -> bool:
    """Say whether an option is followed by a value."""
    return action.nargs != 0


def about(action: argparse.Action) -> str:
    """Give the help of one argument with its `%(default)s` and the like filled in."""
    return (action.help or "") % {**vars(action), "prog": ""}


def add_root(parser: argparse.ArgumentParser) -> None:
    """Declare the optional ROOT, the `root` of `run`."""
    parser.add_argument(
        "root",
        metavar="ROOT",
        nargs="?",
        help="the project's folder (default: the nearest one above this that is one)",
    )


def root_and_text(
    parser: argparse.ArgumentParser, name: str, *, meaning: str = "words to look for"
) -> None:
    """Declare `[ROOT] NAME`: one word given is the text, two are root and text."""
    add_root(parser)
    if isinstance(parser, CommandParser):
        parser.text = name
    parser.add_argument(name, metavar=name.upper(), help=meaning)


def limit_argument(text: str) -> int:
    """Read `--limit`; QueryLimitError when it is no number in `LIMIT`."""
    number = _whole_number(text)
    minimum, maximum = LIMIT
    if number is None or not minimum <= number <= maximum:
        raise QueryLimitError(found=text, minimum=minimum, maximum=maximum)
    return number


def positive_argument(text: str) -> int:
    """Read a count of one or more; UsageError when it is none."""
    number = _whole_number(text)
    if not number:
        raise UsageError(problem=f"`{_shown(text)}` is not a whole number above zero")
    return number


def budget_argument(text: str) -> int:
    """Read `--max-tokens`; BudgetError when it is no number in `BUDGET`."""
    number = _whole_number(text)
    minimum, maximum = BUDGET
    if number is None or not minimum <= number <= maximum:
        raise BudgetError(found=text, minimum=minimum, maximum=maximum)
    return number


def format_asked(arguments: Sequence[str]) -> str | None:
    """Find the value of `--format` before anything is parsed, None when absent.

    A failure to parse must be reported in the format that was asked for.
    """
    options = list(_before_text(arguments))
    found = None
    for position, part in enumerate(options):
        if part == "--format" and position + 1 < len(options):
            found = options[position + 1]
        elif part.startswith("--format="):
            found = part.partition("=")[2]
    return found


def help_asked(arguments: Sequence[str]) -> bool:
    """Say whether the call asks for the help page."""
    return any(part in {"-h", "--help"} for part in _before_text(arguments))


def _before_text(arguments: Sequence[str]) -> Iterator[str]:
    for part in arguments:
        if part == "--":
            return
        yield part


def _is_option(part: str, known: dict[str, argparse.Action]) -> bool:
    if part.partition("=")[0] in known:
        return True
    if not part.startswith("-") or part == "-" or _NUMBER.fullmatch(part):
        return False
    return " " not in part


def _values_taken(action: argparse.Action | None, rest: Sequence[str]) -> int:
    """Count the arguments in `rest` that belong to the option just met."""
    if action is None:
        return 0
    if isinstance(action.nargs, int):
        return action.nargs
    if action.nargs is None:
        return 1
    values = 0
    while values < len(rest) and not rest[values].startswith("-"):
        values += 1
    return values if action.nargs in _GREEDY else min(values, 1)


def _shown(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _whole_number(text: str) -> int | None:
    """Read at most twelve ASCII digits: enough for every range, cheap for any text."""
    return int(text) if re.fullmatch(r"[0-9]{1,12}", text) else None
