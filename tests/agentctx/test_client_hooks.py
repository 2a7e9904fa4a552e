"""The table of hooks is what Claude Code documents, and the plugin is the same."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agentctx.clients.claude_hooks import HOOKS, command_of, group_of, is_ours
from agentctx.clients.claude_plugin import FOLDER, plugin_files
from agentctx.clients.claude_settings import SERVERS
from corpus.mcp.clients import NAME, Start, snippet_for
from corpus.published import published_names, read_published

ROOT = Path(__file__).parents[2]
CONTRACT: dict[str, Any] = json.loads(
    (Path(__file__).parent / "hosts" / "claude-code-hooks.json").read_text(
        encoding="utf-8"
    )
)
KINDS = {"string": str, "number": int, "boolean": bool, "array": list}

EXPECTED = [
    ("SessionStart", "agentctx hook session-start", 10, None, False),
    ("UserPromptSubmit", "agentctx hook user-prompt-submit", 10, None, False),
    ("Stop", "agentctx hook stop", 10, None, False),
    ("StopFailure", "agentctx hook stop-failure", 10, None, False),
    ("PreCompact", "agentctx hook pre-compact", 10, None, False),
    (
        "PostToolUse",
        "agentctx hook post-tool-use",
        30,
        "Bash|PowerShell|Edit|MultiEdit|Write|NotebookEdit",
        True,
    ),
    (
        "PostToolUseFailure",
        "agentctx hook post-tool-use-failure",
        30,
        "Bash|PowerShell",
        True,
    ),
    ("SubagentStart", "agentctx hook subagent-start", 10, None, False),
    ("SessionEnd", "agentctx hook session-end", 5, None, False),
    ("CwdChanged", "agentctx hook cwd-changed", 10, None, False),
]


@pytest.mark.requirement("A4.9")
def test_the_table_holds_the_hooks_that_were_decided() -> None:
    assert [
        (one.event, command_of(one), one.timeout, one.matcher, one.asynchronous)
        for one in HOOKS
    ] == EXPECTED


@pytest.mark.requirement("A4.9")
@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook.event)
def test_a_hook_is_one_that_the_client_documents(hook: Any) -> None:  # noqa: ANN401
    event = CONTRACT["events"][hook.event]
    if hook.matcher is not None:
        assert event["matches"] == "tool"
        assert re.fullmatch(CONTRACT["exact_matcher"], hook.matcher)
        assert set(hook.matcher.split("|")) <= set(CONTRACT["tools"])
    usual = CONTRACT["default_timeouts"].get(hook.event, CONTRACT["default_timeout"])
    assert 0 < hook.timeout <= CONTRACT["most_timeout"].get(hook.event, usual)
    group = group_of(hook)
    handlers: Any = group["hooks"]
    (handler,) = handlers
    for value, fields in ((group, "group_fields"), (handler, "handler_fields")):
        for name, held in value.items():
            assert type(held) is KINDS[CONTRACT[fields][name]], name
    assert handler["type"] in CONTRACT["handler_types"]


@pytest.mark.requirement("A4.9")
def test_events_and_slugs_are_each_registered_once_and_belong_together() -> None:
    words = [re.sub("(?<!^)([A-Z])", r"-\1", one.event).lower() for one in HOOKS]
    assert [one.slug for one in HOOKS] == words
    assert len({one.event for one in HOOKS}) == len(HOOKS)


@pytest.mark.requirement("A4.8", "A4.9")
def test_worktrees_stay_gits_own() -> None:
    assert "replaces" in CONTRACT["events"]["WorktreeCreate"]
    assert all("replaces" not in CONTRACT["events"][one.event] for one in HOOKS)


@pytest.mark.requirement("A4.9")
@pytest.mark.parametrize(
    ("handler", "expected"),
    [
        ({"command": "agentctx hook stop"}, True),
        ({"command": " agentctx  hook stop "}, True),
        ({"command": "/usr/local/bin/agentctx hook stop"}, True),
        ({"command": '"/my tools/agentctx" hook stop'}, True),
        ({"command": "'/my tools/agentctx' hook stop"}, True),
        ({"command": r"C:\tools\agentctx.exe hook stop"}, True),
        ({"command": "agentctx hook stop --client claude-code"}, True),
        ({"command": "agentctx", "args": ["hook", "stop"]}, True),
        ({"command": "/opt/agentctx", "args": ["hook", "stop"]}, True),
        ({"command": "agentctx hook stop", "args": []}, True),
        ({"command": "agentctx status"}, False),
        ({"command": "agentctx hook stop && say done"}, False),
        ({"command": "agentctx hook stop | tee log"}, False),
        ({"command": "agentctx hook stop; rm x"}, False),
        ({"command": "agentctx hook stop\nsay done"}, False),
        ({"command": "my-agentctx hook stop"}, False),
        ({"command": "agentctx2 hook stop"}, False),
        ({"command": "echo agentctx hook stop"}, False),
        ({"command": "agentctx", "args": ["status"]}, False),
        ({"command": "agentctx", "args": ["hook"]}, False),
        ({"command": "agentctx", "args": ["hook", 3]}, False),
        ({"command": "agentctx", "args": {"hook": "stop"}}, False),
        ({"command": ["agentctx", "hook", "stop"]}, False),
        ({"command": None}, False),
        ({}, False),
        ("agentctx hook stop", False),
        (None, False),
    ],
)
def test_only_what_runs_a_hook_of_ours_and_no_more_is_ours(
    handler: object, *, expected: bool
) -> None:
    assert is_ours(handler) is expected


def test_a_hostile_command_is_told_apart_in_no_time() -> None:
    for text in ("/" * 200_000, "agentctx hook " + "-a" * 100_000 + "!", '"' * 200_000):
        assert not is_ours({"command": text})
        assert not is_ours({"command": text, "args": ["hook", text]})


@pytest.mark.requirement("A4.9")
def test_the_table_loads_nothing_heavy(program_env: dict[str, str]) -> None:
    code = "import sys, agentctx.clients.claude_hooks; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=program_env,
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    heavy = {"json", "argparse", "dataclasses", "subprocess", "pathlib", "shutil"}
    assert set(done.stdout.split()) & heavy == set()


@pytest.mark.requirement("A4.9", "A5.1")
def test_the_plugin_that_ships_is_made_from_the_same_tables() -> None:
    shipped = {
        name.removeprefix(f"{FOLDER}/"): read_published("templates", *name.split("/"))
        for name in published_names("templates")
        if name.startswith(f"{FOLDER}/")
    }
    assert shipped == plugin_files()


@pytest.mark.requirement("A4.9", "A5.1")
def test_the_plugin_names_programs_and_never_a_path() -> None:
    files = plugin_files()
    assert json.loads(files[".claude-plugin/plugin.json"])["name"] == "agentctx"
    hooks = json.loads(files["hooks/hooks.json"])["hooks"]
    commands = [h["command"] for gs in hooks.values() for g in gs for h in g["hooks"]]
    servers = json.loads(files[".mcp.json"])["mcpServers"]
    commands += [one["command"] for one in servers.values()]
    assert len(commands) == len(HOOKS) + len(SERVERS)
    assert not any("/" in command for command in commands)


@pytest.mark.requirement("A4.9")
def test_every_hook_is_documented() -> None:
    text = (ROOT / "docs" / "clients.md").read_text(encoding="utf-8")
    rows = [line.split(" | ") for line in text.splitlines() if "agentctx hook" in line]
    assert [
        (row[0].strip("| `"), row[1].strip("`"), int(re.split(r"\D", row[2])[0]))
        for row in rows
    ] == [(one.event, command_of(one), one.timeout) for one in HOOKS]


@pytest.mark.requirement("A5.1")
def test_the_corpus_is_served_as_its_own_program_says() -> None:
    start = Start(program=[NAME], root=None)
    snippet = json.loads(snippet_for("claude-code", start).snippet)
    assert snippet["mcpServers"] == {NAME: SERVERS[NAME]}
