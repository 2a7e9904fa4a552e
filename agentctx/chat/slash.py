"""The commands of a chat, as data: what each takes, and what it is for."""

from __future__ import annotations

from typing import NamedTuple, NoReturn

from corpus.errors import UsageError

MARK = "/"


class Slash(NamedTuple):
    """One command; `takes` shows its arguments, empty for none."""

    name: str
    takes: str
    about: str


SLASHES = (
    Slash("memory", "COMMAND …", "see and change what is remembered; /memory lists it"),
    Slash("new", "", "begin an empty thread; what the project decided stays"),
    Slash("reset", "", "reset the workbench; memory is kept"),
    Slash("review", "FILE.json RUN", "review the findings of a tool, one by one"),
    Slash("next", "", "take the next finding that is not done"),
    Slash("item", "[ID]", "take a finding in hand, or show the one that is"),
    Slash("constrain", "TEXT", "ask something of every draft for this file"),
    Slash("revise", "TEXT", "have a draft made for this finding, or made anew"),
    Slash("draft", "", "show the draft for this finding"),
    Slash("done", "", "be done with this finding, and see how the run stands"),
    Slash("end", "", "end the review"),
    Slash("help", "", "show this page"),
    Slash("quit", "", "end the chat; so does the end of input"),
)
"""Every command, in the order the help shows them."""


class Said(NamedTuple):
    """A line that is a command: its name, and the rest of it as it stands."""

    name: str
    rest: str


def command_in(line: str) -> Said | None:
    """Read a line as a command; None for a message. `//` begins one with a slash.

    `UsageError` where there is no such command, or it takes something else.
    """
    if not line.startswith(MARK) or line.startswith(MARK * 2):
        return None
    name, _, rest = line[1:].partition(" ")
    found = next((one for one in SLASHES if one.name == name.strip()), None)
    if found is None:
        _refuse(f"`/{name[:40]}` is not a command of the chat")
    if rest.strip() and not found.takes:
        _refuse(f"`/{name}` takes nothing besides")
    return Said(found.name, rest.strip())


def message_of(line: str) -> str:
    """Give what a line that is no command says."""
    return line[1:] if line.startswith(MARK * 2) else line


def help_lines() -> list[str]:
    """Show every command."""
    shown = [f"/{one.name} {one.takes}".rstrip() for one in SLASHES]
    width = max(map(len, shown))
    return [
        *(
            f"{line:<{width}}  {one.about}"
            for line, one in zip(shown, SLASHES, strict=True)
        ),
        "",
        "Anything else is a message; `//` begins one that starts with a slash.",
    ]


def _refuse(problem: str) -> NoReturn:
    error = UsageError(problem=problem)
    error.hint = "`/help` lists the commands; `//` begins a message with a slash"
    raise error
