"""The same hooks and servers as a plugin of Claude Code, for whoever prefers one.

A plugin's timeouts do not raise the 1.5 seconds that all hooks have together when a
session ends; those of settings do, so `agentctx init` is the way to choose first.
"""

from __future__ import annotations

import json

from agentctx.clients.claude_hooks import HOOKS, PROGRAM, group_of
from agentctx.clients.claude_settings import HOOKS_KEY, SERVERS, SERVERS_KEY

FOLDER = "claude-code-plugin"
"""Where the plugin lies among the templates that ship with the program."""

_ABOUT = (
    "Gives an agent what is decided, agreed and learned on a project, and keeps what"
    " is new"
)
_README = """\
# agentctx for Claude Code

This folder is a plugin: the hooks and the three MCP servers that `agentctx init` writes
into your settings, in one piece. `agentctx` and `project-corpus` have to be on the
`PATH`.

Use one or the other. With both, every hook would run twice; `agentctx init` warns of
it.

`agentctx init` is the better choice where you have it: timeouts of a plugin do not
raise the 1.5 seconds that all hooks share when a session ends, timeouts of settings do.
"""


def plugin_files() -> dict[str, str]:
    """Give every file of the plugin, made from the tables that settings are made from.

    No version stands in it: it changes with the tables alone.
    """
    about = {"name": PROGRAM, "description": _ABOUT}
    hooks = {HOOKS_KEY: {hook.event: [group_of(hook)] for hook in HOOKS}}
    return {
        ".claude-plugin/plugin.json": _written(about),
        ".mcp.json": _written({SERVERS_KEY: SERVERS}),
        "README.md": _README,
        "hooks/hooks.json": _written(hooks),
    }


def _written(value: object) -> str:
    return f"{json.dumps(value, ensure_ascii=False, indent=2)}\n"
