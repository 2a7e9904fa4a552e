"""The lines of the corpus contract, each with the words that recall it.

Every id has a test that names it in `@pytest.mark.requirement(...)`, unless it waits
in `PENDING` for the work that will bring it.
"""

from __future__ import annotations

import ast
import runpy
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

TESTS = Path(__file__).parent
_MEMORY = runpy.run_path(str(TESTS / "memorycontract.py"))

REQUIREMENTS: dict[str, str] = {
    "P1.1": "ids of projects and artifacts, the stem as the artifact's id, Markdown",
    "P1.2": "metadata as lines before the first H2 or as front matter",
    "P1.3": "PROJECT: metadata and sections",
    "P1.4": "STATUS: metadata and sections",
    "P1.5": "task, report and history artifacts",
    "P1.6": "validate checks every artifact in scope",
    "P1.7": "init writes a corpus that validates and overwrites nothing",
    "P1.8": "status is one card",
    "P2.1": "policy.toml: closed schema, byte-order mark accepted",
    "P2.2": "capabilities and what each profile holds",
    "P2.3": "scopes: portable patterns, deny wins",
    "P2.4": "what is out of scope is never opened, counted, named or shown",
    "P3.1": "the owner's grant: place, fields, permissions",
    "P3.2": "trust create, show, list, approve-policy, renew, revoke",
    "P3.3": "effective capability is the intersection of four layers, with reasons",
    "P3.4": "context commands need no grant and obey scopes and policy",
    "P4.1": "one class opens files, below a pinned root, following no link",
    "P4.2": "reads work on any file system and say their guarantee level",
    "P4.3": "an unreadable file is skipped and reported; nothing blocks",
    "P4.4": "a racing writer never makes bytes from outside appear",
    "P4.5": "text: UTF-8, line ends, hashes of the raw bytes",
    "P5.1": "context build and where the index may lie",
    "P5.2": "the index holds no source text; terms are keyed hashes",
    "P5.3": "the index answers queries; only winners' excerpts are read",
    "P5.4": "incremental equals from scratch; an idle build writes nothing",
    "P5.5": "the index is published whole or not at all",
    "P5.6": "a bad index is named as such and loses nothing",
    "P5.7": "query and bundle refuse a stale index and name what changed",
    "P5.8": "limits end in CONTEXT_LIMIT with the largest contributors",
    "P5.9": "build shows progress on a terminal after half a second",
    "P5.10": "which files are sources, and that nothing else is written",
    "P5.11": "every scoped source is hashed again at every query",
    "P6.1": "passages: heading-scoped runs of blocks with exact lines",
    "P6.2": "any input parses in linear time, at most 2 s a MiB",
    "P6.3": "terms: identifiers, stems, unspaced scripts, numbers",
    "P7.1": "context query: options and errors",
    "P7.2": "the score: integer, deterministic, relevance before authority",
    "P7.3": "authority and temporal classes",
    "P7.4": "supersession: who may supersede whom",
    "P7.5": "citations",
    "P7.6": "duplicates suppressed, conflicts kept",
    "P7.7": "historical intent from whole words",
    "P7.8": "fields of results and of the envelope",
    "P7.9": "no query takes super-linear time",
    "P8.1": "context bundle: options",
    "P8.2": "bundle: JSON v1",
    "P8.3": "canonical JSON, bundle hash, size, snapshot digest",
    "P8.4": "structural summaries first, mandatory reads",
    "P8.5": "token estimate, envelope, the budget is used",
    "P8.6": "the past is left out unless it is the answer",
    "P8.7": "the prompt format: cited, fenced, within its budget",
    "P8.8": "every change of a source changes the digest; compilation is linear",
    "P9.1": "receipts: what is verified, what they hold",
    "P9.2": "context verify",
    "P9.3": "the hash-chained ledger of receipts",
    "P10.1": "candidates: exact schema",
    "P10.2": "evidence of candidates",
    "P10.3": "validation writes nothing; codes name the field",
    "P10.4": "JSON inputs are bounded",
    "P11.1": "context doctor: options and report",
    "P11.2": "codes of the doctor",
    "P11.3": "the doctor repairs nothing; one cause, one finding; linear time",
    "P12.1": "context eval: the dataset",
    "P12.2": "closed schema, per-case reasons, means, baseline",
    "P12.3": "1,000 cases in two minutes",
    "P13.1": "controlled writes: steps",
    "P13.2": "recovery from being killed at any step",
    "P13.3": "racing writers, codes, receipts without content",
    "P14": "limits, and that only the owner's grant raises them",
    "P15.1": "mcp: tools and their gates",
    "P15.2": "mcp: arguments and schemas",
    "P15.3": "mcp: any bytes on stdin",
    "P15.4": "mcp: conformance scenarios",
    "P16.1": "records as sources",
    "P16.2": "ranking of records and memory items",
    "P16.3": "providers are entry points; one that raises is a finding",
    "P16.4": "verify checks records and items too",
    "P17.1": "context watch rebuilds on change",
    "P18.1": "ROOT, output formats, streams, UTF-8",
    "P18.2": "exit status, JSON failures, one documented registry of codes",
    "P18.3": "help, version, completion, broken pipe, Ctrl-C",
    "P18.4": "search, timeline, show",
    "P19.1": "candidate submit, list, show, accept, reject",
    "P19.2": "accept is a controlled write; reject keeps the reason",
    "P19.3": "why walks the ladder both ways",
    "P20.1": "fleet build, doctor, eval over executors",
    "A1.1": "no daemon: processes end with their work",
    "A1.2": "hard budgets of what is injected, in code",
    "A1.3": "superseded facts never surface by default",
    "A1.4": "no compiler on the install path",
    "A1.5": "no unconfirmed write to what is the user's; uninstall undoes exactly",
    "A1.6": "no model of embeddings in a hook",
    "A1.7": "everything derived is made anew from the records",
    "A2.1": "the tables of records, and the limits of their fields",
    "A2.2": "ids, seven types, sizes of titles and bodies",
    "A2.3": "confidence rises one way only",
    "A2.4": "a directory's namespace, read from git's own files",
    "A2.5": "reads see a project and `_global`, writes never cross",
    "A2.6": "supersession: one transaction, current heads only, keyed types",
    "A2.7": "what was believed at a date, and what was true",
    "A2.8": "the graph: files and what is linked to them",
    "A2.9": "tombstones: what was deleted is not learned again",
    "A2.10": "many writers, and stores that are not ours or damaged",
    "A3.1": "what is read of a question, and the floor below every answer",
    "A3.2": "the score of records: BM25 and four bounded factors",
    "A3.3": "the ladder of degradation, and its markers",
    "A3.4": "how well records are found, on judged sets",
    "A4.1": "hooks: JSON in and out, status 0, silent, light, ended in time",
    "A4.2": "a session's start: the digest, its sections, filtered and counted",
    "A4.3": "a prompt: three records at most, framed, not twice, counted",
    "A4.4": "the end of a turn wakes the worker, which waits for quiet",
    "A4.5": "the end of a session: stamped, read, then put in order",
    "A4.6": "a handover before a compaction, never over a richer one",
    "A4.7": "what is observed of tools: files, failures, tests, git",
    "A4.8": "sub-agents are told the rules; another folder is another project",
    "A4.9": "what is registered comes from one table",
    "A5.1": "mcp: exactly seven tools, declared within their budget",
    "A5.2": "ctx_search: entries, never bodies; ctx_get: what is missing, its head",
    "A5.3": "a bad store never ends the server; the project follows the client",
    "A5.4": "mcp for memory: a server of its own, with two tools",
    "A6.1": "the one seam to a model: errors, retries, time, cost",
    "A6.2": "incremental: watermark, debounce, single flight, caps",
    "A6.3": "what is asked, by size, at turns; what was left out can be asked",
    "A6.4": "the schema of the answer; only ids that were shown supersede",
    "A6.5": "what is dropped, why, and the quote of what is kept",
    "A6.6": "transcripts of every version, and only the developer's own words",
    "A6.7": "consolidation, and a handover by rule without a model",
    "A6.8": "review-session: what a session yielded, and corrections",
    "A7.1": "drift over everything that the client loads",
    "A7.2": "sync: a real diff, applied one by one; the tool only reads",
    "A7.3": "a project's profile, read from its manifests",
    "A8.1": "the team's file: a block a record, deterministic bytes",
    "A8.2": "what is promoted, exported, imported, and noticed as a session begins",
    "A8.3": "hand edits round-trip; a broken block is told by its line",
    "A8.4": "the merge driver: no conflict without need, no block lost",
    "A8.5": "imported text is someone else's: framed, refused, or for a person",
    "A8.6": "what is learned on a branch joins the main line with it, or goes",
    "A9": "the command line of records",
    "A10.1": "secrets are redacted before anything is stored",
    "A10.2": "trust is carried from the source",
    "A10.3": "injected text stays in its frame, visible, and is called evidence",
    "A11": "adapters for other agents' clients",
    "A12": "report: one static page of what is known, escaped, readable for all",
}

REQUIREMENTS |= _MEMORY["memory_requirements"]()

PENDING: dict[str, str] = {
    "A11": "other agents",
}
PENDING |= dict.fromkeys(_MEMORY["MEMORY_PENDING"], "conversation memory")
"""What waits, and for which work; a test may name these, none has to."""


def tests_by_requirement() -> dict[str, list[str]]:
    """Map every id some test names to the tests that name it."""
    found: dict[str, list[str]] = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for test, requirement in _marked(tree):
            node = f"{path.relative_to(TESTS.parent).as_posix()}::{test}"
            found.setdefault(requirement, []).append(node)
    return found


def _marked(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Give test and id for every id in a marker, a file's own markers included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for decorator in node.decorator_list:
                yield from ((node.name, one) for one in _ids(decorator))
        elif isinstance(node, ast.Assign) and ast.unparse(node).startswith(
            "pytestmark = "
        ):
            for part in ast.walk(node.value):
                yield from (("(the whole file)", one) for one in _ids(part))


def _ids(marker: ast.AST) -> Iterator[str]:
    if isinstance(marker, ast.Call) and (
        ast.unparse(marker.func) == "pytest.mark.requirement"
    ):
        for argument in marker.args:
            assert isinstance(argument, ast.Constant), ast.unparse(marker)
            yield str(argument.value)
