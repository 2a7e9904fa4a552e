"""The tables of all languages as patterns, made when first needed (M11.4)."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from agentctx.memory.speech import (
    chinese,
    english,
    french,
    german,
    japanese,
    korean,
    russian,
    spanish,
)
from corpus.visible import without_invisible

SPACED = (
    english.TABLE,
    russian.TABLE,
    german.TABLE,
    french.TABLE,
    spanish.TABLE,
)
"""Languages whose entries are whole words."""

RUNS = (chinese.TABLE, japanese.TABLE, korean.TABLE)
"""Languages whose entries may stand inside a run of characters."""

LABELS = {
    "decision": r"^[\W\d]*decision\s*:",
    "preference": r"^[\W\d]*preference\s*:",
}
"""The labels that count whatever the language of what they stand before."""

_LONGEST_ACKNOWLEDGEMENT = 60
_STRAIGHT = str.maketrans("’‘ʼ“”„«»—–", '\'\'\'"""""--')
_SPACE = re.compile(r"\s+")
_CONTINUED = re.compile(r"\\\n\s*")
_POLITE = r"[\s,.!~。、;:…)(-]"


def normal(text: str) -> str:
    """Give a text as the tables write it: one width, one case, straight quotes."""
    seen = without_invisible(text)
    composed = unicodedata.normalize("NFKC", seen).translate(_STRAIGHT).lower()
    return _SPACE.sub(" ", composed).strip()


def has(mark: str, clause: str) -> bool:
    """Say whether a normalised clause carries a mark: a field of the tables."""
    return pattern(mark).search(clause) is not None


def without(mark: str, clause: str) -> str:
    """Give a normalised clause without the words that carry a mark."""
    return pattern(mark).sub(" ", clause)


def is_acknowledgement(text: str) -> bool:
    """Say whether a text as a whole only agrees, shortly."""
    said = normal(text)
    if not said or len(said) > _LONGEST_ACKNOWLEDGEMENT:
        return False
    return _agreement().fullmatch(said) is not None


@cache
def pattern(mark: str) -> re.Pattern[str]:
    """Make the pattern of one field of all the tables."""
    words = "|".join(filter(None, (_either(getattr(t, mark)) for t in SPACED)))
    runs = "|".join(filter(None, (_either(getattr(t, mark)) for t in RUNS)))
    ways = [rf"(?<!\w)(?:{words})(?!\w)" if words else "", runs, LABELS.get(mark, "")]
    return re.compile("|".join(filter(None, ways)), re.IGNORECASE)


@cache
def plain_runs() -> re.Pattern[str]:
    """Make the pattern of the runs that name nothing."""
    runs = sorted((r for t in RUNS for r in t.plain.split()), key=len, reverse=True)
    return re.compile("|".join(runs))


@cache
def plain_words() -> frozenset[str]:
    """Give the words that name nothing, as they are written."""
    return frozenset(word for t in SPACED for word in t.plain.split())


@cache
def _agreement() -> re.Pattern[str]:
    words = "|".join(_either(t.acknowledgement) for t in SPACED)
    runs = "|".join(_either(t.acknowledgement) for t in RUNS)
    one = rf"(?:(?<!\w)(?:{words})(?!\w)|(?:{runs}))"
    return re.compile(rf"{_POLITE}*(?:{one}{_POLITE}*){{1,5}}", re.IGNORECASE)


def _either(table: str) -> str:
    """Make one pattern of entries, longer first; French has room before a colon."""
    whole = _CONTINUED.sub("", table).replace("_", r"\s+")
    entries = sorted(whole.split(), key=len, reverse=True)
    return "|".join(f"{one[:-1]}\\s?:" if one.endswith(":") else one for one in entries)
