"""Candidates that wait in the inbox of a test's corpus, and what is decided of them."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from corpus.acceptance import Wording, accept, entries_of, reject
from corpus.inbox import change_inbox
from corpus.submission import from_file
from corpus.view import open_project
from tests.corpora import HOME, dirs_of
from tests.published_inbox import EARLIER
from tests.trusted import hash_of, writer_of

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from corpus import inbox
    from corpus.errors import CodedError

PROJECT = f"{HOME}/state/PROJECT.md"
NOW = datetime(2026, 2, 1, 12, tzinfo=UTC)


def candidate(root: Path, **changed: object) -> dict[str, Any]:
    value = {
        "schema_version": "1",
        "candidate_id": "rain-at-stations",
        "project_id": "demo-one",
        "kind": "semantic_fact",
        "statement": "Rainfall is measured at twelve stations.",
        "source_refs": [
            {
                "source_path": PROJECT,
                "source_sha256": hash_of(root / PROJECT),
                "line_start": 9,
            }
        ],
        "created_at": "2026-01-05T12:00:00Z",
        "status": "candidate",
    }
    return {**value, **changed}


def put(root: Path, value: dict[str, Any]) -> inbox.Entry:
    project = open_project(root, dirs=dirs_of(root))
    made = from_file(project, value, now=EARLIER)
    with change_inbox(
        "demo-one", state=dirs_of(root).state, random=os.urandom
    ) as opened:
        return opened.add(made.entry)


def take(root: Path, name: str, wording: Wording | None = None) -> inbox.Entry:
    with writer_of(root) as writer:
        done = accept(writer, name, wording or Wording(), dirs=dirs_of(root))
    return done.entry


def turn_down(root: Path, name: str, reason: str = "It is not so.") -> inbox.Entry:
    state = dirs_of(root).state
    return reject(root, name, reason, state=state, now=NOW, random=os.urandom)


def state_of(root: Path, name: str = "rain-at-stations") -> str:
    entries, damaged = entries_of(root, state=dirs_of(root).state)
    assert damaged == ()
    return next(one.state for one in entries if one.id == name)


def code_of(caught: pytest.ExceptionInfo[CodedError]) -> str:
    return caught.value.code
