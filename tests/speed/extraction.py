"""What a long session costs: the tokens sent to a model for each token that is new.

The model is a server of our own on this machine, which finds a decision in every turn;
so the records that later questions show are as many as there can be.
"""

from __future__ import annotations

import json
import random
import re
from typing import TYPE_CHECKING, NamedTuple

from corpus.tokens import model_tokens
from tests.agentctx.extraction.conftest import Sessions, decision, found
from tests.agentctx.llm.fakeapi import FakeApi, Says
from tests.recorded import Ticking
from tests.speed.bench import heading, row
from tests.speed.recordset import SEED, vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.agentctx.llm.fakeapi import Asked
    from tests.speed.bench import Bench

TURNS, TURN_TOKENS = 100, 2_000
SENT_TO_NEW = 3.0
BETWEEN_TURNS = 2.0
"""Seconds that a worker has after each turn; the next is said then."""

_DECIDED = re.compile(r"Let us keep the \w+ in the \w+ of \w+\.")


class Spent(NamedTuple):
    """Tokens that were said and sent, by our estimate, and what came of it.

    `unread` are the turns that no question was about.
    """

    new: int
    sent: int
    questions: int
    records: int
    unread: int

    @property
    def ratio(self) -> float:
        """Tokens sent for each that is new."""
        return self.sent / self.new


def extraction(bench: Bench) -> None:
    """Measure the 100 turns of a session; the same figure at every run."""
    folder = bench.folder / "extraction"
    spent = session_cost(folder, turns=TURNS, tokens=TURN_TOKENS)
    heading("a session of 100 turns: 1,000 tokens new, sent; questions, records kept")
    tokens = spent.new / 1_000, spent.sent / 1_000
    row("ours", *tokens, spent.questions, spent.records)
    bench.target("extraction: tokens sent / new", spent.ratio, SENT_TO_NEW)
    bench.target("extraction: turns not asked about", spent.unread, 0)


def session_cost(folder: Path, *, turns: int, tokens: int) -> Spent:
    """Let a session say so many turns of so many tokens, a worker reading along.

    What is sent is all of each request: the instructions, the schema of the answer, the
    records shown, the turns.
    """
    project = folder / "project"
    (project / ".agentctx").mkdir(parents=True)
    sessions = Sessions(folder / "home", project, Ticking())
    sessions.store().close()
    for cap in ("spendPerSession", "spendPerDay"):
        sessions.set(cap, 100.0)  # a cap would hide what it costs
    said = sessions.session()
    spoken = list(_spoken(turns, tokens))
    with FakeApi(_found) as api:
        sessions.ask(api)
        for text in spoken:
            said.turn(text)
            sessions.hear(said)
            sessions.work(seconds=BETWEEN_TURNS)
        sessions.hear(said, ended=True)
        sessions.work()
        asked = api.asked
    together = "\n".join(one.text for one in asked)
    return Spent(
        new=sum(map(model_tokens, spoken)),
        sent=sum(model_tokens(json.dumps(one.body)) for one in asked),
        questions=len(asked),
        records=len(sessions.records("decision")),
        unread=sum(text not in together for text in spoken),
    )


def _spoken(turns: int, tokens: int) -> Iterator[str]:
    """Make what a developer says; the same at every run."""
    dice = random.Random(SEED)  # noqa: S311 - the same at every run
    words = vocabulary(dice)
    for _ in range(turns):
        thing, place, owner = dice.sample(words, 3)
        text = f"Let us keep the {thing} in the {place} of {owner}."
        while (left := tokens - model_tokens(text)) > 0:
            more = " ".join(dice.choices(words, k=max(1, left // 4)))
            text = f"{text} {more}."
        yield text


def _found(asked: Asked) -> Says:
    """Answer with the decisions that stand in the turns."""
    turns = asked.text.rpartition("<session>")[2]
    decided = dict.fromkeys(_DECIDED.findall(turns))
    return Says(found(decisions=[decision(one.rstrip(".")) for one in decided]))
