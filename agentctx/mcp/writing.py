"""The tools that write: what an agent says is explicit, but no person's word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentctx.errors import BodyError, IdError, RecordNotFoundError
from agentctx.ids import id_part
from agentctx.mcp.cleaned import told
from agentctx.records.model import NewRecord, Replacement, check_body, check_title
from corpus.mcp.offer import Answer
from corpus.refusals import ToolArgumentError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentctx.mcp.desk import Desk
    from agentctx.project import Project
    from agentctx.records.write import Made

    Arguments = Mapping[str, Any]

SOURCE, TRUST = "mcp_tool", "model"


def ctx_record(desk: Desk, asked: Arguments) -> Answer:
    """Record one fact; where it is recorded already, its id is given."""
    from agentctx.records.learning import (  # noqa: PLC0415 - after the start
        learn_record,
    )

    project = desk.project()
    new = NewRecord(
        type=asked["type"],
        title=asked["title"],
        body=asked["body"],
        source=SOURCE,
        scope=asked.get("scope", "project"),
        trust=TRUST,
        session_id=desk.session_id,
        key=_key(asked["type"], asked["title"], project),
        files=_files(desk, project, asked.get("files", ())),
    )
    with desk.writing(project) as store:
        made = learn_record(
            store,
            project.project_id,
            new,
            where=desk.standing(project),
            supersedes=asked.get("supersedes"),
        )
    value = {
        "id": made.record.id,
        "superseded": None if made.superseded is None else made.superseded.id,
        "existing": made.existing,
        **_notes(made),
    }
    verb = "is recorded already as" if made.existing else "is recorded as"
    return Answer(value, f"the fact {verb} {made.record.id}")


def ctx_supersede(desk: Desk, asked: Arguments) -> Answer:
    """Replace a current record, of this project or a global one, by a new text."""
    from agentctx.records.learning import (  # noqa: PLC0415 - after the start
        relearn_record,
    )

    if not asked["rationale"].strip():
        raise ToolArgumentError(field="rationale", reason="is empty")
    if id_part(asked["old_id"]) is None:
        raise IdError(field="old_id", found=told(asked["old_id"]))
    new = Replacement(
        body=_body(asked["new_body"]),
        source=SOURCE,
        trust=TRUST,
        title=check_title(asked["title"]) if "title" in asked else None,
        rationale=asked["rationale"],
        session_id=desk.session_id,
    )
    with desk.reading() as there:
        if there is None:  # and none is made for a record that it cannot hold
            raise RecordNotFoundError(record_id=told(asked["old_id"]))
    project = desk.project()
    with desk.writing(project) as store:
        where = desk.standing(project)
        made = relearn_record(
            store, project.project_id, asked["old_id"], new, where=where
        )
    assert made.superseded is not None, "nothing else is superseded without a record"
    old_id, new_id = made.superseded.id, made.record.id
    value = {"old_id": old_id, "new_id": new_id, **_notes(made)}
    return Answer(value, f"{old_id} is superseded by {new_id}")


def _key(kind: str, title: str, project: Project) -> str | None:
    """Give what tells apart records of which only one is current (A2.6)."""
    if kind == "profile":
        return " ".join(title.split())
    return (project.worktree or "") if kind == "handover" else None


def _files(desk: Desk, project: Project, paths: Sequence[str]) -> tuple[str, ...]:
    names = []
    for at, path in enumerate(paths):
        name = desk.file_of(project, path)
        if name is None:
            reason = f"has {len(path)} characters that name no path inside the project"
            raise ToolArgumentError(field=f"files[{at}]", reason=reason)
        names.append(name)
    return tuple(names)


def _body(text: str) -> str:
    """Give a new body; what is wrong with it is said of the argument's own name."""
    try:
        return check_body(text)
    except BodyError as error:
        reason = str(error.facts["reason"])
        raise ToolArgumentError(field="new_body", reason=reason) from None


def _notes(made: Made) -> dict[str, object]:
    """Give what the caller should look at: the record's size, what was redacted."""
    fired = [{"rule": rule, "count": count} for rule, count in made.redacted]
    return {"warnings": list(made.warnings), "redacted": fired}
