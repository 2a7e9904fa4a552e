"""A recording in a model's place: a server on this machine that answers from a script.

It speaks the messages API as far as the worker needs it. What it "understands" stands
in `recording.json`; only the ids that a question names are put in. An item about the
same subject as one that is believed already supersedes it.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

SCRIPT = Path(__file__).with_name("recording.json")
NOT_PART_OF_THE_MEANING = ("id", "thread_id", "sources")


class Recording:
    """The server; a context manager."""

    def __init__(self) -> None:
        self.script: Mapping[str, Any] = json.loads(SCRIPT.read_text(encoding="utf-8"))
        self.asked = 0
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.recording = self
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}
        )

    @property
    def url(self) -> str:
        """Give the address on this machine."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def answer(self, question: str) -> Mapping[str, object]:
        """Answer one question as the script says."""
        self.asked += 1
        if not question.startswith("{"):  # a session's text, not memory's JSON
            answer: Mapping[str, object] = self.script["session"]
            return answer
        asked = json.loads(question)
        if "turns" in asked:
            return self._extracted(asked["turns"])
        return {"operations": [_operation(one, asked) for one in asked["candidates"]]}

    def _extracted(self, turns: list[dict[str, Any]]) -> Mapping[str, object]:
        found = [
            {**known["meaning"], "sources": [_source(turn, known["words"])]}
            for turn in turns
            for known in self.script["turns"]
            if known["words"] in turn["user"]
        ]
        return {"thread_compaction": self.script["compaction"], "candidates": found}


def _source(turn: Mapping[str, Any], words: str) -> dict[str, object]:
    return {"turn_id": turn["turn_id"], "role": "user", "quote": words}


def _operation(
    candidate: Mapping[str, Any], asked: Mapping[str, Any]
) -> dict[str, object]:
    """Create an item of a candidate, or supersede the one about its subject."""
    about = [
        item["id"]
        for item in asked["active_items"]
        if item["subject"] == candidate["subject"]
    ]
    meaning = {
        name: value
        for name, value in candidate.items()
        if name not in NOT_PART_OF_THE_MEANING
    }
    return {
        "operation": "supersede" if about else "create",
        "candidate_ids": [candidate["id"]],
        "target_id": about[0] if about else None,
        **meaning,
    }


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    recording: Recording


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        size = int(self.headers["content-length"])
        asked = json.loads(self.rfile.read(size))
        question = "\n".join(_texts(turn["content"]) for turn in asked["messages"])
        text = json.dumps(self.server.recording.answer(question))
        usage = {"input_tokens": size // 4, "output_tokens": len(text) // 4}
        message = {
            "id": "msg_recorded",
            "type": "message",
            "role": "assistant",
            "model": asked["model"],
            "content": [{"type": "text", "text": text}],
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": usage,
        }
        content = json.dumps(message).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _texts(content: str | list[dict[str, str]]) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(block.get("text", "") for block in content)
