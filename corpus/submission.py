"""Make a candidate that waits: from a person's file, or from a record or an item.

Nothing waits without evidence (P19.1). A record or an item is evidence of nothing
(P16.2): its candidate cites the lines of sources that it names, or that a person gives.
A source that is named without a line is cited at the line that says most of the
statement's words; where none says two of them, it is not cited.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from corpus.bundle import stamp
from corpus.candidate import (
    CLOSE_TERMS,
    KINDS,
    LONGEST_STATEMENT,
    MOST_REFS,
    SCHEMA_VERSION,
    STATUS,
    validate_candidate,
)
from corpus.errors import (
    CandidateEvidenceError,
    CandidateKindError,
    CandidateSchemaError,
    UsageError,
)
from corpus.inbox import Cited, Entry, Link, Source
from corpus.lexical import terms
from corpus.lines import decode, split_lines
from corpus.origins import Lines
from corpus.protocol.layout import HOME
from corpus.refusals import CandidateUncitedError
from corpus.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from corpus.candidate import Accepted
    from corpus.canonical import Json
    from corpus.origins import Origin
    from corpus.sources.scan import Source as File
    from corpus.view import Project

_SPAN = re.compile(r"(?P<path>.+?):(?P<first>[0-9]{1,7})(?:-(?P<last>[0-9]{1,7}))?")
_NO_ID = re.compile(r"[^a-z0-9._-]+")


class Wish(NamedTuple):
    """What a person says besides, of a candidate that is made of an origin."""

    candidate_id: str | None = None
    kind: str | None = None
    statement: str | None = None


class Submitted(NamedTuple):
    """A candidate as it is put into the inbox, and what is doubtful about it."""

    entry: Entry
    verdict: Accepted


def lines_named(text: str) -> Lines:
    """Read `PATH:FIRST` or `PATH:FIRST-LAST`; UsageError for anything else."""
    found = _SPAN.fullmatch(text)
    first = int(found["first"]) if found else 0
    last = int(found["last"] or first) if found else 0
    if found is None or not 1 <= first <= last:
        problem = f"`{visible(text)[:80]}` is not PATH:FIRST-LAST"
        raise UsageError(problem=problem)
    return Lines(found["path"], first, last)


def from_file(project: Project, candidate: Json, *, now: datetime) -> Submitted:
    """Check a candidate that a person wrote; raises as `validate_candidate`."""
    if not isinstance(candidate, dict):
        raise CandidateSchemaError(field="candidate", reason="is not an object")
    verdict = validate_candidate(project, candidate, now=now)
    evidence = tuple(_cited(one) for one in _refs(candidate))
    return Submitted(Entry(candidate, evidence, None, stamp(now)), verdict)


def from_origin(
    project: Project,
    origin: Origin,
    given: Sequence[Lines],
    wish: Wish,
    *,
    now: datetime,
) -> Submitted:
    """Make a candidate of a record or an item, and check it.

    `given` are the lines that a person names; without any it cites what the origin
    names. Raises `CandidateUncitedError`, and as `validate_candidate`.
    """
    statement = wish.statement or visible(origin.statement).strip()
    if wish.statement is None:
        statement = statement[:LONGEST_STATEMENT]
    kind = wish.kind or origin.kind_of_statement
    if kind not in KINDS:
        raise CandidateKindError(known=", ".join(KINDS))
    rung = origin.rung
    if given:
        evidence = _distinct(_given(project, given))
    else:
        evidence = _distinct(_found(project, origin.lines, statement))[:MOST_REFS]
    if not evidence:
        raise CandidateUncitedError(origin=rung.place)
    candidate: dict[str, Json] = {
        "schema_version": SCHEMA_VERSION,
        "candidate_id": wish.candidate_id or _id_of(origin),
        "project_id": project.project_id,
        "kind": kind,
        "statement": statement,
        "source_refs": [
            {
                "source_path": one.source_path,
                "source_sha256": one.source_sha256,
                "line_start": one.line_start,
            }
            for one in evidence
        ],
        "created_at": stamp(now),
        "status": STATUS,
    }
    verdict = validate_candidate(project, candidate, now=now)
    chain = tuple(Link(one.rung, one.id, one.sha256, one.at) for one in origin.rungs)
    source = Source(origin.kind, rung.id, rung.place, chain)
    return Submitted(Entry(candidate, evidence, source, stamp(now)), verdict)


def _refs(candidate: Mapping[str, Json]) -> Iterator[Mapping[str, Json]]:
    refs = candidate["source_refs"]
    assert isinstance(refs, list), "it was validated"
    for one in refs:
        assert isinstance(one, dict), "it was validated"
        yield one


def _cited(ref: Mapping[str, Json]) -> Cited:
    line = ref["line_start"]
    assert isinstance(line, int), "it was validated"
    return Cited(str(ref["source_path"]), str(ref["source_sha256"]), line, line)


def _id_of(origin: Origin) -> str:
    """Give the id that one record or item always gets, safe as a file's name."""
    text = f"{origin.kind}-{origin.rung.id}".lower()
    return _NO_ID.sub("-", text)[:64]


def _given(project: Project, given: Sequence[Lines]) -> Iterator[Cited]:
    """Cite the lines that a person names, each of which must be there."""
    files = project.scan.by_path()
    for at, one in enumerate(given):
        field = f"source[{at}]"
        file = _file(files, one.path)
        if file is None:
            raise CandidateEvidenceError(field=field, reason="is not a source in scope")
        rows = split_lines(decode(file.content))
        first, last = one.first or 1, one.last or one.first or 1
        if last > len(rows):
            reason = f"ends after line {len(rows)}, the last one"
            raise CandidateEvidenceError(field=field, reason=reason)
        filled = [n for n in range(first, last + 1) if rows[n - 1].strip()]
        if not filled:
            raise CandidateEvidenceError(field=field, reason="holds only blank lines")
        yield Cited(file.path, file.sha256, filled[0], filled[-1])


def _found(project: Project, named: Sequence[Lines], statement: str) -> Iterator[Cited]:
    """Cite what an origin names, as far as it names sources and lines with text."""
    files = project.scan.by_path()
    said = frozenset(terms(statement))
    for one in named:
        file = _file(files, one.path)
        if file is None:
            continue
        rows = split_lines(decode(file.content))
        if one.first is None:
            line = _line_about(rows, said)
            if line is not None:
                yield Cited(file.path, file.sha256, line, line)
            continue
        last = min(one.last or one.first, len(rows))
        filled = [n for n in range(one.first, last + 1) if rows[n - 1].strip()]
        if filled:
            yield Cited(file.path, file.sha256, filled[0], filled[-1])


def _line_about(rows: Sequence[str], said: frozenset[str]) -> int | None:
    """Give the first line that says the most of some words; None if none says enough.

    One word in common is chance.
    """
    best, line = 0, None
    for number, row in enumerate(rows, start=1):
        common = len(said & set(terms(row)))
        if common > best and common >= min(CLOSE_TERMS, len(said)):
            best, line = common, number
    return line


def _file(files: Mapping[str, File], path: str) -> File | None:
    name = path.removeprefix("./")
    return files.get(name) or files.get(f"{HOME}/{name}")


def _distinct(cited: Iterator[Cited]) -> tuple[Cited, ...]:
    """Keep the first of several that begin at the same line, as references must."""
    found: dict[tuple[str, int], Cited] = {}
    for one in cited:
        found.setdefault((one.source_path, one.line_start), one)
    return tuple(found.values())
