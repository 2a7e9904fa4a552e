"""A defect, told by its kind and place alone: never by its text or the data in it."""

from __future__ import annotations

from corpus.errors import BugError

_OURS = ("corpus", "agentctx")


def defect(error: BaseException) -> BugError:
    """Make what is reported of an exception that nobody expected."""
    return BugError(kind=type(error).__name__, place=place_of(error))


def place_of(error: BaseException) -> str:
    """Name the innermost line of ours an error passed through, as module:line."""
    place = "a place outside the package"
    step = error.__traceback__
    while step is not None:
        module = str(step.tb_frame.f_globals.get("__name__", ""))
        if module.partition(".")[0] in _OURS:
            place = f"{module}:{step.tb_lineno}"
        step = step.tb_next
    return place
