"""The JSON Schemas of what the tools take.

None has a `$schema`, a `$id` or a reference, which some clients trip over, and the
root is one plain object.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from corpus.published import read_published
from corpus.refs import ID_PATTERN

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Schema = Mapping[str, Any]

LONGEST_QUERY = 65_536
"""Characters of a query."""

LONGEST_PATH = 1_024
LONGEST_CONTENT = 8 * 1024 * 1024
MOST_LINES = 1_000_000_000
MOST_VALUES = 100

_NOT_SENT = ("$schema", "$id", "title")
ID = f"^{ID_PATTERN}$"
SHA256 = "^[0-9a-f]{64}$"

TYPES = ["state", "task", "report", "history"]
RANKED_TYPES = [*TYPES, "record", "memory"]
TEMPORAL = ["any", "current", "historical"]
ENDINGS = ["DONE", "CANCELLED"]
RESULTS = ["PASS", "FAIL", "PARTIAL", "INFO"]


def closed(properties: Schema, required: Iterable[str] = ()) -> Schema:
    """Give the schema of an object that has these properties and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def text(description: str, **limits: object) -> Schema:
    """Give the schema of a text."""
    return {"type": "string", "description": description, **limits}


def number(description: str, **limits: object) -> Schema:
    """Give the schema of a whole number."""
    return {"type": "integer", "description": description, **limits}


def texts(description: str) -> Schema:
    """Give the schema of a list of texts, which may be left out."""
    return {
        "type": "array",
        "description": f"{description} Default: NONE.",
        "items": {"type": "string", "maxLength": LONGEST_CONTENT},
        "maxItems": MOST_VALUES,
        "default": [],
    }


def published(name: str) -> Schema:
    """Give the schema of a published format, as a tool may declare it."""
    whole = json.loads(read_published("exports", name, f"{name}.schema.json"))
    return {key: value for key, value in whole.items() if key not in _NOT_SENT}


def inlined(name: str) -> Schema:
    """Give a published schema without references, which not every client follows."""
    whole = dict(published(name))
    kept = whole.pop("$defs", {})

    def resolved(part: Any) -> Any:  # noqa: ANN401 - any part of a schema
        if isinstance(part, list):
            return [resolved(one) for one in part]
        if not isinstance(part, dict):
            return part
        named = part.get("$ref")
        base = kept[named.rpartition("/")[2]] if named else {}
        own = {key: value for key, value in part.items() if key != "$ref"}
        return {key: resolved(value) for key, value in {**base, **own}.items()}

    found: Schema = resolved(whole)
    return found


QUERY = text("The question, in plain words.", maxLength=LONGEST_QUERY)
PATH = text(
    "A path relative to the project's folder, such as "
    "`.project-corpus/state/STATUS.md`.",
    minLength=1,
    maxLength=LONGEST_PATH,
)
TYPE = text("Only sources of this type. Default: all types.", enum=TYPES)
RANKED_TYPE = text("Only sources of this type. Default: all types.", enum=RANKED_TYPES)
LIMIT = number(
    "At most this many results. Default: 20.", minimum=1, maximum=100, default=20
)
CONTENT = "The whole text of the file, UTF-8 Markdown with its metadata"
NEW_ID = text(
    "The new artifact's id, which names its file. With `title` it may be left out:"
    " then it is made from the title.",
    pattern=ID,
)
STATUS_HASH = text(
    "The SHA-256 of STATUS as you read it (corpus.stat gives it).", pattern=SHA256
)
TITLE = text("Instead of `content`: one line that names it.", maxLength=200)

CONTEXT_QUERY = closed(
    {
        "query": QUERY,
        "limit": LIMIT,
        "type": RANKED_TYPE,
        "temporal": text(
            "`current`: only what holds now; `historical`: only the past."
            " Default: any.",
            enum=TEMPORAL,
            default="any",
        ),
        "path": text(
            "Only sources whose path matches this pattern, such as"
            " `.project-corpus/reports/**`. Default: all.",
            minLength=1,
            maxLength=LONGEST_PATH,
        ),
    },
    ["query"],
)
CONTEXT_BUNDLE = closed(
    {
        "query": QUERY,
        "max_tokens": number(
            "The budget of the excerpts, 4 bytes to a token. Default: 1200.",
            minimum=80,
            maximum=20_000,
            default=1_200,
        ),
    },
    ["query"],
)
NOTHING = closed({})
CANDIDATE = closed({"candidate": inlined("candidate")}, ["candidate"])
READ = closed(
    {
        "path": PATH,
        "first_line": number(
            "The first line to give, counted from 1. Default: 1.",
            minimum=1,
            maximum=MOST_LINES,
        ),
        "last_line": number(
            "The last line to give. Default: the file's last.",
            minimum=1,
            maximum=MOST_LINES,
        ),
    },
    ["path"],
)
STAT = closed({"path": PATH}, ["path"])
SEARCH = closed(
    {
        "query": text("The text to find; letter case counts not.", maxLength=10_000),
        "type": TYPE,
        "limit": LIMIT,
    },
    ["query"],
)
TIMELINE = closed(
    {
        "selector": text(
            "A type (state, task, report, history), an artifact's id, a path or a"
            " pattern of paths. Default: everything in scope.",
            minLength=1,
            maxLength=LONGEST_PATH,
        )
    }
)
SHOW = closed(
    {
        "path": text(
            "The source's path, or its id: the file's name without .md.",
            minLength=1,
            maxLength=LONGEST_PATH,
        ),
        "lines": text(
            "Only these lines, as `A-B` counted from 1; `A` is one line. Default: all.",
            pattern="^[1-9][0-9]{0,8}(-[1-9][0-9]{0,8})?$",
        ),
    },
    ["path"],
)
STATE_UPDATE = closed(
    {
        "content": text(f"{CONTENT}.", maxLength=LONGEST_CONTENT),
        "expected_sha256": STATUS_HASH,
    },
    ["content", "expected_sha256"],
)
TASK_CREATE = closed(
    {
        "id": NEW_ID,
        "content": text(
            f"{CONTENT}. Give this, or `title` and `objective`.",
            maxLength=LONGEST_CONTENT,
        ),
        "title": TITLE,
        "objective": text(
            "With `title`: what is to be reached.", maxLength=LONGEST_CONTENT
        ),
        "scope": texts("With `title`: what is part of the task."),
        "constraints": texts("With `title`: what must hold meanwhile."),
        "acceptance": texts("With `title`: how to tell that it is done."),
    }
)
REPORT_CREATE = closed(
    {
        "id": NEW_ID,
        "content": text(
            f"{CONTENT}. Give this, or `title`, `result` and `summary`.",
            maxLength=LONGEST_CONTENT,
        ),
        "title": TITLE,
        "result": text("With `title`: how it ended.", enum=RESULTS),
        "summary": text("With `title`: what was found.", maxLength=LONGEST_CONTENT),
        "task_id": text(
            "With `title`: the id of the task it belongs to. Default: NONE.",
            pattern=f"^(NONE|{ID_PATTERN})$",
            default="NONE",
        ),
        "evidence": texts("With `title`: what shows it, each with its source."),
        "limitations": texts("With `title`: what it does not show."),
    }
)
_OLD_ID = text("The task's id: its file's name without .md.", pattern=ID)
_TASK_HASH = text(
    "The SHA-256 of the task as you read it. Default: the task as it is now.",
    pattern=SHA256,
)
_NEXT = text(
    "What STATUS is to name as the exact next action. Default: what it names now.",
    maxLength=LONGEST_CONTENT,
)
TASK_ACTIVATE = closed(
    {
        "id": _OLD_ID,
        "expected_sha256": STATUS_HASH,
        "task_sha256": _TASK_HASH,
        "next_action": _NEXT,
    },
    ["id", "expected_sha256"],
)
TASK_CLOSE = closed(
    {
        "id": _OLD_ID,
        "status": text("How it ended. Default: DONE.", enum=ENDINGS, default="DONE"),
        "expected_sha256": STATUS_HASH,
        "task_sha256": _TASK_HASH,
        "next_action": _NEXT,
    },
    ["id", "expected_sha256"],
)
AUDIT_READ = closed(
    {
        "transaction_id": text(
            "The 32 hexadecimal digits that a write answered.",
            pattern="^[0-9a-f]{32}$",
        )
    },
    ["transaction_id"],
)
