"""Records in a document: the same bytes every time, all of it or nothing of it."""

from __future__ import annotations

import copy
import json
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from agentctx.errors import ImportFileError
from agentctx.records.read import Moment, all_records, by_id, history_of
from agentctx.records.remove import delete_record
from agentctx.records.transfer import Imported, export_records, import_records
from agentctx.records.transferred import parse_document
from agentctx.records.write import add_record, confirm_record, pin_record
from tests.agentctx.facts import ELSEWHERE, HERE, add, dump, fact, heard, replace
from tests.recorded import START, Ticking, store_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from agentctx.records.store import Store

pytestmark = pytest.mark.requirement("A9")

LATER = START + timedelta(days=1)
LOCAL = ("source", "pinned", "confirmed", "trust")
"""What an import does not take over."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with store_at(tmp_path / "home") as opened:
        yield opened


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Store]:
    with store_at(tmp_path / "other", Ticking(LATER)) as opened:
        yield opened


def filled(store: Store) -> Store:
    first = add(store, "Readings in UTC", "時刻はUTCで", files=["src/a.py", "b.py"])
    replace(store, first, "Readings in UTC, with milliseconds")
    made = add_record(store, HERE, heard("Heard", rationale="why", quote="said")).record
    confirm_record(store, HERE, made.id)
    pin_record(store, HERE, made.id)
    add(store, "Build", "make", type="profile", key="build", session_id="s1")
    return store


def exported(store: Store, moment: Moment = Moment()) -> bytes:  # noqa: B008 - a value
    return export_records(store, HERE, name="weather", moment=moment).content


def imported(store: Store, content: bytes) -> Imported:
    return import_records(store, HERE, content, name="x.json")


def records_of(content: bytes) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(content)["records"]
    return found


def with_records(records: list[dict[str, Any]]) -> bytes:
    document = {
        "schema_version": "1",
        "kind": "agentctx-records",
        "project": "weather",
        "records": records,
    }
    return json.dumps(document).encode()


def test_the_same_records_make_the_same_bytes(store: Store) -> None:
    content = exported(filled(store))
    store.db.execute("UPDATE records SET access_count = 9, last_accessed = 'x'")
    assert exported(store) == content
    assert len(records_of(content)) == 4


def test_what_is_exported_can_be_imported_elsewhere_with_its_history(
    store: Store, other: Store
) -> None:
    content = exported(filled(store))
    outcome = imported(other, content)
    assert len(outcome.added) == 4
    assert not outcome.conflicts
    again = records_of(exported(other))
    for one, before in zip(again, records_of(content), strict=True):
        assert {**one, **dict.fromkeys(LOCAL, 0)} == {
            **before,
            **dict.fromkeys(LOCAL, 0),
        }
        assert (one["source"], one["trust"]) == ("import", "teammate")
        assert not one["pinned"]
        assert not one["confirmed"]
    first = by_id(other.db, again[0]["id"])
    assert first is not None
    assert len(history_of(other.db, first)) == 2


@pytest.mark.parametrize("times", [1, 2])
def test_what_is_here_already_is_left_as_it_is(store: Store, times: int) -> None:
    content = exported(filled(store))
    before = dump(store)
    for _ in range(times):
        outcome = imported(store, content)
    assert len(outcome.present) == 4
    assert dump(store) == before


def test_an_id_that_says_something_else_here_is_told(
    store: Store, other: Store
) -> None:
    content = exported(filled(store))
    imported(other, content)
    records = records_of(content)
    records[2]["body"] = "Something else"
    outcome = imported(other, with_records(records))
    assert outcome.conflicts == (records[2]["id"],)
    found = by_id(other.db, records[2]["id"])
    assert found is not None
    assert found.body != "Something else"


@pytest.mark.requirement("A2.6")
def test_a_key_keeps_the_record_that_is_current_here(
    store: Store, other: Store
) -> None:
    content = exported(filled(store))
    mine = add(other, "Build", "just", type="profile", key="build")
    outcome = imported(other, content)
    assert len(outcome.conflicts) == 1
    found = by_id(other.db, mine.id)
    assert found is not None
    assert found.current


@pytest.mark.requirement("A2.9")
def test_what_was_deleted_here_is_not_imported(store: Store, other: Store) -> None:
    content = exported(filled(store))
    text = "Readings in UTC, with milliseconds"
    delete_record(other, HERE, add(other, "Readings in UTC", text).id)
    outcome = imported(other, content)
    assert len(outcome.forgotten) >= 1
    assert all(one.body != text for one in all_records(other.db, (HERE,)))


@pytest.mark.requirement("A10.2")
def test_trust_never_rises(store: Store, other: Store) -> None:
    for trust in ("model", "teammate", "file", "tool"):
        add_record(store, HERE, heard(f"From a {trust}", trust=trust))
    imported(other, exported(store))
    found = {one.title: one.trust for one in all_records(other.db, (HERE,))}
    assert found == {
        "From a model": "teammate",
        "From a teammate": "teammate",
        "From a file": "file",
        "From a tool": "tool",
    }


@pytest.mark.requirement("A10.1")
def test_secrets_of_a_document_are_redacted(store: Store, other: Store) -> None:
    add(store, "A key", "SECRETHERE")
    token = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    content = exported(store).replace(b"SECRETHERE", f"token {token}".encode())
    outcome = imported(other, content)
    assert outcome.redacted
    assert token not in all_records(other.db, (HERE,))[0].body


@pytest.mark.requirement("A10.1")
def test_secrets_beside_the_text_are_redacted_too(store: Store, other: Store) -> None:
    token = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    records = records_of(exported(filled(store)))
    records[-1].update(session_id=token, key=token, files=[f"src/{token}"])
    records[0]["key"] = token
    assert imported(other, with_records(records)).redacted
    assert token not in repr(dump(other, derived=True))


@pytest.mark.requirement("A10.2")
@pytest.mark.parametrize(
    "claimed",
    [
        {"trust": "tool", "confidence": "explicit", "pinned": True},
        {"trust": "file", "confidence": "reinforced", "type": "preference"},
        {"trust": "developer", "type": "preference", "scope": "global"},
    ],
    ids=["explicit tool", "preference of a file", "preference for all"],
)
def test_what_takes_a_person_is_inferred(
    store: Store, other: Store, claimed: dict[str, Any]
) -> None:
    add(store, "A fact")
    (record,) = records_of(exported(store))
    imported(other, with_records([{**record, **claimed}]))
    (found,) = all_records(other.db, (HERE, "_global"))
    assert (found.confidence, found.pinned, found.by_person) == (
        "inferred",
        False,
        False,
    )


@pytest.mark.requirement("A2.5")
def test_global_records_and_projects_stay_apart(store: Store, other: Store) -> None:
    add_record(store, HERE, fact("For all", type="preference", scope="global"))
    add_record(store, ELSEWHERE, fact("Of another project"))
    add(store, "Of this one")
    assert [one["title"] for one in records_of(exported(store))] == ["Of this one"]
    for namespace in ("_global", HERE):
        imported(other, export_records(store, namespace, name="x").content)
    assert {
        one.title: one.project_id for one in all_records(other.db, ("_global", HERE))
    } == {"For all": "_global", "Of this one": HERE}


@pytest.mark.requirement("A2.7")
def test_a_document_of_a_moment_holds_what_was_believed_then(store: Store) -> None:
    first = add(store, "A decision", "As it was")
    then = store.clock().isoformat().replace("+00:00", ".000Z")
    replace(store, first, "As it is")
    (one,) = records_of(exported(store, Moment(as_of=then)))
    assert (one["body"], one["superseded_at"], one["superseded_by"]) == (
        "As it was",
        None,
        None,
    )
    (valid,) = records_of(exported(store, Moment(valid_at=then)))
    assert valid["body"] == "As it was"


WRONG: dict[str, list[object]] = {
    "id": ["", "01", 5, None, "0" * 27, "01kba2aaaaaaaaaaaaaaaaaaaa"],
    "type": ["fact", None, 1, []],
    "title": ["", " ", "a\nb", "x" * 121, None, 5, "\u202e"],
    "body": ["", "x" * 2001, None, 5, "a\x00b"],
    "scope": ["everywhere", None],
    "pinned": [1, None, "true"],
    "confidence": ["sure", None],
    "reinforce_count": [-1, True, 1.5, "3", None],
    "valid_from": ["", "yesterday", None, 5],
    "recorded_at": ["", None, "2999-13-01", "2026-01-20T00:00:00Z"],
    "superseded_at": ["", 5, "1999-01-01T00:00:00Z", "2999-01-01T00:00:00Z"],
    "superseded_by": [5, "x", "0" * 26],
    "source": ["web", None],
    "session_id": [5, "x" * 401],
    "trust": ["anyone", None],
    "confirmed": [1, None],
    "key": [5, "x" * 401],
    "rationale": [5, "x" * 2001],
    "quote": [5, "x" * 2001],
    "files": [None, "a.py", [5], ["/etc/passwd"], ["../a"], ["a//b"], ["a"] * 101],
}


@pytest.mark.parametrize(
    ("field", "value"),
    [(field, value) for field, values in WRONG.items() for value in values],
    ids=lambda value: repr(value)[:30],
)
def test_a_document_with_one_wrong_field_adds_nothing(
    store: Store, other: Store, field: str, value: object
) -> None:
    records = records_of(exported(filled(store)))
    records[-1][field] = value
    with pytest.raises(ImportFileError):
        imported(other, with_records(records))
    assert all_records(other.db, (HERE,)) == []


def without(value: dict[str, Any]) -> bytes:
    del value["records"][0]["key"]
    return json.dumps(value).encode()


def twice(value: dict[str, Any]) -> bytes:
    value["records"].append(copy.deepcopy(value["records"][0]))
    return json.dumps(value).encode()


def ring(value: dict[str, Any]) -> bytes:
    one, two = value["records"][:2]
    for record, later in ((one, two), (two, one)):
        record["superseded_by"] = later["id"]
        record["superseded_at"] = "2030-01-01T00:00:00Z"
    return json.dumps(value).encode()


def cut(value: dict[str, Any]) -> bytes:
    del value["records"][1]
    return json.dumps(value).encode()


def global_profile(value: dict[str, Any]) -> bytes:
    value["records"][-1]["scope"] = "global"
    return json.dumps(value).encode()


@pytest.mark.parametrize("harm", [without, twice, ring, cut, global_profile])
def test_a_document_that_does_not_hold_together_adds_nothing(
    store: Store, other: Store, harm: Callable[[dict[str, Any]], bytes]
) -> None:
    content = harm(json.loads(exported(filled(store))))
    with pytest.raises(ImportFileError):
        imported(other, content)
    assert all_records(other.db, (HERE,)) == []


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"null",
        b"{}",
        b"\xff\xfe",
        b"{" * 100_000,
        b'{"kind": "agentctx-records"}',
        with_records([]).replace(b'"1"', b'"2"'),
        with_records([]).replace(b"agentctx-records", b"other"),
        with_records([])[:-5],
    ],
    ids=lambda content: repr(content)[:30],
)
def test_what_is_no_document_is_refused(content: bytes) -> None:
    with pytest.raises(ImportFileError):
        parse_document(content, name="x.json", now=START)


def test_a_long_chain_is_read_in_good_time() -> None:
    one = {
        "type": "decision", "title": "T", "body": "B", "scope": "project",
        "pinned": False, "confidence": "explicit", "reinforce_count": 0,
        "valid_from": "2026-01-01T00:00:00Z", "recorded_at": "2026-01-01T00:00:00Z",
        "superseded_at": "2026-01-02T00:00:00Z", "source": "cli", "session_id": None,
        "trust": "developer", "confirmed": False, "key": None, "rationale": None,
        "quote": None, "files": [],
    }  # fmt: skip
    ids = [f"{number:026}" for number in range(20_000)]
    records: list[dict[str, Any]] = [
        {**one, "id": mine, "superseded_by": later}
        for mine, later in zip(ids, [*ids[1:], None], strict=True)
    ]
    assert len(parse_document(with_records(records), name="x.json", now=START)) == len(
        ids
    )
