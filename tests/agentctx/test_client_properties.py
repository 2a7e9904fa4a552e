"""Whatever settings look like: `init`, then `uninstall`, and not a byte is another."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentctx.clients import claude_code
from agentctx.clients.claude_hooks import HOOKS, group_of, is_ours
from agentctx.clients.claude_settings import SERVERS
from tests.agentctx.test_client_jsontext import KEYS, OBJECTS, SPACES, VALUES, written

pytestmark = pytest.mark.requirement("A1.5", "A4.9")

EVENTS = [*(hook.event for hook in HOOKS), "PreToolUse", "WorktreeCreate"]
THEIRS = st.sampled_from(["say done", "agentctx status", "x agentctx hook stop", ""])
HANDLERS = st.fixed_dictionaries({"command": THEIRS}) | VALUES
GROUPS = st.dictionaries(
    st.sampled_from(["hooks", "matcher"]), st.lists(HANDLERS, max_size=3) | st.just("x")
)
HOOKS_OF = st.dictionaries(
    st.sampled_from(EVENTS), st.lists(GROUPS | VALUES, max_size=3), max_size=4
)
SERVERS_OF = st.dictionaries(
    st.sampled_from([*SERVERS, "other"]) | KEYS, VALUES, max_size=3
)


@st.composite
def documents(draw: Any, key: str, held: Any) -> tuple[dict[str, Any], bytes]:  # noqa: ANN401
    """Give settings as a value, and as the bytes of somebody's own style."""
    value = dict(draw(OBJECTS))
    if draw(st.booleans()):
        value[key] = draw(held)
        if draw(st.booleans()):
            value["last"] = draw(VALUES)
    style = draw(st.sampled_from(["any", "spread", "compact"]))
    if style == "any":
        text = draw(SPACES) + draw(written(value)) + draw(SPACES)
    elif style == "compact":
        text = json.dumps(value, separators=(",", ":"))
    else:
        indent = draw(st.sampled_from([1, 2, 4, "\t"]))
        text = json.dumps(value, indent=indent) + draw(st.sampled_from(["", "\n"]))
        if draw(st.booleans()):
            text = text.replace("\n", "\r\n")
    return value, draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + text.encode()


def commands(value: Any) -> list[object]:  # noqa: ANN401 - any JSON
    """Give every handler of ours in the hooks of some settings."""
    return [
        handler
        for groups in value["hooks"].values()
        if isinstance(groups, list)
        for group in groups
        if isinstance(group, dict) and isinstance(group.get("hooks"), list)
        for handler in group["hooks"]
        if is_ours(handler)
    ]


@settings(deadline=None, max_examples=35)
@given(
    first=documents("hooks", HOOKS_OF),
    second=documents("mcpServers", SERVERS_OF),
    times=st.integers(1, 2),
)
def test_init_then_uninstall_is_the_identity(
    first: tuple[dict[str, Any], bytes],
    second: tuple[dict[str, Any], bytes],
    times: int,
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        where = claude_code.places({"CLAUDE_CONFIG_DIR": str(root)})
        home = root / "home"
        home.mkdir()
        files = (Path(where.settings), Path(where.account))
        for path, (_, content) in zip(files, (first, second), strict=True):
            path.write_bytes(content)
        for _ in range(times):
            claude_code.apply(str(home), where)
        now, servers = (json.loads(p.read_bytes().decode("utf-8-sig")) for p in files)
        require_only_ours(first[0], now)
        expected = {**SERVERS, **second[0].get("mcpServers", {})}
        assert servers == {**second[0], "mcpServers": expected}
        claude_code.remove(str(home), where)
        assert files[0].read_bytes() == first[1]
        assert files[1].read_bytes() == second[1]


@settings(deadline=None, max_examples=35)
@given(
    first=documents("hooks", HOOKS_OF),
    second=documents("mcpServers", SERVERS_OF),
    lost=st.booleans(),
)
def test_what_was_rewritten_in_between_keeps_every_value(
    first: tuple[dict[str, Any], bytes],
    second: tuple[dict[str, Any], bytes],
    *,
    lost: bool,
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        where = claude_code.places({"CLAUDE_CONFIG_DIR": str(root)})
        home = root / "home"
        home.mkdir()
        files = (Path(where.settings), Path(where.account))
        for path, (_, content) in zip(files, (first, second), strict=True):
            path.write_bytes(content)
        claude_code.apply(str(home), where)
        for path in files:
            value = json.loads(path.read_bytes().decode("utf-8-sig"))
            path.write_text(json.dumps({**value, "n": 1}, indent=3), encoding="utf-8")
        if lost:
            (home / "clients" / "claude-code.json").unlink()
        claude_code.remove(str(home), where)
        for path, (value, _) in zip(files, (first, second), strict=True):
            now = json.loads(path.read_bytes())
            if lost:
                now, value = bare(now), bare(value)  # noqa: PLW2901 - both alike
            assert now == {**value, "n": 1}


def bare(value: dict[str, Any]) -> dict[str, Any]:
    """Leave out containers that are empty: without a journal nobody knows whose."""
    kept = dict(value)
    for key in ("hooks", "mcpServers"):
        if isinstance(kept.get(key), dict):
            kept[key] = {k: v for k, v in kept[key].items() if v != []}
        if kept.get(key) == {}:
            del kept[key]
    return kept


def require_only_ours(before: dict[str, Any], after: dict[str, Any]) -> None:
    """Demand every hook of ours once, and everything else as it was, in its order."""
    assert sorted(json.dumps(one) for one in commands(after)) == sorted(
        json.dumps(handler)
        for hook in HOOKS
        for handler in group_of(hook)["hooks"]  # type: ignore[attr-defined]  # a list
    )
    rest = dict(after)
    hooks = rest.pop("hooks")
    assert rest == {key: held for key, held in before.items() if key != "hooks"}
    for event, groups in before.get("hooks", {}).items():
        assert hooks[event][: len(groups)] == groups
