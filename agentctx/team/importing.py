"""Taking in what teammates wrote: all of it that may be, in one transaction (A8.2).

What comes in is a teammate's: searchable, shown as such, never pinned. Reading the
same file again changes nothing.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from agentctx.ids import ID_LENGTH, id_part
from agentctx.records.arrived import (
    Arrived,
    add_arrived,
    end_arrived,
    revive_arrived,
)
from agentctx.records.shared import Shared, drop_shared, note_arrival, put_shared
from agentctx.records.terms import index_missing
from agentctx.records.tombstones import forget_tombstone
from agentctx.team.place import context_path, read_context
from agentctx.team.planning import YOURS, make_plan
from agentctx.team.reading import parse_context
from agentctx.team.refusals import ContextChangedError, HeldBlockError
from corpus.sqlite import store_failures

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from agentctx.records.store import Store
    from agentctx.team.blocks import Block
    from agentctx.team.planning import Plan, Step
    from agentctx.team.reading import Context, Finding
    from corpus.sqlite import Tx


class Consent(NamedTuple):
    """What a person said: that they saw the plan, and which blocks they accept.

    `only` takes in the accepted blocks and leaves everything else for another time.
    `sha256` is of the file that the plan was of.
    """

    seen: bool = False
    accepted: tuple[str, ...] = ()
    only: bool = False
    sha256: str | None = None


NOBODY = Consent()
"""A process on its own: it takes in what needs no person."""


class Taken(NamedTuple):
    """One block and the record it is about; empty where the plan is not carried out."""

    block: str
    record: str
    title: str


class Held(NamedTuple):
    """A block that waits for a person, and why: `orders`, `yours` or `forgotten`."""

    block: str
    line: int
    title: str
    reason: str
    detail: str


class Imported(NamedTuple):
    """What became of the file's blocks, or would. `present` counts what was known.

    `sha256` is of the file, None without one.
    """

    exists: bool = True
    added: tuple[Taken, ...] = ()
    superseded: tuple[Taken, ...] = ()
    retired: tuple[Taken, ...] = ()
    present: int = 0
    held: tuple[Held, ...] = ()
    findings: tuple[Finding, ...] = ()
    sha256: str | None = None

    @property
    def changes(self) -> int:
        """How many records are made, replaced or ended."""
        return len(self.added) + len(self.superseded) + len(self.retired)

    def as_json(self) -> dict[str, object]:
        """Give the outcome as one JSON object."""
        lists = ("added", "superseded", "retired", "held", "findings")
        return {
            "exists": self.exists,
            **{name: [one._asdict() for one in getattr(self, name)] for name in lists},
            "present": self.present,
        }


def preview_context(
    store: Store, project_id: str, root: str, accepted: Sequence[str] = ()
) -> Imported:
    """Say what importing would do, and which blocks would wait; nothing is changed.

    `accepted` are ids that a person gave; HeldBlockError for one that waits nowhere.
    """
    content = read_context(root)
    if content is None:
        return Imported(exists=False)
    context = parse_context(content)
    with store_failures():
        keys = _accepted(store, project_id, context, accepted)
        plan = make_plan(store, project_id, context, accepted=keys)
        told = _told(plan, context, Consent(seen=True, accepted=keys), {})
        return told._replace(sha256=hashlib.sha256(content).hexdigest())


def import_context(
    store: Store, project_id: str, root: str, consent: Consent = NOBODY
) -> Imported:
    """Take in what the team's file says; without one nothing is known to have changed.

    Raises the errors of `read_context` and `parse_context`, `HeldBlockError`, and
    `ContextChangedError` for another file than the one that consent was given to.
    """
    content = read_context(root)
    if content is None:
        return Imported(exists=False)
    sha256 = hashlib.sha256(content).hexdigest()
    if consent.sha256 not in {None, sha256}:
        raise ContextChangedError(path=context_path(root))
    context = parse_context(content)
    with store_failures(), store.writing() as tx:
        keys = _accepted(store, project_id, context, consent.accepted)
        consent = consent._replace(accepted=keys)
        plan = make_plan(store, project_id, context, accepted=keys)
        work = _Import(store, tx, project_id, plan)
        made = {
            step.key: work.carry_out(step, accepted=step.key in keys)
            for step in plan.steps
            if _may(step, consent)
        }
        index_missing(tx, limit=None)
        if not consent.only:
            note_arrival(tx, project_id, sha256, now=store.clock())
        return _told(plan, context, consent, made)._replace(sha256=sha256)


def _accepted(
    store: Store, project_id: str, context: Context, given: Iterable[str]
) -> tuple[str, ...]:
    """Give the whole ids of the blocks that a person accepts."""
    wanted = list(given)
    if not wanted:
        return ()
    plan = make_plan(store, project_id, context)
    waiting = [step.key for step in plan.steps if step.reason]
    found = []
    for text in wanted:
        part = id_part(text)
        fits = [
            key
            for key in waiting
            if part is not None
            and (key == part if len(part) == ID_LENGTH else _abbreviates(part, key))
        ]
        if len(fits) != 1:
            raise HeldBlockError(found=text[:ID_LENGTH])
        found += fits
    return tuple(found)


def _abbreviates(part: str, key: str) -> bool:
    return key.startswith(part) or key.endswith(part)


def _may(step: Step, consent: Consent) -> bool:
    """Say whether a step is to be carried out now."""
    if step.key in consent.accepted:
        return True
    if consent.only:
        return False
    return step.reason != YOURS or consent.seen


class _Import:
    """One import in its transaction: step by step, as planned."""

    def __init__(self, store: Store, tx: Tx, project_id: str, plan: Plan) -> None:
        self.store, self.tx, self.project_id, self.plan = store, tx, project_id, plan

    def carry_out(self, step: Step, *, accepted: bool) -> str:
        """Do one step, note what the file holds; give the record it is about."""
        if step.block is None:
            return self.end(step)
        known = self.plan.known.get(step.key)
        one = known or Shared(step.key, None, "imported")
        if step.kind == "hold":
            fresh = one._replace(held=True, sha256=step.block.sha256)
        elif step.kind == "known":
            record_id = one.record_id if step.record is None else step.record.id
            fresh = Shared(step.key, record_id, one.origin, sha256=step.block.sha256)
        else:
            if accepted:
                title, body = step.block.title, step.block.body
                forget_tombstone(self.store, self.tx, self.project_id, title, body)
            record_id = self.written(step, step.block)
            fresh = Shared(step.key, record_id, "imported", sha256=step.block.sha256)
        if fresh != known:
            put_shared(self.tx, self.project_id, fresh)
        return "" if step.kind == "hold" else fresh.record_id or ""

    def end(self, step: Step) -> str:
        """End the record of a block that is gone, where it is to end."""
        if step.kind == "retire" and step.record is not None:
            end_arrived(self.store, self.tx, step.record)
        drop_shared(self.tx, self.project_id, step.key)
        return "" if step.record is None else step.record.id

    def written(self, step: Step, block: Block) -> str:
        """Make, replace or revive the record of a block; give its id."""
        if step.kind == "revive":
            assert step.record is not None, "a record is what comes back"
            revive_arrived(self.tx, step.record)
            return step.record.id
        old = step.record if step.kind == "supersede" else None
        free = old is None and block.id is not None and step.key not in self.plan.taken
        since = block.valid_from or None
        if old is not None and (since is None or since <= old.valid_from):
            since = None  # changed by hand: it is true from now on
        arrived = Arrived(
            step.key if free else self.store.ids.new(),
            block.type if old is None else old.type,
            block.title,
            block.body,
            block.confidence,
            since,
        )
        return add_arrived(self.store, self.tx, self.project_id, arrived, old=old)


def _told(
    plan: Plan, context: Context, consent: Consent, made: dict[str, str]
) -> Imported:
    """Say what was done; a step that was not may wait for a person."""

    def taken(*kinds: str) -> tuple[Taken, ...]:
        return tuple(
            Taken(step.key, made.get(step.key, ""), step.title)
            for step in plan.steps
            if step.kind in kinds and _may(step, consent)
        )

    held = [
        step
        for step in plan.steps
        if step.kind == "hold" or (step.reason and not _may(step, consent))
    ]
    return Imported(
        added=taken("add", "revive"),
        superseded=taken("supersede"),
        retired=taken("retire"),
        present=sum(step.kind == "known" for step in plan.steps),
        held=tuple(
            Held(
                step.key,
                0 if step.block is None else step.block.line,
                step.title,
                step.reason,
                step.detail,
            )
            for step in held
        ),
        findings=context.findings,
    )
