"""The settings: one table, one file, and nothing of it lost."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agentctx.config import (
    SETTINGS,
    home,
    parse_setting,
    read_config,
    setting_of,
    write_setting,
)
from agentctx.errors import ConfigFileError, HomeError
from tests.agentctx.answers import answer, faults, refusal

if TYPE_CHECKING:
    from tests.conftest import InProcess

DEFAULTS = {
    "llm": True,
    "embeddings": True,
    "modelTier": "default",
    "reinforceThreshold": 3,
    "model": "claude-haiku-5-5",
    "inputPrice": 0.0,
    "outputPrice": 0.0,
    "spendPerSession": 0.25,
    "spendPerDay": 2.0,
    "memory": True,
    "turnLeaseMinutes": 30,
    "branchStaging": True,
    "mainBranch": "auto",
    "redact": True,
}


def config_file(folder: Path, text: str) -> Path:
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / "config.json"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.requirement("A9")
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"AGENTCTX_HOME": "/srv/ctx", "HOME": "/home/a"}, "/srv/ctx"),
        ({"AGENTCTX_HOME": "/srv/./ctx/", "HOME": "/home/a"}, "/srv/ctx"),
        ({"AGENTCTX_HOME": "ctx", "HOME": "/home/a"}, "ctx"),
        ({"AGENTCTX_HOME": "", "HOME": "/home/a"}, "/home/a/.agentctx"),
        ({"HOME": "/home/a"}, "/home/a/.agentctx"),
    ],
    ids=["given", "given unclean", "relative", "empty", "usual"],
)
def test_the_home_is_the_one_given_or_the_usual_one(
    given: dict[str, str], expected: str
) -> None:
    assert home(given) == expected


@pytest.mark.requirement("A9")
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"AGENTCTX_HOME": "ctx"}, "AGENTCTX_HOME"),
        ({"AGENTCTX_HOME": None, "HOME": ""}, "AGENTCTX_HOME"),
        ({"AGENTCTX_HOME": None, "HOME": "here"}, "AGENTCTX_HOME"),
        ({"AGENTCTX_HOME": None, "HOME": "ABSENT"}, "no folder"),
        ({"AGENTCTX_HOME": "ABSENT"}, "no folder"),
    ],
    ids=["relative", "no home", "relative home", "absent home", "absent folder"],
)
def test_a_home_in_an_odd_place_is_told_and_nothing_is_made(
    agentctx: InProcess,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    given: dict[str, str | None],
    expected: str,
) -> None:
    absent = tmp_path / "absent" / "user"
    for name, text in given.items():
        if text is None:
            monkeypatch.delenv(name)
        else:
            monkeypatch.setenv(name, str(absent) if text == "ABSENT" else text)
    before = sorted(tmp_path.rglob("*"))
    status = answer(agentctx("status"))
    assert faults(status) == ["HOME_UNUSABLE"]
    told = status["degraded"][0]
    assert expected in told["detail"]
    found = answer(agentctx("search", "wind"), status=1)
    assert found["degraded"] == "HOME_UNUSABLE"
    (problem,) = answer(agentctx("config"))["problems"]
    assert problem["code"] == "HOME_UNUSABLE"
    assert answer(agentctx("doctor"), status=1)["ok"] is False
    for words in (("add", "decision", "The wind turns"), ("config", "--no-llm")):
        assert refusal(agentctx(*words)) == "HOME_UNUSABLE"
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.requirement("A9")
def test_settings_without_effect_are_shown_as_such(agentctx: InProcess) -> None:
    listed = answer(agentctx("config", "list"))["settings"]
    idle = {one["key"] for one in listed if not one["in_effect"]}
    assert idle == {"embeddings", "modelTier", "redact"}
    shown = agentctx("config", terminal=True).out
    assert shown.count("no effect yet") == len(idle)


@pytest.mark.requirement("A9")
def test_every_setting_has_a_default_that_it_takes_itself() -> None:
    assert {one.key: one.default for one in SETTINGS} == DEFAULTS
    for one in SETTINGS:
        text = str(one.default).lower() if one.kind is bool else str(one.default)
        assert parse_setting(one.key, text) == one.default


@pytest.mark.requirement("A9")
def test_a_setting_that_was_set_is_read_back(
    agentctx: InProcess, store_home: Path
) -> None:
    for key, text, value in (
        ("llm", "off", False),
        ("modelTier", "quality", "quality"),
        ("reinforceThreshold", "5", 5),
        ("model", "claude-test", "claude-test"),
        ("spendPerDay", "1.5", 1.5),
        ("spendPerSession", "0", 0.0),
    ):
        done = answer(agentctx("config", "set", key, text))
        assert (done["value"], done["set"]) == (value, True)
        assert answer(agentctx("config", "get", key)) == done
        assert type(done["value"]) is setting_of(key).kind
    listed = answer(agentctx("config", "list"))
    assert [one["key"] for one in listed["settings"]] == list(DEFAULTS)
    config = read_config(str(store_home))
    assert (config.flag("llm"), config.number("spendPerDay")) == (False, 1.5)
    assert config.text("model") == "claude-test"


@pytest.mark.requirement("A9")
def test_llm_has_switches_of_its_own(agentctx: InProcess) -> None:
    assert answer(agentctx("config", "--no-llm"))["value"] is False
    assert answer(agentctx("config", "get", "llm"))["value"] is False
    assert answer(agentctx("config", "--llm"))["value"] is True
    assert refusal(agentctx("config", "--llm", "--no-llm")) == "USAGE"
    assert refusal(agentctx("config", "list", "--llm")) == "USAGE"


@pytest.mark.requirement("A9")
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("get",), "USAGE"),
        (("set", "llm"), "USAGE"),
        (("get", "llm", "true"), "USAGE"),
        (("list", "llm"), "USAGE"),
        (("drop", "llm"), "USAGE"),
        (("get", "colour"), "CONFIG_KEY"),
        (("set", "colour", "red"), "CONFIG_KEY"),
        (("set", "llm", "maybe"), "CONFIG_VALUE"),
        (("set", "modelTier", "huge"), "CONFIG_VALUE"),
        (("set", "reinforceThreshold", "0"), "CONFIG_VALUE"),
        (("set", "reinforceThreshold", "2.5"), "CONFIG_VALUE"),
        (("set", "reinforceThreshold", "9" * 5000), "CONFIG_VALUE"),
        (("set", "spendPerDay", "-1"), "CONFIG_VALUE"),
        (("set", "spendPerDay", "nan"), "CONFIG_VALUE"),
        (("set", "spendPerDay", "1e999"), "CONFIG_VALUE"),
        (("set", "spendPerDay", "٣"), "CONFIG_VALUE"),
        (("set", "model", ""), "CONFIG_VALUE"),
        (("set", "model", "a\nb"), "CONFIG_VALUE"),
        (("set", "model", "x" * 201), "CONFIG_VALUE"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, tuple) else value,
)
def test_what_a_setting_does_not_take_is_refused(
    agentctx: InProcess, store_home: Path, words: tuple[str, ...], code: str
) -> None:
    assert refusal(agentctx("config", *words)) == code
    assert not (store_home / "config.json").exists()


@pytest.mark.requirement("A9")
def test_keys_of_others_are_kept(agentctx: InProcess, store_home: Path) -> None:
    path = config_file(store_home, '{"theirs": {"a": [1, "ü"]}, "llm": true}')
    answer(agentctx("config", "set", "llm", "false"))
    stored = json.loads(path.read_text(encoding="utf-8"))
    assert stored == {"theirs": {"a": [1, "ü"]}, "llm": False}


@pytest.mark.requirement("A9")
def test_the_file_is_private_and_a_link_stays_a_link(
    agentctx: InProcess, store_home: Path, tmp_path: Path
) -> None:
    if os.name == "nt":
        pytest.skip("no modes there")
    answer(agentctx("config", "--no-llm"))
    path = store_home / "config.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(store_home.stat().st_mode) == 0o700
    target = tmp_path / "dotfiles.json"
    target.write_text('{"model": "x"}', encoding="utf-8")
    path.unlink()
    path.symlink_to(target)
    answer(agentctx("config", "--no-llm"))
    assert path.is_symlink()
    assert json.loads(target.read_text(encoding="utf-8")) == {
        "model": "x",
        "llm": False,
    }
    assert [one.name for one in store_home.iterdir()] == ["config.json"]


@pytest.mark.requirement("A9")
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("{", id="cut off"),
        pytest.param("[]", id="no object"),
        pytest.param('{"llm": true, "llm": false}', id="a key twice"),
        pytest.param('{"spendPerDay": NaN}', id="no number"),
        pytest.param("[" * 100_000, id="nested without end"),
        pytest.param(f'{{"x": {"9" * 5000}}}', id="a number without end"),
        pytest.param(f'{{"x": "{"x" * 70_000}"}}', id="too large"),
        pytest.param('{"x": "\udcff"}', id="not UTF-8"),
    ],
)
def test_a_damaged_file_stays_as_it_is_and_the_defaults_hold(
    agentctx: InProcess, store_home: Path, text: str
) -> None:
    store_home.mkdir(mode=0o700)
    path = store_home / "config.json"
    content = text.encode("utf-8", "surrogateescape")
    path.write_bytes(content)
    for words in (("list",), ("get", "llm"), ("set", "llm", "false")):
        assert refusal(agentctx("config", *words)) == "CONFIG_UNREADABLE"
    config = read_config(str(store_home))
    assert config.values == DEFAULTS
    assert [one.code for one in config.problems] == ["CONFIG_UNREADABLE"]
    assert path.read_bytes() == content


@pytest.mark.requirement("A9")
def test_a_value_that_cannot_be_used_counts_as_the_default(
    agentctx: InProcess, store_home: Path
) -> None:
    config_file(
        store_home,
        '{"llm": "yes", "model": 3, "spendPerDay": 1, "reinforceThreshold": true,'
        ' "memory": [], "modelTier": {"a": 1}}',
    )
    config = read_config(str(store_home))
    assert config.values == {**DEFAULTS, "spendPerDay": 1.0}
    assert config.set_keys == {"spendPerDay"}
    assert [one.code for one in config.problems] == ["CONFIG_VALUE"] * 5
    shown = agentctx("config", terminal=True)
    assert shown.out.count("not used: ") == 5
    answer(agentctx("config", "set", "llm", "false"))
    assert read_config(str(store_home)).flag("llm") is False


@pytest.mark.requirement("A9")
def test_what_is_no_file_is_never_waited_for(store_home: Path) -> None:
    if os.name == "nt":
        pytest.skip("no FIFOs there")
    store_home.mkdir(mode=0o700)
    os.mkfifo(store_home / "config.json")
    assert read_config(str(store_home)).values == DEFAULTS
    with pytest.raises(ConfigFileError):
        write_setting(str(store_home), "llm", False)  # noqa: FBT003 - the value


@pytest.mark.requirement("A9")
def test_a_home_that_cannot_be_made_is_an_error_with_a_code(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(HomeError):
        write_setting(str(tmp_path / "file" / "home"), "llm", False)  # noqa: FBT003


@pytest.mark.requirement("A9")
def test_settings_written_at_once_are_all_kept(
    store_home: Path, program_env: dict[str, str]
) -> None:
    code = (
        "import sys; from agentctx.config import write_setting;"
        "[write_setting(sys.argv[1], sys.argv[2], n / 100) for n in range(40)]"
    )
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(store_home), key], env=program_env
        )
        for key in ("spendPerDay", "spendPerSession")
    ]
    assert [one.wait(timeout=60) for one in running] == [0, 0]
    config = read_config(str(store_home))
    assert config.number("spendPerDay") == config.number("spendPerSession") == 0.39


@pytest.mark.requirement("A9")
def test_reading_settings_loads_nothing_heavy(program_env: dict[str, str]) -> None:
    code = "import sys, agentctx.config; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=program_env,
        capture_output=True,
        check=True,
        encoding="utf-8",
        cwd=Path("/"),
    )
    heavy = {"argparse", "dataclasses", "subprocess", "tempfile", "uuid", "logging"}
    heavy |= {"platformdirs", "markdown_it", "sqlite3", "asyncio"}
    assert {name.partition(".")[0] for name in done.stdout.split()} & heavy == set()
