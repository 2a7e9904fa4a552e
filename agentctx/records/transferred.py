"""The document that carries records, checked field by field before any is used."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from agentctx.clock import parse_moment, stamp
from agentctx.errors import ImportFileError
from agentctx.ids import is_record_id
from agentctx.records.graph import repo_path
from agentctx.records.model import (
    CONFIDENCES,
    KEYED,
    SCOPES,
    SOURCES,
    TRUSTS,
    TYPES,
    check_body,
    check_title,
)
from corpus.errors import CodedError, InputJsonError
from corpus.jsoninput import parse_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

KIND = "agentctx-records"
VERSION = "1"
MOST_BYTES = 64 * 1024 * 1024
MOST_RECORDS = 100_000
MOST_FILES = 100
LONGEST_NOTE = 2000
"""Characters of a rationale or a quote."""

LONGEST_NAME = 400
"""Characters of a session, a key or a file."""

_AHEAD = timedelta(days=1)
"""How far another machine's clock may be ahead of ours."""

_DOCUMENT = ("schema_version", "kind", "project", "records")


class Carried(NamedTuple):
    """One record as a document carries it; times are stamps, files are paths."""

    id: str
    type: str
    title: str
    body: str
    scope: str
    pinned: bool
    confidence: str
    reinforce_count: int
    valid_from: str
    recorded_at: str
    superseded_at: str | None
    superseded_by: str | None
    source: str
    session_id: str | None
    trust: str
    confirmed: bool
    key: str | None
    rationale: str | None
    quote: str | None
    files: tuple[str, ...]

    def as_json(self) -> dict[str, object]:
        """Give the record as a JSON object."""
        return {**self._asdict(), "files": list(self.files)}


_CHOICES: Mapping[str, Sequence[str]] = {
    "type": TYPES,
    "scope": SCOPES,
    "confidence": CONFIDENCES,
    "source": SOURCES,
    "trust": TRUSTS,
}
_FLAGS = ("pinned", "confirmed")
_NOTES = {
    "session_id": LONGEST_NAME,
    "key": LONGEST_NAME,
    "rationale": LONGEST_NOTE,
    "quote": LONGEST_NOTE,
}


class _Reader:
    """Reads one document; what is wrong is told by the place where it stands."""

    def __init__(self, name: str, latest: str) -> None:
        self.name, self.latest = name, latest

    def refuse(self, place: str, reason: str) -> NoReturn:
        raise ImportFileError(path=self.name, reason=f"{place} {reason}")

    def records(self, value: object) -> tuple[Carried, ...]:
        if not isinstance(value, dict) or set(value) != set(_DOCUMENT):
            self.refuse("it", f"is not one object with {', '.join(_DOCUMENT)}")
        if value["kind"] != KIND:
            self.refuse("kind", f"is not `{KIND}`")
        if value["schema_version"] != VERSION:
            self.refuse("schema_version", f"is not `{VERSION}`")
        if not isinstance(value["project"], str):
            self.refuse("project", "is not a text")
        listed = value["records"]
        if not isinstance(listed, list) or len(listed) > MOST_RECORDS:
            self.refuse("records", f"is not a list of at most {MOST_RECORDS}")
        found = tuple(
            self.record(one, f"records[{number}]") for number, one in enumerate(listed)
        )
        self.check_chains(found)
        return found

    def record(self, value: object, place: str) -> Carried:
        if not isinstance(value, dict) or set(value) != set(Carried._fields):
            self.refuse(place, "does not have exactly the fields of a record")
        fields = dict(value)
        for field, known in _CHOICES.items():
            if fields[field] not in known:
                self.refuse(f"{place}.{field}", f"is not one of {', '.join(known)}")
        for field in _FLAGS:
            if not isinstance(fields[field], bool):
                self.refuse(f"{place}.{field}", "is not true or false")
        for field, longest in _NOTES.items():
            self.note(fields[field], longest, f"{place}.{field}")
        fields["id"] = self.record_id(fields["id"], f"{place}.id")
        self.texts(fields, place)
        self.times(fields, place)
        count = fields["reinforce_count"]
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            self.refuse(f"{place}.reinforce_count", "is not a whole number from 0")
        fields["files"] = self.files(fields["files"], f"{place}.files")
        if fields["scope"] == "global" and fields["type"] in KEYED:
            self.refuse(f"{place}.scope", f"is global for a {fields['type']}")
        return Carried(**fields)

    def record_id(self, value: object, place: str) -> str:
        if not isinstance(value, str) or not is_record_id(value):
            self.refuse(place, "is not a record's id")
        return value

    def note(self, value: object, longest: int, place: str) -> None:
        if value is None:
            return
        if not isinstance(value, str) or len(value) > longest:
            self.refuse(place, f"is not a text of at most {longest} characters")

    def texts(self, fields: dict[str, object], place: str) -> None:
        for field, check in (("title", check_title), ("body", check_body)):
            text = fields[field]
            if not isinstance(text, str):
                self.refuse(f"{place}.{field}", "is not a text")
            try:
                fields[field] = check(text)
            except CodedError as error:
                self.refuse(place, f"cannot be read: {error}")

    def times(self, fields: dict[str, object], place: str) -> None:
        for field in ("valid_from", "recorded_at", "superseded_at"):
            text = fields[field]
            if text is None and field == "superseded_at":
                continue
            if not isinstance(text, str):
                self.refuse(f"{place}.{field}", "is not a moment")
            try:
                fields[field] = parse_moment(text, field=field)
            except CodedError:
                self.refuse(f"{place}.{field}", "is not a moment")
            if field != "valid_from" and str(fields[field]) > self.latest:
                self.refuse(f"{place}.{field}", "is in the future")
        ended, successor = fields["superseded_at"], fields["superseded_by"]
        if ended is not None and str(ended) < str(fields["recorded_at"]):
            self.refuse(f"{place}.superseded_at", "is before it was recorded")
        if successor is not None:
            self.record_id(successor, f"{place}.superseded_by")
            if ended is None:
                self.refuse(f"{place}.superseded_by", "stands without superseded_at")

    def files(self, value: object, place: str) -> tuple[str, ...]:
        if not isinstance(value, list) or len(value) > MOST_FILES:
            self.refuse(place, f"is not a list of at most {MOST_FILES}")
        for one in value:
            if not isinstance(one, str) or repo_path(one) != one:
                self.refuse(place, "holds what is no path from the project's root")
        return tuple(value)

    def check_chains(self, found: tuple[Carried, ...]) -> None:
        """Demand that ids are unique and that every chain ends inside the document."""
        known = {one.id: one for one in found}
        if len(known) != len(found):
            self.refuse("records", "holds one id twice")
        ends: set[str] = set()
        for one in found:
            path: set[str] = set()
            here: str | None = one.id
            while here is not None and here not in ends:
                if here in path:
                    self.refuse("records", f"supersede one another in a ring at {here}")
                if here not in known:
                    self.refuse("records", f"lack {here}, which superseded another")
                path.add(here)
                here = known[here].superseded_by
            ends.update(path)
        for one in found:
            if one.superseded_by and known[one.superseded_by].scope != one.scope:
                self.refuse("records", f"are superseded across scopes at {one.id}")


def parse_document(content: bytes, *, name: str, now: datetime) -> tuple[Carried, ...]:
    """Read a document whole; ImportFileError names the first thing that is wrong."""
    reader = _Reader(name, stamp(now + _AHEAD))
    if len(content) > MOST_BYTES:
        reader.refuse("it", f"has more than {MOST_BYTES} bytes")
    try:
        value = parse_json(content, name=name)
    except InputJsonError as error:
        raise ImportFileError(path=name, reason=str(error.facts["reason"])) from None
    return reader.records(value)
