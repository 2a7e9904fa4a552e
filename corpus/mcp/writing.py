"""The tools that write, each one controlled write under the owner's grant (P13)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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

    own_id = _own_id(asked, ("objective",), ("scope", "constraints", "acceptance"))
    with _writer(desk, "task.create") as writer:
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


def report_create(desk: Desk, asked: Arguments) -> Answer:
    """Create a report, from its whole text or from what it is to say."""
    from corpus.protocol.compose import (  # noqa: PLC0415 - only for writes
        ReportDraft,
        compose_report,
    )
    from corpus.writes.requests import create_report  # noqa: PLC0415 - only for writes

    own_id = _own_id(asked, ("result", "summary"), ("evidence", "limitations"))
    with _writer(desk, "report.create") as writer:
        content = (
            asked["content"].encode()
            if "content" in asked
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
        return _answer(create_report(writer, own_id, content))


def _writer(desk: Desk, capability: str) -> AbstractContextManager[Writer]:
    """Open the project to be changed; what is not permitted is refused before."""
    from corpus.writes.writer import open_writer  # noqa: PLC0415 - only for writes

    place = desk.place
    with desk.visit(capability):
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


def _own_id(
    asked: Arguments, needed: tuple[str, ...], optional: tuple[str, ...]
) -> str:
    """Give the new artifact's id, once the arguments fit together."""
    from corpus.protocol.compose import id_from_title  # noqa: PLC0415 - only for writes

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
    own_id = asked.get("id") or id_from_title(asked.get("title", ""))
    if own_id is None:
        raise ToolArgumentError(
            field="id", reason="is missing, and the title makes none"
        )
    found: str = own_id
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
