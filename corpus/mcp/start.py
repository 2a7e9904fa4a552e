"""Start a server: first the right to serve, then the import of all it takes.

Loading the protocol's package takes most of the time until a client has its first
answer. The garbage collector is kept from looking through what is only being loaded.
"""

from __future__ import annotations

import gc
import logging
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpus.mcp.desk import Desk
    from corpus.mcp.host import Results


def serve(desk: Desk, results: Results) -> None:
    """Serve the tools of a desk until the client ends.

    Raises what opening the project raises, `CapabilityDeniedError` when `mcp.stdio` is
    not effective, and `OutputError`.
    """
    with desk.visit() as visit:
        decision = visit.mandate.decision
    with loading():
        from corpus.mcp import server  # noqa: PLC0415 - slow, and only after the gate
    server.serve(desk, results, decision)


@contextmanager
def loading() -> Iterator[None]:
    """Let a server be imported in the block, quickly and quietly."""
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # noqa: TID251 - an edge
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
    log = logging.getLogger("mcp")
    log.addHandler(logging.NullHandler())  # it tells tracebacks; we tell places
    log.propagate = False
