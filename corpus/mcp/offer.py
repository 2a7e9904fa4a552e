"""What a server offers: how a tool describes itself, and what a call of it gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    Schema = Mapping[str, Any]


class Answer(NamedTuple):
    """What a tool gives: the value, and a line for who sees only text."""

    value: dict[str, Any]
    line: str


class Effect(NamedTuple):
    """What calling a tool does, as its annotations say. None reaches the open world."""

    read_only: bool
    destructive: bool
    idempotent: bool


READS = Effect(read_only=True, destructive=False, idempotent=True)
CREATES = Effect(read_only=False, destructive=False, idempotent=False)
REPLACES = Effect(read_only=False, destructive=True, idempotent=False)


class Offered(Protocol):
    """A tool as a client is told of it."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def title(self) -> str:
        """What a person is shown."""

    @property
    def description(self) -> str:
        """What a model is told."""

    @property
    def takes(self) -> Schema:
        """The schema of its arguments."""

    @property
    def effect(self) -> Effect:
        """What calling it does."""

    def output_schema(self) -> Schema:
        """Give the schema that every successful result fits."""


def counted(number: int, one: str) -> str:
    """Write a number of things: `1 result`, `2 results`."""
    return f"{number} {one if number == 1 else f'{one}s'}"
