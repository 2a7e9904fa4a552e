"""Nothing that is hard to take back is done without a person's word (A9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.errors import ConsentError

if TYPE_CHECKING:
    import argparse

    from corpus.cli.call import Call


def add_yes(parser: argparse.ArgumentParser) -> None:
    """Declare `--yes`."""
    parser.add_argument("--yes", action="store_true", help="do not ask")


def require_consent(call: Call, command: str, question: str, *, yes: bool) -> None:
    """Go on when `--yes` was said or a person says so, else ConsentError.

    The question is asked on a terminal only, and should say all that is to happen.
    """
    if not yes and not (call.asks and call.confirm(question)):
        raise ConsentError(command=command)
