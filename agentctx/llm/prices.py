"""What tokens cost: a dated table, and the cost of an answer by it.

The figures are the public list prices of Anthropic's own API as of 2026-10-24, from
its page "Pricing" (platform.claude.com/docs/en/about-claude/pricing): US dollars for a
million tokens, cache writes for five minutes. Discounts, batches, other clouds and
gateways with prices of their own are not in it: settings can give two numbers instead.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from agentctx.llm.model import Usage

AS_OF = "2026-10-24"
SOURCE = "platform.claude.com/docs/en/about-claude/pricing"

_MILLION = 1_000_000
_DATED = re.compile(r"(?:-\d{8}|@\d{8}|-latest)?\Z")


class Price(NamedTuple):
    """US dollars for a million tokens.

    `longer` is what every token of a question costs whose prompt has more than
    `long_prompt` tokens, whatever the cache held of it.
    """

    read: float
    written: float
    cache_write: float
    cache_read: float
    long_prompt: int = 0
    longer: tuple[float, float, float, float] | None = None

    def at(self, prompt_tokens: int) -> Price:
        """Give the price for a prompt of that size."""
        if self.longer is None or prompt_tokens <= self.long_prompt:
            return self
        return Price(*self.longer)


PRICES: dict[str, Price] = {
    "claude-haiku-5-5": Price(
        0.10, 0.50, 0.125, 0.01, 100_000, (0.50, 2.50, 0.625, 0.05)
    ),
    "claude-haiku-4-5": Price(1.0, 5.0, 1.25, 0.10),
    "claude-3-5-haiku": Price(0.80, 4.0, 1.0, 0.08),
    "claude-sonnet-5-5": Price(2.0, 10.0, 2.50, 0.10),
    "claude-sonnet-5": Price(2.0, 10.0, 2.50, 0.20),
    "claude-sonnet-4-6": Price(3.0, 15.0, 3.75, 0.30),
    "claude-sonnet-4-5": Price(3.0, 15.0, 3.75, 0.30),
    "claude-opus-5-5": Price(4.0, 20.0, 5.0, 0.20),
    "claude-opus-5": Price(5.0, 25.0, 6.25, 0.50),
    "claude-opus-4-8": Price(5.0, 25.0, 6.25, 0.50),
    "claude-opus-4-7": Price(5.0, 25.0, 6.25, 0.50),
    "claude-opus-4-6": Price(5.0, 25.0, 6.25, 0.50),
    "claude-opus-4-5": Price(5.0, 25.0, 6.25, 0.50),
    "claude-opus-4-1": Price(15.0, 75.0, 18.75, 1.50),
    "claude-fable-5-1": Price(10.0, 50.0, 12.50, 0.25),
    "claude-fable-5": Price(10.0, 50.0, 12.50, 1.0),
    "claude-mythos-5-1": Price(10.0, 50.0, 12.50, 0.25),
    "claude-mythos-5": Price(10.0, 50.0, 12.50, 1.0),
}

DEAREST = max(PRICES.values(), key=lambda price: (price.written, price.cache_read))
"""What a model costs that the table does not know: caps hold whatever it is."""

CACHE_WRITE = 1.25
CACHE_READ = 0.10
"""How caching costs where settings give only two prices: as in nearly every row."""


def is_price_known(model: str, given: tuple[float, float] | None = None) -> bool:
    """Say whether costs are real ones and not those of the dearest model."""
    return _is_price(given) or _row(model) is not None


def price_of(model: str, given: tuple[float, float] | None = None) -> Price:
    """Give what a model costs; a date at the end of its name makes no difference.

    Two numbers that settings give come first; what is no price is not taken.
    """
    if given is not None and _is_price(given):
        read, written = given
        return Price(read, written, read * CACHE_WRITE, read * CACHE_READ)
    return _row(model) or DEAREST


def cost_of(usage: Usage, price: Price) -> float:
    """Give what the tokens of one answer cost in US dollars."""
    held = price.at(usage.prompt_tokens)
    millionths = (
        usage.input_tokens * held.read
        + usage.output_tokens * held.written
        + usage.cache_write_tokens * held.cache_write
        + usage.cache_read_tokens * held.cache_read
    )
    return millionths / _MILLION


def most_cost_of(prompt_tokens: int, max_tokens: int, price: Price) -> float:
    """Give what one answer may cost at most: all of the prompt dear, all written."""
    held = price.at(prompt_tokens)
    read = max(held.read, held.cache_write)
    return (prompt_tokens * read + max_tokens * held.written) / _MILLION


def _row(model: str) -> Price | None:
    name = _DATED.sub("", model, count=1)
    return PRICES.get(name)


def _is_price(given: tuple[float, float] | None) -> bool:
    return given is not None and all(
        math.isfinite(number) and number >= 0 for number in given
    )
