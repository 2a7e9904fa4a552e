"""The words of a text, each with what it weighs and whether the text denies it (A7.1).

Terms are those of `corpus.lexical`, so every script is read: a run of a script without
spaces is compared by the characters that its pairs cover. Numbers are written alike,
in digits or in words.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from agentctx.drift.polarity import Part, parts_of
from corpus.commonwords import COMMON_PHRASES, COMMON_WORDS
from corpus.lexical import terms, tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from collections.abc import Set as AbstractSet

    Rarity = Callable[[str], float]

LITTLE = 0.25
"""What a word weighs that is in sentences about anything: `use`, `always`, `must`."""

DISTINCT = 1.4
"""What a number or a name weighs."""

LONGEST = 20_000
"""Characters of one statement that are read."""


LONGEST_WORD = 200
"""Characters of a run without spaces that are compared."""


class Word(NamedTuple):
    """One word: its terms, the whole before its parts; `run` has pairs instead.

    `hard` says that it is a number, or a name that no other word can stand for.
    """

    text: str
    terms: tuple[str, ...]
    weight: float
    denied: bool
    run: bool
    number: bool
    hard: bool

    def found_in(self, known: Collection[str]) -> float:
        """Say how much of the word is there, from 0 to 1."""
        if self.run:
            return _covered(self.text, known)
        if self.terms[0] in known:
            return 1.0
        parts = self.terms[1:]
        if not parts or self.number:
            return 0.0
        return sum(part in known for part in parts) / len(parts)


class Evidence(NamedTuple):
    """The terms that a text affirms and those that it denies."""

    affirmed: frozenset[str]
    denied: frozenset[str]

    def side(self, *, denied: bool) -> frozenset[str]:
        """Give the terms on one side."""
        return self.denied if denied else self.affirmed

    @property
    def whole(self) -> frozenset[str]:
        """Every term, on whichever side."""
        return self.affirmed | self.denied


class Match(NamedTuple):
    """How much of some words a text says, and how much it says the other way."""

    same: float
    opposite: float


def words_of(text: str) -> list[Word]:
    """Read the words of a text that mean something."""
    return [
        word for part in parts_of(_digits(text[:LONGEST])) for word in _words_in(part)
    ]


def evidence_of(text: str, *, flipped: bool = False) -> Evidence:
    """Read which terms a text affirms and denies; `flipped` where it is all denied."""
    sides: tuple[set[str], set[str]] = (set(), set())
    for part in parts_of(_digits(text[:LONGEST])):
        sides[part.denied or flipped].update(_terms_in(part.text))
    return Evidence(frozenset(sides[0]), frozenset(sides[1]))


class Weighed(NamedTuple):
    """Words, with what each counts where they are looked for."""

    words: tuple[Word, ...]
    weights: tuple[float, ...]
    total: float

    def at_most(self, known: AbstractSet[str]) -> float:
        """Give a bound of the share of the words that a text has."""
        found = sum(
            weight
            for word, weight in zip(self.words, self.weights, strict=True)
            if not known.isdisjoint(word.terms)
        )
        return found / self.total if self.total else 0.0


def weighed(words: Iterable[Word], rarity: Rarity) -> Weighed:
    """Let each word count by its weight and its rarity."""
    kept = tuple(words)
    weights = tuple(word.weight * _rarity_of(word, rarity) for word in kept)
    return Weighed(kept, weights, sum(weights))


def matched(wanted: Weighed, evidence: Evidence) -> Match:
    """Compare words with a text."""
    same = opposite = 0.0
    if not wanted.total:
        return Match(0.0, 0.0)
    for word, weight in zip(wanted.words, wanted.weights, strict=True):
        side, other = evidence.affirmed, evidence.denied
        if word.denied:
            side, other = other, side
        here = word.found_in(side)
        same += weight * here
        if here < 1 and other:
            opposite += weight * max(0.0, word.found_in(other) - here)
    return Match(same / wanted.total, opposite / wanted.total)


def _rarity_of(word: Word, rarity: Rarity) -> float:
    if word.run:
        return min(map(rarity, word.terms), default=1.0)
    return rarity(word.terms[0])


def weight_of(words: Iterable[Word]) -> float:
    """Give what some words weigh in all, rarity aside."""
    return sum(word.weight for word in words)


def first_sentence(text: str) -> str:
    """Give the first sentence of a text, without the marks of Markdown before it."""
    for line in text.split("\n"):
        bare = _MARKER.sub("", line).strip()
        if bare:
            found = _SENTENCE.match(bare)
            return bare if found is None else found[0].strip()
    return ""


def sentences(text: str) -> list[str]:
    """Divide a line into its sentences."""
    return [one.strip() for one in _ENDS.split(text) if one.strip()]


def _words_in(part: Part) -> list[Word]:
    return [
        _word(
            token.text,
            token.terms,
            token.text.istitle() and _stands_inside(part.text, token.start),
            part.denied,
        )
        for token in tokens(part.text)
        if token.terms
    ]


@lru_cache(maxsize=16_384)
def _word(text: str, found: tuple[str, ...], named: bool, denied: bool) -> Word:  # noqa: FBT001 - kept by place
    value = _NUMBERS.get(text.casefold())
    run = _is_run(text) and value is None
    known = found if value is None else (value,)
    number = known[0][0].isdecimal()
    name = not run and (named or len(known) > 1 or _is_acronym(text))
    weight = 1.0
    if run:
        weight = _run_weight(text)
    elif _is_common(text) and (named or not (number or name)):
        weight = LITTLE
    elif number or name:
        weight = DISTINCT
    return Word(
        text=text[:LONGEST_WORD],
        terms=known,
        weight=weight,
        denied=denied,
        run=run,
        number=number,
        hard=number or name,
    )


def number_terms(text: str) -> list[str]:
    """Give the numbers that a text writes as words, in digits."""
    folded = text.casefold()
    if text.isascii() and _NUMBERS.keys().isdisjoint(folded.translate(_MARKS).split()):
        return []
    found = _NUMBER_WORD.findall(folded)
    return [_NUMBERS[word] for word in found if word in _NUMBERS]


def _terms_in(text: str) -> list[str]:
    return terms(text) + number_terms(text)


def _covered(run: str, known: Collection[str]) -> float:
    """Give the share of a run that pairs of characters found in a text cover."""
    if len(run) == 1:
        return float(run in known)
    total = covered = 0.0
    for place, letter in enumerate(run):
        before, after = run[place - 1 : place + 1], run[place : place + 2]
        pairs = [pair for pair in (before, after) if len(pair) == 2]  # noqa: PLR2004
        weight = LITTLE if any(pair in _common_pairs() for pair in pairs) else 1.0
        weight *= 0.5 if "\u3040" <= letter <= "\u309f" else 1.0  # endings, particles
        total += weight
        covered += weight * any(pair in known for pair in pairs)
    return covered / total if total else 0.0


def _run_weight(run: str) -> float:
    if len(run) == 1:
        return LITTLE
    little = sum(
        run[place : place + 2] in _common_pairs()
        or run[max(0, place - 1) : place + 1] in _common_pairs()
        or "\u3040" <= run[place] <= "\u309f"
        for place in range(len(run))
    )
    return max(LITTLE, (len(run) - (1 - LITTLE) * little) / 2)


@cache
def _common_pairs() -> frozenset[str]:
    return frozenset(
        term
        for term in terms(f"{COMMON_PHRASES} {_FRAME_RUNS}")
        if len(term) == 2  # noqa: PLR2004
    )


def _is_run(text: str) -> bool:
    return not text.isascii() and _RUN.match(text) is not None


def _stands_inside(text: str, place: int) -> bool:
    """Say whether a capital letter is not the sentence's: it makes a name."""
    before = text[:place].rstrip(" `*_\"'(").rpartition(" ")[2]
    opening = before.istitle() and before.casefold() in _FRAME
    return before[:1].islower() or opening


def _is_acronym(text: str) -> bool:
    return len(text) > 1 and text.isupper() and text.casefold() not in _FRAME


def _is_common(text: str) -> bool:
    word = text.casefold()
    return word in _FRAME or (word in COMMON_WORDS and word not in _MEANT)


def _digits(text: str) -> str:
    """Write Han numerals before a counter as digits."""
    if text.isascii():
        return text
    return _HAN_NUMBER.sub(lambda found: f" {_han_value(found[0])} ", text)


def _han_value(text: str) -> int:
    tens, ten, ones = text.rpartition("十")
    value = _HAN_DIGITS.get(ones, 0)
    return value + (10 * _HAN_DIGITS.get(tens, 1) if ten else 0)


_HAN_DIGITS = {one: value for value, one in enumerate("零一二三四五六七八九")}
_HAN_DIGITS |= {"两": 2, "兩": 2, "〇": 0}
_HAN_NUMBER = re.compile(
    "[一二三四五六七八九十两兩]{1,3}(?=[个個次条條行分秒天小时時日周週月回度倍种種人台位级級つ])"
)
_NUMBERS = {
    word: str(value)
    for table in (
        "zero one two three four five six seven eight nine ten eleven twelve",
        "ноль один два три четыре пять шесть семь восемь девять десять",
        "_ одну две трёх четырёх пяти шести семи восьми девяти десяти",
        "_ одна двух трех четырех",
        "null eins zwei drei vier fünf sechs sieben acht neun zehn",
        "_ un deux trois quatre cinq six sept huit neuf dix",
        "_ _ dos tres cuatro cinco seis siete ocho nueve diez",
        "_ 한 두 세 네 다섯 여섯 일곱 여덟 아홉 열",
    )
    for value, word in enumerate(table.split())
    if word != "_"
}
_NUMBERS |= {"once": "1", "twice": "2", "thrice": "3"}
_MARKS = str.maketrans(dict.fromkeys(".,;:!?()[]\"'`*_-/<>=|#", " "))
_NUMBER_WORD = re.compile(r"[^\W\d_]+")
_RUN = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\uff66-\uff9f]"
)
_MARKER = re.compile(r"^\s*(?:[-*+]|[0-9]{1,9}[.)]|#{1,6}|>)\s+")
_SENTENCE = re.compile(r".+?(?:[.!?](?=\s|$)|[。！？])")
_ENDS = re.compile(r"(?<=[.!?])\s+(?=[^\sa-z])|(?<=[。！？])")


def _listed(table: str) -> frozenset[str]:
    return frozenset(table.split())


_FRAME = _listed("""
    use uses used using prefer prefers preferred always should must shall have all every
    only run runs running write writes written keep keeps make makes made new code file
    files project please need needs require requires required want via with when where
    any each our we you it everything never ever also policy rule standard default
    generally currently now well usually set sets follow follows following through
    go goes get gets done do per one day instead rather avoid avoids forbidden allowed
    banned deprecated longer no not used-to

    использовать используем используйте используется используются нужно надо должны
    должен должна всегда только все весь всё каждый пишем писать пиши делать делаем
    проект проекта нужны нельзя запрещено

    benutzen verwenden nutzen immer alle muss müssen soll sollen nur projekt wird werden
    utiliser utilisez toujours tous doit doivent projet
    usar usamos utiliza siempre todos debe deben proyecto
    사용한다 사용 사용합니다 한다 합니다 쓴다 항상 모든 반드시 해야 프로젝트
""")
_FRAME_RUNS = """
    使用 采用 必须 必須 应该 應該 应 一律 统一 總是 总是 所有 全部 都 都要 需要 项目
    項目 代码 一定 请用 只 只能 用于 进行 可以 我们 不要 禁止 避免 不再 不用 不使用
    使う 使います 使用する 利用する 用いる 行う 行います 必ず すべて 全て すること
    してください する します です ます ている されている コード プロジェクト こと
    場合 使わない しない 사용한다 사용합니다 사용 한다 합니다 해야 반드시 항상 모든
    쓴다 하지 않는다 않습니다
"""
_MEANT = _listed("""
    back double fast first last left right long short small big high low start stop
    commit branch release same open close read week month year night morning line test
    tests docs doc error errors build push pull merge review names name
""")
"""Words of small talk that have a meaning of their own in a project's rules."""
