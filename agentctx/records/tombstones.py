"""What was deleted is not learned again, also in other words (A2.9).

A tombstone holds no text: a hash of the content, and keyed hashes of its terms, whose
key is a private file beside the store. The store alone tells nobody what was forgotten.
"""

from __future__ import annotations

from contextlib import suppress

from agentctx.clock import stamp
from agentctx.errors import ForgetKeyError
from corpus.checksum import sha256
from corpus.lexical import terms
from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

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
_MADE_WITH, _FINGERPRINT_BYTES = "forget-key", 6
"""Where the store notes which key it is; of 32 random bytes six tell nothing."""

FEWEST_TERMS = 3
"""Below this only the very same content is meant: one word is in many facts."""


def bury(store: Store, tx: Tx, project_id: str, title: str, body: str) -> str:
    """Leave a tombstone for a record that is being deleted, and give its id."""
    tombstone = store.ids.new()
    key = _key_for_new(store, tx)
    tx.execute(
        "INSERT INTO tombstones (id, project_id, content_sha256, signature, deleted_at)"
        " VALUES (?, ?, ?, ?, ?)",
        (
            tombstone,
            project_id,
            _content_hash(key, title, body),
            b"".join(sorted(_signature(key, title, body))),
            stamp(store.clock()),
        ),
    )
    return tombstone


def is_forgotten(store: Store, db: Db, project_id: str, title: str, body: str) -> bool:
    """Say whether a person deleted this fact, in these words or in others.

    Raises `ForgetKeyError` where nobody can tell.
    """
    return bool(_matching(store, db, project_id, title, body))


def forgotten_at(
    store: Store, db: Db, project_id: str, title: str, body: str
) -> str | None:
    """Say when a person last deleted this fact, if one did. Raises `ForgetKeyError`."""
    ids = _matching(store, db, project_id, title, body)
    marks = ", ".join("?" * len(ids))
    query = f"SELECT max(deleted_at) FROM tombstones WHERE id IN ({marks})"
    found = db.execute(query, ids).fetchone()[0]
    return None if found is None else str(found)


def has_tombstones(db: Db) -> bool:
    """Say whether anything was deleted that is not to be learned again."""
    return bool(db.execute("SELECT EXISTS (SELECT 1 FROM tombstones)").fetchone()[0])


def forget_tombstone(
    store: Store, tx: Tx, project_id: str, title: str, body: str
) -> None:
    """Remove the tombstones of a fact that a person states again.

    Where nobody can tell which they are they stay; what a person states is kept.
    """
    with suppress(ForgetKeyError):
        tx.executemany(
            "DELETE FROM tombstones WHERE id = ?",
            [(one,) for one in _matching(store, tx, project_id, title, body)],
        )


def count_forgotten(db: Db, project_ids: Sequence[str]) -> int:
    """Say how many facts of some namespaces were deleted and are not learned again."""
    marks = ", ".join("?" * len(project_ids))
    query = f"SELECT count(*) FROM tombstones WHERE project_id IN ({marks})"
    return int(db.execute(query, tuple(project_ids)).fetchone()[0])


def _matching(
    store: Store, db: Db, project_id: str, title: str, body: str
) -> list[str]:
    rows = db.execute(
        "SELECT id, content_sha256, signature FROM tombstones WHERE project_id = ?",
        (project_id,),
    ).fetchall()
    if not rows:
        return []
    key = _key(store, db)
    content = _content_hash(key, title, body)
    ours = _signature(key, title, body)
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


def _signature(key: bytes, title: str, body: str) -> set[bytes]:
    """Hash every term; the first bit says whether it is a number."""
    from hmac import digest  # noqa: PLC0415 - only where something was deleted

    found = set()
    for term in set(terms(f"{title}\n{body}")):
        text = term.encode("utf-8", "surrogatepass")
        hashed = bytearray(digest(key, text, "sha256")[:TERM_BYTES])
        hashed[0] = hashed[0] & ~_IS_NUMBER | _IS_NUMBER * term[0].isdigit()
        found.add(bytes(hashed))
    return found


def _content_hash(key: bytes, title: str, body: str) -> str:
    from hmac import digest  # noqa: PLC0415 - only where something was deleted

    text = " ".join(f"{title}\n{body}".casefold().split())
    content = text.encode("utf-8", "surrogatepass")
    return digest(key, content, "sha256").hex()


def key_problem(home: str, db: Db) -> ForgetKeyError | None:
    """Say why what was forgotten cannot be recognized, where that is so."""
    try:
        _usable_key(home, db)
    except ForgetKeyError as problem:
        return problem
    return None


def saved_key(home: str) -> bytes | None:
    """Give the key of a home, None where there is none; `ForgetKeyError` if damaged."""
    from pathlib import Path  # noqa: PLC0415 - only where something was deleted

    return key_in(Path(home) / KEY_FILE)


def key_in(path: Path) -> bytes | None:
    """Give the key in a private file, None without one; `ForgetKeyError` if damaged."""
    from corpus.errors import KeyFileError  # noqa: PLC0415 - as below
    from corpus.userdirs import existing_private_key  # noqa: PLC0415 - seldom needed

    try:
        return existing_private_key(path)
    except KeyFileError as problem:
        raise ForgetKeyError(reason=str(problem.facts["reason"])) from None


def _usable_key(home: str, db: Db) -> bytes | None:
    """Give the key with which the tombstones were made; None where none is needed."""
    key = saved_key(home)
    if not has_tombstones(db):
        return key
    if key is None:
        raise ForgetKeyError(reason="it is missing")
    known = db.execute("SELECT value FROM state WHERE name = ?", (_MADE_WITH,))
    row = known.fetchone()
    if row is not None and row[0] != _fingerprint(key):
        raise ForgetKeyError(reason="it is not the key it was deleted with")
    return key


def _key(store: Store, db: Db) -> bytes:
    key = _usable_key(store.home, db)
    assert key is not None, "there are tombstones"
    return key


def _key_for_new(store: Store, tx: Tx) -> bytes:
    """Give the key for a new tombstone, made where there is none.

    Tombstones of a key that is gone say nothing to any other; they go.
    """
    from pathlib import Path  # noqa: PLC0415 - only where something is deleted

    from corpus.errors import KeyFileError  # noqa: PLC0415 - as above
    from corpus.userdirs import private_key  # noqa: PLC0415 - as above

    saved_key(store.home)  # one that is damaged is for a person to see
    if key_problem(store.home, tx) is not None:
        tx.execute("DELETE FROM tombstones")
    try:
        key = private_key(Path(store.home) / KEY_FILE, random=store.random)
    except KeyFileError as problem:
        raise ForgetKeyError(reason=str(problem.facts["reason"])) from None
    tx.execute(
        "INSERT OR REPLACE INTO state (name, value) VALUES (?, ?)",
        (_MADE_WITH, _fingerprint(key)),
    )
    return key


def _fingerprint(key: bytes) -> int:
    return int.from_bytes(sha256(key).digest()[:_FINGERPRINT_BYTES], "big")
