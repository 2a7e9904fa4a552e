"""The chat as a process of its own: a pipe in, a signal, and what stays of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.agentctx.chat.talking import kept, minded
from tests.agentctx.hooked import environment
from tests.agentctx.llm.fakeapi import FakeApi, Says
from tests.agentctx.working import RUN

if TYPE_CHECKING:
    from pathlib import Path

needs_signals = pytest.mark.skipif(os.name == "nt", reason="signals are POSIX")


@needs_signals
@pytest.mark.requirement("M2.1(a)", "M2.3(a)", "M2.3(b)", "M10.1")
def test_an_interrupt_ends_the_answer_and_not_the_chat(
    store_home: Path, project: Path
) -> None:
    said = [
        Says(text="Once upon a time", stall=True),
        Says(text="And again", stall=True),
        Says(text="The end."),
    ]
    with FakeApi(minded(said, extract=False)) as api:
        more = {"ANTHROPIC_API_KEY": "sk-x", "ANTHROPIC_BASE_URL": api.url}
        with subprocess.Popen(
            [sys.executable, "-P", "-c", RUN, "chat", "--format", "text"],
            cwd=project,
            env=environment(store_home, PYTHONPATH=sys.path[0] or ".", **more),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write("Erzähl. Tell me a story.\n".encode())
            assert process.stdout.read(4) == b"Once"
            process.send_signal(signal.SIGINT)
            process.stdin.write(b"Another.\n")
            shown = b"Once"
            while b"And" not in shown:
                shown += process.stdout.read(1)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(b"Shorter.\n", timeout=60)
    assert process.returncode == 1
    assert out.endswith(b"The end.\n")
    assert err.count(b"interrupted\n") == 2
    assert kept(project) == [
        ("interrupted", "Erzähl. Tell me a story.", ""),
        ("interrupted", "Another.", ""),
        ("completed", "Shorter.", "The end."),
    ]


@pytest.mark.requirement("M10.1")
def test_a_reader_that_went_away_ends_the_chat_quietly(
    store_home: Path, project: Path
) -> None:
    with FakeApi(minded([Says(text="Yes. " * 9_000)], extract=False)) as api:
        more = {"ANTHROPIC_API_KEY": "sk-x", "ANTHROPIC_BASE_URL": api.url}
        with subprocess.Popen(
            [sys.executable, "-P", "-c", RUN, "chat", "--format", "text"],
            cwd=project,
            env=environment(store_home, PYTHONPATH=sys.path[0] or ".", **more),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            assert process.stdout is not None
            assert process.stdin is not None
            process.stdin.write(b"Hi.\nHi again.\n")
            process.stdin.close()
            assert process.stdout.read(3) == b"Yes"
            process.stdout.close()
            assert process.stderr is not None
            err = process.stderr.read()
            assert process.wait(60) == 0
    assert err == b""
    assert [state for (state,) in kept(project, "state")] == ["failed"]
