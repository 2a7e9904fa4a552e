"""`agentctx hook`: what an agent's client runs; a person has no use for it.

The process `agentctx hook EVENT` does not come here: it goes its own short way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call

SUMMARY = "Answer one hook of an agent's client: JSON on stdin, JSON on stdout."
EXAMPLE = "agentctx hook session-start"

EVENTS = (
    "session-start",
    "user-prompt-submit",
    "stop",
    "stop-failure",
    "pre-compact",
    "post-tool-use",
    "post-tool-use-failure",
    "subagent-start",
    "session-end",
    "cwd-changed",
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    parser.add_argument(
        "event", metavar="EVENT", choices=EVENTS, help=f"one of {', '.join(EVENTS)}"
    )


def run(call: Call, *, event: str) -> None:
    """Refuse: options belong to no hook."""
    del call
    raise UsageError(problem=f"`agentctx hook {event}` takes no options")


def lines(value: None) -> Iterator[str]:
    """Show nothing."""
    del value
    yield from ()
