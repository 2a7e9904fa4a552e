"""No daemon: a command and a server end with their work, and leave nobody (A1.1)."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

RUN = "import sys; from agentctx.cli.app import run; run()"


@pytest.mark.requirement("A1.1")
@pytest.mark.skipif(os.name == "nt", reason="process groups are POSIX")
@pytest.mark.parametrize(
    "words",
    [
        ("add", "decision", "Readings are kept in UTC"),
        ("search", "readings"),
        ("doctor",),
        ("mcp",),
    ],
    ids=lambda words: words[0],
)
def test_nothing_of_a_command_outlives_it(
    tmp_path: Path, program_env: dict[str, str], words: tuple[str, ...]
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, *words],
        cwd=tmp_path,
        env={**program_env, "AGENTCTX_HOME": str(tmp_path / "home")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    _, said = process.communicate(timeout=60)
    assert process.returncode == 0, said
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
