"""What commands of memory tell besides: a switch, a new revision, why jobs wait."""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from agentctx.cli.memory_sheet import entry_lines, whole
from agentctx.cli.opening import STORE_ERRORS, open_for_reading
from agentctx.config import environment, home, read_config
from agentctx.errors import ModelKeyError, ModelPlaceError
from agentctx.llm.access import checked_key, checked_place, key_and_place
from agentctx.memory.api import LONGEST_WAIT
from agentctx.memory.switch import REASONS, WAYS_ON
from agentctx.records.accounts import tokens_and_cost
from agentctx.records.memories import note_memory
from agentctx.records.spending import spent_on

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentctx.config import Config
    from agentctx.memory.model import Item, ItemId
    from agentctx.memory.switch import Off
    from corpus.cli.call import Call

NO_KEY, LLM_OFF, DAY_CAP = "NO_KEY", "LLM_OFF", "SPEND_DAY"

WAITS = {
    NO_KEY: "no model can be asked: `ANTHROPIC_API_KEY` is not set",
    LLM_OFF: "no model is asked: the setting `llm` is false",
    DAY_CAP: "what models may cost in a day is spent; the rest of the day it waits",
    "SPEND_SESSION": "what models may cost in a session is spent",
    "MODEL_KEY": "no model can be asked: `ANTHROPIC_API_KEY` is no key",
    "MODEL_PLACE": "no model can be asked: `ANTHROPIC_BASE_URL` is no address",
    "MODEL_DOWN": "the model's service cannot be reached",
}
"""Why jobs wait, by code, in words; other codes are told as they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Switched:
    """Whether memory is on in the project at `root`, and why it is not."""

    root: str
    off: Off | None

    def as_json(self) -> dict[str, object]:
        """Give it as one JSON object."""
        return {"on": self.off is None, "off": self.off, "root": self.root}

    def lines(self) -> Iterator[str]:
        """Say it, with what turns memory on."""
        if self.off is None:
            yield f"memory is on in {self.root}"
            return
        yield f"memory is off in {self.root}: {REASONS[self.off]}"
        yield f"hint: {WAYS_ON[self.off]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """An item as it is now, and the revision that it was."""

    item: Item
    before: ItemId

    def as_json(self) -> dict[str, object]:
        """Give it as one JSON object; `before` is None where nothing changed."""
        same = self.item.id == self.before
        return {"item": whole(self.item), "before": None if same else self.before}

    def lines(self) -> Iterator[str]:
        """Show what is remembered now, and what it takes the place of."""
        yield from entry_lines(self.item)
        if self.item.id == self.before:
            yield "nothing had to change"
        else:
            yield f"in place of {self.before}; take it back: `agentctx memory undo`"


class Spend(NamedTuple):
    """What models cost in US dollars, and may; None where the store cannot be read."""

    today_usd: float | None
    total_usd: float | None
    session_cap_usd: float
    day_cap_usd: float


def spend(call: Call) -> Spend:
    """Say what models cost so far, for records and memory together."""
    config = read_config(home())
    caps = config.number("spendPerSession"), config.number("spendPerDay")
    try:
        with open_for_reading(call) as opened:
            spent = tokens_and_cost(opened.store.db, opened.project_id, now=call.now)
    except STORE_ERRORS:
        return Spend(None, None, *caps)
    return Spend(spent.today_usd, spent.usd, *caps)


def note_waiting(call: Call, root: str) -> None:
    """Let the worker know that this memory has jobs; tell where that fails."""
    asks = key_and_place(environment()).key is not None
    try:
        with open_for_reading(call) as opened, opened.store.writing() as tx:
            note_memory(tx, root, asks=asks, now=call.now)
    except STORE_ERRORS as error:
        call.notify(error.code, f"{error}; {error.hint}")


def waits(call: Call, told: str | None = None) -> str | None:
    """Say by a code why jobs wait: what a pass was told, else what can be seen now."""
    if told is not None:
        return told
    config = read_config(home())
    access = key_and_place(environment())
    if not config.flag("llm"):
        return LLM_OFF
    if access.key is None:
        return NO_KEY
    try:
        checked_key(access.key)
        checked_place(access.base_url)
    except (ModelKeyError, ModelPlaceError) as error:
        return error.code
    return DAY_CAP if _is_spent(call, config) else None


def waits_lines(code: str | None) -> Iterator[str]:
    """Say the same in words."""
    if code is not None:
        yield WAITS.get(code, f"they wait because of {code}")


def add_seconds(
    parser: argparse.ArgumentParser, name: str, usual: float, about: str
) -> None:
    """Declare an option that is a number of seconds."""
    parser.add_argument(
        name,
        metavar="S",
        type=_seconds,
        default=usual,
        help=f"{about}, in seconds, 0 to {LONGEST_WAIT:g} (default: {usual:g})",
    )


def _seconds(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not 0 <= found <= LONGEST_WAIT:
        told = f"`{text[:40]}` is no number of seconds from 0 to {LONGEST_WAIT:g}"
        raise argparse.ArgumentTypeError(told)
    return found


def _is_spent(call: Call, config: Config) -> bool:
    """Say whether not even the shortest question fits into what is left of the day."""
    from agentctx.extraction.memory.opening import least_cost  # noqa: PLC0415 - seldom

    try:
        with open_for_reading(call) as opened:
            today = spent_on(opened.store.db, call.now)
    except STORE_ERRORS:
        return False
    return today + least_cost(config) > config.number("spendPerDay")
