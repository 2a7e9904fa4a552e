"""The lines of a chat that are commands, and how a chat looks to a person."""

from __future__ import annotations

import io
import json
import sys
from typing import TYPE_CHECKING

import pytest

from agentctx.chat.slash import SLASHES
from agentctx.cli import chat as command
from agentctx.cli.app import main
from agentctx.cli.commands import PROGRAM
from tests.agentctx.chat.talking import items, kept, minded, talks, texts
from tests.agentctx.llm.fakeapi import FakeApi, Says
from tests.agentctx.memory.memories import TABS, believe, memory_at
from tests.conftest import FakeTerminal, caught

if TYPE_CHECKING:
    from pathlib import Path

    from tests.agentctx.chat.talking import Talking
    from tests.conftest import InProcess, Outcome


@pytest.mark.requirement("M8.0", "M8.2(a)")
def test_memory_is_managed_by_the_same_commands_as_outside(
    talking: Talking, project: Path, agentctx: InProcess
) -> None:
    with memory_at(project) as store:
        (item,) = believe(store, TABS)
    words = (
        ["list"],
        ["show", item.id],
        ["search", "tabs"],
        ["read", item.id],
        ["why", item.id],
        ["history", item.id],
        ["summary"],
    )
    with FakeApi([Says()]) as api:
        talk = talking(
            api,
            *[f"/memory {' '.join(one)}" for one in words],
            f"/memory edit {item.id} --statement 'Indent with wide tabs.'",
            "/memory undo",
            "/memory export",
            "/memory status",
        )
        assert api.asked == ()
    assert talk.failures == []
    told = talk.of("command")
    for one, shown in zip(words[:2], told, strict=False):
        assert shown["name"] == f"memory {one[0]}"
    assert told[0]["value"]["items"][0]["statement"] == "Indent with tabs."
    assert told[-1]["value"]["state"] == "healthy"
    assert (project / ".agentctx" / "memory-exports").is_dir()
    outside = json.loads(agentctx("memory", "show", item.id).out)
    assert set(outside) == set(told[1]["value"])


@pytest.mark.requirement("M8.3(a)", "M8.3(b)", "M8.3(c)")
def test_clearing_memory_ends_what_the_chat_has_under_way(
    talking: Talking, project: Path
) -> None:
    path = project / "findings.json"
    path.write_text('[{"item_id": "f1", "path": "a.py"}]', encoding="utf-8")
    with memory_at(project) as store:
        believe(store, TABS)
    with FakeApi(minded([Says(text="Hello.")], extract=False)) as api:
        talk = talking(
            api,
            "/memory export",
            f"/review {path.name} r1",
            "/memory clear",
            "/item",
            "/memory clear --confirm --no-backup",
            "/item",
            "Hi.",
        )
    assert talk.failures == ["MEMORY_CONSENT", "USAGE"]
    assert items(project) == []
    assert kept(project, "profile, user_text") == [("ordinary", "Hi.")]
    assert len(list((project / ".agentctx" / "memory-exports").iterdir())) == 1


def test_lines_that_are_no_command_are_told_and_kept_nowhere(
    talking: Talking, project: Path
) -> None:
    with FakeApi(minded([Says(text="A path.")], extract=False)) as api:
        talk = talking(
            api,
            "/nope",
            "/memory nope",
            "/memory mcp",
            "/memory review start",
            "/memory show",
            "/memory list 'open",
            "/quit now",
            "/review one",
            "/next",
            "/done",
            "",
            "   ",
            "//usr/bin is what?",
        )
    assert set(talk.failures) == {"USAGE"}
    assert len(talk.failures) == 10
    assert talk.answers == ["A path."]
    assert texts(talks(api)[0])[-1] == "/usr/bin is what?"
    assert kept(project, "user_text") == [("/usr/bin is what?",)]


def test_quit_ends_a_chat_before_its_input_does(talking: Talking) -> None:
    with FakeApi([Says(text="Never.")]) as api:
        talk = talking(api, "/help", "/quit", "Hi.")
        assert api.asked == ()
    (told,) = talk.of("command")
    assert (told["name"], talk.status) == ("help", 0)
    shown = "\n".join(told["lines"])
    assert [one.name for one in SLASHES if f"/{one.name}" not in shown] == []


def test_help_of_memory_lists_its_commands(talking: Talking) -> None:
    with FakeApi([Says()]) as api:
        talk = talking(api, "/memory", "/memory show --help")
    listed, page = ("\n".join(one["lines"]) for one in talk.of("command"))
    rows = {one.name for one in PROGRAM.group(("memory",))}
    elsewhere = {"memory mcp", "memory review start", "memory review stop"}
    shown = {line[1:].partition("  ")[0].rstrip() for line in listed.splitlines()}
    assert shown == rows - elsewhere
    assert "agentctx" not in listed
    assert "usage: agentctx memory show" in page


def test_a_review_needs_the_name_of_its_run(talking: Talking) -> None:
    with FakeApi([Says()]) as api:
        talk = talking(api, options=("--review", "findings.json"))
    assert (talk.status, json.loads(talk.err)["error"]) == (2, "USAGE")


@pytest.mark.requirement("C12", "M1.6(a)")
def test_a_turn_is_about_the_files_that_it_names(
    talking: Talking, project: Path, tmp_path: Path
) -> None:
    (project / "src").mkdir()
    for name in ("app.py", "db.py"):
        (project / "src" / name).touch()
    (project / "own").symlink_to(project / ".agentctx")
    (project / "away").symlink_to(tmp_path)
    names = "`./src/app.py:12`, src/nope.py, ../x, /etc/passwd, own, away"
    with FakeApi(minded([Says(text="Yes.")], extract=False)) as api:
        talking(
            api,
            f"See {names}, .agentctx/memory.db.",
            "Go on.",
            "And src/db.py?",
            options=("--intent", "code_explain"),
        )
    assert kept(project, "intent, scope_paths_json") == [
        ("code_explain", '["src/app.py"]'),
        ("code_explain", '["src/app.py"]'),
        ("code_explain", '["src/db.py","src/app.py"]'),
    ]


class Typing(FakeTerminal):
    """A terminal that somebody types at."""


@pytest.fixture
def terminal(
    project: Path, store_home: Path, monkeypatch: pytest.MonkeyPatch
) -> pytest.MonkeyPatch:
    """Be at a terminal, in the project."""
    del store_home
    monkeypatch.chdir(project)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test")
    monkeypatch.setattr(sys, "stdin", Typing(io.BytesIO(), encoding="utf-8"))
    monkeypatch.setattr(command, "_load_editing", lambda: None)
    return monkeypatch


def typed(terminal: pytest.MonkeyPatch, api: FakeApi, *given: object) -> Outcome:
    """Run a chat at a terminal where lines are typed, or Ctrl-C."""
    left = iter(given)
    prompts: list[str] = []

    def ask(prompt: str = "") -> str:
        prompts.append(prompt)
        line = next(left, EOFError())
        if isinstance(line, BaseException):
            raise line
        return str(line)

    terminal.setenv("ANTHROPIC_BASE_URL", api.url)
    terminal.setattr("builtins.input", ask)
    return caught(main, ("chat",), terminal=True)


def test_at_a_terminal_an_answer_is_plain_text(
    terminal: pytest.MonkeyPatch, project: Path
) -> None:
    with FakeApi(minded([Says(text="One\x1b[2J two.")], extract=False)) as api:
        done = typed(terminal, api, "Count.", "/nope", "/quit")
    assert (done.status, done.err.count("\x1b")) == (0, 0)
    assert done.out.startswith("One two.\n")
    assert "error[USAGE]: `/nope` is not a command of the chat" in done.err
    assert "Ctrl-C stops an answer" in done.err
    assert kept(project)[0][2] == "One two."


def test_at_a_prompt_the_second_interrupt_in_a_row_ends_the_chat(
    terminal: pytest.MonkeyPatch, project: Path
) -> None:
    stop = KeyboardInterrupt()
    with FakeApi(minded([Says(text="Yes.")], extract=False)) as api:
        done = typed(terminal, api, stop, "Hi.", stop, stop, "Never.")
    assert done.status == 0
    assert "Ctrl-C once more" in done.err
    assert kept(project, "user_text") == [("Hi.",)]


@pytest.mark.parametrize("yes", ["y\n", "\n"])
def test_at_a_terminal_a_project_may_be_given_a_memory(
    terminal: pytest.MonkeyPatch, project: Path, yes: str
) -> None:
    (project / ".agentctx").rmdir()
    terminal.setattr(sys, "stdin", Typing(io.BytesIO(yes.encode()), encoding="utf-8"))
    with FakeApi(minded([Says(text="Yes.")], extract=False)) as api:
        done = typed(terminal, api, "Hi.")
    assert "Remember what is said in weather?" in done.err
    assert (project / ".agentctx" / "memory.db").exists() is (yes == "y\n")
    assert ("note[MEMORY_OFF]" in done.err) is (yes == "\n")
