"""The task in progress, as the agent's own list of tasks says.

Two kinds of list are read: TodoWrite writes the whole list each time, TaskCreate and
TaskUpdate change one task of it, which is known by the number its creation gave.
"""

from __future__ import annotations

import re

from agentctx.clients.claude_records import as_list, as_record, as_text, text_of
from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from agentctx.clients.claude_records import Record

_CREATED = re.compile(r"Task #(\S{1,40}) created")
_WORKING = "in_progress"
_GONE = frozenset(("completed", "deleted", "cancelled"))
_MOST_TASKS = 1_000
_LONGEST = 500


class TaskList:
    """What is known of the tasks; `touched` says that it changed since it was unset."""

    def __init__(self) -> None:
        self.touched = False
        self._todo = ""
        self._creating: dict[str, str] = {}
        self._subjects: dict[str, str] = {}
        self._working: dict[str, None] = {}

    def current(self) -> str:
        """Give the task in progress, the latest of several; empty without one."""
        for number in reversed(self._working):
            return self._subjects.get(number, "")
        return self._todo

    def take_call(self, call: Record) -> None:
        """Follow a call of a tool."""
        name, given = call.get("name"), as_record(call.get("input"))
        if name == "TodoWrite":
            self._write(as_list(given.get("todos")))
        elif name == "TaskCreate":
            self._creating[as_text(call.get("id"))] = _subject(given)
            _forget_oldest(self._creating)
        elif name == "TaskUpdate":
            self._update(given)
        else:
            return
        self.touched = True

    def take_result(self, record: Record, result: Record) -> None:
        """Learn the number of a task that was created."""
        subject = self._creating.pop(as_text(result.get("tool_use_id")), None)
        if subject is None:
            return
        task = as_record(as_record(record.get("toolUseResult")).get("task"))
        number = as_text(task.get("id"))
        if not number:
            found = _CREATED.search(text_of(result.get("content"))[:200])
            number = found[1] if found else ""
        if number:
            self._subjects[number] = subject
            self._working.pop(number, None)  # a list begun anew counts from one again
            _forget_oldest(self._subjects)

    def _write(self, todos: list[object]) -> None:
        self._working.clear()
        self._todo = ""
        for todo in map(as_record, todos):
            if todo.get("status") == _WORKING and not self._todo:
                said = as_text(todo.get("content")) or as_text(todo.get("activeForm"))
                self._todo = said.strip()[:_LONGEST]

    def _update(self, given: Record) -> None:
        number = as_text(given.get("taskId"))
        status = as_text(given.get("status"))
        if not number:
            return
        if _subject(given):
            self._subjects[number] = _subject(given)
            _forget_oldest(self._subjects)
        if status == _WORKING:
            self._working.pop(number, None)
            self._working[number] = None
            _forget_oldest(self._working)
            self._todo = ""
        elif status in _GONE or status == "pending":
            self._working.pop(number, None)


def _subject(given: Record) -> str:
    return as_text(given.get("subject")).strip()[:_LONGEST]


def _forget_oldest(kept: dict[str, str] | dict[str, None]) -> None:
    while len(kept) > _MOST_TASKS:
        del kept[next(iter(kept))]
