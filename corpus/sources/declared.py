"""What a source says of itself: that something else holds now.

Decision records, proposals and standards carry a status near their top: `Status:
Superseded`, `- **Superseded by:** …`, or a `Status` heading with the word below it.
Such a line names no successor that can be trusted, so it makes no relation (P7.4); it
only lets a source that still claims to hold come first among the equally relevant.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from corpus.markdown import visible

if TYPE_CHECKING:
    from corpus.markdown import Document

HEAD_LINES = 60
"""How far from its top a source declares its status."""

_KEYS = "status|статус|状态|狀態|状況|ステータス|statut|estado"
_SUCCESSOR_KEYS = (
    "superseded[- ]by|obsoleted[- ]by|replaced[- ]by|заменено на|заменён на"
)
_ENDED = (
    "superseded|obsolete|obsoleted|deprecated|replaced|withdrawn|rejected|retired"
    "|замен[её]н|устарел|отмен[её]н|отклон[её]н|отозван"
    "|已取代|已废弃|已弃用|已过时|作废|已廢棄|置換済み|廃止|非推奨"
    "|ersetzt|veraltet|remplacée?|obsolète|obsoleto|reemplazad[oa]"
)
_LABEL = r"\s*(?:[-*+]\s+)?[*_`]{0,3}"
_STATUS = re.compile(
    rf"{_LABEL}(?:{_KEYS})[*_`]{{0,3}}\s*[:：][*_`]{{0,3}}\s*\W{{0,8}}(?:{_ENDED})"
    rf"|{_LABEL}(?:{_SUCCESSOR_KEYS})[*_`]{{0,3}}\s*[:：][*_`]{{0,3}}\s*(?!none\b|n/a\b)\w",
    re.IGNORECASE,
)
_STATUS_HEADING = re.compile(rf"(?:{_KEYS})", re.IGNORECASE)
_ENDED_LINE = re.compile(rf"\s*\W{{0,8}}(?:{_ENDED})", re.IGNORECASE)


def declares_itself_past(document: Document) -> bool:
    """Say whether a source says near its top that it no longer holds."""
    last = min(HEAD_LINES, len(document.lines))
    below_status = {
        heading.last + gap
        for heading in document.headings
        if heading.line <= last and _STATUS_HEADING.fullmatch(heading.text.strip())
        for gap in (1, 2)
    }
    for number in document.plain_lines(1, last):
        line = document.lines[number - 1]
        if _STATUS.match(line) and _STATUS.match(visible(line)):
            return True
        if number in below_status and _ENDED_LINE.match(visible(line)):
            return True
    return False
