"""An answer that comes event by event, read strictly (P8.7).

Nothing is believed of an event: not its type, not its numbers, not that it is JSON.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agentctx.errors import ModelReplyError
from agentctx.llm.answer import model_of, problem_of_stop, usage_of
from agentctx.llm.failure import Failure
from agentctx.llm.statuses import failure_of_event
from agentctx.llm.talk import ToolCall
from corpus.errors import InputJsonError
from corpus.jsoninput import parse_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentctx.errors import ModelError
    from agentctx.llm.model import Usage
    from agentctx.llm.talk import Hear

_NAME = "answer"
_CALLS = "tool_use"
_CUT, _FULL = "max_tokens", "model_context_window_exceeded"
_LONGEST_ID = 200
_NOTHING = "{}"


class Asked(NamedTuple):
    """What is asked: whom, and for how many tokens at most."""

    model: str
    limit: int


class _Block:
    """One block of an answer, as far as it has come: words, or a call."""

    def __init__(self, call_id: str | None, name: str) -> None:
        self.call_id = call_id
        self.name = name
        self.parts: list[str] = []


class Heard:
    """What came of one answer up to now; its words go to `hear` at once."""

    def __init__(self, asked: Asked, hear: Hear) -> None:
        self.began = False
        self.over = False
        self.model = ""
        self._asked = asked
        self._hear = hear
        self._blocks: dict[object, _Block] = {}
        self._counts: dict[str, object] = {}
        self._stop: object = None

    @property
    def text(self) -> str:
        """Its words."""
        return "".join(
            part
            for block in self._blocks.values()
            if block.call_id is None
            for part in block.parts
        )

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """What it asks for."""
        return tuple(
            ToolCall(block.call_id, block.name, _given("".join(block.parts)))
            for block in self._blocks.values()
            if block.call_id is not None
        )

    @property
    def usage(self) -> Usage | None:
        """The tokens that were counted, where they were told."""
        return usage_of(self._counts)

    @property
    def cut(self) -> bool:
        """Say whether it ended because no more tokens were to be had."""
        return self._stop == _CUT or (self._stop == _FULL and bool(self.text))

    @property
    def problem(self) -> ModelError | None:
        """What makes an answer that is over no use."""
        if self._stop == _CALLS:
            return None if self.calls else ModelReplyError(reason="it asks for nothing")
        return None if self.cut else problem_of_stop(self._stop, self._asked.limit)

    def take(self, kind: str, data: str) -> Failure | None:
        """Take the next event; give what makes the answer fail."""
        try:
            event = parse_json(data.encode("utf-8", "replace"), name=_NAME)
        except InputJsonError:
            event = None
        if not isinstance(event, dict):
            return _unreadable("an event of it is not JSON")
        if kind == "error":
            told = _fields(event.get("error"))
            return failure_of_event(
                str(told.get("type")), str(told.get("message")), self._asked.model
            )
        read = {
            "message_start": self._start,
            "content_block_start": self._begin_block,
            "content_block_delta": self._go_on,
            "message_delta": self._turn,
            "message_stop": self._end,
        }.get(kind)
        return None if read is None else read(event)

    def _start(self, event: Mapping[str, object]) -> None:
        message = _fields(event.get("message"))
        self.began = True
        self.model = model_of(message.get("model"))
        self._count(message.get("usage"))

    def _begin_block(self, event: Mapping[str, object]) -> Failure | None:
        block = _fields(event.get("content_block"))
        call_id, name = block.get("id"), block.get("name")
        if block.get("type") == "text":
            self._blocks[event.get("index")] = _Block(None, "")
            return self._add(event, block.get("text"))
        if block.get("type") != _CALLS:
            return None  # what it thinks, or a kind that we do not ask for
        if not (isinstance(call_id, str) and isinstance(name, str)):
            return _unreadable("it asks for something without a name")
        if len(call_id) > _LONGEST_ID or len(name) > _LONGEST_ID:
            return _unreadable("it asks for something of a name too long")
        self._blocks[event.get("index")] = _Block(call_id, name)
        return None

    def _go_on(self, event: Mapping[str, object]) -> Failure | None:
        delta = _fields(event.get("delta"))
        if event.get("index") not in self._blocks:
            return None
        if delta.get("type") == "text_delta":
            return self._add(event, delta.get("text"))
        if delta.get("type") == "input_json_delta":
            return self._add(event, delta.get("partial_json"))
        return None

    def _add(self, event: Mapping[str, object], words: object) -> Failure | None:
        if not isinstance(words, str):
            return _unreadable("a piece of it is no text")
        block = self._blocks[event.get("index")]
        block.parts.append(words)
        if block.call_id is None and words:
            self._hear(words)
        return None

    def _turn(self, event: Mapping[str, object]) -> None:
        self._stop = _fields(event.get("delta")).get("stop_reason")
        self._count(event.get("usage"))

    def _end(self, _: Mapping[str, object]) -> None:
        self.over = True

    def _count(self, counts: object) -> None:
        told = _fields(counts)
        self._counts |= {name: count for name, count in told.items() if count}


def _given(text: str) -> Mapping[str, object] | None:
    try:
        value = parse_json((text.strip() or _NOTHING).encode("utf-8"), name=_NAME)
    except InputJsonError:
        return None
    return value if isinstance(value, dict) else None


def _fields(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _unreadable(reason: str) -> Failure:
    return Failure(ModelReplyError(reason=reason), billed=True)
