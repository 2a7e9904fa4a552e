from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from tests.corpora import ALLOW, policy_page, report_page, write, write_corpus

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import InProcess

HOME = ".project-corpus"
INDEX = f"{HOME}/cache/context.sqlite3"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Write the usual corpus."""
    return write_corpus(tmp_path / "corpus")


def error(err: str) -> str:
    code: str = json.loads(err)["error"]
    return code


@pytest.mark.requirement("P5.1")
def test_build_makes_the_index_in_the_cache_and_reports_it(
    root: Path, cli: InProcess
) -> None:
    outcome = cli("context", "build", cwd=root)
    report = json.loads(outcome.out)
    assert (outcome.status, outcome.err) == (0, "")
    assert (report["ok"], report["source_count"], report["parsed"]) == (True, 5, 5)
    assert report["written"]
    assert (root / INDEX).is_file()
    again = json.loads(cli("context", "build", cwd=root).out)
    assert (again["parsed"], again["written"]) == (0, False)


@pytest.mark.requirement("P5.1")
def test_the_index_may_have_another_name_and_every_command_takes_it(
    root: Path, cli: InProcess
) -> None:
    other = f"{HOME}/cache/other.sqlite3"
    assert cli("context", "build", "--index", other, cwd=root).status == 0
    assert not (root / INDEX).exists()
    assert cli("context", "query", "gauge", "--index", other, cwd=root).status == 0
    assert cli("context", "doctor", "--index", other, cwd=root).status == 0
    missing = cli("context", "query", "gauge", cwd=root)
    assert (missing.status, error(missing.err)) == (2, "INDEX_MISSING")


@pytest.mark.requirement("P5.1", "P18.2")
@pytest.mark.parametrize(
    "command", [("build",), ("query", "gauge"), ("doctor",), ("watch",)]
)
def test_an_index_elsewhere_is_refused_by_every_command(
    root: Path, cli: InProcess, command: tuple[str, ...]
) -> None:
    outcome = cli("context", *command, "--index", "elsewhere.sqlite3", cwd=root)
    assert (outcome.status, error(outcome.err)) == (2, "INDEX_PATH")


@pytest.mark.requirement("P4.3")
def test_build_names_what_it_skipped_in_either_format(
    root: Path, cli: InProcess
) -> None:
    write(root / HOME / "history/latin.md", b"caf\xe9")
    report = json.loads(cli("context", "build", cwd=root).out)
    assert report["skipped"] == [
        {"source_path": f"{HOME}/history/latin.md", "reason": "not UTF-8 at byte 3"}
    ]
    text = cli("context", "build", cwd=root, terminal=True).out
    assert "already current, 5 sources" in text
    assert "latin.md: not UTF-8" in text


@pytest.mark.requirement("P7.1", "P7.8")
def test_query_answers_with_an_envelope_of_results(root: Path, cli: InProcess) -> None:
    cli("context", "build", str(root))
    outcome = cli("context", "query", str(root), "frozen gauge in winter")
    answer = json.loads(outcome.out)
    assert outcome.status == 0
    assert (answer["schema_version"], answer["project_id"]) == ("1", "demo-one")
    assert answer["query"] == "frozen gauge in winter"
    assert answer["non_authoritative"] is True
    assert answer["results"][0]["source_path"] == f"{HOME}/history/year-one.md"


@pytest.mark.requirement("P7.1")
@pytest.mark.parametrize(
    ("options", "kept"),
    [
        (("--limit", "1"), 1),
        (("--type", "history"), 1),
        (("--temporal", "historical"), 1),
        (("--path", f"{HOME}/history/**"), 1),
        (("--path", f"{HOME}/tasks/**"), 0),
    ],
    ids=str,
)
def test_query_takes_every_option_of_the_contract(
    root: Path, cli: InProcess, options: tuple[str, ...], kept: int
) -> None:
    cli("context", "build", str(root))
    outcome = cli("context", "query", str(root), "froze winter", *options)
    assert len(json.loads(outcome.out)["results"]) == kept


@pytest.mark.requirement("P7.1")
def test_explain_adds_what_a_score_is_made_of(root: Path, cli: InProcess) -> None:
    cli("context", "build", str(root))
    plain = json.loads(cli("context", "query", str(root), "winter").out)
    assert "explain" not in plain["results"][0]
    outcome = cli("context", "query", str(root), "winter", "--explain")
    explain = json.loads(outcome.out)["results"][0]["explain"]
    assert explain
    assert all(isinstance(worth, int | float) for worth in explain.values())
    text = cli("context", "query", str(root), "winter", "--explain", terminal=True).out
    assert "score: " in text


@pytest.mark.requirement("P7.1", "P18.2")
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("",), "QUERY_EMPTY"),
        ((" \t ",), "QUERY_EMPTY"),
        (("gauge", "--limit", "0"), "QUERY_LIMIT"),
        (("gauge", "--limit", "101"), "QUERY_LIMIT"),
        (("gauge", "--limit", "ten"), "QUERY_LIMIT"),
        (("gauge", "--path", "/etc/*"), "POLICY_SCOPE"),
        (("gauge", "--type", "record-of-old"), "USAGE"),
        (("gauge", "--temporal", "soon"), "USAGE"),
        ((), "USAGE"),
    ],
    ids=str,
)
def test_a_bad_query_is_refused_with_its_code(
    root: Path, cli: InProcess, arguments: tuple[str, ...], code: str
) -> None:
    cli("context", "build", str(root))
    outcome = cli("context", "query", *arguments, cwd=root)
    assert (outcome.status, error(outcome.err), outcome.out) == (2, code, "")


@pytest.mark.requirement("P7.1")
def test_a_query_that_begins_with_a_hyphen_stands_behind_two(
    root: Path, cli: InProcess
) -> None:
    cli("context", "build", str(root))
    outcome = cli("context", "query", "--limit", "3", "--", "--winter", cwd=root)
    assert json.loads(outcome.out)["query"] == "--winter"


@pytest.mark.requirement("P5.7")
def test_a_stale_index_is_refused_with_the_paths_and_refresh_builds_first(
    root: Path, cli: InProcess
) -> None:
    cli("context", "build", str(root))
    write(root / HOME / "reports/report-two.md", report_page("report-two"))
    (root / HOME / "history/year-one.md").unlink()
    stale = cli("context", "query", str(root), "gauge")
    facts = json.loads(stale.err)["facts"]
    assert (stale.status, error(stale.err)) == (2, "INDEX_STALE")
    assert facts["added"] == [f"{HOME}/reports/report-two.md"]
    assert facts["removed"] == [f"{HOME}/history/year-one.md"]
    assert cli("context", "query", str(root), "gauge", "--refresh").status == 0
    assert cli("context", "query", str(root), "gauge").status == 0


@pytest.mark.requirement("P7.1", "P18.1")
def test_people_see_place_class_date_and_score_of_each_result(
    root: Path, cli: InProcess
) -> None:
    cli("context", "build", str(root))
    text = cli("context", "query", str(root), "report-one found", terminal=True).out
    first = text.splitlines()[0]
    assert first.startswith(f"1. {HOME}/reports/report-one.md:")
    assert "CITED_REPORT scoped  2026-01-05T08:00:00Z  score" in first
    assert "Report report-one > Summary" in text
    nothing = cli("context", "query", str(root), "the of", terminal=True).out
    assert nothing == "nothing found: no usable terms\n"


@pytest.mark.requirement("P3.4")
@pytest.mark.parametrize("command", [("build",), ("query", "gauge"), ("doctor",)])
def test_a_policy_that_withholds_the_context_denies_every_command(
    root: Path, cli: InProcess, command: tuple[str, ...]
) -> None:
    allow = [name for name in ALLOW if name != "corpus.context"]
    write(root / HOME / "policy.toml", policy_page(allow=allow))
    outcome = cli("context", *command, cwd=root)
    assert (outcome.status, error(outcome.err)) == (2, "POLICY_DENIED")


@pytest.mark.requirement("P5.10")
def test_only_the_index_is_written(root: Path, cli: InProcess) -> None:
    def state() -> dict[Path, int]:
        return {p: p.stat().st_mtime_ns for p in root.rglob("*") if p.is_file()}

    before = state()
    cli("context", "build", cwd=root)
    built = state()
    assert set(built) - set(before) == {root / INDEX}
    for command in (("query", "gauge"), ("doctor",)):
        assert cli("context", *command, cwd=root).status == 0
    assert state() == built
    assert {path: built[path] for path in before} == before


@pytest.mark.requirement("P18.2")
@pytest.mark.parametrize(
    "command", [("context", "query"), ("context", "bundle"), ("search",)], ids=str
)
def test_a_question_without_quotes_is_recognised(
    root: Path, cli: InProcess, command: tuple[str, ...]
) -> None:
    outcome = cli(*command, "frozen", "gauge", cwd=root)
    assert (outcome.status, error(outcome.err)) == (2, "ROOT_NOT_FOUND")
    assert "quotes" in json.loads(outcome.err)["hint"]
    (root / "frozen").mkdir()
    outcome = cli(*command, "frozen", "gauge", cwd=root)
    assert (outcome.status, error(outcome.err)) == (2, "ROOT_NOT_FOUND")
    assert "quotes" not in json.loads(outcome.err)["hint"]


@pytest.mark.requirement("P7.1")
@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("zebra gauge unicorn", "--type", "task", "--path", "x/*"), "matches `--path"),
        (("gauge", "--path", "x/**"), "no source matches `--path x/**`"),
        (("zebra Unicorn zebra",), "`zebra`, `Unicorn` occur nowhere in scope"),
        (("zebra",), "`zebra` occurs nowhere in scope"),
        (
            ("froze in winter", "--temporal", "current"),
            "`--temporal current` left out 1 historical passage",
        ),
    ],
    ids=str,
)
def test_people_learn_why_nothing_was_found(
    root: Path, cli: InProcess, arguments: tuple[str, ...], why: str
) -> None:
    cli("context", "build", str(root))
    text = cli("context", "query", *arguments, cwd=root, terminal=True).out
    assert text.startswith("nothing found: ")
    assert why in text
    assert "note" not in json.loads(cli("context", "query", *arguments, cwd=root).out)


@pytest.mark.requirement("P7.1")
def test_a_type_without_any_source_is_said(root: Path, cli: InProcess) -> None:
    (root / HOME / "history/year-one.md").unlink()
    query = ("context", "query", "gauge", "--type", "history", "--refresh")
    text = cli(*query, cwd=root, terminal=True).out
    assert text == "nothing found: no source has the type `history`\n"


@pytest.mark.requirement("P7.6")
def test_people_see_where_the_contradiction_stands(
    tmp_path: Path, cli: InProcess
) -> None:
    said = "The gauge at station ten reports every {} minutes to the server in Oslo."
    root = write_corpus(
        tmp_path / "two",
        reports={
            name: report_page(name, summary=said.format(minutes))
            for name, minutes in (("report-a", 15), ("report-b", 20))
        },
    )
    query = ("context", "query", "gauge station ten reports minutes", "--refresh")
    results = json.loads(cli(*query, cwd=root).out)["results"]
    text = cli(*query, cwd=root, terminal=True).out
    places = {
        each["item_id"]: f"{number}. {each['source_path']}:{each['line_start']}"
        for number, each in enumerate(results, start=1)
    }
    against = [other for each in results for other in each.get("conflicts_with", [])]
    assert against
    for other in against:
        assert re.search(rf"   contradicted by {re.escape(places[other])}\b", text)
    assert f"\n1. {places[results[0]['item_id']][3:]}  " in f"\n{text}"
    assert not any(each["item_id"] in text for each in results)


@pytest.mark.requirement("P11.1")
def test_the_doctor_counts_first_and_shows_what_matters_most(
    root: Path, cli: InProcess
) -> None:
    for number in range(14):
        write(root / HOME / f"history/y{number}.md", f"Gauge {number} is currently on.")
    made = cli("context", "bundle", "gauge", "--refresh", cwd=root)
    write(root / "bundle.json", made.out.replace('"gauge"', '"gouge"'))
    write(root / HOME / "history/y1.md", "It is currently off.")
    command = ("context", "doctor", "--bundle", "bundle.json")
    done = cli(*command, cwd=root, terminal=True)
    assert done.status == 1
    counts, _, rest = done.out.partition("\n\n")
    assert counts.split("\n")[0].split() == ["1", "fail[BUNDLE_HASH]"]
    assert "14  warn[VOLATILE_WITHOUT_FRESHNESS]" in counts
    assert rest.startswith("fail[BUNDLE_HASH] bundle.json\n")
    assert rest.index("fail[STALE_INDEX]") < rest.index("warn[")
    assert rest.count("warn[VOLATILE_WITHOUT_FRESHNESS]") == 10
    assert "… 4 more VOLATILE_WITHOUT_FRESHNESS; `--format json` lists all" in rest
    assert "2 failures, 14 warnings" in rest


@pytest.mark.requirement("P18.4")
def test_show_suggests_near_names_of_sources_in_scope_only(
    root: Path, cli: InProcess
) -> None:
    write(root / "private/report-own.md", "secret")
    outcome = cli("show", "report-on", cwd=root)
    assert (outcome.status, error(outcome.err)) == (2, "ARTIFACT_NOT_FOUND")
    hint = json.loads(outcome.err)["hint"]
    assert "`report-one`" in hint
    assert "report-own" not in hint
    far = json.loads(cli("show", "zzz" * 200, cwd=root).err)
    assert "nearest" not in far["hint"]


@pytest.mark.requirement("P12.1", "P18.2")
def test_a_dataset_that_is_none_is_said_to_be_none(root: Path, cli: InProcess) -> None:
    said: list[str] = []
    for content in ("[]", "{}", '{"schema_version": "1", "cases": [1]}'):
        write(root / "eval.json", content)
        outcome = cli("context", "eval", "--dataset", "eval.json", cwd=root)
        assert (outcome.status, error(outcome.err)) == (2, "EVAL_SCHEMA")
        said.append(json.loads(outcome.err)["detail"])
    assert said[0] == "the dataset is not an object"
    assert said[1].startswith("the dataset: ")
    assert said[2].startswith("case 1: ")
