"""What a model answered, read strictly: one key more or less refuses all of it.

Every fault is found before an answer is refused, so that a repair can mend them all.
Where the words come from, and whether they may be kept, is judged by memory itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from agentctx.extraction.memory.schemas import (
    KINDS,
    OPERATIONS,
    ORIGINS,
    RECALL_MODES,
    ROLES,
    STRENGTHS,
)
from agentctx.memory.clipping import api_tokens
from agentctx.memory.items import Operation
from agentctx.memory.model import (
    CHECKPOINT_CHARACTERS,
    CONTENT_CHARACTERS,
    MOST_ALIASES,
    MOST_ALIASES_KEPT,
    MOST_CANDIDATES,
    MOST_KEYWORDS,
    MOST_OPERATIONS,
    MOST_PATHS,
    MOST_SOURCES,
    PATH_CHARACTERS,
    QUOTE_CHARACTERS,
    RECALL_CHARACTERS,
    STATEMENT_TOKENS,
    SUBJECT_CHARACTERS,
    CandidateId,
    ItemId,
    Meaning,
    Source,
    TurnId,
)
from agentctx.memory.pipeline import (
    ConsolidationReply,
    ExtractionReply,
    Misshapen,
    Objection,
)
from agentctx.memory.terms import normal_form
from agentctx.memory.window import ProposedCandidate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from agentctx.memory.items import OperationName
    from agentctx.memory.model import (
        Candidate,
        Kind,
        Origin,
        RecallMode,
        Role,
        Strength,
    )
    from agentctx.memory.window import Window

MOST_OBJECTIONS = 40
"""Faults of one answer that are told."""

_ID_CHARACTERS = 200
_MEANING = (
    "kind",
    "subject",
    "statement",
    "content",
    "strength",
    "origin",
    "recall_mode",
    "applies_to_paths",
    "aliases",
    "keywords",
)
_CANDIDATE = (*_MEANING, "sources")
_OPERATION = ("operation", "candidate_ids", "target_id", *_MEANING)


def read_extraction(value: object, window: Window) -> ExtractionReply | Misshapen:
    """Read what was extracted from a window; every deviation refuses it."""
    form = _Form()
    whole = form.fields(value, "", ("thread_compaction", "candidates"))
    checkpoint = form.text(
        whole, "thread_compaction", "", most=CHECKPOINT_CHARACTERS, empty=False
    )
    found = [
        _candidate(form, one, f"candidates[{place}]")
        for place, one in enumerate(
            form.entries(whole, "candidates", "", MOST_CANDIDATES)
        )
    ]
    if form.objections:
        return Misshapen(tuple(form.objections[:MOST_OBJECTIONS]), value)
    return ExtractionReply(checkpoint, tuple(found), window, value)


def read_consolidation(
    value: object, candidates: Sequence[Candidate]
) -> ConsolidationReply | Misshapen:
    """Read what was decided; an item keeps what its candidates are recalled by.

    A model that forgets an alias does not make an item harder to find (M5.2(c)).
    """
    form = _Form()
    whole = form.fields(value, "", ("operations",))
    found = [
        _operation(form, one, f"operations[{place}]")
        for place, one in enumerate(
            form.entries(whole, "operations", "", MOST_OPERATIONS)
        )
    ]
    if form.objections:
        return Misshapen(tuple(form.objections[:MOST_OBJECTIONS]), value)
    known = {one.id: one for one in candidates}
    return ConsolidationReply(tuple(_recalled(one, known) for one in found), value)


class _Form:
    """Reads fields, noting every deviation and giving something in its place."""

    def __init__(self) -> None:
        self.objections: list[Objection] = []

    def fields(
        self, value: object, place: str, keys: Sequence[str]
    ) -> Mapping[str, object]:
        if not isinstance(value, dict):
            self._note(place, "not_an_object")
            return {}
        self.objections += [
            Objection(_at(place, key), "missing_key")
            for key in keys
            if key not in value
        ]
        if not value.keys() <= set(keys):
            self._note(place, "extra_key")
        return value

    def text(
        self,
        of: Mapping[str, object],
        key: str,
        place: str,
        *,
        most: int | None,
        empty: bool = True,
    ) -> str:
        value = of.get(key, "" if empty else "-")  # what is missing was noted
        if not isinstance(value, str):
            self._note(_at(place, key), "not_a_text")
            return ""
        if most is not None and len(value) > most:
            self._note(_at(place, key), f"{key}_too_long")
        if not (empty or value.strip()):
            self._note(_at(place, key), f"{key}_empty")
        return value

    def choice(
        self, of: Mapping[str, object], key: str, place: str, known: Sequence[str]
    ) -> str:
        value = of.get(key, known[0])
        if not isinstance(value, str) or value not in known:
            self._note(_at(place, key), f"{key}_unknown")
            return known[0]
        return value

    def entries(
        self, of: Mapping[str, object], key: str, place: str, most: int
    ) -> Sequence[object]:
        value = of.get(key, [])
        if not isinstance(value, list):
            self._note(_at(place, key), "not_a_list")
            return []
        if len(value) > most:
            self._note(_at(place, key), f"{key}_too_many")
        return value[:most]

    def texts(
        self, of: Mapping[str, object], key: str, place: str, most: int, longest: int
    ) -> tuple[str, ...]:
        found = []
        for number, one in enumerate(self.entries(of, key, place, most)):
            at = f"{_at(place, key)}[{number}]"
            if not isinstance(one, str):
                self._note(at, "not_a_text")
            elif len(one) > longest:
                self._note(at, f"{key}_too_long")
            elif one.strip():
                found.append(one)
        return tuple(found)

    def _note(self, place: str, rule: str) -> None:
        self.objections.append(Objection(place, rule))


def _candidate(form: _Form, value: object, place: str) -> ProposedCandidate:
    one = form.fields(value, place, _CANDIDATE)
    meaning = _meaning(form, one, place, MOST_ALIASES)
    sources = form.entries(one, "sources", place, MOST_SOURCES)
    if not sources and "sources" in one:
        form.objections.append(Objection(_at(place, "sources"), "sources_empty"))
    return ProposedCandidate(
        meaning,
        tuple(
            _source(form, source, f"{place}.sources[{number}]")
            for number, source in enumerate(sources)
        ),
    )


def _source(form: _Form, value: object, place: str) -> Source:
    one = form.fields(value, place, ("turn_id", "role", "quote"))
    return Source(
        TurnId(form.text(one, "turn_id", place, most=_ID_CHARACTERS)),
        cast("Role", form.choice(one, "role", place, ROLES)),
        form.text(one, "quote", place, most=QUOTE_CHARACTERS),
    )


def _operation(form: _Form, value: object, place: str) -> Operation:
    one = form.fields(value, place, _OPERATION)
    name = cast("OperationName", form.choice(one, "operation", place, OPERATIONS))
    ids = form.texts(one, "candidate_ids", place, MOST_CANDIDATES, _ID_CHARACTERS)
    if not ids and "candidate_ids" in one:
        form.objections.append(
            Objection(_at(place, "candidate_ids"), "candidate_ids_empty")
        )
    target = None
    if one.get("target_id") is not None:
        target = ItemId(form.text(one, "target_id", place, most=_ID_CHARACTERS))
    meaning = _meaning(form, one, place, MOST_ALIASES_KEPT)
    return Operation(
        name,
        tuple(map(CandidateId, ids)),
        target,
        None if name == "reject" else meaning,
    )


def _meaning(
    form: _Form, one: Mapping[str, object], place: str, aliases: int
) -> Meaning:
    statement = form.text(one, "statement", place, most=None)
    if api_tokens(statement) > STATEMENT_TOKENS:
        form.objections.append(Objection(_at(place, "statement"), "statement_too_long"))
    paths = form.texts(one, "applies_to_paths", place, MOST_PATHS, PATH_CHARACTERS)
    return Meaning(
        kind=cast("Kind", form.choice(one, "kind", place, KINDS)),
        subject=form.text(one, "subject", place, most=SUBJECT_CHARACTERS),
        statement=statement,
        content=form.text(one, "content", place, most=CONTENT_CHARACTERS),
        strength=cast("Strength", form.choice(one, "strength", place, STRENGTHS)),
        origin=cast("Origin", form.choice(one, "origin", place, ORIGINS)),
        recall_mode=cast(
            "RecallMode", form.choice(one, "recall_mode", place, RECALL_MODES)
        ),
        applies_to_paths=tuple(sorted(set(paths))),
        aliases=form.texts(one, "aliases", place, aliases, RECALL_CHARACTERS),
        keywords=form.texts(one, "keywords", place, MOST_KEYWORDS, RECALL_CHARACTERS),
    )


def _recalled(
    operation: Operation, known: Mapping[CandidateId, Candidate]
) -> Operation:
    meaning = operation.meaning
    if meaning is None:
        return operation
    group = [known[one].meaning for one in operation.candidate_ids if one in known]
    aliases = (*meaning.aliases, *(name for one in group for name in one.aliases))
    keywords = (*meaning.keywords, *(word for one in group for word in one.keywords))
    return operation._replace(
        meaning=meaning._replace(
            aliases=_distinct(aliases, MOST_ALIASES_KEPT),
            keywords=_distinct(keywords, MOST_KEYWORDS),
        )
    )


def _distinct(names: Iterable[str], most: int) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for name in names:
        found.setdefault(normal_form(name), name)
    return tuple(found.values())[:most]


def _at(place: str, key: str) -> str:
    return f"{place}.{key}" if place else key
