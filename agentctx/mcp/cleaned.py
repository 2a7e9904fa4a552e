"""Texts as a client may see them: no secret, nothing hidden, no more than needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.visible import visible

if TYPE_CHECKING:
    from corpus.errors import CodedError

MOST_TOLD = 40
"""Characters of what a caller gave that are told back."""


def clean(text: str) -> str:
    """Give a text without secrets and hidden characters."""
    from agentctx.redact import redact  # noqa: PLC0415 - after the start

    return visible(redact(text).text)


def told(text: str) -> str:
    """Give the beginning of what a caller gave, on one line."""
    return " ".join(clean(text).split())[:MOST_TOLD]


def failure_of(
    error: CodedError, store_errors: tuple[type[CodedError], ...]
) -> dict[str, object]:
    """Give a failure as a client is told of it; the store is named where it failed."""
    value: dict[str, object] = {
        "error": clean(str(error)),
        "code": error.code,
        "hint": error.hint,
    }
    if isinstance(error, store_errors):
        value["degraded"] = error.code
    return value
