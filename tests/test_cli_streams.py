"""Real processes on real pipes: signals, broken pipes, full disks, odd locales."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.corpora import report_page, write_corpus

if TYPE_CHECKING:
    from tests.conftest import InProcess, StartProbe

FULL = Path("/dev/full")


@pytest.mark.requirement("P18.3")
def test_ctrl_c_stops_a_process_without_a_traceback(probe_process: StartProbe) -> None:
    process = probe_process("do", "wait")
    assert process.stdout is not None
    assert json.loads(process.stdout.readline()) == {"ready": True}
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, b"")
    assert json.loads(err)["error"] == "INTERRUPTED"


@pytest.mark.requirement("P18.3")
def test_a_broken_pipe_is_silent_and_keeps_the_status(
    probe_process: StartProbe,
) -> None:
    process = probe_process("do", "much")
    assert process.stdout is not None
    assert process.stdout.read(1) == b"{"
    process.stdout.close()
    process.stdout = None
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")


@pytest.mark.requirement("P18.3")
def test_a_pipe_that_nobody_reads_is_silent_for_help_too(
    probe_process: StartProbe,
) -> None:
    read, write = os.pipe()
    os.close(read)
    process = probe_process("--help", stdout=write)
    os.close(write)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")


@pytest.mark.skipif(not FULL.exists(), reason="this system has no full device")
@pytest.mark.parametrize("arguments", [["do", "wind"], ["--help"], ["do", "stream"]])
def test_a_full_disk_is_a_failure_with_a_code(
    probe_process: StartProbe, arguments: list[str]
) -> None:
    full = os.open(FULL, os.O_WRONLY)
    process = probe_process(*arguments, stdout=full)
    os.close(full)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert json.loads(err)["error"] == "OUTPUT_FAILED"


@pytest.mark.requirement("P18.1")
@pytest.mark.parametrize("form", ["json", "text"])
def test_output_is_utf_8_whatever_the_locale(
    probe_process: StartProbe, form: str
) -> None:
    plain = {
        "LC_ALL": "C",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONIOENCODING": "ascii",
        "PYTHONUTF8": "0",
    }
    process = probe_process("do", "wind", "--format", form, env=plain)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")
    assert "ветер 風 \U0001f300" in out.decode("utf-8")


@pytest.mark.requirement("P18.1")
def test_bytes_that_are_no_text_never_crash_the_output(
    probe_process: StartProbe,
) -> None:
    process = probe_process("do", os.fsdecode(b"wind\xff"))
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")
    assert json.loads(out.decode("utf-8"))["query"] == "wind\ufffd"


@pytest.mark.requirement("P18.2")
def test_a_closed_stdout_is_a_failure_with_a_code(tmp_path: Path) -> None:
    code = (
        "import os, sys; os.close(1); sys.stdout = None;"
        " sys.argv[1:] = ['--version'];"
        " from corpus.cli.app import run; run()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stderr=subprocess.PIPE,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, json.loads(done.stderr)["error"]) == (2, "OUTPUT_FAILED")


INTERRUPTED_TWICE = """
import os, signal
from corpus.cli import app

def entry():
    try:
        os.kill(os.getpid(), signal.SIGINT)
    except KeyboardInterrupt:
        os.kill(os.getpid(), signal.SIGINT)
        return 130
    return 1

app.run_process(entry)
"""


@pytest.mark.requirement("P18.3")
def test_a_second_interrupt_does_not_disturb_the_first(
    program_env: dict[str, str],
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_TWICE],
        env=program_env,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (130, b"")


@pytest.mark.requirement("P18.1")
def test_what_a_terminal_would_obey_is_shown_in_a_pipe_too(
    tmp_path: Path, cli: InProcess
) -> None:
    hostile = report_page("report-one", summary="a \x1b[2J wipe and \u202e turned")
    root = write_corpus(tmp_path / "one", reports={"report-one": hostile})
    shown = cli("search", "wipe", "--format", "text", cwd=root)
    assert shown.status == 0
    assert "\x1b" not in shown.out
    assert "\u202e" not in shown.out
    assert "\x1b" in cli("show", "report-one", "--format", "text", cwd=root).out
