"""Judged corpora: documents, queries, and which documents answer each query."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"

POLICY = """policy_version = "2.0"
project_id = "{project_id}"
profile = "READ_ONLY"

[capabilities]
allow = ["corpus.read", "corpus.context", "corpus.validate"]

[scopes]
read = [".project-corpus/**"]
write = []

[requirements]
expected_hash = false
verified_readback = false
audit_receipt = false
"""
PROJECT = """# Project

Protocol-Version: 2.0
Project-ID: {project_id}
Logical-Name: {project_id}

## Objective

NONE

## Invariants

NONE

## Durable Scope Boundaries

NONE

## Non-Goals

NONE
"""
STATUS = """# Status

Protocol-Version: 2.0
Project-ID: {project_id}
Lifecycle-Status: PAUSED
Active-Task-ID: NONE
Last-Verified-At: UNVERIFIED
Evidence-Class: UNVERIFIED

## Current Verified Baseline

NONE

## Blockers

NONE

## Evidence References

NONE

## Exact Next Action

NONE
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One query; `relevant` and `stale` are paths relative to the corpus root."""

    group: str
    text: str
    relevant: frozenset[str]
    stale: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedCorpus:
    """A corpus on disk and its queries."""

    name: str
    root: Path
    queries: tuple[Judged, ...]


def load_peps(folder: Path) -> JudgedCorpus:
    """Make the corpus of Python Enhancement Proposals in `folder`."""
    root = folder / "peps"
    tool = SHARED / "tools" / "make_corpus.py"
    subprocess.run(
        [sys.executable, str(tool), "peps", str(root)], check=True, capture_output=True
    )
    cases = json.loads((root / "queries.json").read_text("utf-8"))
    queries = tuple(
        Judged(
            group="-".join(filter(None, (case["set"], case["kind"]))),
            text=case["query"],
            relevant=frozenset(case["relevant"]),
            stale=frozenset(case["stale"]),
        )
        for case in cases
    )
    return JudgedCorpus(name="peps", root=root, queries=queries)


def load_repository(source: Path, folder: Path) -> JudgedCorpus:
    """Make a corpus of a repository's Markdown: every file becomes history."""
    root = folder / source.name
    home = root / ".project-corpus"
    fill = {"project_id": source.name}
    for name in ("state", "tasks", "reports", "history"):
        (home / name).mkdir(parents=True)
    (home / "policy.toml").write_text(POLICY.format_map(fill), "utf-8")
    (home / "state" / "PROJECT.md").write_text(PROJECT.format_map(fill), "utf-8")
    (home / "state" / "STATUS.md").write_text(STATUS.format_map(fill), "utf-8")
    files = source / "files"
    for path in sorted(files.rglob("*")):
        if path.is_file() and path.suffix.lower() in {".md", ".markdown"}:
            target = home / "history" / path.relative_to(files)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    queries = []
    for line in (source / "queries.jsonl").read_text("utf-8").splitlines():
        case = json.loads(line)
        queries.append(
            Judged(
                group=case["lang"],
                text=case["query"],
                relevant=_inside(case["relevant"]),
                stale=_inside(case.get("stale", ())),
            )
        )
    return JudgedCorpus(name=source.name, root=root, queries=tuple(queries))


def grant_limits(corpus: JudgedCorpus, trust: Path) -> None:
    """Let the owner's grant admit a repository larger than the usual bounds."""
    trust.mkdir(mode=0o700, parents=True, exist_ok=True)
    grant = trust / f"{corpus.name}.toml"
    grant.touch(mode=0o600)
    grant.write_text(
        f'grant_version = "1"\nproject_id = "{corpus.name}"\n'
        f"physical_root = {json.dumps(str(corpus.root))}\n"
        "[limits]\nnonblank_lines = 200000\n",
        "utf-8",
    )


def load_all(folder: Path) -> list[JudgedCorpus]:
    """Make every judged corpus there is; none where the data are absent."""
    if not (SHARED / "data").is_dir():
        return []
    repositories = sorted((SHARED / "data" / "corpora").iterdir())
    return [
        load_peps(folder),
        *(
            load_repository(source, folder)
            for source in repositories
            if (source / "queries.jsonl").is_file()
        ),
    ]


def _inside(paths: object) -> frozenset[str]:
    assert isinstance(paths, dict | list | tuple)
    return frozenset(f".project-corpus/history/{path}" for path in paths)
