"""What a model answered, entry by entry; what breaks the schema is counted (A6.5).

The schema is that of the specification, exactly. An entry that breaks it is dropped,
the others stay. An answer that is no such object at all is refused as a whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agentctx.errors import ReplyShapeError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MOST_ENTRIES = 60
LONGEST = 4_000

CONFIDENCES = frozenset({"explicit", "inferred"})
CATEGORIES = frozenset({"style", "tooling", "process", "naming"})
SCOPES = frozenset({"project", "global"})
REACHES = frozenset({"file", "module", "project"})


class Entry(NamedTuple):
    """One fact: the type of its record, what it states, why, and how surely.

    `supersedes` is an id as the model wrote it.
    """

    type: str
    statement: str
    reason: str = ""
    confidence: str = "inferred"
    scope: str = "project"
    note: str = ""
    supersedes: str | None = None


class Work(NamedTuple):
    """Where the work stands."""

    task: str
    blockers: tuple[str, ...]
    next_steps: tuple[str, ...]
    questions: tuple[str, ...]

    @property
    def says_nothing(self) -> bool:
        """Whether every part of it is empty."""
        return not any(self)


class Findings(NamedTuple):
    """What an answer holds; `misshapen` counts the entries that broke the schema."""

    entries: tuple[Entry, ...]
    work: Work | None
    misshapen: int


NOTHING = Findings((), None, 0)

_KNOWN = frozenset(
    (
        "decisions",
        "preferences",
        "conventions",
        "gotchas",
        "active_work",
        "flush_ok",
    )
)


def read_reply(value: object) -> Findings:
    """Read an answer; ReplyShapeError where it is no object of the schema."""
    if not isinstance(value, dict):
        raise ReplyShapeError
    if not _KNOWN & set(value):
        raise ReplyShapeError
    misshapen = len(_KNOWN ^ set(value))
    if value.get("flush_ok") is True:
        return NOTHING._replace(misshapen=misshapen)
    entries: list[Entry] = []
    for name, read in _READERS.items():
        found = value.get(name, [])
        if not isinstance(found, list):
            misshapen += 1
            continue
        for one in found[:MOST_ENTRIES]:
            entry = _read(one, read)
            if entry is None:
                misshapen += 1
            else:
                entries.append(entry)
        misshapen += len(found[MOST_ENTRIES:])
    if "active_work" not in value:
        return Findings(tuple(entries), None, misshapen)
    work = _work(value["active_work"])
    return Findings(tuple(entries), work, misshapen + (work is None))


def _read(one: object, read: Callable[[Mapping[str, object]], Entry]) -> Entry | None:
    if not isinstance(one, dict):
        return None
    try:
        return read(one)
    except (KeyError, ValueError):
        return None


def _decision(one: Mapping[str, object]) -> Entry:
    _keys(one, "what", "rationale", "supersedes", "confidence")
    replaced = one["supersedes"]
    if not (replaced is None or isinstance(replaced, str)):
        raise ValueError
    return Entry(
        "decision",
        _text(one, "what"),
        reason=_text(one, "rationale", empty=True),
        confidence=_choice(one, "confidence", CONFIDENCES),
        supersedes=replaced or None,
    )


def _preference(one: Mapping[str, object]) -> Entry:
    _keys(one, "category", "rule", "confidence", "scope")
    return Entry(
        "preference",
        _text(one, "rule"),
        confidence=_choice(one, "confidence", CONFIDENCES),
        scope=_choice(one, "scope", SCOPES),
        note=f"Category: {_choice(one, 'category', CATEGORIES)}",
    )


def _convention(one: Mapping[str, object]) -> Entry:
    _keys(one, "scope", "convention", "confidence")
    return Entry(
        "convention",
        _text(one, "convention"),
        confidence=_choice(one, "confidence", CONFIDENCES),
        note=f"Holds for: {_choice(one, 'scope', REACHES)}",
    )


def _gotcha(one: Mapping[str, object]) -> Entry:
    _keys(one, "pattern", "why_it_matters")
    return Entry(
        "discovery",
        _text(one, "pattern"),
        reason=_text(one, "why_it_matters", empty=True),
    )


_READERS: Mapping[str, Callable[[Mapping[str, object]], Entry]] = {
    "decisions": _decision,
    "preferences": _preference,
    "conventions": _convention,
    "gotchas": _gotcha,
}


def _work(value: object) -> Work | None:
    if not isinstance(value, dict):
        return None
    try:
        _keys(value, "current_task", "blockers", "next_steps", "open_questions")
        return Work(
            _text(value, "current_task", empty=True),
            _texts(value, "blockers"),
            _texts(value, "next_steps"),
            _texts(value, "open_questions"),
        )
    except (KeyError, ValueError):
        return None


def _keys(one: Mapping[str, object], *names: str) -> None:
    if set(one) != set(names):
        raise ValueError


def _text(one: Mapping[str, object], name: str, *, empty: bool = False) -> str:
    found = one[name]
    if not isinstance(found, str) or len(found) > LONGEST:
        raise ValueError
    text = found.encode("utf-8", "replace").decode().strip()
    if not (text or empty):
        raise ValueError
    return text


def _texts(one: Mapping[str, object], name: str) -> tuple[str, ...]:
    found = one[name]
    if not isinstance(found, list) or len(found) > MOST_ENTRIES:
        raise ValueError
    if not all(isinstance(text, str) and len(text) <= LONGEST for text in found):
        raise ValueError
    return tuple(text.strip() for text in found if text.strip())


def _choice(one: Mapping[str, object], name: str, known: frozenset[str]) -> str:
    found = one[name]
    if not isinstance(found, str) or found.lower() not in known:
        raise ValueError
    return found.lower()
