"""What a search costs in a running server of memory, at 1,000 and at 10,000 items.

    python tests/speed/run.py --only memory-server

A call's time is from the request's last byte to the answer's, what is spent by it
written down. The least of the rounds is judged, for each question its own.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tests.agentctx.mcp.remembering import SESSION, clients_memory, prompt
from tests.agentctx.memory.recalled import memory_of
from tests.recorded import Ticking
from tests.speed.bench import heading, row
from tests.speed.recall import BOUNDS, made_items, questions
from tests.speed.recordserver import records_command
from tests.speed.trusted import Server

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tests.speed.bench import Bench

ROUNDS = 7
CALL = 0.005
"""Seconds that a call may take besides its search, what is spent by it kept safe."""

A_PROMPT = 4
"""Searches that one prompt may make."""


def memory_server(bench: Bench) -> None:
    """Measure searches of memory as an agent makes them."""
    heading("server of memory: wall ms of a memory_search, least and slowest")
    for count, bound in BOUNDS.items():
        project = bench.folder / f"memory-{count}"
        costs = served_memory(bench.ours, project, count, bench.env)
        slowest = max(min(one) for one in costs)
        row(f"{count:,} items", 1000 * slowest, 1000 * max(map(max, costs)))
        bench.target(f"memory_search at {count:,} items", slowest, bound + CALL, "s")


def served_memory(
    program: Sequence[str],
    project: Path,
    count: int,
    env: Mapping[str, str],
    *,
    rounds: int = ROUNDS,
) -> list[list[float]]:
    """Give the seconds of each question's searches, each round's in a prompt anew."""
    with memory_of(project / ".agentctx", made_items(count)):
        pass
    places = {
        "AGENTCTX_HOME": str(project / "home"),
        "CLAUDE_PROJECT_DIR": str(project),
        "CLAUDE_CODE_SESSION_ID": SESSION,
    }
    *words, last = records_command(program)
    asked = questions()[:A_PROMPT]
    costs: list[list[float]] = [[] for _ in asked]
    with (
        clients_memory(project, Ticking()) as memory,
        Server([*words, "memory", last], {**env, **places}) as server,
    ):
        server.initialize()
        for number in range(rounds + 1):
            prompt(memory, "", SESSION, "src/a")
            for cost, text in zip(costs, asked, strict=True):
                seconds = _searched(server, text)
                if number:  # the first loads the engine
                    cost.append(seconds)
    return costs


def _searched(server: Server, text: str) -> float:
    arguments = {"query": text}
    began = time.perf_counter()
    answer = server.ask("tools/call", name="memory_search", arguments=arguments)
    seconds = time.perf_counter() - began
    value = answer["result"].get("structuredContent", {"degraded": answer})
    assert "degraded" not in value, value
    assert value["results"], "the questions must be ones that items answer"
    return seconds
