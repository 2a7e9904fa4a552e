"""Whether what a model took from a conversation may be kept: the rules, pure (M5, M11).

A candidate is let in where its user said it, for good, in the words it is kept by. One
that breaks a rule is refused with the rule's name; the others of a reply stand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agentctx.memory.cited import cited_of, evidence_of
from agentctx.memory.evidence import Evidence, fault_of
from agentctx.memory.repetition import repetition_fault
from agentctx.memory.rules import Rule
from agentctx.memory.speech.anchors import anchors
from agentctx.memory.speech.clauses import LONGEST_TEXT, clauses_of
from agentctx.memory.speech.markers import is_acknowledgement
from agentctx.memory.speech.polarity import polarity

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentctx.memory.cited import Cited
    from agentctx.memory.model import Meaning
    from agentctx.memory.speech.clauses import Clause
    from agentctx.memory.window import ProposedCandidate, Window


class Admitted(NamedTuple):
    """A candidate that may be kept; its paths are sorted and distinct."""

    candidate: ProposedCandidate


class Refused(NamedTuple):
    """A candidate that is dropped and counted, and why."""

    rule: Rule


def admit(candidate: ProposedCandidate, window: Window) -> Admitted | Refused:
    """Judge a candidate whose envelope was found sound (`check_envelope`)."""
    paths = tuple(sorted(set(candidate.meaning.applies_to_paths)))
    candidate = candidate._replace(
        meaning=candidate.meaning._replace(applies_to_paths=paths)
    )
    case = _Case(candidate.meaning, cited_of(candidate, window), window)
    for rule in (_form, _scope, _limits, _sharing, _origin):
        broken = rule(case)
        if broken is not None:
            return Refused(broken)
    return Admitted(candidate)


class _Case(NamedTuple):
    meaning: Meaning
    cited: tuple[Cited, ...]
    window: Window

    @property
    def user(self) -> tuple[Cited, ...]:
        return tuple(one for one in self.cited if one.source.role == "user")

    @property
    def assistant(self) -> tuple[Cited, ...]:
        return tuple(one for one in self.cited if one.source.role == "assistant")

    @property
    def is_inferred(self) -> bool:
        return self.meaning.origin == "inferred_repetition"

    @property
    def anchors(self) -> frozenset[str]:
        return anchors(self.meaning.subject) | anchors(self.meaning.statement)


def form_fault(meaning: Meaning) -> Rule | None:
    """Find what does not go together in a meaning; holds for items, too."""
    if not all(map(str.strip, (meaning.subject, meaning.statement, meaning.content))):
        return Rule.TEXT_EMPTY
    discussion = meaning.kind == "discussion_context"
    inferred = meaning.origin == "inferred_repetition"
    hard, always = meaning.strength == "hard", meaning.recall_mode == "always"
    if always and (not hard or inferred or discussion):
        return Rule.ALWAYS_NOT_ALLOWED
    if discussion and (hard or meaning.origin != "explicit"):
        return Rule.COMBINATION
    if inferred and (hard or meaning.kind != "user_preference"):
        return Rule.COMBINATION
    if meaning.origin == "adopted_proposal" and meaning.kind != "project_decision":
        return Rule.COMBINATION
    return None


def _form(case: _Case) -> Rule | None:
    broken = form_fault(case.meaning)
    if broken is None and not case.user:
        return Rule.NO_USER_SOURCE
    return broken


def _scope(case: _Case) -> Rule | None:
    known = {path for one in case.cited for path in one.turn.scope_paths}
    if not set(case.meaning.applies_to_paths) <= known:
        return Rule.PATH_OUT_OF_SCOPE
    current = any(case.window.is_current(one.turn.id) for one in case.user)
    if not case.is_inferred and not current:
        return Rule.NOT_CURRENT
    return None


def _limits(case: _Case) -> Rule | None:
    """Refuse what was meant for one place or for one time."""
    if any(not one.clauses for one in case.user):
        return Rule.QUOTED_MATERIAL
    for one in case.user:
        for clause in one.clauses:
            if "temporary" in clause.marks:
                return Rule.TEMPORARY
            broken = _local_fault(case, one, clause)
            if broken is not None:
                return broken
    return None


def _local_fault(case: _Case, cited: Cited, clause: Clause) -> Rule | None:
    if "local" not in clause.marks or case.is_inferred:
        return None
    if cited.turn.profile == "review":
        return Rule.LOCAL_IN_REVIEW
    if case.meaning.kind == "discussion_context":
        return None
    paths = case.meaning.applies_to_paths
    here = len(cited.turn.scope_paths) == 1 and paths == cited.turn.scope_paths
    named = all(_is_named(path, clause.text) for path in paths)
    if not paths or "durable" not in clause.marks or not (here or named):
        return Rule.LOCAL_WITHOUT_PATH
    return None


def _is_named(path: str, said: str) -> bool:
    path = path.lower()
    return path in said or path.rpartition("/")[2] in said.split()


def _sharing(case: _Case) -> Rule | None:
    if not case.anchors:
        return Rule.NO_ANCHOR
    if case.meaning.origin == "adopted_proposal":
        return None  # it has to share one with what was proposed
    if any(anchors(words) & case.anchors for one in case.cited for words in one.words):
        return None
    return Rule.ANCHOR_NOT_SHARED


def _origin(case: _Case) -> Rule | None:
    return _ORIGINS[
        "discussion"
        if case.meaning.kind == "discussion_context"
        else case.meaning.origin
    ](case)


def _discussion(case: _Case) -> Rule | None:
    """Keep what the user raised; neither code nor what the assistant concluded."""
    whole = _whole(case.meaning)
    evidence = evidence_of(case.user, doubted=True)
    if not evidence.quotes:
        return Rule.NOT_MEANT
    kept = clauses_of(whole)
    if any(one.is_fact and "undecided" not in one.marks for one in kept):
        return Rule.CODE_FACT
    decides = any("decision" in one.marks for one in kept if one.is_own)
    decided = any(
        "decision" in one.marks for cited in case.user for one in cited.clauses
    )
    if (decides and not decided) or _concluded(case, whole):
        return Rule.ASSISTANT_CONCLUSION
    fault = fault_of(case.meaning, evidence)
    return None if fault is None else Rule(fault)


def _concluded(case: _Case, whole: str) -> bool:
    """Say whether the assistant alone said much of what would be kept."""
    turns, most = case.window.all(), LONGEST_TEXT
    heard = frozenset[str]().union(*(anchors(one.user_text[:most]) for one in turns))
    told = (anchors(one.assistant_text[:most]) for one in turns)
    return len(anchors(whole) & frozenset[str]().union(*told) - heard) >= _CONCLUDED


def _explicit(case: _Case) -> Rule | None:
    own = [
        (clause, words)
        for one in case.user
        for clause, words in zip(one.clauses, one.words, strict=True)
        if clause.is_own and case.window.is_current(one.turn.id)
    ]
    if not own:
        facts = any(clause.is_fact for one in case.user for clause in one.clauses)
        return Rule.CODE_FACT if facts else Rule.NOT_MEANT
    near = [one for one in own if anchors(one[1]) & case.anchors]
    if not near:
        return Rule.ANCHOR_NOT_SHARED
    if case.meaning.kind == "user_preference":
        fitting = [one for one in near if one[0].marks & {"preference", "durable"}]
        if not fitting:
            return Rule.NO_PREFERENCE_MARKER
    else:
        fitting = [one for one in near if _decides(one[0])]
        if not fitting:
            return Rule.NO_DECISION_MARKER
    lasting = any(_lasts(clause) for clause, _ in fitting)
    if case.meaning.recall_mode == "always" and not lasting:
        return Rule.ALWAYS_NOT_CONTINUOUS
    return _uncovered(case, fitting)


def _uncovered(case: _Case, fitting: Sequence[tuple[Clause, str]]) -> Rule | None:
    """Find what was not said for good; only a content may use what was said besides."""
    settled = Evidence(
        tuple(words for _, words in fitting), tuple(one.text for one, _ in fitting)
    )
    stated = case.meaning._replace(content=case.meaning.statement)
    fault = fault_of(stated, settled) or fault_of(case.meaning, evidence_of(case.user))
    return None if fault is None else Rule(fault)


def _decides(clause: Clause) -> bool:
    """Say whether a clause decides; forbidding something for good does, too."""
    forbids = "durable" in clause.marks and bool(polarity(clause.text).denied)
    return "decision" in clause.marks or forbids


def _lasts(clause: Clause) -> bool:
    return bool(clause.marks & {"durable", "preference"})


def _adopted(case: _Case) -> Rule | None:
    """Take a proposal with the whole turn that agreed to it, right after."""
    agreed = [
        one
        for one in case.user
        if is_acknowledgement(one.turn.user_text)
        and case.window.is_current(one.turn.id)
    ]
    if not agreed:
        return Rule.NO_ACKNOWLEDGEMENT
    before = [case.window.before(one.turn) for one in agreed]
    known = {one.id for one in before if one is not None}
    heard = [one for one in case.assistant if one.turn.id in known]
    if not heard:
        return Rule.NO_PROPOSAL
    return _proposal_fault(case, heard)


def _proposal_fault(case: _Case, heard: Sequence[Cited]) -> Rule | None:
    """Judge what was agreed to; a proposal may be a question, and mostly is."""
    broken: Rule | None = Rule.NO_PROPOSAL
    for one in heard:
        for clause, words in zip(one.clauses, one.words, strict=True):
            if "proposal" not in clause.marks or clause.marks & _SAID_BY_OTHERS:
                continue
            if "temporary" in clause.marks:
                broken = Rule.TEMPORARY
            elif "local" in clause.marks:
                broken = Rule.LOCAL_WITHOUT_PATH
            elif {"artefact", "state"} <= clause.marks and clause.is_fact:
                broken = Rule.CODE_FACT
            elif not anchors(words) & case.anchors:
                broken = Rule.ANCHOR_NOT_SHARED
            elif case.meaning.recall_mode == "always" and not _lasts(clause):
                broken = Rule.ALWAYS_NOT_CONTINUOUS
            else:
                fault = fault_of(case.meaning, _proposed(heard))
                return None if fault is None else Rule(fault)
    return broken


def _proposed(heard: Sequence[Cited]) -> Evidence:
    pairs = [
        (words, clause.text)
        for one in heard
        for clause, words in zip(one.clauses, one.words, strict=True)
        if not clause.marks & _SAID_BY_OTHERS
    ]
    return Evidence(tuple(one for one, _ in pairs), tuple(one for _, one in pairs))


def _inferred(case: _Case) -> Rule | None:
    broken = repetition_fault(case.meaning, case.user, case.window)
    if broken is not None:
        return broken
    fault = fault_of(case.meaning, evidence_of(case.user))
    return None if fault is None else Rule(fault)


def _whole(meaning: Meaning) -> str:
    return f"{meaning.subject}\n{meaning.statement}\n{meaning.content}"


_CONCLUDED = 2
"""Anchors of the assistant alone that make a discussion its conclusion."""

_SAID_BY_OTHERS = frozenset({"report", "denied", "example"})
_ORIGINS: dict[str, Callable[[_Case], Rule | None]] = {
    "discussion": _discussion,
    "explicit": _explicit,
    "adopted_proposal": _adopted,
    "inferred_repetition": _inferred,
}
