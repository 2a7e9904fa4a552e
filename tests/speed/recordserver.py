"""What the server of records costs: its start, and a search in a running server."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from tests.speed.trusted import STARTS, Served, Server

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

CALLS = 200
FEWEST_FOUND = 1_000


def served_records(
    command: Sequence[str], queries: Sequence[str], env: Mapping[str, str]
) -> Served:
    """Start the server for its start alone, a few times, then once for its searches.

    The first start compiles the libraries, as an installation does; the first search
    loads the engine. A call's time is from the request's last byte to the answer's.
    """
    starts = []
    for _ in range(STARTS + 1):
        with Server(command, env) as server:
            server.initialize()
            starts.append(server.end())
    calls, found = [], 0
    with Server(command, env) as server:
        server.initialize()
        for number in range(CALLS + len(queries)):
            arguments = {"query": queries[number % len(queries)], "limit": 15}
            began = time.perf_counter()
            answer = server.ask("tools/call", name="ctx_search", arguments=arguments)
            calls.append(time.perf_counter() - began)
            result = answer["result"]["structuredContent"]
            assert "degraded" not in result, answer
            found += len(result["results"])
    assert found >= FEWEST_FOUND, "the questions must be ones that records answer"
    return Served(min(starts[1:]), tuple(calls[len(queries) :]))


def records_command(program: Sequence[str]) -> tuple[str, ...]:
    """Give the words that start `agentctx` where `project-corpus` is started so."""
    *before, last = program
    if last.endswith("project-corpus"):
        installed = Path(last).with_name("agentctx")
        if installed.is_file():
            return (*before, str(installed), "mcp")
    return (*before, last.replace("corpus.cli.app", "agentctx.cli.app"), "mcp")
