"""A chat in this process: lines in, events out, a model that answers as told."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import pytest

from agentctx.cli.app import main
from tests.agentctx.chat.talking import Talk, Talking
from tests.conftest import caught

if TYPE_CHECKING:
    from pathlib import Path

    from tests.agentctx.llm.fakeapi import FakeApi


@pytest.fixture
def talking(
    project: Path, store_home: Path, monkeypatch: pytest.MonkeyPatch
) -> Talking:
    """Run `agentctx chat` in this process, in the project, at a fake service."""
    del store_home

    def run(api: FakeApi | None, *lines: str, options: tuple[str, ...] = ()) -> Talk:
        given = io.BytesIO("".join(f"{line}\n" for line in lines).encode())
        with monkeypatch.context() as patch:
            patch.chdir(project)
            patch.setattr(sys, "stdin", io.TextIOWrapper(given, encoding="ascii"))
            if api is not None:
                patch.setenv("ANTHROPIC_API_KEY", "sk-test")
                patch.setenv("ANTHROPIC_BASE_URL", api.url)
            return Talk(*caught(main, ("chat", *options), terminal=False))

    return run
