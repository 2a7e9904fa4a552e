"""The frame of the commands: formats, failures, exit status."""

from __future__ import annotations

import io
import json
import sys
from typing import TYPE_CHECKING

import pytest

from agentctx.cli.app import main as agentctx
from corpus.cli.app import main

if TYPE_CHECKING:
    from tests.conftest import InProcess

SIGN = "ветер 風 \U0001f300"
"""What the probe adds to every answer."""


def failure(text: str) -> dict[str, object]:
    value = json.loads(text)
    assert isinstance(value, dict)
    assert list(value) == ["ok", "error", "detail", "hint", "facts"]
    return value


@pytest.mark.requirement("P18.1")
def test_output_is_json_when_stdout_is_no_terminal(probe: InProcess) -> None:
    status, out, err = probe("do", "wind")
    assert (status, err) == (0, "")
    assert json.loads(out)["query"] == "wind"
    assert json.loads(out)["interactive"] is False
    assert out.startswith("{\n  ")


@pytest.mark.requirement("P18.1")
def test_output_is_text_on_a_terminal(probe: InProcess) -> None:
    assert probe("do", "wind", terminal=True) == (0, f"query wind\n{SIGN}\n", "")


@pytest.mark.requirement("P18.1")
@pytest.mark.parametrize("terminal", [False, True])
def test_format_overrides_what_the_terminal_suggests(
    probe: InProcess, *, terminal: bool
) -> None:
    _, as_json, _ = probe("do", "wind", "--format", "json", terminal=terminal)
    _, as_text, _ = probe("do", "--format=text", "wind", terminal=terminal)
    assert json.loads(as_json)["format"] == "json"
    assert as_text == f"query wind\n{SIGN}\n"


def test_the_time_of_a_call_is_utc(probe: InProcess) -> None:
    _, out, _ = probe("do", "wind")
    assert json.loads(out)["now"].endswith("+00:00")


@pytest.mark.requirement("P18.2")
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        pytest.param([], "USAGE", id="nothing"),
        pytest.param(["nope"], "USAGE", id="no such command"),
        pytest.param(["do"], "USAGE", id="missing query"),
        pytest.param(["do", "a", "b", "c"], "USAGE", id="too many"),
        pytest.param(["do", "--nope", "a"], "USAGE", id="unknown option"),
        pytest.param(["do", "a", "--limit"], "USAGE", id="option without value"),
        pytest.param(["do", "--", "--"], "USAGE", id="two separators"),
        pytest.param(["do", "a", "--format", "xml"], "USAGE", id="unknown format"),
        pytest.param(["do", "a", "--limit", "0"], "QUERY_LIMIT", id="limit 0"),
        pytest.param(["do", "a", "--limit", "101"], "QUERY_LIMIT", id="limit 101"),
        pytest.param(["do", "a", "--limit", "-5"], "QUERY_LIMIT", id="limit -5"),
        pytest.param(["do", "a", "--limit=x"], "QUERY_LIMIT", id="limit x"),
        pytest.param(["do", "a", "--limit", "٣"], "QUERY_LIMIT", id="other digits"),
        pytest.param(["do", "a", "--limit", "9" * 5000], "QUERY_LIMIT", id="huge"),
        pytest.param(["do", "a", "--max-tokens", "79"], "BUDGET_INVALID", id="79"),
        pytest.param(["do", "a", "--max-tokens", "1.5"], "BUDGET_INVALID", id="1.5"),
        pytest.param(["do", "fail"], "INDEX_MISSING", id="a command's failure"),
    ],
)
def test_every_failure_is_json_where_results_are(
    probe: InProcess, arguments: list[str], code: str
) -> None:
    status, out, err = probe(*arguments)
    assert (status, out) == (2, "")
    assert failure(err)["error"] == code
    assert failure(err)["ok"] is False


@pytest.mark.requirement("P18.2")
def test_a_failure_is_text_on_a_terminal(probe: InProcess) -> None:
    status, out, err = probe("do", "fail", terminal=True)
    assert (status, out) == (2, "")
    assert err.startswith("error[INDEX_MISSING]: ")
    assert "\nhint: " in err


@pytest.mark.requirement("P18.2")
def test_a_failure_follows_the_format_that_was_asked_for(probe: InProcess) -> None:
    _, _, on_terminal = probe("do", "fail", "--format=json", terminal=True)
    _, _, in_pipe = probe("do", "fail", "--format", "text")
    assert failure(on_terminal)["facts"] == {"path": "a.sqlite3"}
    assert in_pipe.startswith("error[INDEX_MISSING]: ")


@pytest.mark.requirement("P18.2")
def test_a_check_that_found_problems_exits_1(probe: InProcess) -> None:
    status, out, err = probe("do", "bad")
    assert (status, err) == (1, "")
    assert json.loads(out)["ok"] is False


@pytest.mark.requirement("P18.2")
@pytest.mark.parametrize("terminal", [False, True])
def test_a_defect_is_reported_by_kind_and_place_only(
    probe: InProcess, *, terminal: bool
) -> None:
    status, out, err = probe("do", "bug", terminal=terminal)
    assert (status, out) == (70, "")
    assert "BUG" in err
    assert "KeyError" in err
    assert "frame_probe:" not in err
    assert "corpus.cli.app:" in err
    assert "Traceback" not in err
    assert "someone" not in err


def test_the_traceback_of_a_defect_is_shown_on_demand(
    probe: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROJECT_CORPUS_DEBUG", "1")
    status, _, err = probe("do", "bug")
    assert status == 70
    assert "Traceback" in err


@pytest.mark.requirement("P18.3")
def test_an_interrupted_command_exits_130_and_prints_nothing(probe: InProcess) -> None:
    status, out, err = probe("do", "interrupt")
    assert (status, out) == (130, "")
    assert failure(err)["error"] == "INTERRUPTED"


def test_a_closed_stdout_is_a_failure_with_a_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    err = io.StringIO()
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", err)
    assert main(["--version"]) == 2
    assert failure(err.getvalue())["error"] == "OUTPUT_FAILED"


def test_a_stream_writes_each_value_on_its_own_line(probe: InProcess) -> None:
    _, out, _ = probe("do", "stream")
    assert [json.loads(line)["number"] for line in out.splitlines()] == [0, 1, 2]


def test_agentctx_has_the_same_frame(capsys: pytest.CaptureFixture[str]) -> None:
    assert agentctx(["--version"]) == 0
    assert capsys.readouterr().out.startswith("agentctx ")
    assert agentctx(["show"]) == 2
    assert failure(capsys.readouterr().err)["error"] == "USAGE"
