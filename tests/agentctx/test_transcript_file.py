"""The file of a transcript: broken, huge, hostile, growing, or no file at all."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentctx.clients.claude_transcript import (
    Reader,
    identity,
    read_last_turns,
    read_turns,
    size,
)
from agentctx.errors import TranscriptError
from tests.agentctx.transcripts import (
    agent,
    assert_without_gap,
    calls,
    line,
    queued,
    read,
    result,
    says,
    user,
    write,
)
from tests.quality.judged import SHARED

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.requirement("A6.6")

SESSIONS = sorted((SHARED / "data" / "transcripts" / "files").glob("*.jsonl"))
NOT_THEIRS = (
    "<system-reminder>",
    "<command-name>",
    "<command-message>",
    "<local-command-",
    "<bash-stdout>",
    "<ide_",
    "<task-notification>",
    "[Request interrupted",
    "Caveat: The messages",
    "This session is being continued",
)


def said(path: str, start: int = 0) -> list[str]:
    return [turn.developer for turn in read(path, start)[0] if turn.developer]


@pytest.mark.parametrize(
    "broken",
    [
        b"{not json\n",
        b"null\n",
        b"[1, 2]\n",
        b'"text"\n',
        b"12\n",
        b'{"type": "user", "message": {"content": "cut\n',
        b"\xff\xfe\x00{\x00\n",
        os.urandom(64).replace(b"\n", b"") + b"\n",
        b"[" * 200_000 + b"\n",
        b'{"a":' * 200_000 + b"\n",
        b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"\n",
    ],
    ids=range(11),
)
def test_a_broken_line_is_counted_and_passed_over(
    tmp_path: Path, broken: bytes
) -> None:
    path = write(tmp_path, user("One"), broken, user("Two"))
    turns, problems = read(path)
    assert [turn.developer for turn in turns] == ["One", "Two"]
    assert problems.bad_lines == 1
    assert_without_gap(turns, 0, size(path))


@pytest.mark.parametrize(
    "record",
    [
        b'{"type":"user","message":{"content":"One"},"n":' + b"9" * 10_000 + b"}\n",
        b'{"type":"user","message":{"content":"One"},"n":NaN}\n',
        b'\xef\xbb\xbf{"type":"user","message":{"content":"One"}}\n',
        b'{"type":"user","message":{"content":"One"}}\r\n',
        b'\0\0\0{"type":"user","message":{"content":"One"}}\n',
        b'\n\r\n  \n{"type":"user","message":{"content":"One"}}\n',
        b'{"type":"user","message":{"content":"One"},"cwd":"\xff"}\n',
        b'{"type":"user","message":{"content":"One"}}',
    ],
    ids=range(8),
)
def test_an_odd_line_is_read_all_the_same(tmp_path: Path, record: bytes) -> None:
    turns, problems = read(write(tmp_path, record))
    assert [turn.developer for turn in turns] == ["One"]
    assert problems == (0, 0, 0, False)


@pytest.mark.parametrize("odd", [None, 5, "x", [], {}, [None, 5, [], {}], True])
def test_a_field_of_another_type_says_nothing(tmp_path: Path, odd: object) -> None:
    names = ("type", "uuid", "timestamp", "cwd", "gitBranch", "message", "attachment")
    records: list[object] = [{**user("x", uuid="u"), name: odd} for name in names]
    records += [{**queued("x"), name: odd} for name in names]
    records += [queued(odd), queued("x", source_uuid=odd), user([odd, odd])]
    for block in ("type", "id", "name", "input", "text", "content", "tool_use_id"):
        records.append(user([{"type": "tool_result", block: odd}], toolUseResult=odd))
        records.append(says("x") | {"message": {"content": [{block: odd}]}})
        records.append(calls("Bash") | {"message": {"id": odd, "content": odd}})
    for name in ("AskUserQuestion", "TodoWrite", "TaskCreate", "TaskUpdate", "Bash"):
        keys = ("questions", "todos", "subject", "taskId", "status", "command")
        for key in keys:
            for asked in ({key: odd}, {key: [odd]}):
                records.append(
                    agent({"type": "tool_use", "name": name, "input": asked})
                )
            records.append(result(odd, toolUseResult={"task": odd, "answers": odd}))
            records.append(result("x", toolUseResult={"questions": [odd], key: {}}))
    turns, _ = read(write(tmp_path, *records, user("Use tabs")))
    assert turns[-1].developer == "Use tabs"
    for turn in turns:
        for text in (turn.at, turn.cwd, turn.branch):
            assert text is None or text


def test_texts_can_be_stored_whatever_the_file_holds(tmp_path: Path) -> None:
    odd = "a\x00b\ud800c"
    turns, _ = read(
        write(
            tmp_path,
            user(odd, cwd=odd, gitBranch=odd, timestamp=odd),
            says(odd),
            calls("Bash", command=odd),
            calls(odd),
            calls("TodoWrite", todos=[{"content": odd, "status": "in_progress"}]),
        )
    )
    text = repr(turns)
    assert "\\x00" not in text
    assert "\\ud800" not in text


def test_a_line_over_the_limit_is_skipped_and_counted(tmp_path: Path) -> None:
    path = write(tmp_path, user("One"), user("x" * 5_000), user("Two"))
    reader = Reader(path, longest_line=1_000)
    turns = list(reader)
    assert [turn.developer for turn in turns] == ["One", "Two"]
    assert reader.problems.long_lines == 1
    assert_without_gap(turns, 0, size(path))


def test_a_line_of_a_megabyte_is_read(tmp_path: Path) -> None:
    (_, turn), _ = read(write(tmp_path, user("One"), user("x " * 500_000)))
    assert turn.developer.startswith("x x")


@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured in kilobytes")
def test_a_huge_line_is_not_held_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    with path.open("wb") as file:
        file.write(line(user("One")) + b'{"a": "')
        file.seek(1 << 30)  # a hole: nothing is written
        file.write(b'"}\n' + line(user("Two")))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    turns, problems = read(str(path))
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert [turn.developer for turn in turns] == ["One", "Two"]
    assert problems.long_lines == 1
    assert grown < 64 * 1024


@pytest.mark.parametrize(
    "tail",
    [b'{"type": "user", "message": {"cont', b"12", b'"text"', b"{", b"  ", b"\0\0"],
)
def test_an_unfinished_line_is_left_for_the_next_reading(
    tmp_path: Path, tail: bytes
) -> None:
    path = write(tmp_path, user("One"), tail)
    turns, problems = read(path)
    assert problems.unfinished
    assert problems.bad_lines == 0
    assert_without_gap(turns, 0, size(path) - len(tail))


def test_a_line_that_grew_whole_is_read_then(tmp_path: Path) -> None:
    path = write(tmp_path, user("One"), line(user("Two"))[:20])
    (turn,), _ = read(path)
    write(tmp_path, user("One"), user("Two"), says("Yes"))
    assert said(path, turn.end) == ["Two"]


def test_a_line_feed_after_a_whole_last_line_begins_no_turn(tmp_path: Path) -> None:
    path = write(tmp_path, user("One"), line(says("Yes"))[:-1])
    (turn,), _ = read(path)
    assert turn.end == size(path)
    write(tmp_path, user("One"), says("Yes"), user("Two"))
    (later,), _ = read(path, turn.end)
    assert (later.start, later.developer) == (turn.end, "Two")


def test_a_start_past_the_end_or_inside_a_line_gives_what_there_is(
    tmp_path: Path,
) -> None:
    path = write(tmp_path, user("One"), user("Two"))
    assert read(path, size(path) + 10)[0] == []
    assert said(path, -5) == ["One", "Two"]
    assert said(path, 5) == ["Two"]


def test_an_empty_file_has_no_turns(tmp_path: Path) -> None:
    path = write(tmp_path)
    assert read(path) == ([], (0, 0, 0, False))
    assert (size(path), identity(path)) == (0, "")
    assert read_last_turns(path, limit_bytes=100) == []


def no_file(folder: Path) -> str:
    return str(folder / "none")


def a_folder(folder: Path) -> str:
    return str(folder)


def a_fifo(folder: Path) -> str:
    os.mkfifo(folder / "fifo")
    return str(folder / "fifo")


def a_link_to_a_fifo(folder: Path) -> str:
    (folder / "link").symlink_to(a_fifo(folder))
    return str(folder / "link")


@pytest.mark.skipif(os.name == "nt", reason="FIFOs are POSIX")
@pytest.mark.parametrize(
    "place",
    [
        no_file,
        a_folder,
        a_fifo,
        a_link_to_a_fifo,
        lambda _: "/dev/zero",
        lambda _: "a\0b",
        lambda _: "a\ud800b",
        lambda _: "x" * 10_000,
        lambda _: "",
    ],
)
def test_what_is_no_regular_file_is_refused_at_once(
    tmp_path: Path, place: Callable[[Path], str]
) -> None:
    path = place(tmp_path)
    for use in (
        lambda: list(read_turns(path)),
        lambda: read_last_turns(path, limit_bytes=10),
        lambda: identity(path),
        lambda: size(path),
    ):
        with pytest.raises(TranscriptError) as refused:
            use()
        assert refused.value.code == "TRANSCRIPT_UNREADABLE"


def test_a_file_cut_short_while_it_is_read_ends_there(tmp_path: Path) -> None:
    path = write(tmp_path, *(user(f"turn {number}") for number in range(2_000)))
    turns = read_turns(path)
    first = next(turns)
    os.truncate(path, first.end)
    rest = list(turns)
    assert rest[0].start == first.end
    assert len(rest) < 2_000


def test_the_identity_stays_as_a_file_grows_and_goes_when_it_is_rewritten(
    tmp_path: Path,
) -> None:
    head = {"type": "mode", "sessionId": "s1"}
    assert identity(write(tmp_path, head)) == ""
    one = identity(write(tmp_path, head, user("One", uuid="u1")))
    more = identity(write(tmp_path, head, user("One", uuid="u1"), says("x", uuid="a")))
    other = identity(write(tmp_path, head, user("One", uuid="u9"), says("x", uuid="a")))
    assert one == more != other
    assert one
    assert identity(write(tmp_path, line(user("One", uuid="u1"))[:-1])) == ""
    big = identity(write(tmp_path, user("x" * 100_000, uuid="u1")))
    assert big == identity(write(tmp_path, user("x" * 100_000, uuid="u1"), says("x")))
    assert big not in {"", one}


RECORDS = st.sampled_from(
    [
        line(user("Use tabs", uuid="u1")),
        line(user("And UTC", uuid="u2")),
        line(user("No id")),
        line(user("<system-reminder>x</system-reminder>")),
        line(user("aside", isSidechain=True, uuid="u3")),
        line(says("Yes", uuid="a1")),
        line(queued("Quick", source_uuid="u2")),
        line(calls("AskUserQuestion", questions=[{"question": "Which?"}])),
        line(result('User has answered your questions: "Which?"="mm".')),
        line(calls("TaskCreate", "t2", subject="Measure")),
        line(result("Task #1 created successfully", "t2")),
        line(calls("TaskUpdate", "t3", taskId="1", status="in_progress")),
        line(calls("Bash", command="x" * 300)),
        b"\n",
        b"\r\n",
        b"{broken\n",
        b"\0\xff\n",
    ]
)


@settings(max_examples=150, deadline=None)
@given(parts=st.lists(RECORDS, max_size=14), cut=st.integers(0, 40))
def test_reading_on_from_any_turn_gives_the_turns_that_follow(
    tmp_path_factory: pytest.TempPathFactory, parts: list[bytes], cut: int
) -> None:
    folder = tmp_path_factory.mktemp("turns")
    content = b"".join(parts)
    path = write(folder, content[: len(content) - cut] if cut < len(content) else b"")
    assert_resumable(path)


@settings(max_examples=100, deadline=None)
@given(content=st.binary(max_size=300))
def test_any_bytes_can_be_read(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    assert_resumable(write(tmp_path_factory.mktemp("bytes"), content))


def assert_resumable(path: str) -> None:
    turns, problems = read(path)
    end = turns[-1].end if turns else 0
    assert end <= size(path)
    assert problems.unfinished == (end < size(path))
    assert_without_gap(turns, 0, end)
    for number, turn in enumerate(turns):
        assert read(path, turn.end)[0] == turns[number + 1 :]


def test_reading_loads_nothing_heavy() -> None:
    heavy = "pathlib dataclasses asyncio subprocess argparse markdown_it pydantic"
    code = (
        "import sys, agentctx.clients.claude_transcript;"
        f"print([one for one in {heavy.split()} if one in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        check=True,
    )
    assert done.stdout.strip() == b"[]"


@pytest.mark.skipif(not SESSIONS, reason="the shared transcripts are not here")
@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.name[:60])
def test_real_transcripts_are_read_through(path: Path) -> None:
    assert_resumable(str(path))
    turns, _ = read(str(path))
    for turn in turns:
        assert not any(mark in turn.developer for mark in NOT_THEIRS)
    whole = size(str(path))
    for limit in (0, 1, 1_000, whole // 2, whole, whole + 1):
        last = read_last_turns(str(path), limit_bytes=limit)
        assert all(turn.start >= whole - limit for turn in last)
