"""What `init` and `uninstall` show: all that changes, and no value of anybody's."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentctx.cli.changes import diff_lines
from agentctx.clients.claude_code import Change
from agentctx.clients.claude_hooks import HOOKS, command_of
from tests.agentctx.answers import answer, facts, withheld
from tests.agentctx.claude_host import Host
from tests.agentctx.test_client_jsontext import KEYS, written

if TYPE_CHECKING:
    from pathlib import Path

ARGS_TEXT = """{
  "mcpServers": {
    "mine": { "command": "npx", "args": [
      "-y",
      "--api-key",
      "q8Zr-private"
] } } }
"""
ENV_TEXT = """{
  "mcpServers": {
    "mine": { "command": "npx", "env": {
      "PORT": 80443, "ON": true, "MY_TOKEN":
      "q8Zr-token" } } } }
"""
SETTINGS_TEXT = """{
  "env": {
    "GREETING_KEY": "q8Zr-value",
    "PIN": 80443,
    "say": "\\"q8Zr\\\\"
  }
}
"""


@pytest.fixture
def host(
    monkeypatch: pytest.MonkeyPatch, user_home: Path, store_home: Path, project: Path
) -> Host:
    return Host(monkeypatch, user=user_home, home=store_home, project=project)


def compact(text: str) -> str:
    return json.dumps(json.loads(text), separators=(",", ":"))


@pytest.mark.requirement("A9", "A10.1")
@pytest.mark.parametrize("one_line", [False, True], ids=["spread", "one line"])
@pytest.mark.parametrize("account", [ARGS_TEXT, ENV_TEXT], ids=["args", "env"])
def test_no_value_of_the_user_is_ever_shown(
    host: Host, account: str, *, one_line: bool
) -> None:
    texts = (SETTINGS_TEXT, account)
    host.has(*(map(compact, texts) if one_line else texts))
    told = []
    for word in ("init", "uninstall"):
        for words in ((word, "--dry-run"), (word,)):
            for terminal in (False, True):
                done = host.run(*words, terminal=terminal, says="n\n")
                told.append(done.out + done.err)
        told.append(host.run(word, "--yes").out)
    for text in told:
        assert ("q8Zr" in text, "80443" in text, "npx" in text) == (False,) * 3
    if not one_line:
        assert "GREETING_KEY" in told[0]
        assert ("MY_TOKEN" in told[0]) == (account == ENV_TEXT)
    for text in (told[0], told[5]):
        for hook in HOOKS:
            assert command_of(hook) in text


@pytest.mark.requirement("A9", "A10.1")
def test_what_was_put_into_an_entry_of_ours_is_not_shown_either(host: Host) -> None:
    host.has("{}", "{}")
    host.init()
    for path, key, old in (
        (host.account, "env", '"command": "agentctx"'),
        (host.settings, "statusMessage", '"command": "agentctx hook stop"'),
    ):
        text = path.read_text(encoding="utf-8")
        secret = f'{old}, "{key}": {{"A": "q8Zr-private", "B": 80443}}'
        path.write_text(text.replace(old, secret), encoding="utf-8")
        assert "q8Zr" in path.read_text(encoding="utf-8")
    for words in (("init", "--dry-run"), ("uninstall", "--dry-run")):
        shown = host.run(*words).out
        assert ("q8Zr" in shown, "80443" in shown) == (False, False)
    assert "agentctx hook stop" in shown


SECRETS = st.text(min_size=5).map(lambda text: f"q8Zr{text}") | st.integers(
    min_value=80443_80443
)
TREES = st.recursive(
    SECRETS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner),
    max_leaves=6,
)


@pytest.mark.requirement("A10.1")
@settings(deadline=None, max_examples=60)
@given(before=st.data(), kept=TREES, lost=TREES)
def test_whatever_changes_only_structure_is_shown(
    before: Any,  # noqa: ANN401 - what hypothesis draws from
    kept: object,
    lost: object,
) -> None:
    old, new = (
        before.draw(written({"a": kept, key: lost, "agentctx": kept})).encode()
        for key in ("hooks", "mcpServers")
    )
    text = "\n".join(diff_lines(Change("f", old, new)))
    keys = json.dumps([list(keys_of(kept)), list(keys_of(lost))])
    if "q8Zr" not in keys:
        assert "q8Zr" not in text
    assert "8044380443" not in text or "8044380443" in keys


def keys_of(value: Any) -> list[str]:  # noqa: ANN401 - any JSON
    if isinstance(value, dict):
        return [*value, *(key for one in value.values() for key in keys_of(one))]
    if isinstance(value, list):
        return [key for one in value for key in keys_of(one)]
    return []


@pytest.mark.parametrize(
    "line",
    ['{"a": "q8Zr', '"q8Zr\\', "// q8Zr, q8Zr", "'q8Zr': q8Zr", '{"a": "x"y: q8Zr}'],
)
def test_what_is_no_json_is_hidden_as_well(line: str) -> None:
    shown = "\n".join(diff_lines(Change("f", line.encode(), None)))
    assert "q8Zr" not in shown


def test_of_a_long_line_only_what_changes_is_shown() -> None:
    rest = {f"key{number}": number for number in range(500)}
    servers = {"mcpServers": {"mine": {"command": "x"}}}
    old = json.dumps({**servers, **rest})
    servers["mcpServers"]["agentctx"] = {"command": "agentctx", "args": ["mcp"]}  # type: ignore[dict-item]  # any JSON
    new = json.dumps({**servers, **rest})
    *_, was, now = diff_lines(Change("f", old.encode(), new.encode()))
    assert '"agentctx": {"command": "agentctx", "args": ["mcp"]}' in now
    assert max(len(was), len(now)) < 200
    assert ("key0" in was, "key9" in was) == (True, False)


@pytest.mark.requirement("A9")
def test_who_cannot_be_asked_sees_the_plan(host: Host) -> None:
    host.has('{"model": "opus"}', None)
    told = withheld(host.run("init"))
    assert (told["applied"], told["files"][0]["action"]) == (False, "change")
    done = host.run("init", "--format", "text")
    assert (done.status, "agentctx hook stop" in done.out) == (2, True)
    assert "--dry-run" in done.out
    host.init()
    told = withheld(host.run("uninstall", "--data"))
    assert (told["applied"], "agentctx.db" in told["data"]) == (False, True)
    assert host.settings.read_bytes().count(b"agentctx hook") == len(HOOKS)


@pytest.mark.requirement("A9")
def test_where_no_client_was_told_nothing_is_to_be_taken_back(host: Host) -> None:
    assert "uninstall" not in host.run("init", "--yes", "--format", "text").out
    host.has("{}", None)
    assert "uninstall" in host.run("init", "--yes", "--format", "text").out


@pytest.mark.requirement("A9")
def test_a_linked_home_is_named_for_the_user_to_delete(
    host: Host, tmp_path: Path
) -> None:
    real = tmp_path / "disk"
    real.mkdir(mode=0o700)
    host.home.symlink_to(real)
    host.has("{}", "{}")
    host.init()
    done = host.run("uninstall", "--data", "--yes")
    assert str(host.home) in facts(done)["hint"]
    assert str(host.settings) in facts(done)["hint"]
    assert json.loads(done.out)["files"][0]["action"] == "change"
    assert host.settings.read_bytes() == b"{}"
    assert answer(host.run("uninstall"))["applied"] is True
