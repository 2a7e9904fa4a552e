"""The tables are those of the specification, and refuse what they must (A2.1, A2.2)."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from agentctx.errors import BodyError, FieldError, TitleError
from agentctx.ids import Ids, is_record_id, moment_of_id
from agentctx.records.model import TYPES
from agentctx.records.write import add_record
from tests.agentctx.facts import HERE, add, fact
from tests.recorded import Counted, store_at

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from agentctx.records.store import Store

COLUMNS = {
    "records": "id project_id type title body scope pinned confidence reinforce_count"
    " valid_from recorded_at superseded_at superseded_by access_count last_accessed"
    " score claudemd_drift_score source session_id pending_embedding",
    "nodes": "id project_id kind name",
    "edges": "id from_id to_id rel_type weight",
    "record_entities": "record_id entity_id",
    "sessions": "session_id project_id started_at ended_at tokens_injected"
    " extraction_cost_usd",
}
"""The tables of the specification."""

GOOD = {
    "id": "0" * 26,
    "project_id": "p",
    "type": "decision",
    "title": "T",
    "body": "B",
    "valid_from": "2026-01-01T00:00:00.000Z",
    "recorded_at": "2026-01-01T00:00:00.000Z",
    "source": "cli",
}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with store_at(tmp_path / "home") as opened:
        yield opened


def insert(store: Store, **values: object) -> None:
    row = {**GOOD, **values}
    names, marks = ", ".join(row), ", ".join("?" * len(row))
    statement = f"INSERT INTO records ({names}) VALUES ({marks})"  # noqa: S608 - names
    store.db.execute(statement, tuple(row.values()))


@pytest.mark.requirement("A2.1")
@pytest.mark.parametrize("table", COLUMNS)
def test_a_table_has_the_columns_of_the_specification(store: Store, table: str) -> None:
    rows = store.db.execute("SELECT name FROM pragma_table_info(?)", (table,))
    assert [row[0] for row in rows] == COLUMNS[table].split()


@pytest.mark.requirement("A2.1")
def test_every_table_is_strict_and_full_text_has_records_as_content(
    store: Store,
) -> None:
    loose = store.db.execute(
        "SELECT name FROM pragma_table_list WHERE type = 'table' AND NOT strict"
        " AND schema = 'main' AND name <> 'sqlite_schema'"
    ).fetchall()
    assert loose == []
    (made,) = store.db.execute(
        "SELECT sql FROM sqlite_schema WHERE name = 'records_fts'"
    ).fetchone()
    assert "content=records" in made


@pytest.mark.requirement("A2.1")
@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("type", "fact"),
        ("scope", "everywhere"),
        ("confidence", "sure"),
        ("source", "web"),
        ("pinned", 2),
        ("pinned", "yes"),
        ("title", ""),
        ("title", "x" * 121),
        ("body", ""),
        ("body", "x" * 2001),
        ("id", None),
        ("project_id", None),
        ("valid_from", None),
        ("recorded_at", None),
        ("reinforce_count", "many"),
        ("score", "high"),
    ],
)
def test_plain_sql_cannot_write_what_the_types_exclude(
    store: Store, column: str, value: object
) -> None:
    insert(store)
    with pytest.raises(sqlite3.IntegrityError):
        insert(store, **{"id": "1" * 26, column: value})


@pytest.mark.requirement("A2.1")
def test_a_record_cannot_point_to_one_that_there_is_not(store: Store) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        insert(store, superseded_by="2" * 26, superseded_at="x")


@pytest.mark.requirement("A2.1")
def test_defaults_are_those_of_the_specification(store: Store) -> None:
    insert(store)
    row = store.db.execute("SELECT * FROM records").fetchone()
    wanted = {
        "scope": "project",
        "pinned": 0,
        "confidence": "inferred",
        "reinforce_count": 0,
        "access_count": 0,
        "score": 1.0,
        "claudemd_drift_score": 0.0,
        "pending_embedding": 1,
    }
    assert {name: row[name] for name in wanted} == wanted


@pytest.mark.requirement("A2.2")
def test_there_are_seven_types(store: Store) -> None:
    assert len(TYPES) == 7
    for number, name in enumerate(TYPES):
        add(store, f"Fact {number}", type=name)
    with pytest.raises(FieldError):
        add(store, "Fact", type="fact")


@pytest.mark.requirement("A2.2")
@pytest.mark.parametrize(
    "title",
    [
        *("", "  ", "x" * 121, "a\nb", "a\rb", "a\x00b", "a\u2028b", "a\u202eb"),
        *("\ufeff", "a\u061cb", "pass\u200dword", "\u0645\u200c", "\u200c\u0645"),
        *("\u0645\u200c\u200d\u0645", "\U0001f468\u200c\U0001f469", "\u0645\u200d 1"),
    ],
    ids=ascii,
)
def test_a_title_is_one_short_line(store: Store, title: str) -> None:
    with pytest.raises(TitleError):
        add_record(store, HERE, fact(title, "Body"))


@pytest.mark.requirement("A2.2")
@pytest.mark.parametrize(
    "title",
    [
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "API\u200c\u0647\u0627",
        "\u0915\u094d\u200d\u0937",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        "\U0001f469\U0001f3fd\u200d\U0001f680",
        "\u2764\ufe0f\u200d\U0001f525",
        "\U0001f642\u200d\u2194\ufe0f",
    ],
    ids=["Persian", "mixed", "Hindi", "family", "astronaut", "heart", "arrow"],
)
def test_a_title_may_join_letters_and_emoji(store: Store, title: str) -> None:
    assert add_record(store, HERE, fact(title, "Body")).record.title == title


@pytest.mark.requirement("A2.2")
def test_a_character_that_a_title_may_not_hold_is_named(store: Store) -> None:
    with pytest.raises(TitleError) as refused:
        add_record(store, HERE, fact("wind\u202eup", "Body"))
    reason = str(refused.value.facts["reason"])
    assert "U+202E" in reason
    assert "5" in reason


@pytest.mark.requirement("A2.2")
@pytest.mark.parametrize("body", ["", " \n ", "x" * 2001, "a\x00b", "a\x1bb"])
def test_a_body_is_one_to_two_thousand_characters(store: Store, body: str) -> None:
    with pytest.raises(BodyError):
        add_record(store, HERE, fact("Title")._replace(body=body))


@pytest.mark.requirement("A2.2")
def test_the_largest_record_fits_in_every_script(store: Store) -> None:
    for letter in "aж字😀":
        record = add(store, letter * 120, letter * 2000)
        assert (len(record.title), len(record.body)) == (120, 2000)


@pytest.mark.requirement("A2.2")
def test_a_size_outside_the_target_is_a_warning_only(store: Store) -> None:
    warned = [
        add_record(store, HERE, fact(f"Title {size}", "word " * size)).warnings
        for size in (5, 100, 399)
    ]
    assert warned == [("SHORT",), (), ("LONG",)]


@pytest.mark.requirement("A2.2")
def test_ids_grow_whatever_the_clock_does() -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    moments = [start + timedelta(seconds=step) for step in (0, 0, 0, -3600, 1, 1, -1)]
    ids = Ids(iter(moments).__next__, Counted())
    made = [ids.new() for _ in moments]
    assert made == sorted(set(made))
    assert all(map(is_record_id, made))
    assert moment_of_id(made[0]) == start


@pytest.mark.requirement("A2.2")
def test_the_largest_randomness_of_a_millisecond_still_grows() -> None:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    ids = Ids(lambda: moment, lambda size: b"\xff" * size)
    made = [ids.new() for _ in range(5)]
    assert made == sorted(set(made))
