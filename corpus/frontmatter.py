"""YAML front matter, read strictly: strings and lists of strings, nothing else.

Values stay as they were written (`1.10`, `2024-05-01`, `no`), since only a person
knows what they meant. Aliases, tags and repeated keys are refused: nothing in front
matter can grow, run or contradict itself.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from yaml.events import Event

MAX_CHARACTERS = 65_536
DUPLICATE_KEY = "a key is given twice"
_NO_MAPPING = "it is not a list of keys and values"
_TOO_LONG = "it is longer than 65,536 characters"
_BAD_YAML = "it is not valid YAML"
_BAD_CHARACTER = "it holds a character that is not text"
_TOO_DEEP = "it is nested too deeply"
_ALIAS = "it uses an alias"
_TAG = "it uses a tag"
_BAD_KEY = "a key is not a string"
_MAX_DEPTH = 16

_OPENING = re.compile(r"---[ \t]*\Z")
_CLOSING = re.compile(r"-{3,}[ \t]*\Z")
_KEY_LINE = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}[ \t]*:(?:[ \t]|\Z)")


class FrontMatter(NamedTuple):
    """The lines `first` to `last` (the rules included) and what they say.

    With a `problem` there are no values: the lines are text, and `problem_line` is
    where reading stopped. Keys are as written; `lines` says where each one stands.
    """

    first: int
    last: int
    values: Mapping[str, str | tuple[str, ...]]
    lines: Mapping[str, int]
    problem: str | None = None
    problem_line: int = 0


def read_front_matter(lines: Sequence[str]) -> FrontMatter | None:
    """Read the front matter a text begins with, or None when it has none.

    A text that begins with a rule and has another one later has front matter only if
    the lines between are YAML keys and values, or look meant to be.
    """
    if not lines or not _OPENING.match(lines[0]):
        return None
    last = next((n for n in range(1, len(lines)) if _CLOSING.match(lines[n])), None)
    if last is None:
        return None
    first_text = next((line for line in lines[1:last] if line.strip()), None)
    if first_text is not None and first_text.startswith("#"):
        comments = (line for line in lines[1:last] if line.strip())
        first_text = next((x for x in comments if not x.startswith("#")), "")
    meant = first_text is None or _KEY_LINE.match(first_text) is not None
    try:
        values, places = _parse(lines[1:last])
    except _RefusedError as refused:
        if not meant or refused.problem == _NO_MAPPING:
            return None
        return FrontMatter(1, last + 1, {}, {}, refused.problem, refused.line)
    return FrontMatter(1, last + 1, values, places)


class _RefusedError(Exception):
    def __init__(self, problem: str, line: int) -> None:
        super().__init__(problem)
        self.problem = problem
        self.line = line


Values = dict[str, "str | tuple[str, ...]"]


def _parse(lines: Sequence[str]) -> tuple[Values, dict[str, int]]:
    """Read the YAML between the rules, with the line of each key."""
    text = "\n".join(lines)
    if len(text) > MAX_CHARACTERS:
        raise _RefusedError(_TOO_LONG, 1)
    import frontmatter  # noqa: PLC0415 - start-up time, and few texts have any
    from frontmatter.default_handlers import YAMLHandler  # noqa: PLC0415

    values: Values = {}
    places: dict[str, int] = {}

    class StrictYaml(YAMLHandler):
        def split(self, _text: str) -> tuple[str, str]:
            return text, ""

        def load(self, fm: str, **_options: object) -> Values:
            values.update(_mapping(fm, places))
            return values

    frontmatter.parse("---", handler=StrictYaml())
    return values, places


def _mapping(text: str, places: dict[str, int]) -> Values:
    import yaml  # noqa: PLC0415 - start-up time, and few texts have any

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    reader = _Events(text, yaml.parse(text, Loader=loader))
    try:
        return reader.mapping(places)
    except yaml.YAMLError as problem:
        mark = getattr(problem, "problem_mark", None)
        line = mark.line + 2 if mark is not None else 1
        raise _RefusedError(_BAD_YAML, line) from None
    except UnicodeError:
        raise _RefusedError(_BAD_CHARACTER, 1) from None


class _Events:
    """YAML events, turned into values without ever building a YAML object."""

    def __init__(self, text: str, events: Iterator[Event]) -> None:
        self._text = text
        self._events = events
        self._seen = 0
        self._line = 2

    def mapping(self, places: dict[str, int]) -> Values:
        self._next("StreamStartEvent")
        _, name = self._next("DocumentStartEvent", "StreamEndEvent")
        if name == "StreamEndEvent":
            return {}
        _, name = self._next()
        if name != "MappingStartEvent":
            raise _RefusedError(_NO_MAPPING, self._line)
        values: Values = {}
        while True:
            event, name = self._next("ScalarEvent", "MappingEndEvent")
            if name == "MappingEndEvent":
                break
            key = str(getattr(event, "value", ""))
            if key in places:
                raise _RefusedError(DUPLICATE_KEY, self._line)
            places[key] = self._line
            value = self._value()
            if value is not None:
                values[key] = value
        self._next("DocumentEndEvent")
        self._next("StreamEndEvent")
        return values

    def _value(self) -> str | tuple[str, ...] | None:
        """Read one value: a string, a list of strings, or None for anything nested."""
        event, name = self._next()
        if name == "ScalarEvent":
            return str(getattr(event, "value", ""))
        strings: list[str] = []
        plain = name == "SequenceStartEvent"
        depth = 1
        while depth:
            event, name = self._next()
            if name == "ScalarEvent":
                strings.append(str(getattr(event, "value", "")))
            elif name in {"SequenceEndEvent", "MappingEndEvent"}:
                depth -= 1
            else:
                plain = False
                depth += 1
                if depth > _MAX_DEPTH:
                    raise _RefusedError(_TOO_DEEP, self._line)
        return tuple(strings) if plain else None

    def _next(self, *expected: str) -> tuple[Event, str]:
        event = next(self._events)
        name = type(event).__name__
        # YAML counts more characters as line ends than editors do.
        index = event.start_mark.index if event.start_mark else self._seen
        self._line += self._text.count("\n", self._seen, index)
        self._seen = max(self._seen, index)
        if name == "AliasEvent":
            raise _RefusedError(_ALIAS, self._line)
        tag = getattr(event, "tag", None)
        if tag not in {None, "!", "tag:yaml.org,2002:str"}:
            raise _RefusedError(_TAG, self._line)
        if expected and name not in expected:
            raise _RefusedError(_BAD_KEY, self._line)
        return event, name
