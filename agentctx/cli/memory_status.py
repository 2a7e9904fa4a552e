"""`agentctx memory status`: how memory is, what it holds, how its jobs ended (M8.1).

Failures are told in closed words and counts. No text of a conversation, and nothing of
what a model or a provider said, is in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentctx.cli.memory_opening import memory_at, memory_here
from agentctx.cli.memory_state import Spend, spend, waits, waits_lines
from agentctx.cli.sheet import row
from agentctx.memory.schema import VERSION
from agentctx.memory.switch import REASONS, WAYS_ON
from corpus.cli.render import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.memory.switch import Off
    from agentctx.memory.tally import Tally
    from agentctx.memory.telling import Status
    from corpus.cli.call import Call

SUMMARY = "Show how memory is, what it holds, and what became of its jobs."
EXAMPLE = "agentctx memory status"

_UNKNOWN = (
    "generation",
    "active_thread",
    "threads",
    "turns",
    "open_turns",
    "late_refused",
    "items",
    "jobs",
    "refused",
    "last_succeeded_at",
)
"""What is only known of a healthy memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryCard:
    """The card: the state, whether it is on, what waits and why, what models cost."""

    status: Status
    off: Off | None
    spend: Spend
    waiting: str | None

    def as_json(self) -> dict[str, object]:
        """Give the card as one JSON object; its keys are always the same."""
        told = self.status
        counts = dict.fromkeys(_UNKNOWN)
        value: dict[str, object] = {"state": told.state, "schema_version": VERSION}
        if told.tally is not None:
            counts |= {k: v for k, v in told.tally._asdict().items() if k in counts}
        value |= counts
        value["failures"] = [] if told.tally is None else list(told.tally.failures)
        value["summary"] = {"state": told.summary.state, "path": told.summary.path}
        value["spend"] = self.spend._asdict()
        value["waiting"] = self.waiting
        value["on"], value["off"] = self.off is None, self.off
        value["problem"] = None if told.problem is None else str(told.problem)
        return value


def configure(parser: argparse.ArgumentParser) -> None:
    """Take nothing."""
    del parser


def run(call: Call) -> MemoryCard:
    """Look at everything; what is wrong is told, and never raised."""
    here = memory_here()
    with memory_at(call, here.root, recover=False) as memory:
        status = memory.status()
    return MemoryCard(
        status=status,
        off=here.off,
        spend=spend(call),
        waiting=waits(call) if _has_waiting(status) else None,
    )


def lines(value: MemoryCard) -> Iterator[str]:
    """Draw the card: a label and a value a line."""
    status = value.status
    yield from row("memory", status.state)
    if value.off is not None:
        yield from row("off", REASONS[value.off])
        yield from row("", f"hint: {WAYS_ON[value.off]}")
    if status.problem is not None:
        yield from row("problem", str(status.problem))
        yield from row("", f"hint: {status.problem.hint}")
    if status.tally is not None:
        yield from _tally_lines(status.tally, value.waiting)
    yield from row("summary", f"{status.summary.path} ({status.summary.state})")
    money = value.spend
    spent = "cannot be read"
    if money.today_usd is not None:
        spent = f"${money.today_usd:.2f} today, ${money.total_usd:.2f} in all"
    caps = f"${money.session_cap_usd:g} a session, ${money.day_cap_usd:g} a day"
    yield from row("cost", f"{spent}; at most {caps}")


def _tally_lines(tally: Tally, waiting: str | None) -> Iterator[str]:
    turns = f"{counted(tally.turns, 'turn')}, {tally.open_turns} open"
    if tally.late_refused:
        turns += f", {tally.late_refused} with an answer that came too late"
    yield from row("thread", tally.active_thread)
    yield from row("threads", f"{tally.threads}, with {turns}")
    yield from row("items", _counts(tally.items))
    yield from row("jobs", _counts(tally.jobs))
    for told in waits_lines(waiting):
        yield from row("", told)
    for number, one in enumerate(tally.failures):
        yield from row("" if number else "failures", _failure(one))
    for number, (rule, count) in enumerate(tally.refused.items()):
        what = f"{rule}, of {counted(count, 'turn')}"
        yield from row("" if number else "refused", what)
    if tally.last_succeeded_at is not None:
        yield from row("last done", tally.last_succeeded_at)


def _failure(one: dict[str, str | int | None]) -> str:
    """Tell a failure in closed words: what, where, in which call, by which rule."""
    words = (
        one["failure_class"],
        one["failure_phase"],
        one["failure_call"],
        one["failure_rule"],
    )
    told = " ".join(str(word) for word in words if word is not None)
    claims = counted(int(one["claim_count"] or 0), "claim")
    calls = counted(int(one["provider_calls"] or 0), "call")
    return f"{one['at']}  {one['job_id']}  {told}  ({claims}, {calls})"


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{number} {name}" for name, number in counts.items())


def _has_waiting(status: Status) -> bool:
    jobs = {} if status.tally is None else status.tally.jobs
    return bool(jobs.get("pending") or jobs.get("retry"))
