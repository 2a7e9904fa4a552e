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
"""What the server is called in every client."""

Form = Literal["json", "toml"]


class Client(NamedTuple):
    """One AI client: where it keeps its servers, and in what form.

    `folder` is what the client replaces by the folder that is open, None where it
    starts servers in that folder. `text_only` says that it shows no structured results.
    """

    title: str
    file: str
    form: Form
    write: Callable[[Sequence[str]], str]
    folder: str | None = None
    text_only: bool = False
    command: Callable[[Sequence[str]], Sequence[str]] | None = None


class Snippet(NamedTuple):
    """What to paste for one client, where, and the command that does the same."""

    client: str
    file: str
    format: Form
    snippet: str
    command: str | None

    def as_json(self) -> dict[str, object]:
        """Give the snippet as a JSON object."""
        return self._asdict()


def snippet_for(
    name: str,
    program: Sequence[str],
    *,
    root: str | None,
    allow: Sequence[str],
) -> Snippet:
    """Write the snippet for the client called `name`.

    `program` are the words that start us; `root` is the project's folder, None for the
    folder that the client has open.
    """
    client = CLIENTS[name]
    folder = client.folder if root is None else root
    words = [*program, "mcp"]
    words += [folder] if folder is not None else []
    words += [part for capability in allow for part in ("--allow", capability)]
    words += ["--results", "text"] if client.text_only else []
    command = None if client.command is None else shlex.join(client.command(words))
    return Snippet(name, client.file, client.form, client.write(words), command)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def _servers(words: Sequence[str]) -> str:
    started = {"command": words[0], "args": list(words[1:])}
    return _json({"mcpServers": {NAME: started}})


def _vscode(words: Sequence[str]) -> str:
    started = {"type": "stdio", "command": words[0], "args": list(words[1:])}
    return _json({"servers": {NAME: started}})


def _opencode(words: Sequence[str]) -> str:
    started = {"type": "local", "command": list(words), "enabled": True}
    return _json({"$schema": "https://opencode.ai/config.json", "mcp": {NAME: started}})


def _codex(words: Sequence[str]) -> str:
    args = ", ".join(map(_toml, words[1:]))
    return f"[mcp_servers.{NAME}]\ncommand = {_toml(words[0])}\nargs = [{args}]"


def _toml(text: str) -> str:
    # JSON's escapes are TOML's; the one character that only TOML forbids is DEL.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


CLIENTS: Mapping[str, Client] = {
    "claude-code": Client(
        "Claude Code",
        ".mcp.json in the project",
        "json",
        _servers,
        command=lambda words: [
            *("claude", "mcp", "add", "--scope", "local", "--transport", "stdio"),
            *(NAME, "--", *words),
        ],
    ),
    "codex": Client(
        "Codex CLI",
        "~/.codex/config.toml, or .codex/config.toml in a trusted project",
        "toml",
        _codex,
        command=lambda words: ["codex", "mcp", "add", NAME, "--", *words],
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
