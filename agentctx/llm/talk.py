"""A talk with a model: what was said, the tools it may use, an answer as it comes.

Whoever talks takes a `Talker`; nothing here knows a client or a network.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from agentctx.llm.question import THINKING, sendable
from corpus.tokens import model_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentctx.errors import ModelInputError
    from agentctx.llm.model import Usage

Hear = Callable[[str], None]
"""Is given the words of an answer, piece by piece, as they come."""

_OVERHEAD = 600
"""Tokens the service adds of its own for tools, and for the frame."""


class Tool(NamedTuple):
    """Something the model may ask for; `schema` is of an object."""

    name: str
    about: str
    schema: Mapping[str, object]


class ToolCall(NamedTuple):
    """What the model asks for; `given` is None where that is no JSON object."""

    id: str
    name: str
    given: Mapping[str, object] | None


class ToolResult(NamedTuple):
    """What a call came to."""

    call_id: str
    text: str
    is_error: bool = False


class Spoken(NamedTuple):
    """Words of one side; the service may `keep` all that comes up to here."""

    role: Literal["user", "assistant"]
    text: str
    keep: bool = False


class Called(NamedTuple):
    """Words of the model that end in calls."""

    text: str
    calls: tuple[ToolCall, ...]


class Results(NamedTuple):
    """What the calls before it came to, each of them."""

    results: tuple[ToolResult, ...]


Message = Spoken | Called | Results


class Talk(NamedTuple):
    """Everything a model is told before it answers.

    `system` are rules and the same for every talk of a kind. `purpose` names the kind,
    for accounts; it is not sent. Without `may_call` the model has to answer.
    """

    system: str
    messages: tuple[Message, ...]
    tools: tuple[Tool, ...]
    max_tokens: int
    purpose: str
    may_call: bool = True


class Said(NamedTuple):
    """An answer that ended; with `calls` it goes on after their results.

    `cut` says that it has as many tokens as it may have, and no end.
    """

    text: str
    calls: tuple[ToolCall, ...]
    usage: Usage
    cost_usd: float
    model: str
    cut: bool = False


class TalkStoppedError(KeyboardInterrupt):
    """A person stopped an answer; it costs what was heard of it, by our estimate."""

    def __init__(self, cost_usd: float) -> None:
        super().__init__()
        self.cost_usd = cost_usd


class Talker(Protocol):
    """A model that talks."""

    @property
    def name(self) -> str:
        """The name it is asked for by."""

    def answer(self, talk: Talk, hear: Hear) -> Said:
        """Answer, or raise an `agentctx.errors.ModelError` or `TalkStoppedError`."""

    def most_cost(self, talk: Talk) -> float:
        """Say how many US dollars an answer may cost at most, before asking."""


def overflows(error: ModelInputError) -> bool:
    """Say whether a model was told more than its context holds."""
    return error.facts.get("reason") in {"it is too long", "it is too large"}


def texts_of(talk: Talk) -> Iterator[str]:
    """Give every text that is sent, one for each message, the rules first."""
    yield talk.system
    for tool in talk.tools:
        yield _dumped(_tool(tool))
    for message in talk.messages:
        if isinstance(message, Spoken):
            yield message.text
        elif isinstance(message, Called):
            yield message.text + _dumped([one.given for one in message.calls])
        else:
            yield "\n".join(one.text for one in message.results)


def prompt_tokens_of(talk: Talk) -> int:
    """Estimate, rather too high, what an answer has to read."""
    return sum(map(model_tokens, texts_of(talk))) + _OVERHEAD


def request_for(talk: Talk, model: str, fields: frozenset[str]) -> dict[str, object]:
    """Give the arguments of one request."""
    request: dict[str, object] = {
        "model": model,
        "max_tokens": talk.max_tokens,
        "system": [_text(talk.system, keep=True)],
        "messages": [_message(one) for one in talk.messages],
    }
    if talk.tools:
        request["tools"] = [_tool(one) for one in talk.tools]
        request["tool_choice"] = {"type": "auto" if talk.may_call else "none"}
    if THINKING in fields:
        request["thinking"] = {"type": "disabled"}
    return request


def _tool(tool: Tool) -> dict[str, object]:
    return {
        "name": tool.name,
        "description": tool.about,
        "input_schema": dict(tool.schema),
    }


def _message(message: Message) -> dict[str, object]:
    if isinstance(message, Spoken):
        content = [_text(message.text, keep=message.keep)]
        return {"role": message.role, "content": content}
    if isinstance(message, Results):
        return {"role": "user", "content": [_result(one) for one in message.results]}
    words = [_text(message.text)] if message.text.strip() else []
    calls: list[dict[str, object]] = [
        {
            "type": "tool_use",
            "id": one.id,
            "name": one.name,
            "input": dict(one.given or {}),
        }
        for one in message.calls
    ]
    return {"role": "assistant", "content": [*words, *calls]}


def _result(result: ToolResult) -> dict[str, object]:
    return {
        "type": "tool_result",
        "tool_use_id": result.call_id,
        "content": sendable(result.text),
        "is_error": result.is_error,
    }


def _text(text: str, *, keep: bool = False) -> dict[str, object]:
    block: dict[str, object] = {"type": "text", "text": sendable(text)}
    if keep:
        block["cache_control"] = {"type": "ephemeral"}
    return block


def _dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
