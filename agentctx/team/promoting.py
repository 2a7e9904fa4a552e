"""A person lets a record be the team's, or takes it back: the only way in (A8.2).

To promote is to stand for: what was inferred is reinforced, and what an agent, a file
or a teammate said is confirmed. The file follows with the next export.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agentctx.errors import OtherNamespaceError, RecordStagedError
from agentctx.ids import is_record_id
from agentctx.records.model import GLOBAL
from agentctx.records.read import by_id, find_record, history_of
from agentctx.records.shared import Shared, drop_shared, list_shared, put_shared
from agentctx.records.write import require_current, stand_for
from agentctx.team.blocks import SHARED_TYPES
from agentctx.team.refusals import NotSharedError, ShareError
from agentctx.team.safety import gives_orders, refusal
from corpus.sqlite import store_failures

if TYPE_CHECKING:
    from agentctx.records.model import Record
    from agentctx.records.store import Store
    from corpus.sqlite import Db


class Promoted(NamedTuple):
    """A record, the block it is shared as, and whether it still is.

    `already` says that nothing changed.
    """

    record: Record
    block: str
    shared: bool
    already: bool = False

    def as_json(self) -> dict[str, object]:
        """Give the outcome as one JSON object."""
        return {
            "record": self.record.as_json(),
            "block": self.block,
            "shared": self.shared,
            "already": self.already,
        }


class Candidate(NamedTuple):
    """A record that may be promoted. `doubts` are what a person should know first."""

    record: Record
    doubts: tuple[str, ...]


def look_at(store: Store, project_id: str, record_id: str) -> Candidate:
    """Find a record that can be shared, and what speaks for looking at it twice.

    Raises the errors of `find_record`, `AlreadySupersededError`, `OtherNamespaceError`
    for a global record, and `ShareError`.
    """
    with store_failures():
        return _candidate(store.db, project_id, record_id)


def promote_record(store: Store, project_id: str, record_id: str) -> Promoted:
    """Share a record, as the person who says so stands for it.

    Raises as `look_at` does.
    """
    with store_failures(), store.writing() as tx:
        record = _candidate(tx, project_id, record_id).record
        if not record.by_person or record.confidence == "inferred":
            stand_for(tx, record)
        one = _shared_as(tx, project_id, record)
        if one is None:
            taken = record.id in list_shared(tx, project_id)
            one = Shared(store.ids.new() if taken else record.id, None, "imported")
        fresh = one._replace(record_id=record.id, origin="promoted", held=False)
        if fresh != one:
            put_shared(tx, project_id, fresh)
        found = by_id(tx, record.id)
        assert found is not None, "it was just there"
        return Promoted(found, one.block, shared=True, already=fresh == one)


def withdraw_record(store: Store, project_id: str, record_id: str) -> Promoted:
    """Take a record out of what is shared; `NotSharedError` where it is not."""
    with store_failures(), store.writing() as tx:
        record = find_record(tx, project_id, record_id)
        one = _shared_as(tx, project_id, record)
        if one is None or one.origin == "withdrawn":
            raise NotSharedError(record_id=record.id)
        if one.sha256 is None:
            drop_shared(tx, project_id, one.block)
        else:
            put_shared(tx, project_id, one._replace(origin="withdrawn"))
        return Promoted(record, one.block, shared=False)


def _candidate(db: Db, project_id: str, record_id: str) -> Candidate:
    record = find_record(db, project_id, record_id)
    if record.project_id == GLOBAL:
        raise OtherNamespaceError(record_id=record.id)
    if record.branch is not None:
        raise RecordStagedError(record_id=record.id, branch=record.branch)
    require_current(db, record)
    if record.type not in SHARED_TYPES:
        reason = f"a {record.type} tells of one working place, not of the project"
        raise ShareError(record_id=record.id, reason=reason)
    if not is_record_id(record.id):
        raise ShareError(record_id=record.id, reason="its id is none of ours")
    unsafe = refusal(record.title, record.body)
    if unsafe is not None:
        raise ShareError(record_id=record.id, reason=unsafe)
    doubts = []
    if not record.by_person:
        doubts.append("nobody has confirmed it; to share it is to stand for it")
    elif record.confidence == "inferred":
        doubts.append("it was inferred; to share it is to stand for it")
    orders = gives_orders(record.title, record.body)
    if orders is not None:
        doubts.append(f"it reads like an order to an agent: {orders}")
    return Candidate(record, tuple(doubts))


def _shared_as(db: Db, project_id: str, record: Record) -> Shared | None:
    """Find the block that says any version of a record."""
    versions = {one.id for one in history_of(db, record)}
    return next(
        (
            one
            for one in list_shared(db, project_id).values()
            if one.record_id in versions
        ),
        None,
    )
