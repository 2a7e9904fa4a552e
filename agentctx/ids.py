"""Ids of records: ULIDs, which sort by the moment they were made.

48 bits of milliseconds and 80 bits of randomness in Crockford's base 32
(github.com/ulid/spec). Within a process each id is greater than the one before it.
"""

from __future__ import annotations

from datetime import UTC, datetime

from corpus.patterns import pattern
from corpus.values import TYPE_CHECKING, NewType

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentctx.clock import Clock

RecordId = NewType("RecordId", str)

ID_LENGTH = 26
SHORTEST_PART = 6
"""How much of an id a person has to give at least."""

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_RANDOM_BITS = 80
_LAST_SECOND = 253_402_300_799
_TIME_BITS = 48
_ID = pattern(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
_PART = pattern(r"[0-9A-HJKMNP-TV-Z]{6,26}")


class Ids:
    """Makes ids from a clock and from randomness, both given."""

    def __init__(self, clock: Clock, random: Callable[[int], bytes]) -> None:
        self._clock = clock
        self._random = random
        self._last = 0

    def new(self) -> RecordId:
        """Give a new id, greater than every one given before."""
        milliseconds = int(self._clock().timestamp() * 1000) & ((1 << _TIME_BITS) - 1)
        value = milliseconds << _RANDOM_BITS
        value |= int.from_bytes(self._random(_RANDOM_BITS // 8), "big")
        if value <= self._last:  # the same millisecond, or a clock that went back
            value = self._last + 1
        self._last = value
        return RecordId(_text(value))


def is_record_id(text: str) -> bool:
    """Say whether a text is a whole id."""
    return _ID.fullmatch(text) is not None


def id_part(text: str) -> str | None:
    """Give a text as the beginning or the end of an id, in capitals; None if neither.

    What was made within minutes begins alike; the end is random.
    """
    wanted = text.strip().upper()
    shape = _ID if len(wanted) == ID_LENGTH else _PART
    return wanted if shape.fullmatch(wanted) else None


def moment_of_id(record_id: str) -> datetime:
    """Give the moment an id was made; the year 9999 holds what lies beyond it."""
    value = 0
    for digit in record_id:
        value = value << 5 | _ALPHABET.index(digit)
    seconds = min((value >> _RANDOM_BITS) / 1000, _LAST_SECOND)
    return datetime.fromtimestamp(seconds, UTC)


def _text(value: int) -> str:
    digits = []
    for _ in range(ID_LENGTH):
        digits.append(_ALPHABET[value & 31])
        value >>= 5
    return "".join(reversed(digits))
