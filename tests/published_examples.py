"""Make the worked examples in `exports/`.

Those of `project-corpus` are all from the demonstration's corpus.

    python tests/published_examples.py

writes them again. The clock is fixed and no path of this machine occurs in them, so
the same sources give the same bytes; a test compares them with what is there.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

if __package__ in {None, ""}:
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from corpus.bundle import compile_bundle
from corpus.candidate import validate_candidate
from corpus.confined.reader import open_root
from corpus.errors import IndexStaleError
from corpus.evaldata import read_dataset
from corpus.evaluate import evaluate
from corpus.examination import Examined, examine
from corpus.grant import Grant, Limits, serialize_grant
from corpus.ledger import read_ledger, record
from corpus.protocol.conformance import validate
from corpus.protocol.overview import overview
from corpus.ranker import Options
from corpus.receipt import make_receipt, verify_bundle
from corpus.search import search
from corpus.userdirs import UserDirs
from corpus.view import build_index, index_card, open_project, open_view
from corpus.writes.requests import create_report
from tests.corpora import fixed_bytes, report_page
from tests.published_agentctx import agentctx_examples
from tests.published_fleet import fleet_example, write_neighbours
from tests.published_inbox import inbox_examples
from tests.published_records import records_example
from tests.published_team import team_examples
from tests.trusted import write_trusted, writer_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from corpus.canonical import Json
    from corpus.view import View

ROOT = Path(__file__).resolve().parents[1]
EXPORTS = ROOT / "exports"
SAMPLE = ROOT / "demo" / "corpus"
NOW = datetime(2026, 4, 1, 9, 0, tzinfo=UTC)
LATCH = "how long does the latch stay open after an unlock command"
TRANSPORT = "how do cabinets receive commands from the server"
REPORTS = ".project-corpus/reports"
HTTPS = f"{REPORTS}/report-0007-transport-https-decision.md"
MQTT = f"{REPORTS}/report-0002-transport-mqtt-decision.md"
COLD = f"{REPORTS}/report-0004-cold-chamber-kazan.md"
STATUS = ".project-corpus/state/STATUS.md"

EDITS = {
    STATUS: ("- Report-ID: report-0003", "- Report-ID: report-0099"),
    f"{REPORTS}/report-0014-lockout-prototype.md": ("Result: PARTIAL\n", ""),
    f"{REPORTS}/report-0011-panel-unlock-review.md": (
        "the panel's owner.",
        "the panel's owner, who is currently on leave.",
    ),
}
"""What is changed, by path: an old text and a new one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """The demonstration's corpus in a folder of its own, with its index."""

    root: Path
    dirs: UserDirs
    view: View
    build: Mapping[str, object]

    def hash_of(self, path: str) -> str:
        """Give the hash of one of its sources."""
        return self.view.snapshot[path]


def open_sample(folder: Path) -> Sample:
    """Copy the corpus into `folder`, build its index and open it."""
    root = folder / "parcel-lockers"
    shutil.copytree(SAMPLE, root)
    user = folder / "user"
    dirs = UserDirs(state=user / "state", trust=user / "trust")
    built = build_index(root, dirs=dirs, random=fixed_bytes, now=NOW.timestamp())
    index = root / ".project-corpus" / "cache" / "context.sqlite3"
    os.utime(index, (NOW.timestamp(), NOW.timestamp()))
    view = open_view(root, dirs=dirs)
    return Sample(root=root, dirs=dirs, view=view, build=built.as_json())


def example_texts(sample: Sample) -> dict[str, str]:
    """Give every example by its path below `exports/`."""
    texts = {
        f"{name}/{name}.example.json": example_text(value)
        for name, value in {
            **example_values(sample),
            **agentctx_examples(sample.root.parent),
            **inbox_examples(sample.root.parent),
        }.items()
    }
    policy = (sample.root / ".project-corpus" / "policy.toml").read_text("utf-8")
    return {
        "policy/policy.example.toml": policy,
        "grant/grant.example.toml": serialize_grant(owners_grant(sample)).decode(),
        "records/records.example.json": records_example(sample.root.parent),
        **team_examples(sample.root.parent),
        **texts,
    }


def example_text(value: object) -> str:
    """Write a value as examples are kept: readable, keys in the order printed."""
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def example_values(sample: Sample) -> dict[str, object]:
    """Give what the program makes of the corpus, by the name of the format."""
    view = sample.view
    bundle = compile_bundle(view, TRANSPORT, max_tokens=900, now=NOW)
    receipt = make_receipt(bundle, "review-agent", now=NOW)
    project = open_project(sample.root, dirs=sample.dirs)
    proposed, judged = candidate(sample), dataset()
    with open_root(sample.root) as opened:
        card = overview(opened, index=index_card(opened, sample.root, dirs=sample.dirs))
    values = {
        "build": sample.build,
        "query": search(view, LATCH, Options(limit=3)).as_json(),
        "bundle": bundle,
        "receipt": receipt,
        "ledger": recorded(sample, receipt),
        "verification": verify_bundle(project, bundle, receipt).as_json(),
        "status": card.as_json(),
        "candidate": proposed,
        "candidate-verdict": validate_candidate(project, proposed, now=NOW).as_json(),
        "eval-dataset": judged,
        "eval-report": evaluate(view, read_dataset(judged), now=NOW).as_json(),
        **fleets(sample, judged),
        **a_write(sample),
        **after_an_edit(sample),
    }
    return {name: settled(value) for name, value in values.items()}


def fleets(sample: Sample, judged: dict[str, Json]) -> dict[str, object]:
    """Build and evaluate the corpus and its neighbours."""
    folder = sample.root.parent
    write_neighbours(folder, judged)
    return {
        "fleet-build": fleet_example("build", folder, dirs=sample.dirs, now=NOW),
        "fleet-eval": fleet_example("eval", folder, dirs=sample.dirs, now=NOW),
    }


def recorded(sample: Sample, receipt: dict[str, Json]) -> dict[str, object]:
    """Record the same receipt for two consumers, and list them."""
    state = sample.dirs.state
    for consumer in (receipt["consumer"], "release-agent"):
        record({**receipt, "consumer": consumer}, state=state)
    return read_ledger(str(receipt["project_id"]), state=state).as_json()


def candidate(sample: Sample) -> dict[str, Json]:
    """Propose a statement that the corpus supports."""
    return {
        "schema_version": "1",
        "candidate_id": "controller-cold-start",
        "project_id": "parcel-lockers",
        "kind": "environment_gotcha",
        "statement": "При −30 °C модем не регистрируется в сети, пока не прогреется "
        "до −20 °C; ячейка открывается по сохранённому коду через две минуты.",
        "source_refs": [
            {
                "source_path": COLD,
                "source_sha256": sample.hash_of(COLD),
                "line_start": 12,
            }
        ],
        "created_at": "2026-04-01T09:00:00Z",
        "status": "candidate",
    }


def dataset() -> dict[str, Json]:
    """Judge three queries."""
    return {
        "schema_version": "1",
        "cases": [
            {
                "name": "the decision that holds comes before the one it replaced",
                "query": TRANSPORT,
                "expected_top_source_path": HTTPS,
                "expected_source_temporal": {HTTPS: "scoped", MQTT: "superseded"},
                "forbidden_source_paths": [MQTT],
                "must_contain": ["long polling"],
            },
            {
                "name": "both measurements of the latch are found",
                "query": LATCH,
                "max_tokens": 800,
                "retrieval_limit": 10,
                "top_k": 2,
                "expected_top_k_paths": [
                    f"{REPORTS}/report-0003-latch-bench-rotterdam.md",
                    f"{REPORTS}/report-0010-latch-field-rotterdam.md",
                ],
                "expected_authority_classes": ["CANONICAL", "CITED_REPORT"],
            },
            {
                "name": "a question in Russian, and nothing from outside the scope",
                "query": "за сколько запускается контроллер на морозе",
                "expected_source_paths": [COLD],
                "expected_source_authority": {COLD: "CITED_REPORT"},
                "expected_project_id": "parcel-lockers",
                "forbidden_scope_paths": [".project-corpus/cache/notes.md"],
            },
        ],
    }


def owners_grant(sample: Sample) -> Grant:
    """Grant what an agent needs that reads and reports."""
    policy = sample.view.project.policy
    return Grant(
        project_id=policy.project_id,
        physical_root="/home/ana/projects/parcel-lockers",
        root_identity="posix:803:2a4f1c",
        policy_sha256=policy.sha256,
        capability_ceiling=frozenset({"corpus.context", "mcp.stdio", "report.create"}),
        filesystem="ext4",
        transports=frozenset({"cli", "stdio-mcp"}),
        approved_at="2026-03-30T08:15:00Z",
        protocol_version="2.0",
        limits=Limits(sources=4096),
    )


def a_write(sample: Sample) -> dict[str, object]:
    """Write a report into another corpus, where the owner grants it."""
    root = write_trusted(sample.root.parent / "weather-station")
    content = report_page("report-new").encode()
    with writer_of(root) as writer:
        outcome = create_report(writer, "report-new", content)
    assert outcome.audit_path is not None
    receipt = json.loads((root / outcome.audit_path).read_text(encoding="utf-8"))
    receipt["filesystem"] = "ext4"
    for place in (receipt, *receipt["changes"]):
        place["new_identity"] = "posix:803:2a5b02"
    return {"write": outcome.as_json(), "audit": receipt}


def after_an_edit(sample: Sample) -> dict[str, object]:
    """Change three files, and give what is said of the corpus then."""
    for path, (old, new) in EDITS.items():
        source = sample.root / path
        text = source.read_text(encoding="utf-8")
        source.write_text(text.replace(old, new), encoding="utf-8", newline="\n")
    what = Examined(root=sample.root)
    report = examine(what, dirs=sample.dirs, random=fixed_bytes, now=NOW)
    with open_root(sample.root) as opened:
        validation = validate(opened)
    return {
        "doctor": report.as_json(),
        "fleet-doctor": fleet_example(
            "doctor", sample.root.parent, dirs=sample.dirs, now=NOW
        ),
        "validation": validation.as_json(),
        "error": failure(sample),
    }


def failure(sample: Sample) -> dict[str, object]:
    """Fail as a query on a changed corpus does."""
    try:
        open_view(sample.root, dirs=sample.dirs)
    except IndexStaleError as error:
        return {
            "ok": False,
            "error": error.code,
            "detail": str(error),
            "hint": error.hint,
            "facts": error.facts,
        }
    message = "the index is not stale"
    raise AssertionError(message)


def settled(value: object) -> object:
    """Say the guarantee level of a system that has the strongest one."""
    reading = {"openat2", "walk", "portable"}
    if isinstance(value, dict) and value.get("guarantee_level") in reading:
        return {**value, "guarantee_level": "openat2"}
    return value


def main() -> None:
    """Write every example to its place."""
    with tempfile.TemporaryDirectory() as folder:
        texts = example_texts(open_sample(Path(folder).resolve()))
    for name, text in texts.items():
        path = EXPORTS / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
