"""What reading a team's file would change here, block by block, before it does (A8.2).

The file is compared with what it held when it was read last, so what was done here and
what was done there are told apart. Nothing that a person here said ends without one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agentctx.records.arrived import records_called, worded
from agentctx.records.model import GLOBAL
from agentctx.records.read import head_of
from agentctx.records.shared import list_shared
from agentctx.records.tombstones import has_tombstones, is_forgotten
from agentctx.team.blocks import Block, normal, text_sha256
from agentctx.team.safety import orders_in

if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Literal

    from agentctx.records.model import Record
    from agentctx.records.shared import Shared
    from agentctx.records.store import Store
    from agentctx.team.reading import Context

    Kind = Literal["add", "supersede", "retire", "revive", "known", "forget", "hold"]

ORDERS, YOURS, FORGOTTEN = "orders", "yours", "forgotten"
"""Why a block waits for a person: it reads like an order to an agent; it would end
what a person here said; it says what a person here deleted."""


class Step(NamedTuple):
    """What becomes of one block, or of a record whose block is gone.

    `record` is the one it is about, `block` what the file says. `reason` says why it
    waits for a person.
    """

    kind: Kind
    key: str
    block: Block | None = None
    record: Record | None = None
    reason: str = ""
    detail: str = ""

    @property
    def title(self) -> str:
        """Name what it is about."""
        if self.block is not None:
            return self.block.title
        return "" if self.record is None else self.record.title


class Plan(NamedTuple):
    """Every step, in the order of the file; then what is gone from it.

    `known` are the blocks known so far, `taken` the ids that records have already.
    """

    steps: tuple[Step, ...]
    known: dict[str, Shared]
    taken: Collection[str] = ()

    def of(self, *kinds: Kind) -> tuple[Step, ...]:
        """Give the steps of some kinds."""
        return tuple(step for step in self.steps if step.kind in kinds)

    @property
    def changes(self) -> bool:
        """Whether any record would be made, replaced or ended."""
        return bool(self.of("add", "supersede", "retire", "revive"))


def make_plan(
    store: Store,
    project_id: str,
    context: Context,
    *,
    accepted: Collection[str] = (),
) -> Plan:
    """Say what every block of a file, and every one that is gone, means here.

    A block that a person accepted waits for nobody.
    """
    planner = _Planner(store, project_id, context)
    planner.accepted = frozenset(accepted)
    return planner.plan()


class _Planner:
    def __init__(self, store: Store, project_id: str, context: Context) -> None:
        self.store, self.db, self.project_id = store, store.db, project_id
        self.accepted: frozenset[str] = frozenset()
        self.context = context
        self.known = list_shared(self.db, project_id)
        ids = [one.record_id for one in self.known.values() if one.record_id]
        self.records = records_called(self.db, [*ids, *(b.key for b in context.blocks)])
        self._said: dict[tuple[str, str], tuple[str, bool]] | None = None
        self.remembering = (project_id, GLOBAL) if has_tombstones(self.db) else ()
        self._orders: dict[Block, str] | None = None

    def plan(self) -> Plan:
        keyed = match_blocks(self.context, self.known, self.records)
        steps = [self.step(keyed[block], block) for block in self.context.blocks]
        if not self.context.findings:  # else nobody knows which ids are gone
            present = set(keyed.values())
            steps += [
                self.gone(one, present)
                for key, one in self.known.items()
                if key not in present and one.sha256 is not None
            ]
        return Plan(tuple(steps), self.known, self.records.keys())

    def step(self, key: str, block: Block) -> Step:
        one = self.known.get(key)
        if one is None:
            return self.unknown(key, block)
        record = self.records.get(one.record_id or "")
        if one.sha256 == block.sha256 and not one.held:
            if record is not None or one.origin == "withdrawn":
                return Step("known", key, block, record)
            return self.unknown(key, block)
        if record is None:
            return self.unknown(key, block)
        head = head_of(self.db, record)
        if head.current and same_text(head, block):
            return Step("known", key, block, head)
        waits = self.waits(key, block)
        if waits is not None:
            return waits
        if head.id != record.id or not head.current:
            return Step("add", key, block)  # both sides changed: both are kept
        reason = YOURS if head.by_person else ""
        return Step("supersede", key, block, head, reason)

    def unknown(self, key: str, block: Block) -> Step:
        """Plan a block that says what no record of ours is known to say."""
        found = self.said().get((block.type, block.sha256))
        if found is not None:
            record_id, current = found
            record = records_called(self.db, [record_id])[record_id]
            return Step("known" if current else "revive", key, block, record)
        waits = self.waits(key, block)
        return waits or Step("add", key, block)

    def waits(self, key: str, block: Block) -> Step | None:
        if key in self.accepted:
            return None
        detail = self.orders().get(block)
        if detail is not None:
            return Step("hold", key, block, reason=ORDERS, detail=detail)
        for namespace in self.remembering:
            if is_forgotten(self.store, self.db, namespace, block.title, block.body):
                return Step("hold", key, block, reason=FORGOTTEN)
        return None

    def orders(self) -> dict[Block, str]:
        """Give what the blocks say that give orders; looked for once, where asked."""
        if self._orders is None:
            blocks = self.context.blocks
            found = orders_in([(block.title, block.body) for block in blocks])
            self._orders = {blocks[place]: said for place, said in found.items()}
        return self._orders

    def gone(self, one: Shared, present: set[str]) -> Step:
        """Plan for a block that the file holds no more."""
        record = self.records.get(one.record_id or "")
        said_elsewhere = any(
            other.record_id == one.record_id
            for key, other in self.known.items()
            if key in present
        )
        if record is None or said_elsewhere or one.origin == "withdrawn":
            return Step("forget", one.block)
        if not record.current:
            return Step("forget", one.block)
        if one.origin == "imported" and record.source != "import":
            return Step("forget", one.block)  # learned here, too: it says the same
        reason = YOURS if record.by_person else ""
        return Step("retire", one.block, record=record, reason=reason)

    def said(self) -> dict[tuple[str, str], tuple[str, bool]]:
        """Give what records say, by type and text; read once, where it is asked."""
        if self._said is None:
            self._said = {
                (one.type, text_sha256(one.title, one.body)): (one.id, one.current)
                for one in worded(self.db, self.project_id)
                if one.current or one.gone
            }
        return self._said


def match_blocks(
    context: Context, known: dict[str, Shared], records: dict[str, Record]
) -> dict[Block, str]:
    """Give each block the id it is known by: its own, or that of what it repeats."""
    named = {block.key for block in context.blocks if block.id is not None}
    free = {key: one for key, one in known.items() if key not in named}
    by_text = {one.sha256: key for key, one in free.items() if one.sha256}
    by_title: dict[tuple[str, str], str] = {}
    for key, one in free.items():
        record = records.get(one.record_id or "")
        if record is not None and one.sha256 is not None:
            by_title[record.type, record.title] = key
    found: dict[Block, str] = {}
    taken: set[str] = set()
    for block in context.blocks:
        key = block.key
        if block.id is None:
            same = by_text.get(block.sha256) or by_title.get((block.type, block.title))
            key = same if same is not None and same not in taken else key
            taken.add(key)
        found[block] = key
    return found


def same_text(record: Record, block: Block) -> bool:
    """Say whether a record says just what a block does."""
    ours = (record.title.strip(), normal(record.body))
    return ours == (block.title.strip(), normal(block.body))
