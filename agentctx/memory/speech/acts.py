"""The speech act of each clause of a message, by one word (M11.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from agentctx.memory.speech.clauses import clauses_of
from agentctx.memory.speech.markers import is_acknowledgement

if TYPE_CHECKING:
    from agentctx.memory.model import Role
    from agentctx.memory.speech.clauses import Clause

Act = Literal[
    "decision",
    "preference",
    "proposal",
    "local",
    "temporary",
    "question",
    "undecided",
    "report",
    "denied",
    "example",
    "fact",
    "acknowledgement",
    "nothing",
]

_FIRST: tuple[Act, ...] = ("denied", "example", "report", "undecided", "question")
_THEN: tuple[Act, ...] = ("temporary", "local", "decision", "preference")


def acts_of(text: str, role: Role = "user") -> tuple[Act, ...]:
    """Name the acts of a message, in order; clauses that do nothing are left out."""
    if role == "user" and is_acknowledgement(text):
        return ("acknowledgement",)
    named = (act_of(clause, role) for clause in clauses_of(text))
    return tuple(act for act in named if act != "nothing")


def act_of(clause: Clause, role: Role = "user") -> Act:
    """Name the act of one clause; what weakens it goes before what it weakens."""
    if role == "assistant":
        return "proposal" if "proposal" in clause.marks else "nothing"
    for act in _FIRST:
        if act in clause.marks:
            return act
    if clause.is_fact:
        return "fact"
    for act in _THEN:
        if act in clause.marks:
            return act
    return "preference" if "durable" in clause.marks else "nothing"
