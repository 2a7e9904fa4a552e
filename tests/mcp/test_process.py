"""The server as a process: both eras, the locale, its end, and what it never says."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from corpus.mcp.server import INSTRUCTIONS
from tests.corpora import HOME, report_page, write
from tests.mcp.serving import ERAS, command_of, said, served_corpus, started
from tests.mcp.wires import MODERN, Hands
from tests.trusted import STATUS, grant_file, hash_of, leftovers

if TYPE_CHECKING:
    from pathlib import Path

    from mcp.client.client import Client

PLAIN = {
    "LC_ALL": "C",
    "PYTHONCOERCECLOCALE": "0",
    "PYTHONUTF8": "0",
    "PYTHONIOENCODING": "latin-1",
}
QUERY = {"name": "corpus.context_query", "arguments": {"query": "降雨量"}}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return served_corpus(tmp_path / "project")


@pytest.mark.requirement("P15.1", "P15.2")
@pytest.mark.parametrize("era", ["auto", *ERAS])
def test_a_client_starts_the_command_and_asks(
    root: Path, program_env: dict[str, str], era: str
) -> None:
    async def act(client: Client) -> Any:  # noqa: ANN401 - what a test looks at
        tools = await client.list_tools()
        found = await client.call_tool("corpus.context_query", {"query": "gauge"})
        grant_file(root).unlink()
        refused = await client.call_tool("corpus.context_query", {"query": "gauge"})
        return tools, said(found), said(refused), client.instructions

    tools, found, refused, instructions = started(
        command_of(root), act, env=program_env, cwd=root, era=era
    )
    assert "corpus.show" in {tool.name for tool in tools.tools}
    assert found.value["results"]
    assert refused.code == "TRUST_MISSING"
    if era in {"auto", "legacy"}:  # a pinned client asks for no description
        assert instructions == INSTRUCTIONS


@pytest.mark.requirement("P15.3")
@pytest.mark.parametrize("results", ["structured", "text"])
def test_results_are_utf_8_whatever_the_locale(
    root: Path, program_env: dict[str, str], results: str
) -> None:
    write(root / HOME / "history/rain.md", "# 雨\n\n降雨量 é \U0001f327 in Ð.\n")
    words = command_of(root, "--results", results)
    with Hands(words, {**program_env, **PLAIN}) as hands:
        hands.begin()
        answer = hands.ask("tools/call", QUERY, named=1)
        ended = hands.end()
    assert ended.status == 0
    assert "降雨量 é \U0001f327 in Ð." in json.dumps(answer, ensure_ascii=False)
    raw = b"".join(hands.lines)
    assert "降雨量".encode() in raw


@pytest.mark.requirement("P15.3")
def test_what_was_asked_before_the_end_is_answered(
    root: Path, program_env: dict[str, str]
) -> None:
    with Hands(command_of(root), program_env) as hands:
        hands.begin()
        for number in range(30):
            request = {"jsonrpc": "2.0", "id": number, "method": "tools/call"}
            hands.send({**request, "params": QUERY})
        ended = hands.end()
    assert (ended.status, ended.err) == (0, "")
    assert {a["id"] for a in ended.answers if "result" in a} >= set(range(30))


@pytest.mark.requirement("P15.3", "P13.1")
def test_a_write_is_finished_although_the_client_has_gone(
    root: Path, program_env: dict[str, str]
) -> None:
    content = report_page("report-two")
    arguments = {"id": "report-two", "content": content}
    params = {"name": "report.create", "arguments": arguments}
    with Hands(command_of(root), program_env) as hands:
        hands.begin()
        hands.send(
            {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        )
        ended = hands.end()
    assert ended.status == 0
    written = root / HOME / "reports/report-two.md"
    assert written.read_text(encoding="utf-8") == content
    assert leftovers(root) == []


@pytest.mark.requirement("P15.3")
@pytest.mark.parametrize(
    ("number", "status"),
    [
        pytest.param(signal.SIGTERM, 0, id="SIGTERM"),
        pytest.param(signal.SIGINT, 130, id="SIGINT"),
    ],
)
@pytest.mark.parametrize("greeted", [True, False], ids=["greeted", "silent"])
def test_a_signal_ends_the_server_without_a_traceback(
    root: Path,
    program_env: dict[str, str],
    number: signal.Signals,
    status: int,
    greeted: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    with Hands(command_of(root), program_env) as hands:
        hands.begin()
        if greeted:
            assert hands.ask("tools/call", QUERY, named=1)["result"]
        hands.signal(number)
        ended = hands.end(close=False)
    assert ended.status == status
    assert "Traceback" not in ended.err
    if status:
        assert json.loads(ended.err)["error"] == "INTERRUPTED"


@pytest.mark.requirement("P15.3", "P13.2")
def test_a_write_that_waits_is_made_although_the_server_is_told_to_end(
    root: Path, program_env: dict[str, str]
) -> None:
    fcntl = pytest.importorskip("fcntl")
    arguments = {"id": "report-two", "content": report_page("report-two")}
    params = {"name": "report.create", "arguments": arguments}
    held = os.open(root / HOME, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    with Hands(command_of(root), program_env) as hands:
        hands.begin()
        hands.send(
            {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        )
        hands.ask("ping", {}, named=2)
        hands.signal(signal.SIGTERM)
        os.close(held)
        ended = hands.end(close=False)
    assert ended.status == 0
    assert (root / HOME / "reports/report-two.md").exists()
    assert leftovers(root) == []


@pytest.mark.requirement("P15.3")
def test_a_client_that_reads_no_more_ends_the_server(
    root: Path, program_env: dict[str, str]
) -> None:
    read, write_end = os.pipe()
    process = subprocess.Popen(
        command_of(root),
        env=program_env,
        stdin=subprocess.PIPE,
        stdout=write_end,
        stderr=subprocess.PIPE,
    )
    os.close(write_end)
    os.close(read)
    assert process.stdin is not None
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping", **MODERN})
    process.stdin.write(f"{line}\n".encode())
    process.stdin.flush()
    try:
        assert process.wait(60) == 0
        assert process.stderr is not None
        assert process.stderr.read() == b""
    finally:
        process.kill()
        process.stdin.close()
        assert process.stderr is not None
        process.stderr.close()


@pytest.mark.requirement("P15.3")
def test_a_ping_is_answered_while_a_tool_works(
    root: Path, program_env: dict[str, str]
) -> None:
    for number in range(400):
        write(
            root / HOME / f"history/note-{number}.md",
            f"# Note {number}\n\n" + f"Rain in month {number}.\n\n" * 60,
        )
    with Hands(command_of(root), program_env) as hands:
        hands.begin()
        params = {"name": "corpus.context_doctor", "arguments": {}}
        hands.send(
            {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        )
        hands.ask("ping", {}, named=2)
        hands.answer_to(1)
        order = [answer.get("id") for answer in hands.answers()]
    assert order.index(2) < order.index(1)


@pytest.mark.requirement("P15.3")
def test_a_failure_names_no_place_of_this_machine(
    root: Path, program_env: dict[str, str]
) -> None:
    write(root / STATUS, "broken")
    update = {"content": "x", "expected_sha256": hash_of(root / STATUS)}
    with Hands(command_of(root), program_env) as hands:
        hands.begin()
        for number, (name, arguments) in enumerate(
            [
                ("state.update", update),
                ("corpus.read", {"path": str(root)}),
                ("corpus.context_query", {"query": "x", "path": str(root)}),
                ("corpus.context_doctor", {}),
            ]
        ):
            params = {"name": name, "arguments": arguments}
            hands.ask("tools/call", params, named=number)
        said_all = b"".join(hands.lines).decode()
        ended = hands.end()
    assert sys.prefix not in said_all
    assert f"{root.parent}/" not in said_all.replace(str(root), "")
    assert "Traceback" not in said_all + ended.err


@pytest.mark.requirement("P15.1")
def test_an_unknown_tool_is_a_protocol_error(
    root: Path, program_env: dict[str, str]
) -> None:
    with Hands(command_of(root), program_env) as hands:
        hands.begin()
        params = {"name": "corpus.nothing", "arguments": {}}
        assert hands.ask("tools/call", params, named=1)["error"]["code"] == -32602
        params = {"cursor": "2"}
        assert hands.ask("tools/list", params, named=2)["error"]["code"] == -32602


@pytest.mark.requirement("P15.1")
def test_who_starts_it_on_a_terminal_is_told_what_it_waits_for(
    root: Path, program_env: dict[str, str]
) -> None:
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        command_of(root),
        env=program_env,
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        os.close(theirs)
        assert process.stderr is not None
        line = process.stderr.readline().decode()
        os.write(ours, b"\x04")  # the end, as a person types it
        out, rest = process.communicate(timeout=60)
    os.close(ours)
    assert line.startswith("project-corpus mcp: serving MCP on stdin and stdout")
    assert (process.returncode, out, rest) == (0, b"", b"")
