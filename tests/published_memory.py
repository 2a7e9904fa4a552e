"""The worked examples of memory: what Ana said on the day of the other examples.

One turn is remembered, another meets a service that refuses it, and a third waits.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentctx.chat.voice import Answered
from agentctx.cli import (
    memory_export,
    memory_flush,
    memory_list,
    memory_new,
    memory_on,
    memory_show,
    memory_status,
)
from agentctx.cli.chat_voice import JsonVoice
from agentctx.memory import Memory
from agentctx.memory.store import RandomIds
from corpus.cli.render import Screen
from tests.agentctx.llm.fakeapi import FakeApi, Says, fails

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.agentctx.llm.fakeapi import Asked
    from tests.published_agentctx import Desk

USAGE = {
    "input_tokens": 1_900,
    "output_tokens": 120,
    "cache_read_input_tokens": 0,
    "cache_creation_input_tokens": 0,
}
SAID = "From now on write every timeout in seconds."
STATEMENT = "Write every timeout in seconds."


def memory_told(desk: Desk) -> Iterator[tuple[str, object]]:
    """Tell what becomes of three turns, with an example wherever one comes up."""
    desk.asked(memory_on)
    with FakeApi(remembering) as api:
        desk.let_ask(api)
        say(desk, SAID, "Every new timeout will be in seconds.")
        desk.asked(memory_flush, deadline=300.0)
    with FakeApi([fails(403)]) as api:
        desk.let_ask(api)
        say(desk, "How long is the latch open?", "Five seconds.")
        yield "memory-flush", desk.asked(memory_flush, deadline=300.0)
    desk.let_nobody_ask()
    say(desk, "Shall we keep the old bench?", "As you like.")
    yield "memory-status", desk.asked(memory_status)
    listed: Any = desk.asked(memory_list, all=False)
    yield "memory-list", listed
    item = listed["items"][0]["id"]
    yield "memory-show", desk.asked(memory_show, id=item[:14])
    yield "memory-new", desk.asked(memory_new, wait=0.0)
    written: Any = desk.asked(memory_export, out=str(desk.user / "memory.json"))
    path = desk.user / Path(written["path"]).name
    yield "memory-export", json.loads(path.read_bytes())
    yield "chat-event", answered(desk)


def answered(desk: Desk) -> object:
    """Give an answer of a chat as it is written for a program."""
    out = io.StringIO()
    turn_id = RandomIds(desk.random).new("turn")
    said = Answered("completed", "Every new timeout will be in seconds.", turn_id)
    JsonVoice(Screen(out, None)).answered(said)
    return json.loads(out.getvalue())


def say(desk: Desk, text: str, answer: str) -> None:
    """Say something in a session, and be answered."""
    desk.pass_time()
    with Memory.open(
        str(desk.root),
        clock=desk.clock,
        ids=RandomIds(desk.random),
        owner="session",
    ) as memory:
        turn = memory.begin_turn("session-8", "ordinary", "chat", text)
        desk.pass_time()
        memory.complete_turn(turn, answer)


def remembering(asked: Asked) -> Says:
    """Find the wish in what was said, then believe it."""
    given = json.loads(asked.text)
    if "turns" in given:
        (turn,) = given["turns"]
        found = {**wish(), "sources": [source(turn["turn_id"])]}
        talk = "Timeouts are written in seconds."
        return Says({"thread_compaction": talk, "candidates": [found]}, usage=USAGE)
    (candidate,) = given["candidates"]
    operation = {
        "operation": "create",
        "candidate_ids": [candidate["id"]],
        "target_id": None,
        **wish(),
    }
    return Says({"operations": [operation]}, usage=USAGE)


def wish() -> dict[str, object]:
    """Give the preference as a model words it."""
    return {
        "kind": "user_preference",
        "subject": "Timeouts in seconds",
        "statement": STATEMENT,
        "content": STATEMENT,
        "strength": "hard",
        "origin": "explicit",
        "recall_mode": "on_match",
        "applies_to_paths": [],
        "aliases": ["unit of timeouts"],
        "keywords": ["timeout", "seconds"],
    }


def source(turn_id: str) -> dict[str, object]:
    """Give the words that it stands on."""
    return {"turn_id": turn_id, "role": "user", "quote": SAID}
