"""Adding, correcting, pinning and confirming records on the command line."""

from __future__ import annotations

import io
import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from agentctx.records.model import GLOBAL, NewRecord
from agentctx.records.write import add_record
from tests.agentctx.answers import answer, facts, namespace, refusal
from tests.recorded import store_at

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import InProcess

UTC = ("add", "decision", "Readings are stored in UTC")


def inferred(home: Path, project: Path, *, trust: str, kind: str = "decision") -> str:
    """Put a record into the store that no person has said."""
    new = NewRecord(
        type=kind,
        title="Stations report hourly",
        body="Every station reports once an hour.",
        source="llm_extraction",
        confidence="inferred",
        trust=trust,
    )
    with store_at(home) as store:
        return str(add_record(store, namespace(project), new).record.id)


def record(agentctx: InProcess, record_id: str) -> dict[str, Any]:
    return dict(answer(agentctx("show", record_id))["record"])


@pytest.mark.requirement("A9", "A2.3", "A10.2")
def test_what_a_person_adds_is_explicit_and_theirs(agentctx: InProcess) -> None:
    made = answer(agentctx(*UTC, "--body", "Two stations share a border."))["record"]
    assert made["title"] == "Readings are stored in UTC"
    assert made["body"] == "Two stations share a border."
    assert (made["confidence"], made["trust"], made["source"]) == (
        "explicit",
        "developer",
        "cli",
    )
    assert record(agentctx, made["id"]) == made


@pytest.mark.requirement("A9")
def test_without_a_body_the_title_is_the_fact(agentctx: InProcess) -> None:
    made = answer(agentctx(*UTC))
    assert made["record"]["body"] == "Readings are stored in UTC"
    assert made["warnings"] == ["SHORT"]


@pytest.mark.requirement("A9")
def test_a_body_comes_from_standard_input(
    agentctx: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = io.BytesIO("ветер\r\nи дождь\n".encode())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(content, encoding="ascii"))
    assert answer(agentctx(*UTC, "--body", "-"))["record"]["body"] == "ветер\nи дождь"


@pytest.mark.requirement("A2.1", "A9")
def test_a_body_that_is_no_text_is_refused_with_its_size(
    agentctx: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = io.TextIOWrapper(io.BytesIO(b"abc\xff"), encoding="ascii")
    monkeypatch.setattr(sys, "stdin", content)
    done = agentctx(*UTC, "--body", "-")
    assert refusal(done) == "BODY_INVALID"
    assert facts(done)["facts"]["size"] == 4


@pytest.mark.requirement("A2.1", "A9")
@pytest.mark.parametrize(
    ("words", "code", "named"),
    [
        pytest.param(
            ("add", "decision", "x" * 121),
            "TITLE_INVALID",
            {"size": 121, "limit": 120},
            id="a long title",
        ),
        pytest.param(
            ("add", "decision", " "),
            "TITLE_INVALID",
            {"size": 0, "limit": 120},
            id="an empty title",
        ),
        pytest.param(
            ("add", "decision", "one\ntwo"),
            "TITLE_INVALID",
            {"size": 7, "limit": 120},
            id="a title of two lines",
        ),
        pytest.param(
            (*UTC, "--body", "x" * 2001),
            "BODY_INVALID",
            {"size": 2001, "limit": 2000},
            id="a long body",
        ),
        pytest.param(
            (*UTC, "--body", "\x1b[2J"),
            "BODY_INVALID",
            {"size": 4, "limit": 2000},
            id="a control character",
        ),
        pytest.param(
            ("add", "rule", "x"),
            "FIELD_INVALID",
            {"field": "type", "found": "rule"},
            id="an unknown type",
        ),
        pytest.param(
            (*UTC, "--scope", "team"),
            "FIELD_INVALID",
            {"field": "scope", "found": "team"},
            id="an unknown scope",
        ),
        pytest.param(
            ("add", "handover", "x", "--scope", "global"),
            "FIELD_INVALID",
            {"field": "scope", "found": "global"},
            id="a global handover",
        ),
        pytest.param(
            (*UTC, "--valid-from", "yesterday"),
            "TIME_INVALID",
            {"field": "valid_from", "found": "yesterday"},
            id="no date",
        ),
        pytest.param(
            (*UTC, "--file", "\x00"), "FILE_OUTSIDE", {"size": 1}, id="a NUL in a path"
        ),
        pytest.param(
            (*UTC, "--file", "a\udcff.py"),
            "FILE_OUTSIDE",
            {"size": 5},
            id="a path that is no text",
        ),
        pytest.param(
            (*UTC, "--file", "../elsewhere"),
            "FILE_OUTSIDE",
            {"size": 12},
            id="a file outside",
        ),
        pytest.param(
            (*UTC, "--supersedes", "nope"),
            "ID_INVALID",
            {"field": "supersedes", "found": "nope"},
            id="no id",
        ),
        pytest.param(
            (*UTC, "--supersedes", "01ARZ3NDEK"),
            "RECORD_NOT_FOUND",
            {"record_id": "01ARZ3NDEK"},
            id="an unknown id",
        ),
        pytest.param(
            ("search", "x", "--limit", "0"),
            "SEARCH_LIMIT",
            {"field": "limit", "found": "0", "minimum": 1, "maximum": 100},
            id="limit 0",
        ),
        pytest.param(
            ("search", "x", "--limit", "9" * 5000),
            "SEARCH_LIMIT",
            {"field": "limit"},
            id="a huge limit",
        ),
        pytest.param(("search", " "), "QUERY_EMPTY_TEXT", {}, id="an empty query"),
        pytest.param(
            ("search", "x", "--as-of", "2026-13-01"),
            "TIME_INVALID",
            {"field": "as_of"},
            id="no such month",
        ),
        pytest.param(
            ("search", "x", "--type", "rule"),
            "FIELD_INVALID",
            {"field": "type"},
            id="a search for an unknown type",
        ),
    ],
)
def test_what_cannot_be_taken_is_named_with_its_limit(
    agentctx: InProcess, words: tuple[str, ...], code: str, named: dict[str, object]
) -> None:
    done = agentctx(*words)
    assert refusal(done) == code
    assert named.items() <= facts(done)["facts"].items()
    assert answer(agentctx("status"))["records"]["total"] == 0


@pytest.mark.requirement("A9", "A2.8")
def test_files_are_named_from_the_root_wherever_one_stands(
    agentctx: InProcess, project: Path
) -> None:
    folder = project / "src" / "store"
    folder.mkdir(parents=True)
    words = (*UTC, "--file", "rows.py", "../main.py", "--file", "../../README.md")
    made = answer(agentctx(*words, cwd=folder))["record"]
    shown = answer(agentctx("show", made["id"]))
    assert shown["files"] == ["README.md", "src/main.py", "src/store/rows.py"]


@pytest.mark.requirement("A10.1", "A9")
def test_a_secret_is_redacted_and_the_receipt_says_so(
    agentctx: InProcess, store_home: Path
) -> None:
    key = "AKIA" + "Q3EGR7TYUIOPLKJH"
    made = answer(agentctx(*UTC, "--body", f"The bucket is read with {key}."))
    assert [one["count"] for one in made["redacted"]] == [1]
    assert key not in json.dumps(made)
    assert all(
        key.encode() not in path.read_bytes()
        for path in store_home.rglob("*")
        if path.is_file()
    )


@pytest.mark.requirement("A9", "A2.6")
def test_an_id_may_be_abbreviated(agentctx: InProcess) -> None:
    made = answer(agentctx(*UTC))["record"]
    assert record(agentctx, made["id"][:12].lower()) == made
    assert refusal(agentctx("show", made["id"][:5])) == "ID_INVALID"
    assert refusal(agentctx("show", "7ZZZZZ")) == "RECORD_NOT_FOUND"


@pytest.mark.requirement("A2.6", "A9")
def test_supersede_replaces_the_current_record_and_only_it(
    agentctx: InProcess,
) -> None:
    first = answer(agentctx(*UTC))["record"]
    words = ("--body", "Local time it is.", "--rationale", "One zone is left.")
    made = answer(agentctx("supersede", first["id"], *words))
    assert made["superseded"] == first["id"]
    assert made["record"]["title"] == first["title"]
    assert made["record"]["rationale"] == "One zone is left."
    assert record(agentctx, first["id"])["superseded_by"] == made["record"]["id"]
    again = agentctx("supersede", first["id"], *words)
    assert refusal(again) == "ALREADY_SUPERSEDED"
    assert facts(again)["facts"]["head"] == made["record"]["id"]


@pytest.mark.requirement("A2.1", "A9")
@pytest.mark.parametrize("why", ["x" * 2001, "a\udcffb"], ids=["long", "no text"])
def test_a_rationale_has_the_limits_of_a_body(agentctx: InProcess, why: str) -> None:
    first = answer(agentctx(*UTC))["record"]["id"]
    done = agentctx("supersede", first, "--body", "B", "--rationale", why)
    assert refusal(done) == "NOTE_INVALID"
    told = facts(done)["facts"]
    assert (told["field"], told["size"], told["limit"]) == ("rationale", len(why), 2000)
    assert record(agentctx, first)["superseded_at"] is None


@pytest.mark.requirement("A2.6", "A9")
def test_add_may_name_what_it_supersedes(agentctx: InProcess) -> None:
    first = answer(agentctx(*UTC))["record"]
    words = ("add", "decision", "Readings are local", "--supersedes", first["id"][:20])
    made = answer(agentctx(*words))
    assert made["superseded"] == first["id"]
    assert answer(agentctx("show", first["id"]))["head"] == made["record"]["id"]


@pytest.mark.requirement("A9", "A10.2")
def test_an_edit_is_a_new_version_that_a_person_stands_for(
    agentctx: InProcess, project: Path, store_home: Path
) -> None:
    old = inferred(store_home, project, trust="model")
    made = answer(agentctx("edit", old, "--title", "Stations report daily"))["record"]
    assert made["title"] == "Stations report daily"
    assert made["body"] == "Every station reports once an hour."
    assert (made["confidence"], made["trust"]) == ("explicit", "developer")
    assert record(agentctx, old)["superseded_by"] == made["id"]
    assert refusal(agentctx("edit", made["id"])) == "USAGE"


@pytest.mark.requirement("A10.2", "A2.3", "A9")
@pytest.mark.parametrize("trust", ["model", "teammate", "file", "tool"])
def test_only_what_a_person_stands_for_can_be_pinned(
    agentctx: InProcess, project: Path, store_home: Path, trust: str
) -> None:
    made = inferred(store_home, project, trust=trust)
    assert refusal(agentctx("pin", made)) == "TRUST_TOO_LOW"
    assert record(agentctx, made)["pinned"] is False
    confirmed = answer(agentctx("reinforce", made))["record"]
    assert (confirmed["confidence"], confirmed["confirmed"]) == ("reinforced", True)
    assert confirmed["trust"] == trust
    assert answer(agentctx("pin", made))["record"]["pinned"] is True
    assert answer(agentctx("pin", made, "--off"))["record"]["pinned"] is False


@pytest.mark.requirement("A2.3")
def test_an_inferred_record_is_always_shown_as_unconfirmed(
    agentctx: InProcess, project: Path, store_home: Path
) -> None:
    made = inferred(store_home, project, trust="model")
    assert "unconfirmed" in agentctx("show", made, terminal=True).out
    answer(agentctx("reinforce", made))
    assert "unconfirmed" not in agentctx("show", made, terminal=True).out


@pytest.mark.requirement("A2.5", "A9")
def test_a_project_sees_its_own_records_and_the_global_ones(
    agentctx: InProcess, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    (other / ".agentctx").mkdir(parents=True)
    own = answer(agentctx(*UTC))["record"]
    words = ("add", "preference", "Short functions", "--scope", "global")
    everywhere = answer(agentctx(*words))["record"]
    assert everywhere["project_id"] == GLOBAL
    assert refusal(agentctx("show", own["id"], cwd=other)) == "RECORD_NOT_FOUND"
    assert answer(agentctx("show", everywhere["id"], cwd=other))["record"] == everywhere
    found = answer(agentctx("search", "short functions stored in UTC", cwd=other))
    assert [one["id"] for one in found["results"]] == [everywhere["id"]]


@pytest.mark.requirement("A2.5", "A2.6")
def test_a_supersession_never_crosses_namespaces(
    agentctx: InProcess, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    (other / ".agentctx").mkdir(parents=True)
    own = answer(agentctx(*UTC))["record"]
    everywhere = answer(agentctx("add", "preference", "Tabs", "--scope", "global"))
    words = ("add", "preference", "Spaces", "--supersedes")
    assert refusal(agentctx(*words, own["id"], cwd=other)) == "RECORD_NOT_FOUND"
    done = agentctx(*words, everywhere["record"]["id"])
    assert refusal(done) == "OTHER_NAMESPACE"


@pytest.mark.requirement("A2.6")
def test_one_handover_is_current_and_one_profile_a_key(agentctx: InProcess) -> None:
    for title in ("Stopped at the parser", "Stopped at the printer"):
        made = answer(agentctx("add", "handover", title))
    assert made["superseded"] is not None
    for body in ("make test", "make check"):
        answer(agentctx("add", "profile", "test", "--body", body))
    answer(agentctx("add", "profile", "build", "--body", "make"))
    counts = answer(agentctx("status"))["records"]
    assert counts["by_type"] == {"profile": 2, "handover": 1}
    assert counts["past"] == 2


@pytest.mark.requirement("A2.3", "A9")
def test_the_same_fact_again_adds_nothing(agentctx: InProcess) -> None:
    first = answer(agentctx(*UTC))
    again = answer(agentctx(*UTC))
    assert (first["existing"], again["existing"]) == (False, True)
    assert again["record"]["id"] == first["record"]["id"]
    assert again["warnings"] == ["DUPLICATE"]


@pytest.mark.requirement("A9")
@pytest.mark.parametrize(
    "words",
    [
        ("search", "wind"),
        ("status",),
        ("project",),
        ("profile", "show"),
        ("config",),
    ],
    ids=" ".join,
)
def test_reading_makes_no_store(
    agentctx: InProcess, store_home: Path, words: tuple[str, ...]
) -> None:
    assert agentctx(*words).status == 0
    assert agentctx(*words, terminal=True).status == 0
    assert not store_home.exists()


@pytest.mark.requirement("A9")
@pytest.mark.parametrize(
    "words",
    [
        ("show", "01ARZ3NDEK"),
        ("history", "01ARZ3NDEK"),
        ("edit", "01ARZ3NDEK", "--title", "x"),
        ("supersede", "01ARZ3NDEK", "--body", "x", "--rationale", "y"),
        ("pin", "01ARZ3NDEK"),
        ("reinforce", "01ARZ3NDEK"),
        ("profile", "edit", "01ARZ3NDEK", "--body", "x"),
        ("profile", "clear", "01ARZ3NDEK"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_there_is_nothing_to_change_without_a_store(
    agentctx: InProcess, store_home: Path, words: tuple[str, ...]
) -> None:
    assert refusal(agentctx(*words)) == "RECORD_NOT_FOUND"
    assert not store_home.exists()


@pytest.mark.requirement("A9")
def test_every_record_command_reads_well_on_a_terminal(agentctx: InProcess) -> None:
    title = "Readings \u202eare\x1bstored"
    assert agentctx(*UTC[:2], title, terminal=True).status == 2
    made = answer(agentctx(*UTC, "--body", "A\u202eB"))["record"]["id"]
    words = ("--body", "C", "--rationale", "D")
    text = agentctx("supersede", made, *words, "--title", "Local", terminal=True).out
    assert made in text
    made = text.split()[1]
    second = answer(agentctx("supersede", made, *words))["record"]["id"]
    for command in (
        ("show", made, "--history"),
        ("history", made),
        ("pin", second),
        ("reinforce", second),
        ("edit", second, "--body", "E"),
        ("show", second),
        ("add", "profile", "test", "--body", "make test", "--file", "Makefile"),
        ("add", "profile", "test", "--body", "make test"),
        ("add", "discovery", "The key", "--body", "password = hunter2hunter2XX9"),
        ("search", "wind"),
        ("status",),
    ):
        done = agentctx(*command, terminal=True)
        assert (done.status, done.err) == (0, "")
        assert done.out.strip()
        assert "\u202e" not in done.out
        assert not done.out.lstrip().startswith("{")


@pytest.mark.requirement("A2.6", "A2.7")
@pytest.mark.parametrize("command", ["edit", "supersede"])
def test_a_correction_may_say_since_when_it_is_true(
    agentctx: InProcess, command: str
) -> None:
    old = answer(agentctx(*UTC, "--valid-from", "2026-01-01"))["record"]["id"]
    words = [command, old, "--body", "Local time.", "--valid-from", "2026-02-01"]
    words += ["--rationale", "It was so."] if command == "supersede" else []
    new = answer(agentctx(*words))["record"]
    assert new["valid_from"] == "2026-02-01T00:00:00.000Z"
    for moment, wanted in (("2026-01-15", old), ("2026-02-15", new["id"])):
        found = answer(agentctx("search", "stored UTC", "--valid-at", moment))
        assert [one["id"] for one in found["results"]] == [wanted]
    again = agentctx("edit", new["id"], "--valid-from", "soon")
    assert refusal(again) == "TIME_INVALID"
    moved = answer(agentctx("edit", new["id"], "--valid-from", "2026-01-01"))
    assert moved["record"]["body"] == "Local time."
    found = answer(agentctx("search", "stored UTC", "--valid-at", "2026-01-15"))
    assert [one["id"] for one in found["results"]] == [moved["record"]["id"]]


@pytest.mark.requirement("A2.6", "A9")
def test_an_old_version_names_the_current_one(agentctx: InProcess) -> None:
    old = answer(agentctx("add", "profile", "test", "--body", "make test"))["record"]
    new = answer(agentctx("profile", "edit", old["id"], "--body", "make"))["record"]
    for words in (
        ("edit", old["id"], "--body", "B"),
        ("pin", old["id"]),
        ("profile", "clear", old["id"]),
    ):
        done = agentctx(*words)
        assert refusal(done) == "ALREADY_SUPERSEDED"
        assert facts(done)["facts"]["head"] == new["id"]
    answer(agentctx("profile", "clear", new["id"]))
    assert refusal(agentctx("pin", old["id"])) == "RECORD_ENDED"


@pytest.mark.requirement("A9")
def test_a_file_that_is_not_there_is_accepted_and_told(
    agentctx: InProcess, project: Path
) -> None:
    (project / "there.py").write_text("", encoding="utf-8")
    made = answer(agentctx(*UTC, "--file", "there.py"))
    assert "FILE_MISSING" not in made["warnings"]
    made = answer(agentctx("add", "decision", "B", "--file", "there.py", "gone.py"))
    assert "FILE_MISSING" in made["warnings"]
    shown = answer(agentctx("show", made["record"]["id"]))
    assert shown["files"] == ["gone.py", "there.py"]


@pytest.mark.requirement("A9")
def test_a_path_that_is_refused_is_shown_as_far_as_it_can_be(
    agentctx: InProcess,
) -> None:
    done = agentctx(*UTC, "--file", "../" + "\u202e" + "x" * 500)
    told = str(facts(done)["facts"]["found"])
    assert told.startswith("`../\\u202exx")
    assert len(told) < 100
