"""Observation never raises, never waits, and knows the same bug again."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentctx.observing.model import (
    LONGEST_COMMAND,
    LONGEST_DETAIL,
    LONGEST_SUMMARY,
    MOST_FAILING,
    NOTHING,
    Observed,
)
from agentctx.observing.observe import observe_failure, observe_use, worth_a_look
from tests.agentctx.observing.labelled import cases

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4)
    ),
    max_leaves=12,
)
TOOLS = st.sampled_from(["Bash", "PowerShell", "Edit", "Write", "NotebookEdit", "Glob"])
WORDS = st.sampled_from(
    ["pytest", "&&", "|", ";", "'", '"', "$(", ")", "<<EOF", "\n", "make", "test", ">",
     "a.log", "cat", "git", "commit", "-m", "`", "\\", "bash", "-c", "npm", "2>&1", "#"]
)  # fmt: skip
LINES = st.sampled_from(
    [line for case in cases() for line in case.output.split("\n")[:12]]
)


def failed(command: str, output: str, *, code: int = 1) -> Observed:
    error = f"Exit code {code}\n{output}"
    return observe_failure("Bash", {"command": command}, error, interrupted=False)


def key(command: str, output: str) -> str:
    failure = failed(command, output).failure
    assert failure is not None
    return failure.key


@pytest.mark.requirement("A4.7")
@given(tool=TOOLS, given_in=JSON, response=JSON)
@settings(max_examples=200, deadline=None)
def test_json_of_any_shape_never_raises(
    tool: str, given_in: object, response: object
) -> None:
    shapes = (given_in, {"command": given_in}, {"file_path": given_in})
    for shape in shapes:
        for answer in (response, {"stdout": response}, [response]):
            observe_use(tool, shape, answer)
            observe_failure(tool, shape, answer, interrupted=False)
            worth_a_look(tool, shape, answer)


@given(words=st.lists(WORDS, max_size=14), lines=st.lists(LINES, max_size=25))
@settings(max_examples=300, deadline=None)
def test_commands_and_outputs_in_pieces_never_raise_and_stay_bounded(
    words: list[str], lines: list[str]
) -> None:
    command = f"make test; pytest; {' '.join(words)}"
    observed = failed(command, "\n".join(lines))
    if observed.failure is not None:
        assert len(observed.failure.summary) <= LONGEST_SUMMARY
        assert len(observed.failure.detail) <= LONGEST_DETAIL
        assert len(observed.failure.command) <= LONGEST_COMMAND
        assert "\n" not in observed.failure.summary + observed.failure.key
    if observed.tests is not None:
        assert len(observed.tests.failing) <= MOST_FAILING


@given(command=st.text(max_size=200), output=st.text(max_size=200))
@settings(max_examples=200, deadline=None)
def test_any_command_and_any_output_never_raise(command: str, output: str) -> None:
    for tool in ("Bash", "PowerShell"):
        for line in (command, f"pytest; {command}", f"{command} && make test"):
            observe_use(tool, {"command": line}, {"stdout": output})


@pytest.mark.requirement("A4.7")
@pytest.mark.parametrize("tool", ["Edit", "MultiEdit", "Write"])
def test_an_edited_file_is_seen_as_it_was_given(tool: str) -> None:
    given_in = {"file_path": "/home/dev/shop/src/Ünïcode  file.py", "content": "x"}
    assert worth_a_look(tool, given_in, {"success": True})
    assert observe_use(tool, given_in, None) == Observed(
        files=("/home/dev/shop/src/Ünïcode  file.py",)
    )


def test_an_edited_notebook_is_seen_and_a_read_file_is_not() -> None:
    given_in = {"notebook_path": "a.ipynb"}
    assert observe_use("NotebookEdit", given_in, None).files == ("a.ipynb",)
    assert observe_use("Read", {"file_path": "a.py"}, None) == NOTHING
    assert not worth_a_look("Read", {"file_path": "a.py"}, None)


@pytest.mark.parametrize(
    "command",
    ["ls -la", "cat pytest.log", "echo pytest", "", "grep -r pytest .", "cd src"],
)
def test_a_command_that_can_show_nothing_is_not_worth_a_look(command: str) -> None:
    assert not worth_a_look("Bash", {"command": command}, {"stdout": "1 failed"})


@pytest.mark.parametrize("command", ["pytest", "git commit -m x", "npm run build"])
def test_a_command_that_may_show_something_is_worth_a_look(command: str) -> None:
    assert worth_a_look("Bash", {"command": command}, {"stdout": ""})


def test_an_interrupted_call_shows_nothing() -> None:
    given_in = {"command": "pytest -q"}
    output = "1 failed in 0.1s"
    answer = {"stdout": output, "stderr": "", "interrupted": True}
    assert observe_use("Bash", given_in, answer) == NOTHING
    error = f"Exit code 1\n{output}"
    assert observe_failure("Bash", given_in, error, interrupted=True) == NOTHING


def test_a_command_may_be_given_as_an_array() -> None:
    given_in = {"command": ["bash", "-lc", "pytest -q"]}
    assert not observe_use("shell", given_in, "3 failed in 0.1s").tests.ok  # type: ignore[union-attr]


def test_a_response_may_be_a_list_of_blocks() -> None:
    blocks = {"content": [{"type": "text", "text": "3 passed in 0.1s"}]}
    observed = observe_use("Bash", {"command": "pytest"}, blocks)
    assert observed.tests is not None
    assert observed.tests.passed == 3


def test_an_error_without_an_exit_code_shows_only_what_a_summary_says() -> None:
    given_in = {"command": "pytest; python app.py"}
    error = "FAILED a.py::b - x\n1 failed, 2 passed in 0.1s"
    observed = observe_failure("Bash", given_in, error, interrupted=False)
    assert observed.tests is not None
    assert observed.tests.failed == 1


def test_a_long_name_leaves_room_for_the_error() -> None:
    name = f"tests/{'deep/' * 20}test_a.py::test_the_last_part_is_kept"
    observed = failed("pytest", f"FAILED {name} - KeyError: 'n'\n1 failed in 1s")
    assert observed.failure is not None
    assert observed.failure.summary.endswith(
        "test_the_last_part_is_kept: KeyError: 'n'"
    )


RERUN = """\
__________ test_upload[{case}] __________
tests/test_upload.py:{line}: in test_upload
    upload(path)
E   OSError: {took} s, at {at}: cannot read {path} for <Upload object at {address}> \
of {uuid} ({count} bytes)
=========== short test summary info ===========
FAILED tests/test_upload.py::test_upload[{case}] - OSError: {took} s, at {at}: cannot \
read {path} for <Upload object at {address}> of {uuid} ({count} bytes)
1 failed, {count} passed in {took}s
"""
FIRST = {
    "case": "png",
    "line": 12,
    "took": "0.31",
    "at": "2026-01-01T10:00:00Z",
    "path": "/tmp/pytest-of-dev/pytest-1/a.png",  # noqa: S108 - only a text
    "address": "0x7f1f2c0b5d90",
    "uuid": "6a1f6f0e-1b1f-4c3e-9d2b-0c5d7e8f9a0b",
    "count": 3,
}
SECOND = {
    "case": "png",
    "line": 15,
    "took": "11.02",
    "at": "2026-02-03T11:22:33.123+02:00",
    "path": "/private/var/folders/xy/T/pytest-7/a.png",
    "address": "0x10ab",
    "uuid": "7b1f6f0e-1b1f-4c3e-9d2b-0c5d7e8f9a0c",
    "count": 41,
}


@pytest.mark.requirement("A4.7")
def test_the_same_bug_has_the_same_key_at_another_time_and_place() -> None:
    first = key("pytest -q", RERUN.format(**FIRST))
    second = key("cd api && uv run pytest 2>&1 | tail -20", RERUN.format(**SECOND))
    assert first == second


@pytest.mark.requirement("A4.7")
def test_another_bug_has_another_key() -> None:
    first = RERUN.format(**FIRST)
    others = [
        RERUN.format(**{**FIRST, "case": "jpg"}),
        first.replace("OSError", "ValueError"),
        first.replace("cannot read", "cannot write"),
        first.replace("test_upload.py", "test_download.py"),
    ]
    assert len({key("pytest -q", output) for output in (first, *others)}) == 5


def test_a_diagnostic_keeps_its_key_when_its_line_moves() -> None:
    one = "src/a.ts(12,5): error TS2322: Type 'string' is not assignable to 'number'.\n"
    moved = one.replace("(12,5)", "(40,1)")
    elsewhere = one.replace("a.ts", "b.ts")
    assert key("npx tsc", one) == key("pnpm tsc --noEmit", moved)
    assert key("npx tsc", one) != key("npx tsc", elsewhere)


def test_colours_and_line_ends_change_no_key() -> None:
    plain = "FAILED tests/test_a.py::test_one - ValueError: bad\n1 failed in 0.1s\n"
    painted = plain.replace("FAILED", "\x1b[31mFAILED\x1b[0m").replace("\n", "\r\n")
    assert key("pytest", plain) == key("pytest", painted)


def test_the_order_of_failing_tests_changes_no_key() -> None:
    one = "FAILED tests/test_a.py::test_one - ValueError: bad"
    two = "FAILED tests/test_b.py::test_two - KeyError: 'n'"
    end = "2 failed in 0.1s"
    first = key("pytest", f"{one}\n{two}\n{end}")
    assert first == key("pytest -n 4", f"{two}\n{one}\n{end}")


def test_what_hides_or_reorders_is_taken_out() -> None:
    output = "FAILED tests/test_a.py::test_\u202eone - Value\u200bError: a\x07b\n"
    output += "1 failed in 1s"
    failure = failed("pytest -q # \u202e", output).failure
    assert failure is not None
    told = json.dumps(failure, ensure_ascii=False)
    assert not {"\u202e", "\u200b", "\x07"} & set(told)


HOSTILE = {
    "one line": "E" * 1_000_000,
    "spaces": " " * 1_000_000,
    "blank lines": "\n" * 1_000_000,
    "colons": "a.py:1: " * 130_000,
    "paths": "/a" * 500_000,
    "dots": "a." * 500_000,
    "returns": "x\r" * 500_000,
    "escapes": "\x1b[31m" * 200_000,
    "open escapes": "\x1b]" * 500_000,
    "failures": "FAILED a.py::b - c\n" * 50_000,
    "counts": "1 failed, " * 100_000,
    "summaries": "1 failed, 2 passed in 0.1s\n" * 37_000,
    "numbered": "  1) a\n       b:\n" * 60_000,
    "frames": "Error: x\n    at f (/a/b.js:1:2)\n" * 30_000,
    "tracebacks": "Traceback (most recent call last):\n" * 28_000,
    "python frames": '  File "a.py", line 1\n' * 45_000,
    "errors of rust": "error: x\n |\n" * 90_000,
    "panics": "panic: x\n" * 110_000,
    "bullets": "  ● a › b\n" * 90_000,
    "quotes": "thread 'a" * 110_000,
    "boxes": "  1 failed\n    a\n" * 60_000,
    "underlines": "_" * 500_000 + "\n" + "=" * 500_000,
    "brackets": "[ERROR] " * 120_000,
    "TAP": "not ok 1 - a\n# tests 1\n# pass 1\n" * 30_000,
    "urls": "remote: https://a/pull/1 " * 40_000,
    "suites": "Test Suites: 1 failed, 1 total\n" * 30_000,
    "parts": "Ran 1 test in 1s\n\n" * 55_000,
    "exceptions": 'Exception in thread "a" b: c\n\tat d\n' * 27_000,
}
COMMANDS = {
    "a script": "make test",
    "a runner": "pytest",
    "git": "git push; git commit -m x; npm test; python x.py",
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize("output", HOSTILE.values(), ids=HOSTILE)
def test_a_megabyte_of_anything_takes_no_time(output: str, command: str) -> None:
    failed("make test; pytest; git push", "1 failed")  # compile the patterns
    taken = []
    for _ in range(3):
        start = time.process_time()
        failed(command, output)
        taken.append(time.process_time() - start)
    assert min(taken) < 0.15


@pytest.mark.parametrize(
    "command",
    [
        '"' * 100_000,
        "$(" * 50_000,
        "a" * 100_000,
        "a | " * 30_000,
        "A=b " * 30_000,
        "sudo " * 30_000,
        "bash -c '" * 20_000,
        "<<EOF\n" * 20_000,
        "python -m " * 20_000,
        "pytest > a; cat a; " * 8_000,
        "git commit;" * 10_000,
        "\\" * 100_000,
        "`" * 99_999,
    ],
    ids=lambda command: command[:8],
)
def test_a_long_command_takes_no_time(command: str) -> None:
    start = time.process_time()
    failed(command, "1 failed in 0.1s")
    observe_use("PowerShell", {"command": command}, {"stdout": "1 failed in 0.1s"})
    assert time.process_time() - start < 0.5


HEAVY = ("dataclasses", "pathlib", "asyncio", "subprocess", "argparse", "shlex")


def test_importing_us_imports_little_and_compiles_nothing() -> None:
    code = (
        "import sys, re\n"
        "before = set(sys.modules)\n"
        "made = []\n"
        "old = re.compile\n"
        "re.compile = lambda *a, **k: made.append(a) or old(*a, **k)\n"
        "import agentctx.observing.observe\n"
        f"print(made, sorted((set(sys.modules) - before) & set({HEAVY!r})))\n"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stdout == "[] []\n"
