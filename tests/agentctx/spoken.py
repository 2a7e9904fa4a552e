"""Transcripts as Claude Code writes them, made line by line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class Transcript:
    """A session's file that grows as the session goes on."""

    def __init__(self, path: Path, cwd: Path, session: str = "s") -> None:
        self.path = path
        self.cwd = cwd
        self.session = session
        self.number = 0

    def says(self, text: str, **more: object) -> Transcript:
        """Let the developer say something."""
        return self._line("user", {"role": "user", "content": text}, **more)

    def answers(self, text: str, tools: Sequence[dict[str, object]] = ()) -> Transcript:
        """Let the agent answer, and use tools."""
        content: list[dict[str, object]] = [{"type": "text", "text": text}]
        content += [
            {"type": "tool_use", "id": f"t{self.number}-{place}", **tool}
            for place, tool in enumerate(tools)
        ]
        return self._line("assistant", {"role": "assistant", "content": content})

    def turn(self, said: str, answered: str = "Done.") -> Transcript:
        """Let one say something and the other answer."""
        return self.says(said).answers(answered)

    def raw(self, line: str) -> Transcript:
        """Add a line as it is."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")
        return self

    def _line(
        self, kind: str, message: dict[str, object], **more: object
    ) -> Transcript:
        self.number += 1
        value = {
            "type": kind,
            "uuid": f"{self.session}-{self.number:06}",
            "parentUuid": None,
            "sessionId": self.session,
            "cwd": str(self.cwd),
            "gitBranch": "main",
            "version": "2.1.240",
            "isSidechain": False,
            "userType": "external",
            "timestamp": f"2026-01-10T12:00:{self.number % 60:02}.000Z",
            "message": message,
            **more,
        }
        return self.raw(json.dumps(value, ensure_ascii=False))


def transcript(folder: Path, cwd: Path, session: str = "s") -> Transcript:
    """Begin a transcript in a folder."""
    return Transcript(folder / f"{session}.jsonl", cwd, session)
