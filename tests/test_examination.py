from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from corpus.bundle import compile_bundle
from corpus.errors import (
    IndexPathError,
    InputJsonError,
    InputPathError,
)
from corpus.index.schema import to_image
from corpus.sources.facts import Standing
from tests.corpora import (
    NOW,
    dirs_of,
    policy_page,
    report_page,
    status_page,
    view_of_corpus,
    write,
    write_corpus,
)
from tests.diagnosis import (
    HOME,
    INDEX,
    MOMENT,
    built,
    codes,
    places,
    report_on,
    superseding,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


# The index


@pytest.mark.requirement("P11.2", "P5.6")
def test_a_missing_index_is_one_finding_and_the_rest_is_still_checked(
    tmp_path: Path,
) -> None:
    long_status = status_page(blockers=" ".join(f"Fault {n}." for n in range(2_000)))
    report = report_on(write_corpus(tmp_path / "corpus", status=long_status))
    assert not report.ok
    assert places(report) == [
        ("INDEX_MISSING", "cache/context.sqlite3", 0),
        ("OVERSIZED_STATUS", "state/STATUS.md", 0),
    ]


@pytest.mark.requirement("P11.2", "P5.6")
@pytest.mark.parametrize(
    ("damage", "code"),
    [
        pytest.param(lambda content: content[:4000], "INDEX_CORRUPT", id="cut"),
        pytest.param(lambda _: b"", "INDEX_CORRUPT", id="empty"),
        pytest.param(lambda _: b"not a database", "INDEX_CORRUPT", id="foreign"),
        pytest.param(
            lambda content: content.replace(b"scoped", b"currnt", 1),
            "INDEX_CORRUPT",
            id="a row changed",
        ),
    ],
)
def test_a_damaged_index_is_a_finding_with_its_code(
    tmp_path: Path, damage: Callable[[bytes], bytes], code: str
) -> None:
    root = built(write_corpus(tmp_path / "corpus"))
    index = root / INDEX
    index.write_bytes(damage(index.read_bytes()))
    assert codes(report_on(root)) == [code]


@pytest.mark.requirement("P11.2")
def test_an_index_made_under_another_key_is_a_finding(tmp_path: Path) -> None:
    root = built(write_corpus(tmp_path / "corpus"))
    key = next((dirs_of(root).state / "keys").iterdir())
    key.unlink()
    assert codes(report_on(root)) == ["INDEX_KEY_MISMATCH"]


@pytest.mark.requirement("P11.2")
def test_a_key_file_that_cannot_be_used_is_a_finding(tmp_path: Path) -> None:
    root = built(write_corpus(tmp_path / "corpus"))
    key = next((dirs_of(root).state / "keys").iterdir())
    key.chmod(0o644)
    assert codes(report_on(root)) == ["INDEX_KEY"]


@pytest.mark.requirement("P11.2")
def test_an_index_of_another_project_is_a_finding(tmp_path: Path) -> None:
    root = built(write_corpus(tmp_path / "corpus"))
    other = built(write_corpus(tmp_path / "other", project_id="demo-two"))
    write(root / INDEX, (other / INDEX).read_bytes())
    assert codes(report_on(root)) == ["INDEX_PROJECT_MISMATCH"]


@pytest.mark.requirement("P11.2")
def test_every_change_since_the_build_is_named(tmp_path: Path) -> None:
    root = built(write_corpus(tmp_path / "corpus"))
    write(root / HOME / "reports/report-one.md", report_page("report-one", summary="X"))
    write(root / HOME / "reports/report-two.md", report_page("report-two"))
    (root / HOME / "history/year-one.md").unlink()
    assert places(report_on(root)) == [
        ("MISSING_SOURCE", "history/year-one.md", 0),
        ("STALE_INDEX", "reports/report-one.md", 0),
        ("STALE_INDEX", "reports/report-two.md", 0),
    ]


@pytest.mark.requirement("P11.2", "P2.4")
def test_a_source_that_left_the_scope_is_counted_and_not_named(tmp_path: Path) -> None:
    root = built(write_corpus(tmp_path / "corpus"))
    write(root / HOME / "policy.toml", policy_page(deny=[f"{HOME}/history/**"]))
    report = report_on(root)
    assert places(report) == [("STALE_INDEX", "cache/context.sqlite3", 0)]
    assert "year-one" not in json.dumps(report.as_json())


@pytest.mark.requirement("P11.2")
def test_a_passage_beyond_the_end_of_its_source_is_broken_provenance(
    tmp_path: Path,
) -> None:
    root = write_corpus(tmp_path / "corpus")
    view = view_of_corpus(root)
    for shard in view.rows.shards:
        for number, last in enumerate(shard.lasts):
            shard.lasts[number] = last + 500
            break
    write(root / INDEX, to_image(view.rows, view.key))
    found = report_on(root)
    assert set(codes(found)) == {"BROKEN_PROVENANCE"}


@pytest.mark.requirement("P11.2")
def test_a_superseded_source_that_the_index_holds_as_current_fails(
    tmp_path: Path,
) -> None:
    reports = {
        "old": report_page("old"),
        "new": report_page("new", metadata=superseding("old")),
    }
    status = status_page(evidence_references="NONE")
    root = write_corpus(tmp_path / "corpus", reports=reports, status=status)
    view = view_of_corpus(root)
    standings = tuple(
        Standing(s.authority, "scoped") if s.temporal == "superseded" else s
        for s in view.rows.standings
    )
    rows = view.rows._replace(standings=standings)
    write(root / INDEX, to_image(rows, view.key))
    report = report_on(root)
    assert ("SUPERSEDED_RANKED_CURRENT", "reports/old.md", 0) in places(report)
    assert not report.ok


@pytest.mark.requirement("P11.2", "P11.3")
def test_a_stage_of_a_build_that_died_is_reported_and_left_there(
    tmp_path: Path,
) -> None:
    root = built(write_corpus(tmp_path / "corpus"))
    old = write(root / HOME / f"cache/.context.sqlite3.{'a' * 16}.stage", "half")
    young = write(root / HOME / f"cache/.context.sqlite3.{'b' * 16}.stage", "half")
    os.utime(old, (NOW - 7200, NOW - 7200))
    os.utime(young, (NOW - 60, NOW - 60))
    report = report_on(root)
    assert codes(report) == ["ORPHAN_STAGE"]
    assert report.issues[0].path.endswith(old.name)
    assert report.ok
    assert old.exists()


def test_an_index_path_outside_the_cache_is_refused(tmp_path: Path) -> None:
    root = write_corpus(tmp_path / "corpus")
    with pytest.raises(IndexPathError):
        report_on(root, index=str(tmp_path / "context.sqlite3"))


# Files handed in


def bundle_file(root: Path, change: Callable[[dict[str, object]], object]) -> str:
    bundle: dict[str, object] = dict(
        compile_bundle(view_of_corpus(root), "gauge", now=MOMENT)
    )
    change(bundle)
    return str(write(root.parent / "bundle.json", json.dumps(bundle)))


@pytest.mark.requirement("P11.1", "P11.2")
@pytest.mark.parametrize(
    ("change", "code"),
    [
        pytest.param(lambda _: None, None, id="intact"),
        pytest.param(lambda b: b.update(query="pump!"), "BUNDLE_HASH", id="same size"),
        pytest.param(
            lambda b: b.update(query="a longer query"), "BUNDLE_HASH", id="other size"
        ),
        pytest.param(lambda b: b.pop("items"), "BUNDLE_SCHEMA", id="a key less"),
    ],
)
def test_a_tampered_bundle_fails(
    tmp_path: Path, change: Callable[[dict[str, object]], object], code: str | None
) -> None:
    root = write_corpus(tmp_path / "corpus")
    report = report_on(root, bundle=bundle_file(root, change))
    assert codes(report) == ([] if code is None else [code])


@pytest.mark.requirement("P11.2")
def test_a_bundle_of_another_project_fails(tmp_path: Path) -> None:
    root = built(write_corpus(tmp_path / "corpus"))
    other = write_corpus(tmp_path / "other", project_id="demo-two")
    bundle = bundle_file(other, lambda _: None)
    assert codes(report_on(root, bundle=bundle)) == ["BUNDLE_PROJECT_MISMATCH"]


@pytest.mark.requirement("P11.2")
def test_a_bundle_tells_a_stale_selection_from_a_stale_snapshot(tmp_path: Path) -> None:
    root = write_corpus(tmp_path / "corpus")
    bundle = bundle_file(root, lambda _: None)
    write(root / HOME / "reports/other.md", report_page("other", summary="Unrelated."))
    built(root)
    assert "BUNDLE_FULL_SNAPSHOT_MISMATCH" in codes(report_on(root, bundle=bundle))
    write(root / HOME / "state/STATUS.md", status_page(blockers="A broken gauge."))
    built(root)
    report = report_on(root, bundle=bundle)
    assert ("BUNDLE_STALE_SOURCE", "state/STATUS.md", 0) in places(report)
    assert "BUNDLE_FULL_SNAPSHOT_MISMATCH" not in codes(report)


def candidate_file(root: Path, **changed: object) -> str:
    view = view_of_corpus(root)
    path = f"{HOME}/history/year-one.md"
    value = {
        "schema_version": "1",
        "candidate_id": "frozen-gauge",
        "project_id": "demo-one",
        "kind": "episodic_evidence",
        "statement": "The first gauge froze in winter.",
        "source_refs": [
            {"source_path": path, "source_sha256": view.snapshot[path], "line_start": 3}
        ],
        "created_at": "2025-12-31T00:00:00Z",
        "status": "candidate",
        **changed,
    }
    return str(write(root / "candidate.json", json.dumps(value)))


@pytest.mark.requirement("P11.1", "P11.2", "P10.3")
@pytest.mark.parametrize(
    ("changed", "code", "severity"),
    [
        ({}, None, None),
        ({"kind": "rumour"}, "CANDIDATE_KIND", "FAIL"),
        ({"project_id": "demo-two"}, "CANDIDATE_PROJECT", "FAIL"),
        ({"extra": 1}, "CANDIDATE_SCHEMA", "FAIL"),
        ({"candidate_id": "A B"}, "CANDIDATE_ID", "FAIL"),
        ({"statement": ""}, "CANDIDATE_STATEMENT", "FAIL"),
        ({"created_at": "2999-01-01T00:00:00Z"}, "CANDIDATE_TIME", "FAIL"),
        ({"source_refs": []}, "CANDIDATE_EVIDENCE", "FAIL"),
        ({"statement": "Apples are cheap."}, "EVIDENCE_UNRELATED", "WARN"),
    ],
    ids=lambda value: str(value)[:24],
)
def test_a_candidate_that_does_not_hold_is_a_finding(
    tmp_path: Path, changed: dict[str, object], code: str | None, severity: str | None
) -> None:
    root = write_corpus(tmp_path / "corpus")
    report = report_on(root, candidate=candidate_file(root, **changed))
    assert [(issue.code, issue.severity) for issue in report.issues] == (
        [] if code is None else [(code, severity)]
    )


def test_files_that_are_no_json_are_refused(tmp_path: Path) -> None:
    root = built(write_corpus(tmp_path / "corpus"))
    bad = write(tmp_path / "bundle.json", "{")
    with pytest.raises(InputJsonError):
        report_on(root, bundle=str(bad))
    with pytest.raises(InputPathError):
        report_on(root, candidate=str(bad))
