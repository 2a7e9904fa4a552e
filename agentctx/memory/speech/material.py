"""What in a message are not its writer's own words: pasted and quoted text (M11.3).

An instruction that stands in a log, in a file or in what somebody else wrote asks for
nothing. What cannot be told apart counts as pasted: that costs a memory at most.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agentctx.memory.speech.handed import handed_over

if TYPE_CHECKING:
    from collections.abc import Iterator

_FENCE = re.compile(r"^[ \t]*(```+|~~~+)")
_QUOTED_LINE = re.compile(r"^\s*(?:>|\|)")
_TAGGED = re.compile(r"<([A-Za-z][\w-]{0,30})(?: [^<>\n]{0,200})?>")
_LOGGED = re.compile(
    r"^\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|\[?(?:ERROR|WARN(?:ING)?"
    r"|INFO|DEBUG|TRACE|FATAL)\b|Traceback \(|File \"|at \S+\(|\$ |>>> |@@ |\+\+\+ "
    r"|--- [ab/]|diff --git|[+-](?![\s+-])(?=.*[;{}()=])|\w+(?:Error|Exception): )"
)
_SHORT_LINE = 200
_TO_THE_COLON = r"[^\n]{0,80}[:：]\s*$"
_HEADER = re.compile(
    r"(?:\b(?:pasted?|quot(?:e|ing)|says?|said|reads|wrote|writes|states|log|output|readme"
    r"|docs?|e-?mail|message|transcript|stack ?trace|error|response|comment|snippet"
    r"|example|changelog)\b"
    r"|日志|文档|原文|报错|输出|邮件|写道|说|例如|ログ|ドキュメント|引用|出力|エラー|로그|문서|출력|오류|인용|메일"
    r"|\bлог\w*|\bдокумент\w*|\bвывод\b|\bпись\w+|\bцитат\w*|\bпиш\w+|\bсказ\w+|\bошибк\w+"
    r"|\bdoku\w*|\bprotokoll|\bausgabe|\bzitat|\bfehler\w*|\bschreibt|\bsagt|\bjournal\b"
    r"|\bsortie\b|\bcitation\b|\bdit\b|\berreur\b|\bregistro\b|\bsalida\b|\bcita\b|\bdice\b"
    rf"|\bmensaje\b|\bcorreo\b){_TO_THE_COLON}",
    re.IGNORECASE,
)
"""A line that announces somebody else's words."""

_SHOWS = re.compile(
    r"(?:\b(?:here(?:'s|’s| is| are)|this is|below is|following|see)\b"
    r"|如下|以下|다음|\bвот\b"
    rf"|\bvoici\b|\bfolgende\w*|\bsiguientes?\b){_TO_THE_COLON}",
    re.IGNORECASE,
)
"""A line that shows something; the writer's own rules are the writer's words."""

_OWN = re.compile(
    r"\b(?:my|our) (?:\w+ )?(?:preferences?|rules?|decisions?|conventions?)\b"
    r"|\bfrom now on\b|\bgoing forward\b|我们?的(?:偏好|规则|要求|决定|约定)"
    r"|以后|今后|今後|앞으로"
    r"|(?:私|うち)の(?:好み|ルール)|(?:제|우리) (?:규칙|선호)|\bвпредь\b|\bотныне\b"
    r"|\b(?:мои|наши) (?:правила|предпочтения|решения)"
    r"|\b(?:meine|unsere) (?:regeln|vorlieben)|\bab jetzt\b"
    r"|\b(?:mes|nos) (?:règles|préférences)|\bdésormais\b"
    r"|\b(?:mis|nuestras) (?:reglas|preferencias)|\ba partir de ahora\b",
    re.IGNORECASE,
)
_QUOTATION = re.compile(
    r'"[^"\n]{1,2000}"|“[^”]{1,2000}”|„[^“”]{1,2000}[“”]|«[^»]{1,2000}»'
    r"|「[^」]{1,2000}」|『[^』]{1,2000}』"
    r"|(?<!\w)'[^'\n]{12,2000}'(?!\w)|(?<!\w)‘[^’\n]{12,2000}’(?!\w)"
)
_REPORTS = re.compile(
    r"(?:\b(?:log(?:s|ged)|print(?:s|ed)|shows?|showed|answer(?:s|ed)|replie[sd])"
    r"|\b(?:says?|said|saying|reads?|wrote|writes?|written|states?|stated|mentions?|told"
    r"|claims?|message|error|log|output|readme|docs?|comment|called|like|such as|quote)"
    r"|说|写|写着|写道|提到|提示|报错|日志|文档|表示|比如|例如|ログ|ドキュメント|エラー|には|로그|문서|라고"
    r"|\b(?:пиш\w+|сказа\w+|говор\w+|написа\w+|ошибк\w+|лог\w*|документац\w+|вроде)"
    r"|\b(?:sagt\w*|schreib\w*|steht|meldung|log|wie)|\b(?:dit|écrit|indique|message|comme)"
    r"|\b(?:dice|dijo|escrib\w+|mensaje|como))(?:\s+\w+){0,3}\W{0,4}$",
    re.IGNORECASE,
)
_REPORTED_AFTER = re.compile(
    r"^\s*(?:,\s*)?(?:と(?:書|言|いう|あり|ある|の)|라고|이라고"
    r"|(?:is|was) (?:what|how)|says?\b|said\b"
    r"|пиш|сказа|говор|sagt|steht|dit\b|dice\b|这(?:句|是)|是(?:文档|他|她))",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?。！？]\s*\S|[.!?。！？]$")
_BEFORE, _AFTER = 80, 30


def own_words(text: str) -> str:
    """Blank what is pasted or quoted; every other character keeps its place."""
    kept = list(text)
    for start, end in _pasted(text):
        kept[start:end] = _blank(text[start:end])
    unpasted = "".join(kept)
    for start, end in _quotations(unpasted):
        kept[start:end] = _blank(unpasted[start:end])
    return "".join(kept)


def _blank(text: str) -> list[str]:
    return ["\n" if one == "\n" else " " for one in text]


def _pasted(text: str) -> Iterator[tuple[int, int]]:
    """Give the places of blocks and lines that somebody pasted."""
    at, fence, announced = 0, "", False
    for line in text.splitlines(keepends=True):
        end = at + len(line)
        opened = _FENCE.match(line)
        if fence:
            yield at, end
            if opened and opened[1].startswith(fence):
                fence = ""
        elif opened:
            fence = opened[1]
            yield at, end
        elif announced or _is_pasted(line):
            yield at, end
        else:
            announced = _announces(line[-_SHORT_LINE:])
        at = end
    yield from _elements(text)
    yield from handed_over(text)


def _announces(line: str) -> bool:
    if _HEADER.search(line):
        return True
    return _SHOWS.search(line) is not None and _OWN.search(line) is None


def _is_pasted(line: str) -> bool:
    return bool(_QUOTED_LINE.match(line) or _LOGGED.match(line[:_SHORT_LINE]))


def _elements(text: str) -> Iterator[tuple[int, int]]:
    """Give the places of `<name>…</name>`; one that never ends lasts to the end."""
    at, last_line, open_names = 0, text.rfind("\n"), set[str]()
    while found := _TAGGED.search(text, at):
        closing = f"</{found[1]}>"
        end = -1 if closing in open_names else text.find(closing, found.end())
        if end < 0:
            open_names.add(closing)
        at = len(text) if end < 0 else end + len(closing)
        if end >= 0 or last_line >= found.end():
            yield found.start(), at
        else:
            at = found.end()


def _quotations(text: str) -> Iterator[tuple[int, int]]:
    """Give the places of quotations that are somebody else's, or whole sentences."""
    for found in _QUOTATION.finditer(text):
        start, end = found.span()
        before = text[max(0, start - _BEFORE) : start].rpartition("\n")[2]
        after = text[end : end + _AFTER].partition("\n")[0]
        alone = not before.strip(" \t-*:：") or before.rstrip()[-1:] in set(
            ".!?。！？:："
        )
        if (
            _REPORTS.search(before)
            or _REPORTED_AFTER.search(after)
            or _SENTENCE_END.search(found[0][1:-1])
            or (alone and not after.strip(" \t.!?。！？"))
        ):
            yield start, end
