"""Whether a proposed statement may be put before a person: its form and its evidence.

Validation writes nothing and promotes nothing (P10). A statement is held against the
passages it cites: one that has no term in common with any of them, or that disagrees
with one in a number or a negation, is accepted with a warning, and so is one that gives
orders to an agent or may hold a secret.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Literal, NamedTuple

from corpus.errors import (
    CandidateEvidenceError,
    CandidateIdError,
    CandidateKindError,
    CandidateProjectError,
    CandidateSchemaError,
    CandidateStatementError,
    CandidateTimeError,
)
from corpus.excerpt import sentences
from corpus.instructions import suspect_instructions
from corpus.keyshapes import possible_secrets
from corpus.lexical import has_negation, numbers, terms
from corpus.markdown import decode, split_lines
from corpus.protocol.metadata import instant
from corpus.reading import read
from corpus.refs import is_id
from corpus.sources.facts import piece_text
from corpus.sources.parsing import parse_source
from corpus.sources.provided import is_provided

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from corpus.canonical import Json
    from corpus.sources.parsing import Parsed
    from corpus.sources.scan import Source
    from corpus.view import Project

SCHEMA_VERSION = "1"
STATUS = "candidate"
PROMOTION = "EXPLICIT_SUPERVISOR_OR_OWNER_ACTION_REQUIRED"
KINDS = (
    "semantic_fact",
    "episodic_evidence",
    "procedural_knowledge",
    "environment_gotcha",
    "premise",
    "resource_reference",
)
LONGEST_STATEMENT = 4_000
MOST_REFS = 32

CLOSE = 0.6
"""A cited sentence with this part of a statement's terms speaks of the same thing."""

CLOSE_TERMS = 2
"""It must share at least so many."""

PASSAGES_OF_A_LINE = 8
"""One very long line is several passages; so many of them are compared."""

_FIELDS: Mapping[str, type] = {
    "schema_version": str,
    "candidate_id": str,
    "project_id": str,
    "kind": str,
    "statement": str,
    "source_refs": list,
    "created_at": str,
    "status": str,
}
_REF_FIELDS: Mapping[str, type] = {
    "source_path": str,
    "source_sha256": str,
    "line_start": int,
}
_TYPE_NAMES = {str: "text", list: "a list", int: "a whole number"}
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-5][0-9]Z")
_UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_PRINTABLE = frozenset("\n\t\u200c\u200d")
_OWN_LINE = re.compile(r"\s*(?:[-*+|>#]|\d+[.)])")

WarningCode = Literal[
    "EVIDENCE_UNRELATED", "EVIDENCE_CONFLICT", "SUSPECT_INSTRUCTION", "POSSIBLE_SECRET"
]


class CandidateWarning(NamedTuple):
    """A doubt about an accepted candidate: its code, the field, what is doubtful."""

    code: WarningCode
    field: str
    detail: str

    def as_json(self) -> dict[str, str]:
        """Give the warning as a JSON object."""
        return {"code": self.code, "field": self.field, "detail": self.detail}


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """A candidate that may be put before a person; it is still only a candidate."""

    candidate_id: str
    project_id: str
    warnings: tuple[CandidateWarning, ...]

    def as_json(self) -> dict[str, object]:
        """Give the verdict as `context candidate-validate` prints it."""
        return {
            "ok": True,
            "candidate_id": self.candidate_id,
            "project_id": self.project_id,
            "status": STATUS,
            "promotion": PROMOTION,
            "warnings": [warning.as_json() for warning in self.warnings],
            "non_authoritative": True,
        }


class SourceRef(NamedTuple):
    """A cited line of one source at one version."""

    source_path: str
    source_sha256: str
    line_start: int


def validate_candidate(project: Project, candidate: Json, *, now: datetime) -> Accepted:
    """Check a candidate against the project as it is now; `now` is UTC.

    Raises the `Candidate…Error` of the first field that is wrong, in the order of the
    schema: what the fields are comes before what they say.
    """
    fields = _typed(candidate, _FIELDS, "")
    given = fields["source_refs"]
    assert isinstance(given, list)
    refs = [_ref(entry, f"source_refs[{at}]") for at, entry in enumerate(given)]
    for name, expected in (("schema_version", SCHEMA_VERSION), ("status", STATUS)):
        if fields[name] != expected:
            raise CandidateSchemaError(field=name, reason=f"is not `{expected}`")
    if fields["project_id"] != project.project_id:
        raise CandidateProjectError(expected=project.project_id)
    if not is_id(str(fields["candidate_id"])):
        raise CandidateIdError
    if fields["kind"] not in KINDS:
        raise CandidateKindError(known=", ".join(KINDS))
    statement = str(fields["statement"])
    _require_statement(statement)
    _require_time(str(fields["created_at"]), now)
    sources = project.scan.by_path()
    _require_evidence(refs, sources)
    return Accepted(
        candidate_id=str(fields["candidate_id"]),
        project_id=project.project_id,
        warnings=tuple(_warnings(statement, refs, sources)),
    )


def _typed(value: Json, wanted: Mapping[str, type], place: str) -> Mapping[str, Json]:
    """Check that an object has exactly these fields, of these types."""
    if not isinstance(value, dict):
        field = place or "candidate"
        raise CandidateSchemaError(field=field, reason="is not an object")
    prefix = f"{place}." if place else ""
    for name in wanted:
        if name not in value:
            raise CandidateSchemaError(field=prefix + name, reason="is missing")
    for name in sorted(value.keys() - wanted.keys()):
        raise CandidateSchemaError(field=prefix + name, reason="is unknown")
    for name, kind in wanted.items():
        if type(value[name]) is not kind:
            reason = f"is not {_TYPE_NAMES[kind]}"
            raise CandidateSchemaError(field=prefix + name, reason=reason)
    return value


def _ref(entry: Json, place: str) -> SourceRef:
    fields = _typed(entry, _REF_FIELDS, place)
    line = fields["line_start"]
    assert isinstance(line, int)
    return SourceRef(str(fields["source_path"]), str(fields["source_sha256"]), line)


def _require_statement(statement: str) -> None:
    if not statement.strip():
        raise CandidateStatementError(reason="is empty")
    if len(statement) > LONGEST_STATEMENT:
        raise CandidateStatementError(
            reason=f"has more than {LONGEST_STATEMENT:,} characters"
        )
    for character in statement:
        if (
            unicodedata.category(character) in _UNPRINTABLE
            and character not in _PRINTABLE
        ):
            raise CandidateStatementError(reason=f"holds U+{ord(character):04X}")


def _require_time(created: str, now: datetime) -> None:
    moment = instant(created)
    if _TIME.fullmatch(created) is None:
        raise CandidateTimeError(reason="is not written `YYYY-MM-DDThh:mm:ssZ`")
    if moment is None:
        raise CandidateTimeError(reason="is not a real time")
    if moment > now:
        raise CandidateTimeError(reason="lies in the future")


def _require_evidence(refs: Sequence[SourceRef], sources: Mapping[str, Source]) -> None:
    if not 1 <= len(refs) <= MOST_REFS:
        raise CandidateEvidenceError(
            field="source_refs", reason=f"does not hold 1 to {MOST_REFS} references"
        )
    lines: dict[str, list[str]] = {}
    for at, ref in enumerate(refs):
        place = f"source_refs[{at}]"
        first = refs.index(ref)
        if first < at:
            raise CandidateEvidenceError(
                field=place, reason=f"repeats source_refs[{first}]"
            )
        if is_provided(ref.source_path):
            raise CandidateEvidenceError(
                field=f"{place}.source_path",
                reason="is a record or a memory item, which is no evidence: cite the"
                " lines of a file",
            )
        source = sources.get(ref.source_path)
        if source is None:
            raise CandidateEvidenceError(
                field=f"{place}.source_path", reason="is not a source in scope"
            )
        if source.sha256 != ref.source_sha256:
            raise CandidateEvidenceError(
                field=f"{place}.source_sha256", reason="is not the source's hash now"
            )
        if source.path not in lines:
            lines[source.path] = split_lines(decode(source.content))
        _require_line(ref.line_start, lines[source.path], f"{place}.line_start")


def _require_line(number: int, lines: Sequence[str], field: str) -> None:
    if not 1 <= number <= len(lines):
        raise CandidateEvidenceError(field=field, reason="is not a line of the source")
    if not lines[number - 1].strip():
        raise CandidateEvidenceError(field=field, reason="is a blank line")


def _warnings(
    statement: str, refs: Sequence[SourceRef], sources: Mapping[str, Source]
) -> Iterator[CandidateWarning]:
    cited = _Cited(sources)
    passages = [cited.passage(ref) for ref in refs]
    said = set(terms(statement))
    if not any(said & set(terms(passage)) for passage in passages):
        yield CandidateWarning(
            "EVIDENCE_UNRELATED",
            "source_refs",
            "the statement shares no term with any cited passage",
        )
    for at, passage in enumerate(passages):
        against = contradiction(statement, passage)
        if against is not None:
            yield CandidateWarning(
                "EVIDENCE_CONFLICT",
                f"source_refs[{at}]",
                f"the statement and the cited passage differ in {against}",
            )
    reading = read(statement)
    for one in suspect_instructions(reading):
        yield CandidateWarning("SUSPECT_INSTRUCTION", "statement", one.detail)
    for one in possible_secrets(reading):
        yield CandidateWarning("POSSIBLE_SECRET", "statement", one.detail)


def contradiction(statement: str, passage: str) -> str | None:
    """Say in what a statement disagrees with a passage: `a number`, `a negation`.

    Only sentences that speak of the same thing are compared, and one that agrees
    settles it. None when there is no disagreement.
    """
    known = numbers(passage)
    spoken = [_Claim(text) for text in _sentences(passage)]
    for claim in map(_Claim, _sentences(statement)):
        close = [other for other in spoken if claim.close_to(other)]
        unknown = claim.numbers - known
        reasons = [claim.differs(other, unknown) for other in close]
        if reasons and None not in reasons:
            return reasons[0]
    return None


class _Claim:
    """One sentence, reduced to what it is compared by."""

    def __init__(self, text: str) -> None:
        self.numbers = numbers(text)
        self.terms = set(terms(text)) - self.numbers
        self.negated = has_negation(text)

    def close_to(self, other: _Claim) -> bool:
        common = len(self.terms & other.terms)
        return common >= min(CLOSE_TERMS, len(self.terms)) and bool(
            common and common >= CLOSE * len(self.terms)
        )

    def differs(self, other: _Claim, unknown: frozenset[str]) -> str | None:
        if unknown and other.numbers:
            return "a number"
        return "a negation" if self.negated != other.negated else None


class _Cited:
    """The passages that lines of sources stand in; each source is parsed once."""

    def __init__(self, sources: Mapping[str, Source]) -> None:
        self._sources = sources
        self._parsed: dict[str, Parsed] = {}

    def passage(self, ref: SourceRef) -> str:
        """Give the passage around a line, its headings first."""
        path, line = ref.source_path, ref.line_start
        if path not in self._parsed:
            self._parsed[path] = parse_source(self._sources[path], lambda _: 0)
        parsed = self._parsed[path]
        found = [piece for piece in parsed.pieces if piece.first <= line <= piece.last]
        if not found:  # the line is a heading: what stands below it
            found = [piece for piece in parsed.pieces if line in piece.headings][:1]
        rows = [parsed.document.lines[line - 1]]
        for piece in found[:1]:
            rows = [parsed.document.lines[above - 1] for above in piece.headings]
        texts = (piece_text(parsed.document.lines, piece) for piece in found)
        return "\n\n".join([*rows, *islice(texts, PASSAGES_OF_A_LINE)])


def _sentences(text: str) -> Iterator[str]:
    """Give the sentences of a text whose lines may be wrapped."""
    rows: list[str] = []
    for row in text.split("\n"):
        if rows and rows[-1] and row.strip() and not _OWN_LINE.match(row):
            rows[-1] += f" {row.strip()}"
        else:
            rows.append(row.strip())
    for row in rows:
        for span in sentences(row):
            yield row[span.start : span.end]
