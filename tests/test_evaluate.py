from __future__ import annotations

import json
import math
import shutil
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.canonical import digest
from corpus.errors import EvalLimitError, EvalSchemaError, IndexStaleError
from corpus.evaldata import MAX_CASES, read_dataset
from corpus.evalreport import compare
from corpus.evaluate import evaluate
from corpus.metrics import mean, ndcg, recall, reciprocal_rank
from tests.corpora import (
    NOW,
    policy_page,
    report_page,
    status_page,
    view_of_corpus,
    write,
    write_corpus,
)

if TYPE_CHECKING:
    from pathlib import Path

    from corpus.evalreport import CaseResult, EvalReport
    from corpus.view import View
    from tests.conftest import InProcess

HOME = ".project-corpus"
PUMP = f"{HOME}/reports/pump.md"
OLD = f"{HOME}/reports/old-pump.md"
DENIED = f"{HOME}/history/denied.md"
MOMENT = datetime.fromtimestamp(NOW, UTC)


@pytest.fixture
def view(tmp_path: Path) -> View:
    """Open a corpus in which one report supersedes another, and one file is denied."""
    reports = {
        "pump": report_page(
            "pump",
            summary="The pump fails below minus ten degrees; its seal turns brittle.",
            metadata={"Supersedes": "old-pump"},
        ),
        "old-pump": report_page(
            "old-pump", summary="The pump was thought to fail from a weak battery."
        ),
    }
    root = write_corpus(
        tmp_path / "corpus",
        reports=reports,
        status=status_page(evidence_references="NONE"),
        policy=policy_page(deny=[DENIED]),
    )
    write(root / DENIED, "# Denied\n\nThe pump's supplier is a secret.\n")
    return view_of_corpus(root)


def dataset(*cases: dict[str, Any]) -> dict[str, Any]:
    return {"schema_version": "1", "cases": list(cases)}


def run(view: View, *cases: dict[str, Any]) -> EvalReport:
    return evaluate(view, read_dataset(dataset(*cases)), now=MOMENT)


def result_of(view: View, **case: Any) -> CaseResult:  # noqa: ANN401 - any JSON
    (result,) = run(view, {"query": "why does the pump fail", **case}).results
    return result


def failed(result: CaseResult) -> list[str]:
    return [check.check for check in result.failed]


# The dataset


@pytest.mark.requirement("P12.1")
def test_a_case_may_use_every_key_of_the_format() -> None:
    (case,) = read_dataset(
        dataset(
            {
                "query": "q",
                "name": "all keys",
                "max_tokens": 80,
                "retrieval_limit": 100,
                "expected_source_paths": ["a.md"],
                "expected_top_source_path": "a.md",
                "expected_top_k_paths": ["a.md"],
                "top_k": 3,
                "expected_authority_classes": ["CANONICAL"],
                "expected_source_authority": {"a.md": "HISTORY"},
                "expected_source_temporal": {"a.md": "superseded"},
                "expected_temporal_status": "current",
                "forbidden_source_paths": ["b.md"],
                "forbidden_retrieval_source_paths": ["b.md"],
                "forbidden_authority_classes": ["HISTORY"],
                "forbidden_scope_paths": ["b.md"],
                "must_contain": ["x"],
                "must_not_contain": ["y"],
                "expected_project_id": "demo-one",
                "expected_snapshot_digest": "0" * 64,
            }
        )
    )
    assert (case.number, case.name, case.top_k) == (1, "all keys", 3)
    assert case.expected_source_temporal == {"a.md": "superseded"}


@pytest.mark.requirement("P12.2")
@pytest.mark.parametrize(
    ("case", "field"),
    [
        ({"query": "q", "qurey": "q"}, "qurey"),
        ({"name": "no query"}, "query"),
        ({"query": 7}, "query"),
        ({"query": "  "}, "query"),
        ({"query": "q", "name": None}, "name"),
        ({"query": "q", "max_tokens": 79}, "max_tokens"),
        ({"query": "q", "max_tokens": "80"}, "max_tokens"),
        ({"query": "q", "top_k": True}, "top_k"),
        ({"query": "q", "retrieval_limit": 101}, "retrieval_limit"),
        ({"query": "q", "must_contain": "x"}, "must_contain"),
        ({"query": "q", "must_contain": [""]}, "must_contain"),
        ({"query": "q", "must_not_contain": ["x", "x"]}, "must_not_contain"),
        ({"query": "q", "expected_source_paths": [1]}, "expected_source_paths"),
        ({"query": "q", "expected_temporal_status": "old"}, "expected_temporal_status"),
        (
            {"query": "q", "expected_authority_classes": ["BOSS"]},
            "expected_authority_classes",
        ),
        (
            {"query": "q", "expected_source_temporal": ["a.md"]},
            "expected_source_temporal",
        ),
        (
            {"query": "q", "expected_source_authority": {"a.md": "BOSS"}},
            "expected_source_authority",
        ),
        ({"query": "q", "expected_project_id": "A B"}, "expected_project_id"),
        ({"query": "q", "expected_snapshot_digest": "abc"}, "expected_snapshot_digest"),
        ({"query": "q", "name": "first"}, "name"),
        ("not an object", "case"),
    ],
    ids=str,
)
def test_a_bad_case_is_refused_with_its_number_and_field(
    case: object, field: str
) -> None:
    value: Any = {
        "schema_version": "1",
        "cases": [{"query": "q", "name": "first"}, case],
    }
    with pytest.raises(EvalSchemaError) as caught:
        read_dataset(value)
    assert caught.value.facts["case"] == 2
    assert caught.value.facts["field"] == field


@pytest.mark.requirement("P12.2")
@pytest.mark.parametrize(
    ("value", "field"),
    [
        ([], "dataset"),
        ({"cases": [{"query": "q"}]}, "schema_version"),
        ({"schema_version": 1, "cases": [{"query": "q"}]}, "schema_version"),
        ({"schema_version": "1"}, "cases"),
        ({"schema_version": "1", "cases": []}, "cases"),
        ({"schema_version": "1", "cases": {}}, "cases"),
        ({"schema_version": "1", "cases": [{"query": "q"}], "notes": ""}, "notes"),
    ],
    ids=str,
)
def test_a_bad_dataset_is_case_0(value: Any, field: str) -> None:  # noqa: ANN401 - any JSON
    with pytest.raises(EvalSchemaError) as caught:
        read_dataset(value)
    assert (caught.value.facts["case"], caught.value.facts["field"]) == (0, field)


@pytest.mark.requirement("P12.1", "P14")
def test_a_thousand_cases_are_allowed_and_one_more_is_not() -> None:
    cases = [{"query": "q"}] * MAX_CASES
    assert len(read_dataset(dataset(*cases))) == 1000
    with pytest.raises(EvalLimitError):
        read_dataset(dataset(*cases, {"query": "q"}))


# Cases


@pytest.mark.requirement("P12.1")
def test_a_case_whose_expectations_all_hold_passes(view: View) -> None:
    result = result_of(
        view,
        name="pump",
        expected_top_source_path=PUMP,
        expected_top_k_paths=[PUMP],
        top_k=1,
        expected_source_paths=[PUMP, f"{HOME}/state/PROJECT.md"],
        expected_authority_classes=["CANONICAL", "SCOPED_REPORT"],
        expected_source_authority={PUMP: "SCOPED_REPORT"},
        expected_source_temporal={OLD: "superseded", PUMP: "scoped"},
        expected_temporal_status="scoped",
        forbidden_source_paths=[OLD],
        forbidden_retrieval_source_paths=[DENIED],
        forbidden_authority_classes=["HISTORY"],
        forbidden_scope_paths=[DENIED],
        must_contain=["seal  turns\nbrittle"],
        must_not_contain=["supplier"],
        expected_project_id="demo-one",
        expected_snapshot_digest=digest(view.snapshot),
    )
    assert result.passed, result.failed
    assert result.as_json() == {
        "name": "pump",
        "pass": True,
        "failed_checks": [],
        "recall_at_k": 0.5,
        "bundle_recall": 1.0,
        "mrr": 1.0,
        "ndcg_at_10": result.measures["ndcg_at_10"],
        "contamination": 0.0,
        "temporal": 1.0,
        "authority": 1.0,
        "budget": 1.0,
        "staleness": 0.0,
        "repeatability": 1.0,
        "isolation": 1.0,
    }


@pytest.mark.requirement("P12.2")
@pytest.mark.parametrize(
    ("key", "value", "got"),
    [
        ("expected_top_source_path", OLD, PUMP),
        ("expected_temporal_status", "current", "scoped"),
        ("expected_source_temporal", {PUMP: "historical"}, {PUMP: "scoped"}),
        ("expected_source_authority", {"gone.md": "HISTORY"}, {"gone.md": None}),
        ("expected_project_id", "demo-two", "demo-one"),
        ("forbidden_source_paths", [PUMP], [PUMP]),
        ("forbidden_retrieval_source_paths", [OLD], [OLD]),
        ("forbidden_authority_classes", ["CANONICAL"], ["CANONICAL"]),
        ("forbidden_scope_paths", [PUMP], [PUMP]),
        ("must_not_contain", ["minus ten"], ["minus ten"]),
        ("must_contain", ["brittle", "rubber"], ["brittle"]),
    ],
    ids=lambda value: str(value)[:32],
)
def test_a_check_that_fails_says_what_was_expected_and_what_came(
    view: View,
    key: str,
    value: Any,  # noqa: ANN401 - any JSON
    got: object,
) -> None:
    result = result_of(view, **{key: value})
    (check,) = result.failed
    assert check.check == key
    assert check.got == got
    if key.startswith("expected") or key == "must_contain":
        assert check.expected == value
    assert not result.passed


@pytest.mark.requirement("P12.2")
@pytest.mark.parametrize(
    "key", ["expected_source_paths", "expected_top_k_paths", "expected_snapshot_digest"]
)
def test_a_missing_source_or_another_snapshot_fails(view: View, key: str) -> None:
    value = "0" * 64 if key == "expected_snapshot_digest" else ["gone.md"]
    assert failed(result_of(view, **{key: value})) == [key]


@pytest.mark.requirement("P12.2")
def test_a_query_that_finds_nothing_fails_what_expects_something(view: View) -> None:
    result = result_of(
        view,
        query="zzzz",
        expected_top_source_path=PUMP,
        expected_temporal_status="scoped",
    )
    assert failed(result) == ["expected_top_source_path", "expected_temporal_status"]
    assert result.measures["mrr"] == 0.0


@pytest.mark.requirement("P12.2")
def test_isolation_is_untested_without_a_scope_assertion(view: View) -> None:
    report = run(view, {"query": "pump"})
    assert report.results[0].as_json()["isolation"] == "untested"
    assert report.means["isolation"] == "untested"
    tested = run(
        view,
        {"query": "pump", "forbidden_scope_paths": [DENIED]},
        {"query": "gauge"},
        {"query": "pump seal", "forbidden_scope_paths": [PUMP]},
    )
    assert tested.means["isolation"] == 0.5


@pytest.mark.requirement("P12.2")
def test_means_are_taken_over_the_cases_that_measure(view: View) -> None:
    report = run(
        view,
        {"query": "pump seal brittle", "expected_top_source_path": PUMP},
        {"query": "pump seal brittle", "expected_top_source_path": "gone.md"},
        {"query": "gauge"},
    )
    assert report.means["mrr"] == 0.5
    assert report.means["recall_at_k"] == 0.5
    assert report.means["temporal"] is None
    assert not report.ok
    assert [result.name for result in report.results] == ["case 1", "case 2", "case 3"]


@pytest.mark.requirement("P12.2")
def test_contamination_is_the_share_of_what_came_that_was_forbidden(view: View) -> None:
    result = result_of(view, retrieval_limit=1, forbidden_retrieval_source_paths=[PUMP])
    contamination = result.measures["contamination"]
    assert contamination is not None
    assert 0 < contamination < 1


@pytest.mark.requirement("P12.2")
def test_the_same_dataset_gives_the_same_report(view: View) -> None:
    case = {"query": "pump", "expected_top_k_paths": [PUMP, OLD]}
    assert run(view, case).as_json() == run(view, case).as_json()


@pytest.mark.requirement("P12.3")
def test_the_corpus_is_opened_once_whatever_the_number_of_cases(
    tmp_path: Path, view: View
) -> None:
    shutil.rmtree(tmp_path / "corpus")
    cases = [{"query": f"pump {n}", "must_contain": ["seal"]} for n in range(60)]
    assert run(view, *cases).ok


@pytest.mark.requirement("P12.3")
@pytest.mark.timeout(60)
def test_a_case_among_many_is_answered_as_it_is_alone(view: View) -> None:
    cases = [{"query": f"pump seal {n}", "name": str(n)} for n in range(160)]
    results = run(view, *cases).results
    assert [result.name for result in results] == [str(n) for n in range(160)]
    for number in (0, 80, 159):
        assert run(view, cases[number]).results == (results[number],)


# The baseline


@pytest.mark.requirement("P12.2")
def test_a_baseline_names_what_got_better_and_worse(view: View) -> None:
    def report(*expected: str) -> EvalReport:
        cases = [
            {"query": "pump seal", "name": name, "expected_top_source_path": path}
            for name, path in zip("abc", expected, strict=False)
        ]
        return run(view, *cases, {"query": "gauge", "name": "same"})

    before = json.loads(json.dumps(report(PUMP, "gone.md").as_json()))
    change = compare(report("gone.md", PUMP, PUMP), before)
    assert (change.better, change.worse) == (("b",), ("a",))
    assert (change.added, change.removed) == (("c",), ())
    assert change.means["mrr"] == pytest.approx(2 / 3 - 1 / 2, abs=1e-5)


@pytest.mark.requirement("P12.2")
@pytest.mark.parametrize("value", [[], {}, {"results": []}, {"results": [{"a": 1}]}])
def test_a_baseline_that_is_no_report_is_refused(view: View, value: Any) -> None:  # noqa: ANN401
    report = run(view, {"query": "pump"})
    with pytest.raises(EvalSchemaError) as caught:
        compare(report, value)
    assert caught.value.facts["field"] == "baseline"


# Measures


@pytest.mark.requirement("P12.2")
def test_the_measures_follow_their_definitions() -> None:
    ranking = ["a", "b", "c", "d"]
    assert recall(ranking[:2], {"b", "d"}) == 0.5
    assert reciprocal_rank(ranking, {"c", "d"}) == pytest.approx(1 / 3)
    assert reciprocal_rank(ranking, {"x"}) == 0
    gained = 1 / math.log2(3) + 1 / math.log2(5)
    best = 1 / math.log2(2) + 1 / math.log2(3)
    assert ndcg(ranking, {"b", "d"}) == pytest.approx(gained / best)
    assert ndcg(["b", "d", "a"], {"b", "d"}) == 1
    assert mean([1.0, None, 0.0]) == 0.5
    assert mean([None]) is None


@given(
    st.lists(st.integers(0, 30), unique=True, max_size=20),
    st.sets(st.integers(0, 30), min_size=1, max_size=12),
)
def test_every_measure_lies_between_0_and_1(ranking: list[int], good: set[int]) -> None:
    names, relevant = list(map(str, ranking)), set(map(str, good))
    for value in (
        recall(names, relevant),
        reciprocal_rank(names, relevant),
        ndcg(names, relevant),
    ):
        assert 0 <= value <= 1 + 1e-9


# The command


def dataset_file(root: Path, *cases: dict[str, Any]) -> str:
    return str(write(root / "eval.json", json.dumps(dataset(*cases))))


@pytest.mark.requirement("P12.1", "P12.2", "P18.2")
def test_the_command_exits_1_when_a_case_fails(tmp_path: Path, cli: InProcess) -> None:
    root = write_corpus(tmp_path / "corpus")
    cli("context", "build", str(root))
    good = {"query": "gauge", "name": "good", "must_contain": ["gauge"]}
    bad = {"query": "gauge", "name": "bad", "must_contain": ["whale"]}
    file = dataset_file(root, good)
    passed = cli("context", "eval", str(root), "--dataset", file)
    assert passed.status == 0
    report = json.loads(passed.out)
    assert (report["ok"], report["project_id"], report["case_count"]) == (
        True,
        "demo-one",
        1,
    )
    before = str(write(tmp_path / "before.json", passed.out))
    dataset_file(root, {**bad, "name": "good"}, bad)
    options = ("--dataset", file, "--baseline", before)
    failing = cli("context", "eval", str(root), *options, terminal=True)
    assert failing.status == 1
    assert "FAIL bad" in failing.out
    assert "worse: good" in failing.out


@pytest.mark.requirement("P12.2", "P5.7", "P10.4")
def test_the_command_refuses_a_bad_dataset_and_a_stale_index(
    tmp_path: Path, cli: InProcess
) -> None:
    root = write_corpus(tmp_path / "corpus")
    cli("context", "build", str(root))
    arguments = ("context", "eval", str(root), "--dataset")
    file = dataset_file(root, {"query": "gauge", "typo": 1})
    outcome = cli(*arguments, file)
    assert outcome.status == 2
    assert json.loads(outcome.err)["error"] == "EVAL_SCHEMA"
    outside = str(write(tmp_path / "eval.json", "{}"))
    assert json.loads(cli(*arguments, outside).err)["error"] == "CONTEXT_INPUT_PATH"
    write(root / HOME / "history/new.md", "# New\n")
    dataset_file(root, {"query": "gauge"})
    outcome = cli(*arguments, file)
    assert json.loads(outcome.err)["error"] == IndexStaleError.code
