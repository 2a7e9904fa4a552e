"""Instructions planted in a text for an AI agent that reads it: a quiet check.

Only what addresses the reader as a model is found: orders to drop its instructions,
new roles, requests for its prompt, secrets kept from its user, the markup of prompts;
in English, Russian and Chinese. Text about such orders is found too, and so is English
in letters that only look like its own.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from corpus.reading import lower, one_a_line, places

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpus.reading import Reading, Suspicion

_FEW_WORDS = r"\W{1,8}(?:\w{1,24}\W{1,4}){0,3}?"
_SOME = r"[^。\n]{0,8}"


class _Planted(NamedTuple):
    """One way to give orders: what it does, where to look, its pattern.

    The pattern runs over lowered text, from each anchor on, or from `before`
    characters in front of it: finding a literal costs next to nothing.
    """

    does: str
    anchors: tuple[str, ...]
    pattern: str
    before: int = 0


_BEFORE = 120
_BEHIND = 200

_DROPS = "tells the reader to drop its instructions"
_NEW_ROLE = "gives the reader a new role"
_ASKS_PROMPT = "asks for the hidden prompt"
_HIDES = "asks the reader to keep a secret from its user"

_NEVER = ("do not", "don't", "never")

_PLANTED_ENGLISH = (
    _Planted(
        _DROPS,
        (
            *("ignore", "disregard", "forget", "override"),
            *("do not follow", "don't follow", "stop following"),
        ),
        r"\b(?:ignore|disregard|forget|override|(?:do not|don't|stop) follow(?:ing)?)"
        rf"{_FEW_WORDS}(?:(?:previous|prior|above|earlier|preceding|foregoing|your)"
        rf"{_FEW_WORDS}(?:instruction|prompt|direction|directive|guideline|rule"
        r"|command|message|training)s?"
        rf"|(?:all|any|system|existing|original|these|other){_FEW_WORDS}"
        r"(?:instruction|prompt|directive)s?)\b",
    ),
    _Planted(
        _NEW_ROLE,
        ("you are now", "from now on", "act as"),
        r"\byou are now (?:in )?(?:\w{1,24}[ -]){0,3}?(?:mode|dan|assistant|ai|agent"
        r"|language model|bot|chatbot|jailbroken|unrestricted|unfiltered|persona)\b"
        r"|\bfrom now on,? you (?:are|act|(?:will|must|shall)"
        r" (?:only |always )?(?:act|answer|respond|reply|behave|obey|ignore))\b"
        r"|\bact as (?:an? )?(?:unrestricted|unfiltered|jailbroken|dan\b)",
    ),
    _Planted(
        _ASKS_PROMPT,
        ("prompt", "system instruction", "system message", "hidden instruction"),
        r"\b(?:reveal|print|show|output|repeat|display|leak|send|disclose|dump)"
        r"\s{1,3}(?:\w{1,24}\s{1,3}){0,3}?(?:system|hidden|initial|developer)\s{1,3}"
        r"(?:prompt|instruction|message)s?\b",
        _BEFORE,
    ),
    _Planted(
        _HIDES,
        tuple(f"{no} {say}" for no in _NEVER for say in ("tell", "inform")),
        r"\b(?:do not|don't|never) (?:tell|inform) the (?:user|human)\b",
    ),
    _Planted(
        "speaks to an AI as its reader",
        ("if you are a", "as an ai,"),
        r"\bif you are an? (?:ai|llm|(?:large )?language model)\b"
        r"|\bas an ai, you (?:must|should|will|shall)\b",
    ),
    _Planted(
        "imitates the markup of prompts",
        (
            *("<|", "[inst", "[/inst", "<<sys", "<</sys", "<system", "</system"),
            *("<tool_", "</tool_", "<function_", "</function_"),
        ),
        r"<\|(?:im_start|im_end|system|user|assistant|endoftext|begin_of_text|eot_id"
        r"|start_header_id|end_header_id)\|>|\[/?inst\]|<</?sys>>"
        r"|</?(?:system|system[-_]reminder|system[-_]prompt|tool_results?"
        r"|function_(?:results|calls))>",
    ),
)
_PLANTED_RUSSIAN = (
    _Planted(
        _DROPS,
        ("игнорируй", "забудь", "не следуй", "отмени", "не выполняй"),
        r"\b(?:игнорируй|забудь|не следуй|отмени|не выполняй)(?:те)?"
        rf"{_FEW_WORDS}(?:предыдущ|прошл|прежн|вс[её]|эт|сво|системн|ранее|выше|любы)"
        rf"\w{{0,16}}{_FEW_WORDS}(?:инструкци|указани|команд|правил|промпт|сообщени)",
    ),
    _Planted(
        _NEW_ROLE,
        ("теперь ты", "отныне ты", "теперь вы", "с этого момента ты"),
        r"\b(?:теперь ты|отныне ты|теперь вы|с этого момента ты)"
        rf"{_FEW_WORDS}(?:ии\b|ассистент|агент|модель|бот\b|хакер|режим)",
    ),
    _Planted(
        _ASKS_PROMPT,
        ("системн",),
        r"\b(?:покажи|выведи|раскрой|напечатай|повтори)(?:те)?"
        rf"{_FEW_WORDS}системн\w{{1,4}}\W{{1,3}}(?:промпт|инструкци|подсказк|сообщени)",
        _BEFORE,
    ),
    _Planted(
        _HIDES,
        ("не говори", "не сообщай", "не рассказывай"),
        r"\bне (?:говори|сообщай|рассказывай)(?:те)? (?:об этом )?пользовател",
    ),
)
_PLANTED_CHINESE = (
    _Planted(
        _DROPS,
        ("忽略", "无视", "無視", "忘记", "忘記", "忘掉", "不要遵", "绕过", "繞過"),
        r"(?:忽略|无视|無視|忘记|忘記|忘掉|不要遵守|不要遵循|绕过|繞過)"
        rf"{_SOME}(?:之前|以前|先前|上面|上述|以上|前面|此前|所有|一切|全部"
        rf"|系统|系統|你的){_SOME}(?:指令|指示|提示|规则|規則|命令)",
    ),
    _Planted(
        _NEW_ROLE,
        ("你现在是", "你現在是", "从现在", "從現在"),
        rf"你[现現]在是{_SOME}(?:助手|机器人|機器人|模型|模式|代理|黑客|ai|dan)"
        r"|[从從][现現]在(?:起|开始|開始)[,，]?你(?:是|将|將|要|必须|必須)",
    ),
    _Planted(
        _ASKS_PROMPT,
        ("系统提示", "系統提示", "系统指令", "系統指令"),
        r"(?:输出|輸出|显示|顯示|打印|泄露|透露|告诉我|告訴我)"
        rf"{_SOME}系[统統](?:提示|指令)",
        _BEFORE,
    ),
    _Planted(
        _HIDES,
        ("不要告",),
        r"不要(?:告诉|告訴|告知)(?:用户|用戶|使用者)",
    ),
)
_PATTERNS: dict[str, re.Pattern[str]] = {}


def suspect_instructions(reading: Reading) -> Iterator[Suspicion]:
    """Find text that gives orders to an AI reading it, one suspicion a line."""
    russian, chinese = reading.scripts
    found = list(_orders(_PLANTED_ENGLISH, _as_it_looks(reading)))
    if russian:
        found += _orders(_PLANTED_RUSSIAN, reading.lowered)
    if chinese:
        found += _orders(_PLANTED_CHINESE, reading.lowered)
    yield from one_a_line("SUSPECT_INSTRUCTION", reading.text, found, "the text ")


def _orders(planted: tuple[_Planted, ...], lowered: str) -> Iterator[tuple[int, str]]:
    """Give the places where a lowered text gives orders, and what they do."""
    for does, anchors, pattern, before in planted:
        for place in places(anchors, lowered):
            compiled = _compiled(pattern)
            if before:
                begin = max(0, place - before)
                match = compiled.search(lowered, begin, place + _BEHIND)
            else:
                match = compiled.match(lowered, place, place + _BEHIND)
            if match is not None:
                yield match.start(), does


def _as_it_looks(reading: Reading) -> str:
    """Give the lowered text in the English letters that it looks like.

    Every character keeps its place.
    """
    if not reading.unusual:
        return reading.lowered
    text = reading.lowered
    for letter in {lower(one) for one in set(reading.unusual)}:
        plain = _ALIKE.get(letter) or unicodedata.normalize("NFKD", letter)[:1].lower()
        if plain.isascii() and plain.isalpha():
            text = text.replace(letter, plain)  # few letters: faster than a table
    return text


_ALIKE = dict(
    zip(
        "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u04bb\u04cf\u043a"
        "\u051d\u0261\u0131\u03bf\u03b1\u03bd\u03c1\u03b9\u03ba\u03c5\u03c4\u03b5",
        "aeopcyxijsdhlkwgioavpikute",
        strict=True,
    )
)
"""Cyrillic, Latin and Greek letters that a reader takes for English ones."""


def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern when a text first needs it: start-up needs none."""
    known = _PATTERNS.get(pattern)
    if known is None:
        known = _PATTERNS[pattern] = re.compile(pattern)
    return known
