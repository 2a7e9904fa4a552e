"""Text that is handed over to be worked on: letters, pages, chats, dictation (M11.3).

Whoever asks for a summary of a letter wants the summary, not what the letter wants.
Whoever dictates a commit message says what it shall say. What comes after such a
request is material to its end; where it is one quotation, only that is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agentctx.memory.speech.markers import has, is_acknowledgement, normal

if TYPE_CHECKING:
    from collections.abc import Iterator

_START = (
    r"(?:^|(?<=[.!?。！？]\s)|(?<=[。！？]))\s*(?:(?:please|pls|can you|could you"
    r"|would you"
    r"|bitte|kannst du|s'il te plaît|peux-tu|por favor|puedes|пожалуйста|можешь|请"
    r"|帮我|请帮我"
    r"|麻烦)[\s,]*)?"
)
_ABOUT_TEXT = (
    r"(?:summari[sz]e|sum up|translate|proof-?read|spell-?check|paraphrase|rephrase"
    r"|reword"
    r"|tl;?dr|(?:fix|correct|check|improve|polish) (?:the |my |its )?(?:grammar"
    r"|spelling"
    r"|wording|typos?|english|style|punctuation|language)"
    r"|(?:rewrite|shorten|condense|polish|edit|transcribe) (?:this|the|my|following|it)"
    r"|fass\w* |übersetz\w*|korrigier\w*|korrekturles\w*|formulier\w* |kürz\w* "
    r"|résum\w+|tradui\w+|corrig\w+|reformul\w+|relis\w*|raccourci\w*"
    r"|resum\w+|resúm\w+|traduc\w+|tradúc\w+|corríg\w+|revisa la gramática|acorta\w*"
    r"|перевед\w+|перевест\w+|суммируй\w*|резюмируй\w*|перескаж\w+|(?:кратко )?излож\w+"
    r"|исправь\w* (?:ошибки|грамматику|орфографию|опечатки|текст)|перефразир\w+"
    r"|отредактируй\w*|вычитай\w*|сократи\w*)"
)
_ABOUT_TEXT_RUNS = (
    r"(?:总结|概括|归纳|翻译|译成|译为|润色|改写|校对|(?:修改|修正"
    r"|检查)(?:一下)?(?:语法|错别字|病句)"
    r"|要約|翻訳|訳して|校正|添削|推敲|書き直して|言い換え|文法を|誤字"
    r"|요약|번역|교정|다듬어|맞춤법|문법|윤문)"
)
_LOOK_AT = (
    r"(?:review|check|read|explain|look at|look over|have a look at|analy[sz]e"
    r"|comment on"
    r"|reply to|answer|respond to|what do you (?:think|make) of|classify|prüf\w*|lies"
    r"|les"
    r"|überprüf\w*|erklär\w*|schau\w*|beantwort\w*|vérifi\w+|lis|lisez|expliqu\w+"
    r"|réponds"
    r"|regard\w+|analys\w+|revis\w+|lee|explic\w+|mira|analiza\w*|responde\w*"
    r"|проверь\w*"
    r"|прочит\w+|прочти|посмотри\w*|объясни\w*|ответь\w*|审阅|审查|检查|看看|看一下"
    r"|看下|解释|分析|回复"
    r"|阅读|读一下|review一下)"
)
_TEXT_NOUN = (
    r"(?:(?:e-?)?mails?|letters?|readme\S*|texts?|docs?|documents?|issues?|tickets?"
    r"|drafts?"
    r"|paragraphs?|sentences?|articles?|posts?|pages?|threads?|transcripts?"
    r"|conversation"
    r"|chat|notes|minutes|descriptions?|specs?|announcements?|changelog|contributing"
    r"|wiki"
    r"|message|\S+\.(?:md|txt|rst)|nachricht|brief|dokument\w*|artikel|entwurf|absatz"
    r"|satz"
    r"|protokoll|lettre|courriel|article|texte|phrase|paragraphe|brouillon|compte-rendu"
    r"|carta|correo|texto|artículo|frase|párrafo|borrador|documento|письмо\w*|текст\w*"
    r"|документ\w*|стать\w+|сообщени\w+|абзац\w*|черновик\w*|邮件|文档|文章|信|文本"
    r"|段话|句话|聊天记录"
    r"|会议记录|说明|草稿|帖子|公告)"
)
_LOOK_AT_RUNS = (
    r"(?:メール|文章|文書|ドキュメント|記事|手紙|議事録|readme\S*|메일|이메일|문서|글"
    r"|기사|편지|회의록|문장)"
    r"[^\n:：。]{0,12}(?:レビュー|確認して|見て|読んで|説明して|返信|검토|확인해|읽어"
    r"|설명해|봐\s?줘|답장)"
)
_WORKED_ON = re.compile(
    rf"{_START}(?:{_ABOUT_TEXT}[^:：\n]{{0,80}}|{_LOOK_AT}[^:：\n]{{0,30}}?{_TEXT_NOUN}"
    rf"(?!\w)[^:：\n]{{0,40}}|[^:：\n。]{{0,40}}{_ABOUT_TEXT_RUNS}[^:：\n。]{{0,20}}"
    rf"|[^:：\n。]{{0,20}}{_LOOK_AT_RUNS}[^:：\n。]{{0,12}})[:：]",
    re.IGNORECASE | re.MULTILINE,
)
"""A request about a text, to its colon."""

_POINTS = (
    r"(?:\b(?:this|these|the following|below|diese[nmrs]?|folgende\w*|unten|ce|cet"
    r"|cette|ceci"
    r"|suivante?s?|ci-dessous|este|esta|esto|siguiente|abajo|это\w*|эт[оу]\w*"
    r"|следующ\w+"
    r"|ниже)\b|这|以下|下面|如下|この|これ|次の|以下|이\s|이것|다음|아래)"
)
_REQUESTED = re.compile(
    rf"{_START}(?:(?={_ABOUT_TEXT})(?:[^.!?:\n]|\.(?=\w)){{0,120}}"
    rf"|[^.!?:：。\n]{{0,40}}{_ABOUT_TEXT_RUNS}[^.:：。\n]{{0,20}})",
    re.IGNORECASE,
)
_LOOKED_AT = re.compile(
    rf"{_START}(?:{_LOOK_AT}[^.!?:\n]{{0,30}}?(?:{_TEXT_NOUN}(?!\w)[^.!?:\n]{{0,40}}"
    rf"|(?:this|it|the following))"
    rf"|[^.:：。\n]{{0,20}}{_LOOK_AT_RUNS}[^.:：。\n]{{0,12}})\s*$",
    re.IGNORECASE,
)
_ABOVE = re.compile(
    rf"(?:{_ABOUT_TEXT}|{_LOOK_AT})[^.!?:\n]{{0,40}}\b(?:above|oben|obige\w*|ci-dessus"
    rf"|de arriba|anterior|выше|вышеприведённ\w+)\b"
    rf"|(?:上面|上述|以上)的?[^。\n]{{0,20}}|(?:上の|上記の?|以上の?|위의?\s"
    rf"|앞의)[^。\n]{{0,20}}"
    rf"{_ABOUT_TEXT_RUNS}",
    re.IGNORECASE,
)
_SENT = re.compile(
    r"^\s*(?:here(?:'s|’s| is| are)|this is|below is|voici|hier (?:ist|kommt)|вот"
    r"|aquí (?:está|tienes|va))\b[^\n.:]{0,80}\b(?:mailed|e-?mailed|wrote|sent|posted"
    r"|forwarded|said|pasted|copied|geschrieben|geschickt|écrit|envoyé|envió|escribió"
    r"|написал\w*|прислал\w*|(?:e-?)?mail|letter|readme|message|transcript|thread"
    r"|nachricht|lettre|courriel|correo|письмо)\b[^\n.:]{0,30}[.\s]*$"
    r"|^\s*(?:这是|以下是|下面是)[^\n。：]{0,20}(?:发(?:来|给我)?的?|写的?|邮件|文档"
    r"|来信|消息|记录)[^\n。：]{0,6}\s*$"
    r"|^\s*(?:以下は|これは)[^\n。：]{0,20}(?:メール|文書|から来た|書いた"
    r"|記録)[^\n。：]{0,8}\s*$"
    r"|^\s*(?:다음은|이건|이것은)[^\n.:]{0,20}(?:메일|문서|보낸|쓴"
    r"|기록)[^\n.:]{0,8}\s*$",
    re.IGNORECASE,
)
_FILE = re.compile(
    r"^\s*(?:(?:from|file|aus|depuis|desde|из|来自|出自)[:\s]\s*)?(?:#+\s*)?[`*]*"
    r"(?:(?:[\w.-]+/)*[\w.-]+\.(?:md|markdown|txt|rst|adoc|html?|eml|log|pdf|docx?)"
    r"|(?-i:README|CONTRIBUTING|CHANGELOG|SECURITY|LICENSE|CODE_OF_CONDUCT))[`*]*"
    r"(?:\s*(?:から|에서|says))?\s*[:：]?\s*$"
    r"|^\s*(?:from|aus|depuis|desde|из)\s+(?:[\w.-]+/)*[\w.-]+\.(?:md|txt|rst"
    r"|eml)[:：]\s*\S",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"^\s*(?:subject|betreff|objet|asunto|тема|主题|件名|제목)\s*[:：]\s*\S"
    r"|^\s*(?:from|von|de|от|发件人|差出人|보낸\s?사람)\s*[:：]\s*\S.*@"
    r"|^\s*-{2,}\s*(?:original message|forwarded message|ursprüngliche nachricht"
    r"|message d'origine|mensaje original)",
    re.IGNORECASE,
)
_HEADER = re.compile(
    r"^\s*(?:from|to|cc|bcc|date|sent|reply-to|title|von|an|datum|gesendet|de|à|date"
    r"|envoyé|para|fecha|enviado|от|кому|дата|发件人|收件人|日期|时间|差出人|宛先|日時"
    r"|送信者"
    r"|보낸\s?사람|받는\s?사람|날짜)\s*[:：]\s*\S",
    re.IGNORECASE,
)

_DICTATED_NOUN = (
    r"(?:commit (?:message|msg|title|body)|changelog|change log|readme(?:\.md)?"
    r"|release notes?"
    r"|pr (?:title|description|body)|pull request (?:title|description)|title"
    r"|subject line"
    r"|heading|headline|caption|docstring|comment|error message|banner|tagline|slogan"
    r"|announcement|tooltip|placeholder|docs?|documentation|description|footer|news"
    r"|commit-?nachricht|überschrift|titel|kommentar|doku(?:mentation)?"
    r"|message de commit|titre|commentaire|documentation|description"
    r"|mensaje (?:del? )?commit|título|comentario|documentación|descripción"
    r"|(?:сообщени\w+|текст\w*) коммита|коммит\w*|заголов\w+|комментари\w+"
    r"|документаци\w+"
    r"|описани\w+)"
)
_DICTATED_RUN = (
    r"(?:提交(?:信息|消息|说明)|commit ?(?:信息|消息|message)|更新日志|变更日志|标题"
    r"|注释|文档|说明|readme"
    r"|コミットメッセージ|変更履歴|タイトル|コメント|見出し|ドキュメント|changelog"
    r"|커밋\s?메시지|변경\s?로그|제목|주석|문서|체인지로그)"
)
_WRITES = (
    r"(?:write|add|put|append|insert|include|note|enter|record|paste|document"
    r"|schreib\w*"
    r"|füg\w*|ergänz\w*|trag\w*|écri\w+|ajout\w+|mets|insèr\w+|escrib\w+|añad\w+"
    r"|agreg\w+"
    r"|pon|incluye|напиш\w+|добав\w+|запиш\w+|впиш\w+|встав\w+)"
)
_DICTATION = re.compile(
    rf"\b{_DICTATED_NOUN} (?:\w+ )?(?:should|shall|must|will|is|be|soll|lautet|ist"
    rf"|doit|devrait"
    rf"|est|sera|debe|debería|es|será|должн\w+|будет)\b[^:：\n]{{0,30}}[:：]"
    rf"|{_START}{_WRITES}\b[^:：\n]{{0,50}}\b{_DICTATED_NOUN}\b[^:：\n]{{0,20}}[:：]"
    rf"|\b(?:use|set|make|take|nimm|setze|utilise|usa|pon)\b[^:：\n]{{0,20}}\b"
    rf"{_DICTATED_NOUN}[^:：\n]{{0,10}}[:：]"
    rf"|{_START}(?:commit|reply|respond|answer|say|print|echo|output|type|send|post"
    rf"|antworte"
    rf"|sag|schreibe?|réponds|dis|écris|responde|di|escribe|ответь|скажи|напиши)"
    rf"(?: (?:it|this|him|her|them|back|to \w+|with|as|with the \w+|mit|avec|con"
    rf"|so))*\s?[:：]"
    rf"|\b(?:named|called|titled|saying|that says|which says|reading"
    rf"|with (?:the )?(?:text"
    rf"|message|title|words|heading)|namens|mit dem (?:text|titel)|intitulée?|qui dit"
    rf"|llamad[oa]|titulad[oa]|que diga|с текстом|под названием)\b[^:：\n]{{0,60}}[:：]"
    rf"|{_DICTATED_RUN}[^:：\n。]{{0,12}}(?:写|改成|应该是|应为|是|为|加上?|添加|书"
    rf"|書い|して|は|に|에|은|는|을|를)"
    rf"[^:：\n。]{{0,8}}[:：]|(?:在|往|给){_DICTATED_RUN}[^:：\n。]{{0,8}}[:：]",
    re.IGNORECASE | re.MULTILINE,
)
"""A request to write words down, to its colon."""

_NAMED = re.compile(
    r"\b(?:name|call|title|label|rename|nenn\w*|appel\w+|nomm\w+|llám\w+|nómbr\w+"
    r"|назов\w+)"
    r"(?: (?:it|this|them|the \w+|that|to|es|sie|ihn|-?le|-?la|его|её"
    r"|это)){0,3}[:\s]\s*"
    r"(?=[\"'“„«‘])|(?:命名为|取名为?|叫做|名字叫|標題は|名前は"
    r"|이름은)\s*[:：]?\s*(?=[\"'“「『‘])",
    re.IGNORECASE,
)
_SAYING = re.compile(
    r"\b(?:comment|line|note|message|test|entry|section|sentence|paragraph|heading"
    r"|banner"
    r"|docstring|label|button|string|changelog|readme|kommentar|satz|zeile|commentaire"
    r"|phrase|ligne|comentario|frase|línea)s? (?:saying|that says?|that reads?|stating"
    r"|which says?|reading|mit dem text|qui dit|que diga|que dice)\b[^.\n]*",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r"\s*(?:\"[^\"\n]+\"|'[^'\n]+'(?!\w)|“[^”]+”|„[^“”]+[“”]|«[^»]+»|‘[^’\n]+’(?!\w)"
    r"|「[^」]+」|『[^』]+』|`[^`\n]+`)"
)

_TIMED_SPEAKER = re.compile(
    r"^\s*\[?\(?\d{1,2}:\d\d(?::\d\d)?(?:\s?[ap]m)?[\])]?,?\s*(?:-\s*)?<?@?[\w.-]{1,30}"
    r"(?: [\w.-]{1,20})?\s?[>:：]|^\s*<[@+%]?[\w.-]{1,30}>\s+\S"
    r"|^\s*[\w.-]{1,30}(?: [\w.-]{1,20})?\s*[\[(]?\d{1,2}:\d\d"
    r"(?:\s?[ap]m)?[\])]?\s*[:：]?(?:\s|$)"
    r"|^\s*(?:\w{2,20})>\s+\S",
    re.IGNORECASE,
)
_SPEAKER = re.compile(
    r"^\s*(?:[*_]{2})?@?((?:[A-ZÀ-ÞЁА-Я][a-zà-ÿёа-я]+[\w.-]*(?: [A-ZÀ-ÞЁА-Я][\w.-]*)?"
    r"|[a-z][a-z0-9_-]{2,15}(?=:)|[\u3041-\u30ff\u4e00-\u9fff]{1,5}|[가-힣]{2,5}))"
    r"(?:[*_]{2})?\s?[:：](?:[*_]{2})?\s*(\S.*)$"
)
_CALLED = re.compile(r"(?:[小老阿].|.{1,3}[总哥姐]|.+(?:さん|くん|ちゃん|様|님|씨))$")
_TOPIC = re.compile(
    r"(?:decisions?|preferences?|notes?|rules?|update|context|task|important|also|bug"
    r"|fix"
    r"|goals?|todo|warning|question|answer|backend|frontend|databases?|storage|testing"
    r"|tests?|docs?|style|naming|logging|auth|security|deploy\w*|infra\w*|queues?|cache"
    r"|caching|summary|reminder|plan|remember|policy|conventions?|formatting|build"
    r"|errors?"
    r"|language|tooling|payments?|search|api|ui|first|second|then|finally|background"
    r"|agreed|settled|decided|result|outcome|conclusion|proposal|recommendation|general"
    r"|code|commits?|reviews?|please|python|rust|go|typescript|java|git|monitoring"
    r"|events?"
    r"|entscheidung|beschlossen|präferenz|regeln?|notiz|wichtig|aufgabe|datenbank"
    r"|hinweis"
    r"|décision|préférence|règles?|remarque|important|tâche|décidé|décisions"
    r"|decisión|preferencia|reglas?|nota|importante|tarea|decidido|acordado"
    r"|решение|решено|предпочтение|правил[оа]|заметка|важно|задача|итог|вывод|база"
    r"|бэкенд"
    r"|фронтенд|决定|决策|偏好|规则|注意|备注|重要|任务|后端|前端|数据库|测试|方案"
    r"|结论|约定|要求|缓存|队列"
    r"|部署|日志|文档|总结|补充|另外|以后|決定(?:事項)?|好み|ルール|注意|重要|方針"
    r"|提案|結論|今後|タスク"
    r"|결정|선호|규칙|주의|중요|백엔드|프론트엔드|테스트|결론|방침|참고|작업)",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(
    r"\b(?:we|i|i'm|we're|let's|wir|ich|nous|on|je|j'\w+|yo|nosotros|мы|я|hemos"
    r"|decidimos)\b"
    r"|我|咱|私|僕|俺|우리|저는|제가|저희",
    re.IGNORECASE,
)


def handed_over(text: str) -> Iterator[tuple[int, int]]:
    """Give the places of what somebody handed over to be worked on or written down."""
    for pattern in (_WORKED_ON, _DICTATION):
        for found in pattern.finditer(text):
            if not has("durable", normal(found[0])):
                yield _after_colon(text, found.end(), dictated=pattern is _DICTATION)
    for found in _NAMED.finditer(text):
        quoted = _QUOTED.match(text, found.end())
        if quoted is not None and _wishes(quoted[0]):
            yield quoted.span()
    yield from (found.span() for found in _SAYING.finditer(text))
    yield from _said_in_chat(text)
    yield from _by_lines(text)


def _wishes(quoted: str) -> bool:
    """Say whether a name that is given reads as a wish or a decision by itself."""
    said = normal(quoted)
    return any(has(mark, said) for mark in ("durable", "decision", "preference"))


def _after_colon(text: str, at: int, *, dictated: bool) -> tuple[int, int]:
    """Give what a colon announces: a quotation, a dictated paragraph, or the rest."""
    quoted = _QUOTED.match(text, at)
    if quoted is not None:
        return quoted.span()
    on_line = text[at:].partition("\n")[0].strip()
    paragraph_end = text.find("\n\n", at)
    if dictated and on_line and paragraph_end >= 0:
        return at, paragraph_end
    return at, len(text)


def _by_lines(text: str) -> Iterator[tuple[int, int]]:
    """Give what follows the head of a letter or page, or a line that asks for one."""
    at, was_header = 0, False
    for line in text.splitlines(keepends=True):
        is_header = _HEADER.match(line) is not None
        if _FILE.match(line) or _SUBJECT.match(line) or (is_header and was_header):
            yield at, len(text)
            return
        if _ABOVE.search(line):
            yield 0, at
        if _asks_about_text(line) or _SENT.match(line):
            yield at + len(line), len(text)
            return
        at, was_header = at + len(line), is_header


def _asks_about_text(line: str) -> bool:
    """Say whether a line asks for work on a text that comes after it."""
    for found in _REQUESTED.finditer(line):
        if re.search(_POINTS, found[0], re.IGNORECASE):
            return not has("durable", normal(found[0]))
    found_at = _LOOKED_AT.search(line)
    return found_at is not None and not has("durable", normal(found_at[0]))


def _said_in_chat(text: str) -> Iterator[tuple[int, int]]:
    """Give the lines of a chat, each with the lines that go on with it."""
    lines = text.splitlines(keepends=True)
    spoken = _spoken(lines)
    at, goes_on = 0, False
    for number, line in enumerate(lines):
        goes_on = number in spoken or (goes_on and bool(line.strip()))
        if goes_on:
            yield at, at + len(line)
        at += len(line)


def _spoken(lines: list[str]) -> set[int]:
    timed = {n for n, line in enumerate(lines) if _TIMED_SPEAKER.match(line)}
    named: dict[int, tuple[str, str]] = {}
    for number, line in enumerate(lines):
        found = _SPEAKER.match(line)
        if found is not None and not _TOPIC.fullmatch(found[1]):
            named[number] = (found[1], found[2])
    if len({name for name, _ in named.values()}) > 1 and any(
        is_acknowledgement(said) or _FIRST_PERSON.search(said)
        for _, said in named.values()
    ):
        return timed | set(named)
    alone = {
        number
        for number, (name, said) in named.items()
        if (name.isascii() or name[0] > "\u00bf")
        and _is_person(name)
        and _FIRST_PERSON.search(said)
    }
    return timed | alone


def _is_person(name: str) -> bool:
    if _CALLED.fullmatch(name):
        return True
    return name[0].isupper() and name[-1].islower()
