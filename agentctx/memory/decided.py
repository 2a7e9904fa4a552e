"""Whether a consolidation's operations keep to its candidates, pure (M5.10, M11.3).

What only a store can tell, that no two active items are about the same, is not here.
"""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from agentctx.memory.admission import form_fault
from agentctx.memory.evidence import Evidence, fault_of
from agentctx.memory.model import MOST_OPERATIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from agentctx.memory.items import Operation
    from agentctx.memory.model import Candidate, CandidateId, Item, ItemId, Meaning


class Breach(StrEnum):
    """The rule of consolidation that an operation breaks."""

    TOO_MANY_OPERATIONS = "too_many_operations"
    NO_CANDIDATES = "no_candidates"
    CANDIDATE_UNKNOWN = "candidate_unknown"
    CANDIDATE_TWICE = "candidate_twice"
    CANDIDATE_LEFT_OUT = "candidate_left_out"
    MIXED_PATHS = "mixed_paths"
    MIXED_SCOPE = "mixed_scope"
    MIXED_THREADS = "mixed_threads"
    KIND_OUT_OF_SCOPE = "kind_out_of_scope"
    PATHS_CHANGED = "paths_changed"
    NOT_DOMINANT = "not_dominant"
    COMBINATION = "combination"
    MEANING_MISSING = "meaning_missing"
    TARGET_NOT_ALLOWED = "target_not_allowed"
    TARGET_MISSING = "target_missing"
    TARGET_UNKNOWN = "target_unknown"
    TARGET_TWICE = "target_twice"
    TARGET_NOT_ACTIVE = "target_not_active"
    TARGET_OUT_OF_SCOPE = "target_out_of_scope"
    EXPLICIT_OVERRIDDEN = "explicit_overridden"
    EVIDENCE = "evidence"


class Violation(NamedTuple):
    """An operation by its place, None for all of them, and the rule it breaks."""

    place: int | None
    breach: Breach


def check_operations(
    operations: Sequence[Operation],
    candidates: Sequence[Candidate],
    targets: Sequence[Item],
) -> tuple[Violation, ...]:
    """Find what the operations break, in order; any violation undoes them all."""
    known = {one.id: one for one in candidates}
    allowed = {one.id: one for one in targets}
    found = [Violation(None, breach) for breach in _coverage(operations, known)]
    aimed = Counter(one.target_id for one in operations if one.target_id)
    for place, operation in enumerate(operations):
        group = [known[one] for one in operation.candidate_ids if one in known]
        breaches = [*_group(group), *_target(operation, group, allowed)]
        if operation.target_id and aimed[operation.target_id] > 1:
            breaches.append(Breach.TARGET_TWICE)
        if operation.name != "reject" and group:
            target = allowed.get(operation.target_id) if operation.target_id else None
            breaches.extend(_meaning(operation, group, target))
        found.extend(Violation(place, breach) for breach in breaches)
    return tuple(found)


def dominant(group: Sequence[Candidate]) -> Candidate:
    """Give the candidate whose strength, origin and recall an item takes."""
    return max(
        group,
        key=lambda one: (
            _ORIGIN_RANK[one.meaning.origin],
            one.meaning.strength == "hard",
            one.created_at,
            one.id,
        ),
    )


def _coverage(
    operations: Sequence[Operation], known: Mapping[CandidateId, Candidate]
) -> Iterator[Breach]:
    named = Counter(one for each in operations for one in each.candidate_ids)
    if len(operations) > MOST_OPERATIONS:
        yield Breach.TOO_MANY_OPERATIONS
    if any(not one.candidate_ids for one in operations):
        yield Breach.NO_CANDIDATES
    if not named.keys() <= known.keys():
        yield Breach.CANDIDATE_UNKNOWN
    if any(times > 1 for times in named.values()):
        yield Breach.CANDIDATE_TWICE
    if not known.keys() <= named.keys():
        yield Breach.CANDIDATE_LEFT_OUT


def _group(group: Sequence[Candidate]) -> Iterator[Breach]:
    if len({frozenset(one.meaning.applies_to_paths) for one in group}) > 1:
        yield Breach.MIXED_PATHS
    if len({_is_discussion(one.meaning) for one in group}) > 1:
        yield Breach.MIXED_SCOPE
    discussed = {one.thread_id for one in group if _is_discussion(one.meaning)}
    if len(discussed) > 1:
        yield Breach.MIXED_THREADS


def _meaning(
    operation: Operation, group: Sequence[Candidate], target: Item | None
) -> Iterator[Breach]:
    meaning = operation.meaning
    if meaning is None:
        yield Breach.MEANING_MISSING
        return
    if _is_discussion(meaning) is not _is_discussion(group[0].meaning):
        yield Breach.KIND_OUT_OF_SCOPE
    if set(meaning.applies_to_paths) != set(group[0].meaning.applies_to_paths):
        yield Breach.PATHS_CHANGED
    first = dominant(group).meaning
    if _standing(meaning) != _standing(first):
        yield Breach.NOT_DOMINANT
    if form_fault(_as_proposed(meaning, first)) is not None:
        yield Breach.COMBINATION
    revised = target if operation.name == "revise" else None
    if fault_of(meaning, _evidence(group, revised)) is not None:
        yield Breach.EVIDENCE


def _as_proposed(meaning: Meaning, first: Meaning) -> Meaning:
    """Allow a project's kind to change: an adopted proposal may become a preference."""
    if _is_discussion(meaning) or _is_discussion(first):
        return meaning
    return meaning._replace(kind=first.kind)


def _evidence(group: Sequence[Candidate], revised: Item | None) -> Evidence:
    """Gather the quotes; what they deny, their candidates say, judged at admission.

    A revision keeps what its target said before: that had its own quotes.
    """
    quotes = [source.quote for one in group for source in one.sources]
    said = [
        text for one in group for text in (one.meaning.statement, one.meaning.content)
    ]
    if revised is not None:
        old = revised.meaning
        quotes.extend((old.subject, old.statement, old.content))
    return Evidence(tuple(quotes), tuple(said))


def _target(
    operation: Operation,
    group: Sequence[Candidate],
    allowed: Mapping[ItemId, Item],
) -> Iterator[Breach]:
    if operation.name in {"create", "reject"}:
        if operation.target_id is not None:
            yield Breach.TARGET_NOT_ALLOWED
        return
    if operation.target_id is None:
        yield Breach.TARGET_MISSING
        return
    target = allowed.get(operation.target_id)
    if target is None:
        yield Breach.TARGET_UNKNOWN
        return
    if target.status != "active":
        yield Breach.TARGET_NOT_ACTIVE
    if not group:
        return
    first = dominant(group)
    thread = first.thread_id if _is_discussion(first.meaning) else None
    same_paths = set(target.meaning.applies_to_paths) == set(
        first.meaning.applies_to_paths
    )
    if target.thread_id != thread or not same_paths:
        yield Breach.TARGET_OUT_OF_SCOPE
    inferred = first.meaning.origin == "inferred_repetition"
    if inferred and target.meaning.origin != "inferred_repetition":
        yield Breach.EXPLICIT_OVERRIDDEN


def _standing(meaning: Meaning) -> tuple[str, str, str]:
    return meaning.strength, meaning.origin, meaning.recall_mode


def _is_discussion(meaning: Meaning) -> bool:
    return meaning.kind == "discussion_context"


_ORIGIN_RANK = {"explicit": 3, "adopted_proposal": 2, "inferred_repetition": 1}
