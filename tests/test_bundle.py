"""The bundle: its fields, its budget, what comes first and what is left out."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from corpus.bundle import (
    MAX_ENVELOPE,
    NOT_HASHED,
    compile_bundle,
    stated_size,
)
from corpus.canonical import canonical_json, digest, sha256
from corpus.errors import BudgetError, BundleLimitError, QueryEmptyError
from corpus.hits import FRESHNESS
from corpus.tokens import bundle_tokens
from tests.corpora import (
    HOME,
    live_view_of_corpus,
    project_page,
    report_page,
    status_page,
    task_page,
    write,
    write_corpus,
)

if TYPE_CHECKING:
    from corpus.view import View
    from tests.conftest import InProcess

    Value = dict[str, Any]

NOW = datetime(2026, 2, 1, 12, 30, 45, 999, tzinfo=UTC)
PEPS = Path(__file__).parents[1].parent / "shared/data/peps"

PROJECT = f"{HOME}/state/PROJECT.md"
STATUS = f"{HOME}/state/STATUS.md"
TASK = f"{HOME}/tasks/task-one.md"

SENTENCES = " ".join(
    f"Gauge number {number} froze at dawn and was thawed with warm air."
    for number in range(400)
)


def bundle(view: View, query: str = "gauge station", max_tokens: int = 1200) -> Value:
    return dict(compile_bundle(view, query, max_tokens=max_tokens, now=NOW))


def view_with(folder: Path, **pages: str) -> View:
    """Open a corpus with these reports (`_` in a name becomes `-`)."""
    reports = {name.replace("_", "-"): text for name, text in pages.items()}
    return live_view_of_corpus(write_corpus(folder / "one", reports=reports))


def summaries(value: Value) -> list[Value]:
    return [
        item
        for item in value["items"]
        if "bounded_authority_summary" in item["selection_reasons"]
    ]


def passages(value: Value) -> list[Value]:
    return [item for item in value["items"] if item not in summaries(value)]


@pytest.mark.requirement("P8.2")
def test_a_bundle_has_exactly_the_fields_of_version_1(tmp_path: Path) -> None:
    value = bundle(view_with(tmp_path))
    assert set(value) == {
        "schema_version",
        "project_id",
        "query",
        "created_at",
        "index_schema_version",
        "source_snapshot_digest",
        "source_count",
        "selected_source_snapshot",
        "mandatory_reads",
        "budget",
        "items",
        "serialized_bytes",
        "non_authoritative",
        "bundle_sha256",
    }
    assert (value["schema_version"], value["project_id"], value["query"]) == (
        "1",
        "demo-one",
        "gauge station",
    )
    assert value["created_at"] == "2026-02-01T12:30:45Z"
    assert value["non_authoritative"] is True
    assert value["budget"] == {
        "max_tokens": 1200,
        "estimated_tokens": sum(bundle_tokens(i["text"]) for i in value["items"]),
        "estimator": "utf8_excerpt_bytes_div_4_ceil",
        "max_envelope_bytes": 65536,
    }


@pytest.mark.requirement("P8.2", "P7.8")
def test_every_item_carries_the_fields_of_a_result(tmp_path: Path) -> None:
    value = bundle(view_with(tmp_path, one=report_page("one", summary=SENTENCES)))
    for item in value["items"]:
        assert {
            "item_id",
            "project_id",
            "provider",
            "text",
            "source_path",
            "source_sha256",
            "source_type",
            "authority_class",
            "temporal_status",
            "timestamp",
            "section",
            "heading_path",
            "section_line",
            "line_start",
            "line_end",
            "retrieval_score",
            "selection_reasons",
            "freshness_requirement",
            "non_authoritative",
        } <= set(item)
        assert item["freshness_requirement"] == FRESHNESS
    scores = [item["retrieval_score"] for item in passages(value)]
    assert scores == sorted(scores, reverse=True)
    assert min(i["retrieval_score"] for i in summaries(value)) > max(scores)
    assert len({item["item_id"] for item in value["items"]}) == len(value["items"])


@pytest.mark.requirement("P8.2", "P8.8")
def test_only_sources_of_items_are_named_with_their_hashes(tmp_path: Path) -> None:
    view = view_with(tmp_path, one=report_page("one"))
    value = bundle(view, "gauge")
    paths = {item["source_path"] for item in value["items"]}
    assert value["selected_source_snapshot"] == {p: view.snapshot[p] for p in paths}
    assert value["source_snapshot_digest"] == digest(view.snapshot)
    assert value["source_count"] == len(view.snapshot) > len(paths)
    assert f"{HOME}/reports/one.md" not in json.dumps(value["selected_source_snapshot"])


@pytest.mark.requirement("P8.2", "P8.4")
def test_mandatory_reads_name_the_sections_the_file_has(tmp_path: Path) -> None:
    project = project_page().replace("## Non-Goals", "## Something Else")
    root = write_corpus(tmp_path / "one", project=project)
    reads = bundle(live_view_of_corpus(root))["mandatory_reads"]
    assert [(read["source_path"], read["reason"]) for read in reads] == [
        (PROJECT, "full_primary_project_read_required"),
        (STATUS, "full_primary_status_read_required"),
        (TASK, "full_primary_task_read_required"),
    ]
    assert reads[0]["required_sections"] == [
        "Objective",
        "Invariants",
        "Durable Scope Boundaries",
    ]
    assert reads[0]["source_sha256"] == sha256((root / PROJECT).read_bytes())


@pytest.mark.requirement("P8.3")
def test_hash_and_size_are_those_of_the_canonical_json(tmp_path: Path) -> None:
    view = view_with(tmp_path, one=report_page("one", summary=SENTENCES))
    for tokens in (80, 111, 999, 1200, 20_000):
        value = bundle(view, 'gauge "雨量" \\ é\u2028', tokens)
        hashed = {key: value[key] for key in value if key not in NOT_HASHED}
        assert value["bundle_sha256"] == digest(hashed)
        assert value["serialized_bytes"] == len(canonical_json(value))


@pytest.mark.requirement("P8.3")
def test_the_stated_size_counts_its_own_digits() -> None:
    for size in [*range(1, 1200), *range(9_980, 10_010), *range(99_980, 100_010)]:
        stated = stated_size(size)
        assert stated == size - 1 + len(str(stated))


@pytest.mark.requirement("P8.8")
def test_two_runs_differ_only_in_when_they_were_made(tmp_path: Path) -> None:
    view = view_with(tmp_path, one=report_page("one", summary=SENTENCES))
    again = compile_bundle(view, "gauge", now=datetime(2030, 1, 1, tzinfo=UTC))
    once = compile_bundle(view, "gauge", now=NOW)
    assert again["created_at"] != once["created_at"]
    assert {**again, "created_at": ""} == {**once, "created_at": ""}


@pytest.mark.requirement("P8.8")
def test_any_change_of_any_source_changes_digest_and_hash(tmp_path: Path) -> None:
    root = write_corpus(tmp_path / "one")
    before = bundle(live_view_of_corpus(root))
    write(root / HOME / "history/year-one.md", "# Year one\n\nThe first gauge froze.\n")
    after = bundle(live_view_of_corpus(root))
    assert after["source_snapshot_digest"] != before["source_snapshot_digest"]
    assert after["bundle_sha256"] != before["bundle_sha256"]


@pytest.mark.requirement("P8.1")
@pytest.mark.parametrize("tokens", [79, 20_001, 0, -1, True, 80.0, "80", None])
def test_a_budget_out_of_range_is_refused(tmp_path: Path, tokens: Any) -> None:  # noqa: ANN401 - any value
    with pytest.raises(BudgetError):
        bundle(view_with(tmp_path), max_tokens=tokens)


@pytest.mark.requirement("P8.1")
def test_an_empty_query_is_refused(tmp_path: Path) -> None:
    with pytest.raises(QueryEmptyError):
        bundle(view_with(tmp_path), " \n")


@pytest.mark.requirement("P8.4")
def test_project_status_and_task_come_first_in_short(tmp_path: Path) -> None:
    first, second, third, *_ = bundle(view_with(tmp_path))["items"]
    assert [item["source_path"] for item in (first, second, third)] == [
        PROJECT,
        STATUS,
        TASK,
    ]
    assert second["text"].splitlines() == [
        (
            "Protocol-Version: 2.0 | Project-ID: demo-one | Lifecycle-Status: ACTIVE"
            " | Active-Task-ID: task-one | Last-Verified-At: 2026-01-01T00:00:00Z"
            " | Evidence-Class: OBSERVED"
        ),
        "Current Verified Baseline: Nine of twelve stations report every hour.",
        "Blockers: NONE",
        "Evidence References: - Report-ID: report-one",
        "Exact Next Action: Install the gauge at station ten.",
    ]
    assert (second["line_start"], second["line_end"]) == (3, 24)
    assert third["selection_reasons"] == ["mandatory_task", "bounded_authority_summary"]


LONG_STATE = project_page(
    objective=SENTENCES,
    invariants="\n".join(f"- Rule {n} holds in every season." for n in range(200)),
    durable_scope_boundaries="雨量计在第一站安装。第二站没有雨量计。" * 300,
)


@pytest.mark.requirement("P8.4")
@pytest.mark.parametrize("tokens", [200, 400, 1200, 5000, 20_000])
def test_every_required_section_is_shortened_evenly_in_half_the_budget(
    tmp_path: Path, tokens: int
) -> None:
    status = status_page(current_verified_baseline=SENTENCES)
    root = write_corpus(tmp_path / "one", project=LONG_STATE, status=status)
    value = bundle(live_view_of_corpus(root), "gauge", tokens)
    assert sum(bundle_tokens(i["text"]) for i in summaries(value)) <= tokens // 2
    for item, read in zip(summaries(value), value["mandatory_reads"], strict=True):
        for section in read["required_sections"]:
            assert f"{section}: " in item["text"]
    rows = [row for row in summaries(value)[0]["text"].split("\n") if ": " in row]
    for row in rows:
        title, _, text = row.partition(": ")
        body = text.removesuffix(" …")
        if title == "Objective" and text.endswith("…"):
            assert SENTENCES.startswith(body)
            assert SENTENCES[len(body)] == " "
        if title == "Durable Scope Boundaries" and text.endswith(" …"):
            assert tokens < 1200 or body.endswith("。")


@pytest.mark.requirement("P8.4")
def test_long_sections_share_what_short_ones_leave(tmp_path: Path) -> None:
    project = project_page(objective=SENTENCES, invariants=SENTENCES, non_goals="None.")
    value = bundle(live_view_of_corpus(write_corpus(tmp_path / "one", project=project)))
    rows = dict(
        row.split(": ", 1) for row in value["items"][0]["text"].splitlines()[1:]
    )
    assert rows["Non-Goals"] == "None."
    sizes = [len(rows["Objective"]), len(rows["Invariants"])]
    assert min(sizes) > 0.7 * max(sizes) > 200


@pytest.mark.requirement("P8.4")
def test_summaries_skip_comments_and_use_whole_lines_of_the_file(
    tmp_path: Path,
) -> None:
    project = project_page(
        objective="<!-- what we\nwant -->\nMeasure rain.\n\nAnd <!-- x --> snow."
    )
    root = write_corpus(tmp_path / "one", project=project)
    text = bundle(live_view_of_corpus(root))["items"][0]["text"]
    assert "Objective: Measure rain.\nAnd  snow.\nInvariants:" in text


@pytest.mark.requirement("P8.4", "P8.5")
def test_the_smallest_budget_still_says_something_of_each(tmp_path: Path) -> None:
    root = write_corpus(tmp_path / "one", project=LONG_STATE)
    value = bundle(live_view_of_corpus(root), "gauge", 80)
    assert value["budget"]["estimated_tokens"] <= 80
    assert [len(item["text"]) > 15 for item in summaries(value)] == [True] * 3
    assert "Exact Next Action: Install" in summaries(value)[1]["text"]


@pytest.mark.requirement("P8.4")
def test_no_active_task_is_no_summary(tmp_path: Path) -> None:
    status = status_page(active_task="NONE")
    root = write_corpus(tmp_path / "one", status=status)
    value = bundle(live_view_of_corpus(root))
    assert len(summaries(value)) == len(value["mandatory_reads"]) == 2


@pytest.mark.requirement("P8.5")
def test_passages_follow_in_rank_order_and_the_last_is_cut_to_fit(
    tmp_path: Path,
) -> None:
    view = view_with(tmp_path, one=report_page("one", summary=SENTENCES))
    value = bundle(view, "gauge 42 froze", 600)
    *_, last = passages(value)
    assert "cut_to_fit" in last["selection_reasons"]
    assert "…" in last["text"]
    lines = view.lines(last["source_path"])
    for row, number in zip(
        last["text"].split("\n"), range(last["line_start"], 999), strict=False
    ):
        assert row.strip("… ") in lines[number - 1]
    assert 540 <= value["budget"]["estimated_tokens"] <= 600


@pytest.mark.requirement("P8.5")
def test_what_a_summary_shows_whole_is_not_repeated(tmp_path: Path) -> None:
    value = bundle(view_with(tmp_path), "gauge station ten", 1200)
    assert passages(value) == []
    short = bundle(view_with(tmp_path), "gauge station ten", 200)
    assert "Install the gauge at station ten." in [i["text"] for i in passages(short)]


@pytest.mark.requirement("P8.5", "P14")
@pytest.mark.parametrize(
    "unit", ["plain gauge words. ", 'gauge "quoted" \\ text. ', "gauge \x01\x02. "]
)
def test_the_envelope_ends_the_bundle_and_its_count_is_exact(
    tmp_path: Path, unit: str
) -> None:
    pages = {
        f"page_{n}": report_page(f"page-{n}", summary=f"Number {n}. " + unit * 400)
        for n in range(30)
    }
    value = bundle(view_with(tmp_path, **pages), "gauge", 20_000)
    size = len(canonical_json(value))
    assert value["serialized_bytes"] == size <= MAX_ENVELOPE
    assert size > 0.9 * MAX_ENVELOPE


@pytest.mark.requirement("P8.5")
def test_summaries_take_half_the_envelope_at_most(tmp_path: Path) -> None:
    quoted = '"\\' * 30_000
    project = project_page(objective="".join(f"{quoted[:99]}. " for _ in range(400)))
    reports = {"one": report_page("one", summary=SENTENCES)}
    root = write_corpus(tmp_path / "one", project=project, reports=reports)
    value = bundle(live_view_of_corpus(root), "gauge", 20_000)
    assert passages(value)
    assert value["serialized_bytes"] <= MAX_ENVELOPE
    assert sum(len(canonical_json(i)) for i in summaries(value)) <= MAX_ENVELOPE // 2


@pytest.mark.requirement("P8.5")
def test_a_query_that_fills_the_envelope_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BundleLimitError) as caught:
        bundle(view_with(tmp_path), "gauge " * 11_000)
    assert caught.value.facts["maximum"] == MAX_ENVELOPE


def past_and_present(folder: Path, **reports: str) -> View:
    pages = {name.replace("_", "-"): text for name, text in reports.items()}
    history = {"old-heater": "# Heaters\n\nThe copper heater thaws a frozen gauge.\n"}
    root = write_corpus(folder / "one", reports=pages, history=history)
    return live_view_of_corpus(root)


def sources(value: Value) -> list[str]:
    return [Path(i["source_path"]).stem for i in passages(value)]


@pytest.mark.requirement("P8.6")
def test_the_past_is_left_out_where_something_current_answers(tmp_path: Path) -> None:
    now = report_page("new", summary="The steel heater thaws a frozen gauge.")
    view = past_and_present(tmp_path, new=now)
    value = bundle(view, "heater thaws frozen gauge")
    assert "new" in sources(value)
    assert "old-heater" not in sources(value)


@pytest.mark.requirement("P8.6")
def test_the_past_comes_labelled_where_nothing_current_answers(tmp_path: Path) -> None:
    value = bundle(past_and_present(tmp_path), "copper heater thaws")
    assert sources(value)[0] == "old-heater"
    assert passages(value)[0]["temporal_status"] == "historical"


@pytest.mark.requirement("P8.6", "P7.7")
def test_the_past_comes_when_it_is_asked_for(tmp_path: Path) -> None:
    now = report_page("new", summary="The steel heater thaws a frozen gauge.")
    view = past_and_present(tmp_path, new=now)
    value = bundle(view, "which heater thaws a frozen gauge, previously")
    assert {"new", "old-heater"} <= set(sources(value))


@pytest.mark.requirement("P8.6")
def test_a_superseded_report_gives_way_to_its_successor(tmp_path: Path) -> None:
    old = report_page("first", summary="The heater runs at 20 degrees on gauges.")
    new = report_page(
        "second",
        summary="The heater runs at 30 degrees on gauges.",
        metadata={"Supersedes": "first"},
    )
    view = view_with(tmp_path, first=old, second=new)
    assert "first" not in sources(bundle(view, "heater degrees on gauges"))
    asked = bundle(view, "history of heater degrees on gauges")
    assert "superseded" in [i["temporal_status"] for i in passages(asked)]


@pytest.mark.requirement("P8.6")
def test_an_open_task_is_not_the_past(tmp_path: Path) -> None:
    tasks = {
        "task-one": task_page("task-one", status="ACTIVE"),
        "task-two": task_page("task-two", objective="Replace the anemometer mast."),
        "task-three": task_page(
            "task-three", status="DONE", objective="Replace the anemometer vane."
        ),
    }
    view = live_view_of_corpus(write_corpus(tmp_path / "one", tasks=tasks))
    found = sources(bundle(view, "replace anemometer"))
    assert "task-two" in found
    assert "task-three" not in found


@pytest.mark.requirement("P8.1")
def test_any_query_can_be_part_of_a_bundle(tmp_path: Path) -> None:
    value = bundle(view_with(tmp_path), "gauge \udc80 \x00 \u202e")
    assert value["query"] == "gauge \ufffd \x00 \u202e"
    assert value["serialized_bytes"] == len(canonical_json(value))


@pytest.mark.requirement("P8.1", "P5.7", "P18.1")
def test_the_command_refuses_a_stale_index_and_refreshes_on_request(
    tmp_path: Path, cli: InProcess
) -> None:
    root = write_corpus(tmp_path / "one")
    missing = cli("context", "bundle", "gauge", cwd=root)
    assert (missing.status, json.loads(missing.err)["error"]) == (2, "INDEX_MISSING")
    made = cli("context", "bundle", "gauge", "--refresh", "--max-tokens=80", cwd=root)
    value = json.loads(made.out)
    assert made.status == 0
    assert value["budget"]["max_tokens"] == 80
    assert value["serialized_bytes"] == len(canonical_json(value))
    write(root / HOME / "history/new.md", "# New\n")
    stale = cli("context", "bundle", "gauge", cwd=root)
    assert json.loads(stale.err)["error"] == "INDEX_STALE"
    wrong = cli("context", "bundle", "gauge", "--max-tokens", "79", cwd=root)
    assert json.loads(wrong.err)["error"] == "BUDGET_INVALID"


@pytest.mark.requirement("P8.1")
def test_a_terminal_gets_the_prompt_and_a_pipe_the_bundle(
    tmp_path: Path, cli: InProcess
) -> None:
    root = write_corpus(tmp_path / "one")
    command = ("context", "bundle", str(root), "gauge", "--refresh")
    assert cli(*command, terminal=True).out.startswith("# Project context: demo-one")
    assert json.loads(cli(*command).out)["schema_version"] == "1"
    asked = cli(*command, "--format", "json", terminal=True)
    assert json.loads(asked.out)["schema_version"] == "1"


@pytest.mark.requirement("P8.8")
@pytest.mark.timeout(60)
def test_real_documents_are_compiled_within_their_budget(tmp_path: Path) -> None:
    if not PEPS.is_dir():
        pytest.skip("the real documents are not here")
    pages = {p.stem: p.read_text(encoding="utf-8") for p in sorted(PEPS.rglob("*.md"))}
    if not pages:
        pytest.skip("there is no Markdown among the real documents")
    history = {f"doc-{n}": text for n, text in enumerate(list(pages.values())[:60])}
    view = live_view_of_corpus(write_corpus(tmp_path / "one", history=history))
    for tokens in (80, 1200, 20_000):
        value = bundle(view, "how are type hints checked", tokens)
        assert value["budget"]["estimated_tokens"] <= tokens
        assert value["serialized_bytes"] == len(canonical_json(value)) <= MAX_ENVELOPE
