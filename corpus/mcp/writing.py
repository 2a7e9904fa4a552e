"""The tools that write, each one controlled write under the owner's grant (P13)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from corpus.mcp.offer import Answer
from corpus.refusals import NeedsOwnerError, ToolArgumentError, WriteFailedError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager

    from corpus.mcp.desk import Desk
    from corpus.writes.outcome import Outcome
    from corpus.writes.writer import Writer

    Arguments = Mapping[str, Any]


def state_update(desk: Desk, asked: Arguments) -> Answer:
    """Replace STATUS, if it still is what the caller has read."""
    from corpus.writes.requests import update_state  # noqa: PLC0415 - only for writes

    content = asked["content"].encode()
    with _writer(desk, "state.update") as writer:
        return _answer(
            update_state(writer, content, expected_sha256=asked["expected_sha256"])
        )


def task_create(desk: Desk, asked: Arguments) -> Answer:
    """Create a task, from its whole text or from what it is to say."""
    from corpus.protocol.compose import TaskDraft, compose_task  # noqa: PLC0415 - here
    from corpus.writes.requests import create_task  # noqa: PLC0415 - only for writes

    _require_one_way(asked, ("objective",), ("scope", "constraints", "acceptance"))
    with _writer(desk, "task.create") as writer:
        own_id = _own_id(writer, "task", asked)
        content = (
            asked["content"].encode()
            if "content" in asked
            else compose_task(
                TaskDraft(
                    title=asked["title"],
                    objective=asked["objective"],
                    scope=asked["scope"],
                    constraints=asked["constraints"],
                    acceptance=asked["acceptance"],
                ),
                project_id=_project_id(desk, "task.create"),
                task_id=own_id,
                now=desk.place.clock(),
            )
        )
        return _answer(create_task(writer, own_id, content))


def task_activate(desk: Desk, asked: Arguments) -> Answer:
    """Make a task the active one, in the task and in STATUS."""
    from corpus.writes.requests import activate_task  # noqa: PLC0415 - only for writes

    with _writer(desk, "task.update", "state.update") as writer:
        return _answer(
            activate_task(
                writer,
                asked["id"],
                expected_sha256=asked["expected_sha256"],
                task_sha256=asked.get("task_sha256"),
                next_action=asked.get("next_action"),
            )
        )


def task_close(desk: Desk, asked: Arguments) -> Answer:
    """End a task, in the task and in STATUS."""
    from corpus.writes.requests import close_task  # noqa: PLC0415 - only for writes

    with _writer(desk, "task.update", "state.update") as writer:
        return _answer(
            close_task(
                writer,
                asked["id"],
                status=asked["status"],
                expected_sha256=asked["expected_sha256"],
                task_sha256=asked.get("task_sha256"),
                next_action=asked.get("next_action"),
            )
        )


def report_create(desk: Desk, asked: Arguments) -> Answer:
    """Create a report, from its whole text or from what it is to say."""
    from corpus.protocol.compose import (  # noqa: PLC0415 - only for writes
        ReportDraft,
        compose_report,
    )
    from corpus.writes.requests import create_report  # noqa: PLC0415 - only for writes

    _require_one_way(asked, ("result", "summary"), ("evidence", "limitations"))
    drafted = "content" not in asked
    with _writer(desk, "report.create") as writer:
        own_id = _own_id(writer, "report", asked)
        content = (
            asked["content"].encode()
            if not drafted
            else compose_report(
                ReportDraft(
                    title=asked["title"],
                    task_id=asked["task_id"],
                    result=asked["result"],
                    summary=asked["summary"],
                    evidence=asked["evidence"],
                    limitations=asked["limitations"],
                ),
                project_id=_project_id(desk, "report.create"),
                report_id=own_id,
                now=desk.place.clock(),
            )
        )
        task = asked["task_id"] if drafted else None
        return _answer(create_report(writer, own_id, content, task=task))


def _writer(desk: Desk, *capabilities: str) -> AbstractContextManager[Writer]:
    """Open the project to be changed; what is not permitted is refused before."""
    from corpus.writes.writer import open_writer  # noqa: PLC0415 - only for writes

    place = desk.place
    with desk.visit(*capabilities):
        pass
    return open_writer(
        place.root,
        place.grant,
        place.session,
        state=place.dirs.state,
        clock=place.clock,
        random=place.random,
    )


def _project_id(desk: Desk, capability: str) -> str:
    with desk.visit(capability) as visit:
        return visit.mandate.policy.project_id


def _require_one_way(
    asked: Arguments, needed: tuple[str, ...], optional: tuple[str, ...]
) -> None:
    """Refuse a whole content beside the parts of a draft, and a draft in parts."""
    drafted = [
        name for name in ("title", *needed, *optional) if asked.get(name) or None
    ]
    if "content" in asked:
        if drafted:
            reason = "cannot be given together with `content`"
            raise ToolArgumentError(field=drafted[0], reason=reason)
    else:
        for name in ("title", *needed):
            if name not in asked:
                reason = "is missing; give it, or the whole `content`"
                raise ToolArgumentError(field=name, reason=reason)


def _own_id(writer: Writer, kind: Literal["task", "report"], asked: Arguments) -> str:
    """Give the new artifact's id: the one asked for, else one that the title makes."""
    from corpus.writes.naming import (  # noqa: PLC0415 - only for writes
        ID_RULE,
        id_for_title,
    )

    if "id" in asked:
        return str(asked["id"])
    if "content" in asked:
        raise ToolArgumentError(field="id", reason="is missing")
    found = id_for_title(writer, kind, asked["title"])
    if found is None:
        reason = f"is missing, and the title makes none ({ID_RULE})"
        raise ToolArgumentError(field="id", reason=reason)
    return found


def _answer(outcome: Outcome) -> Answer:
    """Give how the write ended; one that did not come about is a failure."""
    reason = outcome.reason or "the write did not come about"
    if outcome.phase == "NEEDS_OWNER":
        raise NeedsOwnerError(reason=reason)
    if outcome.phase != "COMPLETE":
        raise WriteFailedError(reason=reason)
    value = outcome.as_json()
    return Answer(value, f"wrote {value['target']}, sha256 {value['sha256']}")
