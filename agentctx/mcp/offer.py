"""What a server of ours offers a client: its words, its tools, and how they fail.

The server of records and that of memory are one kind of server; they differ in these
values alone.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from agentctx.mcp import roots
from agentctx.mcp.cleaned import failure_of
from corpus.mcp import host
from corpus.mcp.arguments import checked

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from agentctx.mcp.schemas import Schema
    from agentctx.mcp.whereabouts import Whereabouts
    from corpus.errors import CodedError
    from corpus.mcp.offer import Answer, Effect

DeskT = TypeVar("DeskT", bound="Whereabouts")


class Tool(NamedTuple, Generic[DeskT]):
    """One tool, called at a desk."""

    name: str
    title: str
    description: str
    takes: Schema
    gives: Schema
    effect: Effect
    run: Callable[[DeskT, Mapping[str, Any]], Answer]

    def output_schema(self) -> Schema:
        """Give the schema that every successful result fits."""
        return self.gives


class Offer(NamedTuple, Generic[DeskT]):
    """A server's words and tools.

    `bounded` are the arguments whose bounds the store's own errors tell better than a
    schema; `store_errors` are those that leave an answer poorer and are told as such.
    """

    name: str
    title: str
    instructions: str
    tools: Collection[Tool[DeskT]]
    bounded: frozenset[str]
    store_errors: tuple[type[CodedError], ...]


def serving(offer: Offer[DeskT], desk: DeskT) -> host.Serving:
    """Give what is served of an offer at a desk."""
    named = {tool.name: tool for tool in offer.tools}

    def call(name: str, given: Mapping[str, Any]) -> Answer:
        tool = named[name]
        return tool.run(desk, checked(tool.takes, given, bounded=offer.bounded))

    return host.Serving(
        name=offer.name,
        title=offer.title,
        instructions=offer.instructions,
        names=named,
        offered=lambda: offer.tools,
        call=call,
        failure=partial(failure_of, store_errors=offer.store_errors),
        meet=roots.asking(desk),
        terse=True,
    )
