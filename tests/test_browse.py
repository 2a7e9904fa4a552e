from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import pytest

from corpus.browse import find, open_holdings, show, timeline
from corpus.errors import (
    ArtifactNotFoundError,
    BadScopeError,
    PolicyDeniedError,
    QueryEmptyError,
    QueryLimitError,
    UsageError,
)
from corpus.refs import LineSpan
from tests.corpora import (
    ALLOW,
    dirs_of,
    policy_page,
    report_page,
    task_page,
    write,
    write_corpus,
)

if TYPE_CHECKING:
    from pathlib import Path

    from corpus.browse import Holdings
    from tests.conftest import InProcess

HOME = ".project-corpus"
YEAR_ONE = "The Pump froze.\nThe pump was\nreplaced: pump, pump.\n"
DENIED = f"{HOME}/history/denied.md"


def holdings(root: Path, capability: str = "corpus.search") -> Holdings:
    return open_holdings(root, capability, dirs=dirs_of(root))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Write a corpus with two pages of history and one that is denied."""
    history = {
        "year-one": "# Year one\n\n" + YEAR_ONE,
        "year-two": "# Year two\n\nCreated: 2025-06-01\n\nNo PUMP failed.\n",
        "denied": "# Denied\n\nThe pump's supplier.\n",
    }
    return write_corpus(
        tmp_path / "corpus", history=history, policy=policy_page(deny=[DENIED])
    )


# Search


@pytest.mark.requirement("P18.4", "P2.4")
def test_a_text_is_found_in_any_case_with_its_lines_the_fullest_source_first(
    root: Path,
) -> None:
    found = find(holdings(root), "pump")
    assert [
        (one.path.removeprefix(f"{HOME}/history/"), one.line_start, one.score)
        for one in found.results
    ] == [
        ("year-one.md", 3, 1),
        ("year-one.md", 4, 1),
        ("year-one.md", 5, 2),
        ("year-two.md", 5, 1),
    ]
    first = found.results[0]
    assert first.as_json() == {
        "path": f"{HOME}/history/year-one.md",
        "type": "history",
        "authority_class": "HISTORY",
        "title": "Year one",
        "snippet": "The Pump froze.",
        "line_start": 3,
        "line_end": 3,
        "score": 1,
    }
    assert found.total == 4


@pytest.mark.requirement("P18.4")
def test_white_space_in_the_text_matches_a_line_end(root: Path) -> None:
    (only,) = find(holdings(root), "was  replaced").results
    assert (only.line_start, only.line_end) == (4, 5)
    assert only.snippet == "The pump was replaced: pump, pump."


@pytest.mark.requirement("P18.4")
def test_a_search_can_be_narrowed_and_counts_what_it_leaves_out(root: Path) -> None:
    assert find(holdings(root), "pump", kind="report").total == 0
    found = find(holdings(root), "pump", limit=2)
    assert (found.total, len(found.results)) == (4, 2)


def test_characters_with_a_meaning_in_patterns_are_themselves(root: Path) -> None:
    write(root / HOME / "history/odd.md", "a.b (c) [d] *e* \\f\n")
    assert find(holdings(root), "(c) [d] *e* \\f").total == 1
    assert find(holdings(root), "a_b").total == 0
    assert find(holdings(root), "a.b").total == 1


@pytest.mark.parametrize("query", ["", " \t\n"])
def test_an_empty_search_is_refused(root: Path, query: str) -> None:
    with pytest.raises(QueryEmptyError):
        find(holdings(root), query)


@pytest.mark.parametrize("limit", [0, 101])
def test_a_limit_out_of_range_is_refused(root: Path, limit: int) -> None:
    with pytest.raises(QueryLimitError):
        find(holdings(root), "pump", limit=limit)


def test_a_long_line_is_cut_around_the_match(root: Path) -> None:
    line = "before " * 200 + "needle" + " after" * 200
    write(root / HOME / "history/long.md", line)
    (only,) = find(holdings(root), "needle").results
    assert "needle" in only.snippet
    assert len(only.snippet) < 180
    assert only.snippet.startswith("…before")
    assert only.snippet.endswith("…")


def test_lines_are_counted_by_every_kind_of_line_end(root: Path) -> None:
    write(root / HOME / "history/ends.md", "one\r\ntwo\rthree\nneedle İ needle\r\n")
    (only,) = find(holdings(root), "needle").results
    assert (only.line_start, only.line_end, only.score) == (4, 4, 2)


@pytest.mark.timeout(60)
def test_a_text_on_every_line_of_a_long_source_is_counted_every_time(
    root: Path,
) -> None:
    write(root / HOME / "history/many.md", "ab ab ab ab\n" * 40_000)
    found = find(holdings(root), "ab ab")
    assert found.total == 40_000
    lines = [(place.line_start, place.line_end, place.score) for place in found.results]
    assert lines[:2] == [(1, 1, 2), (2, 2, 2)]


# Timeline


@pytest.mark.requirement("P18.4")
def test_sources_are_ordered_by_the_time_written_in_them_undated_last(
    root: Path,
) -> None:
    events = timeline(holdings(root)).events
    assert [
        (e.path.rpartition("/")[2], e.timestamp, e.timestamp_source) for e in events
    ] == [
        ("year-two.md", "2025-06-01", "Created"),
        ("task-one.md", "2025-12-20T08:00:00Z", "Created-At"),
        ("STATUS.md", "2026-01-01T00:00:00Z", "Last-Verified-At"),
        ("report-one.md", "2026-01-05T08:00:00Z", "Created-At"),
        ("year-one.md", None, None),
        ("PROJECT.md", None, None),
    ]
    assert events[3].as_json() == {
        "timestamp": "2026-01-05T08:00:00Z",
        "timestamp_source": "Created-At",
        "path": f"{HOME}/reports/report-one.md",
        "type": "report",
        "title": "Report report-one",
        "authority_class": "CITED_REPORT",
    }


@pytest.mark.requirement("P18.4")
@pytest.mark.parametrize(
    ("selector", "names"),
    [
        ("history", ["year-two.md", "year-one.md"]),
        ("report-one", ["report-one.md"]),
        (f"{HOME}/state/STATUS.md", ["STATUS.md"]),
        ("tasks/", ["task-one.md"]),
        ("history/*-one.md", ["year-one.md"]),
        (f"{HOME}/**/*-two.md", ["year-two.md"]),
    ],
)
def test_a_selector_is_a_type_an_id_a_path_or_a_pattern(
    root: Path, selector: str, names: list[str]
) -> None:
    events = timeline(holdings(root), selector).events
    assert [event.path.rpartition("/")[2] for event in events] == names


@pytest.mark.requirement("P18.4", "P2.4")
@pytest.mark.parametrize("selector", ["nothing", "denied", DENIED, "nope/**"])
def test_a_selector_of_nothing_in_scope_is_not_found(root: Path, selector: str) -> None:
    with pytest.raises(ArtifactNotFoundError):
        timeline(holdings(root), selector)


def test_a_type_without_artifacts_is_an_empty_timeline(tmp_path: Path) -> None:
    root = write_corpus(tmp_path / "corpus", history={})
    assert timeline(holdings(root), "history").events == ()


def test_a_pattern_that_is_none_is_refused(root: Path) -> None:
    with pytest.raises(BadScopeError):
        timeline(holdings(root), "../*")


# Show


@pytest.mark.requirement("P18.4")
@pytest.mark.parametrize(
    "name",
    [
        f"{HOME}/history/year-one.md",
        f"./{HOME}/history/year-one.md",
        "history/year-one.md",
        "year-one",
    ],
)
def test_a_source_is_shown_by_path_or_id_with_its_hash(root: Path, name: str) -> None:
    shown = show(holdings(root), name)
    content = (root / HOME / "history/year-one.md").read_bytes()
    assert shown.content.encode() == content
    assert shown.sha256 == hashlib.sha256(content).hexdigest()
    assert (shown.path, shown.line_count) == (f"{HOME}/history/year-one.md", 5)


@pytest.mark.requirement("P18.4")
@pytest.mark.parametrize(
    ("first", "last", "content", "end"),
    [(3, 3, "The Pump froze.", 3), (4, 99, "The pump was\nreplaced: pump, pump.", 5)],
)
def test_some_lines_are_shown_and_an_end_too_far_is_cut(
    root: Path, first: int, last: int, content: str, end: int
) -> None:
    shown = show(holdings(root), "year-one", LineSpan(first=first, last=last))
    assert shown.content == content
    assert shown.as_json()["line_end"] == end


def test_lines_behind_the_end_are_refused(root: Path) -> None:
    with pytest.raises(UsageError):
        show(holdings(root), "year-one", LineSpan(first=6, last=7))


@pytest.mark.requirement("P18.4", "P2.4")
def test_what_is_denied_and_what_does_not_exist_look_alike(root: Path) -> None:
    answers = []
    for name in (DENIED, f"{HOME}/history/absent.md", "AGENTS.md", "../outside.md"):
        with pytest.raises(ArtifactNotFoundError) as caught:
            show(holdings(root), name)
        answers.append(str(caught.value).replace(name, "NAME"))
    assert len(set(answers)) == 1


def test_of_several_artifacts_with_one_id_the_task_comes_before_the_report(
    tmp_path: Path,
) -> None:
    root = write_corpus(
        tmp_path / "corpus",
        tasks={"task-one": task_page("task-one"), "twin": task_page("twin")},
        reports={"twin": report_page("twin"), "report-one": report_page("report-one")},
    )
    assert show(holdings(root), "twin").kind == "task"


# Capabilities and commands


@pytest.mark.requirement("P18.4", "P3.4")
@pytest.mark.parametrize(
    ("command", "capability"),
    [
        (("search", "pump"), "corpus.search"),
        (("timeline",), "corpus.timeline"),
        (("show", "year-one"), "corpus.read"),
    ],
)
def test_each_use_needs_its_own_capability_and_no_other(
    root: Path, cli: InProcess, command: tuple[str, ...], capability: str
) -> None:
    write(root / HOME / "policy.toml", policy_page(allow=[capability]))
    assert cli(*command, cwd=root).status == 0
    others = [name for name in ALLOW if name != capability]
    write(root / HOME / "policy.toml", policy_page(allow=others))
    outcome = cli(*command, cwd=root)
    assert (outcome.status, json.loads(outcome.err)["error"]) == (2, "POLICY_DENIED")
    with pytest.raises(PolicyDeniedError):
        holdings(root, capability)


@pytest.mark.requirement("P18.4", "P18.1")
def test_the_commands_print_text_for_people(root: Path, cli: InProcess) -> None:
    searched = cli("search", str(root), "pump", "--limit", "1", terminal=True)
    assert searched.out == (
        f"{HOME}/history/year-one.md:3: The Pump froze.\n… 3 more places\n"
    )
    assert cli("search", str(root), "zebra", terminal=True).out == "nothing found\n"
    listed = cli("timeline", "history", cwd=root, terminal=True)
    assert [row.split()[0] for row in listed.out.splitlines()] == [
        "2025-06-01",
        "undated",
    ]
    shown = cli("show", "year-two", "--lines", "5", cwd=root, terminal=True)
    assert shown.out == "No PUMP failed.\n"


@pytest.mark.requirement("P18.4")
def test_one_word_given_to_timeline_is_the_root_when_it_names_a_folder(
    root: Path, tmp_path: Path, cli: InProcess
) -> None:
    assert len(json.loads(cli("timeline", str(root)).out)["events"]) == 6
    assert len(json.loads(cli("timeline", str(root), "task").out)["events"]) == 1
    (tmp_path / "empty").mkdir()
    missing = cli("timeline", str(tmp_path / "empty"), cwd=root)
    assert json.loads(missing.err)["error"] == "ROOT_NOT_FOUND"
    unknown = cli("timeline", "nothing", cwd=root)
    assert json.loads(unknown.err)["error"] == "ARTIFACT_NOT_FOUND"


@pytest.mark.requirement("P18.4", "P18.2")
@pytest.mark.parametrize("span", ["0", "5-2", "a-b", "1-", "-3", "1-2-3"])
def test_a_span_that_is_none_is_a_usage_error(
    root: Path, cli: InProcess, span: str
) -> None:
    outcome = cli("show", "year-one", f"--lines={span}", cwd=root)
    assert (outcome.status, json.loads(outcome.err)["error"]) == (2, "USAGE")


@pytest.mark.requirement("P5.10")
def test_browsing_writes_nothing(root: Path, cli: InProcess) -> None:
    before = sorted((p, p.stat().st_mtime_ns) for p in root.rglob("*"))
    for command in (("search", "pump"), ("timeline",), ("show", "year-one")):
        assert cli(*command, cwd=root).status == 0
    assert sorted((p, p.stat().st_mtime_ns) for p in root.rglob("*")) == before
