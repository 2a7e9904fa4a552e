"""The tools that read. Each gives a value of its output schema, and one line of text.

They change nothing anywhere. The engine is imported when a tool is first called, so
that a server is up before it.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from corpus.authority import SOURCE_BYTES
from corpus.confined.reader import Unreadable, identity_text
from corpus.lines import decode, split_lines
from corpus.mcp.arguments import is_too_deep
from corpus.mcp.offer import Answer, counted
from corpus.refs import LineSpan, RelPath, name_problem
from corpus.refusals import (
    FileUnreadableError,
    ReadLimitError,
    ReadScopeError,
    ToolArgumentError,
    TransactionUnknownError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from corpus.browse import Holdings
    from corpus.confined.reader import FileBytes
    from corpus.mcp.desk import Desk

    Arguments = Mapping[str, Any]

LONGEST_ANSWER = 400_000
"""Characters of a file that one answer holds."""


def context_query(desk: Desk, asked: Arguments) -> Answer:
    """Rank the passages that answer a query."""
    from corpus.ranker import Options  # noqa: PLC0415 - loads the word lists
    from corpus.scopes import Scope  # noqa: PLC0415 - only for this tool
    from corpus.search import search  # noqa: PLC0415 - loads the word lists

    options = Options(
        limit=asked["limit"],
        kind=asked.get("type"),
        temporal=asked["temporal"],
        path=Scope.parse(asked["path"]) if "path" in asked else None,
    )
    found = search(desk.view(), asked["query"], options)
    count = counted(len(found.hits), "result")
    return Answer(found.as_json(), f"{count} for project {found.project_id}")


def context_bundle(desk: Desk, asked: Arguments) -> Answer:
    """Compile the context for a query within a budget."""
    from corpus.bundle import compile_bundle  # noqa: PLC0415 - loads the word lists

    bundle: dict[str, Any] = dict(
        compile_bundle(
            desk.view(),
            asked["query"],
            max_tokens=asked["max_tokens"],
            now=desk.place.clock(),
        )
    )
    count = counted(len(bundle["items"]), "item")
    return Answer(bundle, f"a bundle of {count} for project {bundle['project_id']}")


def context_doctor(desk: Desk, asked: Arguments) -> Answer:
    """Diagnose the sources as they are now."""
    del asked
    report = desk.warm().diagnosis(desk.project("corpus.context"))
    failures = counted(report.failures, "failure")
    warnings = counted(report.warnings, "warning")
    verdict = "is sound" if report.ok else "is not sound"
    return Answer(
        report.as_json(), f"{report.project_id} {verdict}: {failures}, {warnings}"
    )


def candidate_validate(desk: Desk, asked: Arguments) -> Answer:
    """Check a proposed statement and its evidence."""
    from corpus.candidate import validate_candidate  # noqa: PLC0415 - only for this

    project = desk.project("corpus.context")
    accepted = validate_candidate(project, asked["candidate"], now=desk.place.clock())
    doubts = counted(len(accepted.warnings), "warning")
    return Answer(
        accepted.as_json(), f"{accepted.candidate_id} is a valid candidate, {doubts}"
    )


def read(desk: Desk, asked: Arguments) -> Answer:
    """Give a file in the policy's read scope, or some of its lines."""
    path, project_id, found = _file(desk, "corpus.read", asked["path"])
    try:
        text = decode(found.content)
    except UnicodeDecodeError as problem:
        reason = f"it is not UTF-8 at byte {problem.start}"
        raise FileUnreadableError(path=path, reason=reason) from None
    lines = split_lines(text)
    first, last = _span(asked, len(lines), path)
    if "first_line" in asked or "last_line" in asked:
        text = "\n".join(lines[first - 1 : last])
    _require_room(path, text)
    value = {
        "project_id": project_id,
        "path": path,
        "size": found.size,
        "sha256": hashlib.sha256(found.content).hexdigest(),
        "line_count": len(lines),
        "line_start": first,
        "line_end": last,
        "content": text,
        "non_authoritative": True,
    }
    return Answer(value, f"lines {first}-{last} of {path}")


def stat(desk: Desk, asked: Arguments) -> Answer:
    """Give the size and the hash of a file in the policy's read scope."""
    path, project_id, found = _file(desk, "corpus.stat", asked["path"])
    sha256 = hashlib.sha256(found.content).hexdigest()
    value = {
        "project_id": project_id,
        "path": path,
        "size": found.size,
        "sha256": sha256,
        "identity": identity_text(found.device, found.inode),
        "non_authoritative": True,
    }
    return Answer(value, f"{path}: {found.size} bytes, sha256 {sha256}")


def search(desk: Desk, asked: Arguments) -> Answer:
    """Find the places that hold a text."""
    from corpus.browse import find  # noqa: PLC0415 - parses Markdown

    found = find(
        _holdings(desk, "corpus.search"),
        asked["query"],
        kind=asked.get("type"),
        limit=asked["limit"],
    )
    return Answer(found.as_json(), f"{counted(found.total, 'place')} found")


def timeline(desk: Desk, asked: Arguments) -> Answer:
    """List sources by the time written in them."""
    from corpus.browse import timeline as ordered  # noqa: PLC0415 - parses Markdown

    found = ordered(_holdings(desk, "corpus.timeline"), asked.get("selector"))
    return Answer(found.as_json(), f"{counted(len(found.events), 'source')} by time")


def show(desk: Desk, asked: Arguments) -> Answer:
    """Give one source by its path or its id, or some of its lines."""
    from corpus.browse import show as shown  # noqa: PLC0415 - parses Markdown

    _require_portable(asked["path"])
    span = _lines(asked["lines"]) if "lines" in asked else None
    found = shown(_holdings(desk, "corpus.read"), asked["path"], span)
    _require_room(found.path, found.content)
    value = found.as_json()
    return Answer(
        value, f"lines {value['line_start']}-{value['line_end']} of {found.path}"
    )


def audit_read(desk: Desk, asked: Arguments) -> Answer:
    """Give the receipt of one controlled write."""
    from corpus.writes.audit import read_receipt  # noqa: PLC0415 - only for this tool

    with desk.visit("audit.read") as visit:
        receipt = read_receipt(visit.root, visit.mandate, asked["transaction_id"])
    if is_too_deep(receipt.content):  # none of ours, and more than JSON readers take
        raise TransactionUnknownError(transaction_id=asked["transaction_id"])
    return Answer(receipt.as_json(), f"the receipt {receipt.path}")


def _holdings(desk: Desk, capability: str) -> Holdings:
    from corpus.browse import Holdings  # noqa: PLC0415 - parses Markdown

    project = desk.project(capability)
    return Holdings(project_id=project.project_id, scan=project.scan)


def _file(desk: Desk, capability: str, path: str) -> tuple[RelPath, str, FileBytes]:
    """Read a file of the project, which need not be a source."""
    _require_portable(path)
    named = RelPath(path)
    with desk.visit(capability) as visit:
        policy = visit.mandate.policy
        if not policy.may_read(named):
            raise ReadScopeError(path=named)
        try:
            found = visit.root.read(named, limit=SOURCE_BYTES)
        except Unreadable as problem:
            raise FileUnreadableError(path=named, reason=problem.reason) from None
    return named, policy.project_id, found


def _require_portable(path: str) -> None:
    """Refuse what is no relative path, without saying it again."""
    for part in path.removeprefix("./").split("/"):
        problem = name_problem(part)
        if problem is not None:
            raise ToolArgumentError(
                field="path", reason=f"is no portable relative path: {problem}"
            )


def _require_room(path: str, text: str) -> None:
    if len(text) > LONGEST_ANSWER:
        raise ReadLimitError(path=path, count=len(text), maximum=LONGEST_ANSWER)


def _span(asked: Arguments, count: int, path: str) -> tuple[int, int]:
    """Give the first and the last line asked for; a span may end behind the file."""
    first = asked.get("first_line", min(1, count))
    last = asked.get("last_line", count)
    if first > max(count, 1):
        raise ToolArgumentError(
            field="first_line", reason=f"lies behind `{path}`, which has {count} lines"
        )
    if last < first:
        raise ToolArgumentError(field="last_line", reason="is before `first_line`")
    return first, min(last, count)


def _lines(asked: str) -> LineSpan:
    first, _, last = asked.partition("-")
    span = LineSpan(first=int(first), last=int(last or first))
    if span.last < span.first:
        raise ToolArgumentError(field="lines", reason="ends before it begins")
    return span
