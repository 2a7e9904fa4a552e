"""What a tool is called with, held against its input schema before it runs.

A model reads these failures and calls again, so each one names the argument and says
what it takes. Ranges that the command line has a code for keep it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NoReturn

from corpus.errors import BudgetError, CodedError, QueryLimitError
from corpus.refusals import ToolArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    Schema = Mapping[str, Any]

DEEPEST = 64
"""How deep an object may nest, as in JSON files."""

_SHOWN = 40
_LONE = re.compile("[\ud800-\udfff]")
_RANGES: Mapping[str, type[CodedError]] = {
    "limit": QueryLimitError,
    "max_tokens": BudgetError,
}


def checked(
    schema: Schema, given: Mapping[str, Any], *, bounded: Collection[str] = ()
) -> dict[str, Any]:
    """Give the arguments with the defaults filled in.

    An optional argument that is null counts as left out. Of the arguments named by
    `bounded` only the type is checked: the tool knows their bounds, and has codes of
    its own for them. Raises `ToolArgumentError`, `QueryLimitError` and `BudgetError`.
    """
    known: Schema = schema["properties"]
    for name in given:
        if name not in known:
            taken = ", ".join(f"`{one}`" for one in known) or "no arguments"
            _refuse(shown(name), f"is unknown; the tool takes {taken}")
    values: dict[str, Any] = {}
    for name, wanted in known.items():
        value = given.get(name)
        if name in schema["required"]:
            if name not in given:
                _refuse(name, "is missing")
        elif value is None:
            if "default" in wanted:
                values[name] = wanted["default"]
            continue
        if name in bounded:
            wanted = {"type": wanted["type"]}  # noqa: PLW2901 - the same, less
        values[name] = _value(wanted, name, value)
    return values


def _value(wanted: Schema, name: str, value: Any) -> Any:  # noqa: ANN401 - JSON
    return _CHECKS[wanted["type"]](wanted, name, value)


def _text(wanted: Schema, name: str, value: object) -> str:
    if not isinstance(value, str):
        _refuse(name, "is not text")
    if _LONE.search(value):
        _refuse(name, "holds half a character (a lone surrogate)")
    if len(value) < wanted.get("minLength", 0):
        _refuse(name, "is empty")
    if len(value) > wanted.get("maxLength", len(value)):
        limit = wanted["maxLength"]
        _refuse(name, f"has {len(value)} characters; the limit is {limit}")
    if "enum" in wanted and value not in wanted["enum"]:
        _refuse(name, f"is not one of {', '.join(wanted['enum'])}")
    if "pattern" in wanted and not re.compile(wanted["pattern"]).fullmatch(value):
        _refuse(name, f"does not have the form {wanted['pattern']}")
    return value


def _number(wanted: Schema, name: str, value: object) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # JSON has one kind of number
    if not isinstance(value, int) or isinstance(value, bool):
        _refuse(name, "is not a whole number")
    if "minimum" not in wanted:
        return value
    minimum, maximum = wanted["minimum"], wanted["maximum"]
    if not minimum <= value <= maximum:
        if name not in _RANGES:
            _refuse(name, f"is not a number from {minimum} to {maximum}")
        found = value if abs(value) < 10**_SHOWN else "a number beyond all bounds"
        raise _RANGES[name](found=found, minimum=minimum, maximum=maximum)
    return value


def _list(wanted: Schema, name: str, value: object) -> list[Any]:
    if not isinstance(value, list):
        _refuse(name, "is not a list")
    if len(value) > wanted["maxItems"]:
        limit = wanted["maxItems"]
        _refuse(name, f"has {len(value)} entries; the limit is {limit}")
    items = wanted["items"]
    return [_value(items, f"{name}[{at}]", one) for at, one in enumerate(value)]


def _object(wanted: Schema, name: str, value: object) -> dict[str, Any]:
    """Check that an object is sound; what it says is left to whoever it is for."""
    del wanted
    if not isinstance(value, dict):
        _refuse(name, "is not an object")
    if is_too_deep(value):
        _refuse(name, f"is nested more than {DEEPEST} deep")
    if any(isinstance(part, str) and _LONE.search(part) for part in _parts(value)):
        _refuse(name, "holds half a character (a lone surrogate)")
    return value


def is_too_deep(value: object) -> bool:
    """Say whether a JSON value nests more than `DEEPEST` deep."""
    return any(depth > DEEPEST for _, depth in _walk(value))


def _parts(value: object) -> Iterator[object]:
    """Give every value and key inside a value, and the value itself."""
    return (part for part, _ in _walk(value))


def _walk(value: object) -> Iterator[tuple[object, int]]:
    pending: list[tuple[object, int]] = [(value, 1)]
    while pending:
        part, depth = pending.pop()
        yield part, depth
        inside = [*part, *part.values()] if isinstance(part, dict) else part
        if isinstance(inside, list):
            pending += [(one, depth + 1) for one in inside]


_CHECKS: Mapping[str, Callable[[Schema, str, Any], Any]] = {
    "string": _text,
    "integer": _number,
    "array": _list,
    "object": _object,
}


def _refuse(field: str, reason: str) -> NoReturn:
    raise ToolArgumentError(field=field, reason=reason)


def shown(name: str) -> str:
    """Give a name from outside for a message: printable and short."""
    plain = "".join(c if c.isprintable() else "?" for c in name[: _SHOWN + 1])
    return plain if len(plain) <= _SHOWN else f"{plain[:_SHOWN]}…"
