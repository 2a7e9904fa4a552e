"""A question as the service's API wants it.

Three fields make the answer cheap and strict: the schema of the answer, no thinking,
little effort. An older gateway, or a model, may not know one of them; a question can
be asked without it. Without the schema field the schema is part of the rules.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from corpus.tokens import model_tokens

if TYPE_CHECKING:
    from agentctx.llm.model import Ask

SCHEMA = "schema"
THINKING = "thinking"
EFFORT = "effort"
FIELDS = frozenset({SCHEMA, THINKING, EFFORT})
"""The fields of a question that an API may not know."""

PLAIN_RULE = (
    "Answer with one JSON value that is valid against this JSON Schema, and with"
    " nothing before or after it:"
)

_NO_EFFORT = re.compile(r"claude-(?:[23]|haiku-4|sonnet-4|opus-4-[01]\b|opus-4-20)")
_OVERHEAD = 600
"""Tokens the service adds of its own for a schema, and for the frame."""

_NOT_TAKEN = frozenset(
    {
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        *("minLength", "maxLength", "maxItems", "uniqueItems", "pattern"),
        *("minProperties", "maxProperties", "$schema", "$id", "$comment", "examples"),
        *("default", "minItems", "title"),
    }
)
_NOT_TOLD = frozenset({"$schema", "$id", "$comment", "examples", "default", "title"})
_NAMED = ("properties", "$defs", "definitions")
_LISTED = ("anyOf", "oneOf", "allOf")


def fields_for(model: str) -> frozenset[str]:
    """Give the fields to try first: effort only where the model may know it."""
    return FIELDS - {EFFORT} if _NO_EFFORT.match(model) else FIELDS


def request_for(ask: Ask, model: str, fields: frozenset[str]) -> dict[str, object]:
    """Give the arguments of one request; the rules end with a mark to keep them."""
    rules = ask.system
    output: dict[str, object] = {}
    if SCHEMA in fields:
        output["format"] = {"type": "json_schema", "schema": narrowed(ask.schema)}
    else:
        rules = f"{rules}\n\n{PLAIN_RULE}\n{_schema_text(ask)}"
    if EFFORT in fields:
        output["effort"] = "low"
    request: dict[str, object] = {
        "model": model,
        "max_tokens": ask.max_tokens,
        "system": [
            {
                "type": "text",
                "text": sendable(rules),
                "cache_control": {"type": "ephemeral"},
            }
        ],
        "messages": [{"role": "user", "content": sendable(ask.text)}],
    }
    if THINKING in fields:
        request["thinking"] = {"type": "disabled"}
    if output:
        request["output_config"] = output
    return request


def prompt_tokens_of(ask: Ask) -> int:
    """Estimate, rather too high, what a question has to read."""
    read = model_tokens(ask.system) + model_tokens(ask.text)
    return read + model_tokens(_schema_text(ask)) + _OVERHEAD


def narrowed(schema: Mapping[str, object]) -> dict[str, object]:
    """Give the schema in the words the API takes; bounds become part of descriptions.

    Every object is closed. Whoever asks checks the answer against the whole schema.
    """
    found: dict[str, object] = {}
    bounds = []
    for key, value in schema.items():
        if key in _NOT_TAKEN:
            if key not in _NOT_TOLD:
                bounds.append(f"{key}: {json.dumps(value, ensure_ascii=False)}")
        elif key in _NAMED and isinstance(value, Mapping):
            found[key] = {name: _narrowed(one) for name, one in value.items()}
        elif key in _LISTED and isinstance(value, list | tuple):
            found[key] = [_narrowed(one) for one in value]
        elif key == "items":
            found[key] = _narrowed(value)
        else:
            found[key] = value
    if bounds:
        said = [str(found["description"])] if "description" in found else []
        found["description"] = " ".join([*said, f"({', '.join(bounds)})"])
    if found.get("type") == "object" or "properties" in found:
        found["additionalProperties"] = False
    return found


def _narrowed(schema: object) -> object:
    return narrowed(schema) if isinstance(schema, Mapping) else schema


def _schema_text(ask: Ask) -> str:
    return json.dumps(ask.schema, ensure_ascii=False, separators=(",", ":"))


def sendable(text: str) -> str:
    """Give a text without half surrogates, which no UTF-8 can carry."""
    return text.encode("utf-8", "replace").decode("utf-8")
