"""The dataset of an evaluation: judged queries, read into typed cases (P12.1).

The schema is closed: an unknown key, a wrong type or an impossible value is
`EvalSchemaError` with the case's number, counted from 1 (0 means the dataset itself),
and the field.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

from corpus.bundle import DEFAULT_TOKENS, MAX_TOKENS, MIN_TOKENS
from corpus.errors import EvalLimitError, EvalSchemaError
from corpus.ranker import DEFAULT_LIMIT, MAX_LIMIT, MIN_LIMIT
from corpus.refs import is_id, is_sha256
from corpus.worth import AUTHORITY, TIME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from corpus.canonical import Json

MAX_CASES = 1_000
DEFAULT_TOP_K = 5
SCHEMA_VERSION = "1"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalCase:
    """One judged query: what must come back, what must not, and within what.

    Sources, classes and texts named `expected_…` or `must_contain` are looked for in
    the bundle, those of retrieval in the ranked results; `forbidden_scope_paths` may
    stand nowhere, not even in the snapshot. None and empty mean not asked.
    """

    number: int
    name: str
    query: str
    max_tokens: int = DEFAULT_TOKENS
    retrieval_limit: int = DEFAULT_LIMIT
    top_k: int = DEFAULT_TOP_K
    expected_source_paths: tuple[str, ...] = ()
    expected_top_source_path: str | None = None
    expected_top_k_paths: tuple[str, ...] = ()
    expected_authority_classes: tuple[str, ...] = ()
    expected_source_authority: Mapping[str, str] = field(default_factory=dict)
    expected_source_temporal: Mapping[str, str] = field(default_factory=dict)
    expected_temporal_status: str | None = None
    forbidden_source_paths: tuple[str, ...] = ()
    forbidden_retrieval_source_paths: tuple[str, ...] = ()
    forbidden_authority_classes: tuple[str, ...] = ()
    forbidden_scope_paths: tuple[str, ...] = ()
    must_contain: tuple[str, ...] = ()
    must_not_contain: tuple[str, ...] = ()
    expected_project_id: str | None = None
    expected_snapshot_digest: str | None = None


def read_dataset(value: Json) -> tuple[EvalCase, ...]:
    """Read a dataset, or raise `EvalSchemaError` or `EvalLimitError`."""
    dataset = _Fields(0, _object(value, 0, "dataset"))
    dataset.refuse_unknown({"schema_version", "cases"})
    if dataset.values.get("schema_version") != SCHEMA_VERSION:
        dataset.refuse("schema_version", f'is not "{SCHEMA_VERSION}"')
    cases = dataset.values.get("cases")
    if not isinstance(cases, list):
        dataset.refuse("cases", "is not a list")
    if not cases:
        dataset.refuse("cases", "holds no case")
    if len(cases) > MAX_CASES:
        raise EvalLimitError(count=len(cases), maximum=MAX_CASES)
    names: dict[str, int] = {}
    found = []
    for number, each in enumerate(cases, start=1):
        case = _case(number, _object(each, number, "case"))
        if case.name in names:
            raise EvalSchemaError(
                case=number,
                field="name",
                reason=f"is the name of case {names[case.name]} too",
            )
        names[case.name] = number
        found.append(case)
    return tuple(found)


class _Fields:
    """The keys of one object, read by type."""

    def __init__(self, number: int, values: Mapping[str, Json]) -> None:
        self.number = number
        self.values = values

    def refuse(self, key: str, reason: str) -> NoReturn:
        raise EvalSchemaError(case=self.number, field=key[:_SHOWN], reason=reason)

    def refuse_unknown(self, known: Iterable[str]) -> None:
        unknown = sorted(self.values.keys() - set(known))
        if unknown:
            self.refuse(unknown[0], "is not a key of the format")

    def text(self, key: str) -> str:
        value = self.values[key]
        if not isinstance(value, str):
            self.refuse(key, "is not a text")
        if not value.strip():
            self.refuse(key, "is empty")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.values[key]
        if not isinstance(value, list):
            self.refuse(key, "is not a list of texts")
        found: list[str] = []
        for each in value:
            if not isinstance(each, str) or not each.strip():
                self.refuse(key, "holds something that is no text, or empty")
            found.append(each)
        if len(set(found)) != len(found):
            self.refuse(key, "holds the same text twice")
        return tuple(found)

    def number_in(self, key: str, minimum: int, maximum: int) -> int:
        value = self.values[key]
        if isinstance(value, bool) or not isinstance(value, int):
            self.refuse(key, "is not a whole number")
        if not minimum <= value <= maximum:
            self.refuse(key, f"is not from {minimum} to {maximum}")
        return value

    def one_of(self, key: str, known: Iterable[str]) -> str:
        value = self.text(key)
        self._known(key, [value], known)
        return value

    def some_of(self, key: str, known: Iterable[str]) -> tuple[str, ...]:
        values = self.texts(key)
        self._known(key, values, known)
        return values

    def by_path(self, key: str, known: Iterable[str]) -> dict[str, str]:
        value = self.values[key]
        if not isinstance(value, dict):
            self.refuse(key, "is not an object of path and class")
        found: dict[str, str] = {}
        for path, each in value.items():
            if not path.strip() or not isinstance(each, str):
                self.refuse(key, "holds something that is no path and class")
            found[path] = each
        self._known(key, found.values(), known)
        return found

    def checked(self, key: str, check: Callable[[str], bool], what: str) -> str:
        value = self.text(key)
        if not check(value):
            self.refuse(key, f"is not {what}")
        return value

    def _known(self, key: str, values: Iterable[str], known: Iterable[str]) -> None:
        names = sorted(known)
        if not set(values) <= set(names):
            self.refuse(key, f"names a class that is none of {', '.join(names)}")


_SHOWN = 80

_READERS: Mapping[str, Callable[[_Fields, str], object]] = {
    "query": _Fields.text,
    "name": _Fields.text,
    "max_tokens": lambda f, key: f.number_in(key, MIN_TOKENS, MAX_TOKENS),
    "retrieval_limit": lambda f, key: f.number_in(key, MIN_LIMIT, MAX_LIMIT),
    "top_k": lambda f, key: f.number_in(key, MIN_LIMIT, MAX_LIMIT),
    "expected_source_paths": _Fields.texts,
    "expected_top_source_path": _Fields.text,
    "expected_top_k_paths": _Fields.texts,
    "expected_authority_classes": lambda f, key: f.some_of(key, AUTHORITY),
    "expected_source_authority": lambda f, key: f.by_path(key, AUTHORITY),
    "expected_source_temporal": lambda f, key: f.by_path(key, TIME),
    "expected_temporal_status": lambda f, key: f.one_of(key, TIME),
    "forbidden_source_paths": _Fields.texts,
    "forbidden_retrieval_source_paths": _Fields.texts,
    "forbidden_authority_classes": lambda f, key: f.some_of(key, AUTHORITY),
    "forbidden_scope_paths": _Fields.texts,
    "must_contain": _Fields.texts,
    "must_not_contain": _Fields.texts,
    "expected_project_id": lambda f, key: f.checked(key, is_id, "an id"),
    "expected_snapshot_digest": lambda f, key: f.checked(
        key, is_sha256, "a SHA-256 in 64 lower-case digits"
    ),
}


def _case(number: int, values: Mapping[str, Json]) -> EvalCase:
    fields = _Fields(number, values)
    fields.refuse_unknown(_READERS)
    if "query" not in values:
        fields.refuse("query", "is missing")
    read: dict[str, object] = {"number": number, "name": f"case {number}"}
    read |= {key: _READERS[key](fields, key) for key in values}
    return EvalCase(**read)  # type: ignore[arg-type] # each reader gives its field's type


def _object(value: Json, number: int, what: str) -> Mapping[str, Json]:
    if not isinstance(value, dict):
        raise EvalSchemaError(case=number, field=what, reason="is not an object")
    return value
