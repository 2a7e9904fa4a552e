"""`agentctx delete`: delete a record for good, so that it is not learned again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentctx.cli.consent import add_yes, require_consent
from agentctx.cli.edit import add_id
from agentctx.cli.opening import open_for_writing
from agentctx.errors import HomeError
from agentctx.records.backup import backups_in
from agentctx.records.read import find_record, history_of
from agentctx.records.remove import KEPT_DAYS, delete_record
from corpus.cli.render import counted, visible

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.records.remove import Deleted
    from corpus.cli.call import Call

SUMMARY = "Delete a record for good, so that it is not learned again."
EXAMPLE = "agentctx delete 01KBA2 --all-versions"


_MOST_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What was deleted, and how many older copies of the store there are."""

    deleted: Deleted
    backups: int

    def as_json(self) -> dict[str, object]:
        """Give the outcome as one JSON object, without the words that are gone."""
        return {
            "id": self.deleted.record.id,
            "deleted": [one.id for one in self.deleted.gone],
            "other_versions": list(self.deleted.left),
            "undo_until_days": None if self.deleted.copy is None else KEPT_DAYS,
            "copy": self.deleted.copy,
            "erased": self.deleted.erased,
            "backups": self.backups,
        }


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_id(parser)
    parser.add_argument(
        "--all-versions",
        action="store_true",
        help="delete every version of the fact, past and current",
    )
    parser.add_argument(
        "--forever",
        action="store_true",
        help="keep no copy, so that nothing can bring it back",
    )
    add_yes(parser)


def run(
    call: Call,
    *,
    id: str,  # noqa: A002 - the argument's name
    all_versions: bool,
    forever: bool,
    yes: bool,
) -> Outcome:
    """Show the record, ask, and delete it."""
    with open_for_writing(call) as opened:
        record = find_record(opened.store.db, opened.project_id, id)
        others = len(history_of(opened.store.db, record)) - 1
        question = (
            f"delete {record.id}, a {record.type}: {record.title}\n"
            f"{_about_others(others, all_versions=all_versions)}"
            + (
                "It cannot be brought back."
                if forever
                else f"`agentctx undo` brings it back for {KEPT_DAYS} days."
            )
        )
        require_consent(call, "delete", question, yes=yes)
        try:
            deleted = delete_record(
                opened.store,
                opened.project_id,
                record.id,
                forever=forever,
                all_versions=all_versions,
            )
        except OSError:
            raise HomeError(reason="no copy for `undo` can be written") from None
        return Outcome(deleted=deleted, backups=len(backups_in(opened.store.home)))


def _about_others(others: int, *, all_versions: bool) -> str:
    if not others:
        return ""
    fate = "would go, too" if all_versions else "would stay"
    return f"Its {counted(others, 'other version')} {fate}.\n"


def lines(value: Outcome) -> Iterator[str]:
    """Say what is gone and what is kept of it."""
    deleted = value.deleted
    for one in deleted.gone:
        yield f"deleted {one.id}  {visible(one.title)}"
    if deleted.left:
        ids = ", ".join(deleted.left[-_MOST_NAMED:])
        count = counted(len(deleted.left), "other version")
        yield f"kept {count} of this fact: {ids}"
        yield f"`agentctx delete {deleted.left[-1]} --all-versions` deletes them, too"
    if deleted.copy is None:
        yield "for ever: no copy was kept"
    else:
        yield f"`agentctx undo` brings it back for {KEPT_DAYS} days"
    if value.backups:
        yield f"note: {counted(value.backups, 'older backup')} may still hold it"
    if not deleted.erased:
        yield "note: another process reads; its log holds the words until it ends"
