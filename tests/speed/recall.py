"""Measure recall of memory in one warm process, at 1,000 and at 10,000 items.

    python tests/speed/run.py --only recall

The words of the items are as common and as rare as in a text without its stop words.
The least of the rounds is judged, for each question its own.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

if __package__ in {None, ""}:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from agentctx.memory.clipping import api_tokens
from agentctx.memory.pools import RequestState
from agentctx.memory.recall import open_recall, policy_for, search
from tests.agentctx.memory.recalled import THREAD, asking, item, memory_of
from tests.speed.bench import heading, row
from tests.speed.recordset import EVENNESS, SEED, vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from agentctx.memory.model import Item
    from corpus.sqlite import Db
    from tests.speed.bench import Bench

SUBJECT, STATEMENT, CONTENT, NAMES = 3, 14, 40, 4
STANDING = 200
"""Every so many items one always applies."""

BOUNDS = {1_000: 0.010, 10_000: 0.040}
MAP = 0.050
ROUNDS = 7
QUESTIONS = (
    "why is {0} stored with {1} and {2}",
    "{3} {4} migration decision",
    "{5}",
    "which tests cover the {6} of {7} in {8} after {9} and {10} of the {11} {12}",
    "{13} {14} подмирнием и узловая схема",
)


def made_items(count: int) -> Iterator[Item]:
    """Make items, the same at every run."""
    dice = random.Random(SEED)  # noqa: S311 - the same at every run
    words = vocabulary(dice)
    weights = list(accumulate(1 / (rank + EVENNESS) for rank in range(len(words))))

    def some(number: int) -> list[str]:
        return dice.choices(words, cum_weights=weights, k=number)

    for number in range(count):
        always = number % STANDING == 0
        yield item(
            number,
            " ".join([*some(SUBJECT), str(number)]),
            " ".join(some(STATEMENT)),
            " ".join(some(CONTENT)),
            aliases=[" ".join(some(2)) for _ in range(NAMES)],
            keywords=some(NAMES),
            recall_mode="always" if always else "on_match",
            applies_to_paths=[f"src/{some(1)[0]}"] if number % 3 == 1 else [],
        )


def questions() -> list[str]:
    """Make questions of common words and rare ones."""
    dice = random.Random(SEED)  # noqa: S311 - the same at every run
    words = vocabulary(dice)
    common = [*words[:8], *words[100:108], *words[2_000:2_008]]
    return [question.format(*dice.sample(common, 16)) for question in QUESTIONS]


def recall(bench: Bench) -> None:
    """Measure searches and the Map."""
    heading("recall of memory, ms")
    for count, bound in BOUNDS.items():
        with (
            tempfile.TemporaryDirectory(dir=bench.folder) as folder,
            memory_of(Path(folder), made_items(count)) as db,
        ):
            searched = max(_least(partial(_search, db, one)) for one in questions())
            mapped = max(_least(partial(_map, db, one)) for one in questions())
        row(f"search, {count:,} items", 1000 * searched)
        row(f"Map, {count:,} items", 1000 * mapped)
        bench.target(f"memory search at {count:,} items", searched, bound, "s")
        bench.target(f"memory Map at {count:,} items", mapped, MAP, "s")


def _least(work: Callable[[], object]) -> float:
    costs = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        work()
        costs.append(time.perf_counter() - begun)
    return min(costs)


def _search(db: Db, text: str) -> object:
    policy = policy_for("ordinary", THREAD, recall=8_000, mapped=0)
    state = RequestState(asking("", "src/a"), policy)
    return search(db, state, text, api_tokens)


def _map(db: Db, text: str) -> object:
    policy = policy_for("ordinary", THREAD, recall=24_576, mapped=8_192)
    return open_recall(db, asking(text, "src/a"), policy, api_tokens)
