"""What went wrong, before it is said of which command."""

from __future__ import annotations

from agentctx.observing.model import (
    LONGEST_COMMAND,
    LONGEST_DETAIL,
    LONGEST_SUMMARY,
    Failure,
)
from agentctx.observing.sameness import key_of
from agentctx.observing.terminal import one_line, some_lines
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from agentctx.observing.places import Place


_ROOM = 70


class Fault(NamedTuple):
    """One thing that went wrong; `name` is a test's, a rule's or an error's."""

    program: str
    name: str
    message: str
    lines: tuple[str, ...]
    place: Place | None
    at: int
    end: int
    part: str = ""
    """What else tells it from others, such as the file of a diagnostic."""


def failure_of(fault: Fault, command: str) -> Failure:
    """Say a fault as the failure of a command."""
    said = ": ".join(part for part in (fault.name, fault.message) if part)
    if len(said) > LONGEST_SUMMARY and len(fault.name) > _ROOM:
        said = f"…{fault.name[-_ROOM:]}: {fault.message}"  # the end says most
    place = fault.place
    return Failure(
        program=fault.program,
        command=one_line(command, LONGEST_COMMAND),
        summary=one_line(said, LONGEST_SUMMARY),
        detail=some_lines(list(fault.lines), LONGEST_DETAIL),
        file=None if place is None else place.file,
        line=None if place is None else place.line,
        key=key_of(fault.program, fault.name, fault.message, fault.part),
    )
