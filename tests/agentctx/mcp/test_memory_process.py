"""The server of memory as a process: sessions from the environment, both eras."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from agentctx.mcp.memoryserver import INSTRUCTIONS
from tests.agentctx.mcp.remembering import (
    SESSION,
    clients_memory,
    prompt,
    remember,
)
from tests.agentctx.mcp.serving import command_at
from tests.agentctx.memory.recalled import item
from tests.mcp.serving import said, started
from tests.mcp.wires import Hands
from tests.recorded import START, Ticking

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mcp.client.client import Client

WALRUS = item(1, "walrus", "The walrus sleeps.")
SEARCH = {"name": "memory_search", "arguments": {"query": "walrus"}}


@pytest.fixture
def env(program_env: dict[str, str], store_home: Path) -> dict[str, str]:
    """Give the environment of a client that names no project and no session."""
    known = {**program_env, "AGENTCTX_HOME": str(store_home)}
    return {key: value for key, value in known.items() if "CLAUDE" not in key}


def words_at(project: Path, *options: str) -> Sequence[str]:
    *words, last = command_at(project)
    return [*words, "memory", last, *options]


@pytest.mark.requirement("A5.4", "H2", "H3")
def test_a_client_starts_the_command_and_what_it_spends_outlives_the_process(
    project: Path, env: dict[str, str]
) -> None:
    with clients_memory(project, Ticking(START.replace(year=2090))) as memory:
        remember(memory, [WALRUS])
        prompt(memory, "What sleeps?")

        async def act(client: Client) -> Any:  # noqa: ANN401 - what a test looks at
            answers = [
                said(await client.call_tool("memory_search", {"query": text}))
                for text in ("walrus", "seal", "bear", "WALRUS")
            ]
            answers.append(
                said(await client.call_tool("memory_read", {"id": WALRUS.id}))
            )
            return answers, client.instructions

        env = {**env, "CLAUDE_CODE_SESSION_ID": SESSION}
        (*searched, read), instructions = started(
            words_at(project), act, env=env, cwd=project
        )
    assert [len(one.value["results"]) for one in searched] == [1, 0, 0, 1]
    assert "> The walrus sleeps." in read.value["text"]
    assert instructions == INSTRUCTIONS

    async def again(client: Client) -> Any:  # noqa: ANN401 - the same
        return [
            said(await client.call_tool("memory_search", {"query": text}))
            for text in ("bear", "fox", "lynx")
        ]

    words = words_at(project, "--session", SESSION)
    free, last, refused = started(words, again, env=env, cwd=project, era="2026-07-28")
    assert not free.failed
    assert not last.failed
    assert refused.code == "RECALL_QUOTA"


@pytest.mark.requirement("A5.3", "A5.4", "H3")
def test_a_server_without_memory_or_session_answers_and_ends_with_its_client(
    project: Path, env: dict[str, str]
) -> None:
    with Hands(words_at(project, "--results", "text"), env) as hands:
        hands.begin()
        first = hands.ask("tools/call", SEARCH, named=1)["result"]
        with clients_memory(project, Ticking()) as memory:
            prompt(memory, "here")
            second = hands.ask("tools/call", SEARCH, named=2)["result"]
        params = {"name": "ctx_search", "arguments": {"query": "walrus"}}
        assert hands.ask("tools/call", params, named=3)["error"]["code"] == -32602
        ended = hands.end()
    assert json.loads(first["content"][0]["text"])["degraded"] == "MEMORY_ABSENT"
    assert json.loads(second["content"][0]["text"])["code"] == "SESSION_UNBOUND"
    assert (ended.status, ended.err) == (0, "")
