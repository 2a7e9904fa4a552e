"""`agentctx memory …` run in this process, in a project whose memory tests fill."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from corpus.cli.call import Call
from tests.agentctx.memory.memories import TABS, believe, memory_at
from tests.published_formats import EXPORTS, problems

if TYPE_CHECKING:
    from datetime import datetime

    from agentctx.memory.model import Item
    from tests.agentctx.llm.fakeapi import FakeApi
    from tests.conftest import InProcess

Json = dict[str, Any]

FORMATS = frozenset(path.name for path in EXPORTS.iterdir())
KEY = "sk-ant-api03-a-key-that-nobody-may-see"


class Ask(Protocol):
    """`ask(*words)`: run a command of memory; give the JSON that it prints."""

    def __call__(self, *words: str) -> Json: ...


class LetAsk(Protocol):
    """`let_ask(api)`: let commands ask a model from now on."""

    def __call__(self, api: FakeApi) -> None: ...


def call_at(now: datetime) -> Call:
    """Give what a command is run with where nobody looks on, and no time passes."""
    return Call(
        now=now,
        clock=lambda: now,
        format="json",
        interactive=False,
        progress=lambda _done, _total, _label: None,
        random=os.urandom,
        write_json=lambda _: None,
        write_lines=lambda _: None,
        asks=False,
        confirm=lambda _: False,
        notify=lambda _code, _text: None,
    )


@pytest.fixture(autouse=True)
def nobody_to_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no model be asked, and memory be on, whatever the machine says."""
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "AGENTCTX_MEMORY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def ask(agentctx: InProcess) -> Ask:
    """Run a command that ends well; what has a published format has to fit it."""

    def run(*words: str) -> Json:
        done = agentctx("memory", *words)
        assert done.status == 0, done.err
        value: Json = json.loads(done.out)
        name = f"memory-{words[0]}"
        if words[0] == "export":
            whole = json.loads(Path(value["path"]).read_bytes())
            assert problems(name, whole) == []
        elif name in FORMATS:
            assert problems(name, value) == []
        return value

    return run


@pytest.fixture
def refused(agentctx: InProcess) -> Ask:
    """Run a command that is refused; give its error."""

    def run(*words: str) -> Json:
        done = agentctx("memory", *words)
        assert (done.status, done.out) == (2, "")
        value: Json = json.loads(done.err.splitlines()[-1])
        return value

    return run


@pytest.fixture
def let_ask(monkeypatch: pytest.MonkeyPatch) -> LetAsk:
    """Give the key and the place of a model's service to commands."""

    def let(api: FakeApi) -> None:
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)

    return let


@pytest.fixture
def item(project: Path) -> Item:
    """Give the one item of the project's memory: a wish for tabs."""
    with memory_at(project) as store:
        (made,) = believe(store, TABS)
    return made
