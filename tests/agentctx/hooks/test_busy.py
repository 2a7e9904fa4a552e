"""A held store keeps no session waiting, and nothing is lost (A4.1, A2.10)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from agentctx.hooks.app import PATIENCE_FOR
from agentctx.records.transcripts import waiting
from corpus.tokens import injection_tokens
from tests.agentctx.hooked import SESSION, Client, became, context, start_hook
from tests.agentctx.spoken import transcript

if TYPE_CHECKING:
    from pathlib import Path

    from tests.agentctx.hooks.conftest import Desk

PROMPT = "how long does the uploader wait when it retries?"


@pytest.mark.requirement("A4.1", "A2.10")
def test_a_held_store_delays_no_answer_and_the_count_follows(
    client: Client, desk: Desk
) -> None:
    desk.keep("The uploader retries", "It waits 2, 4 and 8 seconds.")
    with desk.store.writing():
        started = time.monotonic()
        run = start_hook(
            "user-prompt-submit",
            client.payload("user-prompt-submit", prompt=PROMPT),
            client.home,
        )
        lasted = time.monotonic() - started
    text = context(run.stdout.decode())
    assert "8 seconds" in text
    assert lasted < PATIENCE_FOR["user-prompt-submit"] + 2

    def counted() -> bool:
        query = "SELECT tokens_injected FROM sessions WHERE session_id = ?"
        row = desk.store.db.execute(query, (SESSION,)).fetchone()
        return row is not None and row[0] == injection_tokens(text)

    assert became(counted)


@pytest.mark.requirement("A4.5", "A2.10")
def test_a_sessions_end_behind_a_held_store_is_kept(
    client: Client, desk: Desk, tmp_path: Path
) -> None:
    said = transcript(tmp_path, client.cwd, SESSION).turn("Use SQLite")
    payload = client.payload("session-end", transcript_path=str(said.path))
    with desk.store.writing():
        run = start_hook("session-end", payload, client.home)
    assert (run.returncode, run.stdout, run.stderr) == (0, b"", b"")

    def kept() -> bool:
        query = "SELECT ended_at FROM sessions WHERE session_id = ?"
        row = desk.store.db.execute(query, (SESSION,)).fetchone()
        return row is not None and row[0] is not None

    assert became(kept)
    assert became(lambda: not waiting(desk.store.db))  # the worker was woken, too
