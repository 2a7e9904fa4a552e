"""A corpus that is served, and a real client that talks to its server.

In process the client meets the server's own object; out of process it starts the
command, as a person's client does. Either speaks the era it is told to.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import anyio
from jsonschema import Draft202012Validator
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

from corpus.authority import RUNTIME_HARD_LIMITS, Session
from corpus.mcp.desk import TRANSPORT, Desk, Place
from corpus.mcp.server import make_server
from tests.corpora import dirs_of, task_page
from tests.trusted import MOMENT, counted, grant_file, write_trusted

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from pathlib import Path

    from mcp.server.lowlevel import Server
    from mcp.types import CallToolResult, Tool

    from corpus.mcp.host import Results
    from corpus.mcp.table import Tool as Row

ERAS = ("legacy", "2026-07-28")
"""The handshake era, and the one in which every request stands for itself."""

START = "from corpus.cli.app import run; run()"


class Said(NamedTuple):
    """What a tool answered: its value, and the text beside it."""

    failed: bool
    value: Any
    text: str

    @property
    def code(self) -> str:
        """The code of a failure."""
        assert self.failed, self
        found: str = self.value.get("code") or self.value["error"]
        return found


def desk_of(
    root: Path,
    *,
    asked: frozenset[str] | None = None,
    hard_limits: frozenset[str] = RUNTIME_HARD_LIMITS,
    grant: Path | None = None,
) -> Desk:
    """Give the desk of a server for a corpus that `write_trusted` wrote."""
    return Desk(
        Place(
            root=root,
            grant=grant or grant_file(root),
            session=Session(TRANSPORT, asked, hard_limits),
            dirs=dirs_of(root),
            clock=lambda: MOMENT,
            random=counted(),
        )
    )


def call(
    desk: Desk,
    tool: str,
    arguments: Mapping[str, Any] | None = None,
    *,
    era: str = "legacy",
    results: Results = "structured",
) -> Said:
    """Call one tool of a server in this process."""

    async def ask(client: Client) -> CallToolResult:
        return await client.call_tool(tool, dict(arguments or {}))

    return said(talk(desk, ask, era=era, results=results))


def listed(
    desk: Desk, *, era: str = "legacy", results: Results = "structured"
) -> dict[str, Tool]:
    """List the tools of a server in this process, by name."""

    async def ask(client: Client) -> Sequence[Tool]:
        return (await client.list_tools()).tools

    return {tool.name: tool for tool in talk(desk, ask, era=era, results=results)}


def talk(
    desk: Desk,
    act: Callable[[Client], Awaitable[Any]],
    *,
    era: str = "legacy",
    results: Results = "structured",
) -> Any:  # noqa: ANN401 - whatever the act gives
    """Let a client act on a server in this process."""
    return met(make_server(desk, results), act, era=era)


def met(
    server: Server[Any],
    act: Callable[[Client], Awaitable[Any]],
    *,
    era: str,
    **options: Any,  # noqa: ANN401 - what the client offers
) -> Any:  # noqa: ANN401 - whatever the act gives
    """Let a client act on any server's own object."""

    async def meet() -> Any:  # noqa: ANN401 - whatever the act gives
        async with Client(server, mode=era, **options) as client:
            return await act(client)

    return anyio.run(meet)


def started(
    words: Sequence[str],
    act: Callable[[Client], Awaitable[Any]],
    *,
    env: Mapping[str, str],
    cwd: Path,
    era: str = "auto",
    **options: Any,  # noqa: ANN401 - what the client offers
) -> Any:  # noqa: ANN401 - whatever the act gives
    """Start a server by its command, and let a client act on it."""

    async def meet() -> Any:  # noqa: ANN401 - whatever the act gives
        parameters = StdioServerParameters(
            command=words[0], args=list(words[1:]), env=dict(env), cwd=cwd
        )
        async with Client(parameters, mode=era, **options) as client:
            return await act(client)

    return anyio.run(meet)


def command_of(root: Path, *options: str) -> list[str]:
    """Give the words that serve a corpus under its test's grant."""
    trust = ["--trust", str(grant_file(root))]
    return [
        sys.executable,
        "-W",
        "error",
        "-c",
        START,
        "mcp",
        str(root),
        *trust,
        *options,
    ]


def said(result: CallToolResult) -> Said:
    """Take an answer apart; where it has a structure, that is the value."""
    (content,) = result.content
    assert content.type == "text"
    failed = bool(result.is_error)
    if result.structured_content is not None:
        return Said(failed, result.structured_content, content.text)
    return Said(failed, json.loads(content.text), content.text)


def served_corpus(root: Path) -> Path:
    """Write a corpus with tasks, reports and history, all of it granted."""
    return write_trusted(
        root,
        tasks={
            "task-one": task_page("task-one", status="ACTIVE"),
            "task-two": task_page(
                "task-two", objective="Heat the gauge on the ridge in winter."
            ),
        },
    )


def problems(tool: Row, value: object) -> list[str]:
    """Say where a result fits neither its format nor the shape that is told."""
    whole, told = tool.result_schema(), tool.output_schema()
    found = [*Draft202012Validator(whole).iter_errors(value)]
    found += Draft202012Validator(told).iter_errors(value)
    return [error.message for error in found]


def failures(desk: Desk) -> list[str]:
    """Give the codes of what the doctor finds broken."""
    issues = call(desk, "corpus.context_doctor").value["issues"]
    return [one["code"] for one in issues if one["severity"] == "FAIL"]
