"""A memory whose jobs are run through a model that is told what to answer."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from agentctx.extraction.asking import Caps
from agentctx.extraction.memory.modelled import ModelPipeline
from agentctx.extraction.memory.purse import Purse
from agentctx.memory.running import DRAIN, run_pipeline
from agentctx.records.store import open_store
from tests.agentctx.llm.asking import model_at
from tests.agentctx.llm.fakeapi import FakeApi, Says
from tests.agentctx.memory.memories import SAID

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from agentctx.memory.running import Ran
    from agentctx.memory.store import MemoryStore
    from agentctx.records.store import Store
    from tests.agentctx.llm.fakeapi import Asked

CAPACITY = 900_000
CAPS = Caps(10.0, 10.0)
Answers = dict[str, Any]


def tabs(turn_id: str, **changed: object) -> Answers:
    """Give a candidate that one turn's words bear."""
    return {
        "kind": "user_preference",
        "subject": "Indent with tabs",
        "statement": "Indent with tabs.",
        "content": "Indent with tabs.",
        "strength": "hard",
        "origin": "explicit",
        "recall_mode": "on_match",
        "applies_to_paths": [],
        "aliases": ["tab width"],
        "keywords": ["tabs"],
        "sources": [{"turn_id": turn_id, "role": "user", "quote": SAID}],
        **changed,
    }


def extracted(*candidates: Answers, compaction: str = "They talked.") -> Answers:
    return {"thread_compaction": compaction, "candidates": list(candidates)}


def operation(candidate: Answers, name: str = "create", **changed: object) -> Answers:
    """Decide on one candidate as the payload shows it."""
    fields = {
        key: value
        for key, value in candidate.items()
        if key not in {"id", "thread_id", "sources"}
    }
    return {
        "operation": name,
        "candidate_ids": [candidate["id"]],
        "target_id": None,
        **fields,
        **changed,
    }


def payload(asked: Asked) -> Answers:
    """Give the input of a question, of a repair too."""
    whole: Answers = json.loads(asked.text)
    inner: Answers = whole.get("input", whole)
    return inner


def is_extraction(asked: Asked) -> bool:
    return "turns" in payload(asked)


def creating(asked: Asked) -> Says:
    """Create an item of every candidate."""
    found = [operation(one) for one in payload(asked)["candidates"]]
    return Says({"operations": found})


def remembering(asked: Asked) -> Says:
    """Extract tabs of every turn that asks for them, and create the item."""
    if not is_extraction(asked):
        return creating(asked)
    turns = payload(asked)["turns"]
    return Says(extracted(*[tabs(one["turn_id"]) for one in turns[:1]]))


class Mind:
    """A memory, the records' store that keeps account, and the model."""

    def __init__(self, memory: MemoryStore, store: Store, api: FakeApi | str) -> None:
        self.memory = memory
        self.store = store
        self.api = api
        self.capacity = CAPACITY
        self.caps = CAPS
        self.settings: dict[str, Any] = {"retries": 0}

    def pipeline(self) -> ModelPipeline:
        model = model_at(self.api, **self.settings)
        purse = Purse(self._account, self.caps)
        return ModelPipeline(model, purse, self.capacity)

    def _account(self) -> Store:
        return open_store(self.store.home, clock=self.store.clock, random=os.urandom)

    def run(self, **changed: Any) -> Ran:  # noqa: ANN401 - the fields of a shift
        return run_pipeline(self.memory, self.pipeline(), DRAIN._replace(**changed))

    @property
    def asked(self) -> tuple[Asked, ...]:
        assert isinstance(self.api, FakeApi)
        return self.api.asked

    def jobs(self, columns: str = "kind, status") -> list[tuple[Any, ...]]:
        rows = self.memory.db.execute(
            f"SELECT {columns} FROM memory_jobs ORDER BY rowid"  # noqa: S608 - ours
        )
        return [tuple(row) for row in rows]

    def diagnosis(self) -> tuple[Any, ...]:
        """Give how the last job failed."""
        return self.jobs(
            "status, failure_class, failure_phase, failure_call, failure_rule"
        )[-1]


@contextmanager
def minding(
    memory: MemoryStore,
    store: Store,
    script: Sequence[Says] | Callable[[Asked], Says] = remembering,
) -> Iterator[Mind]:
    with FakeApi(script) as api:
        yield Mind(memory, store, api)
