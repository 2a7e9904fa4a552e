"""Change a JSON text in one place and leave every other character as it stands.

What is put in looks like its surroundings: indentation, line ends, the space after a
colon, or no space at all. Each change is kept as an edit, and edits can be taken back.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Step = str | int
    Path = tuple[Step, ...]

_BLANK = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str)
_USUAL_UNIT = "  "


class JsonTextError(ValueError):
    """A text that is not JSON we would write into; `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Edit(NamedTuple):
    """One change: at `start`, `old` became `new`."""

    start: int
    old: str
    new: str


class _Part(NamedTuple):
    """One member or element: where it begins, and where its value does and ends."""

    key: str | None
    start: int
    value: int
    end: int


class _Style(NamedTuple):
    """How a text is written: the end of a line, one step of indentation, the colon."""

    newline: str
    unit: str
    colon: str
    spread: bool


def parse_strictly(text: str) -> object:
    """Read JSON; JsonTextError for anything else, a key that stands twice included.

    Numbers come as their texts, so that one of any length is read.
    """
    try:
        return json.loads(
            text,
            object_pairs_hook=_distinct,
            parse_int=str,
            parse_float=str,
            parse_constant=_no_constant,
        )
    except json.JSONDecodeError as problem:
        reason = f"it is not JSON at line {problem.lineno} column {problem.colno}"
        raise JsonTextError(reason) from None
    except RecursionError:
        reason = "it is nested too deeply"
        raise JsonTextError(reason) from None


def undone(text: str, edits: Sequence[Edit]) -> str | None:
    """Take edits back, the last one first; None when one of them is not there."""
    for start, old, new in reversed(edits):
        if start < 0 or not text.startswith(new, start):
            return None
        text = f"{text[:start]}{old}{text[start + len(new) :]}"
    return text


class Draft:
    """A JSON text being changed; `text` is how it stands, `edits` what was done.

    The text has to be one that `parse_strictly` takes. A path is the keys and positions
    that lead to a value; it has to lead to one.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.edits: list[Edit] = []

    def value(self, path: Path) -> object:
        """Give the value at a path, numbers as their texts."""
        start, _ = self._find(path)
        value, _ = _DECODER.raw_decode(self.text, start)
        return value

    def span(self, path: Path) -> tuple[int, int]:
        """Say where the value at a path begins and ends."""
        start, _ = self._find(path)
        _, end = _DECODER.raw_decode(self.text, start)
        return start, end

    def has(self, path: Path) -> bool:
        """Say whether an object has the key that ends a path."""
        start, _ = self._find(path[:-1])
        return any(part.key == path[-1] for part in self._parts(start))

    def put(self, path: Path, value: object) -> None:
        """Add a member to an object, at its end; `path` ends in the new key."""
        self._insert(path[:-1], str(path[-1]), value)

    def append(self, path: Path, value: object) -> None:
        """Add an element to the array at a path, at its end."""
        self._insert(path, None, value)

    def replace(self, path: Path, value: object) -> None:
        """Write another value at a path, in place."""
        start, indent = self._find(path)
        _, end = _DECODER.raw_decode(self.text, start)
        self._edit(start, end, self._written(value, indent))

    def remove(self, path: Path) -> None:
        """Take away one member or element, with the comma that it needed."""
        start, _ = self._find(path[:-1])
        parts = list(self._parts(start))
        number = _position(parts, path[-1])
        if len(parts) == 1:
            self._edit(start + 1, self._skip(parts[0].end), "")
        elif number == 0:
            self._edit(parts[0].start, parts[1].start, "")
        else:
            self._edit(parts[number - 1].end, parts[number].end, "")

    def _insert(self, path: Path, key: str | None, value: object) -> None:
        start, outer = self._find(path)
        parts = list(self._parts(start))
        style = self._style()
        if not parts:
            self._fill(start, outer, key, value)
            return
        lead, indent = _last_line(self._space_before(parts[-1].start))
        if indent is None and not lead and len(parts) == 1:
            lead = " " if style.colon.endswith(" ") else ""
        written = self._written(value, indent)
        name = "" if key is None else f"{_text(key)}{style.colon}"
        self._edit(parts[-1].end, parts[-1].end, f",{lead}{name}{written}")

    def _fill(
        self, start: int, outer: str | None, key: str | None, value: object
    ) -> None:
        """Put the first member into an object, or the first element into an array."""
        style = self._style()
        end = self._skip(start + 1)
        name = "" if key is None else f"{_text(key)}{style.colon}"
        if outer is None:
            self._edit(start + 1, end, f"{name}{self._written(value, None)}")
            return
        inner = f"{outer}{style.unit}"
        written = f"{name}{self._written(value, inner)}"
        self._edit(
            start + 1, end, f"{style.newline}{inner}{written}{style.newline}{outer}"
        )

    def _edit(self, start: int, end: int, new: str) -> None:
        old = self.text[start:end]
        if old != new:
            self.edits.append(Edit(start, old, new))
            self.text = f"{self.text[:start]}{new}{self.text[end:]}"

    def _find(self, path: Path) -> tuple[int, str | None]:
        """Give where a value begins, and the indentation it is written at.

        None for the indentation of a value whose surroundings stand on one line.
        """
        start = self._skip(0)
        indent = "" if self._style().spread else None
        for step in path:
            parts = list(self._parts(start))
            number = _position(parts, step)
            _, indent = _last_line(self._space_before(parts[number].start))
            start = parts[number].value
        return start, indent

    def _parts(self, start: int) -> Iterator[_Part]:
        """Walk over the members of the object, or the elements of the array."""
        is_object = self.text[start] == "{"
        at = self._skip(start + 1)
        while self.text[at] not in "]}":
            key, value = None, at
            if is_object:
                key, after = _DECODER.raw_decode(self.text, at)
                value = self._skip(self._skip(after) + 1)
            _, end = _DECODER.raw_decode(self.text, value)
            yield _Part(key, at, value, end)
            at = self._skip(end)
            if self.text[at] == ",":
                at = self._skip(at + 1)

    def _style(self) -> _Style:
        """See how the text is written, by its first member."""
        start = self._skip(0)
        first = next(iter(self._parts(start)), None)
        newline = "\r\n" if "\r\n" in self.text else "\n"
        if first is None:
            return _Style(newline, _USUAL_UNIT, ": ", spread=True)
        _, unit = _last_line(self._space_before(first.start))
        _, named = _DECODER.raw_decode(self.text, first.start)
        colon = self.text[named : first.value]
        if "\n" in colon or "\r" in colon:
            colon = ": "
        return _Style(newline, unit or _USUAL_UNIT, colon, spread=unit is not None)

    def _written(self, value: object, indent: str | None) -> str:
        style = self._style()
        if indent is None:
            comma = ", " if style.colon.endswith(" ") else ","
            return _text(value, separators=(comma, style.colon))
        text = _text(value, separators=(",", style.colon), indent=style.unit)
        return text.replace("\n", f"{style.newline}{indent}")

    def _skip(self, at: int) -> int:
        found = _BLANK.match(self.text, at)
        assert found is not None  # it matches nothing, too
        return found.end()

    def _space_before(self, at: int) -> str:
        start = at
        while start and self.text[start - 1] in " \t\r\n":
            start -= 1
        return self.text[start:at]


def _position(parts: Sequence[_Part], step: Step) -> int:
    if isinstance(step, int):
        return step
    return [part.key for part in parts].index(step)


def _last_line(space: str) -> tuple[str, str | None]:
    r"""Cut the space before a value to its last line; give that line's indentation.

    `"\n\n  "` gives `"\n  "` and two spaces; what holds no line end gives no
    indentation.
    """
    at = max(space.rfind("\n"), space.rfind("\r"))
    if at < 0:
        return space, None
    begin = at - 1 if space[at - 1 : at + 1] == "\r\n" else at
    return space[begin:], space[at + 1 :]


def _text(
    value: object,
    *,
    separators: tuple[str, str] = (", ", ": "),
    indent: str | None = None,
) -> str:
    return json.dumps(value, ensure_ascii=False, separators=separators, indent=indent)


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        reason = "a key stands twice in one of its objects"
        raise JsonTextError(reason)
    return found


def _no_constant(name: str) -> NoReturn:
    reason = f"it holds `{name}`, which JSON does not know"
    raise JsonTextError(reason)
