"""The terms of an item and of a request: one reading for the index and the query.

Each field gives its whole normalised form first, then its terms, the pairs of scripts
that are written without spaces last. Function words give nothing; what people say
whatever the subject is counts little, and never alone (M6.2, M6.3, M11.1, M11.2).
"""

from __future__ import annotations

import functools

from corpus.commonwords import COMMON_PHRASES, COMMON_WORDS
from corpus.lexical import query_terms, terms
from corpus.patterns import pattern
from corpus.scripts import (
    HAN,
    HANGUL,
    KANA,
    UNSPACED,
    comparable,
    fold_case,
    fold_marks,
    outline,
)
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from agentctx.memory.model import Meaning, RecallQuery, TermType

LONGEST = 160
"""Characters of a term; a longer form is no name for anything."""

MOST_ASKED = 32
"""Terms of a query, whatever it was made of (M6.4)."""

MOST_OF: dict[TermType, int] = {
    "subject": 32,
    "alias": 64,
    "keyword": 64,
    "content": 256,
    "path": 64,
}

PIECE = 160
"""Characters of one piece of a text at most; a longer one is cut."""

READ = 4_000
"""Characters read at each end of a text that asks; the rest of it is pasted."""

COMMON_PERCENT = 20
"""What a common word counts, in percent of a word that names something."""

_WHOLE, _PAIR = 100, 2
_MOST_PIECES = 400
_MOST_FOUND = 512
_MOST_KEPT = 8_192
_RUNS = frozenset((HAN, KANA, HANGUL, UNSPACED))
_PIECE = pattern(rf"[^\s，。！？；：、（）「」『』“”《》…]{{1,{PIECE}}}")
_OUTER = "\"'`()[]{}<>.,;:!?*_~«»„“”‘’¿¡-—…，。！？；：、（）「」『』《》"
_NO_NAME = pattern("[\u3041-\u309f的吗嗎呢吧啊么麼我你您他她它们們]")
_NO_TEXT = pattern("[\ud800-\udfff]")
_SMALL_NUMBER = pattern(r"#?[0-9]{1,2}%?")


class Part(NamedTuple):
    """One term of a short text, `weight` in percent of a word that names something."""

    text: str
    weight: int
    common: bool


class Asked(NamedTuple):
    """One term of a query; `base` says that the request brings it, not the search.

    A `form` is a whole text and equals only a whole text.
    """

    text: str
    weight: int
    common: bool = False
    base: bool = False
    form: bool = False


@functools.lru_cache(maxsize=_MOST_KEPT)
def normal_form(text: str) -> str:
    """Write a whole text as it is compared: folded, one space, nothing around it."""
    if not text.isascii():
        text = fold_marks(fold_case(comparable(_NO_TEXT.sub(" ", text))))
    text = text.replace("\0", " ")
    return " ".join(text.lower().split()).strip(_OUTER + " ")


def item_terms(meaning: Meaning) -> Iterator[tuple[TermType, str]]:
    """Give every term of an item with the field it stands in, each pair once.

    What an item says is its subject, its statement and its content.
    """
    said = (meaning.subject, meaning.statement, meaning.content)
    fields: tuple[tuple[TermType, tuple[str, ...]], ...] = (
        ("subject", (meaning.subject,)),
        ("alias", meaning.aliases),
        ("keyword", meaning.keywords),
        ("content", said),
        ("path", meaning.applies_to_paths),
    )
    for kind, texts in fields:
        for term in _field_terms(texts, MOST_OF[kind]):
            yield kind, term


@functools.lru_cache(maxsize=1)
def map_terms(query: RecallQuery) -> tuple[Asked, ...]:
    """Give the terms of the automatic Map, what names an item of a review first.

    Whether a prompt is about anything is asked first, then what is about it.
    """
    return _asked([(text, False) for text in _base(query)])


def search_terms(text: str, query: RecallQuery) -> tuple[Asked, ...]:
    """Give the terms of a search: its own first, then those of the request (M6.4)."""
    return _asked([(text, False), *((said, True) for said in _base(query))])


@functools.lru_cache(maxsize=_MOST_KEPT)
def phrase(text: str) -> tuple[Part, ...]:
    """Give the distinct terms of a subject, an alias or a keyword, with weights."""
    return tuple(_parts(text, MOST_ASKED))


_met: set[str] = set()


def first_met(text: str) -> bool:
    """Say whether this process meets a name anew: it may end before it does again."""
    if text in _met:
        return False
    if len(_met) >= _MOST_KEPT:
        _met.clear()
    _met.add(text)
    return True


def words_in(asked: Iterable[Asked]) -> float:
    """Say how many words telling terms stand for, in the order they were asked.

    Pairs that overlap are one run: two Han or Hangul of it are about a word; a word of
    kana is twice as long. The parts of a name share one.
    """
    words, last = 0.0, ""
    for one in asked:
        if not is_paired(one.text):
            words += one.weight / 100
            continue
        size = 0.25 if KANA in outline(one.text) else 0.5
        words += size if last[-1:] == one.text[0] else 2 * size
        last = one.text
    return words


def is_paired(term: str) -> bool:
    """Say whether a term is cut from a script that is written without spaces."""
    return not term.isascii() and outline(term[0])[0] in _RUNS


def _base(query: RecallQuery) -> tuple[str, ...]:
    return (query.rule_id, query.item_message, query.bound_item_id, query.user_text)


def _field_terms(texts: Sequence[str], most: int) -> list[str]:
    forms = dict.fromkeys(normal_form(text) for text in texts)
    found = dict.fromkeys(form for form in forms if 0 < len(form) <= LONGEST)
    room = most - min(len(found), most // 2)
    rest = dict.fromkeys(
        term for text in texts for term in terms(text) if term not in found
    )
    return [*list(found)[: most // 2], *_capped(list(rest), room)]


def _asked(texts: Sequence[tuple[str, bool]]) -> tuple[Asked, ...]:
    found: dict[str, Asked] = {}
    common: dict[str, Asked] = {}
    for text, base in texts:
        ends = text if len(text) <= 2 * READ else f"{text[:READ]}\n{text[-READ:]}"
        form = normal_form(ends) if len(ends) <= 2 * LONGEST else ""
        if 0 < len(form) <= LONGEST:
            found.setdefault(form, Asked(form, _WHOLE, base=base, form=True))
        for part in _parts(ends, _MOST_FOUND):
            one = Asked(part.text, part.weight, part.common, base)
            known = found.get(part.text)
            if known is None:
                (common if part.common else found).setdefault(part.text, one)
            elif known.form:
                found[part.text] = one._replace(base=known.base)
    forms = [text for text, one in found.items() if one.form]
    plain = [text for text, one in found.items() if not one.form]
    kept = {*forms, *_capped(plain, MOST_ASKED - len(forms))}
    rest = [one for text, one in common.items() if text not in found]
    words = [one for text, one in found.items() if text in kept]
    words.sort(key=lambda one: not one.form and is_paired(one.text))
    return (*words, *rest[: MOST_ASKED - len(words)])


def _parts(text: str, cap: int) -> Iterator[Part]:
    """Give the terms of a text, those that name something before the common ones."""
    pieces = dict.fromkeys(_PIECE.findall(text))
    chosen = list(pieces)[:_MOST_PIECES]
    given = set()
    for wanted in (False, True):
        said = " ".join(one for one in chosen if _is_common(one) is wanted)
        for term in query_terms(said, cap=cap) if said else ():
            if term.text in given:
                continue
            given.add(term.text)
            common = wanted or _says_nothing(term.text)
            weight = term.weight * COMMON_PERCENT // 100 if common else term.weight
            yield Part(term.text, max(1, weight), common)


def _capped(found: Sequence[str], most: int) -> list[str]:
    """Bound terms in order, and put the paired ones last.

    A third of the room is kept for those and a third for the rest, where both occur.
    """
    paired = [term for term in found if is_paired(term)]
    words = [term for term in found if not is_paired(term)]
    if len(found) > most:
        third = most // 3
        room = sum(is_paired(term) for term in found[:most])
        room = max(room, min(len(paired), third))
        room = min(room, most - min(len(words), third))
        paired, words = paired[:room], words[: most - room]
    return [*words, *paired]


def _is_common(piece: str) -> bool:
    word = piece.strip(_OUTER).lower()
    if not word.isascii():
        word = fold_marks(word).replace("’", "'")
    return word in COMMON_WORDS


def _says_nothing(term: str) -> bool:
    """Say whether a term names nothing by itself.

    That is one letter, a small number, part of a common phrase, a pair with hiragana,
    a particle or a pronoun, for it is an ending or the edge of two words, and how a
    word is written with its marks, next to the word.
    """
    if term.isascii():
        return len(term) == 1 or bool(_SMALL_NUMBER.fullmatch(term))
    if len(term) <= _PAIR and (term in _common_pairs() or _NO_NAME.search(term)):
        return True
    return fold_marks(term) != term


@functools.cache
def _common_pairs() -> frozenset[str]:
    return frozenset(_every_term(COMMON_PHRASES.split()))


def _every_term(phrases: Iterable[str]) -> Iterator[str]:
    for one in phrases:
        yield from terms(one)
