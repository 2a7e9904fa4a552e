"""The edge of `agentctx`; frame, streams and failures are those of `project-corpus`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from agentctx.cli.commands import PROGRAM
from corpus.cli.app import run_process, run_program

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

__all__ = ["PROGRAM", "main", "run"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `agentctx` and give its exit status."""
    return run_program(PROGRAM, sys.argv[1:] if arguments is None else arguments)


def run() -> NoReturn:
    """Be the process `agentctx`."""
    run_process(main)
