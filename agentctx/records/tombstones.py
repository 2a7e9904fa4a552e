"""What was deleted is not learned again, also in other words (A2.9).

A tombstone holds no text: a hash of the content, and keyed hashes of its terms, whose
key is a private file beside the store. The store alone tells nobody what was forgotten.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING

from agentctx.clock import stamp
from corpus.lexical import terms

if TYPE_CHECKING:
    from agentctx.records.store import Store
    from corpus.sqlite import Db, Tx

KEY_FILE = "forget.key"
TERM_BYTES = 6
"""Bytes kept of a term's hash: enough to compare, too few to search for words."""

ALIKE, ALIKE_OF_LONGER = 0.65, 0.55
"""The shares of common terms, of the shorter wording and of the longer, from which two
wordings are taken for one fact: measured on reworded facts, and on unrelated passages
of one project."""

_IS_NUMBER = 0x80

FEWEST_TERMS = 3
"""Below this only the very same content is meant: one word is in many facts."""


def bury(store: Store, tx: Tx, project_id: str, title: str, body: str) -> str:
    """Leave a tombstone for a record that is being deleted, and give its id."""
    tombstone = store.ids.new()
    tx.execute(
        "INSERT INTO tombstones (id, project_id, content_sha256, signature, deleted_at)"
        " VALUES (?, ?, ?, ?, ?)",
        (
            tombstone,
            project_id,
            _content_hash(store, title, body),
            b"".join(sorted(_signature(store, title, body))),
            stamp(store.clock()),
        ),
    )
    return tombstone


def is_forgotten(store: Store, db: Db, project_id: str, title: str, body: str) -> bool:
    """Say whether a person deleted this fact, in these words or in others."""
    return bool(_matching(store, db, project_id, title, body))


def forget_tombstone(
    store: Store, tx: Tx, project_id: str, title: str, body: str
) -> None:
    """Remove the tombstones of a fact that a person states again."""
    tx.executemany(
        "DELETE FROM tombstones WHERE id = ?",
        ((one,) for one in _matching(store, tx, project_id, title, body)),
    )


def _matching(
    store: Store, db: Db, project_id: str, title: str, body: str
) -> list[str]:
    rows = db.execute(
        "SELECT id, content_sha256, signature FROM tombstones WHERE project_id = ?",
        (project_id,),
    ).fetchall()
    if not rows:
        return []
    content = _content_hash(store, title, body)
    ours = _signature(store, title, body)
    return [
        row["id"]
        for row in rows
        if row["content_sha256"] == content or _alike(ours, _split(row["signature"]))
    ]


def _alike(ours: set[bytes], theirs: set[bytes]) -> bool:
    """Say whether two wordings mean one fact; other numbers make it another fact."""
    shorter, longer = sorted((len(ours), len(theirs)))
    common = len(ours & theirs)
    if common < max(FEWEST_TERMS, ALIKE * shorter, ALIKE_OF_LONGER * longer):
        return False
    one, other = _numbers(ours), _numbers(theirs)
    return one <= other or other <= one


def _numbers(signature: set[bytes]) -> set[bytes]:
    return {term for term in signature if term[0] & _IS_NUMBER}


def _split(signature: bytes) -> set[bytes]:
    starts = range(0, len(signature), TERM_BYTES)
    return {signature[at : at + TERM_BYTES] for at in starts}


def _signature(store: Store, title: str, body: str) -> set[bytes]:
    """Hash every term; the first bit says whether it is a number."""
    key = _key(store)
    found = set()
    for term in set(terms(f"{title}\n{body}")):
        text = term.encode("utf-8", "surrogatepass")
        hashed = bytearray(hmac.digest(key, text, "sha256")[:TERM_BYTES])
        hashed[0] = hashed[0] & ~_IS_NUMBER | _IS_NUMBER * term[0].isdigit()
        found.add(bytes(hashed))
    return found


def _content_hash(store: Store, title: str, body: str) -> str:
    text = " ".join(f"{title}\n{body}".casefold().split())
    content = text.encode("utf-8", "surrogatepass")
    return hmac.new(_key(store), content, hashlib.sha256).hexdigest()


def _key(store: Store) -> bytes:
    from pathlib import Path  # noqa: PLC0415 - only where something was deleted

    from corpus.userdirs import private_key  # noqa: PLC0415 - as above

    return private_key(Path(store.home) / KEY_FILE, random=store.random)
