"""`agentctx memory clear`: delete all that is remembered, and begin anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.cli.memory_opening import add_confirm, kept_memory, require_confirmed

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.memory.care import Cleared
    from corpus.cli.call import Call

SUMMARY = "Delete all that is remembered, after a backup, and begin anew."
EXAMPLE = "agentctx memory clear --confirm"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_confirm(parser, "what this needs, for it cannot be taken back")
    parser.add_argument(
        "--no-backup", action="store_true", help="do not copy the database first"
    )


def run(call: Call, *, confirm: bool, no_backup: bool) -> Cleared:
    """Begin anew, whatever the file holds, damaged or another's."""
    require_confirmed("clear", confirm=confirm)
    with kept_memory(call) as memory:
        return memory.clear(confirm=confirm, backup=not no_backup)


def as_json(value: Cleared) -> dict[str, object]:
    """Say that it is empty, where the copy is, and what was kept."""
    return {
        "cleared": True,
        "backup": value.backup,
        "kept": ["exports", "terminal history"],
    }


def lines(value: Cleared) -> Iterator[str]:
    """Say the same."""
    yield "memory was cleared; an empty thread began"
    if value.backup is not None:
        yield f"before: {value.backup}"
    yield "exports and the history of the terminal are kept"
