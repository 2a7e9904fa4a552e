"""Plain passwords and tokens: any value that a strong name is given.

What is not a secret is known by its look: a placeholder, a call, a type, the name of
another value, a word of prose. Every look-ahead is bounded.
"""

from __future__ import annotations

import re
from functools import cache

from agentctx.secretvalues import is_placeholder, refers_elsewhere
from agentctx.secretwords import is_common, is_no_value, names_a_value

SHORTEST, LONGEST = 4, 200
SENTENCE_SIZE = 6
PAIR_ROOM = 90
FIRST_CJK = "\u2e80"

_STRONG = (
    r"(?:passw(?:or)?d|passwort|passphrase|passcode|passw|pass|pwd|pw|psk|secreto?|token"
    r"|mot de passe|passe|contrase(?:ñ|n|nh)a|clave|senha|kennwort|wachtwoord|parola"
    r"|heslo|has[lł]o|lösenord|şifre|jeton|парол[а-яё]{0,2}|секрет|токен[а-яё]{0,2}"
    r"|(?:api|access|secret|private|encryption|signing|master|client|auth|app|account"
    r"|service|admin|webhook)[-_. ]?key|密码|密碼|口令|密钥|密鑰|秘钥|令牌|パスワード"
    r"|סיסמ[א-ת]{0,2}|كلمة المرور"
    r"|كلمة السر|mật khẩu|पासवर्ड|รหัสผ่าน|adgangskode|salasana|jelsz[oó]|kata sandi"
    r"|パスフレーズ|トークン|비밀번호[은는이가를]?|암호[는가를]?|토큰[은이을]?)"
    r"(?:[-_]?(?:\d{1,4}|prod|production|dev|stage|staging|test|local|live|value|plain"
    r"|old|new|root|admin|main))?\Z"
)
_JOIN = (
    r"(?:\.(?:value|text|default))?"
    r"(?:\[\w{0,20}\])?[\\\"'`*\]]{0,6}[^\S\n]{0,12}"
    r"(?::\s?[A-Za-z_][\w\[\]|., ]{0,30}?\s?(?==))?"
    r"(?P<op>:=|=>|[=!]==?|=|:(?![:=]|//)|：|＝|%3[Dd])"
    r"(?P<gap>[^\S\n]{0,12}\*{0,2}[^\S\n]{0,2})"
)
_QUOTED = r"[bBrRuU@]?\\{0,3}(?P<q>[\"'`])(?P<v>[^\s\"'`\\]{1,200})\\{0,3}(?P=q)"
_GUILLEMETS = r"[“„«「『]\s?(?P<v>[^\s“”„«»「」『』\"]{1,200})\s?[”“»」』]"
_BARE = r"(?P<v>[^\s\"'`;,&|<>()\[\]{}\\“”«»「」、。，；]{1,200})(?P<after>[(\[{<]?)"
_SAID = (
    r"[\"'`*]{0,2}[^\S\n]{1,3}(?:\([^()\n]{1,30}\)[^\S\n])?"
    r"(?:(?:for|of|to|on|in|from|für|vom|pour|para|de|del|da|per|di|от|для|к)"
    r"(?:[^\S\n][\w.'/-]{1,24}){1,4}?(?:[^\S\n]|(?=:)))?"
    r"(?:(?:(?:is|was|has been)[^\S\n])?(?:set|reset|changed|updated) to"
    r"|is now|is|was|will be|should be|lautet|ist|est|es|é|è"
    r"|это|такой|[—–=-]|(?<=\w)(?=:))(?::)?[^\S\n]{1,2}"
)
_SAID_UNSPACED = (
    r"[^\S\n]{0,2}(?:是|为|為|は|が|改成|改为|就是|设为|設定は)?[：:]?[^\S\n]{0,2}"
    r"(?P<v>[!-~]{4,200})"
)
_SPELLED = r"\Z|[^\w]|です|だ|でし|입니다|이다"
_SAID_LETTERS = (
    r"[^\S\n]{0,2}(?:[：:]|是[：:]?)[^\S\n]{0,2}"
    r"(?P<v>[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{4,12})(?=\s|[。.，,]|\Z)"
)
_SAYS_MORE = (
    r"[的是不请請已无無]|输入|輸入|必填|必须|必須|可选|设置|設定|加密|错误|修改|确认|重置"
    r"|字符|为空"
    r"|过期|长度|を|ください|入力|です|ます|する|変更|必要|忘れ|有効"
    r"|무효|입력|하세요|필수|변경|습니다|오류"
)
_LOGIN = (
    r"(?:\b(?:log[ -]?in|sign in|user(?:name)?|usr|account|e-?mail|usuario|utilisateur"
    r"|benutzer(?:name)?|utente|usuário|логин|пользователь)|用户名?|账号|ユーザー名?)"
    r"(?:(?: as| with)?[\s:=：]{1,3}[^\s/|]{0,40}[^\s/|,;，])"
    r"\s{0,2}(?P<sep>[/,|;，]?)\s{0,2}\Z"
)
_CREDENTIALS = r"cred(?:ential)?s\s?[:=]\s?[^\s/:]{1,40}\s?[/:]\s?(?!/)"
_BOTH = r"(?:user(?:name)?|login|логин)\s?/\s?\Z"
_SET_BEFORE = r"\b(?:re)?(?:set|chang|updat)(?:e|ed|ing)?\b[^\n.]{0,30}\Z"
_SET_TO = r"[^\S\n]to:?[^\S\n]"
_USED = (
    r"\buse (?P<v>[^\W\d_][^\s\"'`]{3,60}) as"
    r" (?:the |my |a |your |our )?(?:[a-z]{2,12} )?\Z"
)
_SPACED = r"[^\S\n]{1,2}"
_CELL = r"`?[^\S\n]{0,20}\|[^\S\n]{0,20}`?(?P<v>[^\s|`<]{4,80})`?[^\S\n]{0,20}\|"
_FIRST_CELL = (
    r"\|[^\S\n]{1,20}[`*]{0,2}"
    r"(?:(?:[\w-]{1,16}[ _]){0,2}passw\w{0,8}|[\w-]{0,16}pwd)\Z"
)
_ELEMENT = r"[\"']?>(?P<v>[^\s<>&]{4,200})</"
_ATTRIBUTE = (
    r"[\"'](?:,|/?>)?\s{0,4}[\"']?(?i:value|default)[\"']?\s?[=:]\s?"
    r"[\"'](?P<v>[^\s\"'<>]{4,200})[\"']"
)
_OR_ELSE = r"[\"'\])]{0,3}\s(?:\|\||\?\?|or)\s[\"'](?P<v>[^\s\"'<>]{4,200})[\"']"
_CALLED = r"\([\"'](?P<v>[^\s\"'<>]{4,200})[\"']\)"
_CALLS = r"(?:set|change|with|check|verify|reset|update)_?(?:\Z|passw)"
_READ_OR_ELSE = r"[\"'],\s?[\"'](?P<v>[^\s\"'<>]{4,200})[\"']\)"
_READS = r"(?:getenv|environ\.get|\benv|fetch)\([\"'][\w-]{0,40}\Z"
_SLASHED = r"\S\s/\s\Z"
_GIVEN = r"[\"'`*]{0,2}(?:[^\S\n]{0,2}[:=：])?[^\S\n]{1,2}"
_ENDING = r"[.,:;!?)…]+\Z"
_CLOSES = (
    r"(?:[.,;!?)]+|[^\S\n]{1,2}(?:and|und|et|y|e|и|or)\b"
    r"|[^\S\n]{0,4}(?:\Z|\r?\n|[#(/|,;]|--|—))"
)
_TYPE = r"[A-Z][a-z]+(?:[A-Z][a-z]+)+|[A-Z][a-z]*[?!]"

_COMPARISONS = frozenset(("==", "!=", "===", "!=="))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def plain_value(
    text: str, lowered: str, name: tuple[int, int], *, password: bool
) -> tuple[int, int] | None:
    """Give the place of the value that the name at this place is given, if any."""
    start, end = name
    strong = _compiled(_STRONG).search(lowered, max(start, end - 40), end)
    if strong is None:
        both = _compiled(_CREDENTIALS).match(lowered, start)
        bare = None if both is None else _bare(text, both.end())
        return bare if bare and _has_both(text[bare[0] : bare[1]]) else None
    join = _compiled(_JOIN).match(text, end)
    if join is not None and lowered[start:end] != "pass":
        return _assigned(text, join, lowered[start:end], password=password)
    enclosed = _enclosed(text, lowered, name, password=password)
    if enclosed is not None:
        return enclosed
    if text[end - 1] >= FIRST_CJK:
        return _told_unspaced(text, end)
    told = _compiled(_SAID).match(text, end)
    if told is None:
        told = _compiled(_SET_TO).match(text, end)
        before = lowered[max(0, start - 40) : start]
        if told is not None and _compiled(_SET_BEFORE).search(before) is None:
            return None
    if told is not None:
        return _told(text, told.end(), password=password)
    if password:
        return _paired(text, lowered, name)
    given = _compiled(_SPACED).match(text, end) if text[start] == "-" else None
    bare = None if given is None else _bare(text, given.end())
    held = "" if bare is None else text[bare[0] : bare[1]]
    return None if names_a_value(held) or not _has_both(held) else bare


def _enclosed(
    text: str, lowered: str, name: tuple[int, int], *, password: bool
) -> tuple[int, int] | None:
    """Judge a value that markup or code encloses: an element, a cell, an argument."""
    start, end = name
    before = lowered[max(0, start - 24) : end]
    for pattern, wanted in (
        (_CELL, _FIRST_CELL),
        (_ELEMENT, None),
        (_ATTRIBUTE, None),
        (_OR_ELSE, None),
        (_CALLED, _CALLS),
        (_READ_OR_ELSE, _READS),
    ):
        match = _compiled(pattern).match(text, end)
        if match is None or (wanted and _compiled(wanted).search(before) is None):
            continue
        value = match["v"]
        plain = _is_none(value, lowered[start:end]) or names_a_value(value)
        plain = plain or is_common(value) or not (password or _has_both(value))
        return None if plain else match.span("v")
    return None


def _assigned(
    text: str, join: re.Match[str], name: str, *, password: bool
) -> tuple[int, int] | None:
    """Judge what stands after an equals sign or a colon."""
    compared = join["op"] in _COMPARISONS
    quoted = _quoted(text, join.end())
    if quoted is not None:
        value = quoted["v"]
        snake = "_" in value and value.islower() and names_a_value(value)
        if snake or _is_none(value, name) or (not password and _is_number(value)):
            return None
        told = password or not compared or _has_both(value)
        return quoted.span("v") if told else None
    bare = None if compared else _bare(text, join.end())
    return (
        None if bare is None else _unquoted(text, join, name, bare, password=password)
    )


def _unquoted(
    text: str, join: re.Match[str], name: str, bare: tuple[int, int], *, password: bool
) -> tuple[int, int] | None:
    start, end = bare
    value, op = text[start:end], join["op"]
    if _is_none(value, name) or names_a_value(value) or _is_type(value, op):
        return None
    if any(map(str.isdigit, value)):
        return None if not password and _is_number(value) else bare
    if not (value[0].isalpha() and value.isprintable()):
        return bare if password else None
    if value[0] >= FIRST_CJK:
        return _told_unspaced(text, join.start())
    close = op == "=" and not join["gap"] and text[join.start("op") - 1] != " "
    if close:
        return bare
    ends = _compiled(_CLOSES).match(text, end) is not None
    loose = password or "secret" in name or "секрет" in name
    return bare if ends and loose and not is_common(value, assigned=True) else None


def _told(text: str, at: int, *, password: bool) -> tuple[int, int] | None:
    """Judge the word after `the password is`."""
    quoted = _quoted(text, at)
    if quoted is not None:
        value = quoted["v"]
        wrong = is_common(value) or _is_none(value, "") or names_a_value(value)
        wrong = wrong or not (password or _has_both(value))
        return None if wrong else quoted.span("v")
    bare = _bare(text, at)
    if bare is None:
        return None
    start, end = bare
    value = text[start:end]
    if is_common(value) or _is_none(value, "") or names_a_value(value):
        return None
    if _has_both(value) and end - start >= SENTENCE_SIZE:
        return None if _is_reference(value) else bare
    if not (password and value.isalpha() and value[0] < FIRST_CJK):
        return None
    return bare if _compiled(_CLOSES).match(text, end) is not None else None


def _told_unspaced(text: str, end: int) -> tuple[int, int] | None:
    """Judge what follows a name in a script that writes no spaces."""
    told = _compiled(_SAID_UNSPACED).match(text, end)
    if told is not None:
        bare = _bare(text, told.start("v"))
        if bare is None or not text[bare[0]].isalnum():
            return None
        bare = bare[0], min(bare[1], told.end("v"))
        value = text[bare[0] : bare[1]]
        if _compiled(_SPELLED).match(text, bare[1]) is None and not _has_both(value):
            return None
        joined = any(mark in text[end : bare[0]] for mark in ":：是为為はが")
        wrong = _is_none(value, "") or names_a_value(value) or is_common(value)
        return bare if not wrong and (joined or _has_both(value)) else None
    letters = _compiled(_SAID_LETTERS).match(text, end)
    if letters is None or _compiled(_SAYS_MORE).search(letters["v"]) is not None:
        return None
    return letters.span("v")


def _paired(text: str, lowered: str, name: tuple[int, int]) -> tuple[int, int] | None:
    """Judge what follows a password's name after a login: `admin / pass X`."""
    start, end = name
    before = lowered[max(0, start - PAIR_ROOM) : start]
    closes = before.endswith(" ") and _compiled(_CLOSES).match(text, end) is not None
    used = _compiled(_USED).search(before) if closes else None
    if used is not None and not is_common(used["v"]) and not _is_none(used["v"], ""):
        offset = start - len(before)
        return offset + used.start("v"), offset + used.end("v")
    given = _compiled(_GIVEN).match(text, end)
    bare = None if given is None else _bare(text, given.end())
    if bare is None:
        return None
    value = text[bare[0] : bare[1]]
    if _is_none(value, "") or names_a_value(value) or is_common(value):
        return None
    if lowered[start : start + 1] == "-":
        plain = value.isupper() or value[0] in "-/" or not value[0].isalnum()
        return None if plain else bare
    sure = _has_both(value) and not _is_reference(value)
    closed = sure or _compiled(_CLOSES).match(text, bare[1]) is not None
    login = _compiled(_LOGIN).search(before)
    if login is not None and (sure or login["sep"]):
        return bare if closed else None
    if _compiled(_BOTH).search(before) is not None and "/" in value[1:-1]:
        return bare
    if _compiled(_SLASHED).search(before[-4:]) is not None:
        return bare if sure else None
    long = end - start > len("pass") and len(value) >= SENTENCE_SIZE
    return bare if sure and long else None


def _quoted(text: str, at: int) -> re.Match[str] | None:
    return _compiled(_QUOTED).match(text, at) or _compiled(_GUILLEMETS).match(text, at)


def _bare(text: str, at: int) -> tuple[int, int] | None:
    match = _compiled(_BARE).match(text, at)
    if match is None or match["after"] or len(match["v"]) >= LONGEST:
        return None
    if is_placeholder(match["v"]):
        return None
    ending = _compiled(_ENDING).search(match["v"])
    end = match.end("v") if ending is None else match.start("v") + ending.start()
    # An exclamation mark may belong to a password; a full stop hardly ever does.
    if ending is not None and ending[0] == "!" and not match["v"][:-1].isalpha():
        end += 1
    return (at, end) if end - at >= SHORTEST else None


def _is_none(value: str, name: str) -> bool:
    """Say whether a value plainly is none, wherever it stands."""
    if len(value) < SHORTEST or value[0] in "$<{%=~" or value.lower() == name:
        return True
    if is_no_value(value) or is_placeholder(value) or refers_elsewhere(value):
        return True
    return not any(map(str.isalnum, value)) or value.rstrip("=:") != value != name


def _is_type(value: str, op: str) -> bool:
    return op == ":" and _compiled(_TYPE).fullmatch(value) is not None


def _is_number(value: str) -> bool:
    return (
        _compiled(r"[\d_.,]+(?:\*\w+|[A-Za-z%]{0,3})|#[0-9A-Fa-f]{3,8}").fullmatch(
            value
        )
        is not None
    )


def _is_reference(value: str) -> bool:
    """Say whether a value is a version, a standard, a date or the name of a hash."""
    return (
        _compiled(
            r"(?i)v?\d[\d._:-]*[a-z]{0,6}|(?:rfc|iso|sha|hs|rs|es|utf|aes|md|base|pep"
            r"|argon|pbkdf|bcrypt|hmac|oauth|ecdsa|ed)[-_]?\d.*|\d+-?[a-z]+(?:-[a-z]+)*"
        ).fullmatch(value)
        is not None
    )


def _has_both(value: str) -> bool:
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))
