"""The server as a process: eras, locale, project, signals, and many at a time."""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING, Any

import pytest
from mcp import types
from pydantic import FileUrl

from agentctx.mcp.offer import serving
from agentctx.mcp.roots import MOST_SILENT
from agentctx.mcp.server import INSTRUCTIONS, OFFER
from corpus.mcp.host import make_server
from tests.agentctx.mcp.serving import FACT, command_at, desk_at, record
from tests.gitrepos import Git
from tests.mcp.serving import ERAS, met, said, started
from tests.mcp.wires import Hands
from tests.recorded import START, store_at

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from mcp.client.client import Client

PLAIN = {
    "LC_ALL": "C",
    "PYTHONCOERCECLOCALE": "0",
    "PYTHONUTF8": "0",
    "PYTHONIOENCODING": "latin-1",
}
SERVERS, EACH = 8, 25
SEARCH = {"name": "ctx_search", "arguments": {"query": "readings in UTC"}}


@pytest.fixture
def env(program_env: dict[str, str], store_home: Path) -> dict[str, str]:
    """Give the environment of a client that names no project and no session."""
    known = {**program_env, "AGENTCTX_HOME": str(store_home)}
    return {key: value for key, value in known.items() if "CLAUDE" not in key}


def told(answer: Mapping[str, Any]) -> Any:  # noqa: ANN401 - a tool's value
    result = answer["result"]
    assert not result.get("isError"), result
    return result["structuredContent"]


@pytest.mark.requirement("A5.1", "A2.7")
@pytest.mark.parametrize("era", ["auto", *ERAS])
def test_a_client_starts_the_command_and_asks_about_now_and_then(
    project: Path, env: dict[str, str], era: str
) -> None:
    async def act(client: Client) -> Any:  # noqa: ANN401 - what a test looks at
        async def ask(name: str, **arguments: object) -> Any:  # noqa: ANN401 - the same
            return said(await client.call_tool(name, arguments)).value

        first = (await ask("ctx_record", **FACT))["id"]
        (there,) = (await ask("ctx_get", ids=[first]))["records"]
        change = {"new_body": "Local time is kept.", "rationale": "It was asked for."}
        second = (await ask("ctx_supersede", old_id=first, **change))["new_id"]
        then = {"as_of": there["recorded_at"]}
        true = {"valid_at": there["valid_from"]}
        asked = {"query": "readings in UTC"}
        return (
            [first, second],
            [
                [
                    one["id"]
                    for one in (await ask("ctx_search", **asked, **at))["results"]
                ]
                for at in ({}, then, true)
            ],
            client.instructions,
        )

    (first, second), answers, instructions = started(
        command_at(project), act, env=env, cwd=project, era=era
    )
    assert answers == [[second], [first], [first]]
    if era in {"auto", "legacy"}:  # a pinned client asks for no description
        assert instructions == INSTRUCTIONS


@pytest.mark.requirement("A5.1")
@pytest.mark.parametrize("results", ["structured", "text"])
def test_results_are_utf_8_whatever_the_locale(
    project: Path, env: dict[str, str], results: str
) -> None:
    fact = {**FACT, "title": "降雨量 é \U0001f327 in Ð"}
    with Hands(command_at(project, "--results", results), {**env, **PLAIN}) as hands:
        hands.begin()
        hands.ask("tools/call", {"name": "ctx_record", "arguments": fact}, named=1)
        query = {"name": "ctx_search", "arguments": {"query": "降雨量"}}
        answer = hands.ask("tools/call", query, named=2)
        ended = hands.end()
    assert (ended.status, ended.err) == (0, "")
    assert "降雨量 é \U0001f327 in Ð" in json.dumps(answer, ensure_ascii=False)
    assert "降雨量".encode() in b"".join(hands.lines)


@pytest.mark.requirement("A5.3", "A2.4")
def test_the_project_is_the_one_the_environment_names_else_the_folder_we_are_in(
    project: Path, tmp_path: Path, env: dict[str, str]
) -> None:
    other = tmp_path / "other"
    (other / ".agentctx").mkdir(parents=True)
    asked = {"name": "ctx_project", "arguments": {}}
    for named, name in (
        (None, "weather"),
        (str(other), "other"),
        (str(tmp_path / "gone"), None),
    ):
        known = env if named is None else {**env, "CLAUDE_PROJECT_DIR": named}
        with Hands(command_at(project), known) as hands:
            hands.begin()
            answer = hands.ask("tools/call", asked, named=1)
        if name is None:
            text = answer["result"]["content"][0]["text"]
            assert json.loads(text)["code"] == "PROJECT_GONE"
        else:
            assert told(answer)["name"] == name


@pytest.mark.requirement("A5.3")
def test_the_clients_root_is_the_project_where_the_environment_names_none(
    project: Path, store_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    uris = ["file:///a%00b", (tmp_path / "gone").as_uri(), project.as_uri()]

    async def roots(_: object) -> types.ListRootsResult:
        return types.ListRootsResult(
            roots=[types.Root(uri=FileUrl(uri)) for uri in uris]
        )

    async def refuse(_: object) -> types.ErrorData:
        return types.ErrorData(code=-32603, message="no")

    async def ask(client: Client) -> list[str]:
        names = []
        for _ in range(2):
            answer = said(await client.call_tool("ctx_project", {}))
            names.append(answer.value["name"])
            uris.clear()
        return names

    desk = desk_at(store_home, project, CLAUDE_PROJECT_DIR="")
    server = make_server(serving(OFFER, desk), "structured")
    names = met(server, ask, era="legacy", list_roots_callback=roots)
    assert names == ["weather", "weather"], "a root once known stays"
    desk = desk_at(store_home, project, CLAUDE_PROJECT_DIR="")
    server = make_server(serving(OFFER, desk), "structured")
    names = met(server, ask, era="legacy", list_roots_callback=refuse)
    assert names == [tmp_path.name] * 2


@pytest.mark.requirement("A5.3")
def test_a_client_that_starts_the_command_is_asked_for_its_root(
    project: Path, tmp_path: Path, env: dict[str, str]
) -> None:
    async def roots(_: object) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri=FileUrl(project.as_uri()))])

    async def ask(client: Client) -> str:
        answer = said(await client.call_tool("ctx_project", {}))
        return str(answer.value["name"])

    words = command_at(tmp_path)
    options: dict[str, Any] = {"list_roots_callback": roots}
    name = started(words, ask, env=env, cwd=tmp_path, era="legacy", **options)
    assert name == "weather"


@pytest.mark.requirement("A5.3")
def test_a_client_that_never_says_its_roots_is_served_all_the_same(
    project: Path, env: dict[str, str]
) -> None:
    with Hands(command_at(project), env) as hands:
        hands.begin(roots={})
        for number in range(3):
            assert told(hands.ask("tools/call", SEARCH, named=number))
        ended = hands.end()
    asked = [one for one in ended.answers if one.get("method") == "roots/list"]
    assert len(asked) == MOST_SILENT


@pytest.mark.requirement("A5.3", "A2.4")
def test_a_linked_working_tree_is_the_project_too_and_its_files_have_the_same_names(
    tmp_path: Path, store_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git = Git(tmp_path)
    root = git.repository(tmp_path / "repo")
    tree = root / ".claude/worktrees/fix"
    git(root, "worktree", "add", "-q", "-b", "fix", str(tree))
    desk = desk_at(store_home, root)
    project = desk.project()
    for path in (
        root / "src/a.py",
        tree / "src/a.py",
        tree / "src" / ".." / "src/a.py",
        "src/a.py",
        "./src//a.py",
    ):
        assert desk.file_of(project, str(path)) == "src/a.py"
    assert desk.file_of(project, str(tmp_path / "a.py")) is None
    assert desk.file_of(project, str(root)) is None
    assert project.worktree is None
    monkeypatch.chdir(tree)
    assert desk.project().worktree == "fix"
    assert desk.project().project_id == project.project_id


@pytest.mark.requirement("A2.10", "A5.3")
def test_eight_servers_that_write_at_once_lose_nothing(
    project: Path, env: dict[str, str], store_home: Path
) -> None:
    hands = [Hands(command_at(project), env) for _ in range(SERVERS)]
    try:
        for one in hands:
            one.begin()
        for number in range(EACH):
            for at, one in enumerate(hands):
                fact = {**FACT, "title": f"Fact {number} of server {at}"}
                params = {"name": "ctx_record", "arguments": fact}
                request = {"jsonrpc": "2.0", "id": number, "method": "tools/call"}
                one.send({**request, "params": params})
        ids = [
            told(one.answer_to(number))["id"] for number in range(EACH) for one in hands
        ]
        for one in hands:
            assert one.end().status == 0
    finally:
        for one in hands:
            one.__exit__(None, None, None)
    with store_at(store_home, create=False) as store:
        stored = {row[0] for row in store.db.execute("SELECT id FROM records")}
    assert stored == set(ids)
    assert len(stored) == SERVERS * EACH


@pytest.mark.requirement("A5.3")
@pytest.mark.parametrize(
    ("number", "status"),
    [
        pytest.param(signal.SIGTERM, 0, id="SIGTERM"),
        pytest.param(signal.SIGINT, 130, id="SIGINT"),
    ],
)
def test_a_signal_ends_the_server_without_a_traceback(
    project: Path, env: dict[str, str], number: signal.Signals, status: int
) -> None:
    with Hands(command_at(project), env) as hands:
        hands.begin()
        assert told(hands.ask("tools/call", SEARCH, named=1)) == {"results": []}
        hands.signal(number)
        ended = hands.end(close=False)
    assert ended.status == status
    assert "Traceback" not in ended.err


@pytest.mark.requirement("A5.3")
def test_a_record_is_made_although_the_client_has_gone(
    project: Path, env: dict[str, str], store_home: Path
) -> None:
    with Hands(command_at(project), env) as hands:
        hands.begin()
        params = {"name": "ctx_record", "arguments": FACT}
        hands.send(
            {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        )
        ended = hands.end()
    assert (ended.status, ended.err) == (0, "")
    with store_at(store_home, create=False) as store:
        assert store.db.execute("SELECT count(*) FROM records").fetchone()[0] == 1


@pytest.mark.requirement("A5.3")
def test_a_working_directory_that_is_gone_is_a_failure_and_no_end(
    tmp_path: Path, env: dict[str, str]
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    with Hands(command_at(gone), env) as hands:
        hands.begin()
        gone.rmdir()
        result = hands.ask("tools/call", SEARCH, named=1)["result"]
        assert result["isError"]
        assert json.loads(result["content"][0]["text"])["code"] == "USAGE"
        assert hands.ask("ping", {}, named=2)["result"] is not None


@pytest.mark.requirement("A5.1")
def test_an_unknown_tool_is_a_protocol_error(
    project: Path, env: dict[str, str]
) -> None:
    with Hands(command_at(project), env) as hands:
        hands.begin()
        params = {"name": "ctx_all", "arguments": {}}
        assert hands.ask("tools/call", params, named=1)["error"]["code"] == -32602
        params = {"cursor": "2"}
        assert hands.ask("tools/list", params, named=2)["error"]["code"] == -32602


@pytest.mark.requirement("A5.3")
@pytest.mark.parametrize("era", ERAS)
def test_a_defect_is_told_by_kind_and_place_on_stderr_alone(
    store_home: Path, project: Path, capsys: pytest.CaptureFixture[str], era: str
) -> None:
    desk = desk_at(store_home, project)
    record(desk)
    desk.forget()
    desk.place = desk.place._replace(clock=lambda: START.replace(year=0))

    async def ask(client: Client) -> Any:  # noqa: ANN401 - an answer
        return said(await client.call_tool("ctx_search", {"query": "UTC"}))

    answer = met(make_server(serving(OFFER, desk), "structured"), ask, era=era)
    assert answer.code == "BUG"
    assert "agentctx." not in answer.text
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("agentctx mcp: unexpected ValueError at agentctx.")
    desk.forget()
