"""Which thing goes where one thing takes the place of another (M11.3).

`Replace Redis with Kafka` is about both, and affirms one: what goes is denied.
"""

from __future__ import annotations

import re

from corpus.lexical import has_negation

_OLD, _RUN = (
    r"(?P<old>[^\s,.;:!?]+(?:\s[^\s,.;:!?]+){0,4}?)",
    r"(?P<old>[^，。；,;\n]{1,30}?)",
)
_OTHER = r"[^，。；,;\n]{1,30}?"
_MOVES = (
    r"(?:switch|migrat|mov|chang|port|convert|transition)(?:e|es|ed|ing|s|ching|ched)?"
)
_PATTERNS = tuple(
    re.compile(one, re.IGNORECASE)
    for one in (
        rf"\b(?:replac|substitut|swap)\w*(?: out)? {_OLD} (?:with|by|for)\b",
        (
            rf"(?:^|(?<=[,.;:] )|(?<=that )|(?<=and )|(?<=decided ))(?:that )?{_OLD}"
            r" (?:(?:is|are|was|were|gets?|will|be|been|has|have|now"
            r"|being) ){1,3}replaced"
            r" (?:with|by)\b"
        ),
        rf"\b{_MOVES}(?: \w+){{0,4}}? from {_OLD} (?:to|onto)\b",
        rf"\b{_MOVES}(?: away)? from {_OLD}$",
        rf"\b(?:ersetz\w*|tausch\w*) {_OLD} (?:durch|gegen)\b",
        (
            rf"(?:^|\b(?:wir|dass|wird|werden|haben|entschieden|beschlossen),? ){_OLD}"
            r"(?: (?:wird|werden))? durch \S+(?: \S+){0,3} (?:zu )?ersetz\w*"
        ),
        (
            rf"\b(?:wechsel\w*|umstieg|steigen|migrier\w*|umzusteigen"
            rf"|umstellen)\b(?: \w+){{0,3}}?"
            rf" von {_OLD} (?:auf|zu|nach)\b"
        ),
        (
            rf"\bvon {_OLD} (?:auf|zu|nach) \S+(?: \S+){{0,2}} (?:um|wechsel\w*"
            rf"|zu wechseln"
            r"|migrier\w*|umstell\w*|umzusteigen|umzustellen)"
        ),
        rf"\b(?:rempla[cç]|substitu)\w+ {_OLD} par\b",
        rf"\b(?:pass|migr|bascul)\w+(?: \w+){{0,3}}? de {_OLD} (?:à|vers)\b",
        rf"\b(?:reemplaz|sustitu|remplaz|cambi)\w+ {_OLD} por\b",
        rf"\b(?:migr|pas|cambi)\w+(?: \w+){{0,3}}? de {_OLD} a\b",
        rf"\b(?:замен|смен|поменя)\w+ {_OLD} на\b",
        (
            rf"\b(?:перех|переш|перей|переезж|мигрир"
            rf"|переключ)\w+(?: \w+){{0,2}}? с(?:о)? {_OLD}"
            r" на\b"
        ),
        (
            rf"(?:用|以|由)(?P<new>{_OTHER})(?:来)?(?:替换|代替|取代"
            rf"|替代)(?:掉)?{_RUN}(?=[，。；,;.]|$)"
        ),
        rf"(?:把|将){_RUN}(?:全部|都|统一)?(?:替换|换|改|切换|迁移)(?:成|为|到|用)",
        rf"(?:从|由){_RUN}(?:迁移|切换|换|转|改)(?:到|成|为|用)",
        rf"(?<!不)(?:替换|取代|换掉)(?:掉)?{_RUN}(?=[，。；,;.]|$)",
        (
            rf"(?:^|[、。]\s*|を廃止し){_RUN}を{_OTHER}(?:に|で|へ)(?:置き換|切り替|変更"
            rf"|移行|差し替|置換)"
        ),
        rf"(?:^|[、。]\s*){_RUN}は{_OTHER}(?:に|で)置き換",
        (
            rf"(?:^|[、。]\s*){_RUN}から{_OTHER}(?:に|へ)(?:移行|切り替|乗り換|変更"
            rf"|置き換)"
        ),
        (
            rf"(?:^|[,.]\s*|우리는\s){_RUN}(?:을|를)\s{_OTHER}(?:으?로)\s?(?:교체|대체"
            rf"|바꾸|바꿨|전환|변경)"
        ),
        (
            rf"(?:^|[,.]\s*|우리는\s){_RUN}에서\s{_OTHER}(?:으?로)\s?(?:이전|전환"
            rf"|마이그레이션|바꾸|옮기|갈아)"
        ),
    )
)


def without_replaced(line: str) -> tuple[str, tuple[str, ...]]:
    """Give a normalised line without the things that go, and these.

    Where the exchange itself is denied, nothing goes.
    """
    gone: list[str] = []
    for pattern in _PATTERNS:
        found = pattern.search(line)
        if found is None or found["old"] is None:
            continue
        start, end = found.span("old")
        if not has_negation(line[:start]) and not has_negation(line[end:]):
            gone.append(found["old"])
            line = f"{line[:start]} {line[end:]}"
    return line, tuple(gone)
