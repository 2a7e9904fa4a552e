"""The JSON Schemas of the tools: what they take, what they give.

Every word is sent to every session that lists the tools, so there are few.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentctx.records.model import (
    BODY_CHARACTERS,
    SCOPES,
    TITLE_CHARACTERS,
    TYPES,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Schema = Mapping[str, Any]

LONGEST_QUERY = 65_536
LONGEST_PATH = 4_096
LONGEST_ID = 40
LONGEST_RATIONALE = 2_000
MOST_IDS = 10
MOST_FILES = 20
MOST_RESULTS = 15
USUAL_RESULTS = 10


def _closed(properties: Schema, required: Iterable[str] = ()) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def _text(description: str | None = None, *, longest: int | None = None) -> Schema:
    told = {} if description is None else {"description": description}
    bound = {} if longest is None else {"maxLength": longest}
    return {"type": "string", **told, **bound}


def _texts(most: int, longest: int, description: str | None = None) -> Schema:
    told = {} if description is None else {"description": description}
    items = {"type": "string", "maxLength": longest}
    return {"type": "array", **told, "items": items, "maxItems": most}


# What tools take

_TIMES = {
    "as_of": _text("What was believed at this date or time"),
    "valid_at": _text("What was true at this date or time"),
}
_TYPE: Schema = {"type": "string", "enum": list(TYPES)}
_SCOPE: Schema = {
    "type": "string",
    "description": "global: for all projects",
    "enum": list(SCOPES),
}
_TITLE = _text("One line", longest=TITLE_CHARACTERS)

NOTHING = _closed({})
SEARCH = _closed(
    {
        "query": _text(longest=LONGEST_QUERY),
        "type": _TYPE,
        "file": _text("Only what is about it", longest=LONGEST_PATH),
        "scope": _SCOPE,
        "limit": {
            "type": "integer",
            "minimum": 1,
            "maximum": MOST_RESULTS,
            "default": USUAL_RESULTS,
        },
        **_TIMES,
    },
    ["query"],
)
GET = _closed({"ids": _texts(MOST_IDS, LONGEST_ID), **_TIMES}, ["ids"])
RECORD = _closed(
    {
        "type": _TYPE,
        "title": _TITLE,
        "body": _text("One fact and why, 50 to 300 tokens", longest=BODY_CHARACTERS),
        "supersedes": _text("Id of the record it replaces"),
        "scope": _SCOPE,
        "files": _texts(MOST_FILES, LONGEST_PATH, "What it is about"),
    },
    ["type", "title", "body"],
)
SUPERSEDE = _closed(
    {
        "old_id": _text(),
        "new_body": _text(longest=BODY_CHARACTERS),
        "rationale": _text("Why it changed", longest=LONGEST_RATIONALE),
        "title": _TITLE,
    },
    ["old_id", "new_body", "rationale"],
)
RELATED = _closed({"file": _text(longest=LONGEST_PATH)}, ["file"])

BOUNDED = frozenset({"type", "scope", "limit", "title", "body"})
"""Arguments whose bounds the command line has codes for too."""

# What tools give

_ANY_TEXT: Schema = {"type": "string"}
_LIST: Schema = {"type": "array"}
_OBJECT: Schema = {"type": "object"}


def _given(properties: Schema, **others: Schema) -> Schema:
    """Give the schema of a result that has these; `others` may be left out."""
    return {
        "type": "object",
        "properties": {**properties, **others},
        "required": list(properties),
    }


ENTRIES = _given({"results": {"type": "array", "items": _OBJECT}}, degraded=_ANY_TEXT)
RECORDS = _given({"records": _LIST, "missing": _LIST, "heads": _OBJECT})
RECORDED = _given({"id": _ANY_TEXT, "existing": {"type": "boolean"}})
SUPERSEDED = _given({"old_id": _ANY_TEXT, "new_id": _ANY_TEXT})
PROJECT = _given(
    {"name": _ANY_TEXT, "project_id": _ANY_TEXT},
    stack=_LIST,
    commands=_OBJECT,
    entry_points=_LIST,
    record_counts_by_type=_OBJECT,
    last_session_at={"type": ["string", "null"]},
    corrected=_OBJECT,
    degraded=_ANY_TEXT,
)
DRIFT = _given(
    {"missing": _LIST, "contradicted": _LIST, "proposed_diff": _ANY_TEXT},
    degraded=_ANY_TEXT,
)
