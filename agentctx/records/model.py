"""What a record is: its columns as values, and the checks of what enters (A2.1)."""

from __future__ import annotations

import re
import unicodedata

from agentctx.errors import BodyError, FieldError, NoteError, TitleError
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from agentctx.ids import RecordId

TYPES = (
    "decision",
    "convention",
    "preference",
    "discovery",
    "bugfix",
    "handover",
    "profile",
)
SCOPES = ("project", "global")
CONFIDENCES = ("explicit", "inferred", "reinforced")
SOURCES = ("llm_extraction", "hook_observation", "mcp_tool", "cli", "import")
TRUSTS = ("developer", "model", "teammate", "file", "tool")
"""Who a record comes from, the most trusted first (A10.2)."""

GLOBAL = "_global"
"""The namespace of records of scope `global`."""

TITLE_CHARACTERS = 120
BODY_CHARACTERS = 2000
FEWEST_TOKENS, MOST_TOKENS = 50, 300
"""What a record should hold; outside, there is a warning."""

KEYED = frozenset({"handover", "profile"})
"""Types of which one record a key is current: another supersedes it."""

ITEM_KEYS = f"memory_{'[0-9a-f]' * 32}"
"""The keys of records that were made of a memory item: its logical id, as a GLOB."""

NEVER_DECAY = frozenset({"decision", "convention", "profile"})

_HIDDEN = (
    "[\x00-\x1f\x7f-\x9f\u061c\u2028\u2029\u200b-\u200f\u202a-\u202e\u2060-\u2069"
    "\ufeff\ud800-\udfff]"
)
_NON_JOINER, _JOINER = "\u200c", "\u200d"
_BODY_CONTROL = "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]"


class Record(NamedTuple):
    """One row of `records`, with what is known of where it comes from.

    Times are stamps. `trust` is the least trusted source in its lineage; `confirmed`
    says that a person has stood for it. `key` tells apart records of which only one
    is current: the fact of a profile, the worktree of a handover, the memory item that
    a record was made of. `branch` is where it is staged; None on the main line (A8.6).
    """

    rowid: int
    id: RecordId
    project_id: str
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
    superseded_by: RecordId | None
    access_count: int
    last_accessed: str | None
    score: float
    claudemd_drift_score: float
    source: str
    session_id: str | None
    pending_embedding: bool
    trust: str
    confirmed: bool
    key: str | None
    rationale: str | None
    quote: str | None
    branch: str | None = None

    @property
    def current(self) -> bool:
        """Whether nothing has superseded it."""
        return self.superseded_at is None

    @property
    def by_person(self) -> bool:
        """Whether a person said it or has confirmed it."""
        return self.trust == "developer" or self.confirmed

    def as_json(self) -> dict[str, object]:
        """Give everything that is known, as one JSON object."""
        value: dict[str, object] = dict(self._asdict())
        del value["rowid"]
        if self.branch is None:
            del value["branch"]
        return value


class NewRecord(NamedTuple):
    """A record to be made; what is not given follows from the source."""

    type: str
    title: str
    body: str
    source: str
    scope: str = "project"
    confidence: str = "explicit"
    trust: str = "developer"
    pinned: bool = False
    valid_from: str | None = None
    session_id: str | None = None
    key: str | None = None
    rationale: str | None = None
    quote: str | None = None
    files: Sequence[str] = ()


class Replacement(NamedTuple):
    """What a record says from now on; `title` None keeps the one it has.

    `valid_from` says since when that is true, if not from now on.
    """

    body: str
    source: str
    trust: str
    title: str | None = None
    rationale: str | None = None
    session_id: str | None = None
    valid_from: str | None = None


COLUMNS = ", ".join(
    [
        "r.rowid AS rowid",
        *(f"r.{name}" for name in Record._fields[1:21]),
        "COALESCE(p.trust, 'developer') AS trust",
        "COALESCE(p.confirmed, 0) AS confirmed",
        "p.key AS key",
        "p.rationale AS rationale",
        "p.quote AS quote",
        "(SELECT b.name FROM branches b WHERE b.staging_id = r.project_id) AS branch",
    ]
)
"""What to select, from `records r LEFT JOIN provenance p ON p.record_id = r.id`."""

FROM = "records r LEFT JOIN provenance p ON p.record_id = r.id"


def record_of(row: sqlite3.Row) -> Record:
    """Make a record of a row that `COLUMNS` selected."""
    values = dict(row)
    for name in ("pinned", "pending_embedding", "confirmed"):
        values[name] = bool(values[name])
    return Record(**{name: values[name] for name in Record._fields})


def check_title(title: str) -> str:
    """Give the title without outer space; TitleError unless it is one short line."""
    text = title.strip()
    if not text:
        raise TitleError(reason="is empty", size=0, limit=TITLE_CHARACTERS)
    if len(text) > TITLE_CHARACTERS:
        reason = f"has {len(text)} characters; the limit is {TITLE_CHARACTERS}"
        raise TitleError(reason=reason, size=len(text), limit=TITLE_CHARACTERS)
    place = hidden_in(text)
    if place is not None:
        reason = (
            f"holds U+{ord(text[place]):04X}, a line break, a control or an"
            f" invisible character, as character {place + 1}"
        )
        raise TitleError(reason=reason, size=len(text), limit=TITLE_CHARACTERS)
    return text


def hidden_in(line: str) -> int | None:
    """Give the place of the first character of a line that nobody sees, or None.

    A joiner that writing needs is not hidden.
    """
    for found in re.finditer(_HIDDEN, line):
        if not _joins(line, found.start()):
            return found.start()
    return None


def _joins(text: str, place: int) -> bool:
    """Say whether a joiner stands where writing needs one: in a word or an emoji.

    Between ASCII letters none is needed; there it could only hide.
    """
    if text[place] not in {_NON_JOINER, _JOINER}:
        return False
    before, after = text[place - 1 : place], text[place + 1 : place + 2]
    if not before or not after or (before + after).isascii():
        return False
    kinds = unicodedata.category(before), unicodedata.category(after)
    if all(kind[0] in "LMN" for kind in kinds):
        return True
    return text[place] == _JOINER and kinds[0] in _EMOJI | {"Mn"} and kinds[1] in _EMOJI


_EMOJI = {"So", "Sk", "Sm"}
"""Categories of what emoji are made of: pictures, skin tones, arrows."""


def check_body(body: str) -> str:
    """Give the body with LF line ends and no outer space; BodyError if it is none."""
    text = body.replace("\r\n", "\n").replace("\r", "\n").strip()
    if not text:
        raise BodyError(reason="is empty", size=0, limit=BODY_CHARACTERS)
    if len(text) > BODY_CHARACTERS:
        reason = f"has {len(text)} characters; the limit is {BODY_CHARACTERS}"
        raise BodyError(reason=reason, size=len(text), limit=BODY_CHARACTERS)
    if re.search(_BODY_CONTROL, text):
        reason = "holds a control character"
        raise BodyError(reason=reason, size=len(text), limit=BODY_CHARACTERS)
    return text


def check_note(note: str, *, field: str) -> str:
    """Give a rationale or a quote without outer space; NoteError if it is too much."""
    text = note.strip()
    if len(text) > BODY_CHARACTERS:
        reason = f"has {len(text)} characters; the limit is {BODY_CHARACTERS}"
    elif re.search(_BODY_CONTROL, text):
        reason = "holds a control character"
    else:
        return text
    raise NoteError(field=field, reason=reason, size=len(text), limit=BODY_CHARACTERS)


def check_choice(value: str, known: Sequence[str], *, field: str) -> str:
    """Give the value, or raise FieldError naming the values there are."""
    if value not in known:
        raise FieldError(field=field, found=value[:40], known=", ".join(known))
    return value
