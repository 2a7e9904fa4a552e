"""Turns: where they begin, who speaks in them, what the agent does and is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from agentctx.clients.claude_text import CUT, MOST_TEXT
from agentctx.clients.claude_transcript import (
    MOST_TOOLS,
    Tool,
    read_last_turns,
)
from tests.agentctx.transcripts import (
    NOTE,
    REASON,
    REFUSED,
    agent,
    asks,
    assert_without_gap,
    calls,
    line,
    queued,
    read,
    result,
    says,
    turns_of,
    user,
    words_of,
    write,
)

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.requirement("A6.6")

ASKED = {
    "questions": [
        {
            "question": 'Which "unit"?',
            "options": [{"label": "millimetres"}, {"label": "inches"}],
        },
        {"question": "How often?", "options": [{"label": "hourly"}]},
    ]
}


def test_a_turn_holds_what_follows_the_developers_words(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        {"type": "summary", "summary": "Old", "leafUuid": "x"},
        user("Add a gauge", timestamp="2026-11-01T10:00:00.000Z"),
        says("I add it."),
        calls("Write", file_path="/work/gauge/a.py", content="x"),
        result("ok"),
        says("Done."),
        user("Now test it", timestamp="2026-11-01T10:05:00.000Z", cwd="/work/other"),
        calls("Bash", command="pytest -q"),
    )
    turns, problems = read(path)
    assert_without_gap(turns, 0, len((tmp_path / "session.jsonl").read_bytes()))
    before, first, second = turns
    assert (before.developer, before.assistant, before.tools) == ("", "", ())
    assert first.developer == "Add a gauge"
    assert first.assistant == "I add it.\n\nDone."
    assert first.tools == (Tool("Write", "/work/gauge/a.py", ok=True),)
    assert (first.at, first.cwd, first.branch) == (
        "2026-11-01T10:00:00.000Z",
        "/work/gauge",
        "main",
    )
    assert second.tools == (Tool("Bash", "pytest -q", ok=None),)
    assert second.cwd == "/work/other"
    assert problems == (0, 0, 0, False)


@pytest.mark.parametrize(
    "record",
    [
        user("use tabs", isMeta=True),
        user("use tabs", isCompactSummary=True),
        user("use tabs", isVisibleInTranscriptOnly=True),
        user("use tabs", isSidechain=True),
        user("use tabs", agentId="a1"),
        user("use tabs", sourceToolUseID="t1"),
        user("use tabs", origin={"kind": "task-notification"}),
        user("use tabs", origin={"kind": "peer"}, promptSource="typed"),
        user("use tabs", origin={"kind": "something new"}),
        user("use tabs", turnOrigin="peer"),
        user("use tabs", promptSource="system"),
        user([{"type": "tool_result", "content": "use tabs"}]),
        user([{"type": "image", "source": {"data": "use tabs"}}]),
        user({"text": "use tabs"}),
        user(None),
        says("use tabs"),
        {"type": "user", "message": {"role": "assistant", "content": "use tabs"}},
        {"type": "user", "message": "use tabs"},
        {"type": "user", "content": "use tabs"},
        {"type": "system", "subtype": "local_command", "content": "use tabs"},
        {"type": "queue-operation", "operation": "enqueue", "content": "use tabs"},
        {"type": "last-prompt", "lastPrompt": "use tabs"},
        {"type": "progress", "data": {"message": user("use tabs")}},
        {
            "type": "attachment",
            "attachment": {"type": "hook_additional_context", "content": ["use tabs"]},
        },
        queued("use tabs", mode="task-notification"),
        queued("use tabs", origin={"kind": "peer"}),
        queued("use tabs", isMeta=True),
        queued("<agent-message>use tabs</agent-message>"),
    ],
)
def test_only_the_developer_begins_a_turn(tmp_path: Path, record: object) -> None:
    turns = turns_of(tmp_path, record, user("No tabs"), record)
    assert [turn.developer for turn in turns] == ["", "No tabs"]


@pytest.mark.parametrize(
    "record",
    [
        user("No tabs"),
        user("No tabs", origin={"kind": "human"}, promptSource="sdk"),
        user("No tabs", turnOrigin="human", promptSource="queued"),
        user([{"type": "text", "text": "No tabs"}]),
        user([{"type": "image"}, {"type": "text", "text": "No tabs"}]),
        user(
            [
                {"type": "text", "text": "<ide_opened_file>a.py</ide_opened_file>"},
                {"type": "text", "text": "No tabs"},
            ]
        ),
        {"type": "human", "message": {"content": "No tabs"}},
        queued("No tabs"),
        queued([{"type": "text", "text": "No tabs"}], origin={"kind": "human"}),
    ],
)
def test_the_developer_speaks_in_several_ways(tmp_path: Path, record: object) -> None:
    assert words_of(tmp_path, says("Hello"), record) == ["No tabs"]


@pytest.mark.parametrize("name", ["agent-a1.jsonl", "subagents/b.jsonl"])
def test_a_sub_agents_file_has_nobodys_words(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(line(user("use tabs")) + line(says("I use tabs")))
    ((turn,), _) = read(str(path))
    assert (turn.developer, turn.assistant) == ("", "")


def test_what_is_not_shown_is_not_the_agents_text(tmp_path: Path) -> None:
    thinking = {"type": "thinking", "thinking": "use tabs"}
    (turn,) = turns_of(
        tmp_path,
        user("Go"),
        agent(thinking, {"type": "text", "text": "I begin."}),
        calls("Bash", command="use tabs"),
        says("I begin.", isSidechain=True),
        says("API Error: 529", isApiErrorMessage=True),
        agent({"type": "text", "text": "none"})
        | {"message": {"model": "<synthetic>", "content": "No response requested."}},
    )
    assert turn.assistant == "I begin."


def test_a_record_is_read_once(tmp_path: Path) -> None:
    once = user("Use tabs", uuid="u1")
    path = write(
        tmp_path,
        once,
        says("Yes", uuid="a1", parentUuid="u2"),
        user("And UTC", uuid="u2", parentUuid="a1"),
        once,
        says("Yes", uuid="a1"),
        queued("And UTC", source_uuid="u2"),
    )
    turns, problems = read(path)
    assert [(one.developer, one.assistant) for one in turns] == [
        ("Use tabs", "Yes"),
        ("And UTC", ""),
    ]
    assert problems.repeated == 3
    assert list(read(path, turns[0].end)[0]) == turns[1:]


def test_a_tools_result_says_whether_it_worked(tmp_path: Path) -> None:
    (turn,) = turns_of(
        tmp_path,
        user("Go"),
        calls("Bash", "t1", command="make"),
        calls("Read", "t2", file_path="a.py"),
        calls("NotebookEdit", "t3", notebook_path="a.ipynb"),
        calls("mcp__files__read", "t4", file_path="b.py"),
        result("Exit code 2", "t1", error=True),
        result([{"type": "text", "text": "x"}], "t2"),
        result(None, "t9"),
    )
    assert turn.tools == (
        Tool("Bash", "make", ok=False),
        Tool("Read", "a.py", ok=True),
        Tool("NotebookEdit", "a.ipynb", ok=None),
        Tool("mcp__files__read", "", ok=None),
    )


def test_answers_are_the_developers_and_questions_their_context(tmp_path: Path) -> None:
    told = {
        **ASKED,
        "answers": {'Which "unit"?': "millimetres", "How often?": ["hourly", "daily"]},
        "annotations": {"How often?": {"notes": "on the full hour"}},
    }
    (turn,) = turns_of(
        tmp_path,
        user("Set it up"),
        asks(ASKED),
        result("User has answered your questions: …", toolUseResult=told),
    )
    assert turn.developer == (
        "Set it up\n\nmillimetres\nhourly\ndaily\non the full hour"
    )
    assert turn.assistant == (
        'Which "unit"? [millimetres | inches]\nHow often? [hourly]'
    )


def test_answers_are_found_where_only_the_sentence_has_them(tmp_path: Path) -> None:
    text = (
        'User has answered your questions: "Which "unit"?"="mm, "as always"",'
        ' "How often?"="hourly". You can now continue with the user\'s answers in mind.'
    )
    (turn,) = turns_of(tmp_path, asks(ASKED), result(text))
    assert turn.developer == 'mm, "as always"\nhourly'


def test_answers_are_found_where_the_questions_are_worded_otherwise(
    tmp_path: Path,
) -> None:
    text = 'Your questions have been answered: "Unit?"="mm", "When?"="at noon".'
    assert words_of(tmp_path, asks(ASKED), result(text)) == ["mm\nat noon"]


@pytest.mark.parametrize(
    ("tool", "more", "expected"),
    [
        ("Bash", {}, "use uv"),
        ("Edit", {"toolDenialKind": "user-rejected"}, "use uv"),
        ("ExitPlanMode", {}, "use uv"),
        ("mcp__a__b", {"toolDenialKind": "user-rejected"}, "use uv"),
        ("mcp__a__b", {}, ""),
        ("Bash", {"toolDenialKind": "automode-blocked"}, ""),
    ],
)
def test_a_typed_reason_for_a_refusal_is_the_developers(
    tmp_path: Path, tool: str, more: dict[str, object], expected: str
) -> None:
    refused = {**result(REASON + "use uv" + NOTE, error=True), **more}
    (turn,) = turns_of(tmp_path, calls(tool), refused, refused)
    assert turn.developer == expected


@pytest.mark.parametrize(
    ("tool", "record"),
    [
        ("Bash", result(REFUSED + "STOP what you are doing and wait.", error=True)),
        ("Bash", result(REASON + "use tabs")),
        ("Bash", result("log: " + REASON + "use tabs", error=True)),
        ("Bash", result('User has answered your questions: "a"="use tabs".')),
        ("mcp__a__b", result("x", toolUseResult={**ASKED, "answers": {"a": "tabs"}})),
        ("AskUserQuestion", result("x", toolUseResult={"answers": "use tabs"})),
        ("AskUserQuestion", result("<tool_use_error>use tabs</tool_use_error>")),
        ("ExitPlanMode", result("User has approved your plan.\n\n## Plan:\nuse tabs")),
    ],
)
def test_what_a_tool_writes_is_never_the_developers(
    tmp_path: Path, tool: str, record: object
) -> None:
    assert words_of(tmp_path, calls(tool), record) == []


def test_the_refusal_of_a_question_keeps_the_answers_given(tmp_path: Path) -> None:
    text = (
        "The user wants to clarify these questions.\n    Start by asking them.\n\n"
        '    Questions asked:\n- "Which unit?"\n  Answer: millimetres\n'
        '- "How often?"\n  (No answer provided)'
    )
    refused = result(REASON + text, error=True)
    assert words_of(tmp_path, asks(ASKED), refused) == ["millimetres"]


def test_what_is_typed_on_approval_stays_in_its_turn(tmp_path: Path) -> None:
    (turn,) = turns_of(
        tmp_path,
        user("Plan it"),
        calls("ExitPlanMode", plan="use tabs"),
        result("User has approved your plan.", beside="but without tabs"),
    )
    assert turn.developer == "Plan it\n\nbut without tabs"


def test_the_task_in_progress_is_the_last_one_told(tmp_path: Path) -> None:
    todos = [
        {"content": "Measure", "status": "completed"},
        {"content": "Publish", "status": "in_progress"},
    ]
    turns = turns_of(
        tmp_path,
        user("One"),
        calls("TodoWrite", todos=todos),
        user("Two"),
        says("Nothing of it"),
        user("Three"),
        calls("TodoWrite", todos=[{"content": "Publish", "status": "completed"}]),
        user("Four"),
        calls("TodoWrite", todos={"content": 5}),
    )
    assert [turn.todo for turn in turns] == ["Publish", "", "", ""]


def test_a_task_is_known_by_its_number_in_later_turns(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        user("One"),
        calls("TaskCreate", "t1", subject="Measure"),
        calls("TaskCreate", "t2", subject="Publish"),
        result("Task #1 created successfully: Measure", "t1"),
        result("made", "t2", toolUseResult={"task": {"id": 2, "subject": "Publish"}}),
        user("Two"),
        calls("TaskUpdate", "t3", taskId="1", status="in_progress"),
        calls("TaskUpdate", "t4", taskId=2, status="in_progress"),
        user("Three"),
        calls("TaskUpdate", "t5", taskId="2", status="completed"),
        user("Four"),
        calls("TaskUpdate", "t6", taskId="1", status="deleted"),
    )
    turns, _ = read(path)
    assert [turn.todo for turn in turns] == ["", "Publish", "Measure", ""]
    for number, turn in enumerate(turns):
        assert read(path, turn.end)[0] == turns[number + 1 :]


def test_a_list_of_tasks_is_followed_through_odd_changes(tmp_path: Path) -> None:
    many = [calls("TaskCreate", f"t{number}", subject="x") for number in range(1_100)]
    turns = turns_of(
        tmp_path,
        user("One"),
        *many,
        result("Task #1 created", "t0"),
        calls("TaskUpdate", taskId="1", status="in_progress"),
        user("Two"),
        calls("TaskUpdate", taskId="7", subject="Publish", status="in_progress"),
        calls("TaskUpdate", taskId="8", status="blocked"),
        calls("TaskUpdate", status="in_progress"),
        user("Three"),
        calls("TaskUpdate", taskId="7", status="pending"),
    )
    assert [turn.todo for turn in turns] == ["", "Publish", ""]


def test_a_long_text_keeps_its_head_and_its_tail(tmp_path: Path) -> None:
    parts = [says(f"part {number} " + "x" * 1_000) for number in range(1_000)]
    long = "begin " + "y" * MOST_TEXT * 2 + " end"
    (turn,) = turns_of(tmp_path, user(long), *parts)
    assert len(turn.developer) <= MOST_TEXT
    assert len(turn.assistant) <= MOST_TEXT
    assert turn.developer.startswith("begin y")
    assert turn.developer.endswith("y end")
    assert turn.developer.count(CUT) == turn.assistant.count(CUT) == 1
    assert turn.assistant.startswith("part 0 x")
    assert "part 999 x" in turn.assistant


def test_of_very_many_tools_the_latest_are_kept(tmp_path: Path) -> None:
    used = [calls("Bash", f"t{number}", command=str(number)) for number in range(2_500)]
    (turn,) = turns_of(tmp_path, user("Go"), *used)
    assert len(turn.tools) == MOST_TOOLS
    assert turn.tools[-1].target == "2499"


def test_the_last_turns_are_those_that_begin_in_the_last_bytes(tmp_path: Path) -> None:
    records = [user(f"turn {number}") for number in range(100)]
    path = write(tmp_path, *records)
    size = len((tmp_path / "session.jsonl").read_bytes())
    whole, _ = read(path)
    assert read_last_turns(path, limit_bytes=size) == whole
    assert read_last_turns(path, limit_bytes=size * 2) == whole
    assert read_last_turns(path, limit_bytes=0) == []
    at_a_line = whole[-3].start
    assert read_last_turns(path, limit_bytes=size - at_a_line) == whole[-3:]
    assert read_last_turns(path, limit_bytes=size - at_a_line - 1) == whole[-2:]
    assert read_last_turns(path, limit_bytes=size - at_a_line + 1) == whole[-3:]
