"""The edge of `agentctx`: this release answers `--help` and `--version`, nothing else.

Frame, streams and failures are those of `project-corpus`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from agentctx import __version__
from corpus.cli.app import run_program
from corpus.cli.program import Program

if TYPE_CHECKING:
    from collections.abc import Sequence

PROGRAM = Program(
    name="agentctx",
    version=__version__,
    about=(
        "Records and memory are not in this release, so this program has no commands.\n"
        "The files of a project are served by `project-corpus`."
    ),
    example="project-corpus --help",
    commands=(),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `agentctx` and give its exit status."""
    return run_program(PROGRAM, sys.argv[1:] if arguments is None else arguments)
