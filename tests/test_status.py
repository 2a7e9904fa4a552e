"""`status` is one card, and shows what it can of a corpus that is not whole."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from corpus.cli import status
from corpus.confined.reader import open_root
from corpus.protocol.layout import POLICY_PATH, PROJECT_PATH, STATUS_PATH
from corpus.protocol.overview import IndexCard, overview
from corpus.protocol.scaffold import create, make_order
from corpus.view import build_index, index_card
from tests.corpora import dirs_of, fixed_bytes, policy_page, write_corpus
from tests.trusted import hash_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from corpus.protocol.overview import Overview

NOW = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
INDEX = ".project-corpus/cache/context.sqlite3"
MISSING = IndexCard("missing", INDEX, None)
TASK = ".project-corpus/tasks/task-0001-describe-the-software.md"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    order = make_order(
        tmp_path,
        project_id="weather-station",
        name="Weather Station",
        template="software",
        language="en",
    )
    create(tmp_path, order, now=NOW)
    return tmp_path


def card(root: Path, index: IndexCard = MISSING) -> Overview:
    with open_root(root) as opened:
        return overview(opened, index=index)


def replace(root: Path, path: str, old: str, new: str) -> None:
    text = (root / path).read_text(encoding="utf-8")
    assert old in text
    (root / path).write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.requirement("P1.8")
def test_the_card_holds_everything_a_newcomer_asks(root: Path) -> None:
    assert card(root).as_json() == {
        "project_id": "weather-station",
        "logical_name": "Weather Station",
        "lifecycle_status": "ACTIVE",
        "active_task": {
            "id": "task-0001-describe-the-software",
            "title": "Describe the software",
            "status": "ACTIVE",
        },
        "next_action": (
            "Write the objective of the software into "
            "`.project-corpus/state/PROJECT.md`."
        ),
        "blockers": None,
        "last_verified_at": "UNVERIFIED",
        "status_sha256": hash_of(root / STATUS_PATH),
        "index": {"state": "missing", "path": INDEX, "built_at": None},
        "findings": {"errors": 0, "warnings": 0, "interrupted_write": False},
    }


@pytest.mark.requirement("P1.8", "P13.1")
def test_the_card_shows_the_hash_that_a_write_expects(root: Path) -> None:
    known = hash_of(root / STATUS_PATH)
    (line,) = [x for x in status.lines(card(root)) if x.startswith("STATUS.md")]
    assert line.split()[1:] == ["sha256", known]
    (root / STATUS_PATH).unlink()
    assert card(root).status_sha256 is None


@pytest.mark.requirement("P1.8")
def test_blockers_are_shown_without_their_comments(root: Path) -> None:
    blockers = "## Blockers\n\n<!-- who? -->\n- No data\n- No power\n"
    replace(root, STATUS_PATH, "## Blockers\n\nNONE\n", blockers)
    assert card(root).blockers == "- No data\n- No power"


@pytest.mark.requirement("P1.8")
def test_findings_are_counted_by_severity(root: Path) -> None:
    replace(root, TASK, "Task-Status: ACTIVE", "Task-Status: X")
    (root / ".project-corpus/history/latin.md").write_bytes(b"\xff")
    found = card(root)
    assert (found.errors, found.warnings) == (1, 1)


@pytest.mark.requirement("P1.8")
def test_an_active_task_that_does_not_exist_is_still_named(root: Path) -> None:
    (root / TASK).unlink()
    found = card(root)
    assert found.active_task is not None
    assert found.active_task.as_json() == {
        "id": "task-0001-describe-the-software",
        "title": None,
        "status": None,
    }
    assert any("no such task" in line for line in status.lines(found))


@pytest.mark.requirement("P1.8")
def test_no_active_task_is_none(root: Path) -> None:
    replace(root, STATUS_PATH, "task-0001-describe-the-software", "NONE")
    assert card(root).active_task is None


@pytest.mark.requirement("P1.8", "P4.3")
@pytest.mark.parametrize(
    "path", [PROJECT_PATH, STATUS_PATH, ".project-corpus/policy.toml"]
)
def test_a_corpus_that_is_not_whole_still_has_a_card(root: Path, path: str) -> None:
    (root / path).unlink()
    found = card(root)
    assert found.errors >= 1
    assert (found.lifecycle_status is None) == (path in {STATUS_PATH, POLICY_PATH})
    assert (found.logical_name is None) == (path in {PROJECT_PATH, POLICY_PATH})
    assert list(status.lines(found))


@pytest.mark.requirement("P1.8")
@pytest.mark.parametrize(
    ("index", "shown"),
    [
        (MISSING, "missing; run"),
        (IndexCard("fresh", INDEX, "2026-03-01T09:00:00Z"), "fresh, built 2026-03-01"),
        (IndexCard("stale", INDEX, "2026-03-01T09:00:00Z"), "stale, built 2026-03-01"),
        (IndexCard("corrupt", INDEX, None), "corrupt; run"),
        (IndexCard("unusable", INDEX, None), "unusable; run"),
    ],
    ids=["missing", "fresh", "stale", "corrupt", "unusable"],
)
def test_the_card_says_how_the_index_stands(
    root: Path, index: IndexCard, shown: str
) -> None:
    (line,) = [x for x in status.lines(card(root, index)) if x.startswith("index")]
    assert shown in line
    builds = index.state not in {"fresh", "unusable"}
    assert ("context build" in line) == builds
    assert ("context doctor" in line) == (index.state == "unusable")


@pytest.mark.requirement("P1.8")
def test_the_card_is_compact_however_much_status_says(root: Path) -> None:
    many = "\n".join(f"- blocker {n}" for n in range(100))
    replace(root, STATUS_PATH, "## Blockers\n\nNONE\n", f"## Blockers\n\n{many}\n")
    shown = list(status.lines(card(root)))
    assert len(shown) < 20
    assert any("94 more lines in STATUS.md" in line for line in shown)


@pytest.mark.requirement("P1.8")
def test_the_command_answers_in_json_and_in_text(
    root: Path, cli: Callable[..., tuple[int, str, str]]
) -> None:
    code, out, _ = cli("status", str(root))
    assert code == 0
    assert json.loads(out)["index"]["state"] == "missing"
    code, out, _ = cli("status", cwd=root / ".project-corpus", terminal=True)
    assert code == 0
    assert out.startswith("Weather Station (weather-station)\n")


@pytest.mark.requirement("P1.8", "P5.11")
def test_the_card_tells_the_state_of_a_real_index(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "one")
    dirs = dirs_of(corpus)

    def state() -> str:
        with open_root(corpus) as opened:
            return index_card(opened, corpus, dirs=dirs).state

    index = corpus / INDEX
    assert state() == "missing"
    build_index(corpus, dirs=dirs, random=fixed_bytes, now=NOW.timestamp())
    assert state() == "fresh"
    page = corpus / ".project-corpus/history/year-one.md"
    page.write_text("# Year one\n\nAnother text.\n", "utf-8")
    assert state() == "stale"
    (corpus / ".project-corpus/policy.toml").write_text(
        policy_page(allow=["corpus.read"]), "utf-8"
    )
    assert state() == "unusable"
    (corpus / ".project-corpus/policy.toml").write_text(policy_page(), "utf-8")
    index.write_bytes(b"no database")
    assert state() == "corrupt"
