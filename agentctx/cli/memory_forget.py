"""`agentctx memory forget`: forget an item, everywhere it reaches."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agentctx.briefing.state import forget_prompts
from agentctx.cli.memory_opening import (
    add_confirm,
    add_item,
    kept_memory,
    memory_here,
    require_confirmed,
)
from agentctx.cli.memory_records import forget_its_records
from agentctx.config import home
from agentctx.memory.mapping import one_line
from corpus.cli.render import counted, visible

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.extraction.rising import LetGoOf
    from agentctx.memory.letting import LetGo
    from corpus.cli.call import Call

SUMMARY = "Forget an item, everywhere it reaches."
EXAMPLE = "agentctx memory forget 3f2a9c"


class Forgot(NamedTuple):
    """What became of the item and of its records, and whether `undo` works now."""

    item: LetGo
    records: LetGoOf
    can_undo: bool


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_item(parser)
    parser.add_argument(
        "--purge-quotes",
        action="store_true",
        help="take the words it stands on out of the original turns, for good",
    )
    add_confirm(parser, "what `--purge-quotes` needs, for it cannot be taken back")


def run(
    call: Call,
    *,
    id: str,  # noqa: A002 - the argument's name
    purge_quotes: bool,
    confirm: bool,
) -> Forgot:
    """Let it go; MemoryItemOldError names the live revision of an old one."""
    if purge_quotes:
        require_confirmed("forget --purge-quotes", confirm=confirm)
    with kept_memory(call) as memory:
        gone = memory.forget(
            memory.find(id), purge_quotes=purge_quotes, confirm=confirm
        )
    if gone.purged:
        forget_prompts(home())
    can_undo = not gone.purged and memory_here().off is None
    return Forgot(gone, forget_its_records(call, gone.item), can_undo)


def as_json(value: Forgot) -> dict[str, object]:
    """Give what was forgotten, how far it reached, and what became of the turns."""
    gone = value.item
    return {
        "id": gone.item.id,
        "subject": one_line(gone.item.meaning.subject),
        "candidates": gone.candidates,
        "checkpoints": gone.sentences,
        "turns": gone.turns,
        "turns_kept": not gone.purged,
        "records": value.records.as_json(),
        "detail": gone.text,
    }


def lines(value: Forgot) -> Iterator[str]:
    """Say what is gone, and that the turns are kept, or were purged."""
    yield value.item.text
    records = value.records
    if records.deleted:
        yield f"deleted {counted(len(records.deleted), 'record')} that followed it"
    for one in records.ended:
        yield f"ended the record {one}, which could not be deleted"
    if records.stays is not None:
        stays = records.stays
        yield f"a person stands for {stays.id}, which stays: {visible(stays.title)}"
        yield f"delete it, too: `agentctx delete {stays.id}`"
    if value.item.purged:
        yield "exports and backups that were made before still hold these words"
    if value.can_undo:
        yield "take it back: `agentctx memory undo`"
