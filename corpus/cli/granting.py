"""How the `trust` commands say which grant they mean, and show what it leaves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from corpus.cli.render import visible
from corpus.confined.reader import open_root
from corpus.confined.volume import is_qualified
from corpus.grant import TRANSPORTS
from corpus.mandate import find_grant
from corpus.policy import READING_CAPABILITIES
from corpus.trust import read_grant
from corpus.userdirs import user_dirs

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.approval import Account, Change
    from corpus.cli.call import Call

_LABEL = 13


class Place(NamedTuple):
    """A project's folder and the file of its grant, which need not exist."""

    root: Path
    path: Path


def add_trust(parser: argparse.ArgumentParser) -> None:
    """Declare `--trust`."""
    parser.add_argument(
        "--trust",
        metavar="FILE",
        help="the grant (default: the project's own in the user's configuration)",
    )


def add_yes(parser: argparse.ArgumentParser) -> None:
    """Declare `--yes`."""
    parser.add_argument("--yes", action="store_true", help="do not ask")


def place_of(call: Call, root: str | None, trust: str | None) -> Place:
    """Find the project, and the grant named or the project's default one."""
    folder = call.root(root)
    with open_root(folder) as opened:
        return Place(folder, find_grant(opened, trust=trust, dirs=user_dirs()))


def granted_place(call: Call, root: str | None, trust: str | None) -> Place:
    """Do the same, but a grant named alone says itself which project it is for."""
    if root is not None or trust is None:
        return place_of(call, root, trust)
    path = Path(trust).absolute()
    return Place(call.root(read_grant(path, root=None).physical_root), path)


def account_lines(account: Account) -> Iterator[str]:
    """Show what a grant gives now, for each transport, and what has no effect."""
    for transport in TRANSPORTS:
        if transport not in account.grant.transports:
            yield from row(transport, "not granted")
            continue
        effective = account.decisions[transport].effective
        reading = sorted(effective & READING_CAPABILITIES)
        writing = sorted(effective - READING_CAPABILITIES)
        yield from row(transport, f"reads: {', '.join(reading) or 'nothing'}")
        yield from row("", f"writes: {', '.join(writing) or 'nothing'}")
    for capability, reasons in account.without_effect().items():
        yield from row("no effect", f"{capability}: {', '.join(reasons)}")


def filesystem_text(account: Account) -> str:
    """Say which file system the project lies on and whether writes are made there."""
    if is_qualified(account.filesystem):
        return account.filesystem
    return f"{account.filesystem} (no controlled writes on it)"


def change_lines(changes: tuple[Change, ...]) -> Iterator[str]:
    """Show each change as two lines, the old above the new."""
    for change in changes:
        yield change.field
        yield f"  old  {visible(change.old)}"
        yield f"  new  {visible(change.new)}"


def row(label: str, text: str) -> Iterator[str]:
    """Give one labelled line of a card."""
    yield f"{label:<{_LABEL}}{text}"
