"""The turns of a Claude Code session, as its transcript tells them (A6.6).

A turn begins where the developer says something and holds what follows up to the next
time. The turns of one reading cover the file without a gap, and reading on from the end
of one gives the same turns as reading from the beginning. What cannot be read is
counted and passed over; the last line is left alone while it is being written.
"""

from __future__ import annotations

import os

from agentctx.clients.claude_choices import (
    ASKS,
    asked_aloud,
    chosen_words,
    questions_of,
)
from agentctx.clients.claude_lines import NEWLINE, first_bytes, lines_between, opened
from agentctx.clients.claude_records import (
    as_record,
    as_text,
    bare,
    is_agents,
    is_aside,
    is_models,
    is_the_clients_own,
    is_to_the_agent,
    is_typed,
    message_blocks,
    parsed,
    queued_prompt,
    text_of,
)
from agentctx.clients.claude_tasks import TaskList
from agentctx.clients.claude_text import HeadAndTail
from agentctx.clients.claude_words import own_words
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentctx.clients.claude_lines import Line, Opened
    from agentctx.clients.claude_records import Record

LONGEST_LINE = 8 * 1024 * 1024
"""The most bytes of a line that is read."""

MOST_TOOLS = 2_000
"""The most uses of tools kept of a turn, the latest."""

LONGEST_TARGET = 2_000
_MOST_UUIDS = 1_000_000
_IDENTIFYING = 64 * 1024
_UUID = b'"uuid"'
_TARGETS = {
    "Bash": "command",
    "PowerShell": "command",
    "Read": "file_path",
    "Write": "file_path",
    "Edit": "file_path",
    "MultiEdit": "file_path",
    "NotebookEdit": "notebook_path",
    "NotebookRead": "notebook_path",
}


class Tool(NamedTuple):
    """One use of a tool."""

    name: str
    target: str
    """The file, for tools that work on one; the command, for a shell; else empty."""
    ok: bool | None
    """Whether it worked; None when its result was not seen."""


class Turn(NamedTuple):
    """What the developer said, and what was done up to the next time they spoke."""

    start: int
    """Where it begins in the file, in bytes."""
    end: int
    """Where the next one begins."""
    at: str | None
    """When the developer said it, as the file has it."""
    cwd: str | None
    branch: str | None
    developer: str
    """The developer's own words; empty when there are none, as before the first."""
    assistant: str
    """What the agent showed: no thinking and no input of tools, but its questions."""
    tools: tuple[Tool, ...]
    todo: str
    """The task in progress, where the turn changed the list of tasks; else empty."""


class Problems(NamedTuple):
    """What a reading could not use, counted."""

    bad_lines: int
    """Lines that are no JSON object."""
    long_lines: int
    """Lines over the limit."""
    repeated: int
    """Records that had been read before."""
    unfinished: bool
    """Whether the last line is incomplete; it was left for the next reading."""


class Reader:
    """One reading of a transcript; `problems` is final once the turns are through.

    From a `start` inside the file, what stands before it is only looked through for
    what later turns depend on: the records known and the list of tasks.
    """

    def __init__(
        self, path: str, *, start: int = 0, longest_line: int = LONGEST_LINE
    ) -> None:
        self.path = path
        self._start = max(0, start)
        self._longest = longest_line
        self._story = _Story(0, aside=_is_subagents(path))

    @property
    def problems(self) -> Problems:
        """Give what could not be used so far."""
        return self._story.problems

    def __iter__(self) -> Iterator[Turn]:
        """Read the turns from `start` on; TranscriptError when that is not possible."""
        with opened(self.path) as file:
            self._story = _Story(self._start, aside=_is_subagents(self.path))
            if 0 < self._start < file.size:
                self._look_through(file)
            yield from self._read(file, self._start)

    def last(self, limit_bytes: int) -> Iterator[Turn]:
        """Read the turns that begin in the last bytes, from the first whole line."""
        with opened(self.path) as file:
            place = max(0, file.size - max(0, limit_bytes))
            if place:  # what ends at or after the byte before is not whole
                lines = lines_between(file, place - 1, file.size, longest=0)
                line = next(lines, None)  # None when it was cut short meanwhile
                place = file.size if line is None else line.end
            self._story = _Story(place, aside=_is_subagents(self.path))
            yield from self._read(file, place)

    def _look_through(self, file: Opened) -> None:
        for line in lines_between(file, 0, self._start, longest=self._longest):
            self._story.recall(line)

    def _read(self, file: Opened, start: int) -> Iterator[Turn]:
        for line in lines_between(file, start, file.size, longest=self._longest):
            turn = self._story.take(line)
            if turn is not None:
                yield turn
        turn = self._story.finished()
        if turn is not None:
            yield turn


def read_turns(
    path: str, *, start: int = 0, longest_line: int = LONGEST_LINE
) -> Iterator[Turn]:
    """Read the turns of a transcript from a place on: 0, or the end of a turn."""
    return iter(Reader(path, start=start, longest_line=longest_line))


def read_last_turns(path: str, *, limit_bytes: int) -> list[Turn]:
    """Read the turns at the end of a transcript, in the time that many bytes take.

    The first of them has no words when the developer spoke before those bytes.
    """
    longest = min(LONGEST_LINE, max(0, limit_bytes))
    return list(Reader(path, longest_line=longest).last(limit_bytes))


def identity(path: str) -> str:
    """Tell a transcript by its beginning, to notice that it was written anew.

    The beginning ends with the first record, so that it stays as the file grows. A file
    without one yet has no identity: the text is empty.
    """
    from hashlib import sha256  # noqa: PLC0415 - most hooks need none

    with opened(path) as file:
        head = first_bytes(file, _IDENTIFYING)
    end = head.find(NEWLINE, max(0, head.find(_UUID))) + 1
    if _UUID not in head[:end]:
        if len(head) < _IDENTIFYING:
            return ""
        end = len(head)
    return sha256(head[:end]).hexdigest()


def size(path: str) -> int:
    """Give how many bytes a transcript has."""
    with opened(path) as file:
        return file.size


def _is_subagents(path: str) -> bool:
    folder, name = os.path.split(path)
    within = os.path.basename(folder)  # noqa: PTH119 - hooks load it
    return within == "subagents" or name.startswith("agent-")


class _Draft:
    """A turn while its records come."""

    def __init__(self, start: int) -> None:
        self.start = start
        self.blank = True
        self._at: str | None = None
        self._cwd: str | None = None
        self._branch: str | None = None
        self._developer = HeadAndTail()
        self._assistant = HeadAndTail()
        self._tools: dict[str, Tool] = {}
        self._questions: dict[str, tuple[str, ...]] = {}
        self._last_said = ""
        self._last_shown: tuple[str, str] = ("", "")

    def turn(self, end: int, todo: str) -> Turn:
        """Give the turn as it is."""
        return Turn(
            self.start,
            end,
            self._at,
            self._cwd,
            self._branch,
            self._developer.text(),
            self._assistant.text(),
            tuple(self._tools.values()),
            todo,
        )

    def place(self, record: Record) -> None:
        """Keep where the first record that says so was made."""
        self._cwd = self._cwd or _field(record, "cwd")
        self._branch = self._branch or _field(record, "gitBranch")

    def say(self, words: str, record: Record) -> None:
        """Add words of the developer; one refusal of several tools is said once."""
        if words and words != self._last_said:
            self._developer.add(words)
            self._at = self._at or _field(record, "timestamp")
        self._last_said = words or self._last_said

    def show(self, text: str, message: str) -> None:
        """Add a text of the agent; the same one of the same message is added once."""
        text = text.strip()
        if text and (message, text) != self._last_shown:
            self._assistant.add(text)
            self._last_shown = (message, text)

    def use(self, call: Record) -> None:
        """Add the use of a tool; what it asks the developer is shown."""
        name = as_text(call.get("name"))[:LONGEST_TARGET]
        if not name:
            return
        given = as_record(call.get("input"))
        target = as_text(given.get(_TARGETS.get(name, "")))
        key = as_text(call.get("id")) or f"#{len(self._tools)}"
        self._tools[key] = Tool(name, target[:LONGEST_TARGET], None)
        if len(self._tools) > MOST_TOOLS:
            oldest = next(iter(self._tools))
            del self._tools[oldest]
            self._questions.pop(oldest, None)
        if name == ASKS:
            self._questions[key] = questions_of(given)
            self.show(asked_aloud(given), "")

    def result(self, record: Record, result: Record) -> None:
        """Note how a use of a tool ended, and what the developer said to it."""
        key = as_text(result.get("tool_use_id"))
        tool = self._tools.get(key)
        if tool is not None:
            self._tools[key] = tool._replace(ok=result.get("is_error") is not True)
        name = None if tool is None else tool.name
        asked = self._questions.get(key, ())
        self.say(chosen_words(record, result, tool=name, questions=asked), record)


class _Story:
    """The turns as the lines come, with what one turn passes on to the next."""

    def __init__(self, start: int, *, aside: bool) -> None:
        self._draft = _Draft(start)
        self._end = start
        self._aside = aside
        self._tasks = TaskList()
        self._known: set[int] = set()
        self._bad = self._long = self._repeated = 0
        self._unfinished = False

    @property
    def problems(self) -> Problems:
        return Problems(self._bad, self._long, self._repeated, self._unfinished)

    def recall(self, line: Line) -> None:
        """Take from a line of an earlier reading what later turns depend on."""
        record = self._record(line)
        if record is not None and not self._is_out(record):
            self._follow(record)
        self._tasks.touched = False
        self._bad = self._long = self._repeated = 0
        self._unfinished = False
        self._draft.blank = True

    def take(self, line: Line) -> Turn | None:
        """Take a line; give the turn before it when the line begins another."""
        record = self._record(line)
        if self._unfinished:
            return None
        self._end = line.end
        if record is None:
            return None
        if self._is_out(record):
            self._draft.blank = False
            return None
        words = self._spoken(record)
        turn = self._begun_anew(line.start) if words else None
        self._draft.blank = False
        self._draft.place(record)
        self._draft.say(words, record)
        self._follow(record)
        self._tell(record)
        return turn

    def finished(self) -> Turn | None:
        """Give the last turn, when there is anything of it."""
        if self._end <= self._draft.start:
            return None
        return self._draft.turn(self._end, self._todo())

    def _record(self, line: Line) -> Record | None:
        """Give the record of a line, None for one to pass over; keep count."""
        if line.content is None:
            self._long += line.ended
            self._unfinished = not line.ended
            self._draft.blank = False
            return None
        content = bare(line.content)
        if not content:
            self._unfinished = not line.ended
            return None
        try:
            value = parsed(content)
        except ValueError:
            value = None
            self._unfinished = not line.ended
        if not line.ended and not isinstance(value, dict | list):
            self._unfinished = True  # `12` may become `123`
        if self._unfinished:
            return None
        if isinstance(value, dict):
            return value
        self._bad += 1
        self._draft.blank = False
        return None

    def _is_out(self, record: Record) -> bool:
        """Say whether a record is a sub-agent's, or was read before."""
        if self._aside or is_aside(record):
            return True
        queued = as_record(record.get("attachment"))
        names = (as_text(record.get("uuid")), as_text(queued.get("source_uuid")))
        marks = {hash(name) for name in names if name}
        if marks & self._known:
            self._repeated += 1
            return True
        if len(self._known) < _MOST_UUIDS:
            self._known |= marks
        return False

    def _spoken(self, record: Record) -> str:
        """Give the words with which a record begins a turn."""
        if record.get("type") == "attachment":
            return own_words(text_of(queued_prompt(record).get("prompt")))
        if not is_to_the_agent(record) or not is_typed(record):
            return ""
        blocks = message_blocks(record)
        if any(block.get("type") == "tool_result" for block in blocks):
            return ""
        return _words_of(blocks)

    def _begun_anew(self, start: int) -> Turn | None:
        """Begin a turn and give the one before; blank lines alone are none."""
        before, todo = self._draft, self._todo()
        self._draft = _Draft(start)
        if before.start == start:
            return None
        if before.blank:
            self._draft.start = before.start
            return None
        return before.turn(start, todo)

    def _follow(self, record: Record) -> None:
        """Follow the list of tasks."""
        if is_agents(record):
            for block in message_blocks(record):
                if block.get("type") == "tool_use":
                    self._tasks.take_call(block)
        elif is_to_the_agent(record):
            for block in message_blocks(record):
                if block.get("type") == "tool_result":
                    self._tasks.take_result(record, block)

    def _tell(self, record: Record) -> None:
        """Add to the turn what the agent shows and does, and the answers it gets."""
        if is_agents(record) and is_models(record):
            message = as_text(as_record(record.get("message")).get("id"))
            for block in message_blocks(record):
                if block.get("type") == "text":
                    self._draft.show(as_text(block.get("text")), message)
                elif block.get("type") == "tool_use":
                    self._draft.use(block)
        elif is_to_the_agent(record) and not is_the_clients_own(record):
            blocks = message_blocks(record)
            results = [one for one in blocks if one.get("type") == "tool_result"]
            for result in results:
                self._draft.result(record, result)
            if results:  # a text beside a result was typed when the tool was allowed
                self._draft.say(_words_of(blocks), record)

    def _todo(self) -> str:
        """Give the task in progress if the turn changed the list, for the last time."""
        touched, self._tasks.touched = self._tasks.touched, False
        return self._tasks.current() if touched else ""


def _field(record: Record, name: str) -> str | None:
    return as_text(record.get(name))[:LONGEST_TARGET] or None


def _words_of(blocks: list[Record]) -> str:
    texts = (as_text(one.get("text")) for one in blocks if one.get("type") == "text")
    return "\n".join(words for text in texts if (words := own_words(text)))
