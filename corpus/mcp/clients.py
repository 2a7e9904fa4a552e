"""What a person pastes into each AI client so that it starts our server.

Every client has a place and a form of its own. The words of the command are the same
but for how a client names its open folder and whether it shows structured results.
"""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

NAME = "project-corpus"
"""What the server is called in every client, unless a person names it otherwise."""

Form = Literal["json", "toml"]


class Client(NamedTuple):
    """One AI client: where it keeps its servers, and in what form.

    `write` and `command` take what the server is called and the words that start it.
    `folder` is what the client replaces by the folder that is open, None where it
    starts servers in that folder. `text_only` says that it shows no structured results.
    """

    title: str
    file: str
    form: Form
    write: Callable[[str, Sequence[str]], str]
    folder: str | None = None
    text_only: bool = False
    command: Callable[[str, Sequence[str]], Sequence[str]] | None = None


class Start(NamedTuple):
    """How a client starts the server.

    `program` are the words that start us; `root` is the project's folder, None for the
    folder that the client has open; `trust` is the grant, None for the usual place.
    """

    program: Sequence[str]
    root: str | None
    trust: str | None = None
    allow: Sequence[str] = ()
    name: str = NAME


class Problem(NamedTuple):
    """Why what is printed would not work at this moment."""

    code: str
    reasons: tuple[str, ...]
    hint: str


class Snippet(NamedTuple):
    """What to paste for one client, where, and the command that does the same."""

    client: str
    file: str
    format: Form
    snippet: str
    command: str | None
    problem: Problem | None = None

    def as_json(self) -> dict[str, object]:
        """Give the snippet as a JSON object."""
        problem = None if self.problem is None else self.problem._asdict()
        return {**self._asdict(), "problem": problem}


def snippet_for(name: str, start: Start) -> Snippet:
    """Write the snippet for the client called `name`."""
    client = CLIENTS[name]
    folder = client.folder if start.root is None else start.root
    words = [*start.program, "mcp"]
    words += [folder] if folder is not None else []
    words += ["--trust", start.trust] if start.trust is not None else []
    words += [part for capability in start.allow for part in ("--allow", capability)]
    words += ["--results", "text"] if client.text_only else []
    command = None
    if client.command is not None:
        command = shlex.join(client.command(start.name, words))
    text = client.write(start.name, words)
    return Snippet(name, client.file, client.form, text, command)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def _servers(name: str, words: Sequence[str]) -> str:
    started = {"command": words[0], "args": list(words[1:])}
    return _json({"mcpServers": {name: started}})


def _vscode(name: str, words: Sequence[str]) -> str:
    started = {"type": "stdio", "command": words[0], "args": list(words[1:])}
    return _json({"servers": {name: started}})


def _opencode(name: str, words: Sequence[str]) -> str:
    started = {"type": "local", "command": list(words), "enabled": True}
    return _json({"$schema": "https://opencode.ai/config.json", "mcp": {name: started}})


def _codex(name: str, words: Sequence[str]) -> str:
    args = ", ".join(map(_toml, words[1:]))
    return f"[mcp_servers.{name}]\ncommand = {_toml(words[0])}\nargs = [{args}]"


def _toml(text: str) -> str:
    # JSON's escapes are TOML's; the one character that only TOML forbids is DEL.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


CLIENTS: Mapping[str, Client] = {
    "claude-code": Client(
        "Claude Code",
        ".mcp.json in the project",
        "json",
        _servers,
        command=lambda name, words: [
            *("claude", "mcp", "add", "--scope", "local", "--transport", "stdio"),
            *(name, "--", *words),
        ],
    ),
    "codex": Client(
        "Codex CLI",
        "~/.codex/config.toml, or .codex/config.toml in a trusted project",
        "toml",
        _codex,
        command=lambda name, words: ["codex", "mcp", "add", name, "--", *words],
    ),
    "cursor": Client(
        "Cursor",
        ".cursor/mcp.json in the project",
        "json",
        _servers,
        folder="${workspaceFolder}",
    ),
    "vscode": Client(
        "VS Code",
        ".vscode/mcp.json in the project",
        "json",
        _vscode,
        folder="${workspaceFolder}",
    ),
    "gemini": Client(
        "Gemini CLI",
        ".gemini/settings.json in the project",
        "json",
        _servers,
        text_only=True,
    ),
    "opencode": Client(
        "opencode",
        "opencode.json in the project",
        "json",
        _opencode,
        text_only=True,
    ),
}
"""The clients we know, by the name `--client` takes."""
