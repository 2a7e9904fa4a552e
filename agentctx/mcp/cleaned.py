"""Texts as a client may see them: no secret, nothing hidden, no more than needed."""

from __future__ import annotations

from corpus.visible import visible

MOST_TOLD = 40
"""Characters of what a caller gave that are told back."""


def clean(text: str) -> str:
    """Give a text without secrets and hidden characters."""
    from agentctx.redact import redact  # noqa: PLC0415 - after the start

    return visible(redact(text).text)


def told(text: str) -> str:
    """Give the beginning of what a caller gave, on one line."""
    return " ".join(clean(text).split())[:MOST_TOLD]
