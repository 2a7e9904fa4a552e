"""What a model is told before it answers: order, and how much of it fits (C9, C10).

Checkpoint, recent history, what is under review, then the Map directly before what the
user says now. All of it is on the user's side; the rules hold none of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agentctx.chat.prompts import CHECKPOINT
from agentctx.llm.talk import Spoken, texts_of
from agentctx.memory.clipping import api_tokens
from agentctx.memory.mapping import QUOTE
from agentctx.memory.projection import A_MESSAGE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentctx.llm.talk import Message, Talk
    from agentctx.memory.projection import Exchange


class Parts(NamedTuple):
    """The parts of what is told, in their order; `steps` follow the user's words."""

    checkpoint: str = ""
    history: tuple[Exchange, ...] = ()
    subject: str = ""
    map: str = ""
    message: str = ""
    steps: tuple[Message, ...] = ()


def messages_of(parts: Parts) -> tuple[Message, ...]:
    """Put the parts in order; those that are empty are left out."""
    found: list[Spoken] = []
    if parts.checkpoint:
        found.append(Spoken("user", quoted(CHECKPOINT, parts.checkpoint)))
    for one in parts.history:
        found += [Spoken("user", one.user), Spoken("assistant", one.assistant)]
    if found:
        found[-1] = found[-1]._replace(keep=True)  # the rest is new in every step
    found += [Spoken("user", one) for one in (parts.subject, parts.map) if one]
    return (*found, Spoken("user", parts.message), *parts.steps)


def quoted(introduction: str, text: str) -> str:
    """Introduce a text as evidence; no line of it is one of ours."""
    return "\n".join([introduction, *(f"{QUOTE}{line}" for line in text.splitlines())])


def tokens_of(talk: Talk) -> int:
    """Estimate what is sent, as a host counts that talks to a model."""
    return sum(api_tokens(text) + A_MESSAGE for text in texts_of(talk))


def history_tokens(exchanges: Iterable[Exchange]) -> int:
    """Estimate what exchanges cost where they are repeated."""
    return sum(
        api_tokens(one.user) + api_tokens(one.assistant) + 2 * A_MESSAGE
        for one in exchanges
    )


def latest_within(exchanges: tuple[Exchange, ...], budget: int) -> tuple[Exchange, ...]:
    """Give the latest whole exchanges that fit."""
    first = len(exchanges)
    while first > 0 and history_tokens(exchanges[first - 1 :]) <= budget:
        first -= 1
    return exchanges[first:]
