"""The published formats: schemas, examples, and what the program really prints."""

from __future__ import annotations

import copy
import hashlib
import json
import tomllib
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

from corpus.errors import CodedError
from corpus.policy import CAPABILITIES, PROFILES, parse_policy
from tests.corpora import report_page, task_page, write, write_corpus
from tests.published_examples import EXPORTS, example_texts, open_sample
from tests.published_formats import Json, example_of, problems, schema_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.conftest import InProcess, Outcome

PROSE = ("team-context",)
"""Formats of text for people: described in words, where others have a schema."""

FORMATS = sorted(
    path.name for path in EXPORTS.iterdir() if path.is_dir() and path.name not in PROSE
)
WRONG: Json = [[]]
"""A value that no field of any format may have."""

LATCH = """\
After a command the latch stays open for {seconds} seconds; then it springs back,
whether the door of the cabinet was pulled or not. Measured with a relay timer.
"""


def places(value: Json, *above: str | int) -> Iterator[tuple[str | int, ...]]:
    """Give the path of every value inside `value`."""
    parts: Json = ()
    if isinstance(value, dict):
        parts = value.items()
    elif isinstance(value, list):
        parts = enumerate(value)
    for key, part in parts:
        yield (*above, key)
        yield from places(part, *above, key)


def subschemas(schema: Json) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for part in schema.values():
            yield from subschemas(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from subschemas(part)


def parent_of(value: Json, place: tuple[str | int, ...]) -> Json:
    for key in place[:-1]:
        value = value[key]
    return value


@pytest.mark.requirement("P2.1", "P7.8", "P8.2", "P9.1", "P10.1", "P11.1", "P12.1")
def test_every_file_and_message_has_a_format() -> None:
    assert {
        "bundle",
        "candidate",
        "candidate-verdict",
        "doctor",
        "error",
        "eval-dataset",
        "eval-report",
        "audit",
        "grant",
        "ledger",
        "policy",
        "query",
        "receipt",
        "validation",
        "verification",
        "write",
    } <= set(FORMATS)


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_a_schema_and_an_example_of_its_name(name: str) -> None:
    names = sorted(path.name for path in (EXPORTS / name).iterdir())
    ending = "toml" if name in {"policy", "grant"} else "json"
    assert names == [f"{name}.example.{ending}", f"{name}.schema.json"]


@pytest.mark.parametrize("name", PROSE)
def test_a_format_in_prose_is_a_description_and_an_example(name: str) -> None:
    names = sorted(path.name for path in (EXPORTS / name).iterdir())
    assert names == [f"{name}.example.md", f"{name}.md"]


@pytest.mark.parametrize("name", FORMATS)
def test_a_schema_is_valid_closed_and_explained(name: str) -> None:
    schema = schema_of(name)
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["title"] == name
    assert schema["description"]
    for part in subschemas({k: v for k, v in schema.items() if k != "allOf"}):
        if isinstance(part.get("properties"), dict) and "type" in part:
            assert part["additionalProperties"] is False
            for key, value in part["properties"].items():
                assert value.get("description") or "$ref" in value, key


@pytest.mark.parametrize("name", FORMATS)
def test_an_example_fits_its_schema(name: str) -> None:
    assert problems(name, example_of(name)) == []


@pytest.mark.parametrize("name", FORMATS)
def test_a_schema_refuses_a_wrong_type_anywhere(name: str) -> None:
    whole = example_of(name)
    for place in places(whole):
        value = copy.deepcopy(whole)
        parent_of(value, place)[place[-1]] = WRONG
        assert problems(name, value), place


@pytest.mark.parametrize("name", FORMATS)
def test_a_schema_refuses_an_unknown_key_in_any_object(name: str) -> None:
    whole = {"": example_of(name)}
    for place in [("",), *places(whole)]:
        value = copy.deepcopy(whole)
        inside = parent_of(value, place)[place[-1]]
        if isinstance(inside, dict):
            inside["x-unknown"] = WRONG
            assert problems(name, value[""]), place


@pytest.mark.parametrize("name", FORMATS)
def test_a_schema_refuses_an_object_without_a_required_key(name: str) -> None:
    whole = example_of(name)
    for key in schema_of(name)["required"]:
        assert problems(name, {k: v for k, v in whole.items() if k != key}), key


def test_the_examples_are_made_again_byte_for_byte(tmp_path: Path) -> None:
    made = example_texts(open_sample(tmp_path))
    kept = {
        path.relative_to(EXPORTS).as_posix(): path.read_text(encoding="utf-8")
        for path in EXPORTS.glob("*/*.example.*")
    }
    differ = sorted(name for name in made | kept if made.get(name) != kept.get(name))
    assert differ == [], "run `python tests/published_examples.py`"


@pytest.mark.requirement("P8.3")
def test_the_example_bundle_is_what_its_hash_says() -> None:
    bundle = example_of("bundle")
    hashed = {
        key: value
        for key, value in bundle.items()
        if key not in {"created_at", "bundle_sha256"}
    }
    assert hashlib.sha256(canonical(hashed)).hexdigest() == bundle["bundle_sha256"]
    assert len(canonical(bundle)) == bundle["serialized_bytes"]
    tokens = sum(-(-len(item["text"].encode()) // 4) for item in bundle["items"])
    assert bundle["budget"]["estimated_tokens"] == tokens


def canonical(value: object) -> bytes:
    """Write canonical JSON without our own code."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode("utf-8")


def test_the_examples_belong_together() -> None:
    bundle, receipt = example_of("bundle"), example_of("receipt")
    verification, built = example_of("verification"), example_of("build")
    assert receipt["bundle_sha256"] == bundle["bundle_sha256"]
    assert verification["bundle_sha256"] == bundle["bundle_sha256"]
    assert verification["ok"]
    assert receipt["delivered_item_ids"] == [i["item_id"] for i in bundle["items"]]
    digests = {one["source_snapshot_digest"] for one in (bundle, receipt, built)}
    assert len(digests) == 1
    assert example_of("ledger")["entries"][0]["receipt"] == receipt
    candidate, verdict = example_of("candidate"), example_of("candidate-verdict")
    assert verdict["candidate_id"] == candidate["candidate_id"]
    results = example_of("eval-report")["results"]
    cases = example_of("eval-dataset")["cases"]
    assert [one["name"] for one in results] == [one["name"] for one in cases]
    assert all(one["pass"] for one in results)


@pytest.mark.requirement("P7.6")
def test_the_example_answer_shows_a_contradiction() -> None:
    first, second = example_of("query")["results"][:2]
    assert first["conflicts_with"] == [second["item_id"]]
    assert second["conflicts_with"] == [first["item_id"]]


@pytest.mark.requirement("P2.1", "P2.2")
def test_the_policy_schema_knows_the_capabilities_of_each_profile() -> None:
    schema = schema_of("policy")
    named = schema["properties"]["capabilities"]["properties"]["allow"]["items"]
    assert set(named["enum"]) == CAPABILITIES
    for profile, capabilities in PROFILES.items():
        policy = example_of("policy")
        policy["profile"] = profile
        for capability in CAPABILITIES:
            policy["capabilities"]["allow"] = [capability]
            assert (problems("policy", policy) == []) == (capability in capabilities)


@pytest.mark.requirement("P2.1")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param('"2.0"', '"2.1"', id="another version"),
        pytest.param('"2.0"', "2.0", id="a number for a string"),
        pytest.param('"parcel-lockers"', '"Parcel"', id="no id"),
        pytest.param('"READ_ONLY"', '"ALL"', id="an unknown profile"),
        pytest.param('"corpus.read"', '"corpus.fly"', id="an unknown capability"),
        pytest.param('"corpus.read"', '"corpus.stat"', id="a repeated capability"),
        pytest.param('"corpus.read"', '"state.update"', id="beyond the profile"),
        pytest.param("write = []", "", id="no write scopes"),
        pytest.param("write = []", "writes = []", id="an unknown scope list"),
        pytest.param("= true", "= 1", id="a number for a flag"),
        pytest.param(
            "write = []\n\n[requirements]\nexpected_hash = true",
            'write = ["a/**"]\n\n[requirements]\nexpected_hash = false',
            id="writing without a hash",
        ),
    ],
)
def test_the_policy_schema_refuses_what_the_program_refuses(old: str, new: str) -> None:
    text = (EXPORTS / "policy/policy.example.toml").read_text(encoding="utf-8")
    parse_policy(text.encode())
    changed = text.replace(old, new)
    assert changed != text
    with pytest.raises(CodedError):
        parse_policy(changed.encode())
    assert problems("policy", tomllib.loads(changed))


@pytest.fixture
def lively(tmp_path: Path) -> Path:
    """Give a built corpus in which every optional field has a reason to occur."""
    summaries = {"a": 5, "b": 8}
    reports = {
        f"report-{name}": report_page(
            f"report-{name}", summary=LATCH.format(seconds=seconds)
        )
        for name, seconds in summaries.items()
    }
    reports["report-one"] = report_page("report-one")
    reports["copy-of-a"] = report_page("copy-of-a", summary=LATCH.format(seconds=5))
    reports["newer"] = report_page("newer", metadata={"Supersedes": "year-one"})
    tasks = {
        "task-one": task_page("task-one", status="ACTIVE"),
        "task-two": task_page("task-two", status="BLOCKED"),
    }
    root = write_corpus(tmp_path / "lively", reports=reports, tasks=tasks)
    write(root / ".project-corpus/reports/broken.md", b"\xff\xfe")
    (root / ".project-corpus/reports/linked.md").symlink_to(root / "AGENTS.md")
    return root


def printed(name: str, outcome: Outcome, *, status: int = 0) -> Json:
    """Read what a command printed and hold it to its schema."""
    assert outcome.status == status, outcome.err
    value = json.loads(outcome.out or outcome.err)
    assert problems(name, value) == []
    return value


@pytest.mark.requirement("P7.8", "P1.6", "P1.8", "P11.1")
def test_what_the_program_prints_of_a_corpus_fits_the_schemas(
    lively: Path, cli: InProcess
) -> None:
    built = printed("build", cli("context", "build", cwd=lively))
    assert built["skipped"]
    words = "how long does the latch stay open"
    found = printed("query", cli("context", "query", words, "--explain", cwd=lively))
    optional = {"conflicts_with", "duplicates_suppressed", "explain"}
    assert optional <= {key for result in found["results"] for key in result}
    tasks = cli("context", "query", "gauge", "--type", "task", cwd=lively)
    assert any("task_status" in one for one in printed("query", tasks)["results"])
    nothing = printed("query", cli("context", "query", "the of", cwd=lively))
    assert nothing["note"]
    printed("validation", cli("validate", cwd=lively))
    printed("status", cli("status", cwd=lively))
    printed("doctor", cli("context", "doctor", cwd=lively))


@pytest.mark.requirement("P1.6", "P1.8", "P11.1")
def test_what_the_program_prints_of_a_poor_corpus_fits_the_schemas(
    lively: Path, cli: InProcess
) -> None:
    printed("doctor", cli("context", "doctor", cwd=lively), status=1)
    status = lively / ".project-corpus/state/STATUS.md"
    write(status, "# Status\n\nProject-ID: demo-one\n")
    printed("validation", cli("validate", cwd=lively), status=1)
    printed("status", cli("status", cwd=lively))
    write(lively / ".project-corpus/policy.toml", "policy_version = 3\n")
    printed("validation", cli("validate", cwd=lively), status=1)


@pytest.mark.requirement("P8.2", "P9.1", "P9.2", "P9.3")
def test_bundles_receipts_and_verifications_fit_the_schemas(
    lively: Path, cli: InProcess
) -> None:
    cli("context", "build", cwd=lively)
    for budget in ("80", "1200", "20000"):
        command = ("context", "bundle", "latch", "--max-tokens", budget)
        bundle = cli(*command, "--format", "json", cwd=lively)
        printed("bundle", bundle)
    write(lively / "bundle.json", bundle.out)
    receipt = cli(
        *("context", "receipt", "--bundle", "bundle.json", "--consumer", "me"),
        cwd=lively,
    )
    printed("receipt", receipt)
    write(lively / "receipt.json", receipt.out)
    printed("ledger", cli("context", "receipts", cwd=lively))
    cli(
        *("context", "receipt", "--bundle", "bundle.json", "--consumer", "me"),
        "--record",
        cwd=lively,
    )
    assert printed("ledger", cli("context", "receipts", cwd=lively))["count"] == 1
    verify = ("context", "verify", "--bundle", "bundle.json")
    printed("verification", cli(*verify, cwd=lively))
    both = (*verify, "--receipt", "receipt.json")
    printed("verification", cli(*both, cwd=lively))
    status = lively / ".project-corpus/state/STATUS.md"
    write(status, status.read_text(encoding="utf-8") + "\nAnd a line more.\n")
    stale = printed("verification", cli(*both, cwd=lively), status=1)
    assert stale["stale_sources"]


@pytest.mark.requirement("P10.1", "P12.1", "P12.2")
def test_verdicts_and_evaluations_fit_the_schemas(
    tmp_path: Path, cli: InProcess
) -> None:
    sample = open_sample(tmp_path)
    root = sample.root
    cli("context", "build", cwd=root)
    write(root / "candidate.json", json.dumps(example_of("candidate")))
    check = ("context", "candidate-validate", "--input", "candidate.json")
    printed("candidate-verdict", cli(*check, cwd=root))
    write(root / "eval.json", json.dumps(example_of("eval-dataset")))
    measure = ("context", "eval", "--dataset", "eval.json")
    first = cli(*measure, cwd=root)
    printed("eval-report", first)
    wrong = example_of("eval-dataset")
    wrong["cases"][0]["must_contain"] = ["carrier pigeons"]
    write(root / "eval.json", json.dumps(wrong))
    printed("eval-report", cli(*measure, cwd=root), status=1)


@pytest.mark.requirement("P18.2")
@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(("context", "query", " "), id="an empty query"),
        pytest.param(("context", "query", "x"), id="no index"),
        pytest.param(("context", "query", "x", "--limit", "0"), id="a bad limit"),
        pytest.param(("context", "fly"), id="no such command"),
        pytest.param(("context", "verify", "--bundle", "no.json"), id="no such file"),
        pytest.param(("validate", "nowhere"), id="no such folder"),
    ],
)
def test_a_failure_fits_its_schema(
    lively: Path, cli: InProcess, arguments: tuple[str, ...]
) -> None:
    outcome = cli(*arguments, cwd=lively)
    assert outcome.out == ""
    printed("error", outcome, status=2)


@pytest.mark.requirement("P18.2")
def test_a_stale_index_fits_the_schema_of_failures(
    lively: Path, cli: InProcess
) -> None:
    cli("context", "build", cwd=lively)
    write(lively / ".project-corpus/reports/report-c.md", report_page("report-c"))
    failure = printed("error", cli("context", "query", "x", cwd=lively), status=2)
    assert failure["error"] == example_of("error")["error"]
