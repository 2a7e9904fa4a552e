"""Print a completion script for a shell, written from the tables of the commands."""

from __future__ import annotations

import shlex
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from corpus.cli.arguments import about, actions_of, takes_value
from corpus.cli.commands import PROGRAM

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call
    from corpus.cli.program import Program

SUMMARY = "Print a completion script for a shell."
EXAMPLE = 'eval "$(project-corpus completion bash)"'

RAW = True
"""What it prints is for programs too, as it is."""


class Option(NamedTuple):
    """One option a shell may offer; `choices` are the values it may have."""

    names: tuple[str, ...]
    about: str
    valued: bool
    choices: tuple[str, ...]


class Offer(NamedTuple):
    """What a shell may offer after a command's words."""

    name: str
    about: str
    options: tuple[Option, ...]
    words: tuple[str, ...]


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the shell, the `shell` of `run`."""
    parser.add_argument(
        "shell", metavar="SHELL", choices=tuple(_WRITERS), help="bash, zsh or fish"
    )


def run(call: Call, *, shell: str) -> tuple[str, ...]:
    """Write the script for `shell`."""
    del call
    return tuple(_WRITERS[shell](PROGRAM, offers(PROGRAM)))


def lines(script: tuple[str, ...]) -> Iterator[str]:
    """Give the script as it is."""
    yield from script


FORMATS = {"text": lines}


def offers(program: Program) -> tuple[Offer, ...]:
    """Load every command and gather what it takes."""
    from corpus.cli.app import command_parser  # noqa: PLC0415 - the app imports us

    found = []
    for command in program.commands:
        parser = command_parser(program, command, import_module(command.module))
        actions = actions_of(parser)
        found.append(
            Offer(
                name=command.name,
                about=command.summary,
                options=tuple(_option(act) for act in actions if act.option_strings),
                words=tuple(
                    word
                    for act in actions
                    if not act.option_strings
                    for word in _choices(act)
                ),
            )
        )
    return tuple(found)


def _option(action: argparse.Action) -> Option:
    return Option(
        names=tuple(action.option_strings),
        about=about(action),
        valued=takes_value(action),
        choices=_choices(action),
    )


def _choices(action: argparse.Action) -> tuple[str, ...]:
    return tuple(str(choice) for choice in action.choices or ())


def _first_words(found: tuple[Offer, ...]) -> dict[str, str]:
    """Map each first word to what it is for; a group is for its commands."""
    first: dict[str, str] = {}
    for offer in found:
        word, _, rest = offer.name.partition(" ")
        first[word] = f"commands on {word}" if rest else offer.about
    return first


def _group_words(found: tuple[Offer, ...]) -> dict[str, dict[str, str]]:
    """Map each group to its commands and what they are for."""
    groups: dict[str, dict[str, str]] = {}
    for offer in found:
        word, _, rest = offer.name.partition(" ")
        if rest:
            groups.setdefault(word, {})[rest] = offer.about
    return groups


def _offered(offer: Offer) -> str:
    names = [name for option in offer.options for name in option.names]
    return " ".join((*offer.words, *names))


def _choice_rows(found: tuple[Offer, ...]) -> Iterator[tuple[str, str, str]]:
    """Give command, option name and the values it may have, for closed choices."""
    for offer in found:
        for option in offer.options:
            for name in option.names if option.choices else ():
                yield offer.name, name, " ".join(option.choices)


def _bash(program: Program, found: tuple[Offer, ...]) -> Iterator[str]:
    groups = _group_words(found)
    function = f"_{program.name.replace('-', '_')}"
    yield f"# bash completion for {program.name}"
    yield f"{function}() {{"
    yield '  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}"'
    yield '  local chosen="${COMP_WORDS[1]}" words=""'
    yield '  case "$COMP_CWORD:$chosen" in'
    yield f'    1:*) words="{" ".join(_first_words(found))} --help --version" ;;'
    for group, members in groups.items():
        yield f'    2:{group}) words="{" ".join(members)} --help" ;;'
    yield "    *)"
    for group in groups:
        yield f'      [ "$chosen" = {group} ] && chosen="{group} ${{COMP_WORDS[2]}}"'
    yield '      case "$chosen $prev" in'
    for name, option, values in _choice_rows(found):
        yield f'        "{name} {option}") words="{values}" ;;'
    yield '        *) case "$chosen" in'
    for offer in found:
        yield f'          "{offer.name}") words="{_offered(offer)}" ;;'
    yield "        esac ;;"
    yield "      esac ;;"
    yield "  esac"
    yield '  COMPREPLY=($(compgen -W "$words" -- "$cur"))'
    yield "}"
    yield f"complete -o default -F {function} {program.name}"


def _zsh(program: Program, found: tuple[Offer, ...]) -> Iterator[str]:
    groups = _group_words(found)
    function = f"_{program.name.replace('-', '_')}"
    yield f"#compdef {program.name}"
    yield f"{function}() {{"
    yield '  local chosen="$words[2]"'
    yield "  local -a offered"
    yield '  case "$CURRENT:$chosen" in'
    yield f"    2:*) offered=({_zsh_words(_first_words(found))}) ;;"
    for group, members in groups.items():
        yield f"    3:{group}) offered=({_zsh_words(members)}) ;;"
    yield "    *)"
    for group in groups:
        yield f'      [[ "$chosen" = {group} ]] && chosen="{group} $words[3]"'
    yield '      case "$chosen $words[CURRENT-1]" in'
    for name, option, values in _choice_rows(found):
        yield f'        "{name} {option}") offered=({values}) ;;'
    yield '        *) case "$chosen" in'
    for offer in found:
        names = {name: opt.about for opt in offer.options for name in opt.names}
        shown = _zsh_words(dict.fromkeys(offer.words, "") | names)
        yield f'          "{offer.name}") offered=({shown}) ;;'
    yield "        esac ;;"
    yield "      esac ;;"
    yield "  esac"
    yield f"  _describe {shlex.quote(program.name)} offered"
    yield "  _files"
    yield "}"
    yield f'if [ "$funcstack[1]" = "{function}" ]; then'
    yield f'  {function} "$@"'
    yield "else"
    yield f"  compdef {function} {program.name}"
    yield "fi"


def _zsh_words(words: dict[str, str]) -> str:
    return " ".join(
        shlex.quote(f"{word}:{use}" if use else word) for word, use in words.items()
    )


def _fish(program: Program, found: tuple[Offer, ...]) -> Iterator[str]:
    at = f"__{program.name.replace('-', '_')}_at"
    yield f"# fish completion for {program.name}"
    yield f"function {at}"
    yield "  set -l words (commandline -opc)"
    yield "  set -l last (math 1 + (count $argv))"
    yield "  test (count $words) -ge $last; or return 1"
    yield "  test $last -eq 1; and test (count $words) -eq 1; and return 0"
    yield '  test $last -gt 1; and test "$words[2..$last]" = "$argv"'
    yield "end"
    start = f"complete -c {program.name}"
    for word, use in _first_words(found).items():
        yield f"{start} -n {at} -f -a {word} -d {_fish_quote(use)}"
    for group, members in _group_words(found).items():
        alone = f'"{at} {group}; and test (count (commandline -opc)) -eq 2"'
        for word, use in members.items():
            yield f"{start} -n {alone} -f -a {word} -d {_fish_quote(use)}"
    for offer in found:
        here = f'{start} -n "{at} {offer.name}"'
        if offer.words:
            yield f'{here} -f -a "{" ".join(offer.words)}"'
        for option in offer.options:
            yield f"{here} {_fish_option(option)}"


def _fish_option(option: Option) -> str:
    names = (
        f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}"
        for name in option.names
    )
    parts = [*names]
    if option.choices:
        parts.append(f'-x -a "{" ".join(option.choices)}"')
    elif option.valued:
        parts.append("-r")
    return " ".join([*parts, "-d", _fish_quote(option.about)])


def _fish_quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


_WRITERS = {"bash": _bash, "zsh": _zsh, "fish": _fish}
