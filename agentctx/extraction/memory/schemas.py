"""The JSON Schemas of what a model answers to memory's questions (Typed contracts)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.memory.model import (
    CHECKPOINT_CHARACTERS,
    CONTENT_CHARACTERS,
    MOST_ALIASES,
    MOST_ALIASES_KEPT,
    MOST_CANDIDATES,
    MOST_KEYWORDS,
    MOST_OPERATIONS,
    MOST_PATHS,
    MOST_SOURCES,
    PATH_CHARACTERS,
    QUOTE_CHARACTERS,
    RECALL_CHARACTERS,
    SUBJECT_CHARACTERS,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

KINDS = ("user_preference", "project_decision", "discussion_context")
STRENGTHS = ("hard", "soft")
ORIGINS = ("explicit", "adopted_proposal", "inferred_repetition")
RECALL_MODES = ("always", "on_match")
ROLES = ("user", "assistant")
OPERATIONS = ("create", "revise", "supersede", "reject")


def _object(**properties: object) -> dict[str, object]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _text(most: int) -> dict[str, object]:
    return {"type": "string", "maxLength": most}


def _list(items: Mapping[str, object], most: int, least: int = 0) -> dict[str, object]:
    return {"type": "array", "items": items, "minItems": least, "maxItems": most}


def _choice(values: Sequence[str]) -> dict[str, object]:
    return {"type": "string", "enum": list(values)}


def _meaning(aliases: int) -> dict[str, object]:
    return {
        "kind": _choice(KINDS),
        "subject": _text(SUBJECT_CHARACTERS),
        "statement": {"type": "string", "description": "at most 320 tokens"},
        "content": _text(CONTENT_CHARACTERS),
        "strength": _choice(STRENGTHS),
        "origin": _choice(ORIGINS),
        "recall_mode": _choice(RECALL_MODES),
        "applies_to_paths": _list(_text(PATH_CHARACTERS), MOST_PATHS),
        "aliases": _list(_text(RECALL_CHARACTERS), aliases),
        "keywords": _list(_text(RECALL_CHARACTERS), MOST_KEYWORDS),
    }


_SOURCE = _object(
    turn_id={"type": "string"}, role=_choice(ROLES), quote=_text(QUOTE_CHARACTERS)
)

EXTRACTION_SCHEMA: Mapping[str, object] = _object(
    thread_compaction=_text(CHECKPOINT_CHARACTERS),
    candidates=_list(
        _object(
            **_meaning(MOST_ALIASES), sources=_list(_SOURCE, MOST_SOURCES, least=1)
        ),
        MOST_CANDIDATES,
    ),
)

CONSOLIDATION_SCHEMA: Mapping[str, object] = _object(
    operations=_list(
        _object(
            operation=_choice(OPERATIONS),
            candidate_ids=_list({"type": "string"}, MOST_CANDIDATES, least=1),
            target_id={"anyOf": [{"type": "string"}, {"type": "null"}]},
            **_meaning(MOST_ALIASES_KEPT),
        ),
        MOST_OPERATIONS,
    )
)
