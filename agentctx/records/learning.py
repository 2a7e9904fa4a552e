"""Records that are learned where one stands in git: at once, or staged on a branch.

A branch stages what it learns of its project; what holds everywhere, where work stopped
and what the project's files say is no such thing. A staged record never ends one of the
main line: it notes whose place it will take (A8.6).
"""

from __future__ import annotations

from agentctx.clock import stamp
from agentctx.errors import AlreadySupersededError, OtherNamespaceError
from agentctx.records.joining import let_follow
from agentctx.records.model import COLUMNS, FROM, GLOBAL, KEYED, record_of
from agentctx.records.read import find_record
from agentctx.records.staged import (
    branch_at,
    hidden_on,
    open_branch,
    replacement_on,
    stage,
    staging_of,
)
from agentctx.records.terms import index_missing
from agentctx.records.write import (
    Made,
    add_record,
    checked_record,
    confirm_same,
    descended,
    insert_record,
    place_record,
    refuse_forgotten,
    replacing,
    require_current,
    same_bug,
    same_fact,
    size_warnings,
    supersede_record,
)
from corpus.sqlite import store_failures
from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from agentctx.branches import Standing
    from agentctx.records.model import NewRecord, Record, Replacement
    from agentctx.records.store import Store
    from corpus.sqlite import Tx


def learn_record(
    store: Store,
    project_id: str,
    new: NewRecord,
    *,
    where: Standing,
    supersedes: str | None = None,
) -> Made:
    """Make a record as `add_record` does, staged where that is called for.

    Raises what `add_record` raises; `AlreadySupersededError` names what the branch has
    in place of a record of the main line already.
    """
    if where.branch is None or not can_be_staged(new.type, new.scope):
        return add_record(store, project_id, new, supersedes=supersedes)
    checked, redacted = checked_record(new)
    with store_failures(), store.writing() as tx:
        index_missing(tx)
        staging = open_branch(store, tx, project_id, where.branch, tip=where.tip)
        old = None
        if supersedes is not None:
            old = _replaced(tx, project_id, supersedes, staging)
        else:
            same = _known(tx, project_id, staging, checked)
            if same is not None:
                return confirm_same(store, tx, same, checked, redacted)
        record = stage_record(store, tx, project_id, where, checked, old)
    return Made(record, old, warnings=size_warnings(record), redacted=redacted)


def relearn_record(
    store: Store, project_id: str, old_id: str, new: Replacement, *, where: Standing
) -> Made:
    """Replace a current record as `supersede_record` does, on the branch if staged."""
    if where.branch is None:
        return supersede_record(store, project_id, old_id, new)
    with store_failures(), store.writing() as tx:
        index_missing(tx)
        found = find_record(tx, project_id, old_id, field="old_id")
        if found.project_id == project_id and can_be_staged(found.type, found.scope):
            staging = open_branch(store, tx, project_id, where.branch, tip=where.tip)
            old = _replaced(tx, project_id, found.id, staging)
            checked, redacted = checked_record(replacing(old, new))
            record = stage_record(store, tx, project_id, where, checked, old)
            warnings = size_warnings(record)
            return Made(record, old, warnings=warnings, redacted=redacted)
    return supersede_record(store, project_id, old_id, new)


def put_record(
    store: Store,
    tx: Tx,
    project_id: str,
    checked: NewRecord,
    *,
    where: Standing,
    old: Record | None,
) -> Record:
    """Write a checked record where `old` stood, staged where that is called for.

    What waits on a branch already goes on waiting there; what is said anew on the main
    line ends it. Raises `ForgottenError`.
    """
    waits = old is not None and old.project_id != project_id
    branch = None if old is None or not waits else branch_at(tx, old.project_id)
    if old is not None and branch is not None and where.why == "main_line":
        head = _of_item(tx, project_id, old.key)
        record = place_record(store, tx, project_id, checked, old=head)
        let_follow(store, tx, branch, old, record)
        return record
    if where.branch is None or waits or not can_be_staged(checked.type, checked.scope):
        return place_record(store, tx, project_id, checked, old=old)
    open_branch(store, tx, project_id, where.branch, tip=where.tip)
    return stage_record(store, tx, project_id, where, checked, old)


def stage_record(
    store: Store,
    tx: Tx,
    project_id: str,
    where: Standing,
    checked: NewRecord,
    old: Record | None,
) -> Record:
    """Write a checked record on a branch that is open; `old` is what is current there.

    Raises `ForgottenError`.
    """
    staging = staging_of(tx, project_id, where.branch)
    assert staging is not None, "the branch is open"
    checked = descended(checked, old)
    refuse_forgotten(store, tx, project_id, checked)
    waits = old is not None and old.project_id == staging
    record = insert_record(store, tx, staging, checked, old=old if waits else None)
    if not waits:
        replaces = None if old is None else old.id
        at = where.said_at or stamp(store.clock())
        stage(tx, record.id, staging, replaces=replaces, at=at)
    return record


def _of_item(tx: Tx, project_id: str, key: str | None) -> Record | None:
    """Give what the main line has of a memory item."""
    row = tx.execute(
        f"""
          SELECT {COLUMNS} FROM {FROM}
           WHERE r.project_id = ? AND p.key = ? AND r.superseded_at IS NULL
        ORDER BY r.recorded_at DESC, r.id DESC LIMIT 1
        """,
        (project_id, key),
    ).fetchone()
    return None if row is None else record_of(row)


def can_be_staged(record_type: str, scope: str) -> bool:
    """Say whether a branch stages such records: what it learns of its project."""
    return record_type not in KEYED and scope != "global"


def _replaced(tx: Tx, project_id: str, text: str, staging: str) -> Record:
    """Find what is to be replaced on a branch; it must be current there."""
    old = find_record(tx, project_id, text, field="supersedes")
    if old.project_id not in {project_id, staging} or old.project_id == GLOBAL:
        raise OtherNamespaceError(record_id=old.id)
    require_current(tx, old)
    instead = replacement_on(tx, staging, old.id)
    if instead is not None:
        raise AlreadySupersededError(record_id=old.id, head=instead)
    return old


def _known(tx: Tx, project_id: str, staging: str, new: NewRecord) -> Record | None:
    """Find a record that says the same and can be seen on the branch."""
    for namespace in (staging, project_id):
        same = same_fact(tx, namespace, new) or same_bug(tx, namespace, new)
        if same is not None and same.id not in hidden_on(tx, staging):
            return same
    return None
