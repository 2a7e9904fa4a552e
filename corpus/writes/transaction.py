"""One write from its checks to its receipt: old or new, for every file of it.

The steps: check, journal, stage, back up, look again, publish, read back, receipt,
clean up. Killed between any two, `settle` ends the write; failing between any two,
`commit` takes back what it did.
"""

from __future__ import annotations

from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, NamedTuple

from corpus.canonical import sha256
from corpus.errors import CodedError
from corpus.protocol.layout import POLICY_PATH
from corpus.refs import Sha256, is_sha256
from corpus.refusals import (
    ExpectedHashError,
    ReadbackError,
    StaleHashError,
    TargetMissingError,
    TargetUnusableError,
    WriteScopeError,
    WriteUnsettledError,
)
from corpus.writes.audit import (
    audit_path,
    receipt_stage,
    stamp,
    withdraw_receipt,
    write_receipt,
)
from corpus.writes.journal import Journal, Planned
from corpus.writes.outcome import Outcome
from corpus.writes.targets import (
    NO_FOLDER,
    folder_of,
    hash_of,
    held_in,
    publish,
    put_back,
    reason_of,
    require_free,
    require_same_folder,
    stage,
    staged,
    staged_hash,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corpus.confined.folder import Folder, Held
    from corpus.refs import RelPath
    from corpus.writes.writer import Turn


class Change(NamedTuple):
    """What one file shall hold.

    `expected` is the hash of what it must hold now, None when it must not exist.
    `capability` is what the change needs.
    """

    path: RelPath
    content: bytes
    expected: Sha256 | None
    capability: str


class _Part(NamedTuple):
    """One change with its folder held open and what the target held before."""

    planned: Planned
    content: bytes
    folder: Folder
    old: Held | None


def expected_hash(text: str, *, field: str = "expected_sha256") -> Sha256:
    """Check a hash given by a person or a client; ExpectedHashError when it is none."""
    if not is_sha256(text):
        raise ExpectedHashError(field=field)
    return Sha256(text)


def require_fresh(path: RelPath, expected: Sha256, found: Sha256 | None) -> None:
    """Refuse a file that is no longer what the caller read: StaleHashError."""
    if found != expected:
        raise StaleHashError(path=path, expected=expected, found=found or "absent")


def require(turn: Turn, changes: Sequence[Change]) -> None:
    """Refuse what the four layers or the write scope do not allow."""
    for change in changes:
        turn.mandate.require(change.capability)
    for change in changes:
        if not turn.mandate.policy.may_write(change.path):
            raise WriteScopeError(path=change.path)


def commit(
    turn: Turn, changes: Sequence[Change], *, transaction_id: str | None = None
) -> Outcome:
    """Make every change or none, and leave a receipt.

    Whoever has to know the transaction's id before it begins gives a new one.
    The turn's interrupted write must have been settled. Raises `StaleHashError`,
    `TargetMissingError`, `TargetExistsError`, `TargetUnusableError` and what `require`
    raises; then every file is as it was. What could not be taken back either is
    `WriteUnsettledError` or, where somebody saved a file in between, `ReadbackError`;
    it stays for the next writer to settle, or for the owner.
    """
    require(turn, changes)
    with ExitStack() as stack:
        parts = [_checked(turn, change, stack) for change in changes]
        journal = Journal(
            transaction_id=transaction_id or new_transaction_id(turn),
            project_id=turn.mandate.policy.project_id,
            root_identity=turn.opened.identity,
            capabilities=tuple(dict.fromkeys(c.capability for c in changes)),
            started_at=stamp(turn.writer.clock()),
            changes=tuple(part.planned for part in parts),
        )
        try:
            _keep_contents(turn, journal, parts)
            turn.runtime.begin(journal)
            _prepare(turn, journal, parts)
            _require_in_place(turn, parts)
            _publish(parts)
            _require_in_place(turn, parts)
            audit = write_receipt(turn, journal)
        except BaseException as error:
            reason = _take_back(turn, journal, parts)
            if reason is not None and not isinstance(error, ReadbackError):
                raise WriteUnsettledError(reason=reason) from None
            raise
        kept: tuple[str, ...] = ()
        with suppress(OSError, CodedError):  # the receipt is there: the next writer can
            clean_up(turn, journal, published=True)
            kept = turn.runtime.kept(journal)
    return Outcome(
        transaction_id=journal.transaction_id,
        phase="COMPLETE",
        changes=tuple(planned.changed() for planned in journal.changes),
        audit_path=audit,
        kept=kept,
    )


def new_transaction_id(turn: Turn) -> str:
    """Give an id that no other transaction has."""
    return turn.writer.random(16).hex()


def clean_up(turn: Turn, journal: Journal, *, published: bool) -> None:
    """Remove what the write made besides its targets and its receipt."""
    remove_stages(turn, journal, published=published)
    turn.runtime.end(journal)


def keep_third(turn: Turn, journal: Journal, number: int, found: Held | None) -> None:
    """Copy a content that is neither the old nor the new one, to outlive the write."""
    planned = journal.changes[number]
    if found is None or sha256(found.content) in {
        planned.old_sha256,
        planned.new_sha256,
    }:
        return
    name = journal.kept_name(number, found.content)
    if turn.runtime.get(name) is None:
        turn.runtime.put(name, found.content)


def remove_stages(turn: Turn, journal: Journal, *, published: bool) -> None:
    """Remove what the write left beside its targets and beside its receipt.

    Once it is published, what somebody saved into the file it replaced is kept first.
    Through a folder that is not there, or no folder any more, there is nothing of ours.
    """
    names = [(planned.path, planned.stage) for planned in journal.changes]
    names.append((audit_path(journal.transaction_id), receipt_stage(journal)))
    for number, (path, stage_name) in enumerate(names):
        try:
            with folder_of(turn.opened, path) as folder:
                if published and number < len(journal.changes):
                    beside = staged(folder, journal.changes[number])
                    keep_third(turn, journal, number, beside)
                folder.remove(stage_name)
        except TargetMissingError:
            continue
        except TargetUnusableError as problem:
            if problem.facts["reason"] not in NO_FOLDER:
                raise


def _checked(turn: Turn, change: Change, stack: ExitStack) -> _Part:
    """Hold the target against what the caller expects of it."""
    create = change.expected is None
    folder = stack.enter_context(folder_of(turn.opened, change.path, make=create))
    name = change.path.rpartition("/")[2]
    old = None
    if change.expected is None:
        require_free(folder, change.path)
    else:
        old = held_in(folder, change.path)
        if old is None:
            raise TargetMissingError(path=change.path)
        require_fresh(change.path, change.expected, hash_of(old))
    planned = Planned(
        path=change.path,
        old_sha256=change.expected,
        old_identity=None if old is None else old.identity,
        new_sha256=sha256(change.content),
        stage=f".{name}.{turn.writer.random(8).hex()}.stage",
    )
    return _Part(planned, change.content, folder, old)


def _keep_contents(turn: Turn, journal: Journal, parts: Sequence[_Part]) -> None:
    """Copy both sides outside the project: whatever happens, either can be chosen."""
    for number, part in enumerate(parts):
        turn.runtime.add(journal.new_name(number), part.content)
        if part.old is not None:
            turn.runtime.add(journal.backup_name(number), part.old.content)


def _require_in_place(turn: Turn, parts: Sequence[_Part]) -> None:
    """Refuse to go on when the corpus, or a target's folder, is another one by now."""
    require_same_folder(turn.opened, POLICY_PATH, turn.home)
    for part in parts:
        require_same_folder(turn.opened, part.planned.path, part.folder)


def _prepare(turn: Turn, journal: Journal, parts: Sequence[_Part]) -> None:
    """Stage every new content and look again at every old one.

    The folder of receipts is opened here, for it may not be usable.
    """
    for part in parts:
        stage(part.folder, part.planned, part.content, part.old)
    for part in parts:
        if part.old is None:
            require_free(part.folder, part.planned.path)
            continue
        now = held_in(part.folder, part.planned.path)
        require_fresh(part.planned.path, sha256(part.old.content), hash_of(now))
        if now is not None and now.identity != part.old.identity:
            raise StaleHashError(
                path=part.planned.path,
                expected=sha256(part.old.content),
                found="the same text in another file",
            )
    with folder_of(turn.opened, audit_path(journal.transaction_id), make=True):
        return


def _publish(parts: Sequence[_Part]) -> None:
    """Give every stage its name, and read back what the names hold then."""
    for part in parts:
        planned = part.planned
        if publish(part.folder, planned):
            displaced = staged_hash(part.folder, planned)
            if displaced != planned.old_sha256:
                raise StaleHashError(
                    path=planned.path,
                    expected=planned.old_sha256 or "absent",
                    found=displaced or "absent",
                )
    for part in parts:
        part.folder.sync()
    for part in parts:
        now = held_in(part.folder, part.planned.path)
        if now is None or now.content != part.content:
            raise ReadbackError(path=part.planned.path)


def _take_back(turn: Turn, journal: Journal, parts: Sequence[_Part]) -> str | None:
    """Put every file back as it was; say why, where that is left to `settle`.

    The receipt goes first: while it is there, the write is complete.
    """
    try:
        withdraw_receipt(turn.opened, journal)
        undone = True
        for number, part in reversed(list(enumerate(parts))):
            backup = turn.runtime.get(journal.backup_name(number))
            undone &= put_back(part.folder, part.planned, backup)
        if undone:
            clean_up(turn, journal, published=False)
            return None
    except OSError as error:
        return reason_of(error)
    except CodedError as problem:
        return problem.code
    return "a file was saved meanwhile"
