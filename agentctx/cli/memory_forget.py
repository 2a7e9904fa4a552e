"""`agentctx memory forget`: forget an item, everywhere it reaches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.cli.memory_opening import (
    add_confirm,
    add_item,
    kept_memory,
    require_confirmed,
)
from agentctx.memory.mapping import one_line

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.memory.letting import LetGo
    from corpus.cli.call import Call

SUMMARY = "Forget an item, everywhere it reaches."
EXAMPLE = "agentctx memory forget 3f2a9c"


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
) -> LetGo:
    """Let it go; MemoryItemOldError names the live revision of an old one."""
    if purge_quotes:
        require_confirmed("forget --purge-quotes", confirm=confirm)
    with kept_memory(call) as memory:
        return memory.forget(
            memory.find(id), purge_quotes=purge_quotes, confirm=confirm
        )


def as_json(value: LetGo) -> dict[str, object]:
    """Give what was forgotten, how far it reached, and what became of the turns."""
    return {
        "id": value.item.id,
        "subject": one_line(value.item.meaning.subject),
        "candidates": value.candidates,
        "checkpoints": value.sentences,
        "turns": value.turns,
        "turns_kept": not value.purged,
        "detail": value.text,
    }


def lines(value: LetGo) -> Iterator[str]:
    """Say what is gone, and that the turns are kept, or were purged."""
    yield value.text
    if not value.purged:
        yield "take it back: `agentctx memory undo`"
