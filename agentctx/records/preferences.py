"""The developer's preferences as a file to read: `profile/preferences.md` (A10.3).

It is made from the current global preferences and nothing else, so it can be thrown
away; whoever changes a record has it made anew.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from agentctx.privatefile import folder_lock, write_private
from agentctx.records.card import QUOTE, standing
from agentctx.records.model import GLOBAL
from agentctx.records.read import current_records
from agentctx.redact import redact
from agentctx.smallfile import small_text
from corpus.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentctx.records.model import Record
    from agentctx.records.store import Store
    from corpus.sqlite import Db

PLACE = "profile/preferences.md"
MOST_BYTES = 16 * 1024 * 1024

_HEAD = """\
# Preferences

How you work, as recorded for every project. This page is made from the store: change a
preference with `agentctx profile edit`, end one with `agentctx profile clear`.
"""


_NOTED = """\
# Noted, and not confirmed

What agents, files and teammates say of how you work. Confirm one with
`agentctx reinforce`, end one with `agentctx profile clear`.
"""


def preferences_page(records: Sequence[Record]) -> str:
    """Write the page: the same records give the same bytes.

    What no person stands for is apart: it is not how anybody said they work (A10.2).
    """
    own = [record for record in records if record.by_person]
    noted = [record for record in records if not record.by_person]
    lines = [_HEAD, *(line for one in own for line in _block(one))]
    if noted:
        lines += [_NOTED, *(line for one in noted for line in _block(one))]
    return "\n".join(lines)


def refresh_preferences(store: Store) -> bool:
    """Make the page anew where it is out of date; False where it cannot be written."""
    if are_preferences_fresh(store):
        return True
    try:
        with folder_lock(store.home):  # who writes last has read what was stored last
            page = preferences_page(_current(store.db))
            write_private(f"{store.home}/{PLACE}", page.encode())
    except OSError:
        return False
    return True


def are_preferences_fresh(store: Store) -> bool:
    """Say whether the page is what the store would make; none is needed for none."""
    records = _current(store.db)
    stored = _stored(store.home)
    return stored == preferences_page(records) or (stored is None and not records)


def _current(db: Db) -> list[Record]:
    return current_records(db, GLOBAL, record_type="preference")


def _stored(home: str) -> str | None:
    return small_text(Path(home) / PLACE, limit=MOST_BYTES)


def _block(record: Record) -> Iterator[str]:
    yield f"## {' '.join(redact(visible(record.title)).text.split())}"
    yield ""
    for line in redact(visible(record.body)).text.split("\n"):
        yield f"{QUOTE}{line}".rstrip()
    yield ""
    yield f"`{record.id}` · {standing(record)} · since {record.valid_from[:10]}"
    yield ""
