"""What is asked of a model and what comes back, whichever model it is.

Whoever talks to a model takes a `Model`; nothing here knows a client or a network.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping


class Ask(NamedTuple):
    """One question: the rules, the text, and the JSON Schema of the answer.

    `system` is the same for every question of a kind, so that the service can keep it.
    `purpose` names the kind, for accounts; it is not sent.
    """

    system: str
    text: str
    schema: Mapping[str, object]
    max_tokens: int
    purpose: str


class Usage(NamedTuple):
    """The tokens that the service counted."""

    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int

    @property
    def prompt_tokens(self) -> int:
        """Everything that was read, kept by the service or not."""
        return self.input_tokens + self.cache_read_tokens + self.cache_write_tokens


class Reply(NamedTuple):
    """What a model answered.

    `value` is JSON as Python holds it: no NaN, no repeated key, no whole number beyond
    64 bits, nested at most 64 deep. It need not fit the schema: whoever asked checks.
    `cost_usd` holds, beside what `usage` cost, the most that attempts may have cost
    whose answer never came.
    """

    value: object
    usage: Usage
    cost_usd: float
    model: str


class Model(Protocol):
    """A model that answers with JSON; usable from several threads at once."""

    @property
    def name(self) -> str:
        """The name it is asked for by."""

    def complete(self, ask: Ask) -> Reply:
        """Answer, or raise an `agentctx.errors.ModelError`."""

    def most_cost(self, ask: Ask) -> float:
        """Say how many US dollars an answer may cost at most, before asking."""


class ModelSettings(NamedTuple):
    """Which model, and how long and how often it is tried.

    `timeout` bounds a whole `complete` in seconds, waits included; `attempt` bounds one
    try of it. `prices` are US dollars for a million tokens, read and written, where the
    table does not hold.
    """

    model: str
    timeout: float = 180.0
    attempt: float = 90.0
    retries: int = 2
    prices: tuple[float, float] | None = None
