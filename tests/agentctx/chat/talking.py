"""What tests of the chat share: its events, its turns as they are kept, its model."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

from tests.agentctx.llm.fakeapi import Says
from tests.agentctx.memory.memories import SAID, memory_at
from tests.agentctx.memory.pipeline.minds import (
    creating,
    extracted,
    is_extraction,
    payload,
    tabs,
)
from tests.published_formats import problems

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tests.agentctx.llm.fakeapi import Asked, FakeApi

WISH = "Just this once, indent with tabs."
"""A wish for one answer, which nothing is to be kept of."""

LOCAL = "from now on indent with tabs."
"""The words that are left of a wish for one file, where it is quoted too short."""


class Talk(NamedTuple):
    """What a chat left: its exit status and both streams."""

    status: int
    out: str
    err: str

    @property
    def events(self) -> list[dict[str, Any]]:
        """Every event, in order; each is of the published format."""
        found = [json.loads(line) for line in self.out.splitlines()]
        assert [fault for one in found for fault in problems("chat-event", one)] == []
        return found

    def of(self, kind: str) -> list[dict[str, Any]]:
        """Give the events of one kind."""
        return [one for one in self.events if one["event"] == kind]

    @property
    def answers(self) -> list[str]:
        """The texts that were shown as answers."""
        return [one["text"] for one in self.of("answer")]

    @property
    def failures(self) -> list[str]:
        """The codes of what failed."""
        return [one["error"] for one in self.of("failure")]

    @property
    def notices(self) -> list[str]:
        """The codes of what was told besides."""
        return [one["code"] for one in self.of("notice")]


class Talking(Protocol):
    """`talking(api, *lines, options=())`: run a chat over some lines."""

    def __call__(
        self, api: FakeApi | None, *lines: str, options: tuple[str, ...] = ()
    ) -> Talk: ...


def minded(
    said: Sequence[Says] | Callable[[Asked], Says], *, extract: bool = True
) -> Callable[[Asked], Says]:
    """Give a model that talks as told, and finds the wish for tabs where it was said.

    Without `extract` its other answers find nothing.
    """
    given = iter(() if callable(said) else said)
    last = [Says(text="Understood.")]

    def answer(asked: Asked) -> Says:
        if is_talk(asked):
            if callable(said):
                return said(asked)
            last[0] = next(given, last[0])
            return last[0]
        if not is_extraction(asked):
            return creating(asked)
        words = (SAID, WISH, LOCAL) if extract else ()
        found = [
            tabs(
                turn["turn_id"],
                sources=[{"turn_id": turn["turn_id"], "role": "user", "quote": one}],
            )
            for turn in payload(asked)["turns"]
            for one in words
            if one in turn["user"]
        ]
        return Says(extracted(*found[:1], compaction="They spoke of tabs."))

    return answer


def is_talk(asked: Asked) -> bool:
    """Say whether a request is one of the chat itself."""
    return asked.body.get("stream") is True


def talks(api: FakeApi) -> list[Asked]:
    """Give the requests of the chat itself."""
    return [one for one in api.asked if is_talk(one)]


def messages(asked: Asked) -> list[tuple[str, str]]:
    """Give each message that was sent: whose, and its text."""
    found = cast("list[dict[str, Any]]", asked.body["messages"])
    return [
        (
            one["role"],
            "\n".join(
                str(block.get("text", block.get("content", block.get("name"))))
                for block in one["content"]
            ),
        )
        for one in found
    ]


def texts(asked: Asked) -> list[str]:
    """Give the texts that were sent, without the rules."""
    return [text for _, text in messages(asked)]


def kept(project: Path, columns: str = "state, user_text, assistant_text") -> list[Any]:
    """Give the turns as they are stored."""
    with memory_at(project) as store:
        rows = store.db.execute(
            f"SELECT {columns} FROM turns ORDER BY rowid"  # noqa: S608 - ours
        )
        return [tuple(row) for row in rows]


def items(project: Path) -> list[tuple[str, str]]:
    """Give the items: their ids and states."""
    with memory_at(project) as store:
        rows = store.db.execute("SELECT id, status FROM memory_items ORDER BY rowid")
        return [tuple(row) for row in rows]
