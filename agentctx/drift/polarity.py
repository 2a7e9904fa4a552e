"""Which parts of a sentence are affirmed and which denied, in the scripts we know.

Denied is what is forbidden, what something else takes the place of, and what was true
once. A part is a run of words between the places where that can change: punctuation,
and words such as `instead of`. Read from listed words, never from parts of words.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

LONGEST = 1_000
"""A longer run without any punctuation is one part and is affirmed."""


class Part(NamedTuple):
    """Some words of a text, and whether they are denied."""

    text: str
    denied: bool


def parts_of(text: str) -> list[Part]:
    """Divide a text into what it affirms and what it denies, in order."""
    found: list[Part] = []
    for piece in _pattern(_BREAKS).split(text):
        if not piece.strip():
            continue
        if len(piece) > LONGEST:
            found.append(Part(piece, denied=False))
        else:
            found.extend(_judged(piece))
    return found


def denies(text: str) -> bool:
    """Say whether a text denies something."""
    return any(part.denied for part in parts_of(text[:LONGEST]))


def is_about_the_past(heading: str) -> bool:
    """Say whether what stands below a heading is told as what was once."""
    return _pattern(_PAST_HEADING).search(heading) is not None


def forbids_alone(heading: str) -> bool:
    """Say whether a heading is nothing but a prohibition of what stands below it."""
    return _pattern(_LONE_DENIAL).fullmatch(heading.strip(" *_:：!！")) is not None


def _judged(piece: str) -> list[Part]:
    moves = len(_pattern(_MOVE_WORDS).findall(piece))
    for pattern in _MOVES if 0 < moves <= _MOST_MOVES else ():
        moved = _pattern(pattern).search(piece)
        if moved is not None:
            before = piece[: moved.start()]
            parts = [Part(before, _is_denied(before))] if before.strip() else []
            old, new = moved["old"], moved["new"]
            if moved.start("old") < moved.start("new"):
                return [*parts, Part(old, denied=True), Part(new, _is_denied(new))]
            return [*parts, Part(new, _is_denied(new)), Part(old, denied=True)]
    if piece.isascii():
        return [Part(part, _is_denied(part)) for part in _turns(piece)]
    found: list[Part] = []
    for run in _pattern(_AFTERWARDS).split(piece):  # denied by what follows it
        if run and _pattern(_AFTERWARDS).fullmatch(run):
            if found:
                found[-1] = Part(found[-1].text, denied=True)
        elif run:
            found.extend(Part(part, _is_denied(part)) for part in _turns(run))
    return found


def _turns(run: str) -> list[str]:
    """Divide a run where a word turns it round; few runs have one."""
    if run.isascii() and not _begin_alike(run, _pivot_heads()):
        return [run]
    return [part for part in _pattern(_PIVOTS).split(run) if part.strip()]


def _is_denied(part: str) -> bool:
    if part.isascii() and not ("n't" in part or _begin_alike(part, _denial_heads())):
        return False
    if _pattern(_DENIALS).search(part) is None:
        return False
    plain = _pattern(_NO_DENIAL).sub(" ", part)
    return _pattern(_DENIALS).search(plain) is not None


def _begin_alike(text: str, heads: tuple[str, ...]) -> bool:
    return any(word.startswith(heads) for word in _ASCII_WORD.findall(text.lower()))


@cache
def _denial_heads() -> tuple[str, ...]:
    return _heads(_DENIAL_TABLE)


@cache
def _pivot_heads() -> tuple[str, ...]:
    return _heads(f"{_DENYING_TABLE} {_AFFIRMING_TABLE} not over")


def _heads(table: str) -> tuple[str, ...]:
    """Give what the first words of a table's entries begin with."""
    words = (word.partition("_")[0].rstrip("*") for word in table.split())
    return tuple({word for word in words if word.isascii()})


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _words(table: str) -> str:
    """Make a pattern of whole words and phrases; `*` stands for any ending."""
    words = table.split()
    return "|".join(
        re.escape(word).replace(r"\*", r"\w*").replace("_", r"\s+")
        for word in sorted(words, key=len, reverse=True)
    )


_ASCII_WORD = re.compile("[a-z]+")
_BREAKS = (
    r"[.;:!?…](?=[\s\"')\]*_]|$)|,(?=\s)|[，、。；：！？\n()\[\]（）「」『』|]|\s[-–—]+\s|—|–"
    r"|(?:->|=>|→)"
)

_DENYING_TABLE = """
    instead_of rather_than as_opposed_to in_place_of in_lieu_of in_favour_over
    and_not or_not but_not and_never or_never but_never and_no but_no
    вместо а_не и_не но_не взамен
    statt anstatt anstelle und_nicht aber_nicht und_keine
    au_lieu_de plutôt_que plutot_que et_non et_pas en_lugar_de en_vez_de y_no
"""
_AFFIRMING_TABLE = """
    but instead а но sondern mais sino
"""
_DENYING, _AFFIRMING = _words(_DENYING_TABLE), _words(_AFFIRMING_TABLE)
_AUXILIARIES = "is are was were be been do does did must should can may will shall has"
_LONE_NOT = "".join(rf"(?<!\b{word})" for word in _AUXILIARIES.split())

_HAN_PIVOTS = (
    "而不是|而非|不要|不再|不用|不能|不得|禁止(?!$|\\s|で|す|と|さ|し|事)|避免|代替|取代|替代|改用|改为|改成|换成|而是|"
    "应使用|应该|请用|请使用"
)
_PIVOTS = (
    rf"(?<=\s)(?=(?:{_DENYING}|{_AFFIRMING})\b)"
    rf"|(?<=\w){_LONE_NOT}(?=\s+not\s)"
    rf"|(?<=\w)(?=\s+over\s)(?<!\ball)"
    rf"|(?={_HAN_PIVOTS})"
)

_AFTERWARDS = (
    "(ではなく|じゃなく|でなく|の代わりに|に代わり|をやめて|をやめ、|は使わず|を使わず"
    "|대신에?|이?가?\\s?아니라|말고)"
)

_MOVED = (
    r"\b(?:mov(?:ed?|ing)|migrat(?:ed?|ing)|switch(?:ed|ing)?|chang(?:ed?|ing)|went"
    r"|upgrad(?:ed?|ing)|port(?:ed|ing))\b"
)
_MOVE_WORDS = r"\b(?:from|replac\w+|с|на|von|de|d')\b|从|から|에서"
_MOST_MOVES = 6
"""More of these words make no sentence, and would take long to try."""

_MOVES = (
    rf"{_MOVED}[^.]*?\bfrom\b(?P<old>.+?)\b(?:to|onto|towards)\b(?P<new>.+)",
    rf"{_MOVED}(?P<new>.+?)\bfrom\b(?P<old>.+)",
    r"\breplac(?:ed?|ing)\b(?P<old>.+?)\b(?:with|by)\b(?P<new>.+)",
    r"^(?P<new>.+?)\b(?:has\s+)?replac(?:es|ed)\b(?P<old>.+)",
    r"\b(?:перешли|переехали|мигрировали|перевели)\b.*?\bс\b(?P<old>.+?)\bна\b(?P<new>.+)",
    r"\bзаменили\b(?P<old>.+?)\bна\b(?P<new>.+)",
    "从(?P<old>.+?)(?:迁移[到至]|切换[到为]|[改换转][为成用到])(?P<new>.+)",
    "^(?P<old>.+?)から(?P<new>.+?)(?:へ|に)(?:移行|切り替え|変更|乗り換え|置き換え)",
    "^(?P<old>.+?)에서(?P<new>.+?)(?:으로|로)\\s?(?:전환|이전|변경|옮|바꾸|바꿨|교체)",
    r"\bvon\b(?P<old>.+?)\b(?:auf|zu)\b(?P<new>.+?)\b(?:umgestellt|gewechselt|umgestiegen)",
    r"\b(?:passés?|migré)\s+(?:de|d')(?P<old>.+?)\s+(?:à|vers)\b(?P<new>.+)",
    r"\b(?:migramos|pasamos|cambiamos)\s+de\b(?P<old>.+?)\s+a\b(?P<new>.+)",
)

_DENIAL_TABLE = """
    no not never none nothing neither nor cannot without avoid* forbid* forbidden
    banned ban bans prohibit* disallow* deprecat* obsolete removed dropped retired
    discourage* refrain stop stopped abandoned formerly previously originally
    historically until used_to no_longer instead_of rather_than over
    in_place_of as_opposed_to anymore dont doesnt isnt arent cant

    не нет ни никогда нельзя без избега* запрещ* запрет* вместо раньше ранее прежде
    устарел* отказались отказываемся откажемся недопустим*

    nicht kein keine keinen keinem keiner nie niemals ohne vermeid* verboten früher
    frueher ehemals veraltet statt anstatt anstelle
    pas jamais aucun aucune sans évit* evit* interdit* autrefois
    no nunca jamás jamas ningún ninguna evitar evita prohibid* antes
"""
_DENIAL_WORDS = rf"{_words(_DENIAL_TABLE)}|\w+n['’]t"
_DENIAL_RUNS = (
    "不要|不再|不用|不能|不得|不可|不许|不准|不应|不使用|不允许|不是|不会|不提交|不必|勿|禁|避免"
    "|而非|没有|废弃|弃用|停用|淘汰|曾经|曾用|以前|之前用|原来|过去|代替|取代|替代|別用|别用|无需|"
    "ない(?!と|とい)|なかった|ません|せず|ずに|避け|廃止|非推奨|以前は|かつて|使わず|やめ|"
    "않|금지|하지\\s?마|말\\s?것|말아|이전에는|예전|폐지|피한|피하|안\\s|없이|없다|없음"
)
_DENIALS = rf"(?:\b(?:{_DENIAL_WORDS})(?!\w))|(?:{_DENIAL_RUNS})"

_NO_DENIAL = (
    r"\bnot\s+only\b|\b(?:do\s+not|don['’]t|never)\s+forget\b|\bwithout\s+exceptions?\b"
    r"|\bno\s+matter\b|\bno\s+exceptions?\b|\bno\s+later\b|\bno\s+more\s+than\b"
    r"|\bnot\s+more\s+than\b|\bno\s+less\s+than\b|\bover\s+(?:https?|tls|tcp|ssh|grpc)\b"
    r"|\bне\s+забы\w+|\bне\s+только\b|\bне\s+более\b|\bне\s+менее\b|\bбез\s+исключений\b"
    r"|(?:不要|别|勿)忘|不仅|不只|不超过|不得超过|不少于|忘れ(?:ず|ない)|なければ|ないと"
    r"|않으면|잊지|\bno\s+olvid\w+|\bne\s+pas\s+oublier"
)
_PAST_HEADING = (
    r"\b(?:history|changelog|change\s+log|deprecated|obsolete|formerly|previously"
    r"|superseded|migrations?\s+(?:notes?|from)|legacy|no\s+longer|past\s+decisions)\b"
    r"|\b(?:история|устарел\w*|раньше|geschichte|veraltet|historique|historial)\b"
    "|历史|歷史|变更记录|已废弃|旧版|変更履歴|廃止|過去の|변경\\s?이력|예전|폐지"
)
_LONE_DENIAL = (
    r"(?:please\s+)?(?:do\s+not|don['’]?ts?|never|avoid|forbidden|prohibited|not\s+allowed"
    r"|never\s+do|what\s+not\s+to\s+do|things\s+to\s+avoid|anti-?patterns?|no-?nos?|banned"
    r"|не\s+делай\w*|нельзя|запрещено|избегать|verboten|vermeiden|nicht\s+tun|à\s+éviter"
    r"|interdit|prohibido|evitar|no\s+hacer|禁止事项|禁止|禁止事項|不要做|避免|やらないこと"
    r"|してはいけないこと|금지|금지\s?사항|하지\s?말\s?것)"
)
