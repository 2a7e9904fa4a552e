"""No tool shows a secret or a hidden character, whoever wrote it where (A10.1)."""

from __future__ import annotations

import json
import sqlite3
from typing import TYPE_CHECKING

import pytest

from tests.agentctx.mcp.serving import call, desk_at, record

if TYPE_CHECKING:
    from pathlib import Path

    from agentctx.mcp.desk import Desk

pytestmark = pytest.mark.requirement("A10.1")

TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"


def test_no_field_of_a_row_shows_a_secret(desk: Desk) -> None:
    known = record(desk, files=["src/a.py"])
    planted = f"\u202e{TOKEN}"
    db = sqlite3.connect(f"{desk.place.home}/agentctx.db", isolation_level=None)
    for change in (
        "UPDATE records SET session_id = ?1, valid_from = ?1, last_accessed = ?1",
        "UPDATE provenance SET key = ?1, rationale = ?1, quote = ?1",
        "UPDATE nodes SET name = ?1",
    ):
        db.execute(change, (planted,))
    db.close()
    answer = call(desk, "ctx_get", {"ids": [known]})
    shown = json.dumps(answer.value, ensure_ascii=False)
    assert answer.value["records"][0]["key"]
    assert TOKEN not in shown + answer.text
    assert "\u202e" not in shown


def test_the_name_of_a_project_shows_no_secret(tmp_path: Path) -> None:
    project = tmp_path / TOKEN
    project.mkdir()
    answer = call(desk_at(tmp_path / "home", project), "ctx_project")
    assert not answer.failed
    assert TOKEN not in json.dumps(answer.value) + answer.text


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("ctx_get", {"ids": ["?"]}),
        ("ctx_get", {"ids": ["01"], "as_of": "?"}),
        ("ctx_search", {"query": "x", "type": "?"}),
        ("ctx_search", {"query": "x", "valid_at": "?"}),
        ("ctx_search", {"query": "x", "?": 1}),
        ("ctx_supersede", {"old_id": "?", "new_body": "b", "rationale": "r"}),
        ("ctx_record", {"type": "?", "title": "t", "body": "b"}),
        ("ctx_record", {"type": "decision", "title": "t", "body": "b", "scope": "?"}),
        ("ctx_record", {"type": "decision", "title": "t", "body": "b",
                        "supersedes": "?"}),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "text", [TOKEN, f"x {TOKEN}", "long " * 100, "\u202e\x1b[2J" + "y" * 50]
)
def test_what_a_caller_gave_is_told_back_in_short(
    desk: Desk, tool: str, arguments: dict[str, object], text: str
) -> None:
    given = json.loads(json.dumps(arguments).replace('"?"', json.dumps(text)))
    answer = call(desk, tool, given)
    shown = json.dumps(answer.value, ensure_ascii=False)
    assert TOKEN[:30] not in shown + answer.text
    assert "\u202e" not in shown
    assert text[:41] not in shown or text == TOKEN
