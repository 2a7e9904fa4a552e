"""The hooks that Claude Code is asked to run: the one table, and how an entry looks.

A command is the one text `agentctx hook <event>`, found on the `PATH`. Claude Code also
takes `command` and `args` apart and then starts no shell, but a version that does not
know `args` would run `agentctx` alone, which ends in 2, and a 2 takes the user's prompt
away. Every version understands the text, and the shell, which reads no profile for
it, costs a millisecond.

`WorktreeCreate` is not here and never will be: whoever registers it takes the place of
git's own worktrees.
"""

from __future__ import annotations

import re
from typing import NamedTuple

PROGRAM = "agentctx"

_COMMAND = re.compile(
    r"""\s*(?:"(?:[^"]*[/\\])?agentctx(?:\.exe|\.cmd)?"
      |'(?:[^']*/)?agentctx'
      |(?:\S*[/\\])?agentctx(?:\.exe|\.cmd)?)
    \s+hook\s+[a-z][a-z-]*(?:\s+--client[ =][a-z-]+)?\s*""",
    re.VERBOSE,
)
_SLUG = re.compile(r"[a-z][a-z-]*")
_NAME = re.compile(r"(?:.*[/\\])?agentctx(?:\.exe|\.cmd)?", re.DOTALL)


class Hook(NamedTuple):
    """One hook: when it runs, what it runs, and for how many seconds at most.

    `matcher` narrows it to some tools. What is `asynchronous` holds nobody up.
    """

    event: str
    slug: str
    timeout: int
    matcher: str | None = None
    asynchronous: bool = False


HOOKS: tuple[Hook, ...] = (
    Hook("SessionStart", "session-start", 10),
    Hook("UserPromptSubmit", "user-prompt-submit", 10),
    Hook("Stop", "stop", 10),
    Hook("StopFailure", "stop-failure", 10),
    Hook("PreCompact", "pre-compact", 10),
    Hook(
        "PostToolUse",
        "post-tool-use",
        30,
        matcher="Bash|PowerShell|Edit|MultiEdit|Write|NotebookEdit",
        asynchronous=True,
    ),
    Hook(
        "PostToolUseFailure",
        "post-tool-use-failure",
        30,
        matcher="Bash|PowerShell",
        asynchronous=True,
    ),
    Hook("SubagentStart", "subagent-start", 10),
    Hook("SessionEnd", "session-end", 5),
    Hook("CwdChanged", "cwd-changed", 10),
)
"""Every hook, in the order it is written into settings."""


def command_of(hook: Hook) -> str:
    """Give the command that a hook runs."""
    return f"{PROGRAM} hook {hook.slug}"


def group_of(hook: Hook) -> dict[str, object]:
    """Give a hook as settings hold it: a matcher group of its own."""
    handler: dict[str, object] = {
        "type": "command",
        "command": command_of(hook),
        "timeout": hook.timeout,
    }
    if hook.asynchronous:
        handler["async"] = True
    matcher = {} if hook.matcher is None else {"matcher": hook.matcher}
    return {**matcher, "hooks": [handler]}


def is_ours(handler: object) -> bool:
    """Say whether a handler in somebody's settings runs a hook of ours and no more.

    Whatever its form: with or without `args`, by name or by path.
    """
    if not isinstance(handler, dict):
        return False
    command, args = handler.get("command"), handler.get("args")
    if not isinstance(command, str):
        return False
    if args is None or args == []:
        return _COMMAND.fullmatch(command) is not None
    return (
        isinstance(args, list)
        and _NAME.fullmatch(command) is not None
        and args[:1] == ["hook"]
        and len(args) > 1
        and isinstance(args[1], str)
        and _SLUG.fullmatch(args[1]) is not None
    )
