"""Secrets that only their name gives away: passwords, tokens and keys in assignments.

A name is found by its root, its value by what joins the two: an equals sign, a colon,
a flag, a header, a sentence. The value has to look like a secret.
"""

from __future__ import annotations

import re
from functools import cache

from agentctx.secretplain import plain_value
from agentctx.secretvalues import (
    UUID,
    cue,
    is_filler,
    is_mixed,
    is_mixed_phrase,
    is_phrase,
    is_wordy,
    looks_chosen,
    looks_random,
    stands_for_another,
)
from agentctx.secretwords import (
    DESCRIBES,
    PLAIN_KEYS,
    STRONG_KEYS,
    is_no_value,
    words_of,
)
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

PASSWORD, TOKEN, KEY, UNIQUE = "password", "token", "key", "id"

VALUE_ROOM = 2_000
NAME_ROOM = 48
LONG_RUN = 256
SHORT_ROOT = 6
PASS = 4
SEEN_BEFORE, SEEN_AFTER = 180, 480
MOST_SEEN = 1_000
SURE_SIZE = 24
STRONG_KEY, WEAK_KEY, SHORT_KEY = 16, 20, 10


class Named(NamedTuple):
    """Where the value of a telling name begins and ends, and the rule that says so."""

    start: int
    end: int
    rule: str


_LATIN = r"[A-Za-z\u00c0-\u024f]{0,4}"
_CYRILLIC = "[\u0430-\u044f\u0451]{0,4}"

_ROOTS: dict[str, tuple[str, str]] = {
    "pass": (PASSWORD, "(?:words?|wort|wd|phrase|code|key|ord|w|e)?"),
    "pwd": (PASSWORD, ""),
    "psk": (PASSWORD, ""),
    "pw": (PASSWORD, ""),
    "secret": (TOKEN, "(?:s|o)?"),
    "token": (TOKEN, ""),
    "key": (KEY, ""),
    "auth": (TOKEN, ""),
    "credential": (TOKEN, "s?"),
    "cred": (TOKEN, "s?"),
    "_pat": (TOKEN, ""),
    "mot de passe": (PASSWORD, ""),
    "contrase": (PASSWORD, r"(?:ñ|n|nh)as?"),
    "clave": (PASSWORD, ""),
    "senha": (PASSWORD, ""),
    "kennwort": (PASSWORD, ""),
    "wachtwoord": (PASSWORD, ""),
    "parola": (PASSWORD, ""),
    "heslo": (PASSWORD, ""),
    "jelsz": (PASSWORD, "[oó]"),
    "kata sandi": (PASSWORD, ""),
    "salasana": (PASSWORD, ""),
    "haslo": (PASSWORD, ""),
    "jeton": (TOKEN, ""),
    "chave": (TOKEN, ""),
    "chiave": (TOKEN, ""),
    "klucz": (TOKEN, ""),
}
"""ASCII roots of names: kind, and what may complete the word."""

_FOREIGN_ROOTS: dict[str, tuple[str, str]] = {
    "hasło": (PASSWORD, ""),
    "lösenord": (PASSWORD, "(?:et)?"),
    "adgangskode": (PASSWORD, "n?"),
    "şifre": (PASSWORD, _LATIN),
    "mật khẩu": (PASSWORD, ""),
    "парол": (PASSWORD, _CYRILLIC),
    "секрет": (TOKEN, _CYRILLIC),
    "токен": (TOKEN, _CYRILLIC),
    "ключ": (TOKEN, _CYRILLIC),
    "κωδικ": (PASSWORD, "[\u03b1-\u03c9\u03cc]{0,3}"),
    "סיסמ": (PASSWORD, "[\u05d0-\u05ea]{0,2}"),
    "كلمة المرور": (PASSWORD, ""),
    "كلمة السر": (PASSWORD, ""),
    "पासवर्ड": (PASSWORD, ""),
    "รหัสผ่าน": (PASSWORD, ""),
    "비밀번호": (PASSWORD, "[은는이가를]?"),
    "암호": (PASSWORD, "[는가를]?"),
    "토큰": (TOKEN, "[은이을]?"),
    "密码": (PASSWORD, ""),
    "密碼": (PASSWORD, ""),
    "口令": (PASSWORD, ""),
    "密钥": (TOKEN, ""),
    "密鑰": (TOKEN, ""),
    "秘钥": (TOKEN, ""),
    "令牌": (TOKEN, ""),
    "パスワード": (PASSWORD, ""),
    "パスフレーズ": (PASSWORD, ""),
    "秘密鍵": (TOKEN, ""),
    "トークン": (TOKEN, ""),
    "キー": (TOKEN, ""),
    "clé": (TOKEN, "s?"),
    "schlüssel": (TOKEN, "s?"),
    "geheimnis": (TOKEN, ""),
}


_BOUNDED = {"pw", "pwd", "psk", "key", "auth", "cred", "clave", "pass", "parola"}
"""Roots that are also parts of other words."""

_JOIN = (
    r"(?:\[\w{0,20}\])?[\\\"'`*\])}]{0,6}[^\S\n]{0,40}"
    r"(?:\??:\s?[A-Za-z_][\w\[\]|., ]{0,30}?\s?(?==))?"
    r"(?P<op>::?=|=>|->|[=!]==?|\|\|=?|\?\?=?|or(?=\s)|=|:(?!:|//)|：|＝|\||%3[DdAa]"
    r"|\\u003[da]|,|\(|→|—|–)[^\S\n]{0,40}\*{0,2}[^\S\n]{0,4}(?:(?:!!|&)[a-z]{1,12}[^\S\n]+)?"
)
_STRICT_JOINS = frozenset((",", "(", "—", "–", "→", "->", "|"))
_QUOTED_JOINS = frozenset((",", "(", "or", "||", "||=", "??", "??="))
_NEXT_LINE = r"\(?[^\S\n]{0,10}\r?\n\s{0,40}(?:`{3}[a-z]{0,10}\n|> )?"
_TAGS = r"[\"']?\s?>|</[\w:]{1,20}>\s{0,20}<[\w:]{1,20}>"
_BLOCK = r"[|>][-+]?[^\S\n]{0,4}\r?\n[^\S\n]{1,40}"
_PAIR = (
    r"[\"']?(?:,|/>|>|\s?\{|(?=\s))\s{0,40}(?:[a-z]{3,12}\s?=\s?[\w\"'.]{1,40}\s{1,20}){0,3}"
    r"[\"']?(?i:value|defaultvalue|stringvalue|val|default)[\"']?\s{0,4}[=:]\s{0,4}"
)
_COPULA = (
    r"(?:(?<!\w)(?:is now|is|was|ist|lautet|war|es|est|sera|é|è|jest|to be|to|är|er|on"
    r"|это|такой|изменили на|на|là|olarak|equals|now|ahora es|as|will be)(?!\w):?"
    r"|[:：=—–→]|->)(?:[^\S\n]{1,4}|(?=[\"'`«“「]))"
)
_TOLD_ROOM = 90
_SENTENCE_END = r"[.!?;]\s|[\n\"{}\[\],;<>|]|=\w"
_SAID = r"(?:[^\S\n]{1,3}(?:of|de|von|con|med|was|like))?[^\S\n]{1,3}"
_UNSPACED = (
    r"[\u3040-\u30ff\u3400-\u9fff]{0,8}?(?:是|为|為|は|が|：|:|改成|改为"
    r"|(?=[!-~]))[^\S\n]{0,4}(?=[!-~])"
)
_FIRST_UNSPACED = "\u3040"
_BEFORE = (
    r"(?:^|[\s\"'`«“(])(?P<p>[^\s\"'`«»“”]{8,80})[\"'`»”]?,?"
    r"\s(?:as|is|als|ist|como|es|comme|est|как|это|—)\s"
    r"(?:[\w-]{1,16}\s){0,3}\Z"
)
_BEFORE_ROOM = 120
_BEFORE_WORDS = r"\s(?:as|is|als|ist|como|es|comme|est|как|это|—)\s"
_QUOTE = (
    r"(?:new\s)?(?:[A-Za-z_][\w.:]{0,40}(?<!code)(?<!get)\()?(?:[bBrRuUfF@]{1,2}(?=[\"']))?"
    r"(?P<open>\\{0,3}(?:\"{3}|'{3}|[\"'`])|[“”„«‘「『])"
)
_CLOSERS = {"“": "”", "”": "”", "„": "“", "«": "»", "‘": "’", "「": "」", "『": "』"}
_SCHEME = r"(?i)(?:bearer|basic|token|apikey|digest|bot|negotiate|splunk)[^\S\n]+"
_BARE = (
    r"(?:[^\s\"'`;&,|<>()\[\]{}\\“”«»「」、。，；]"
    r"|[;&,|](?![\s\"'`]|\Z|[\w.%-]{1,40}[=:])"
    r"|[()\[\]{}<>](?![\s\"'`,;./]|\Z)|\\(?![nrt\"'`\\])){1,2000}"
)
_ENDING = r"(?:[.,;:)\]}>\\…]|(?<=[a-z])\?)+\Z"


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


class _Value(NamedTuple):
    start: int
    end: int
    quoted: bool


class _Name(NamedTuple):
    """A telling name: the identifier's place, the root's kind, what qualifies it."""

    start: int
    end: int
    kind: str
    strong: bool
    told: bool = True


def named_secrets(text: str, lowered: str, words: str) -> Iterator[Named]:
    """Find the values of telling names; `lowered` keeps the place of every character.

    `words` are the text's different words, lowered: most roots are in none of them.
    """
    search = _Search(text, lowered)
    foreign = ""
    if not text.isascii():
        foreign = "\n".join(word for word in words.split("\n") if not word.isascii())
    for table, held in ((_ROOTS, words), (_FOREIGN_ROOTS, foreign)):
        for root, (kind, rest) in table.items() if held else ():
            if cue(root) in held:
                yield from search.run(root, kind, rest)


class _Search:
    """One walk over a text's names.

    `dead` is the end of a long run that was looked at and held no secret: a name inside
    it would have the rest of the same run as its value.
    """

    def __init__(self, text: str, lowered: str) -> None:
        self.text = text
        self.lowered = lowered
        self.dead = self.reach = 0
        self.root = ""
        self.judged: dict[tuple[str, str, bool, bool, bool], bool] = {}

    def run(self, root: str, kind: str, rest: str) -> Iterator[Named]:
        """Find the values of the names that are built on one root.

        A name whose surroundings were all seen before, and told nothing, is passed by.
        """
        self.dead, self.root = 0, root
        seen: set[str] = set()
        place = self.lowered.find(root)
        while place >= 0:
            after = place + len(root)
            around = self.text[max(0, place - SEEN_BEFORE) : place + SEEN_AFTER]
            if around not in seen:
                self.reach = place
                name = self._name(place, root, kind, rest)
                found = None if name is None else self._value_of(name)
                if found is not None:
                    yield found
                    after = max(after, found.end)
                elif (
                    len(around) == SEEN_BEFORE + SEEN_AFTER
                    and self.reach < place + SEEN_AFTER
                    and len(seen) < MOST_SEEN
                ):
                    seen.add(around)
            place = self.lowered.find(root, max(after, self.dead - SEEN_BEFORE))

    def _name(self, place: int, root: str, kind: str, rest: str) -> _Name | None:
        """Read the whole name around a root, or find that it is another word."""
        text = self.text
        match = _compiled(rest).match(self.lowered, place + len(root))
        end = place + len(root) if match is None else match.end()
        if not root.isascii():
            return _Name(place, end, kind, strong=True)
        suffix = _compiled(r"[A-Za-z0-9_-]{0,40}").match(text, end)
        assert suffix is not None
        if suffix[0][:1].islower() and not (
            text[place:end].isupper() or suffix[0] in {"s", "es"}
        ):
            return None
        last = _compiled(r"[A-Z]?[a-z0-9]+|[A-Z0-9]+").findall(suffix[0])
        if last and last[-1].lower() in words_of(DESCRIBES):
            if root != "secret" or suffix[0].lower() not in {"_id", "id", "-id"}:
                return None
            return _Name(place, suffix.end(), UNIQUE, strong=True, told=False)
        start = self._start(place)
        head = text[start:place]
        if (
            root in _BOUNDED
            and end - place < SHORT_ROOT
            and not self._bounded(place, head)
        ):
            return None
        stop = suffix.end() - (suffix[0].endswith("-") and "--" in suffix[0])
        if kind != KEY:
            told = stop - start > PASS or root in {"pw", "pwd"}
            plural = suffix[0].startswith("s") or text[end - 1] in "sS"
            told = told and (not plural or end - place == PASS)
            return _Name(start, stop, kind, strong=True, told=told)
        return self._key(start, place, stop)

    def _start(self, place: int) -> int:
        low = max(0, place - NAME_ROOM)
        turned = self.text[low:place][::-1]
        match = _compiled(r"[A-Za-z0-9_.$-]*").match(turned)
        assert match is not None
        return place - match.end()

    def _bounded(self, place: int, head: str) -> bool:
        if not head or not head[-1].isalnum() or head[0] == "-":
            return True
        here = self.text[place]
        compound = _compiled(
            r"(?i)(?:api|access|secret|private|auth|account|ssh|db|app|user|admin|root"
            r"|store|smtp|ftp|mail|login|vpn|wifi)"
        )
        return (
            (here.isupper() and not head[-1].isupper())
            or (here.isupper() and head.isupper())
            or head[-1].isdigit()
            or compound.fullmatch(_compiled(r"[A-Za-z]*\Z").findall(head)[0])
            is not None
        )

    def _key(self, start: int, place: int, end: int) -> _Name | None:
        """Accept a key that something qualifies: `api_key`, `API key`, `HMAC_KEY`."""
        head = self.text[start:place]
        if not head.strip("-_.$"):
            before = self.text[max(0, start - 24) : start]
            match = _compiled(r"([A-Za-z]{2,20})[ -]\Z").search(before)
            head = "" if match is None else match[1]
            start = start if match is None else start - len(match[0])
            if head.lower() not in words_of(STRONG_KEYS):
                return None
        pieces = _compiled(r"[A-Z]?[a-z0-9]+|[A-Z0-9]+").findall(head)
        if not pieces or pieces[-1].lower() in words_of(PLAIN_KEYS):
            return None
        strong = any(piece.lower() in words_of(STRONG_KEYS) for piece in pieces)
        strong = strong or head.isupper()
        return _Name(start, end, KEY, strong=strong, told=strong)

    def _value_of(self, name: _Name) -> Named | None:
        """Try every way of joining a name and a value, the plainest first."""
        first = True
        for value, strict in self._joined(name):
            found = self._judged(name, value, strict=strict)
            if found is None and first:
                found = self._plain(name)
            if found is not None:
                return found
            first = False
        return self._plain(name) if first else None

    def _plain(self, name: _Name) -> Named | None:
        if not name.strong or name.kind == UNIQUE:
            return None
        password = name.kind == PASSWORD
        place = plain_value(self.text, self.lowered, name[:2], password=password)
        return None if place is None else Named(*place, f"named-{name.kind}")

    def _joined(self, name: _Name) -> Iterator[tuple[_Value, bool]]:
        text, end = self.text, name.end
        join = _compiled(_JOIN).match(text, end)
        if join is not None:
            at = join.end()
            block = _compiled(_BLOCK).match(text, at) if join["op"] == ":" else None
            at = at if block is None else block.end()
            yield from self._after_join(name, join["op"], at)
        pair = _compiled(_PAIR).match(text, end)
        if pair is not None:
            yield from self._values(pair.end(), strict=False)
        flag = text[name.start : name.start + 1] == "-"
        tags = _compiled(_TAGS).match(text, end)
        if tags is not None:
            yield from self._values(tags.end(), strict=False)
        if (
            (flag or name.told)
            and text[end : end + 1].isspace()
            and text[end] not in "\r\n"
        ):
            gap = _compiled(r"[^\S\n]+").match(text, end, end + 8)
            assert gap is not None
            yield from self._values(gap.end(), strict=not flag and not name.strong)
        if name.told:
            yield from self._told(name)

    def _after_join(
        self, name: _Name, op: str, at: int
    ) -> Iterator[tuple[_Value, bool]]:
        text = self.text
        value = self._value(at, bare=op not in _QUOTED_JOINS)
        if value is not None:
            yield value, op in _STRICT_JOINS
        if op in {":", "=", "：", "=>", ":="}:
            lower = _compiled(_NEXT_LINE).match(text, at)
            value = None if lower is None else self._value(lower.end())
            if value is not None:
                yield value, not value.quoted or " " in text[value.start : value.end]
            if "phrase" in self.lowered[name.start : name.end]:
                line = _compiled(r"[^\n\"']{0,300}").match(text, at)
                assert line is not None
                self.reach = max(self.reach, line.end())
                yield _Value(at, line.end(), quoted=True), False

    def _told(self, name: _Name) -> Iterator[tuple[_Value, bool]]:
        """Look for a value that a sentence gives to a name, before or after it."""
        text, end = self.text, name.end
        unspaced = text[end - 1] >= _FIRST_UNSPACED
        told = _compiled(_UNSPACED if unspaced else _SAID).match(text, end)
        if told is not None:
            yield from self._values(told.end(), strict=True)
        room = end + _TOLD_ROOM
        stop = _compiled(_SENTENCE_END).search(text, end, room)
        room = room if stop is None else stop.start()
        again = self.lowered.find(self.root, end, room)
        room = room if again < 0 else again
        for copula in _compiled(_COPULA).finditer(text, end, room):
            yield from self._values(copula.end(), strict=True)
            if not copula[0][:1].isalpha():
                break
        before = text[max(0, name.start - _BEFORE_ROOM) : name.start]
        if _compiled(_BEFORE_WORDS).search(before, max(0, len(before) - 36)):
            used = _compiled(_BEFORE).search(before)
            if used is not None:
                offset = name.start - len(before)
                first, last = offset + used.start("p"), offset + used.end("p")
                yield _Value(first, last, quoted=False), True

    def _values(self, at: int, *, strict: bool) -> Iterator[tuple[_Value, bool]]:
        value = self._value(at)
        if value is not None:
            yield value, strict

    def _value(self, at: int, *, bare: bool = True) -> _Value | None:
        """Give the value that begins here: what quotes enclose, or a bare word."""
        text = self.text
        quote = _compiled(_QUOTE).match(text, at)
        if quote is not None:
            opened = quote["open"]
            closer = _CLOSERS.get(opened, opened)
            close = text.find(closer, quote.end(), quote.end() + VALUE_ROOM)
            line = text.find("\n", quote.end(), quote.end() + VALUE_ROOM)
            self.reach = max(
                self.reach, quote.end() + VALUE_ROOM if close < 0 else close
            )
            if close >= 0 and not 0 <= line < close:
                return _Value(quote.end(), close, quoted=True)
            at = quote.end()
        if at < self.dead:
            self.reach = self.dead + VALUE_ROOM
            return None
        word = _compiled(_BARE).match(text, at) if bare else None
        if word is None:
            return None
        self.reach = max(self.reach, word.end())
        ending = _compiled(_ENDING).search(word[0])
        return _Value(
            at, word.end() if ending is None else at + ending.start(), quoted=False
        )

    def _judged(self, name: _Name, value: _Value, *, strict: bool) -> Named | None:
        start, end, quoted = value
        scheme = _compiled(_SCHEME).match(self.text, start, end)
        start = start if scheme is None else scheme.end()
        while end > start and self.text[end - 1].isspace():
            end -= 1
        while start < end and self.text[start].isspace():
            start += 1
        held = self.text[start:end]
        case = held, name.kind, name.strong, strict, quoted
        secret = self.judged.get(case)
        if secret is None:
            secret = _is_secret(held, name, strict=strict, quoted=quoted)
            if len(self.judged) < MOST_SEEN:
                self.judged[case] = secret
        if secret:
            return Named(start, end, f"named-{name.kind}")
        if not quoted and end - start > LONG_RUN:
            self.dead = end
        return None


def _is_secret(value: str, name: _Name, *, strict: bool, quoted: bool) -> bool:
    if not value or is_filler(value) or stands_for_another(value):
        return False
    if is_no_value(value):
        return False
    if name.kind == UNIQUE:
        return _compiled(UUID).fullmatch(value) is not None
    if _compiled(r"\s").search(value):
        return name.kind == PASSWORD and quoted and not strict and _is_spaced(value)
    if name.kind == PASSWORD:
        if strict and _compiled(UUID).fullmatch(value) is not None:
            return False
        return looks_chosen(value, strict=strict) or (
            is_phrase(value) and (not strict or "-" in value)
        )
    if looks_random(value, least=STRONG_KEY if name.strong else WEAK_KEY):
        return not strict or len(value) >= SURE_SIZE or is_mixed(value)
    return (
        name.strong
        and not strict
        and len(value) >= SHORT_KEY
        and looks_chosen(value, strict=True)
        and not is_wordy(value)
    )


def _is_spaced(value: str) -> bool:
    app = _compiled(r"[a-z]{4}(?: [a-z]{4}){3}").fullmatch(value)
    return is_phrase(value) or is_mixed_phrase(value) or app is not None
