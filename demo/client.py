"""Claude Code, played: it runs the hooks that are in its settings, and nothing else.

A hook is a process with one JSON object as its input. What it prints is added to what
the agent is told.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from demo.stage import require, say

if TYPE_CHECKING:
    from demo.stage import Desk

SETTINGS = Path(".claude") / "settings.json"


def install(home: Path) -> None:
    """Let there be a client that `agentctx init` finds."""
    (home / SETTINGS).parent.mkdir()


class Session:
    """One session in somebody's project, and the transcript the client keeps of it."""

    def __init__(self, desk: Desk, name: str) -> None:
        self.desk = desk
        self.name = name
        home = Path(desk.env["HOME"])
        settings = json.loads((home / SETTINGS).read_text(encoding="utf-8"))
        self.hooks: dict[str, Any] = settings["hooks"]
        folder = home / ".claude" / "projects" / str(desk.root).replace("/", "-")
        folder.mkdir(parents=True, exist_ok=True)
        self.transcript = folder / f"{name}.jsonl"
        self.lines = 0

    def start(self) -> str:
        """Begin; give what the agent is told."""
        say(f"{self.desk.person.title()} begins a session ({self.name}).")
        return self._tell("SessionStart", source="startup", model="claude-opus-4-8")

    def ask(self, prompt: str, answer: str = "") -> str:
        """Say something, and be answered; give what the agent is told with it."""
        say(f"{self.desk.person.title()} says: {prompt}")
        told = self._tell("UserPromptSubmit", prompt=prompt)
        if answer:
            say(f"The agent says: {answer}\n")
            self._note("user", prompt)
            self._note("assistant", [{"type": "text", "text": answer}])
            ended = {"stop_hook_active": False, "last_assistant_message": answer}
            self._run("Stop", **ended)
        return told

    def end(self) -> None:
        """End; what waits is done in the background."""
        self._run("SessionEnd", reason="prompt_input_exit")

    def _tell(self, event: str, **more: object) -> str:
        """Run the hooks of an event, and show what they add."""
        printed = self._run(event, **more)
        told = ""
        if printed:
            added = json.loads(printed)["hookSpecificOutput"]
            require(added["hookEventName"] == event, f"{event} is answered as such")
            told = added["additionalContext"]
        say(f"The hook {event} tells the agent{':' if told else ' nothing.'}")
        for line in told.splitlines():
            say(f"    {line}")
        say()
        return told

    def _run(self, event: str, **more: object) -> str:
        payload = {
            "session_id": self.name,
            "transcript_path": str(self.transcript),
            "cwd": str(self.desk.root),
            "permission_mode": "default",
            "hook_event_name": event,
            **more,
        }
        printed = ""
        for group in self.hooks[event]:
            for hook in group["hooks"]:
                done = subprocess.run(  # noqa: S602 - as the client does
                    hook["command"],
                    shell=True,
                    cwd=self.desk.root,
                    env=self.desk.env,
                    input=json.dumps(payload),
                    capture_output=True,
                    encoding="utf-8",
                    check=False,
                )
                require(done.returncode == 0, f"the hook {event} succeeds")
                printed += done.stdout
        return printed

    def _note(self, role: str, content: object) -> None:
        self.lines += 1
        line = {
            "type": role,
            "uuid": f"{self.name}-{self.lines}",
            "parentUuid": None,
            "sessionId": self.name,
            "cwd": str(self.desk.root),
            "isSidechain": False,
            "userType": "external",
            "timestamp": f"2026-03-31T09:00:{self.lines:02}.000Z",
            "message": {"role": role, "content": content},
        }
        with self.transcript.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
