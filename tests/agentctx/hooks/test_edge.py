"""Hooks as processes: always status 0, silent on failure, told by status (A4.1)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agentctx.briefing.state import state_path
from agentctx.clients.claude_hooks import HOOKS
from agentctx.failures import last_failures
from agentctx.hooks.app import DEADLINE, DEADLINE_FOR, EVENTS
from tests.agentctx.hooked import SESSION, Client, context, environment, start_hook
from tests.agentctx.hooks.shelf import Shelf, other_items
from tests.agentctx.memory.recalled import item

if TYPE_CHECKING:
    from tests.agentctx.hooks.conftest import Desk

PROMPT = "how long does the uploader wait when it retries?"

GARBAGE = [
    pytest.param(b"", id="nothing"),
    pytest.param(b"{", id="cut"),
    pytest.param(b"null", id="null"),
    pytest.param(b"[1, 2]", id="a list"),
    pytest.param(b"\xff\xfe\x00\x80", id="no text"),
    pytest.param(b"[" * 200_000, id="deep"),
    pytest.param(b'{"session_id": ' + b"9" * 10_000 + b"}", id="a long number"),
    pytest.param(b'{"prompt": "' + b"a" * 1_000_000, id="truncated"),
]

HOSTILE = [
    pytest.param({"session_id": ["x"], "cwd": 7, "prompt": {}}, id="wrong types"),
    pytest.param({"session_id": "../../../etc/passwd", "cwd": "/"}, id="a path"),
    pytest.param({"session_id": "x" * 100_000}, id="a long id"),
    pytest.param({"session_id": "a\x00b", "cwd": "/a\x00x"}, id="NUL"),
    pytest.param({"cwd": "relative/path"}, id="relative"),
    pytest.param({"cwd": "/nowhere/at/all"}, id="no such folder"),
    pytest.param({"transcript_path": "/dev/zero"}, id="a device"),
    pytest.param({"transcript_path": "/"}, id="a folder"),
    pytest.param({"prompt": "\ud800 uploader"}, id="half a surrogate"),
    pytest.param({"tool_name": "Bash", "tool_input": [], "error": 3}, id="no command"),
    pytest.param({"agent_id": {}, "source": 3, "new_cwd": []}, id="other fields"),
]


@pytest.mark.requirement("A4.1")
@pytest.mark.parametrize("event", EVENTS)
def test_every_event_takes_any_payload(event: str, client: Client) -> None:
    """Each event meets two of what is none; a prompt meets all of them below."""
    place = [*EVENTS].index(event)
    for case in (GARBAGE[place % 4], GARBAGE[7]):
        run = start_hook(event, case.values[0], client.home)
        assert (run.returncode, run.stdout, run.stderr) == (0, b"", b"")
    assert {one.code for one in last_failures(str(client.home))} == {"HOOK_PAYLOAD"}


@pytest.mark.requirement("A4.1")
@pytest.mark.parametrize("content", GARBAGE)
def test_garbage_is_silent_and_told_by_status(client: Client, content: bytes) -> None:
    run = start_hook("user-prompt-submit", content, client.home)
    assert (run.returncode, run.stdout, run.stderr) == (0, b"", b"")
    (failure,) = last_failures(str(client.home))
    assert (failure.where, failure.code) == ("user-prompt-submit", "HOOK_PAYLOAD")


@pytest.mark.requirement("A4.1")
@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("fields", HOSTILE)
def test_a_hostile_payload_ends_no_hook(
    event: str, fields: dict[str, object], client: Client, desk: Desk
) -> None:
    desk.keep("Use SQLite")
    try:
        told = client.hook(event, **fields)
    except Exception as error:  # noqa: BLE001 - coded ones are kept in the log
        assert hasattr(error, "code"), repr(error)  # noqa: PT017 - any coded one
    else:
        json.dumps(told).encode()
    names = {path.name for path in client.home.rglob("*")}
    assert not any("passwd" in name for name in names)


@pytest.mark.requirement("A4.1")
def test_an_unknown_event_is_silent(client: Client) -> None:
    for event in ("worktree-create", "nonsense", "../x", "notification"):
        run = start_hook(event, {}, client.home)
        assert (run.returncode, run.stdout, run.stderr) == (0, b"", b"")


@pytest.mark.requirement("A4.1", "A4.9")
def test_what_is_registered_is_heard_and_within_the_clients_time() -> None:
    assert [(hook.slug, hook.event) for hook in HOOKS] == [
        (slug, event) for slug, (_, event) in EVENTS.items()
    ]
    for hook in HOOKS:
        assert DEADLINE_FOR.get(hook.slug, DEADLINE) < hook.timeout


@pytest.mark.requirement("A4.1")
def test_a_client_that_never_ends_its_input_is_left_in_time(client: Client) -> None:
    read, write = os.pipe()
    try:
        started = time.monotonic()
        run = subprocess.run(
            [sys.executable, "-P", "-m", "agentctx", "hook", "session-end"],
            stdin=read,
            capture_output=True,
            timeout=30,
            check=False,
            env=environment(client.home),
        )
        lasted = time.monotonic() - started
    finally:
        os.close(read)
        os.close(write)
    assert (run.returncode, run.stdout, run.stderr) == (0, b"", b"")
    assert lasted < 10
    (failure,) = last_failures(str(client.home))
    assert failure.code == "HOOK_DEADLINE"


@pytest.mark.requirement("A4.1")
def test_a_reader_that_is_gone_is_no_failure(client: Client, desk: Desk) -> None:
    desk.keep("Use SQLite")
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "agentctx", "hook", "session-start"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(client.home),
    )
    assert process.stdout is not None
    process.stdout.close()
    _, errors = _communicate(process, client.payload("session-start"))
    assert (process.returncode, errors) == (0, b"")


def _communicate(
    process: subprocess.Popen[bytes], payload: dict[str, object]
) -> tuple[bytes, bytes]:
    assert process.stdin is not None
    assert process.stderr is not None
    process.stdin.write(json.dumps(payload).encode())
    process.stdin.close()
    errors = process.stderr.read()
    process.stderr.close()
    process.wait(timeout=30)
    return b"", errors


@pytest.mark.requirement("A4.1", "A3.3")
@pytest.mark.parametrize("event", EVENTS)
def test_a_broken_store_ends_no_hook_and_stays_as_it_is(
    event: str, client: Client, desk: Desk
) -> None:
    desk.keep("The uploader retries", "It waits 2, 4 and 8 seconds.")
    desk.store.close()
    path = client.home / "agentctx.db"
    broken = path.read_bytes()[:5000] + b"\x00" * 4096
    path.write_bytes(broken)
    fields = {"prompt": PROMPT, "tool_name": "Write", "tool_input": {"file_path": "a"}}
    run = start_hook(event, client.payload(event, **fields), client.home)
    assert (run.returncode, run.stderr) == (0, b"")
    if run.stdout:
        assert "8 seconds" not in context(run.stdout.decode())
    assert path.read_bytes() == broken


@pytest.mark.requirement("A4.1")
@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_read_only_home_still_tells(client: Client, desk: Desk) -> None:
    desk.keep("The uploader retries", "It waits 2, 4 and 8 seconds.")
    desk.store.close()
    for path in (client.home, *client.home.rglob("*")):
        path.chmod(0o500 if path.is_dir() else 0o400)
    run = start_hook(
        "user-prompt-submit",
        client.payload("user-prompt-submit", prompt=PROMPT),
        client.home,
    )
    assert (run.returncode, run.stderr) == (0, b"")


@pytest.mark.requirement("A4.1")
def test_a_home_that_is_a_file_ends_no_hook(tmp_path: Path, project: Path) -> None:
    home = tmp_path / "home-file"
    home.write_text("mine", encoding="utf-8")
    client = Client(home, project)
    for event in EVENTS:
        run = start_hook(event, client.payload(event, prompt=PROMPT), home)
        assert (run.returncode, run.stdout, run.stderr) == (0, b"", b"")
    assert home.read_text(encoding="utf-8") == "mine"


@pytest.mark.requirement("A4.1")
def test_the_log_is_private_small_and_holds_no_text(client: Client) -> None:
    client.home.mkdir(exist_ok=True)
    client.home.chmod(0o700)
    log = client.home / "logs" / "failures.log"
    secret = b'{"prompt": "my password is hunter2'
    start_hook("stop", secret, client.home)
    assert log.stat().st_mode & 0o777 == 0o600
    assert b"hunter2" not in log.read_bytes()
    log.write_bytes(log.read_bytes() * 4000)
    start_hook("stop", secret, client.home)
    start_hook("stop", secret, client.home)
    assert log.stat().st_size < 1000
    assert (client.home / "logs" / "failures.1.log").exists()


ALLOWED_OUTSIDE = {"snowballstemmer"}
HEAVY = {
    *("argparse", "asyncio", "dataclasses", "hashlib", "inspect", "logging"),
    *("pathlib", "subprocess", "typing"),
}

TRACE = """
import json, os, sys
before = set(sys.modules)
real = os._exit
own = os.getpid()
def leave(status):
    if os.getpid() != own:
        real(status)
    names = sorted(set(sys.modules) - before)
    files = {n: getattr(sys.modules[n], "__file__", None) for n in names}
    os.write(2, json.dumps(files).encode())
    real(status)
os._exit = leave
sys.argv = ["agentctx", "hook", sys.argv[1]]
from agentctx.start import run
run()
"""


@pytest.mark.requirement("A4.1", "A1.6")
@pytest.mark.parametrize("event", EVENTS)
def test_a_hook_imports_the_standard_library_and_light_modules_only(
    event: str, client: Client, desk: Desk
) -> None:
    desk.keep("The uploader retries", "It waits 2, 4 and 8 seconds.")
    shelf = Shelf(client)
    shelf.believe(item(1, "The uploader", "The uploader retries."), *other_items())
    shelf.come_to("The uploader was rewritten.")
    if event != "user-prompt-submit":  # a turn of long ago, to be held or ended
        client.hook("user-prompt-submit", prompt=PROMPT)
        os.utime(state_path(str(client.home), SESSION), (0, 0))
    transcript = client.cwd / "session.jsonl"
    transcript.write_text(
        json.dumps(
            {
                "type": "user",
                "uuid": "u1",
                "message": {"role": "user", "content": "fix the uploader's retries"},
            }
        )
        + "\n",
        encoding="utf-8",
    )
    payload = client.payload(
        event,
        prompt=PROMPT,
        transcript_path=str(transcript),
        source="startup",
        agent_id="a" if event == "subagent-start" else None,
        tool_name="Bash",
        tool_input={"command": "pytest -q"},
        tool_response={"stdout": "1 failed, 2 passed in 0.1s", "stderr": ""},
        error="Exit code 1\nFAILED tests/test_a.py::test_b - assert 1 == 2\n1 failed",
    )
    run = subprocess.run(
        [sys.executable, "-P", "-c", TRACE, event],
        input=json.dumps(payload).encode(),
        capture_output=True,
        timeout=30,
        check=False,
        env=environment(client.home),
    )
    assert run.returncode == 0
    loaded = json.loads(run.stderr)
    assert not last_failures(str(client.home))
    foreign = {
        name.partition(".")[0]
        for name, file in loaded.items()
        if file and "site-packages" in file
    }
    assert foreign - ALLOWED_OUTSIDE <= {"agentctx", "corpus"}
    roots = {name.partition(".")[0] for name in loaded}
    assert roots <= set(sys.stdlib_module_names) | ALLOWED_OUTSIDE | {
        "agentctx",
        "corpus",
    }
    assert not HEAVY & set(loaded)
    ours = {name for name in loaded if name.startswith(("agentctx.", "corpus."))}
    assert not {one for one in ours if one.startswith(("agentctx.llm", "corpus.mcp"))}
    assert event == "pre-compact" or "agentctx.memory.opening" in ours


def test_the_trace_sees_what_a_hook_loads() -> None:
    assert "agentctx.start" in TRACE
    assert Path(sys.executable).exists()
