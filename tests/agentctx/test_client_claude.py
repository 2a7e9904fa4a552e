"""`init` and `uninstall`: our entries come and go, everything else stays."""

from __future__ import annotations

import json
import stat
from typing import TYPE_CHECKING, Any

import pytest

from agentctx.clients.claude_hooks import HOOKS, group_of
from agentctx.clients.claude_settings import SERVERS
from agentctx.config import BY_KEY
from tests.agentctx.answers import answer, refusal, withheld
from tests.agentctx.claude_host import Host, needs_modes

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

GROUPS = {hook.event: group_of(hook) for hook in HOOKS}
THEIRS = {"hooks": [{"type": "command", "command": "say done"}]}


@pytest.fixture
def host(
    monkeypatch: pytest.MonkeyPatch, user_home: Path, store_home: Path, project: Path
) -> Host:
    return Host(monkeypatch, user=user_home, home=store_home, project=project)


def loaded(path: Path) -> Any:  # noqa: ANN401 - any JSON
    return json.loads(path.read_bytes().decode("utf-8-sig"))


def codes(told: Any) -> list[str]:  # noqa: ANN401 - any JSON
    return [one["code"] for one in told["warnings"]]


@pytest.mark.requirement("A4.9", "A5.1")
def test_init_registers_hooks_and_servers_for_the_user(host: Host) -> None:
    host.has("{}", None)
    done = host.init()
    assert loaded(host.settings) == {"hooks": {e: [g] for e, g in GROUPS.items()}}
    assert loaded(host.account) == {"mcpServers": SERVERS}
    assert [one["action"] for one in done["files"]] == ["change", "create"]
    assert (done["applied"], done["client"], codes(done)) == (True, "claude-code", [])
    assert (host.home / "agentctx.db").is_file()


@pytest.mark.requirement("A1.5")
@pytest.mark.parametrize(
    ("settings", "account"),
    [
        pytest.param(None, None, id="no file"),
        pytest.param("{}", "{}\n", id="empty objects"),
        pytest.param("", " \n\n", id="blank files"),
        pytest.param('{"model": "opus"}', '{"a":1}', id="one line"),
        pytest.param(
            '{\r\n\t"hooks": {}\r\n}\r\n', '{\r\n "mcpServers": {}}', id="CRLF, tabs"
        ),
        pytest.param(
            '\ufeff{\n    "hooks": {"Stop": [], "PreToolUse": []}\n}',
            '\ufeff{\n  "mcpServers": {\n  }\n}',
            id="byte-order mark, empty lists",
        ),
        pytest.param(
            json.dumps({"hooks": {"Stop": [THEIRS], "Setup": [THEIRS]}}, indent=4),
            json.dumps({"mcpServers": {"x": {"command": "x"}}, "z": [1]}, indent=1),
            id="somebody's hooks and servers",
        ),
        pytest.param('{"hooks": {"Setup": 3}}', '{"n": 1e999}', id="odd values"),
    ],
)
def test_uninstall_leaves_every_byte_as_it_was(
    host: Host, settings: str | None, account: str | None
) -> None:
    host.has(settings, account)
    before = host.files()
    host.init()
    assert host.files() != before
    host.uninstall()
    assert host.files() == before
    assert not (host.home / "clients").exists()
    assert (host.home / "agentctx.db").is_file()


@pytest.mark.requirement("A1.5")
def test_init_again_changes_nothing_and_asks_nothing(host: Host) -> None:
    host.has('{"model": "opus"}', None)
    host.init()
    before = host.files(), (host.home / "clients/claude-code.json").read_bytes()
    done = answer(host.run("init"))
    assert [one["action"] for one in done["files"]] == ["none", "none"]
    after = host.files(), (host.home / "clients/claude-code.json").read_bytes()
    assert after == before


@pytest.mark.requirement("A1.5", "A4.9")
def test_the_users_own_hooks_keep_their_place(host: Host) -> None:
    mine = {"matcher": "Write", **THEIRS}
    before = {"hooks": {"Stop": [THEIRS, {"hooks": []}], "PostToolUse": [mine]}, "z": 1}
    host.has(json.dumps(before, indent=2), None)
    host.init()
    after = loaded(host.settings)
    assert after["hooks"]["Stop"] == [THEIRS, {"hooks": []}, GROUPS["Stop"]]
    assert after["hooks"]["PostToolUse"] == [mine, GROUPS["PostToolUse"]]
    assert list(after) == ["hooks", "z"]
    assert list(after["hooks"])[:2] == ["Stop", "PostToolUse"]


OLD = [
    {"hooks": [{"type": "command", "command": "agentctx hook stop", "timeout": 99}]},
    {"hooks": [{"type": "command", "command": "/usr/bin/agentctx hook stop"}]},
    {"hooks": [{"type": "command", "command": "agentctx", "args": ["hook", "stop"]}]},
    {"matcher": "", **GROUPS["Stop"]},
    {"hooks": [*THEIRS["hooks"], {"command": "/x/agentctx hook stop"}]},
]


@pytest.mark.requirement("A4.9")
@pytest.mark.parametrize(
    "old", OLD, ids=["timeout", "path", "args", "matcher", "mixed"]
)
def test_an_old_entry_of_ours_is_brought_up_to_date(host: Host, old: object) -> None:
    host.has(json.dumps({"hooks": {"Stop": [old, old, THEIRS]}}, indent=2), None)
    host.init()
    stop = loaded(host.settings)["hooks"]["Stop"]
    assert stop.count(GROUPS["Stop"]) == 1
    text = json.dumps(stop)
    assert text.count("hook stop") == 1
    assert text.count("say done") == (3 if "say done" in json.dumps(old) else 1)
    host.uninstall()
    assert "agentctx" not in host.settings.read_text(encoding="utf-8")
    assert loaded(host.settings)["hooks"]["Stop"].count(THEIRS) >= 1


@pytest.mark.requirement("A4.8", "A4.9")
def test_an_entry_of_ours_where_none_belongs_is_taken_away(host: Host) -> None:
    stray = {"hooks": [{"type": "command", "command": "agentctx hook worktree-create"}]}
    host.has(json.dumps({"hooks": {"WorktreeCreate": [stray]}}), None)
    host.init()
    assert "WorktreeCreate" not in loaded(host.settings)["hooks"]


@pytest.mark.requirement("A5.1")
def test_a_server_of_the_same_name_stays_whosever_it_is(host: Host) -> None:
    theirs = {"command": "docker", "args": ["run", "corpus"]}
    by_path = {"command": "/opt/agentctx", "args": ["mcp", "--results", "text"]}
    servers = {"project-corpus": theirs, "agentctx": by_path}
    host.has("{}", json.dumps({"mcpServers": servers}))
    before = host.account.read_bytes()
    done = host.init()
    assert codes(done) == ["SERVER_NAME_TAKEN"]
    assert "project-corpus" in done["warnings"][0]["detail"]
    added = {"agentctx-memory": SERVERS["agentctx-memory"]}
    assert loaded(host.account) == {"mcpServers": {**servers, **added}}
    host.uninstall()
    assert host.account.read_bytes() == before


@pytest.mark.requirement("A1.5")
def test_what_the_client_wrote_in_between_stays(host: Host) -> None:
    host.has(None, '{\n  "numStartups": 1\n}')
    host.init()
    account = loaded(host.account)
    account["mcpServers"]["agentctx"].update(type="stdio", env={})
    account |= {"numStartups": 2, "projects": {"/x": {}}}
    host.account.write_text(json.dumps(account, indent=2), encoding="utf-8")
    host.uninstall()
    expected = {"numStartups": 2, "projects": {"/x": {}}}
    assert host.account.read_text(encoding="utf-8") == json.dumps(expected, indent=2)
    assert not host.settings.exists()


@pytest.mark.requirement("A1.5")
def test_what_the_user_wrote_in_between_stays(host: Host) -> None:
    host.has('{\n  "hooks": {},\n  "model": "opus"\n}\n', None)
    host.init()
    text = host.settings.read_text(encoding="utf-8").replace("opus", "haiku")
    host.settings.write_text(text, encoding="utf-8")
    host.uninstall()
    after = '{\n  "hooks": {},\n  "model": "haiku"\n}\n'
    assert host.settings.read_text(encoding="utf-8") == after


@pytest.mark.requirement("A1.5")
@pytest.mark.parametrize(
    "journal",
    [None, "", "{", "[]", '{"version": 1}', '{"version": 9, "files": {}}', "DAMAGED"],
)
def test_without_a_journal_only_entries_of_ours_go(
    host: Host, journal: str | None
) -> None:
    before = json.dumps({"hooks": {"Stop": [THEIRS]}, "model": "opus"}, indent=2)
    host.has(before, '{\n  "mcpServers": {\n    "x": {}\n  }\n}\n')
    accounts = host.account.read_bytes()
    host.init()
    place = host.home / "clients/claude-code.json"
    if journal is None:
        place.unlink()
    else:
        kept = json.loads(place.read_text(encoding="utf-8"))
        for trail in kept["files"].values():
            trail["steps"][0]["edits"] = [[0, "rm", ""]]
            trail["made"] = 7
        text = json.dumps(kept) if journal == "DAMAGED" else journal
        place.write_text(text, encoding="utf-8")
    host.uninstall()
    assert loaded(host.settings) == json.loads(before)
    assert host.account.read_bytes() == accounts


@pytest.mark.requirement("A1.5")
def test_a_journal_that_lies_takes_nothing_of_the_user_away(host: Host) -> None:
    before = '{\n  "model": "opus"\n}'
    host.has(before, None)
    host.init()
    place = host.home / "clients/claude-code.json"
    kept = json.loads(place.read_text(encoding="utf-8"))
    for trail in kept["files"].values():
        trail["steps"][0]["edits"] = [[0, "", "{"], [0, "rm -rf", ""]]
        trail["made"] = [["model"], ["hooks"], [], ["a", "b", "c"]]
        trail["folder"] = str(host.user)
    kept["files"][str(host.user / "notes.json")] = kept["files"][str(host.settings)]
    place.write_text(json.dumps(kept), encoding="utf-8")
    host.uninstall()
    assert loaded(host.settings)["model"] == "opus"
    assert "agentctx" not in host.settings.read_text(encoding="utf-8")


@pytest.mark.requirement("A1.5")
def test_the_journal_is_private_and_holds_nothing_of_the_user(host: Host) -> None:
    needs_modes()
    host.has('{"env": {"SECRET": "one"}}', '{"oauthAccount": "two"}')
    host.init()
    place = host.home / "clients/claude-code.json"
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    text = place.read_text(encoding="utf-8")
    assert "one" not in text
    assert "oauthAccount" not in text


@pytest.mark.requirement("A1.5")
def test_two_inits_with_a_new_table_between_are_both_taken_back(host: Host) -> None:
    host.has('{"model":"opus"}', None)
    before = host.files()
    host.init()
    text = host.settings.read_text(encoding="utf-8").replace(
        '"timeout":10', '"timeout":7'
    )
    host.settings.write_text(text, encoding="utf-8")
    host.init()
    assert '"timeout":7' not in host.settings.read_text(encoding="utf-8")
    host.uninstall()
    assert host.files() == before


@pytest.mark.requirement("A9")
def test_nothing_is_done_without_a_word(host: Host) -> None:
    host.has("{}", "{}")
    before = host.files()
    told = withheld(host.run("init"))
    assert told == answer(host.run("init", "--dry-run"))
    assert (host.files(), host.home.exists()) == (before, False)
    refused = host.run("init", terminal=True, says="n\n")
    assert refused.status == 2
    assert "agentctx hook session-start" in refused.err
    assert (host.files(), host.home.exists()) == (before, False)
    done = host.run("init", terminal=True, says="y\n")
    assert done.status == 0
    after = host.files()
    assert after != before
    told = withheld(host.run("uninstall"))
    assert told == answer(host.run("uninstall", "--dry-run"))
    assert host.run("uninstall", terminal=True, says="\n").status == 2
    assert host.files() == after
    assert host.run("uninstall", terminal=True, says="yes\n").status == 0
    assert host.files() == before


@pytest.mark.requirement("A9")
def test_a_dry_run_shows_a_diff_and_changes_nothing(host: Host) -> None:
    host.has('{\n  "model": "opus"\n}\n', None)
    before = host.files()
    told = answer(host.run("init", "--dry-run"))
    assert (host.files(), host.home.exists()) == (before, False)
    assert (told["applied"], told["makes_store"]) == (False, True)
    diff = told["files"][0]["diff"]
    assert diff[:2] == [f"--- {host.settings}", f"+++ {host.settings}"]
    assert diff[2] == f"@@ -1,3 +1,{len(diff) - 4} @@"
    assert [line for line in diff if line[0] == "-"] == [diff[0], '-  "model": …']
    assert told["files"][1]["diff"][0] == "--- /dev/null"
    assert "agentctx hook stop" in host.run("init", "--dry-run", terminal=True).out
    host.init()
    after = host.files()
    told = answer(host.run("uninstall", "--dry-run", "--data"))
    assert [one["action"] for one in told["files"]] == ["change", "remove"]
    assert (host.files(), host.home.exists()) == (after, True)


@pytest.mark.requirement("A9", "A10.1")
@pytest.mark.parametrize("indent", [None, 2])
def test_a_diff_shows_no_secret_of_the_account(host: Host, indent: int | None) -> None:
    secret = "sk-ant-oat01-" + "Ab3dE6gH9" * 9 + "AA"
    account = {"a": "x" * 400, "oauthAccount": {"accessToken": secret}}
    host.has("{}", json.dumps(account, indent=indent))
    told = host.run("init", "--dry-run")
    assert answer(told)["files"][1]["action"] == "change"
    assert secret not in told.out
    assert secret[-12:] not in told.out
    host.init()
    assert secret[-12:] not in host.run("uninstall", "--dry-run").out


@pytest.mark.requirement("A9")
def test_where_no_client_is_the_store_is_made_all_the_same(host: Host) -> None:
    before = host.files()
    assert withheld(host.run("init"))["makes_store"] is True
    done = host.init()
    assert (done["client"], done["files"]) == (None, [])
    assert host.files() == before
    assert (host.home / "agentctx.db").is_file()
    assert host.run("init", terminal=True).status == 0
    assert answer(host.run("uninstall"))["applied"] is True


def on_the_path(host: Host) -> None:
    host.provide("claude")


def by_its_folder(host: Host) -> None:
    host.folder.mkdir()


def by_a_variable(host: Host) -> None:
    (host.user / "elsewhere").mkdir()
    host.patch.setenv("CLAUDE_CONFIG_DIR", str(host.user / "elsewhere"))


@pytest.mark.requirement("A9")
@pytest.mark.parametrize(
    ("installed", "files"),
    [
        (on_the_path, (".claude/settings.json", ".claude.json")),
        (by_its_folder, (".claude/settings.json", ".claude.json")),
        (by_a_variable, ("elsewhere/settings.json", "elsewhere/.claude.json")),
    ],
)
def test_the_client_is_found_and_its_files_where_it_keeps_them(
    host: Host, installed: Callable[[Host], None], files: tuple[str, str]
) -> None:
    installed(host)
    before = host.files()
    done = host.init()
    assert [one["path"] for one in done["files"]] == [str(host.user / f) for f in files]
    assert all((host.user / name).is_file() for name in files)
    host.patch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    host.uninstall()
    assert host.files() == before


@pytest.mark.requirement("A9")
def test_a_client_that_is_named_need_not_be_found(host: Host) -> None:
    before = host.files()
    host.init("--client", "claude-code")
    assert host.settings.is_file()
    host.uninstall()
    assert host.files() == before


@pytest.mark.requirement("A9")
@pytest.mark.parametrize(
    "name", ["codex", "cursor", "vscode", "gemini", "opencode", "cline", "windsurf"]
)
def test_a_client_without_an_adapter_is_refused_as_such(host: Host, name: str) -> None:
    assert refusal(host.run("init", "--yes", "--client", name)) == "CLIENT_UNSUPPORTED"
    assert refusal(host.run("init", "--yes", "--client", "emacs")) == "USAGE"
    assert not host.home.exists()


@pytest.mark.requirement("A9")
@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"disableAllHooks": True}, ["HOOKS_DISABLED"]),
        ({"disableAllHooks": False}, []),
        ({"enabledPlugins": {"agentctx@here": True}}, ["PLUGIN_TOO"]),
        ({"enabledPlugins": {"agentctx@here": False, "b@here": True}}, []),
        ({"enabledPlugins": ["agentctx@here"]}, []),
    ],
)
def test_what_keeps_hooks_from_working_is_said(
    host: Host, settings: object, expected: list[str]
) -> None:
    host.has(json.dumps(settings), None)
    assert codes(answer(host.run("init", "--dry-run"))) == expected


@pytest.mark.requirement("A9")
def test_a_program_that_hooks_would_not_find_is_said(host: Host) -> None:
    host.has("{}", None)
    (host.programs / "agentctx").unlink()
    told = answer(host.run("init", "--dry-run"))
    assert codes(told) == ["PROGRAM_NOT_ON_PATH"]
    assert "PROGRAM_NOT_ON_PATH" in host.run("init", "--dry-run", terminal=True).out


@pytest.mark.requirement("A6.1")
@pytest.mark.parametrize(
    ("key", "config", "settings", "runs"),
    [
        ("sk-test", None, "{}", True),
        ("  ", None, "{}", False),
        (None, None, "{}", False),
        ("sk-test", '{"llm": false}', "{}", False),
        (None, None, '{"env": {"ANTHROPIC_API_KEY": "sk-test"}}', True),
        (None, None, '{"env": []}', False),
    ],
)
def test_init_says_whether_a_model_will_run_and_what_it_may_cost(
    host: Host, key: str | None, config: str | None, settings: str, *, runs: bool
) -> None:
    host.has(settings, None)
    if key is not None:
        host.patch.setenv("ANTHROPIC_API_KEY", key)
    if config is not None:
        host.home.mkdir(mode=0o700)
        (host.home / "config.json").write_text(config, encoding="utf-8")
    told = host.run("init", "--dry-run")
    extraction = answer(told)["extraction"]
    assert extraction.pop("reason").startswith("on" if runs else "off")
    assert extraction == {
        "runs": runs,
        "model": BY_KEY["model"].default,
        "spend_per_session": 0.25,
        "spend_per_day": 2.0,
    }
    assert "extraction" in host.run("init", "--dry-run", terminal=True).out


@pytest.mark.requirement("A7.3", "A9")
def test_init_reads_the_project(host: Host) -> None:
    (host.project / "pyproject.toml").write_text(
        '[project]\nname = "weather"\n', encoding="utf-8"
    )
    assert host.init()["profile"]["added"]
    again = host.init()["profile"]
    assert again["added"] == []
