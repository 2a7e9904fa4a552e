"""The terms of a text that name something; what is common to all statements does not.

A statement and its quotes are about the same where they share an anchor.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from agentctx.memory.speech.markers import normal, plain_runs, plain_words, without
from corpus.lexical import terms

_HIRAGANA = re.compile("[\u3041-\u3096ー]+")
_SHORTEST = 3
_UNSPACED = re.compile(
    "[\u2e80-\u9fff\uf900-\ufaff\u3041-\u30ff\uac00-\ud7a3\u0e00-\u0eff]"
)


@lru_cache(maxsize=512)
def anchors(text: str) -> frozenset[str]:
    """Give the anchors of a text: stems of words, names, pairs of unspaced scripts."""
    said = plain_runs().sub(" ", without("undecided", normal(text)))
    return frozenset(term for term in terms(said) if _names(term))


def _names(term: str) -> bool:
    if _UNSPACED.match(term):
        return len(term) > 1 and _HIRAGANA.fullmatch(term) is None
    if term in _plain_stems():
        return False
    return len(term) >= _SHORTEST or any(one.isdigit() for one in term)


@cache
def _plain_stems() -> frozenset[str]:
    return frozenset(terms(" ".join(plain_words()))) | plain_words()
