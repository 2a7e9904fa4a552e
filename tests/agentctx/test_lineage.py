"""Trust is carried: nothing becomes more than its least trusted source (A10.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from agentctx.errors import BodyError, ForgottenError, PersonsRecordError
from agentctx.records.model import GLOBAL, NewRecord, Replacement
from agentctx.records.preferences import preferences_page
from agentctx.records.read import current_records
from agentctx.records.remove import delete_record
from agentctx.records.write import add_record, confirm_record, supersede_record
from tests.recorded import store_at

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from agentctx.records.store import Store

pytestmark = pytest.mark.requirement("A10.2")

PROJECT = "p" * 64
SOURCES = {
    "developer": "cli",
    "model": "mcp_tool",
    "teammate": "import",
    "file": "import",
    "tool": "hook_observation",
}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with store_at(tmp_path / "home") as opened:
        yield opened


def fact(trust: str = "developer", **more: str) -> NewRecord:
    inferred = trust in {"file", "tool"}
    values = {
        "type": "convention",
        "title": "Fetch pages with the shared client",
        "body": "Every page is fetched with the shared client, with its retry budget.",
        "confidence": "inferred" if inferred else "explicit",
        **more,
    }
    return NewRecord(trust=trust, source=SOURCES[trust], **values)  # type: ignore[arg-type]


def replacement(trust: str) -> Replacement:
    body = "Pages are fetched with the shared client and five retries."
    return Replacement(body=body, source=SOURCES[trust], trust=trust)


@pytest.mark.parametrize(
    ("old", "new", "trust", "confidence"),
    [
        ("tool", "model", "tool", "inferred"),
        ("file", "model", "file", "inferred"),
        ("teammate", "model", "teammate", "explicit"),
        ("model", "model", "model", "explicit"),
        ("tool", "developer", "developer", "explicit"),
        ("developer", "model", "model", "explicit"),
    ],
)
def test_a_successor_is_no_more_trusted_than_its_lineage(
    store: Store, old: str, new: str, trust: str, confidence: str
) -> None:
    first = add_record(store, PROJECT, fact(old)).record
    made = supersede_record(store, PROJECT, first.id, replacement(new)).record
    assert (made.trust, made.confidence) == (trust, confidence)


@pytest.mark.parametrize("old", ["tool", "file", "teammate"])
def test_an_agent_does_not_confirm_what_it_was_told_by_others(
    store: Store, old: str
) -> None:
    add_record(store, PROJECT, fact(old, confidence="inferred"))
    again = add_record(store, PROJECT, fact("model"))
    assert again.existing
    assert again.record.confidence == "inferred"
    assert confirm_record(store, PROJECT, again.record.id).confidence == "reinforced"


def test_a_persons_entry_of_the_profile_stays(store: Store) -> None:
    own = fact(type="profile", key="commands", title="commands", body="make check")
    first = add_record(store, PROJECT, own).record
    other = fact("model", type="profile", key="commands", title="c", body="make test")
    with pytest.raises(PersonsRecordError):
        add_record(store, PROJECT, other)
    assert current_records(store.db, PROJECT) == [first]


def test_what_nobody_confirmed_is_apart_among_the_preferences(store: Store) -> None:
    for trust, title in (("developer", "Tabs"), ("model", "Spaces"), ("tool", "Both")):
        new = fact(trust, type="preference", scope="global", title=title, body=title)
        add_record(store, PROJECT, new)
    page = preferences_page(current_records(store.db, GLOBAL))
    own, _, noted = page.partition("# Noted, and not confirmed")
    assert "## Tabs" in own
    assert "## Spaces" in noted
    assert "## Both" in noted


@pytest.mark.requirement("A2.9")
@pytest.mark.parametrize(
    ("deleted", "again"), [("project", "global"), ("global", "project")]
)
def test_a_forgotten_fact_does_not_come_back_through_the_other_scope(
    store: Store, deleted: str, again: str
) -> None:
    record = add_record(store, PROJECT, fact(scope=deleted)).record
    delete_record(store, PROJECT, record.id)
    with pytest.raises(ForgottenError):
        add_record(store, PROJECT, fact("model", scope=again))
    assert add_record(store, PROJECT, fact(scope=again)).record.by_person


@pytest.mark.requirement("A10.1")
def test_keys_files_and_sessions_carry_no_secret(store: Store) -> None:
    token = "ghp_" + "k3Jd92mQx7RtYb4LwPzN8sVcHf1GaE6uOi5T"
    new = fact(type="profile", key=f"token {token}", title="t", body="b")
    made = add_record(
        store,
        PROJECT,
        new._replace(files=(f"conf/{token}/x.txt",), session_id=f"s-{token}"),
    )
    assert made.redacted
    assert token not in "\n".join(store.db.iterdump())


@pytest.mark.requirement("A10.1", "A2.1")
def test_a_body_that_redaction_makes_too_long_is_refused_whole(store: Store) -> None:
    line = "password=hunter2xyz9\n"
    body = line * (2000 // len(line))
    with pytest.raises(BodyError):
        add_record(store, PROJECT, fact(body=body))
