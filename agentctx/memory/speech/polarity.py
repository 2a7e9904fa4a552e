"""Which anchors of a text are affirmed and which denied, to refuse contradictions.

It is a rule of thumb: what is denied in the one text and only affirmed in the other is
not the same statement (M11.3).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from agentctx.memory.speech.anchors import anchors
from agentctx.memory.speech.markers import normal, without
from agentctx.memory.speech.replaced import without_replaced
from corpus.lexical import has_negation

_BREAK = re.compile(
    r"[.;:!?…](?=\s|$)|[,](?=\s|[^\x00-\x7f])|[、。；！？()\[\]（）\n]|\s-+\s"
    r"|(?<=\s)(?=(?:but|instead(?! of)|and not|or not|but not|rather than|instead of"
    r"|а не|но|вместо|sondern|aber|statt|anstatt|mais|au lieu d|plutôt qu|et non|et pas"
    r"|sino|pero|en lugar d|en vez d|y no)\b)"
    r"|(?<!\bis)(?<!\bare)(?<!\bdo)(?<!\bdoes)(?<!\bdid)(?<!\bmust)(?<!\bshould)(?<!\bcan)"
    r"(?<!\bwill)(?<!\bshall)(?<!\bwould)(?<!\bmay)(?<!\bbe)(?<=\w)(?=\snot\s)"
    r"|(?=而不是|而非|不要|不再|不用|不能|不得|别用|改用|改为|改成|换成|而是)"
)
_AFTER = re.compile(
    r"ではなく|じゃなく|でなく|の代わりに|に代わり|をやめて?|は使わず|を使わず|대신에?|이?가?\s?아니라|말고"
)
_DENIES = re.compile(
    r"(?<!\w)(?:avoid\w*|forbid\w*|forbidden|banned|bans?|prohibit\w*|disallow\w*"
    r"|stop|drop|dropping|dropped|abandon\w*|dislikes?|hates?|instead of|rather than"
    r"|no longer|refrain"
    r"|избега\w+|запрещ\w+|запрет\w*|вместо|отказ\w+|ненавиж\w+|vermeid\w+|verboten"
    r"|verzicht\w*|statt|anstatt|hasse|évit\w+|interdit\w*|au lieu d\w*|plutôt que"
    r"|abandonn\w+|déteste|evit\w+|prohib\w+|en lugar de|en vez de|odio)(?!\w)"
    r"|禁止|严禁|避免|放弃|弃用|废弃|讨厌|停用|避け|廃止|やめ|嫌い|금지|피하"
    r"|피한|싫어|지\s?마"
)
_NOT_DENIAL = re.compile(
    r"\bnot only\b|\b(?:do not|don't|never) forget(?: to)?\b|\bwithout exceptions?\b"
    r"|\bno (?:matter|exceptions?|later|more than|less than|fewer than)\b"
    r"|\bне (?:забы\w+|только|более|менее)\b|\bбез исключений\b|\bнисколько\b"
    r"|\bnicht (?:nur|vergessen)\b|\bne pas oublier\b|\bno olvid\w+|\bsin excepción\b"
    r"|(?:不要|别|勿)忘|([要该能会用])不\1|是不是|不仅|不只|不超过|不得超过|不少于|不同|忘れ(?:ず|ない)|なければ|ないと|않으면|잊지"
)
_INSTEAD = re.compile(
    r"^(?P<old>(?:instead of|rather than|вместо|statt|anstatt|au lieu de|en lugar de"
    r"|en vez de)\s\S+(?:\s\S+){0,3}?)\s(?P<new>(?:use|we|using|используем|используй\w*"
    r"|wir|verwende\w*|nutze\w*|on|nous|utilis\w+|usa\w*|usemos|vamos)\b.*)$"
)
LONGEST = 4_000


class Polarity(NamedTuple):
    """The anchors that a text affirms and those that it denies; some may be both."""

    affirmed: frozenset[str]
    denied: frozenset[str]


@lru_cache(maxsize=256)
def polarity(text: str) -> Polarity:
    """Sort the anchors of a text by whether they are denied there."""
    affirmed: set[str] = set()
    denied: set[str] = set()
    kept: list[str] = []
    for line in map(_without_asides, text[:LONGEST].split("\n")):
        left, gone = without_replaced(line)
        kept.append(left)
        denied.update(*map(anchors, gone))
    said = "\n".join(kept)
    for piece in filter(None, map(str.strip, _BREAK.split(said))):
        for part, is_denied in _judged(piece):
            (denied if is_denied else affirmed).update(anchors(part))
    return Polarity(frozenset(affirmed), frozenset(denied))


def contradict(one: Polarity, other: Polarity) -> frozenset[str]:
    """Give the anchors that one text only denies and the other only affirms."""
    return frozenset(
        (one.denied - one.affirmed) & (other.affirmed - other.denied)
        | (other.denied - other.affirmed) & (one.affirmed - one.denied)
    )


def _judged(piece: str) -> list[tuple[str, bool]]:
    moved = _INSTEAD.match(piece)
    if moved is not None:
        return [(moved["old"], True), (moved["new"], _denies(moved["new"]))]
    runs = _AFTER.split(piece)
    return [*((run, True) for run in runs[:-1]), (runs[-1], _denies(runs[-1]))]


def _without_asides(line: str) -> str:
    """Leave out what has the form of a denial and denies nothing."""
    return _NOT_DENIAL.sub(" ", without("undecided", normal(line)))


def _denies(part: str) -> bool:
    return has_negation(part) or _DENIES.search(part) is not None
