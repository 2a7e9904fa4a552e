"""What an HTTP status of the service means, as one of our failures.

The service's own words decide nothing that could not be decided without them, but for
two: an account that cannot pay, and which field of the question is not known.
"""

from __future__ import annotations

import email.utils
import math
from typing import TYPE_CHECKING

from agentctx.errors import (
    ModelBusyError,
    ModelDownError,
    ModelInputError,
    ModelKeyError,
    ModelMoneyError,
    ModelReplyError,
    ModelUnknownError,
)
from agentctx.llm.failure import Failure
from agentctx.llm.question import EFFORT, FIELDS, SCHEMA, THINKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    import anthropic

    from agentctx.errors import ModelError

LONGEST_WAIT = 86400.0
"""A service that asks for more is taken to ask for a day."""

_BUSY = {429, 529}
_MISSING = {404, 410}
_BAD_QUESTION = {400, 422}
_TOO_LARGE = {413, 431}
_PASSING = {408, 409, 425}
_STATUS_OF = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "overloaded_error": 529,
}
_FIRST_ERROR = 400
_OURS = 500
_TOO_LONG = ("too long", "too large", "context window", "maximum context", "exceed")
_UNPAID = ("credit balance", "billing")


def failure_of_status(error: anthropic.APIStatusError, model: str) -> Failure:
    """Give what a status means for the question; the answer's text is not kept."""
    status = error.status_code
    said = f"{error.api_message or ''} {error.type or ''}".lower()
    ours = _error(status, said, model[:200])
    headers = error.response.headers
    again = headers.get("x-should-retry", "") != "false" and (
        status in _BUSY | _PASSING or status >= _OURS
    )
    if again or status in _BUSY:
        ours.retry_after = seconds_to_wait(headers)
    doubts = _doubts(said) if isinstance(ours, ModelInputError) else frozenset()
    if status not in _BAD_QUESTION:
        doubts = frozenset()
    return Failure(ours, again=again, doubts=doubts)


def failure_of_event(kind: str, message: str, model: str) -> Failure:
    """Give what an error means that comes in the midst of an answer."""
    status = _STATUS_OF.get(kind, _OURS)
    ours = _error(status, f"{message} {kind}".lower(), model[:200])
    return Failure(ours, again=status in _BUSY or status >= _OURS)


def seconds_to_wait(headers: Mapping[str, str]) -> float | None:
    """Read how long the service asks us to wait; a moment counts from its own date."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        seconds = _number(headers.get(name, "")) * unit
        if seconds > 0:  # never true of NaN
            return min(seconds, LONGEST_WAIT)
    try:
        until = email.utils.parsedate_to_datetime(headers.get("retry-after", ""))
        now = email.utils.parsedate_to_datetime(headers.get("date", ""))
        seconds = (until - now).total_seconds()
    except (ValueError, TypeError, OverflowError):
        return None  # no moment, or one without an offset
    return min(seconds, LONGEST_WAIT) if seconds > 0 else None


def _error(status: int, said: str, model: str) -> ModelError:
    if status in {401, 403}:
        return ModelKeyError(reason="is not accepted")
    if status == 402 or (  # noqa: PLR2004 - payment required
        status in _BAD_QUESTION and any(word in said for word in _UNPAID)
    ):
        return ModelMoneyError()
    if status in _MISSING:
        return ModelUnknownError(model=model)
    if status in _TOO_LARGE:
        return ModelInputError(reason="it is too large")
    if status in _BUSY:
        return ModelBusyError(status=status)
    if status >= _OURS or status in _PASSING:
        return ModelDownError(reason=f"it answers with status {status}")
    if status < _FIRST_ERROR:
        return ModelReplyError(reason=f"status {status} leads elsewhere")
    reason = "it is too long" if _is_too_long(said) else f"status {status}"
    return ModelInputError(reason=reason)


def _doubts(said: str) -> frozenset[str]:
    """Guess which fields the service did not know: those it names, else every one."""
    named = set()
    if EFFORT in said:
        named.add(EFFORT)
    if THINKING in said:
        named.add(THINKING)
    if "format" in said or "schema" in said or "structured" in said:
        named.add(SCHEMA)
    if not named and "output_config" in said:
        named = {SCHEMA, EFFORT}
    if named:
        return frozenset(named)
    return frozenset() if _is_too_long(said) else FIELDS


def _is_too_long(said: str) -> bool:
    return any(words in said for words in _TOO_LONG)


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        return math.nan
    return number
