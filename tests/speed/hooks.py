"""What a session waits for: the hooks of a client, and a consolidation with no news.

All on a store of 10,000 records of the last weeks whose digest is made, and with a
memory of 10,000 items beside it. A hook is a process that reads one object from its
standard input, as a client starts it.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from agentctx.hooks.app import EVENTS
from agentctx.memory.switch import VARIABLE
from agentctx.records.leases import WORKER, holder
from agentctx.records.store import open_store
from agentctx.records.transcripts import waiting
from tests.agentctx.memory.recalled import memory_of
from tests.agentctx.spoken import transcript
from tests.speed.bench import heading, row
from tests.speed.measure import (
    Costs,
    agentctx_command,
    agentctx_environment,
    mean,
    measure,
)
from tests.speed.recall import made_items
from tests.speed.recordset import SEED, vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from tests.speed.bench import Bench
    from tests.speed.measure import Cost

HOOK_OVER_PYTHON = 0.060
NOTHING_OVER_PYTHON = 0.040
MEMORY_MORE = 0.040
"""CPU seconds that a prompt may cost more where memory is on."""

LONG_MORE = 0.030
"""And what 200 KB of a prompt may add to that: they are kept whole, without secrets."""

ITEMS = 10_000
LONG_TO_SHORT = 1.2
SESSION_END = 0.3
CONSOLIDATED = 0.2

PROMPTS = 5
LONG = 200 * 1024
"""Bytes of a long prompt."""

FOR_THE_WORKER = 60.0
_LOOK = 0.1


class Stage(NamedTuple):
    """Where sessions play: a project, its store, and how `agentctx` is started."""

    home: Path
    project: Path
    command: Sequence[str]
    env: Mapping[str, str]

    def run(self, *words: str, given: bytes | None = None) -> Cost:
        """Measure one command in the project."""
        command = (*self.command, *words)
        return measure(command, cwd=self.project, env=self.env, given=given)

    def hook(self, event: str, session: str, **more: object) -> Cost:
        """Measure one hook of a session."""
        payload = {
            "session_id": session,
            "transcript_path": str(self.project / f"{session}.jsonl"),
            "cwd": str(self.project),
            "hook_event_name": EVENTS[event][1],
            **more,
        }
        cost = self.run("hook", event, given=json.dumps(payload).encode())
        assert not cost.err, cost.err
        return cost


def stage(home: Path, project: Path, env: Mapping[str, str]) -> Stage:
    """Set a stage; the store is made by whoever calls."""
    return Stage(home, project, agentctx_command(), agentctx_environment(env, home))


def hooks(bench: Bench) -> None:
    """Measure the hooks over an interpreter that does nothing, by turns with it."""
    at = _ten_thousand(bench)
    acts = {**acts_of(at), **memory_acts_of(_with_memory(bench, at))}
    costs = {name: Costs() for name in acts}
    for act in acts.values():  # what is compiled at the first call is compiled
        act(0)
    bare = bench.bare_python(rounds=1)
    for number in range(1, bench.rounds + 1):
        for name, act in acts.items():
            costs[name].add(act(number))
        bare.runs += bench.bare_python(rounds=2).runs
    heading("hooks at 10,000 records: CPU ms least and median")
    row("python -c pass", 1000 * bare.cpu, 1000 * bare.median_cpu)
    for name, cost in costs.items():
        row(name, 1000 * cost.cpu, 1000 * cost.median_cpu)
    for name, most in _OVER_PYTHON.items():
        over = costs[name].cpu - bare.cpu
        bench.target(f"{name}, CPU over python", over, most, "s")
    short = costs[PROMPT].cpu
    remembered = costs[REMEMBERED].cpu
    for name in (name for name in costs if name.startswith("kept, 200 KB")):
        more = costs[name].cpu - remembered
        bench.target(f"{name}, CPU over a short one", more, LONG_MORE, "s")
    for name in (name for name in costs if name.startswith("200 KB")):
        ratio = costs[name].cpu / short
        bench.target(f"{name} / a short prompt, CPU", ratio, LONG_TO_SHORT)
    _session_end(bench, at)


START, PROMPT, TOOL = "session-start", "user-prompt-submit", "post-tool-use, nothing"
REMEMBERED = "user-prompt-submit, memory on"
ANSWERED = "stop, memory on"
_OVER_PYTHON = {
    START: HOOK_OVER_PYTHON,
    PROMPT: HOOK_OVER_PYTHON,
    TOOL: NOTHING_OVER_PYTHON,
    REMEMBERED: HOOK_OVER_PYTHON + MEMORY_MORE,
    ANSWERED: HOOK_OVER_PYTHON + MEMORY_MORE,
}


def acts_of(at: Stage) -> dict[str, Callable[[int], Cost]]:
    """Give what is measured in each round; every call is another session's first."""

    def begin(number: int) -> Cost:
        cost = at.hook("session-start", f"start-{number}", source="startup")
        assert "additionalContext" in cost.out, "there has to be something to tell"
        return cost

    def use(number: int) -> Cost:
        used = {"command": "ls -la src docs tests"}
        shown = {"stdout": "src\ndocs\n" * 200, "stderr": "", "interrupted": False}
        more = {"tool_name": "Bash", "tool_input": used, "tool_response": shown}
        return at.hook("post-tool-use", f"use-{number}", **more)

    long = {f"200 KB of {name}": text for name, text in long_texts().items()}
    return {
        START: begin,
        TOOL: use,
        PROMPT: _asking(at, PROMPT, ""),
        **{name: _asking(at, name, text) for name, text in long.items()},
    }


def memory_acts_of(at: Stage) -> dict[str, Callable[[int], Cost]]:
    """Give what is measured where turns are kept, too."""

    def end(number: int) -> Cost:
        session = f"answer-{number}"
        at.hook("user-prompt-submit", session, prompt="Rewrite the importer.")
        said = {"transcript_path": "", "last_assistant_message": "It streams now."}
        return at.hook("stop", session, **said)  # nothing to be read by a worker

    long = {f"kept, 200 KB of {name}": text for name, text in long_texts().items()}
    return {
        REMEMBERED: _asking(at, REMEMBERED, ""),
        ANSWERED: end,
        **{name: _asking(at, name, text) for name, text in long.items()},
    }


def _asking(at: Stage, kind: str, ending: str) -> Callable[[int], Cost]:
    """Ask something with an ending, each time in another session."""
    asked = prompts(at.home)

    def act(number: int) -> Cost:
        costs = [
            at.hook(
                "user-prompt-submit",
                f"{kind}-{number}-{place}".replace(" ", "-"),
                prompt=f"{prompt}\n{ending}",
            )
            for place, prompt in enumerate(asked)
        ]
        assert ending or all(cost.out for cost in costs), "each is answered"
        return mean(costs)

    return act


def prompts(home: Path) -> list[str]:
    """Give prompts that some of the records surely answer."""
    with open_store(str(home), clock=_now, random=os.urandom, create=False) as store:
        rows = store.db.execute("SELECT title FROM records ORDER BY rowid").fetchall()
    places = range(len(rows) // 2, len(rows), max(1, len(rows) // 2 // PROMPTS))
    return [f"what about {rows[place]['title']}?" for place in places][:PROMPTS]


def long_texts() -> dict[str, str]:
    """Give texts of 200 KB such as a developer pastes; the same at every run."""
    dice = random.Random(SEED)  # noqa: S311 - the same at every run
    words = vocabulary(dice)
    prose = " ".join(dice.choices(words, k=LONG // 6))
    line = (
        '  File "/srv/app/{0}/{1}.py", line {2}, in {3}\n    raise {0}Error({2:#x})\n'
    )
    log = "".join(
        line.format(
            *dice.choices(words, k=2), dice.randrange(9_999), dice.choice(words)
        )
        for _ in range(LONG // 60)
    )
    common = (
        "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得"
    )
    chinese = "".join(dice.choices(f"{common}，。", k=LONG // 3))
    texts = {"prose": prose, "a log": log, "Chinese": chinese}
    return {name: _bytes_of(text, LONG) for name, text in texts.items()}


def _bytes_of(text: str, size: int) -> str:
    content = text.encode()
    assert len(content) >= size - 4, "the text is too short"
    return content[:size].decode("utf-8", "ignore")


def _session_end(bench: Bench, at: Stage) -> None:
    """Measure how long a client waits that ends; what it wakes is then let to end."""
    walls, costs = [], Costs()
    end_session(at, "end-0")
    for number in range(1, bench.rounds + 1):
        cost = end_session(at, f"end-{number}")
        walls.append(cost.wall)
        costs.add(cost)
    heading("session-end at 10,000 records: wall ms least and median, CPU ms least")
    least, median = 1000 * min(walls), 1000 * statistics.median(walls)
    row("session-end", least, median, 1000 * costs.cpu)
    bench.target("session-end, wall", min(walls), SESSION_END, "s")


def end_session(at: Stage, name: str) -> Cost:
    """Measure the end of a session that has said something."""
    said = transcript(at.project, at.project, name)
    said.turn("Rewrite the importer so that it streams", "It streams now.")
    cost = at.hook("session-end", name, reason="prompt_input_exit")
    wait_for_worker(at.home)
    return cost


def wait_for_worker(home: Path) -> None:
    """Wait until nothing waits and nobody is at work."""
    ends = time.monotonic() + FOR_THE_WORKER
    while not is_idle(home):
        assert time.monotonic() < ends, "the worker has to end"
        time.sleep(_LOOK)


def is_idle(home: Path) -> bool:
    """Say whether nothing waits for a worker, and none is at work."""
    with open_store(str(home), clock=_now, random=os.urandom, create=False) as store:
        return not (waiting(store.db) or holder(store.db, WORKER, now=_now()))


def consolidate(bench: Bench) -> None:
    """Measure the whole process that finds 10,000 records in order already."""
    at = _ten_thousand(bench)
    consolidated(at)  # what other parts have left
    costs = Costs()
    for _ in range(bench.rounds):
        found, cost = consolidated(at)
        assert not any(found.values()), found
        costs.add(cost)
    heading("consolidate at 10,000 records, nothing new: CPU s least, median; wall s")
    row("ours", costs.cpu, costs.median_cpu, min(run.wall for run in costs.runs))
    bench.target("consolidate, nothing new, CPU", costs.cpu, CONSOLIDATED, "s")


def consolidated(at: Stage) -> tuple[dict[str, object], Cost]:
    """Consolidate; give what was done, by what is counted of it."""
    cost = at.run("consolidate", "--format", "json")
    return json.loads(cost.out), cost


def _ten_thousand(bench: Bench) -> Stage:
    """Set the stage that both parts share, once."""
    home, project = bench.folder / "ordered-home", bench.folder / "ordered-project"
    if not home.is_dir():
        bench.make("recordset.py", str(home), str(project), "--in-order")
    made = stage(home, project, bench.env)
    return made._replace(env={**made.env, VARIABLE: "0"})


def _with_memory(bench: Bench, at: Stage) -> Stage:
    """Set the same stage with a memory of the project's."""
    folder = at.project / ".agentctx"
    if not (folder / "memory.db").exists():
        with memory_of(folder, made_items(ITEMS)):
            pass
    return stage(at.home, at.project, bench.env)


def _now() -> datetime:
    return datetime.now(UTC)
