"""What did we believe on that date, and what was true then: on the command line."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

import pytest

from agentctx.records.model import NewRecord, Replacement
from agentctx.records.write import add_record, supersede_record
from tests.agentctx.answers import answer, namespace, refusal
from tests.recorded import Ticking, store_at

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import InProcess

QUERY = "which database do the readings use"


class Told(NamedTuple):
    """The two versions of one fact."""

    sqlite: str
    postgres: str


@pytest.fixture
def told(store_home: Path, project: Path) -> Told:
    """Tell in March what was so since January, and in June that it is so no more.

    The second version is true from its recording on, as every supersession is.
    """
    clock = Ticking(datetime(2026, 3, 10, 9, tzinfo=UTC))
    own = namespace(project)
    with store_at(store_home, clock) as store:
        new = NewRecord(
            type="decision",
            title="The readings use the SQLite database",
            body="One file is enough for one station.",
            source="cli",
            valid_from="2026-01-05T00:00:00.000Z",
        )
        first = add_record(store, own, new).record
        clock.now = datetime(2026, 6, 20, 9, tzinfo=UTC)
        second = supersede_record(
            store,
            own,
            first.id,
            Replacement(
                title="The readings use the Postgres database",
                body="There are forty stations now.",
                rationale="One file was locked too often.",
                source="cli",
                trust="developer",
            ),
        ).record
    return Told(first.id, second.id)


def found(agentctx: InProcess, *words: str) -> list[str]:
    value = answer(agentctx("search", QUERY, *words))
    assert value["degraded"] is None
    return [one["id"] for one in value["results"]]


@pytest.mark.requirement("A1.3", "A2.7")
def test_a_search_finds_what_is_current(agentctx: InProcess, told: Told) -> None:
    assert found(agentctx) == [told.postgres]


@pytest.mark.requirement("A2.7", "A9")
@pytest.mark.parametrize(
    ("date", "expected"),
    [
        pytest.param("2026-03-09", None, id="before anything was recorded"),
        pytest.param("2026-03-10", "sqlite", id="on the day of the recording"),
        pytest.param("2026-03-10T08:00:00Z", None, id="an hour before"),
        pytest.param("2026-06-19", "sqlite", id="the day before the change"),
        pytest.param("2026-06-20", "postgres", id="on the day of the change"),
        pytest.param("2026-06-20T10:30:00+02:00", "sqlite", id="half an hour before"),
        pytest.param("2027-01-01", "postgres", id="afterwards"),
    ],
)
def test_what_was_believed_on_a_date(
    agentctx: InProcess, told: Told, date: str, expected: str | None
) -> None:
    wanted = [] if expected is None else [getattr(told, expected)]
    assert found(agentctx, "--as-of", date) == wanted


@pytest.mark.requirement("A2.7", "A9")
@pytest.mark.parametrize(
    ("date", "expected"),
    [
        pytest.param("2026-01-04", None, id="before it was true"),
        pytest.param("2026-01-05", "sqlite", id="since when it was true"),
        pytest.param("2026-02-01", "sqlite", id="true before anybody recorded it"),
        pytest.param("2026-06-19", "sqlite", id="the day before the change"),
        pytest.param("2026-06-20", "postgres", id="on the day of the change"),
    ],
)
def test_what_was_true_on_a_date(
    agentctx: InProcess, told: Told, date: str, expected: str | None
) -> None:
    wanted = [] if expected is None else [getattr(told, expected)]
    assert found(agentctx, "--valid-at", date) == wanted


@pytest.mark.requirement("A2.7", "A9")
def test_what_was_believed_then_about_what_was_true_then(
    agentctx: InProcess, told: Told
) -> None:
    late = ("--valid-at", "2026-07-01")
    assert found(agentctx, *late) == [told.postgres]
    assert found(agentctx, *late, "--as-of", "2026-05-01") == [told.sqlite]
    assert found(agentctx, "--valid-at", "2026-02-01", "--as-of", "2026-02-01") == []


@pytest.mark.requirement("A2.7", "A9")
@pytest.mark.parametrize("version", Told._fields)
def test_a_history_has_every_version_with_both_times(
    agentctx: InProcess, told: Told, version: str
) -> None:
    value = answer(agentctx("history", getattr(told, version)))
    assert value["head"] == told.postgres
    times = [
        (one["id"], one["valid_from"][:10], one["recorded_at"][:10])
        for one in value["versions"]
    ]
    assert times == [
        (told.sqlite, "2026-01-05", "2026-03-10"),
        (told.postgres, "2026-06-20", "2026-06-20"),
    ]
    assert value["versions"][0]["superseded_by"] == told.postgres
    assert value["versions"][1]["rationale"] == "One file was locked too often."
    text = agentctx("history", getattr(told, version), terminal=True).out
    assert text.index("SQLite") < text.index("Postgres")
    assert "2026-01-05" in text


@pytest.mark.requirement("A2.7", "A9")
def test_show_gives_the_history_when_asked(agentctx: InProcess, told: Told) -> None:
    alone = answer(agentctx("show", told.sqlite))
    assert alone["record"]["id"] == told.sqlite
    assert alone["head"] == told.postgres
    assert "history" not in alone
    whole = answer(agentctx("show", told.sqlite, "--history"))
    assert [one["id"] for one in whole["history"]] == [told.sqlite, told.postgres]


@pytest.mark.requirement("A9", "A5.2")
def test_a_result_is_an_entry_and_never_a_body(agentctx: InProcess, told: Told) -> None:
    value = answer(agentctx("search", QUERY))
    (entry,) = value["results"]
    assert {"id", "type", "title", "age", "confidence", "score"} <= set(entry)
    assert "body" not in entry
    assert "forty stations" not in agentctx("search", QUERY, terminal=True).out
    assert entry["id"] == told.postgres


@pytest.mark.requirement("A9")
def test_a_search_is_limited_as_it_was_told(agentctx: InProcess) -> None:
    folder_words = ("--file", "src/wind.py")
    wind = answer(agentctx("add", "discovery", "The wind turns", *folder_words))
    answer(agentctx("add", "decision", "The wind is measured"))
    answer(agentctx("add", "preference", "The wind, always", "--scope", "global"))

    def results(*words: str) -> list[str]:
        value = answer(agentctx("search", "wind", *words))
        return [one["type"] for one in value["results"]]

    assert sorted(results()) == ["decision", "discovery", "preference"]
    assert results("--type", "decision") == ["decision"]
    assert results("--scope", "global") == ["preference"]
    assert results(*folder_words) == [wind["record"]["type"]]
    assert len(results("--limit", "2")) == 2


@pytest.mark.requirement("A9")
def test_a_search_without_words_lists_the_newest_first(agentctx: InProcess) -> None:
    about = ("--file", "src/wind.py")
    old = answer(agentctx("add", "discovery", "The wind turns", *about))["record"]
    new = answer(agentctx("add", "decision", "Rain falls", *about))["record"]
    answer(agentctx("add", "decision", "The sun is bright"))
    found = answer(agentctx("search", *about))
    assert [one["id"] for one in found["results"]] == [new["id"], old["id"]]
    assert "file_records" not in found
    found = answer(agentctx("search", "--type", "discovery"))
    assert [one["id"] for one in found["results"]] == [old["id"]]
    found = answer(agentctx("search", "sunshine", *about))
    assert (found["results"], found["file_records"]) == ([], 2)
    assert "2 records" in agentctx("search", "sunshine", *about, terminal=True).out
    for words in ((), ("--limit", "3"), ("", *about)):
        assert refusal(agentctx("search", *words)) == "QUERY_EMPTY_TEXT"


@pytest.mark.requirement("A9", "A10.2")
def test_a_result_says_when_and_how_far_it_can_be_relied_on(
    agentctx: InProcess, store_home: Path, project: Path
) -> None:
    title = "The readings of every station are kept for as long as anybody asks them"
    soon = ("--valid-from", "2199-05-02")
    made = answer(agentctx("add", "decision", title, *soon))["record"]
    with store_at(store_home) as store:
        noted = NewRecord(
            type="decision", title="Readings", body="Kept.", source="mcp_tool",
            trust="model",
        )  # fmt: skip
        add_record(store, namespace(project), noted)
    entries = {
        one["title"]: one for one in answer(agentctx("search", "readings"))["results"]
    }
    assert entries[title]["valid_from"] == made["valid_from"]
    assert entries[title]["recorded_at"] == made["recorded_at"]
    assert entries[title]["standing"] == "explicit"
    assert entries["Readings"]["standing"] == "noted by the agent"
    assert entries["Readings"]["by"] == "agent"
    text = agentctx("search", "readings", terminal=True).out
    assert "from 2199-05-02" in text
    assert "noted by the agent" in text
    history = agentctx("history", made["id"], terminal=True).out
    assert "developer, by cli" in history


@pytest.mark.requirement("A2.9", "A9")
def test_a_deletion_names_the_other_versions_or_takes_them_all(
    agentctx: InProcess, told: Told
) -> None:
    gone = answer(agentctx("delete", told.postgres[-8:], "--yes"))
    assert (gone["deleted"], gone["other_versions"]) == ([told.postgres], [told.sqlite])
    ended = agentctx("edit", told.sqlite, "--body", "One file again.")
    assert refusal(ended) == "RECORD_ENDED"
    assert answer(agentctx("undo"))["restored"] == [told.postgres]
    text = agentctx("delete", told.sqlite, "--yes", "--format", "text").out
    assert told.postgres in text
    answer(agentctx("undo"))
    gone = answer(agentctx("delete", told.sqlite, "--all-versions", "--yes"))
    assert gone["deleted"] == [told.sqlite, told.postgres]
    assert gone["other_versions"] == []
    assert found(agentctx) == []
    back = answer(agentctx("undo"))
    assert back["restored"] == [told.sqlite, told.postgres]
    assert back["record"]["id"] == told.sqlite
    assert found(agentctx) == [told.postgres]
