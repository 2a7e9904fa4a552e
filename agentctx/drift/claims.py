"""What a record claims, in words that can be looked for in other words (A7.1)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from agentctx.drift.wording import (
    LITTLE,
    Word,
    evidence_of,
    first_sentence,
    weight_of,
    words_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentctx.drift.wording import Evidence

ASIDE = 0.3
"""What a word counts that a claim only sets itself off from: `pnpm, not npm`."""

FEWEST = 2.6
"""A title that weighs less and has no verb that we know is only a subject."""

LONGEST_SENTENCE, MOST_WORDS = 240, 16
"""What of the body's first sentence is read: its beginning says what it is about."""

CLEAR = 5.0
"""A title that weighs so much says something, whatever its words."""


class Claims(NamedTuple):
    """The wordings by which a record can be recognized, each enough alone.

    `core` is the first of them, in words `text`: what is compared with another version.
    `fresh` are the
    words of it that the version before did not say.
    """

    wordings: tuple[tuple[Word, ...], ...]
    core: tuple[Word, ...]
    text: str
    fresh: tuple[Word, ...] = ()

    @property
    def evidence(self) -> Evidence:
        """What the core affirms and denies."""
        return evidence_of(self.text)

    def unlike(self, other: Claims) -> tuple[Word, ...]:
        """Give the words that the other does not say, or denies."""
        known = other.evidence
        return tuple(
            word
            for word in self.core
            if word.found_in(known.side(denied=word.denied)) < _THERE
        )

    def after(self, earlier: Claims) -> Claims:
        """Give these claims as they differ from an earlier version's."""
        return self._replace(fresh=self.unlike(earlier))


_THERE = 0.6


def claims_of(title: str, body: str, *, kept_title: bool = False) -> Claims:
    """Read a record; `kept_title` says that another version has the same title.

    Such a title is a subject: what is claimed of it stands in the body.
    """
    sentence = first_sentence(body)[:LONGEST_SENTENCE]
    named = _weighed(words_of(title))
    said = _weighed(words_of(sentence)[:MOST_WORDS])
    both = tuple(dict.fromkeys((*named, *said)))
    wordings: tuple[tuple[Word, ...], ...]
    if not kept_title and _says_enough(title, sentence):
        wordings = (named, both)
        text = title
    else:
        wordings = (both, said) if weight_of(said) >= FEWEST else (both,)
        text = f"{title}\n{sentence}"
    known = tuple(dict.fromkeys(one for one in wordings if one))
    return Claims(known, known[0] if known else (), text)


def _says_enough(title: str, sentence: str) -> bool:
    """Say whether a title claims something, and is not only what the body is about."""
    if not sentence or is_statement(title):
        return True
    return not is_statement(sentence) and weight_of(words_of(title)) >= _SUBJECT


_SUBJECT = 2


def is_statement(title: str) -> bool:
    """Say whether a title says something, and not only what it is about."""
    words = words_of(title)
    weight = weight_of(words)
    if any(word.denied for word in words):
        return True
    if weight >= 1 and _VERBS.search(title) is not None:
        return True
    if _SUBJECTS.search(title) is not None:
        return False
    how = _MANNER.search(title) is not None or any(word.number for word in words)
    return weight >= CLEAR or (weight >= 1 and how)


def statement_of(title: str, body: str, *, longest: int = 300) -> str:
    """Give what a record says, as one line: its title, and its body where needed."""
    sentence = first_sentence(body)
    if _says_enough(title, sentence):
        return title
    if len(sentence) > longest:
        sentence = f"{sentence[:longest].rstrip()}…"
    if sentence.casefold().startswith(title.casefold()):
        return sentence
    return f"{title.rstrip(':： ')}: {sentence}"


def _weighed(words: Sequence[Word]) -> tuple[Word, ...]:
    """Let what is only set aside count little, where something is affirmed too."""
    affirmed = any(not word.denied and word.weight > LITTLE for word in words)
    denied = any(word.denied for word in words)
    if not (affirmed and denied):
        return tuple(words)
    return tuple(
        word._replace(weight=word.weight * ASIDE) if word.denied else word
        for word in words
    )


_VERBS = re.compile(
    r"\b(?:is|are|be|was|uses?|using|must|should|always|never|not?|avoid|prefer|keeps?"
    r"|runs?|write|stored|stores|has|have|goes|live|lives|needs?|requires?|comes?|returns?"
    r"|используе\w+|пиш\w+|хран\w+|должн\w+|нельзя|verwenden|nicht|immer|wird|werden"
    r"|utiliser|usar|debe|doit)\b"
    "|使用|采用|用|必须|应|不|禁止|存|を|は|に|で|다$|기$|한다|지 않",
    re.IGNORECASE,
)
_SUBJECTS = re.compile(
    r"\b(?:managers?|commands?|process|polic(?:y|ies)|formats?|styles?|strategy|tools?"
    r"|conventions?|librar(?:y|ies)|frameworks?|languages?|versions?|databases?|runners?"
    r"|systems?|locations?|names?|naming|rules?|approach|choices?|providers?|targets?"
    r"|setup|handling|layout|structure|workflow|backend|messages?|limits?|length|width"
    r"|indentation|storage)\s*$",
    re.IGNORECASE,
)
_MANNER = re.compile(
    r"\b(?:with|via|through|by|from|into|at|on|to|in|under|per|before|after|until|mit|auf"
    r"|через|на|в|с|по|avec|con)\s|^(?:retry|build|install|format|lint|deploy|publish"
    r"|release|validate|return|raise|handle|check|wrap|split|merge|squash|rebase|sort"
    r"|pass|set|add|remove|create|import|export|call|load|parse|push|open|ask|review"
    r"|document|disable|enable|limit|cap|generate|render|sign|encrypt|store|log|cache|pin"
    r"|test|name|commit|indent|put|place|order|group|mark|quote|escape|fail|start)\s+\S+\s+\S",
    re.IGNORECASE,
)
