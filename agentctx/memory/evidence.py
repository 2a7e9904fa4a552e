"""Whether quotes say what a statement says: its terms, numbers and polarity (M11.3).

A statement may leave out and may put in another order. It may not outgrow its quotes:
neither by a part of its own, nor by a number, a name, an address or a command, nor by
turning round what is affirmed there. Content may reword besides.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from agentctx.memory.speech.anchors import anchors
from agentctx.memory.speech.markers import normal, plain_words
from agentctx.memory.speech.polarity import contradict, polarity
from corpus.lexical import numbers, terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agentctx.memory.model import Meaning

NEEDED = 0.6
"""The share of a statement's anchors that its quotes hold."""

NEEDED_OF_PART = 0.5
"""The same of a subject, and of each part of a statement."""

NEEDED_OF_CONTENT = 0.3
"""The same of a content, which may use other words."""

_MANY = 3
"""A sentence of content with as many anchors shares one of them with the quotes."""

Fault = Literal[
    "subject_uncovered",
    "statement_uncovered",
    "content_uncovered",
    "number_uncovered",
    "name_uncovered",
    "address_uncovered",
    "command_uncovered",
    "polarity_contradicted",
]


class Evidence(NamedTuple):
    """What was said: the quotes, and the whole clauses that they stand in.

    Terms count where they were quoted; polarity is that of the clause, which a shorter
    quote would turn round.
    """

    quotes: tuple[str, ...]
    clauses: tuple[str, ...]

    @property
    def said(self) -> str:
        """The quotes as one text."""
        return "\n".join(self.quotes)


def fault_of(meaning: Meaning, evidence: Evidence) -> Fault | None:
    """Find the first thing that a meaning brings and its evidence lacks."""
    said = evidence.said
    held = anchors(said)
    whole = (meaning.subject, meaning.statement, meaning.content)
    text = "\n".join(whole)
    recalled = "\n".join((text, *meaning.aliases, *meaning.keywords))
    brought = _brought_exactly(recalled, said) or _brought(text, said)
    if brought is not None:
        return brought
    if _share(anchors(meaning.subject), held) < NEEDED_OF_PART:
        return "subject_uncovered"
    if _outgrows(meaning.statement, held):
        return "statement_uncovered"
    if _strays(meaning.content, held):
        return "content_uncovered"
    if _turns_round(meaning, evidence):
        return "polarity_contradicted"
    return None


def _turns_round(meaning: Meaning, evidence: Evidence) -> bool:
    """Say whether one side affirms what the other denies; a subject only names."""
    real = polarity("\n".join(evidence.clauses))
    named = polarity(meaning.subject)._replace(affirmed=frozenset())
    said = (named, polarity(meaning.statement), polarity(meaning.content))
    return any(contradict(one, real) for one in said)


def _brought_exactly(text: str, said: str) -> Fault | None:
    """Find an address or a command that nobody said; words to recall by bring none."""
    if not _addresses(text) <= _addresses(said):
        return "address_uncovered"
    heard = normal(said)
    words = set(heard.split())
    for command in _commands(text) - _commands(said):
        if command not in (heard if " " in command else words):
            return "command_uncovered"
    return None


def _brought(text: str, said: str) -> Fault | None:
    """Find a number or a name that nobody said."""
    if not numbers(text) <= numbers(said):
        return "number_uncovered"
    known = {*terms(said), *_NAME.findall(normal(said))}
    if any(not _is_known(name, known) for name in _names(text)):
        return "name_uncovered"
    return None


def _share(wanted: frozenset[str], held: frozenset[str]) -> float:
    return len(wanted & held) / len(wanted) if wanted else 1.0


def _outgrows(statement: str, held: frozenset[str]) -> bool:
    wanted = anchors(statement)
    if not wanted or _share(wanted, held) < NEEDED:
        return True
    parts = (anchors(part) for part in _PART.split(statement))
    return any(_share(part, held) < NEEDED_OF_PART for part in parts)


def _strays(content: str, held: frozenset[str]) -> bool:
    if _share(anchors(content), held) < NEEDED_OF_CONTENT:
        return True
    sentences = (anchors(one) for one in _SENTENCE.split(content))
    return any(len(one) >= _MANY and not one & held for one in sentences)


def _addresses(text: str) -> set[str]:
    found = (one.rstrip(".,;:!?)]}>\"'") for one in _ADDRESS.findall(text))
    return {one.lower().removesuffix("/") for one in found}


def _commands(text: str) -> set[str]:
    spans = (normal(one) for one in _CODE.findall(text))
    flags = (normal(one) for one in _FLAG.findall(text))
    return {*filter(None, spans), *flags}


def _names(text: str) -> Iterator[str]:
    """Give what is written as names are, and words of another script than the text's.

    A capital at the start of a sentence names nothing by itself, nor any in German,
    where every noun has one.
    """
    german = _GERMAN.search(text) is not None
    foreign = _OTHER_SCRIPT.search(text) is not None
    for line in text.splitlines():
        for found in _NAME.finditer(line):
            word = found[0].strip("_.-/'")
            if not word or word.lower() in plain_words():
                continue
            starts = _STARTS.search(line[: found.start()]) is not None
            titled = word.istitle() and word.isalpha()
            if word.islower() and word.isalpha():
                if foreign and word.isascii() and not _LATIN_RUN.search(line):
                    yield word
            elif not (titled and (starts or german)):
                yield word
    yield from _KATAKANA.findall(text)


def _is_known(name: str, known: Iterable[str]) -> bool:
    return name.lower() in known or any(term in known for term in terms(name)[:1])


_PART = re.compile(
    r"[.;:!?](?=\s|$)|,(?=\s)|[，、。；：！？\n]|\s(?:and|und|et|и|y)\s|并且|以及|そして|그리고"
)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])|\n+")
_ADDRESS = re.compile(
    r"(?:[a-z][a-z0-9+.-]{1,20}://|www\.)[^\s<>\"'`）」]+|\S+@\S+", re.IGNORECASE
)
_CODE = re.compile(r"`([^`\n]{1,400})`")
_FLAG = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*|[|&;]{1,2}\s*\w+|\$\(")
_LETTER = r"(?![\u0e00-\uffff])\w"
_NAME = re.compile(rf"(?!\d){_LETTER}(?:{_LETTER}|[-./'](?={_LETTER}))*")
"""A word of a script whose words have room between them."""

_STARTS = re.compile(r"(?:^|[.!?:;。！？：；]\s*)[\s\"'`(*>-]*$")
_KATAKANA = re.compile("[ァ-ヺー]{3,}")
_OTHER_SCRIPT = re.compile("[\u0400-\u04ff\u2e80-\u9fff\u3041-\u30ff\uac00-\ud7a3]")
_LATIN_RUN = re.compile(r"[A-Za-z]+ [A-Za-z]+ [A-Za-z]+ [A-Za-z]+")
_GERMAN = re.compile(
    r"\b(?:der|die|das|und|nicht|wir|wird|werden|mit|immer|keine?|für|ist)\b",
    re.IGNORECASE,
)
