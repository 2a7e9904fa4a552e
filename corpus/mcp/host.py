"""Serve tools over MCP on stdio, in both eras of the protocol.

Tools run one after another in a worker thread. Every failure is a result with a code
that a model can act on. What nobody expected is told on stderr by its kind and place,
and the server lives.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import anyio
from anyio.to_thread import run_sync
from mcp import types
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from corpus import __version__
from corpus.defect import place_of
from corpus.errors import BugError, CodedError, OutputError
from corpus.mcp.arguments import DEEPEST, shown
from corpus.mcp.wire import connected

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping

    from mcp.server.context import ServerRequestContext

    from corpus.mcp.offer import Answer, Offered

    Context = ServerRequestContext[Any]

Results = Literal["structured", "text"]

ELSEWHERE = "the result is in structuredContent; a client that shows only text needs \
the server started with --results text"

_LONE = re.compile("[\ud800-\udfff]")


class Serving(NamedTuple):
    """One server: what it is called, what it offers, and how it answers.

    `names` are all its tools; `offered` gives those that may be called now. `call`
    runs one by its name and raises CodedError, which `failure` makes a value of.
    `meet` is awaited before a call, to ask the client for something. `terse` leaves
    out of the annotations what repeats the title or is implied.
    """

    name: str
    title: str
    instructions: str
    names: Collection[str]
    offered: Callable[[], Collection[Offered]]
    call: Callable[[str, Mapping[str, Any]], Answer]
    failure: Callable[[CodedError], dict[str, object]]
    meet: Callable[[Context], Awaitable[None]] | None = None
    terse: bool = False


def serve(serving: Serving, results: Results) -> None:
    """Serve on standard input and output until the client ends or a signal comes.

    A call that has begun is finished first. Raises `OutputError` when there is no
    standard output, and KeyboardInterrupt once Ctrl-C has ended it. A person who starts
    it by hand is told what it waits for.
    """
    server = make_server(serving, results)
    if os.isatty(0):
        tell(serving.name, "serving MCP on stdin and stdout; waiting for a client")
    with _standard_output() as sink, _same_interrupt():
        interrupted = anyio.run(_until_ended, server, sink)
    if interrupted:
        raise KeyboardInterrupt


def make_server(serving: Serving, results: Results) -> Server[Any]:
    """Make the server; tools run one after another in a worker thread."""
    one_at_a_time = anyio.CapacityLimiter(1)

    async def list_tools(
        context: Context, asked: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        del context
        if asked is not None and asked.cursor is not None:
            raise MCPError(code=types.INVALID_PARAMS, message="there is one page")
        listed = await run_sync(_listed, serving, results, limiter=one_at_a_time)
        return types.ListToolsResult(tools=listed)

    async def call_tool(
        context: Context, asked: types.CallToolRequestParams
    ) -> types.CallToolResult:
        if asked.name not in serving.names:
            raise MCPError(
                code=types.INVALID_PARAMS,
                message=f"there is no tool `{shown(asked.name)}`",
            )
        if serving.meet is not None:
            await serving.meet(context)
        call = partial(_call, serving, asked.name, asked.arguments or {}, results)
        return await run_sync(call, limiter=one_at_a_time)

    return Server(
        serving.name,
        version=__version__,
        title=serving.title,
        instructions=serving.instructions,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def tell(name: str, text: str) -> None:
    """Tell the person who started a server something, on stderr."""
    with suppress(OSError, ValueError, AttributeError):  # nobody listens
        sys.stderr.write(f"{name} mcp: {text}\n")
        sys.stderr.flush()


def _listed(serving: Serving, results: Results) -> list[types.Tool]:
    """Describe what is offered now; nothing is, where that cannot be found out."""
    try:
        return [_described(serving, tool, results) for tool in serving.offered()]
    except CodedError as error:
        tell(serving.name, f"no tools are listed: {error.code}")
    except Exception as error:  # noqa: BLE001 - a server outlives its defects
        _tell_bug(serving, error)
    return []


def _described(serving: Serving, tool: Offered, results: Results) -> types.Tool:
    effect = tool.effect
    hints: dict[str, Any] = {
        "read_only_hint": effect.read_only,
        "open_world_hint": False,
    }
    if not (serving.terse and effect.read_only):
        hints["destructive_hint"] = effect.destructive
        hints["idempotent_hint"] = effect.idempotent
    if not serving.terse:
        hints["title"] = tool.title
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=dict(tool.takes),
        output_schema=dict(tool.output_schema()) if results == "structured" else None,
        annotations=types.ToolAnnotations(**hints),
    )


def _call(
    serving: Serving, name: str, given: Mapping[str, Any], results: Results
) -> types.CallToolResult:
    """Run one tool; whatever happens is a result."""
    try:
        answer = serving.call(name, given)
        value = _sayable(answer.value)
    except CodedError as error:
        return _failed(serving, error)
    except Exception as error:  # noqa: BLE001 - a server outlives its defects
        _tell_bug(serving, error)
        return _failed(serving, BugError(kind="defect", place="the server"))
    if results == "text":
        return _result(_text(value))
    return _result(f"{answer.line} ({ELSEWHERE})", value)


def _failed(serving: Serving, error: CodedError) -> types.CallToolResult:
    """Give a failure as text alone, for it does not fit the tool's output schema."""
    value = _sayable(serving.failure(error))
    return types.CallToolResult(content=_content(_text(value)), is_error=True)


def _result(text: str, value: object = None) -> types.CallToolResult:
    if value is None:
        return types.CallToolResult(content=_content(text))
    return types.CallToolResult(content=_content(text), structured_content=value)


def _content(text: str) -> list[types.ContentBlock]:
    return [types.TextContent(type="text", text=text)]


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _sayable(value: Any, depth: int = 0) -> Any:  # noqa: ANN401 - part of a result
    """Replace what UTF-8 cannot carry; refuse what is too deep to be written."""
    if depth > DEEPEST:
        raise RecursionError
    if isinstance(value, str):
        return value if value.isascii() else _LONE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_sayable(k): _sayable(part, depth + 1) for k, part in value.items()}
    if isinstance(value, list | tuple):
        return [_sayable(part, depth + 1) for part in value]
    return value


async def _until_ended(server: Server[Any], sink: int) -> bool:
    """Serve; say whether it was Ctrl-C that ended it."""
    came: list[signal.Signals] = []
    async with anyio.create_task_group() as group:
        group.start_soon(_watch_for_the_end, group.cancel_scope, came)
        async with connected(0, sink) as (incoming, outgoing):
            options = server.create_initialization_options()
            await server.run(incoming, outgoing, options)
        group.cancel_scope.cancel()
    return signal.SIGINT in came


async def _watch_for_the_end(
    scope: anyio.CancelScope, came: list[signal.Signals]
) -> None:
    """End at a signal as at the client's end: what is being written is finished.

    Ctrl-C is taken here too: raised in the middle of whatever runs it would tear that
    apart. Who was started with it ignored goes on ignoring it.
    """
    if os.name == "nt":
        return
    wanted = [signal.SIGTERM]
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        wanted.append(signal.SIGINT)
    with anyio.open_signal_receiver(*wanted) as signals:
        async for number in signals:
            came.append(number)
            scope.cancel()


@contextmanager
def _same_interrupt() -> Iterator[None]:
    """Put back what Ctrl-C did before, which a loop of events does not."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if before is not None:
            signal.signal(signal.SIGINT, before)


@contextmanager
def _standard_output() -> Iterator[int]:
    """Keep standard output for the protocol; what is printed goes to stderr."""
    try:
        sink = os.dup(1)
    except OSError:
        raise OutputError(reason="standard output is closed") from None
    with suppress(OSError):  # stderr is closed: then there is nothing to divert to
        os.dup2(2, 1)
    try:
        yield sink
    finally:
        os.dup2(sink, 1)
        os.close(sink)


def _tell_bug(serving: Serving, error: Exception) -> None:
    tell(serving.name, f"unexpected {type(error).__name__} at {place_of(error)}")
