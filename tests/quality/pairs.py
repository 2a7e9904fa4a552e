"""Texts with the runs of unspaced scripts cut into pairs, for plain rankers."""

from __future__ import annotations

import itertools
import re

_RUN = re.compile("[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7af]+")


def with_pairs(text: str) -> str:
    """Put spaces around each pair of characters of such a run."""
    return _RUN.sub(lambda found: f" {_pairs(found[0])} ", text)


def _pairs(run: str) -> str:
    return " ".join(map("".join, itertools.pairwise(run))) or run
