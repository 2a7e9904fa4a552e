"""Moments as text: UTC, RFC 3339, milliseconds, so that text order is time order."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from agentctx.errors import BadTimeError
from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Clock = Callable[[], datetime]
    """Gives the present moment, in UTC."""

_LONGEST = 40
_LATEST_DAY = "T23:59:59.999Z"


def stamp(moment: datetime) -> str:
    """Write a moment; it is taken to UTC first."""
    text = moment.astimezone(UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


def moment_of(text: str) -> datetime:
    """Read what `stamp` wrote."""
    return datetime.fromisoformat(text)


def days_since(text: str, now: datetime) -> float:
    """Give the days from a stamp to a moment; 0 for what is no time at all.

    Rows that plain SQL wrote may say a time in another way; without an offset it is
    UTC.
    """
    try:
        moment = moment_of(text)
    except ValueError:
        return 0.0
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (now - moment) / timedelta(days=1)


def parse_moment(text: str, *, field: str, end_of_day: bool = False) -> str:
    """Check a date or a moment that a person or a client gave; give it as a stamp.

    A moment without an offset is UTC. A date alone is the first moment of that day,
    or its last one: who asks what was true on a day means the whole of it.
    """
    try:
        if len(text) > _LONGEST:
            raise ValueError  # noqa: TRY301 - one answer for every bad text
        moment = datetime.fromisoformat(text.strip())
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        found = stamp(moment)
    except (ValueError, OverflowError):
        raise BadTimeError(field=field, found=text[:_LONGEST]) from None
    if end_of_day and ":" not in text and "T" not in text:
        return found[:10] + _LATEST_DAY
    return found


def later(text: str, *, milliseconds: int) -> str:
    """Give the stamp so much after another."""
    try:
        return stamp(moment_of(text) + timedelta(milliseconds=milliseconds))
    except OverflowError:  # the end of time; nothing comes after it
        return text
