"""What a query answers: relevance first, then authority and time, always labelled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from corpus import lexical
from corpus.errors import QueryEmptyError, QueryLimitError
from corpus.ranker import Options
from corpus.scopes import Scope
from corpus.search import search
from tests.corpora import (
    HOME,
    live_view_of_corpus,
    report_page,
    status_page,
    task_page,
    view_of_corpus,
    write_corpus,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from corpus.hits import Hit
    from corpus.view import View


def view_with(folder: Path, **history: str) -> View:
    """Open a corpus with these pages of history (`_` in a name becomes `-`)."""
    pages = {name.replace("_", "-"): text for name, text in history.items()}
    return live_view_of_corpus(write_corpus(folder / "one", history=pages))


def stems(hits: tuple[Hit, ...]) -> list[str]:
    return [hit.facts.path.rpartition("/")[2].removesuffix(".md") for hit in hits]


def reports(folder: Path, texts: Mapping[str, tuple[str, Mapping[str, str]]]) -> View:
    """Open a corpus with these reports: stem -> (summary, more metadata)."""
    pages = {
        name: report_page(name, summary=summary, metadata=metadata)
        for name, (summary, metadata) in texts.items()
    }
    return live_view_of_corpus(write_corpus(folder / "one", reports=pages))


@pytest.mark.requirement("P7.1")
@pytest.mark.parametrize("query", ["", " \t\n", "\u3000"])
def test_a_query_of_nothing_is_refused(tmp_path: Path, query: str) -> None:
    with pytest.raises(QueryEmptyError):
        search(view_with(tmp_path), query)


@pytest.mark.requirement("P7.1")
@pytest.mark.parametrize("limit", [0, 101, -1])
def test_a_limit_out_of_range_is_refused(tmp_path: Path, limit: int) -> None:
    with pytest.raises(QueryLimitError):
        search(view_with(tmp_path), "gauge", Options(limit=limit))


@pytest.mark.requirement("P6.3")
@pytest.mark.parametrize("query", ["the of and", "?!", "… —"])
def test_a_query_without_usable_terms_answers_nothing_and_says_so(
    tmp_path: Path, query: str
) -> None:
    found = search(view_with(tmp_path, one="The end of the day.\n"), query)
    assert found.hits == ()
    assert found.as_json()["note"] == "no usable terms"


@pytest.mark.requirement("P7.1")
def test_results_can_be_limited_to_a_type_a_time_and_a_path(tmp_path: Path) -> None:
    root = write_corpus(
        tmp_path / "one",
        tasks={
            "task-one": task_page("task-one", status="ACTIVE", scope="Mend the valve."),
            "task-two": task_page("task-two", status="OPEN", scope="Order a valve."),
            "task-old": task_page("task-old", status="DONE", scope="Sell the valve."),
        },
        reports={"report-one": report_page("report-one", summary="The valve leaks.")},
        history={"deep/year-one": "A valve burst.\n"},
    )
    view = live_view_of_corpus(root)

    def found(**asked: object) -> list[str]:
        return sorted(stems(search(view, "valve", Options(**asked)).hits))  # type: ignore[arg-type]

    everything = ["report-one", "task-old", "task-one", "task-two", "year-one"]
    assert found() == everything
    assert found(kind="report") == ["report-one"]
    assert found(temporal="current") == ["report-one", "task-one", "task-two"]
    assert found(temporal="historical") == ["task-old", "year-one"]
    assert found(path=Scope.parse(f"{HOME}/history/**")) == ["year-one"]
    assert found(limit=2) != everything


@pytest.mark.requirement("P7.8")
def test_a_result_has_every_field_and_points_at_its_lines(tmp_path: Path) -> None:
    text = "# Valves\n\nIntro.\n\n## Repair\n\nTurn the red valve\nto the left.\n"
    view = view_with(tmp_path, year_one=text)
    answer = search(view, "turn the red valve").as_json()
    assert {k: answer[k] for k in ("schema_version", "project_id", "query")} == {
        "schema_version": "1",
        "project_id": "demo-one",
        "query": "turn the red valve",
    }
    assert answer["non_authoritative"] is True
    results = answer["results"]
    assert isinstance(results, list)
    result = results[0]
    path = f"{HOME}/history/year-one.md"
    assert result["source_path"] == path
    assert result["source_sha256"] == view.snapshot[path]
    assert result["text"] == "Turn the red valve\nto the left."
    assert (result["line_start"], result["line_end"]) == (7, 8)
    assert (result["section"], result["section_line"]) == ("Repair", 5)
    assert result["heading_path"] == ["Valves", "Repair"]
    assert result["source_type"] == "history"
    assert result["authority_class"] == "HISTORY"
    assert result["temporal_status"] == "historical"
    assert result["timestamp"] is None
    assert result["provider"] == "markdown"
    assert isinstance(result["retrieval_score"], int)
    assert result["freshness_requirement"] == (
        "READ_PRIMARY_SOURCE_BEFORE_AUTHORITY_CLAIM"
    )
    assert result["non_authoritative"] is True
    assert "exact_phrase" in result["selection_reasons"]


@pytest.mark.requirement("P5.2", "P7.8")
def test_an_item_id_says_nothing_of_the_text_and_changes_with_the_source(
    tmp_path: Path,
) -> None:
    first = search(view_with(tmp_path / "a", one="A red valve.\n"), "valve").hits[0]
    same = search(view_with(tmp_path / "b", one="A red valve.\n"), "valve").hits[0]
    other = search(view_with(tmp_path / "c", one="A red valve!\n"), "valve").hits[0]
    assert first.item_id == same.item_id != other.item_id


@pytest.mark.requirement("P7.2")
def test_the_same_query_gives_the_same_answer_from_file_and_memory(
    tmp_path: Path,
) -> None:
    root = write_corpus(tmp_path / "one")
    built = search(view_of_corpus(root), "gauge station winter").as_json()
    again = search(view_of_corpus(root), "gauge station winter").as_json()
    live = search(live_view_of_corpus(root), "gauge station winter").as_json()
    assert built == again == live


@pytest.mark.requirement("P7.2")
def test_authority_never_lifts_a_poorer_match_over_the_full_one(
    tmp_path: Path,
) -> None:
    status = status_page(current_verified_baseline="The pump is fine.")
    page = "# Pump\n\nThe pump failed at station nine when the coupling cracked.\n"
    root = write_corpus(tmp_path / "one", status=status, history={"year-one": page})
    found = search(live_view_of_corpus(root), "pump failed coupling cracked station")
    assert stems(found.hits)[0] == "year-one"


@pytest.mark.requirement("P7.2")
def test_authority_and_time_order_what_is_equally_relevant(tmp_path: Path) -> None:
    fact = "The outer coupling is torqued to spec."
    root = write_corpus(
        tmp_path / "one",
        status=status_page(current_verified_baseline=f"{fact} Seen."),
        history={"year-one": f"# Status\n\n## Baseline\n\n{fact} Once.\n"},
    )
    found = search(live_view_of_corpus(root), "outer coupling torqued")
    assert stems(found.hits) == ["STATUS", "year-one"]


@pytest.mark.requirement("P7.2")
def test_a_word_in_the_heading_path_counts(tmp_path: Path) -> None:
    view = view_with(
        tmp_path,
        one="# Notes\n\n## Calibration\n\nTwice a year.\n\n## Care\n\nTwice a week.\n",
    )
    found = search(view, "calibration twice").hits
    assert found[0].section == "Calibration"
    assert "heading_terms:calibr" in found[0].reasons


@pytest.mark.requirement("P7.2")
def test_words_near_each_other_rank_above_words_apart(tmp_path: Path) -> None:
    filler = "It was said that many other things were seen on that day. "
    view = view_with(
        tmp_path,
        apart=f"# A\n\nA drain was opened. {filler * 3} A filter was replaced.\n",
        near=f"# A\n\nThe drain filter was opened. {filler * 3} All was replaced.\n",
    )
    assert stems(search(view, "drain filter").hits)[0] == "near"


@pytest.mark.requirement("P7.4")
def test_a_superseded_source_yields_its_place_and_stays(tmp_path: Path) -> None:
    view = reports(
        tmp_path,
        {
            "report-old": ("Tokens rotate every ninety days by hand.", {}),
            "report-new": (
                "Credentials are exchanged weekly.",
                {"Supersedes": "report-old"},
            ),
        },
    )
    found = search(view, "how often do tokens rotate").hits
    assert stems(found)[:2] == ["report-new", "report-old"]
    assert found[1].standing.temporal == "superseded"
    assert any(reason.startswith("supersedes:") for reason in found[0].reasons)
    assert any(reason.startswith("superseded_by:") for reason in found[1].reasons)


@pytest.mark.requirement("P7.7")
@pytest.mark.parametrize(
    "query",
    [
        pytest.param("how did tokens rotate previously", id="en"),
        pytest.param("how tokens rotate, old way", id="en old"),
    ],
)
def test_who_asks_for_history_gets_the_old_source_first(
    tmp_path: Path, query: str
) -> None:
    view = reports(
        tmp_path,
        {
            "report-old": ("Tokens rotate every ninety days by hand.", {}),
            "report-new": ("Tokens rotate weekly.", {"Supersedes": "report-old"}),
        },
    )
    assert stems(search(view, query).hits)[0] == "report-old"
    assert search(view, query).history_asked


@pytest.mark.requirement("P7.7")
def test_a_word_that_only_contains_old_does_not_ask_for_history(
    tmp_path: Path,
) -> None:
    view = view_with(tmp_path, one="The threshold of the fold.\n")
    assert not search(view, "threshold of the fold").history_asked
    assert search(view, "x", Options(temporal="historical")).history_asked


@pytest.mark.requirement("P7.4")
def test_what_replaced_something_is_answered_by_the_successor(tmp_path: Path) -> None:
    view = reports(
        tmp_path,
        {
            "plan-seven": ("Plan seven: nightly copies.", {}),
            "plan-nine": ("Hourly snapshots.", {"Supersedes": "plan-seven"}),
            "plan-talk": ("Notes on plan seven, as it was replaced.", {}),
        },
    )
    assert stems(search(view, "what replaced plan seven").hits)[0] == "plan-nine"


@pytest.mark.requirement("P7.2")
def test_a_source_that_declares_itself_past_comes_after_its_equal(
    tmp_path: Path,
) -> None:
    view = view_with(
        tmp_path,
        adr_a="# ADR\n\n- Status: Superseded\n\nSessions live in the red cache.\n",
        adr_b="# ADR\n\n- Status: Accepted\n\nSessions live in the blue cache.\n",
    )
    found = search(view, "where do sessions live").hits
    assert stems(found)[0] == "adr-b"
    declared = next(hit for hit in found if hit.facts.declared_past)
    assert "declares_itself_past" in declared.reasons
    assert declared.standing.temporal == "historical"


@pytest.mark.requirement("P6.1")
def test_nothing_is_unfindable_on_a_long_line(tmp_path: Path) -> None:
    line = "Water runs downhill here. " * 4_000
    view = view_with(
        tmp_path,
        one=f"# Long\n\n{line}The needle is amber. {line}\n",
        two="# Two\n\nx\n",
    )
    hit = search(view, "amber needle").hits[0]
    assert "The needle is amber." in hit.text
    assert len(hit.text) <= 2_400
    assert (hit.piece.first, hit.piece.last) == (3, 3)


@pytest.mark.requirement("P6.1")
def test_a_phrase_wrapped_over_two_lines_is_a_phrase(tmp_path: Path) -> None:
    view = view_with(tmp_path, one="# One\n\nThe outer\ncoupling cracked.\n")
    assert "exact_phrase" in search(view, "outer coupling").hits[0].reasons


@pytest.mark.requirement("P6.3")
@pytest.mark.parametrize(
    ("text", "query"),
    [
        pytest.param("The gauges were frozen.", "frozen gauge", id="en"),
        pytest.param("Датчики были заменены зимой.", "замена датчика зима", id="ru"),
        pytest.param("数据库每天备份一次。", "备份数据库", id="zh"),
        pytest.param("設定ファイルを再読み込みする。", "設定の再読み込み", id="ja"),
        pytest.param("데이터베이스를 매일 백업한다.", "데이터베이스 백업", id="ko"),
        pytest.param("ระบบสำรองข้อมูลทุกวัน", "สำรองข้อมูล", id="th"),
        pytest.param("Call `RecordStore.openReader` once.", "record store", id="camel"),
        pytest.param("Set max_tokens to 80.", "max-tokens", id="snake"),
        pytest.param("Released v2.0.1 today.", "2.0.1", id="version"),
        pytest.param("Le café est fermé.", "cafe ferme", id="marks"),
        pytest.param("税率が変わった。", "税", id="one Han character"),
    ],
)
def test_a_text_is_found_in_its_own_script(
    tmp_path: Path, text: str, query: str
) -> None:
    view = view_with(
        tmp_path, target=f"# T\n\n{text}\n", other="# O\n\nNothing of the kind.\n"
    )
    assert stems(search(view, query).hits)[0] == "target"


@pytest.mark.requirement("P7.3", "P7.1")
def test_an_open_task_is_labelled_historical_and_not_counted_as_past(
    tmp_path: Path,
) -> None:
    tasks = {"task-two": task_page("task-two", status="OPEN", scope="Buy a crane.")}
    root = write_corpus(tmp_path / "one", tasks=tasks)
    hit = search(live_view_of_corpus(root), "crane").hits[0]
    shown = hit.as_json("demo-one")
    assert (shown["temporal_status"], shown["task_status"]) == ("historical", "OPEN")
    assert not hit.past


@pytest.mark.requirement("P7.1")
def test_explain_shows_what_a_score_is_made_of(tmp_path: Path) -> None:
    view = view_with(tmp_path, one="# One\n\nA red valve.\n")
    plain = search(view, "red valve").hits[0].as_json("demo-one")
    told = search(view, "red valve", Options(explain=True)).hits[0].as_json("demo-one")
    assert "explain" not in plain
    explained = told["explain"]
    assert isinstance(explained, dict)
    total = explained["passage"] + explained["source"] + explained["nearness"]
    score = 100 * total * explained["authority_and_time"]
    assert told["retrieval_score"] == pytest.approx(score, abs=1.5)


@pytest.mark.requirement("P7.1", "P7.2")
def test_a_shorter_answer_is_the_beginning_of_a_longer_one(tmp_path: Path) -> None:
    pages = {
        f"page-{n:03}": f"# P\n\nThe valve {n} opens to {'the east ' * (n % 7)}gate.\n"
        for n in range(150)
    }
    view = live_view_of_corpus(write_corpus(tmp_path / "one", history=pages))
    longest = search(view, "valve opens east gate", Options(limit=100)).hits
    assert len(longest) == 100
    scores = [hit.score for hit in longest]
    assert scores == sorted(scores, reverse=True)
    for limit in (1, 7, 20, 60):
        found = search(view, "valve opens east gate", Options(limit=limit)).hits
        assert [hit.item_id for hit in found] == [
            hit.item_id for hit in longest[:limit]
        ]


@pytest.mark.requirement("P8.6", "P7.2")
def test_a_frame_that_waits_to_be_filled_comes_after_what_answers(
    tmp_path: Path,
) -> None:
    waiting = "<!-- Name the supported platforms here. -->\n\nNONE"
    page = "# Platforms\n\nThe supported platforms are Linux and macOS.\n"
    root = write_corpus(
        tmp_path / "one",
        status=status_page(current_verified_baseline=waiting),
        history={"year-one": page},
    )
    found = search(live_view_of_corpus(root), "supported platforms").hits
    assert stems(found)[0] == "year-one"
    frame = next(hit for hit in found if "<!--" in hit.text)
    assert frame.coverage == 0


@pytest.mark.requirement("P7.2")
def test_metadata_is_found_and_comes_after_prose(tmp_path: Path) -> None:
    view = reports(
        tmp_path,
        {"report-two": ("The result of report two is a leak in the valve.", {})},
    )
    found = search(view, "report two result").hits
    assert found[0].text.startswith("The result of report two")
    assert any(hit.text.startswith("Protocol-Version") for hit in found)


@pytest.mark.requirement("P6.3")
@pytest.mark.parametrize("query", ["집", "값", "키", "풀"])
def test_a_korean_word_of_one_syllable_is_found_with_its_particle(
    tmp_path: Path, query: str
) -> None:
    text = "# T\n\n새 키 값은 풀 안에 있다. 집을 고친다.\n"
    view = view_with(tmp_path, target=text, other="# O\n\nNothing.\n")
    assert stems(search(view, query).hits) == ["target"]


@pytest.mark.requirement("P7.2")
def test_an_answer_does_not_depend_on_what_was_asked_before(tmp_path: Path) -> None:
    words = "foo_bar it's x-y-z getUserName the valve/of/gate opens"
    pages = {f"p-{n}": f"# P\n\nThe valve {words} {n} east gate.\n" for n in range(30)}
    view = live_view_of_corpus(write_corpus(tmp_path / "one", history=pages))
    lexical._TERMS.clear()  # noqa: SLF001 - as in a process that starts
    cold = search(view, "valve east gate").as_json()
    search(view, words)
    for hit in search(view, "gate", Options(limit=100)).hits:
        lexical.terms(hit.text)
    assert search(view, "valve east gate").as_json() == cold
