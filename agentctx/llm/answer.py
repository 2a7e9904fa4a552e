"""The service's answer, read strictly: why it stopped, what it counted, what it says.

Nothing is believed of it: not its type, not its numbers, not that it is JSON.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from agentctx.errors import (
    ModelError,
    ModelInputError,
    ModelRefusedError,
    ModelReplyError,
    ModelTruncatedError,
)
from agentctx.llm.model import Usage
from corpus.errors import InputJsonError
from corpus.jsoninput import parse_json

if TYPE_CHECKING:
    from corpus.canonical import Json

MOST_VALUE = 1024 * 1024
"""Bytes of JSON that a model may answer."""

MOST_TOKENS = 10**9
"""What no count of one answer reaches."""

_NAME = "answer"
_FENCE = re.compile(r"```(?:json|JSON)?[ \t]*\r?\n(.*?)\r?\n?[ \t]*```", re.DOTALL)
_ENDED = ("end_turn", "stop_sequence")
_LONGEST_MODEL = 200


class Answer(NamedTuple):
    """One answer; `usage` is None where it was not told, `problem` why it is no use."""

    value: object
    usage: Usage | None
    model: str
    problem: ModelError | None = None


def read_answer(body: bytes, *, limit: int) -> Answer:
    """Read what the service sent; `limit` is the number of tokens that was asked for.

    Never raises: what is wrong is the answer's `problem`, for it may have cost.
    """
    try:
        message = parse_json(body, name=_NAME)
    except InputJsonError:
        message = None
    if not isinstance(message, dict) or message.get("type") != "message":
        return Answer(None, None, "", ModelReplyError(reason="it is no message"))
    usage = usage_of(message.get("usage"))
    model = model_of(message.get("model"))
    problem = problem_of_stop(message.get("stop_reason"), limit)
    if problem is not None:
        return Answer(None, usage, model, problem)
    text = _text(message.get("content"))
    value, reason = (None, "it holds no text") if text is None else _value(text)
    if reason:
        problem = ModelReplyError(reason=reason)
        problem.reached = "model"
        return Answer(None, usage, model, problem)
    return Answer(value, usage, model)


def problem_of_stop(reason: object, limit: int) -> ModelError | None:
    """Say what is wrong with an answer that stopped so; None for one that ended."""
    if reason in _ENDED:
        return None
    if reason == "max_tokens":
        return ModelTruncatedError(limit=limit)
    if reason == "refusal":
        return ModelRefusedError()
    if reason == "model_context_window_exceeded":
        return ModelInputError(reason="it is too long")
    return ModelReplyError(reason="it does not say that it ended")


def _text(content: object) -> str | None:
    """Join the blocks of text; what a model thought is none of them."""
    if not isinstance(content, list):
        return None
    found = [
        block["text"]
        for block in content
        if isinstance(block, dict)
        and block.get("type") == "text"
        and isinstance(block.get("text"), str)
    ]
    return "".join(found) if found else None


def _value(text: str) -> tuple[Json, str]:
    """Give the JSON of a text, or why there is none; one fence around it is no harm."""
    said = text.strip()
    fenced = _FENCE.fullmatch(said) if said.startswith("```") else None
    content = (fenced[1] if fenced else said).encode("utf-8")
    if len(content) > MOST_VALUE:
        return None, "it is too large"
    try:
        return parse_json(content, name=_NAME), ""
    except InputJsonError:
        return None, "its text is not JSON that can be carried"


def usage_of(counts: object) -> Usage | None:
    """Give the tokens that were counted; None where they are not told, or are none."""
    if not isinstance(counts, dict):
        return None
    read, written = counts.get("input_tokens"), counts.get("output_tokens")
    cached = counts.get("cache_read_input_tokens")
    kept = counts.get("cache_creation_input_tokens")
    found = [
        _count(one)
        for one in (read, written, 0 if cached is None else cached, kept or 0)
    ]
    if any(one is None for one in found):
        return None
    return Usage(*(one or 0 for one in found))


def _count(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value <= MOST_TOKENS else None


def model_of(name: object) -> str:
    """Give the name of the model that answered; empty where it is none."""
    if isinstance(name, str) and len(name) <= _LONGEST_MODEL and name.isprintable():
        return name
    return ""
