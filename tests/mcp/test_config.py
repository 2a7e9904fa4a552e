"""What a person pastes into a client: it parses, and what it starts answers."""

from __future__ import annotations

import json
import shlex
import sys
import tomllib
from typing import TYPE_CHECKING, Any

import pytest

from corpus.cli import mcp_config
from corpus.mcp.clients import CLIENTS, NAME, Start, snippet_for
from tests.corpora import HOME, policy_page, write
from tests.mcp.serving import said, started
from tests.trusted import counted, editing_policy, grant_file, write_trusted

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from mcp.client.client import Client

    from corpus.mcp.clients import Snippet
    from tests.conftest import InProcess, OutOfProcess

TEXT_ONLY = {"gemini", "opencode"}
STRANGE = 'it\'s a "fine" gauge\\ $HOME – Niederschläge 降雨量'
"""A folder's name that every kind of quoting has trouble with."""


def words_in(snippet: Snippet | Mapping[str, Any], name: str = NAME) -> list[str]:
    """Read the words of the command back, as the client would."""
    found = dict(snippet if not hasattr(snippet, "_asdict") else snippet._asdict())
    read = tomllib.loads if found["format"] == "toml" else json.loads
    whole: Any = read(found["snippet"])
    for key in ("mcpServers", "mcp_servers", "servers", "mcp"):
        whole = whole.get(key, whole)
    server = whole[name]
    if isinstance(server["command"], list):
        return [str(word) for word in server["command"]]
    return [server["command"], *server["args"]]


@pytest.fixture
def granted(tmp_path: Path, user_home: Path) -> Path:
    """Write a corpus whose grant lies in the user's own trust folder."""
    from corpus.trust import read_grant, write_grant  # noqa: PLC0415 - only here
    from corpus.userdirs import user_dirs  # noqa: PLC0415 - only here

    del user_home
    root = write_trusted(tmp_path / STRANGE, policy=editing_policy())
    grant = read_grant(grant_file(root), root=root)
    place = user_dirs().trust / "demo-one.toml"
    write_grant(place, grant, root=root, replace=False, random=counted())
    return root


def configured(cli: InProcess, root: Path, client: str, *options: str) -> Any:  # noqa: ANN401
    outcome = cli("mcp", "config", str(root), "--client", client, *options)
    assert outcome.status == 0, outcome.err
    return json.loads(outcome.out)


@pytest.mark.requirement("P15.1")
def test_the_command_knows_every_client() -> None:
    assert tuple(CLIENTS) == mcp_config.CLIENTS


@pytest.mark.requirement("P15.1")
@pytest.mark.parametrize("client", CLIENTS)
def test_what_is_pasted_starts_a_server_that_answers(
    granted: Path, cli: InProcess, program_env: dict[str, str], client: str
) -> None:
    words = words_in(configured(cli, granted, client))
    elsewhere = granted.parent / "elsewhere"
    elsewhere.mkdir()

    async def act(connected: Client) -> Any:  # noqa: ANN401 - what a test looks at
        found = await connected.call_tool("corpus.context_query", {"query": "gauge"})
        return found, said(found)

    result, answer = started(words, act, env=program_env, cwd=elsewhere)
    assert answer.value["results"]
    assert (result.structured_content is None) is (client in TEXT_ONLY)


@pytest.mark.requirement("P15.1")
@pytest.mark.parametrize("client", CLIENTS)
def test_a_portable_snippet_names_nothing_of_this_machine(
    granted: Path, cli: InProcess, client: str
) -> None:
    told = configured(cli, granted, client, "--portable", "--allow", "mcp.stdio")
    words = words_in(told)
    assert words[:2] == [NAME, "mcp"]
    assert words.count("--allow") == 1
    for here in (str(granted), sys.prefix, sys.executable):
        assert here not in json.dumps(told, ensure_ascii=False)
    folder = [word for word in words if word.startswith("$")]
    assert folder in ([], ["${workspaceFolder}"])


@pytest.mark.requirement("P15.1")
@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize(
    "root",
    [
        pytest.param(f"/home/{STRANGE}", id="quotes"),
        pytest.param("C:\\Users\\Ünal\\my project", id="backslashes"),
        pytest.param("/tab\there/del\x7f", id="controls"),
    ],
)
def test_every_path_is_read_back_as_it_was(client: str, root: str) -> None:
    program = [f"{root}/bin/{NAME}"]
    told = snippet_for(client, Start(program, root, allow=["mcp.stdio"]))
    expected = [*program, "mcp", root, "--allow", "mcp.stdio"]
    expected += ["--results", "text"] if client in TEXT_ONLY else []
    assert words_in(told) == expected
    if told.command is not None:
        typed = shlex.split(told.command)
        assert typed[typed.index("--") + 1 :] == expected


@pytest.mark.requirement("P15.1")
def test_a_person_reads_where_to_put_it(granted: Path, cli: InProcess) -> None:
    outcome = cli("mcp", "config", "--client", "codex", cwd=granted, terminal=True)
    assert outcome.status == 0
    first, *_ = outcome.out.splitlines()
    assert first.endswith("config.toml in a trusted project:")
    assert "[mcp_servers.project-corpus]" in outcome.out
    assert "codex mcp add project-corpus -- " in outcome.out


@pytest.mark.requirement("P15.1")
@pytest.mark.parametrize(
    ("options", "code"),
    [
        pytest.param(["--client", "emacs"], "USAGE", id="client"),
        pytest.param([], "USAGE", id="no client"),
        pytest.param(
            ["--client", "codex", "--allow", "corpus.all"],
            "CAPABILITY_UNKNOWN",
            id="capability",
        ),
        pytest.param(
            ["--client", "codex", "--allow", "corpus.read"], "USAGE", id="unserved"
        ),
        pytest.param(
            ["--client", "codex", "--portable", "--trust", "grant.toml"],
            "USAGE",
            id="portable trust",
        ),
        *(
            pytest.param(
                ["--client", "codex", f"--server-name={name}"], "USAGE", id=repr(name)
            )
            for name in ("", "a" * 65, "-x", "a b", "a.b", "gäuge", "a\n")
        ),
    ],
)
def test_a_wrong_call_is_refused(
    granted: Path, cli: InProcess, options: list[str], code: str
) -> None:
    outcome = cli("mcp", "config", str(granted), *options)
    assert outcome.status == 2
    assert json.loads(outcome.err)["error"] == code


@pytest.mark.requirement("P15.1")
def test_a_folder_that_is_no_corpus_is_refused(
    tmp_path: Path, program: OutOfProcess
) -> None:
    outcome = program("mcp", "config", "--client", "codex", cwd=tmp_path)
    assert json.loads(outcome.err)["error"] == "ROOT_NOT_FOUND"


@pytest.mark.requirement("P15.1")
@pytest.mark.parametrize("client", CLIENTS)
def test_a_server_is_called_as_a_person_wants(
    granted: Path, cli: InProcess, client: str
) -> None:
    told = configured(cli, granted, client, "--server-name", "Rain_gauges-2")
    assert words_in(told, "Rain_gauges-2") == words_in(
        configured(cli, granted, client), NAME
    )
    if told["command"] is not None:
        typed = shlex.split(told["command"])
        assert typed[typed.index("--") - 1] == "Rain_gauges-2"


@pytest.mark.requirement("P15.1", "P3.1")
def test_a_grant_elsewhere_is_named_by_its_whole_path(
    granted: Path, program_env: dict[str, str], cli: InProcess
) -> None:
    from corpus.userdirs import user_dirs  # noqa: PLC0415 - only here

    (user_dirs().trust / "demo-one.toml").unlink()
    assert configured(cli, granted, "codex")["problem"]["code"] == "TRUST_MISSING"
    place = grant_file(granted)
    outcome = cli(
        *("mcp", "config", str(granted), "--client", "codex"),
        *("--trust", place.name),
        cwd=place.parent,
    )
    told = json.loads(outcome.out)
    assert told["problem"] is None
    words = words_in(told)
    assert words[words.index("--trust") + 1] == str(place)

    async def act(connected: Client) -> Any:  # noqa: ANN401 - what a test looks at
        return await connected.list_tools()

    assert started(words, act, env=program_env, cwd=granted.parent).tools


@pytest.mark.requirement("P15.1", "P3.3")
def test_what_cannot_work_now_is_told_beside_the_snippet(
    granted: Path, cli: InProcess
) -> None:
    assert configured(cli, granted, "codex")["problem"] is None
    alone = configured(cli, granted, "codex", "--allow", "mcp.stdio")["problem"]
    assert (alone["code"], alone["reasons"]) == ("CAPABILITY_DENIED", ["SESSION_LIMIT"])
    write(granted / HOME / "policy.toml", policy_page())
    told = configured(cli, granted, "codex")["problem"]
    assert told["code"] == "CAPABILITY_DENIED"
    assert told["reasons"] == ["PROJECT_POLICY_LIMIT"]
    assert "policy.toml" in told["hint"]
    shown = cli("mcp", "config", "--client", "codex", cwd=granted, terminal=True)
    assert shown.status == 0
    assert "CAPABILITY_DENIED (PROJECT_POLICY_LIMIT)" in shown.out.splitlines()[-1]
    write(granted / HOME / "policy.toml", "not toml")
    broken = configured(cli, granted, "codex")["problem"]
    assert (broken["code"], broken["reasons"]) == ("POLICY_PARSE", [])
