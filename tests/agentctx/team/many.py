"""Many records that one project shares, put into a store at once."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from agentctx.records.arrived import Arrived, add_arrived
from agentctx.records.shared import Shared, put_shared
from agentctx.records.terms import index_missing
from agentctx.team.blocks import SHARED_TYPES

if TYPE_CHECKING:
    from agentctx.records.store import Store

WORDS = (
    *("station", "reading", "battery", "modem", "relay", "cabinet", "firmware"),
    *("sensor", "border", "gauge", "carrier", "timeout", "buffer", "packet", "antenna"),
    *("client", "schema", "query", "worker", "parcel", "digest", "clock", "offset"),
)


def fill(store: Store, project_id: str, count: int = 2_000) -> None:
    """Let a project share so many records of some forty words each."""
    chance = random.Random(7)  # noqa: S311 - the same words every time
    with store.writing() as tx:
        for number in range(count):
            text = " ".join(chance.choices(WORDS, k=40))
            one = Arrived(
                store.ids.new(),
                chance.choice(SHARED_TYPES),
                f"Fact {number} of the {chance.choice(WORDS)}",
                f"{text} {number}.",
                "explicit",
                None,
            )
            add_arrived(store, tx, project_id, one)
            put_shared(tx, project_id, Shared(one.id, one.id, "promoted"))
        tx.execute("UPDATE provenance SET trust = 'developer'")
        index_missing(tx, limit=None)
