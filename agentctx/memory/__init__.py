"""Conversation memory: what was said in a project, and what is believed of it."""

from __future__ import annotations

from importlib import import_module as _load

from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from agentctx.memory.api import Memory
    from agentctx.memory.model import RecallQuery, ReviewItem
    from agentctx.memory.outcome import Outcome

__all__ = ("Memory", "Outcome", "RecallQuery", "ReviewItem")

_PLACES = {
    "Memory": "agentctx.memory.api",
    "Outcome": "agentctx.memory.outcome",
    "RecallQuery": "agentctx.memory.model",
    "ReviewItem": "agentctx.memory.model",
}


def __getattr__(name: str) -> object:
    """Load what is asked for and nothing else: hooks take only parts of this."""
    if name not in _PLACES:
        raise AttributeError(name)
    return getattr(_load(_PLACES[name]), name)
