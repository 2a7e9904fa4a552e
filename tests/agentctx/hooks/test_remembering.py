"""The turns of sessions, as hooks begin, hold and end them (A4.3 to A4.5, H3, H4)."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agentctx.briefing.state import state_path
from agentctx.clock import moment_of, stamp
from agentctx.failures import last_failures
from agentctx.memory.model import ReviewItem
from agentctx.memory.turns import recover
from tests.agentctx.hooked import SESSION, Client, start_hook
from tests.agentctx.hooks.shelf import Shelf
from tests.agentctx.spoken import transcript
from tests.gitrepos import Git

if TYPE_CHECKING:
    from tests.recorded import Ticking

SAID, ANSWER = "From now on indent with tabs.", "Understood: tabs."
KEY = {"ANTHROPIC_API_KEY": "sk-test"}
SECRET = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"


@pytest.fixture
def client(tmp_path: Path, project: Path, clock: Ticking) -> Client:
    """Give a client whose user has no store yet."""
    return Client(tmp_path / "home", project, clock)


@pytest.fixture
def shelf(client: Client) -> Shelf:
    return Shelf(client)


@pytest.mark.requirement("A4.3", "A4.4", "M2.0(a)", "M2.0(b)")
def test_a_turn_is_kept_before_it_is_answered_and_its_answer_after(
    client: Client, shelf: Shelf
) -> None:
    assert client.hook("user-prompt-submit", prompt=SAID) == ""
    (turn,) = shelf.turns()
    assert (turn.state, turn.user_text, turn.session_id) == ("open", SAID, SESSION)
    assert (turn.profile, turn.intent) == ("ordinary", "prompt")
    assert client.hook("stop", last_assistant_message=ANSWER) == ""
    assert shelf.told() == [("completed", SAID, ANSWER)]
    assert shelf.count("memory_jobs", "status = 'pending'") == 1
    assert shelf.count("memory_requests") == 0


@pytest.mark.requirement("A4.3", "M2.0(a)")
def test_hooks_that_are_processes_keep_a_turn_with_no_store_before(
    client: Client, shelf: Shelf
) -> None:
    begin = client.payload("user-prompt-submit", prompt=SAID)
    end = client.payload("stop", last_assistant_message=ANSWER)
    for event, payload in (("user-prompt-submit", begin), ("stop", end)):
        run = start_hook(event, payload, client.home)
        assert (run.returncode, run.stdout, run.stderr) == (0, b"", b"")
    assert shelf.told() == [("completed", SAID, ANSWER)]
    assert not last_failures(str(client.home))


@pytest.mark.requirement("A4.4")
def test_a_turn_that_ended_waits_for_the_worker_which_is_woken_where_it_may_ask(
    client: Client, shelf: Shelf
) -> None:
    client.hook("user-prompt-submit", prompt=SAID)
    client.hook("stop", last_assistant_message=ANSWER)
    (one,) = shelf.waiting()
    assert (one.root, one.asks, client.woken) == (str(client.cwd), False, 0)
    client.environ = dict(KEY)
    client.hook("user-prompt-submit", prompt=SAID)
    client.hook("stop", last_assistant_message=ANSWER)
    (one,) = shelf.waiting()
    assert (one.asks, client.woken) == (True, 1)


@pytest.mark.requirement("A4.4")
def test_an_answer_that_is_not_told_is_read_from_the_transcript(
    client: Client, shelf: Shelf, tmp_path: Path
) -> None:
    said = transcript(tmp_path, client.cwd, SESSION)
    client.hook("user-prompt-submit", prompt=SAID)
    said.turn(SAID, ANSWER)
    client.hook("stop", transcript_path=str(said.path))
    assert shelf.told() == [("completed", SAID, ANSWER)]


@pytest.mark.requirement("A4.4", "M2.3(b)")
def test_a_transcript_that_lags_gives_no_answer_of_before(
    client: Client, shelf: Shelf, tmp_path: Path
) -> None:
    said = transcript(tmp_path, client.cwd, SESSION).turn("Before", "Of before")
    client.hook("user-prompt-submit", prompt=SAID)
    client.hook("stop", transcript_path=str(said.path), last_assistant_message=" \n")
    assert shelf.told() == [("interrupted", SAID, "")]


@pytest.mark.requirement("A4.4")
def test_a_turn_that_a_hook_made_go_on_ends_once(client: Client, shelf: Shelf) -> None:
    client.hook("user-prompt-submit", prompt=SAID)
    client.hook("stop", last_assistant_message=ANSWER)
    client.hook("stop", last_assistant_message="More.", stop_hook_active=True)
    assert shelf.told() == [("completed", SAID, ANSWER)]
    client.hook("user-prompt-submit", prompt="And then?")
    client.hook("stop", last_assistant_message="Then.", stop_hook_active=True)
    assert shelf.told()[-1] == ("completed", "And then?", "Then.")
    assert not last_failures(str(client.home))


@pytest.mark.requirement("A4.4", "M2.3(a)", "M2.3(b)")
@pytest.mark.parametrize(
    ("fields", "code"),
    [
        pytest.param({"error_type": "rate_limit", "error": "429"}, "rate_limit"),
        pytest.param({"error": "server_error"}, "server_error"),
        pytest.param({"error": f"key {SECRET} is bad"}, "unknown"),
        pytest.param({}, "unknown"),
    ],
)
def test_a_failed_turn_keeps_what_was_said_and_is_queued(
    client: Client, shelf: Shelf, fields: dict[str, object], code: str
) -> None:
    client.hook("user-prompt-submit", prompt=SAID)
    assert client.hook("stop-failure", **fields) == ""
    assert shelf.told() == [("failed", SAID, "")]
    assert shelf.count("turns", f"error_code = '{code}'") == 1
    assert shelf.count("memory_jobs", "status = 'pending'") == 1
    assert shelf.waiting()


@pytest.mark.requirement("A4.5", "M2.3(b)", "H3")
def test_a_sessions_end_gives_its_open_turn_up_and_ends_its_review(
    client: Client, shelf: Shelf
) -> None:
    client.environ = dict(KEY)
    shelf.review(ReviewItem("f1", "a.py", "E1", "bad"))
    client.hook("user-prompt-submit", prompt=SAID)
    client.hook("session-end", reason="logout")
    assert shelf.told() == [("interrupted", SAID, "")]
    assert shelf.count("memory_reviews") == 0
    assert (len(shelf.waiting()), client.woken) == (1, 1)


@pytest.mark.requirement("A4.4", "H4")
def test_a_second_prompt_gives_the_open_turn_up(client: Client, shelf: Shelf) -> None:
    client.hook("user-prompt-submit", prompt=SAID)
    client.hook("user-prompt-submit", prompt="No, spaces.")
    client.hook("stop", last_assistant_message="Spaces.")
    assert shelf.told() == [
        ("interrupted", SAID, ""),
        ("completed", "No, spaces.", "Spaces."),
    ]


@pytest.mark.requirement("H4")
def test_a_late_answer_is_kept_while_nobody_went_on(
    client: Client, shelf: Shelf
) -> None:
    client.hook("user-prompt-submit", prompt=SAID)
    client.clock.tick(timedelta(hours=1))
    with shelf.open() as memory, memory.writing() as writing:
        assert len(recover(writing)) == 1
    client.hook("stop", last_assistant_message=ANSWER)
    assert shelf.told() == [("completed", SAID, ANSWER)]


@pytest.mark.requirement("H4")
def test_a_late_answer_whose_turn_was_taken_is_refused_and_told(
    client: Client, shelf: Shelf
) -> None:
    client.home.mkdir(mode=0o700)
    client.hook("user-prompt-submit", prompt=SAID)
    client.clock.tick(timedelta(hours=1))
    with shelf.open() as memory, memory.writing() as writing:
        recover(writing)
        writing.tx.execute("UPDATE memory_jobs SET claim_count = 1")
    client.hook("stop", last_assistant_message=ANSWER)
    assert shelf.told() == [("interrupted", SAID, "")]
    assert shelf.count("turns", "late_refused") == 1
    assert [one.code for one in last_failures(str(client.home))] == ["TURN_LATE"]


@pytest.mark.requirement("H4")
@pytest.mark.parametrize("event", ["post-tool-use", "subagent-start", "pre-compact"])
def test_any_hook_holds_the_turn_longer_once_in_a_while(
    client: Client, shelf: Shelf, event: str
) -> None:
    client.home.mkdir(mode=0o700)
    client.hook("user-prompt-submit", prompt=SAID)
    path = Path(state_path(str(client.home), SESSION))
    now = client.clock.now.timestamp()
    os.utime(path, (now, now))
    first = shelf.lease()
    client.clock.tick(timedelta(minutes=4))
    client.hook(event, tool_name="Read")
    assert shelf.lease() == first
    client.clock.tick(timedelta(minutes=2))
    client.hook(event, tool_name="Read")
    held = moment_of(shelf.lease())
    assert held > moment_of(first) + timedelta(minutes=5)
    client.clock.tick(timedelta(minutes=1))
    client.hook(event, tool_name="Read")
    assert shelf.lease() == stamp(held)


@pytest.mark.requirement("H4")
def test_how_long_a_turn_is_held_is_a_setting(client: Client, shelf: Shelf) -> None:
    client.home.mkdir(mode=0o700)
    (client.home / "config.json").write_bytes(b'{"turnLeaseMinutes": 2}')
    client.hook("user-prompt-submit", prompt=SAID)
    first = moment_of(shelf.lease())
    (turn,) = shelf.turns()
    assert first == moment_of(turn.created_at) + timedelta(minutes=2)
    path = Path(state_path(str(client.home), SESSION))
    now = client.clock.now.timestamp()
    os.utime(path, (now, now))
    client.clock.tick(timedelta(seconds=40))  # five minutes would be too late
    client.hook("post-tool-use", tool_name="Read")
    assert moment_of(shelf.lease()) > first


@pytest.mark.requirement("A4.2", "M2.3(b)")
def test_a_sessions_start_has_what_was_left_worked_on(
    client: Client, shelf: Shelf
) -> None:
    client.environ = dict(KEY)
    client.hook("session-start", source="startup")
    assert not client.home.exists()  # and no memory was made for nothing
    assert not (client.cwd / ".agentctx" / "memory.db").exists()
    client.hook("user-prompt-submit", prompt=SAID)
    client.hook("session-start", source="startup", session_id="another")
    assert not client.home.exists() or not shelf.waiting()  # the turn is held
    client.clock.tick(timedelta(hours=1))
    client.hook("session-start", source="startup", session_id="another")
    (one,) = shelf.waiting()
    assert (one.root, client.woken) == (str(client.cwd), 1)


@pytest.mark.requirement("A4.8", "M2.0(b)")
def test_a_turn_stays_in_the_memory_it_was_begun_in(
    client: Client, shelf: Shelf, tmp_path: Path
) -> None:
    client.home.mkdir(mode=0o700)
    other = tmp_path / "other"
    (other / ".agentctx").mkdir(parents=True)
    client.hook("user-prompt-submit", prompt=SAID)
    client.hook("cwd-changed", new_cwd=str(other))
    client.hook("stop", cwd=str(other), last_assistant_message=ANSWER)
    assert shelf.told() == [("completed", SAID, ANSWER)]
    client.hook("user-prompt-submit", prompt="Go on.")
    client.hook("user-prompt-submit", prompt="There now.", cwd=str(other))
    assert shelf.told()[1:] == [("interrupted", "Go on.", "")]
    assert Shelf(client, other).told() == [("open", "There now.", "")]


@pytest.mark.requirement("A4.3", "H1")
def test_two_windows_have_a_turn_each(client: Client, shelf: Shelf) -> None:
    client.hook("user-prompt-submit", prompt="One", session_id="one")
    client.hook("user-prompt-submit", prompt="Two", session_id="two")
    client.hook("stop", last_assistant_message="First", session_id="one")
    assert shelf.told() == [("completed", "One", "First"), ("open", "Two", "")]
    client.hook("session-end", session_id="two")
    assert shelf.told()[1] == ("interrupted", "Two", "")


@pytest.mark.requirement("A4.3", "A2.4")
def test_a_working_tree_shares_the_memory_of_its_project(
    client: Client, tmp_path: Path
) -> None:
    git = Git(tmp_path)
    main = git.repository(tmp_path / "main")
    (main / ".agentctx").mkdir()
    tree = tmp_path / "tree"
    git(main, "worktree", "add", "-q", str(tree))
    (tree / "a.py").touch()
    client.hook("user-prompt-submit", prompt="Look at a.py", cwd=str(tree))
    (turn,) = Shelf(client, main).turns()
    assert (turn.user_text, turn.scope_paths) == ("Look at a.py", ("a.py",))
    assert not (tree / ".agentctx").exists()


@pytest.mark.requirement("H3", "A4.3")
def test_a_session_in_a_review_has_review_turns_about_the_items_it_names(
    client: Client, shelf: Shelf
) -> None:
    shelf.review(
        ReviewItem("f1", "src/a.py", "E1", "bad"),
        ReviewItem("f2", "src/b.py", "E2", "worse"),
    )
    client.hook("user-prompt-submit", prompt="Explain f1 here.")
    client.hook("user-prompt-submit", prompt="Explain f1.", session_id="another")
    review, ordinary = shelf.turns()
    assert (review.profile, review.evidence_keys) == ("review", ("run1:f1",))
    assert review.scope_paths == ("src/a.py",)
    assert (ordinary.profile, ordinary.evidence_keys) == ("ordinary", ())


@pytest.mark.requirement("A4.3", "M2.4")
@pytest.mark.parametrize(
    "prompt",
    [
        "<task-notification>\nA task has ended.\n</task-notification>",
        "<system-reminder>\nFollow the rules.\n</system-reminder>",
        "[SYSTEM NOTIFICATION - NOT USER INPUT] A task has ended.",
        " \n\t",
    ],
)
def test_what_a_program_says_is_no_turn(
    client: Client, shelf: Shelf, prompt: str
) -> None:
    client.hook("user-prompt-submit", prompt=prompt)
    assert shelf.told() == []


@pytest.mark.requirement("M2.4", "C9")
def test_what_we_showed_is_not_taken_for_what_was_said(
    client: Client, shelf: Shelf
) -> None:
    block = "<user-prompt-submit-hook>\nThe Map.\n</user-prompt-submit-hook>"
    client.hook("user-prompt-submit", prompt=f"  {SAID}  ")
    client.hook("user-prompt-submit", prompt=f"{SAID}\n{block}")
    assert [turn.user_text for turn in shelf.turns()] == [f"  {SAID}  ", SAID]


@pytest.mark.requirement("A4.4")
@pytest.mark.parametrize("event", ["stop", "stop-failure"])
def test_a_sub_agent_neither_begins_nor_ends_a_turn(
    client: Client, shelf: Shelf, event: str
) -> None:
    client.hook("user-prompt-submit", prompt="Sub", agent_id="a1")
    client.hook("user-prompt-submit", prompt=SAID)
    client.hook(event, agent_id="a1", last_assistant_message="Sub")
    assert shelf.told() == [("open", SAID, "")]


@pytest.mark.requirement("M11.7", "A4.3")
def test_a_secret_never_reaches_the_file(client: Client, shelf: Shelf) -> None:
    client.hook("user-prompt-submit", prompt=f"{SAID} My token is {SECRET}.")
    client.hook("stop", last_assistant_message=f"Keep {SECRET} safe.")
    (turn,) = shelf.turns()
    assert SAID in turn.user_text
    for path in (*client.cwd.rglob("*"), *client.home.rglob("*")):
        if path.is_file():
            assert SECRET.encode() not in path.read_bytes(), path


@pytest.mark.requirement("A4.3", "A4.1")
@pytest.mark.parametrize(
    ("session", "kept"),
    [
        pytest.param("../../etc", True, id="a path"),
        pytest.param("a b \u00e9 \u4e2d", True, id="other letters"),
        pytest.param("x" * 200, True, id="the longest"),
        pytest.param(SECRET, True, id="a secret"),
        pytest.param("x" * 201, False, id="too long"),
        pytest.param("  ", False, id="blank"),
        pytest.param("a\nb", False, id="two lines"),
        pytest.param("", False, id="none"),
        pytest.param(7, False, id="a number"),
    ],
)
def test_a_session_may_be_called_anything_that_can_be_kept(
    client: Client, shelf: Shelf, session: object, *, kept: bool
) -> None:
    client.hook("user-prompt-submit", prompt=SAID, session_id=session)
    client.hook("stop", last_assistant_message=ANSWER, session_id=session)
    expected = [("completed", SAID, ANSWER)] if kept else []
    assert shelf.told() == expected
    assert not last_failures(str(client.home))
