"""What became of one attempt that brought no answer, and what it means for the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from agentctx.errors import ModelError


class Failure(NamedTuple):
    """An attempt that failed.

    `again` says that the same question may succeed at once or a little later; `billed`
    that it may be charged although no answer came. `doubts` are the fields of
    `agentctx.llm.question` that the service may have stumbled over.
    """

    error: ModelError
    again: bool = False
    billed: bool = False
    doubts: frozenset[str] = frozenset()
