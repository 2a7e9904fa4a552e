"""Where `agentctx` begins: a hook goes its own short way, past the command line.

Parsing arguments costs more than a hook has to spend.
"""

from __future__ import annotations

import gc
import sys

from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import NoReturn

_HOOK, _WORDS = "hook", 3


def run() -> NoReturn:
    """Be the process `agentctx`."""
    words = sys.argv
    if len(words) == _WORDS and words[1] == _HOOK and not words[2].startswith("-"):
        gc.disable()  # a short life; what it leaves the system takes back
        from agentctx.hooks import app as hooks  # noqa: PLC0415 - one edge of two

        hooks.run(words[2])
    from agentctx.cli import app as commands  # noqa: PLC0415 - the other one

    commands.run()
