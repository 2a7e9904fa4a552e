"""The protocol on two descriptors: any bytes in, nothing but JSON-RPC lines out.

A line that is no message is answered with an error and forgotten: bytes that are not
UTF-8, half a surrogate, a batch, nesting without end, a line longer than `LONGEST`.
When the client ends its side, what it has asked is answered first; when it no longer
reads, the server ends.
"""

from __future__ import annotations

import json
import os
import re
import select
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Literal, NamedTuple

import anyio
from anyio.to_thread import run_sync
from mcp.shared.message import SessionMessage
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from anyio.abc import ObjectReceiveStream, ObjectSendStream
    from mcp.types import JSONRPCMessage, RequestId

    Incoming = ObjectReceiveStream[SessionMessage | Exception]
    Outgoing = ObjectSendStream[SessionMessage]

LONGEST = 32 * 1024 * 1024
"""Bytes of one line: the largest content there may be, escaped, and room to spare."""

MOST_OPEN = 64
"""Requests that are open at once; the next one is not read before one is answered."""

LAST_ANSWERS = 60.0
"""Seconds that open requests have to be answered once the client ends its side."""

_CHUNK = 64 * 1024
_LONE = re.compile("[\ud800-\udfff]")

Taken = bytes | Literal["TOO LONG"]


@asynccontextmanager
async def connected(source: int, sink: int) -> AsyncIterator[tuple[Incoming, Outgoing]]:
    """Join two descriptors to the streams that a server runs on."""
    into, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, out = anyio.create_memory_object_stream[SessionMessage](0)
    wire = _Wire(source, sink)
    async with anyio.create_task_group() as group:

        async def give() -> None:
            if not await wire.give(out):
                group.cancel_scope.cancel()

        group.start_soon(wire.take, into, outgoing.clone())
        group.start_soon(give)
        async with incoming, outgoing:
            yield incoming, outgoing
        group.cancel_scope.deadline = anyio.current_time() + LAST_ANSWERS


class Lines:
    """Cuts what a descriptor gives into lines of at most `longest` bytes."""

    def __init__(self, source: int, longest: int = LONGEST) -> None:
        self._source = source
        self._longest = longest
        self._buffer = bytearray()
        self._searched = 0
        self._dropping = False

    def next(self) -> Taken | None:
        """Give a line that is there whole, without its end, or None."""
        end = self._buffer.find(b"\n", self._searched)
        if end < 0:
            self._searched = len(self._buffer)
            if self._searched > self._longest:
                self._dropping = True
            if self._dropping:
                self._forget(self._searched)
            return None
        line = bytes(self._buffer[:end])
        self._forget(end + 1)
        if self._dropping or len(line) > self._longest:
            self._dropping = False
            return "TOO LONG"
        return line

    def fill(self) -> bool:
        """Wait for more; False when there is no more to come."""
        while True:
            try:
                more = os.read(self._source, _CHUNK)
            except BlockingIOError:  # whoever started us shares a flag of the pipe
                select.select([self._source], [], [])
                continue
            except OSError:  # closed or gone
                return False
            self._buffer += more
            return bool(more)

    def rest(self) -> Taken:
        """Give what came after the last line end."""
        return "TOO LONG" if self._dropping else bytes(self._buffer)

    def _forget(self, count: int) -> None:
        del self._buffer[:count]
        self._searched = 0


class _Wire:
    """One connection, and which of its requests are open."""

    def __init__(self, source: int, sink: int) -> None:
        self._lines = Lines(source)
        self._sink = sink
        self._open: dict[tuple[type, RequestId], int] = {}
        self._settled = anyio.Event()

    async def take(
        self, into: ObjectSendStream[SessionMessage | Exception], answers: Outgoing
    ) -> None:
        """Read messages until the client ends its side and has its answers."""
        with suppress(anyio.BrokenResourceError):  # the server has ended
            await self._take_all(into, answers)

    async def _take_all(
        self, into: ObjectSendStream[SessionMessage | Exception], answers: Outgoing
    ) -> None:
        async with into, answers:
            more = True
            while more:
                taken = self._lines.next()
                if taken is None:
                    more = await run_sync(self._lines.fill, abandon_on_cancel=True)
                    taken = None if more else self._lines.rest()
                if taken is not None:
                    await self._deliver(taken, into, answers)
            with anyio.move_on_after(LAST_ANSWERS):
                await self._fewer_than(1)

    async def give(self, out: ObjectReceiveStream[SessionMessage]) -> bool:
        """Write messages until there are no more; False when nobody reads them."""
        async with out:
            async for item in out:
                try:
                    await run_sync(
                        _write, self._sink, _line(item.message), abandon_on_cancel=True
                    )
                except OSError:
                    return False
                if isinstance(item.message, JSONRPCResponse | JSONRPCError):
                    self._settle(item.message.id)
        return True

    async def _deliver(
        self,
        taken: Taken,
        into: ObjectSendStream[SessionMessage | Exception],
        answers: Outgoing,
    ) -> None:
        message = _message(taken)
        if message is None:
            return
        if isinstance(message, _Refused):
            await answers.send(SessionMessage(message.message()))
            return
        if isinstance(message, JSONRPCRequest):
            await self._fewer_than(MOST_OPEN)
            key = type(message.id), message.id
            self._open[key] = self._open.get(key, 0) + 1
        elif isinstance(message, JSONRPCNotification):
            self._cancel(message)
        await into.send(SessionMessage(message))

    def _cancel(self, message: JSONRPCNotification) -> None:
        """Expect no answer to a request that the client cancels."""
        named = (message.params or {}).get("requestId")
        if message.method == "notifications/cancelled" and isinstance(named, str | int):
            self._settle(named)
            self._settle(str(named) if isinstance(named, int) else _number(named))

    def _settle(self, named: RequestId | None) -> None:
        if named is None:
            return
        key = type(named), named
        count = self._open.pop(key, 0)
        if count > 1:
            self._open[key] = count - 1
        self._settled.set()

    async def _fewer_than(self, count: int) -> None:
        while sum(self._open.values()) >= count:
            self._settled = anyio.Event()
            await self._settled.wait()


class _Refused(NamedTuple):
    """What was no message, and why; `named` is its id where it has one to say back.

    `stated` says that it states an id, usable or not, so that somebody waits.
    """

    code: int
    text: str
    named: RequestId | None = None
    stated: bool = False

    def message(self) -> JSONRPCError:
        error = ErrorData(code=self.code, message=self.text)
        return JSONRPCError(jsonrpc="2.0", id=self.named, error=error)


def _message(taken: Taken) -> JSONRPCMessage | _Refused | None:
    """Read a line; None when it is blank."""
    if isinstance(taken, str):
        return _Refused(PARSE_ERROR, f"a line holds at most {LONGEST} bytes")
    if not taken.strip():
        return None
    try:
        message = jsonrpc_message_adapter.validate_json(taken, by_name=False)
    except (ValueError, RecursionError):
        return _refused(taken)
    if isinstance(message, JSONRPCNotification) and b'"id"' in taken:
        refused = _refused(taken)  # unless the word only stands inside
        return refused if refused.stated else message
    return message


def _refused(line: bytes) -> _Refused:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return _Refused(PARSE_ERROR, "the line is not JSON that can be read")
    given = value if isinstance(value, dict) else {}
    return _Refused(
        INVALID_REQUEST,
        "the line is not one JSON-RPC 2.0 message",
        _usable(given.get("id")),
        "id" in given,
    )


def _usable(named: object) -> RequestId | None:
    """Give an id that can be said back, else None."""
    if isinstance(named, str):
        return named if named.isascii() or not _LONE.search(named) else None
    return named if isinstance(named, int) and not isinstance(named, bool) else None


def _line(message: JSONRPCMessage) -> bytes:
    """Write a message as one line of UTF-8, whatever is in it."""
    try:
        text = message.model_dump_json(by_alias=True, exclude_unset=True)
        return f"{text}\n".encode()
    except (ValueError, RecursionError):  # half a surrogate, or depth
        named = _usable(getattr(message, "id", None))
        refused = _Refused(INTERNAL_ERROR, "the answer cannot be written", named)
        return f"{refused.message().model_dump_json(by_alias=True)}\n".encode()


def _write(sink: int, line: bytes) -> None:
    rest = memoryview(line)
    while rest:
        try:
            rest = rest[os.write(sink, rest) :]
        except BlockingIOError:
            select.select([], [sink], [])


def _number(text: str) -> int | None:
    """Give the number that an id stands for when a client writes it as text."""
    return int(text) if re.fullmatch(r"-?[0-9]{1,18}", text) else None
