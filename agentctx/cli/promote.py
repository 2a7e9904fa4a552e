"""`agentctx promote`: share a record with the team, or take it back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.cli.consent import add_yes, require_consent
from agentctx.cli.edit import add_id
from agentctx.cli.opening import open_for_writing
from agentctx.cli.sheet import confidence
from agentctx.team.promoting import look_at, promote_record, withdraw_record
from corpus.cli.render import visible

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.team.promoting import Candidate, Promoted
    from corpus.cli.call import Call

SUMMARY = "Share a record with the team, or take it back."
EXAMPLE = "agentctx promote 01KBA2"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_id(parser)
    parser.add_argument(
        "--off", action="store_true", help="take it out of what is shared"
    )
    add_yes(parser)


def run(call: Call, *, id: str, off: bool, yes: bool) -> Promoted:  # noqa: A002
    """Promote the record, which confirms it; ask where nobody has confirmed it yet."""
    with open_for_writing(call) as opened:
        store, project_id = opened.store, opened.project_id
        if off:
            return withdraw_record(store, project_id, id)
        found = look_at(store, project_id, id)
        if found.doubts:
            require_consent(call, "promote", _question(found), yes=yes)
        return promote_record(store, project_id, found.record.id)


def _question(found: Candidate) -> str:
    record = found.record
    return "\n".join(
        [
            f"share {record.id}, a {record.type}, with the team: {record.title}",
            *(f"  | {line}" for line in record.body.splitlines()),
            *(f"note: {doubt}" for doubt in found.doubts),
            "share it?",
        ]
    )


def as_json(value: Promoted) -> dict[str, object]:
    """Give the outcome as one JSON object."""
    return value.as_json()


def lines(value: Promoted) -> Iterator[str]:
    """Say what is shared now, and what the file still needs."""
    record = value.record
    state = "shared" if value.shared else "no longer shared"
    yield f"{state}  {record.id}  {confidence(record)}  {visible(record.title)}"
    if not value.already:
        yield "`agentctx team export` writes it to .agentctx/context.md"
