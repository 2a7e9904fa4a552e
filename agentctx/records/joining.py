"""A branch's records join the main line, or are dropped: all in one transaction (A8.6).

A record that takes the place of another does so only where that one is still current.
Otherwise the main line has gone on without the branch, and which of both holds is a
person's to say. What is dropped is ended, not deleted, and can be taken back.
"""

from __future__ import annotations

from agentctx.clock import later, stamp
from agentctx.records.graph import link_supersession
from agentctx.records.model import COLUMNS, FROM, ITEM_KEYS, record_of
from agentctx.records.read import by_id, head_of
from agentctx.records.staged import PENDING
from agentctx.records.terms import index_missing
from corpus.sqlite import store_failures
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from agentctx.records.model import Record
    from agentctx.records.staged import Branch
    from agentctx.records.store import Store
    from corpus.sqlite import Db, Tx


class Joined(NamedTuple):
    """What became of a branch's records, by their ids.

    `joined` are of the main line now, `same` said what it says already. `contested`
    wait for a person: the main line has something else in the place they would take.
    """

    joined: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    contested: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Give the outcome as one JSON object."""
        return {name: list(ids) for name, ids in self._asdict().items()}


class Contest(NamedTuple):
    """A staged record, and what the main line has in the place it would take.

    `head` is None where the main line has ended the fact, or deleted it.
    """

    record_id: str
    title: str
    replaces: str
    head: str | None


class Proof(NamedTuple):
    """What shows that the main line has what a branch knew.

    `ahead` is for what was learned by the time the branch had commits of its own, and
    `before` for what was learned before a moment at which it got one.
    """

    ahead: bool = False
    before: str = ""


ALL = Proof(ahead=True, before="~")
"""A person says so, or the branch is the main line: everything joins."""


def join_branch(
    store: Store, branch: Branch, proof: Proof = ALL, *, replace: bool = False
) -> Joined:
    """Let what waits on a branch be of the main line, as far as nothing contests it.

    With `replace` a person says that the branch's word holds.
    """
    outcome: dict[str, list[str]] = {"joined": [], "same": [], "contested": []}
    with store_failures(), store.writing() as tx:
        for record, replaces in _waiting(tx, branch.staging_id, proof):
            fate = _fate(store, tx, branch, record, replaces, replace=replace)
            outcome[fate].append(record.id)
        index_missing(tx, limit=None)
    return Joined(**{name: tuple(ids) for name, ids in outcome.items()})


def drop_branch(store: Store, branch: Branch) -> tuple[str, ...]:
    """End what waits on a branch; nothing is deleted. Give the ids."""
    with store_failures(), store.writing() as tx:
        dropped = [one for one, _ in _waiting(tx, branch.staging_id)]
        for record in dropped:
            tx.execute(
                "UPDATE records SET superseded_at = ?, pinned = 0 WHERE id = ?",
                (_after(store, record), record.id),
            )
        _end(store, tx, branch.staging_id, [one.id for one in dropped], "dropped")
    return tuple(one.id for one in dropped)


def restore_branch(store: Store, branch: Branch) -> tuple[str, ...]:
    """Let what was dropped of a branch wait there again. Give the ids."""
    with store_failures(), store.writing() as tx:
        rows = tx.execute(
            """
              SELECT s.record_id FROM staged s JOIN records r ON r.id = s.record_id
               WHERE s.staging_id = ? AND s.outcome = 'dropped'
                 AND r.superseded_by IS NULL
            ORDER BY 1
            """,
            (branch.staging_id,),
        ).fetchall()
        ids = [str(row[0]) for row in rows]
        for record_id in ids:
            tx.execute(
                "UPDATE records SET superseded_at = NULL WHERE id = ?", (record_id,)
            )
            tx.execute(
                "UPDATE staged SET outcome = NULL, ended_at = NULL WHERE record_id = ?",
                (record_id,),
            )
    return tuple(ids)


def contests_of(db: Db, branch: Branch) -> tuple[Contest, ...]:
    """List what waits on a branch whose place the main line has given away."""
    found = []
    for record, replaces in _waiting(db, branch.staging_id):
        if replaces is None:
            continue
        old = by_id(db, replaces)
        if old is None or not old.current:
            head = None if old is None else head_of(db, old)
            holds = head is not None and head.current
            found.append(
                Contest(
                    record.id,
                    record.title,
                    replaces,
                    head.id if head is not None and holds else None,
                )
            )
    return tuple(found)


def _waiting(
    db: Db, staging_id: str, proof: Proof = ALL
) -> list[tuple[Record, str | None]]:
    rows = db.execute(
        f"""
          SELECT {COLUMNS}, s.replaces AS replaces
            FROM {FROM} JOIN staged s ON s.record_id = r.id
           WHERE s.staging_id = ? AND {PENDING}
             AND ((s.ahead AND ?) OR s.staged_at < ?)
        ORDER BY r.recorded_at, r.id
        """,
        (staging_id, *proof),
    ).fetchall()
    return [(record_of(row), row["replaces"]) for row in rows]


def _fate(
    store: Store,
    tx: Tx,
    branch: Branch,
    record: Record,
    replaces: str | None,
    *,
    replace: bool,
) -> str:
    """Let one record join, or say why it does not."""
    project_id = branch.project_id
    old = None if replaces is None else by_id(tx, replaces)
    if replaces is not None and (old is None or not old.current):
        if not replace:
            return "contested"
        head = None if old is None else head_of(tx, old)
        old = head if head is not None and head.current else None
    rival = _rival(tx, project_id, record)
    if old is None and rival is not None:
        if (rival.title, rival.body) != (record.title, record.body) and not replace:
            return "contested"
        old = None if _says_same(rival, record) else rival
        if old is None:
            let_follow(store, tx, branch, record, rival)
            return "same"
    _move(store, tx, branch, record)
    if old is not None and old.id != record.id:
        _take_place(store, tx, old, record)
    return "joined"


def _says_same(one: Record, other: Record) -> bool:
    return (one.title, one.body) == (other.title, other.body)


def _rival(tx: Tx, project_id: str, record: Record) -> Record | None:
    """Find what is current in the main line for the same fact, or the same item."""
    row = tx.execute(
        f"""
          SELECT {COLUMNS} FROM {FROM}
           WHERE r.project_id = ? AND r.superseded_at IS NULL
             AND ((r.type = ? AND r.title = ? AND r.body = ?)
                  OR (p.key = ? AND p.key GLOB ?))
        ORDER BY r.recorded_at DESC, r.id DESC LIMIT 1
        """,
        (
            project_id,
            record.type,
            record.title,
            record.body,
            record.key or "",
            ITEM_KEYS,
        ),
    ).fetchone()
    return None if row is None else record_of(row)


def _move(store: Store, tx: Tx, branch: Branch, record: Record) -> None:
    """Bring a record and its earlier versions into the main line, recorded from now.

    When it was learned stays in its note; the main line did not believe it until now.
    """
    now = stamp(store.clock())
    rows = tx.execute(
        """
        WITH RECURSIVE chain(id) AS (
          SELECT :id
           UNION
          SELECT r.id FROM records r JOIN chain c ON r.superseded_by = c.id
           WHERE r.project_id = :staging
        )
        SELECT id FROM chain
        """,
        {"id": record.id, "staging": branch.staging_id},
    ).fetchall()
    ids = [str(row[0]) for row in rows]
    for one in ids:
        tx.execute(
            "UPDATE records SET project_id = ?, recorded_at = max(recorded_at, ?),"
            " superseded_at = max(superseded_at, ?) WHERE id = ?",
            (branch.project_id, now, now, one),
        )
        tx.execute(
            "UPDATE OR IGNORE proposals SET project_id = ?"
            " WHERE project_id = ? AND record_id = ?",
            (branch.project_id, branch.staging_id, one),
        )
    _end(store, tx, branch.staging_id, ids, "joined")


def _take_place(store: Store, tx: Tx, old: Record, new: Record) -> None:
    """Let a record that has joined supersede the one whose place it takes."""
    tx.execute(
        "UPDATE records SET superseded_at = ?, superseded_by = ?, pinned = 0"
        " WHERE id = ?",
        (_after(store, old), new.id, old.id),
    )
    link_supersession(store, tx, new.id, old.id)
    if old.pinned and new.by_person:
        tx.execute("UPDATE records SET pinned = 1 WHERE id = ?", (new.id,))


def let_follow(
    store: Store, tx: Tx, branch: Branch, record: Record, same: Record
) -> None:
    """Let a record that says nothing new be an earlier version of what says it."""
    _move(store, tx, branch, record)
    now = stamp(store.clock())
    tx.execute(
        "UPDATE records SET superseded_at = ?, superseded_by = ?, pinned = 0"
        " WHERE id = ?",
        (now, same.id, record.id),
    )
    link_supersession(store, tx, same.id, record.id)


def _end(store: Store, tx: Tx, staging_id: str, ids: list[str], outcome: str) -> None:
    now = stamp(store.clock())
    tx.executemany(
        "UPDATE staged SET outcome = ?, ended_at = ?"
        " WHERE record_id = ? AND staging_id = ? AND outcome IS NULL",
        ((outcome, now, record_id, staging_id) for record_id in ids),
    )


def _after(store: Store, old: Record) -> str:
    now = stamp(store.clock())
    return now if now > old.recorded_at else later(old.recorded_at, milliseconds=1)
