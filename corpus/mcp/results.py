"""The JSON Schemas of what the tools give.

Results that have a published format use its schema; the rest is written here. A client
is told the shape alone: it needs the names and kinds of what comes, and the words and
bounds of all results would be most of what a list of tools weighs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from corpus.mcp.schemas import ID, SHA256, TYPES, closed, inlined, number, text

if TYPE_CHECKING:
    from collections.abc import Mapping

    Schema = Mapping[str, Any]

_NOT_SHAPE = frozenset(
    {
        *("title", "description"),
        *("pattern", "minLength", "maxLength"),
        *("minimum", "maximum", "minItems", "maxItems", "uniqueItems"),
        "propertyNames",
    }
)


def whole(output: Schema | str) -> Schema:
    """Give the whole schema of a result, which may be the name of a format."""
    return inlined(output) if isinstance(output, str) else output


_UNTOLD = frozenset(
    {"findings", "explain", "rung", "confidence", "task_status", "conflicts_with"}
)
"""Fields that come seldom and say then what they are: a client is told their type."""


def shape(schema: Schema) -> Schema:
    """Give a schema without words and bounds; what fits the schema fits this too."""
    return {
        key: {
            name: _kind(one) if name in _UNTOLD else shape(one)
            for name, one in value.items()
        }
        if key == "properties"
        else _shape(value)
        for key, value in schema.items()
        if key not in _NOT_SHAPE
    }


def _kind(schema: Schema) -> Schema:
    return {key: value for key, value in schema.items() if key == "type"}


def _shape(value: Any) -> Any:  # noqa: ANN401 - any part of a schema
    if isinstance(value, list):
        return [_shape(one) for one in value]
    return shape(value) if isinstance(value, dict) else value


_PROJECT = text("The project's id.", pattern=ID)
_PLACE = text("The file, relative to the project's folder.", minLength=1)
_KIND = text("What kind of source it is.", enum=TYPES)
_HASH = text("The SHA-256 of the file's bytes.", pattern=SHA256)
_LINE = number("A line, counted from 1.", minimum=0)
_COUNT = number("How many there are.", minimum=0)
_POINTER: Schema = {
    "const": True,
    "description": "The answer points at evidence and is no authority.",
}
_TITLE = text("The source's title.")
_CLASS = text("How much the source may claim.")


def _maybe(description: str) -> Schema:
    return {"type": ["string", "null"], "description": description}


def _given(properties: Schema) -> Schema:
    return closed(properties, properties)


FOUND = _given(
    {
        "project_id": _PROJECT,
        "query": text("The text as given."),
        "total": _COUNT,
        "results": {
            "type": "array",
            "description": "The places, those of the fullest sources first.",
            "items": _given(
                {
                    "path": _PLACE,
                    "type": _KIND,
                    "authority_class": _CLASS,
                    "title": _TITLE,
                    "snippet": text("The line, cut to a window."),
                    "line_start": _LINE,
                    "line_end": _LINE,
                    "score": number("How often the text begins there.", minimum=0),
                }
            ),
        },
        "non_authoritative": _POINTER,
    }
)
EVENTS = _given(
    {
        "project_id": _PROJECT,
        "events": {
            "type": "array",
            "description": "The sources, oldest first, those without a date last.",
            "items": _given(
                {
                    "timestamp": _maybe("The date in it."),
                    "timestamp_source": _maybe(
                        "The metadata key that states the date."
                    ),
                    "path": _PLACE,
                    "type": _KIND,
                    "title": _TITLE,
                    "authority_class": _CLASS,
                }
            ),
        },
        "non_authoritative": _POINTER,
    }
)
STATED = _given(
    {
        "project_id": _PROJECT,
        "path": _PLACE,
        "size": number("The file's size in bytes.", minimum=0),
        "sha256": _HASH,
        "identity": text("What tells the file from any other of this machine."),
        "non_authoritative": _POINTER,
    }
)
FILE_LINES = _given(
    {
        "project_id": _PROJECT,
        "path": _PLACE,
        "size": number("The file's size in bytes.", minimum=0),
        "sha256": _HASH,
        "line_count": _COUNT,
        "line_start": _LINE,
        "line_end": _LINE,
        "content": text("The text of those lines."),
        "non_authoritative": _POINTER,
    }
)
SOURCE_LINES = _given(
    {
        "project_id": _PROJECT,
        "path": _PLACE,
        "type": _KIND,
        "sha256": _HASH,
        "line_count": _COUNT,
        "line_start": _LINE,
        "line_end": _LINE,
        "content": text("The text of those lines."),
        "non_authoritative": _POINTER,
    }
)
WRITTEN = _given(
    {
        "transaction_id": text("Names the write.", pattern="^[0-9a-f]{32}$"),
        "phase": {"const": "COMPLETE", "description": "The write is durable."},
        "target": _PLACE,
        "sha256": _HASH,
        "audit_relative": _maybe("Where its receipt lies."),
        "reason": _maybe("Why, where a person decided."),
        "changes": {
            "type": "array",
            "description": "Every file that changed.",
            "items": _given(
                {
                    "path": _PLACE,
                    "old_sha256": _maybe("Its hash before; null for a new file."),
                    "new_sha256": _HASH,
                }
            ),
        },
        "kept": {
            "type": "array",
            "description": "Copies of what a person's decision replaced.",
            "items": {"type": "string"},
        },
    }
)
RECEIPT = _given(
    {
        "path": _PLACE,
        "sha256": _HASH,
        "receipt": {
            "type": "object",
            "description": "The receipt as it lies there: hashes, never content.",
        },
    }
)
