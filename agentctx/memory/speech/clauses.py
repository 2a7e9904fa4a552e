"""A message as clauses, each with its place and the marks it carries (M11.4).

A clause ends where a sentence ends in any script, at the end of a line, and where a
word turns the speech round: `but`, or a comma and `from now on`.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from agentctx.memory.speech.anchors import anchors
from agentctx.memory.speech.markers import RUNS, SPACED, has, normal, without
from agentctx.memory.speech.material import own_words
from agentctx.memory.speech.unmeant import (
    follows_from_imagined,
    is_imagined,
    retractions,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_CLAUSE = 1_000
"""A longer run without any end says nothing that could be kept."""

LONGEST_TEXT = 100_000
"""What stands further back in a message is not looked at."""

MARKS = (
    "preference",
    "durable",
    "decision",
    "proposal",
    "local",
    "temporary",
    "question",
    "undecided",
    "report",
    "denied",
    "example",
    "fact",
    "artefact",
    "state",
    "duty",
    "order",
    "request",
    "opening",
)
_CARRIED = frozenset(
    {"preference", "durable", "decision", "temporary", "local", "report", "example"}
    | {"undecided", "denied"}
)
_END = re.compile(
    r"\n+|[。！？；]+|(?<!e\.g)(?<!i\.e)(?<!z\.B)(?<!^\d)(?<!\n\d)[.!?;…]+[\"')\]]*(?=\s|$)"
)
_STOPS = frozenset({"", "\n", *".!?;…。！？；\"')]"})
_LISTED = re.compile(r"\s*(?:[-*•+]|\d+[.)])\s+")


_JOINT = "(?:and|then|und|et|y|и|а)"
_JOINT_RUN = "(?:而|并且|그리고)"


class Clause(NamedTuple):
    """Some words of a text, where they stand in it, and the marks they carry."""

    start: int
    end: int
    text: str
    marks: frozenset[str]

    @property
    def is_own(self) -> bool:
        """Whether its writer says it in earnest, and neither asks nor doubts it."""
        return not self.marks & _NOT_MEANT and not self.is_fact

    @property
    def is_fact(self) -> bool:
        """Whether it only tells how code is or behaves."""
        if "decision" in self.marks:
            return False
        if "fact" in self.marks:
            return True
        tells = {"artefact", "state"} <= self.marks
        return tells and not self.marks & _NO_STATE and not self.marks >= _RULE


_NO_STATE = frozenset({"duty", "preference", "question", "opening"})
_RULE = frozenset({"order", "durable"})
_REQUEST = frozenset({"request", "durable"})
_NOT_MEANT = frozenset({"question", "undecided", "report", "denied", "example"})


@lru_cache(maxsize=256)
def clauses_of(text: str) -> tuple[Clause, ...]:
    """Divide what a message says in its writer's own words."""
    own = own_words(text[:LONGEST_TEXT])
    found: list[Clause] = []
    carried: frozenset[str] = frozenset()
    for start, end, stop in _divided(own):
        said = normal(own[start:end])
        if not said:
            continue
        listed = _LISTED.match(own, own.rfind("\n", 0, start) + 1) is not None
        marks = _marks(said, stop)
        marks |= carried if listed else frozenset()
        if said.endswith(":"):
            carried = marks & _CARRIED
        elif not listed:
            carried = frozenset()
        found.append(Clause(start, end, said, marks))
    return tuple(_meant(own, found))


def _meant(own: str, said: list[Clause]) -> list[Clause]:
    """Mark what is only imagined, and what is taken back after it was said."""
    meant: list[Clause] = []
    imagined = False
    for clause in said:
        same = bool(meant) and _is_same_sentence(own, meant[-1].end)
        goes_on = (
            same and not _begins_with_a_turn(clause.text)
        ) or follows_from_imagined(clause.text)
        imagined = is_imagined(clause.text) or (imagined and goes_on)
        added = clause.marks | ({"example"} if imagined else frozenset())
        meant.append(clause._replace(marks=added))
        if retractions(clause.text):
            _take_back(own, meant)
    return meant


def _is_same_sentence(own: str, end: int) -> bool:
    """Say whether a clause that ends there was cut from the one after it."""
    return own[:end].rstrip(" \t")[-1:] not in _STOPS


def _begins_with_a_turn(said: str) -> bool:
    return _turns().match(f" {said}", 1) is not None and not has("opening", said)


def _take_back(own: str, meant: list[Clause]) -> None:
    """Deny the last clause, its sentence, and what it answers by itself."""
    first = retractions(meant[-1].text)[0][0]
    answers = not anchors(meant[-1].text[:first])
    at = len(meant) - 1
    meant[at] = _denied(meant[at])
    while at and _is_same_sentence(own, meant[at - 1].end):
        at -= 1
        meant[at] = _denied(meant[at])
        answers = False
    while answers and at:
        at -= 1
        meant[at] = _denied(meant[at])
        answers = not anchors(meant[at].text)


def _denied(clause: Clause) -> Clause:
    return clause._replace(marks=clause.marks | {"denied"})


def _marks(said: str, stop: str) -> frozenset[str]:
    if len(said) > LONGEST_CLAUSE:
        return frozenset({"example", "local", "temporary"})
    bare = said.strip(" \t.!?。…\"')(*_-,、")
    marks = {mark for mark in MARKS if has(mark, bare)}
    if "?" in stop or "？" in stop or said.endswith("?"):
        marks.add("question")
    if marks >= _REQUEST:
        marks.discard("question")
        marks.add("order")
    return frozenset(marks)


def _divided(text: str) -> Iterator[tuple[int, int, str]]:
    """Give the places of clauses and what each ended with."""
    at = 0
    for found in _END.finditer(text):
        yield from _turned(text, at, found.end(), found[0])
        at = found.end()
    yield from _turned(text, at, len(text), "")


def _turned(
    text: str, start: int, end: int, stop: str
) -> Iterator[tuple[int, int, str]]:
    """Divide one sentence where a word turns it round."""
    at = start
    if end - start <= LONGEST_CLAUSE:
        for cut in _cuts(text, start, end):
            yield at, cut, ""
            at = cut
    yield at, end, stop


def _cuts(text: str, start: int, end: int) -> list[int]:
    """Give the places where a sentence is turned round or taken back."""
    cuts = {start + back for _, back in retractions(text[start:end])}
    cuts = {cut for cut in cuts if any(map(str.isalnum, text[cut:end]))}
    at = start
    for found in _turns().finditer(text, start, end):
        if found.start() > at and _turns_round(text[at:end], found, at):
            at = found.start()
            cuts.add(at)
    return sorted(cuts)


def _turns_round(text: str, found: re.Match[str], at: int) -> bool:
    """Say whether something is said before a turn and, where it opens, after it.

    `In this file, from now on` is one clause: its limit holds for what follows. So is
    `Use pnpm, from now on`: there it holds for what stands before.
    """
    before, after = text[: found.start() - at], text[found.end() - at :]
    return _says(before) and (found["opening"] is None or _says(after))


def _says(words: str) -> bool:
    """Say whether words say something besides their markers."""
    said = normal(words)
    for mark in ("local", "temporary", "durable"):
        said = without(mark, said)
    return bool(anchors(said))


@cache
def _turns() -> re.Pattern[str]:
    words = _entries("turn", spaced=True)
    runs = _entries("turn", spaced=False)
    opening = _entries("opening", spaced=True)
    openings = _entries("opening", spaced=False)
    return re.compile(
        rf"(?<=[\s,])(?:{words})(?!\w)|(?<!不)(?:{runs})"
        rf"|(?P<opening>(?:(?<=[,，、])\s*(?:{_JOINT}\s+)?|(?<=\s){_JOINT}\s+)"
        rf"(?<!\w)(?:{opening})(?!\w)"
        rf"|(?<=[,，、\s])(?:{_JOINT_RUN}\s*)?(?:{openings}))",
        re.IGNORECASE,
    )


def _entries(field: str, *, spaced: bool) -> str:
    tables = SPACED if spaced else RUNS
    found = [one for table in tables for one in getattr(table, field).split()]
    return "|".join(sorted((one.replace("_", r"\s+") for one in found), key=len)[::-1])
