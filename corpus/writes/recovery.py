"""Ending an interrupted write: the old content, the new, or the owner's decision.

What happened before the interruption is read from the files: their hashes say it.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, get_args

from corpus.canonical import sha256
from corpus.confined.publish import STAGE_AGE
from corpus.errors import CodedError
from corpus.refs import RelPath
from corpus.refusals import (
    AuditConflictError,
    JournalError,
    NeedsOwnerError,
    ResolutionError,
    TargetMissingError,
    TargetUnusableError,
)
from corpus.writes.audit import has_receipt, write_receipt
from corpus.writes.journal import Choice
from corpus.writes.orphans import target_of, write_stages
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
from corpus.writes.transaction import clean_up, keep_third, remove_stages
from corpus.writes.writer import turn_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from corpus.confined.folder import Held
    from corpus.refs import Sha256
    from corpus.writes.journal import Journal, Planned
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

    `old` and `new` are None when that content is not kept, and `old` also when there
    was no file (`planned` tells). `current` is None when no plain file is there;
    `obstacle` then says what is, if anything.
    """

    planned: Planned
    old: bytes | None
    new: bytes | None
    current: bytes | None
    obstacle: str | None = None


class Pending(NamedTuple):
    """An interrupted write that waits, with all that is known of it.

    `impossible` holds the decisions that cannot be carried out now, and why.
    """

    journal: Journal
    sides: tuple[Side, ...]
    impossible: Mapping[Choice, CodedError]

    @property
    def possible(self) -> tuple[Choice, ...]:
        """The decisions that can be carried out now."""
        return tuple(one for one in get_args(Choice) if one not in self.impossible)


def recover(writer: Writer, *, resolve: Choice | None = None) -> Outcome | None:
    """End the interrupted write, if there is one; None when there is none.

    `resolve` is the owner's decision where one is needed; `current` also sets aside a
    journal that cannot be read. Raises `ResolutionError`
    when what was decided for is not there any more, `WriteUnsettledError` when the
    system fails, and what `turn_of` raises.
    """
    with turn_of(writer) as turn, settling_failures():
        try:
            turn.interrupted()
        except JournalError:
            if resolve != "current":
                raise
            turn.runtime.set_journal_aside()
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
        sides = tuple(_sides(turn, journal))
        return Pending(journal, sides, _impossible(turn, journal))


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
        turn.runtime.sweep()
    return outcome


def _sweep(turn: Turn) -> None:
    """Remove what is left of writes that nobody will settle, here and of our own.

    Under the lock and without a journal only the write of another user, or under
    another home, may have a stage here. One that holds what its target holds is of no
    use to anybody after an hour; any other may be all that is left of somebody's save.
    """
    now = turn.writer.clock().timestamp()
    turn.runtime.sweep()
    for path in write_stages(turn.opened, turn.mandate.policy):
        with folder_of(turn.opened, path) as folder:
            name = path.rpartition("/")[2]
            old = folder.lstat(name).st_ctime < now - STAGE_AGE
            target = held_in(folder, target_of(path))
            if old and hash_of(held_in(folder, path)) == hash_of(target):
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
    clean_up(turn, journal, published=True)
    return _outcome(journal, "COMPLETE", None)._replace(
        audit_path=audit, kept=turn.runtime.kept(journal)
    )


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
    clean_up(turn, journal, published=False)
    return _outcome(journal, "ROLLED_BACK", reason)


def _wait(turn: Turn, journal: Journal, reason: str) -> Outcome:
    """Leave the targets as they are and keep every content for the owner."""
    for number, planned in enumerate(journal.changes):
        beside = _seen(turn, planned, planned.stage)
        for found in (beside, _seen(turn, planned, planned.name)):
            _keep(turn, journal, number, found)
        keep_third(turn, journal, number, beside)
    turn.runtime.begin(journal._replace(state="NEEDS_OWNER", reason=reason))
    remove_stages(turn, journal, published=False)
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


def _resolve(turn: Turn, journal: Journal, choice: Choice) -> Outcome:
    """Check that the decision can be carried out, write it down, carry it out."""
    _require_possible(turn, journal, choice)
    decided = journal._replace(state="RESOLVING", choice=choice)
    turn.runtime.begin(decided)
    return _carry_out(turn, decided, choice)


def _impossible(turn: Turn, journal: Journal) -> dict[Choice, CodedError]:
    problems: dict[Choice, CodedError] = {}
    for choice in get_args(Choice):
        try:
            _require_possible(turn, journal, choice)
        except CodedError as problem:
            problems[choice] = problem
    return problems


def _require_possible(turn: Turn, journal: Journal, choice: Choice) -> None:
    """Refuse what the rights do not allow, what is not kept, what stands in the way."""
    if choice == "new":
        for capability in journal.capabilities:
            turn.mandate.require(capability)
        has_receipt(turn.opened, journal)
    if choice != "current":
        for number, planned in enumerate(journal.changes):
            _wanted(turn, journal, number, choice)
            held(turn.opened, planned.path)


def _carry_out(turn: Turn, journal: Journal, choice: Choice) -> Outcome:
    if choice != "current":
        for number in range(len(journal.changes)):
            _place(turn, journal, number, _wanted(turn, journal, number, choice))
    audit = None
    if choice == "new":
        audit = write_receipt(turn, journal, owner_decided=True)
    clean_up(turn, journal, published=False)
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
            choice=choice, reason=f"that content of `{planned.path}` is not kept"
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
            keep_third(turn, journal, number, now)
            folder.remove(planned.stage)
            if content is None:
                folder.claim(planned.name, planned.stage)
            else:
                stage(folder, planned, content, now)
                publish(folder, planned._replace(old_sha256=hash_of(now)))
        keep_third(turn, journal, number, staged(folder, planned))
        folder.sync()


def _sides(turn: Turn, journal: Journal) -> list[Side]:
    sides = []
    for number, planned in enumerate(journal.changes):
        now, obstacle = None, None
        try:
            now = held(turn.opened, planned.path)
        except TargetMissingError:
            obstacle = None
        except TargetUnusableError as problem:
            require_obstacle(problem)
            obstacle = str(problem.facts["reason"])
        kept = turn.runtime.get(journal.backup_name(number))
        fresh = turn.runtime.get(journal.new_name(number))
        sides.append(
            Side(
                planned=planned,
                old=_if_it_is(kept, planned.old_sha256),
                new=_if_it_is(fresh, planned.new_sha256),
                current=None if now is None else now.content,
                obstacle=obstacle,
            )
        )
    return sides


def _if_it_is(content: bytes | None, expected: Sha256 | None) -> bytes | None:
    """Give a copy only when it is what it is kept for: a damaged one is none."""
    return content if content is not None and sha256(content) == expected else None


def _outcome(journal: Journal, phase: Phase, reason: str | None) -> Outcome:
    return Outcome(
        transaction_id=journal.transaction_id,
        phase=phase,
        changes=tuple(planned.changed() for planned in journal.changes),
        audit_path=None,
        reason=reason,
    )
