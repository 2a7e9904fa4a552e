"""Ending an interrupted write: the old content, the new, or the owner's decision.

What happened before the interruption is read from the files: their hashes say it.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from corpus.canonical import sha256
from corpus.confined.publish import STAGE_AGE
from corpus.refs import RelPath
from corpus.refusals import (
    AuditConflictError,
    NeedsOwnerError,
    ResolutionError,
    TargetMissingError,
    TargetUnusableError,
)
from corpus.writes.audit import has_receipt, write_receipt
from corpus.writes.orphans import write_stages
from corpus.writes.outcome import Outcome
from corpus.writes.targets import (
    folder_of,
    hash_of,
    held,
    held_in,
    progress,
    publish,
    put_back,
    require_obstacle,
    settling_failures,
    stage,
    staged,
    staged_hash,
)
from corpus.writes.transaction import clean_up, remove_stages
from corpus.writes.writer import turn_of

if TYPE_CHECKING:
    from corpus.confined.folder import Held
    from corpus.refs import Sha256
    from corpus.writes.journal import Choice, Journal, Planned
    from corpus.writes.outcome import Phase
    from corpus.writes.targets import Progress
    from corpus.writes.writer import Turn, Writer

OWNER_DECIDED = "OWNER_DECIDED"
BEFORE_PUBLICATION = "BEFORE_PUBLICATION"
TARGET_CHANGED = "TARGET_CHANGED"
UNEXPECTED_TARGET = "UNEXPECTED_TARGET"
AUDIT_CONFLICT = "AUDIT_CONFLICT"


class Side(NamedTuple):
    """One file of an interrupted write as a person has to see it.

    Each content is None where there is none, or where it is not known any more.
    """

    planned: Planned
    old: bytes | None
    new: bytes | None
    current: bytes | None


class Pending(NamedTuple):
    """An interrupted write that waits, with all that is known of it."""

    journal: Journal
    sides: tuple[Side, ...]


def recover(writer: Writer, *, resolve: Choice | None = None) -> Outcome | None:
    """End the interrupted write, if there is one; None when there is none.

    `resolve` is the owner's decision where one is needed. Raises `ResolutionError`
    when what was decided for is not there any more, `WriteUnsettledError` when the
    system fails, and what `turn_of` raises.
    """
    with turn_of(writer) as turn, settling_failures():
        outcome = _settled(turn)
        journal = turn.interrupted()
        if journal is not None and resolve is not None:
            outcome = _resolve(turn, journal, resolve)
            journal = None
        if journal is None:
            _sweep(turn)
        return outcome


def pending(writer: Writer) -> Pending | None:
    """Show the write that waits for its owner, with every side of it.

    A write that can be settled without one is settled; then nothing waits.
    """
    with turn_of(writer) as turn, settling_failures():
        _settled(turn)
        journal = turn.interrupted()
        if journal is None:
            return None
        return Pending(journal, tuple(_sides(turn, journal)))


def settle_first(turn: Turn) -> None:
    """Settle what an earlier writer left; NeedsOwnerError when that takes a person."""
    with settling_failures():
        outcome = _settled(turn)
    if outcome is not None and outcome.phase == "NEEDS_OWNER":
        raise NeedsOwnerError(reason=outcome.reason or UNEXPECTED_TARGET)


def _settled(turn: Turn) -> Outcome | None:
    """Settle what was interrupted, then sweep what died before it was journaled."""
    journal = turn.interrupted()
    outcome = None if journal is None else _settle(turn, journal)
    if outcome is None or outcome.phase != "NEEDS_OWNER":
        turn.runtime.sweep(now=turn.writer.clock().timestamp())
    return outcome


def _sweep(turn: Turn) -> None:
    """Remove what is left of writes that nobody will settle, here and of our own.

    Under the lock and without a journal only the write of another user may have a
    stage here; it is given an hour.
    """
    now = turn.writer.clock().timestamp()
    turn.runtime.sweep(now=now)
    for path in write_stages(turn.opened, turn.mandate.policy):
        with folder_of(turn.opened, path) as folder:
            name = path.rpartition("/")[2]
            if folder.lstat(name).st_ctime < now - STAGE_AGE:
                folder.remove(name)


def _settle(turn: Turn, journal: Journal) -> Outcome:
    if journal.state == "NEEDS_OWNER":
        return _outcome(journal, "NEEDS_OWNER", journal.reason)
    if journal.state == "RESOLVING":
        assert journal.choice is not None
        return _carry_out(turn, journal, journal.choice)
    try:
        if has_receipt(turn.opened, journal):
            return _completed(turn, journal)
        states = [_state(turn, planned) for planned in journal.changes]
        if "new" in states and set(states) == {"new", "old"}:
            _go_forward(turn, journal)
            states = [_state(turn, planned) for planned in journal.changes]
        if "other" in states:
            where = journal.changes[states.index("other")].path
            return _wait(turn, journal, f"{UNEXPECTED_TARGET}: {where}")
        if "displaced" in states:
            return _roll_back(turn, journal, TARGET_CHANGED)
        if "old" in states:
            return _roll_back(turn, journal, BEFORE_PUBLICATION)
        return _completed(turn, journal)
    except AuditConflictError:
        return _wait(turn, journal, AUDIT_CONFLICT)


def _completed(turn: Turn, journal: Journal) -> Outcome:
    audit = write_receipt(turn, journal)
    clean_up(turn, journal)
    return _outcome(journal, "COMPLETE", None)._replace(audit_path=audit)


def _state(turn: Turn, planned: Planned) -> Progress:
    """Say how far one file got; what cannot even be read is something else."""
    try:
        with folder_of(turn.opened, planned.path) as folder:
            return progress(folder, planned)
    except TargetMissingError:
        return "old" if planned.old_sha256 is None else "other"
    except TargetUnusableError as problem:
        require_obstacle(problem)
        return "other"


def _go_forward(turn: Turn, journal: Journal) -> None:
    """Publish what is not published yet; nothing, when a new content is gone."""
    left = [p for p in journal.changes if _state(turn, p) == "old"]
    for planned in left:
        with folder_of(turn.opened, planned.path) as folder:
            if staged_hash(folder, planned) != planned.new_sha256:
                return
    for planned in left:
        with folder_of(turn.opened, planned.path) as folder:
            publish(folder, planned)
            folder.sync()


def _roll_back(turn: Turn, journal: Journal, reason: str) -> Outcome:
    undone = True
    for number, planned in enumerate(journal.changes):
        backup = turn.runtime.get(journal.backup_name(number))
        with (
            suppress(TargetMissingError),
            folder_of(turn.opened, planned.path) as folder,
        ):
            undone &= put_back(folder, planned, backup)
    if not undone:
        return _wait(turn, journal, reason)
    clean_up(turn, journal)
    return _outcome(journal, "ROLLED_BACK", reason)


def _wait(turn: Turn, journal: Journal, reason: str) -> Outcome:
    """Leave the targets as they are and keep every content for the owner."""
    for number, planned in enumerate(journal.changes):
        beside = _seen(turn, planned, planned.stage)
        for found in (beside, _seen(turn, planned, planned.name)):
            _keep(turn, journal, number, found)
        _keep_third(turn, journal, number, beside)
    turn.runtime.begin(journal._replace(state="NEEDS_OWNER", reason=reason))
    remove_stages(turn, journal)
    return _outcome(journal, "NEEDS_OWNER", reason)


def _seen(turn: Turn, planned: Planned, name: str) -> Held | None:
    """Read a file if it is a plain one; None otherwise."""
    try:
        with folder_of(turn.opened, planned.path) as folder:
            return held_in(folder, RelPath(f"{planned.folder}/{name}"))
    except TargetMissingError:
        return None
    except TargetUnusableError as problem:
        require_obstacle(problem)
        return None


def _keep(turn: Turn, journal: Journal, number: int, found: Held | None) -> None:
    """Copy a content that a decision may ask for, unless there is a copy."""
    planned = journal.changes[number]
    if found is None:
        return
    wanted = {
        planned.new_sha256: journal.new_name(number),
        planned.old_sha256: journal.backup_name(number),
    }
    name = wanted.get(sha256(found.content))
    if name is not None and turn.runtime.get(name) is None:
        turn.runtime.put(name, found.content)


def _keep_third(turn: Turn, journal: Journal, number: int, found: Held | None) -> None:
    """Copy a content that is neither the old nor the new one, to outlive the write."""
    planned = journal.changes[number]
    if hash_of(found) in {None, planned.old_sha256, planned.new_sha256}:
        return
    assert found is not None
    name = journal.kept_name(number, found.content)
    if turn.runtime.get(name) is None:
        turn.runtime.put(name, found.content)


def _resolve(turn: Turn, journal: Journal, choice: Choice) -> Outcome:
    """Check that the decision can be carried out, write it down, carry it out."""
    if choice == "new":
        for capability in journal.capabilities:
            turn.mandate.require(capability)
        has_receipt(turn.opened, journal)
    if choice != "current":
        for number, planned in enumerate(journal.changes):
            _wanted(turn, journal, number, choice)
            held(turn.opened, planned.path)
    decided = journal._replace(state="RESOLVING", choice=choice)
    turn.runtime.begin(decided)
    return _carry_out(turn, decided, choice)


def _carry_out(turn: Turn, journal: Journal, choice: Choice) -> Outcome:
    if choice != "current":
        for number in range(len(journal.changes)):
            _place(turn, journal, number, _wanted(turn, journal, number, choice))
    audit = None
    if choice == "new":
        audit = write_receipt(turn, journal, owner_decided=True)
    clean_up(turn, journal)
    phase: Phase = "COMPLETE" if choice == "new" else "ROLLED_BACK"
    outcome = _outcome(journal, phase, OWNER_DECIDED)
    return outcome._replace(audit_path=audit, kept=turn.runtime.kept(journal))


def _wanted(turn: Turn, journal: Journal, number: int, choice: Choice) -> bytes | None:
    """Give what a file shall hold; None when it shall not exist."""
    planned = journal.changes[number]
    expected: Sha256 | None = planned.new_sha256
    name = journal.new_name(number)
    if choice == "old":
        expected, name = planned.old_sha256, journal.backup_name(number)
        if expected is None:
            return None
    content = turn.runtime.get(name)
    if content is None or sha256(content) != expected:
        raise ResolutionError(
            choice=choice, reason=f"that content of `{planned.path}` is not there"
        )
    return content


def _place(turn: Turn, journal: Journal, number: int, content: bytes | None) -> None:
    """Make the file hold `content`; what nobody expected there is kept.

    It is kept before it loses its name, and what was saved in between, after.
    """
    planned = journal.changes[number]
    with folder_of(turn.opened, planned.path, make=content is not None) as folder:
        now = held_in(folder, planned.path)
        if (None if now is None else now.content) != content:
            _keep_third(turn, journal, number, now)
            folder.remove(planned.stage)
            if content is None:
                folder.claim(planned.name, planned.stage)
            else:
                stage(folder, planned, content, now)
                publish(folder, planned._replace(old_sha256=hash_of(now)))
        _keep_third(turn, journal, number, staged(folder, planned))
        folder.sync()


def _sides(turn: Turn, journal: Journal) -> list[Side]:
    sides = []
    for number, planned in enumerate(journal.changes):
        now = _seen(turn, planned, planned.name)
        sides.append(
            Side(
                planned=planned,
                old=turn.runtime.get(journal.backup_name(number)),
                new=turn.runtime.get(journal.new_name(number)),
                current=None if now is None else now.content,
            )
        )
    return sides


def _outcome(journal: Journal, phase: Phase, reason: str | None) -> Outcome:
    return Outcome(
        transaction_id=journal.transaction_id,
        phase=phase,
        changes=tuple(planned.changed() for planned in journal.changes),
        audit_path=None,
        reason=reason,
    )
