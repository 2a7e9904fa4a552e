"""Transcripts for tests, made record by record in the shape the client writes them."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING

from agentctx.clients.claude_transcript import Reader, read_turns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from agentctx.clients.claude_transcript import Problems, Turn

    Record = dict[str, object]

REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected"
    " (eg. if it was a file edit, the new_string was NOT written to the file). "
)
REASON = REFUSED + "To tell you how to proceed, the user said:\n"
NOTE = (
    "\n\nNote: The user's next message may contain a correction or preference."
    " Pay close attention."
)


def user(content: object, **more: object) -> Record:
    """Give what a person or the client says; `more` are fields of the record."""
    return {
        "type": "user",
        "isSidechain": False,
        "timestamp": "2026-11-01T10:00:00.000Z",
        "cwd": "/work/gauge",
        "gitBranch": "main",
        "message": {"role": "user", "content": content},
        **more,
    }


def says(text: str, **more: object) -> Record:
    """Give a text that the agent shows."""
    return agent({"type": "text", "text": text}, **more)


def calls(name: str, key: str = "t1", **given: object) -> Record:
    """Give the use of a tool."""
    return agent({"type": "tool_use", "id": key, "name": name, "input": given})


def asks(asked: Mapping[str, object]) -> Record:
    """Give the use of the tool that asks the developer."""
    return agent(
        {"type": "tool_use", "id": "t1", "name": "AskUserQuestion", "input": asked}
    )


def agent(*blocks: Mapping[str, object], **more: object) -> Record:
    """Give one record of the agent."""
    message = {"id": "m1", "role": "assistant", "content": list(blocks)}
    return {"type": "assistant", "isSidechain": False, "message": message, **more}


def result(
    content: object, key: str = "t1", *, beside: str = "", **more: object
) -> Record:
    """Give the result of a tool; `error` in `more` says that it failed."""
    block = {"type": "tool_result", "tool_use_id": key, "content": content}
    if more.pop("error", False):
        block["is_error"] = True
    blocks: list[Record] = [block]
    if beside:
        blocks.append({"type": "text", "text": beside})
    return user(blocks, **more)


def queued(prompt: object, *, mode: str = "prompt", **more: object) -> Record:
    """Give what was typed while the agent worked."""
    attachment = {"type": "queued_command", "prompt": prompt, "commandMode": mode}
    return {"type": "attachment", "attachment": {**attachment, **more}}


def line(record: object) -> bytes:
    return json.dumps(record).encode() + b"\n"


def write(folder: Path, *records: object) -> str:
    """Write a transcript; bytes stand in it as they are."""
    path = folder / "session.jsonl"
    parts = [one if isinstance(one, bytes) else line(one) for one in records]
    path.write_bytes(b"".join(parts))
    return str(path)


def turns_of(folder: Path, *records: object) -> list[Turn]:
    return list(read_turns(write(folder, *records)))


def words_of(folder: Path, *records: object) -> list[str]:
    """Give what the developer said, turn by turn, without the turns where not."""
    turns = turns_of(folder, *records)
    return [turn.developer for turn in turns if turn.developer]


def read(path: str, start: int = 0) -> tuple[list[Turn], Problems]:
    reader = Reader(path, start=start)
    return list(reader), reader.problems


def assert_without_gap(turns: Sequence[Turn], start: int, end: int) -> None:
    """See that turns cover what they were read from, one after the other."""
    assert all(turn.start < turn.end for turn in turns)
    assert all(one.end == two.start for one, two in pairwise(turns))
    if turns:
        assert (turns[0].start, turns[-1].end) == (start, end)
    else:
        assert start == end
