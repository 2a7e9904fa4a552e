"""Secrets that their place gives away: key blocks, headers, cookies, URLs, commands."""

from __future__ import annotations

import re
from functools import cache

from agentctx.secretnames import Named
from agentctx.secretvalues import (
    UUID,
    cue,
    is_filler,
    is_told_filler,
    is_wordy,
    looks_chosen,
    looks_random,
    refers_elsewhere,
    stands_for_another,
)
from agentctx.secretwords import is_no_value
from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BLOCK_ROOM = 16_000
SHORTEST_IN_URL = 3
SHORTEST_TYPED = 5
"""How far before the end of a key block its beginning may be."""

_BEGIN = r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_END = r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_KEY_HEADERS = (
    r"(?:(?:\s|\\[nr]|[\"'>#|,+]){0,16}[A-Z][A-Za-z-]{2,20}: [^\n\\]{0,120}){0,6}"
)
_KEY_BODY = r"[A-Za-z0-9+/=\s\\\"'>#|,*.]*(?:-(?!-)[A-Za-z0-9+/=\s\\\"'>#|,*.]*)*"
_KEY_CHUNKS = r"(?:[\s\\\"'>#|,*+-]{0,24}[A-Za-z0-9+/=]{16,})*"
_KEY_MATERIAL = r"[A-Za-z0-9+/]{24}"

_AUTHORIZATION = (
    r"(?i)authori[sz]ation[\\\"'`*\]]{0,4}\s{0,4}(?:[:=,]|=>|：)"
    r"\s{0,4}[\\\"'`*]{0,4}\s{0,2}"
    r"(?:[A-Za-z0-9-]{2,20}[^\S\n]+(?:token=|credential=)?)?[\"']?"
)
_HEADER_VALUE = r"[^\s\"'`,;<>\\{}()]{1,}"
_SCHEMES = r"(?i)(?:bearer|basic)(?:[^\S\n]{1,4}|%20|\+)"
_COOKIE = (
    r"(?i)(?:set-)?cookie[s2]?[\\\"'`]{0,3}\s{0,4}(?:[:=]|=>|,)\s{0,4}[\\\"'`]{0,4}"
)
_COOKIE_PAIR = r"\s{0,4}([^\s=;,\"'`\\]{1,64})=([^\s;,\"'`\\]*)(?:;|\\?[\"'`]|\s|,|\Z)"
_COOKIE_TABLE = (
    r"\{\s{0,10}[\"'][\w.-]{1,64}[\"']\s{0,4}(?::|=>)\s{0,4}[\"']"
    r"(?P<p>[^\"'\n]{1,4000})[\"']"
)
_COOKIE_PLAIN = (
    r"(?i)(?:path|domain|expires|max-age|samesite|secure|httponly|lang|locale|theme|tz"
    r"|_ga.*|_gid|consent|version)"
)
_USER_AND_MORE = (
    r"[^\s/:@\"'`<>\[\]()|,]{0,100}:(?P<p>[^\s/\"'`<>]{1,200})@(?=[\w\[$%{.-])"
)
_USER_ALONE = r"(?P<p>[A-Za-z0-9_~.-]{16,200})(?::(?:x-oauth-basic)?)?@(?=[\w\[])"
_DEFAULT_LOGINS = frozenset(
    [
        "user",
        "pass",
        "password",
        "passwd",
        "pwd",
        "pw",
        "secret",
        "token",
        "username",
        "postgres",
        "root",
        "admin",
        "guest",
        "mysql",
        "test",
        "example",
        "mypassword",
        "changeme",
        "redis",
        "mongo",
        "app",
    ]
)

_QUOTED = r"(?P<q>[\"']?)(?P<p>[^\s\"']+)(?P=q)"
_COMMANDS: dict[str, str] = {
    "mysql": r"(?:dump|admin|import|sh)?\b[^\n|;]{0,200}?\s-p(?!\s|\d+\b)" + _QUOTED,
    "mariadb": r"(?:-dump)?\b[^\n|;]{0,200}?\s-p(?!\s)" + _QUOTED,
    "sshpass": r"\s{1,4}-p\s{0,4}" + _QUOTED,
    "redis-cli": r"\b[^\n|;]{0,200}?\s-a\s{1,4}" + _QUOTED,
    "curl": r"\b[^\n]{0,300}?\s(?:-u|--user|--proxy-user|-U)[\s=]{0,4}"
    r"[\"']?[^\s:\"']{1,64}:"
    r"(?P<p>[^\s\"']+)",
    "docker login": r"\b[^\n]{0,200}?\s-p\s{1,4}" + _QUOTED,
    "podman login": r"\b[^\n]{0,200}?\s-p\s{1,4}" + _QUOTED,
    "helm registry login": r"\b[^\n]{0,200}?\s-p\s{1,4}" + _QUOTED,
    "identified by": r"\s{1,4}(?i:password\s{1,4})?[\"'](?P<p>[^\"'\n]{1,200})[\"']",
    "smbclient": r"\b[^\n]{0,200}?\s-U\s{0,4}[\"']?[\w\\/.-]{1,40}%(?P<p>[^\s\"']+)",
    "7z": r"\b[^\n]{0,100}?\s-p" + _QUOTED,
    "zip": r"\b[^\n]{0,100}?\s-P\s{0,4}" + _QUOTED,
    "http ": r"[^\n]{0,100}?\s-a\s{1,4}[\"']?[\w.@-]{1,40}:(?P<p>[^\s\"']+)",
    "ldapsearch": r"\b[^\n]{0,200}?\s-w\s{1,4}" + _QUOTED,
    "sqlcmd": r"\b[^\n]{0,200}?\s-P\s{1,4}" + _QUOTED,
    "az login": r"\b[^\n]{0,200}?\s(?:-p|--password)[\s=]{1,4}" + _QUOTED,
    "net user": r"\s{1,4}[^\s/]{1,64}\s{1,4}(?![/*])" + _QUOTED,
    "vault login": r"\s{1,4}(?:token=)?(?P<p>[\w.-]{16,})",
    "encrypt_string": r"\s{1,4}(?![-])" + _QUOTED,
    "echo": r"\s{1,4}(?:-n\s{1,4})?[\"']?(?:[\w.-]{1,40}:)?"
    r"(?P<p>[^\s\"'|:]{5,200})[\"']?\s{0,4}"
    r"\|\s{0,4}(?:sudo\s{1,4}(?:-S|chpasswd|passwd)|chpasswd|passwd"
    r"|(?:docker|podman|helm|gh|npm)\s[^\n]{0,80}login|kinit|su\b)",
    "mongo": r"(?:sh|dump|restore|export)?\b[^\n|;]{0,200}?\s-p\s{1,4}" + _QUOTED,
    ":5432:": r"[\w*.-]{1,64}:[\w*.@-]{1,64}:(?P<p>[^\s:]+)",
    ":*:*:": r"[\w*.@-]{1,64}:(?P<p>[^\s:]+)",
}
_SEED = (
    r"(?:[^\n\w]{1,6}|\s(?:is|was|phrase|words)\b[:\s]{1,4}){1,3}"
    r"(?P<p>[a-z]{3,8}(?:\s[a-z]{3,8}){11,23})\b"
)
_SESSIONS = (
    r"(?i)(?:phpsessid|jsessionid|sessionid|connect\.sid|laravel_session"
    r"|asp\.net_sessionid|[\w.-]{0,30}session_token)=[\"']?(?P<p>[\w%.~+/-]{16,})"
)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def placed_secrets(text: str, lowered: str, words: str) -> Iterator[Named]:
    """Find what stands where only secrets stand; `lowered` keeps every place.

    `words` are the text's different words, lowered: most anchors are in none of them.
    """
    searches: tuple[tuple[str, Callable[[str, str], Iterator[Named]]], ...] = (
        ("-----begin", _key_blocks),
        ("-----end", _key_blocks),
        ("authori", _authorizations),
        ("bearer", _schemes),
        ("basic", _schemes),
        ("cookie", _cookies),
        ("sess", _sessions),
        ("connect.sid", _sessions),
        ("://", _urls),
        ("mnemonic", _seeds),
        ("phrase", _seeds),
        ("seed", _seeds),
    )
    done = set()
    for anchor, search in searches:
        if search not in done and anchor in words:
            done.add(search)
            yield from search(text, lowered)
    for command in _COMMANDS:
        if cue(command) in words:
            yield from _commands(text, lowered, command)


def _places(lowered: str, anchor: str) -> Iterator[int]:
    place = lowered.find(anchor)
    while place >= 0:
        yield place
        place = lowered.find(anchor, place + len(anchor))


def _key_blocks(text: str, _: str) -> Iterator[Named]:
    """Find private keys, whole, cut off at either end, and written on one line."""
    done = 0
    for place in _places(text, "PRIVATE KEY"):
        if place < done:
            continue
        low = max(done, place - 60)
        head = _compiled(_BEGIN).search(text, low, place + 32)
        if head is not None:
            end = _block_end(text, head.end())
            if end is not None:
                done = end
                yield Named(head.start(), end, "private-key")
            continue
        tail = _compiled(_END).search(text, low, place + 32)
        if tail is not None:
            turned = text[max(done, tail.start() - BLOCK_ROOM) : tail.start()][::-1]
            chunks = _compiled(_KEY_CHUNKS).match(turned)
            if chunks is not None and _compiled(_KEY_MATERIAL).search(chunks[0]):
                yield Named(tail.start() - chunks.end(), tail.end(), "private-key")
            done = tail.end()


def _block_end(text: str, at: int) -> int | None:
    headers = _compiled(_KEY_HEADERS).match(text, at)
    after = at if headers is None else headers.end()
    body = _compiled(_KEY_BODY).match(text, after)
    assert body is not None
    tail = _compiled(_END).match(text, body.end())
    if tail is not None:
        held = _compiled(_KEY_MATERIAL).search(body[0])
        return tail.end() if held is not None else None
    chunks = _compiled(_KEY_CHUNKS).match(text, after)
    if chunks is None or _compiled(_KEY_MATERIAL).search(chunks[0]) is None:
        return None
    return chunks.end()


def _authorizations(text: str, lowered: str) -> Iterator[Named]:
    for place in _places(lowered, "authori"):
        head = _compiled(_AUTHORIZATION).match(text, place)
        value = (
            None if head is None else _compiled(_HEADER_VALUE).match(text, head.end())
        )
        if value is not None and _is_held(value[0], least=8):
            yield Named(value.start(), value.end(), "authorization-header")


def _schemes(text: str, lowered: str) -> Iterator[Named]:
    for anchor in ("bearer", "basic"):
        for place in _places(lowered, anchor):
            head = _compiled(_SCHEMES).match(text, place)
            value = (
                None
                if head is None
                else _compiled(_HEADER_VALUE).match(text, head.end())
            )
            if (
                value is None
                or is_told_filler(value[0])
                or stands_for_another(value[0])
            ):
                continue
            held = value[0].rstrip(".:")
            if looks_random(held) or (anchor == "bearer" and _is_mixed(held)):
                yield Named(value.start(), value.start() + len(held), "bearer-token")


def _cookies(text: str, lowered: str) -> Iterator[Named]:
    """Find the values of cookies that identify somebody, header by header."""
    for place in _places(lowered, "cookie"):
        head = _compiled(_COOKIE).match(text, place)
        if head is None:
            continue
        at = head.end()
        for _ in range(100):
            pair = _compiled(_COOKIE_PAIR).match(text, at, at + 5_000)
            if pair is None:
                yield from _cookie_table(text, at)
                break
            at = pair.end()
            plain = _compiled(_COOKIE_PLAIN).fullmatch(pair[1]) is not None
            if not plain and _is_held(pair[2], least=12) and not is_wordy(pair[2]):
                yield Named(pair.start(2), pair.end(2), "cookie")
            if pair[0][-1:] != ";":
                break


def _cookie_table(text: str, at: int) -> Iterator[Named]:
    """Read cookies that code gives as a table of names and values."""
    match = _compiled(_COOKIE_TABLE).match(text, at)
    if (
        match is not None
        and _is_held(match["p"], least=12)
        and not is_wordy(match["p"])
    ):
        yield Named(match.start("p"), match.end("p"), "cookie")


def _sessions(text: str, lowered: str) -> Iterator[Named]:
    """Find session cookies that are known by name, wherever they are set."""
    for anchor in (
        "phpsessid=",
        "jsessionid=",
        "sessionid=",
        "connect.sid=",
        "laravel_session=",
    ):
        for place in _places(lowered, anchor):
            match = _compiled(_SESSIONS).match(text, place)
            if match is None or _compiled(UUID).fullmatch(match["p"]) is not None:
                continue
            if looks_random(match["p"]) and not is_filler(match["p"]):
                yield Named(match.start("p"), match.end("p"), "cookie")


def _urls(text: str, lowered: str) -> Iterator[Named]:
    """Find passwords before the host of a URL; scheme, user and host stay."""
    for place in _places(lowered, "://"):
        match = _compiled(_USER_AND_MORE).match(text, place + 3)
        if match is not None:
            user = text[place + 3 : match.start("p") - 1]
            if _is_url_password(match["p"], user):
                yield Named(match.start("p"), match.end("p"), "url-password")
            continue
        match = _compiled(_USER_ALONE).match(text, place + 3)
        if match is not None and not is_filler(match["p"]) and looks_random(match["p"]):
            yield Named(match.start("p"), match.end("p"), "url-password")


def _is_url_password(value: str, user: str) -> bool:
    lowered = value.lower()
    if lowered in _DEFAULT_LOGINS or lowered == user.lower() or is_told_filler(value):
        return False
    if is_no_value(value) or refers_elsewhere(value):
        return False
    return len(value) >= SHORTEST_IN_URL


def _commands(text: str, lowered: str, command: str) -> Iterator[Named]:
    for place in _places(lowered, command):
        match = _compiled(_COMMANDS[command]).match(text, place + len(command))
        if match is not None and _is_typed(match["p"]):
            yield Named(match.start("p"), match.end("p"), "command-password")


def _is_typed(value: str) -> bool:
    if len(value) < SHORTEST_TYPED or not value[0].isalnum():
        return len(value) >= SHORTEST_TYPED and looks_chosen(value, strict=True)
    return not (is_told_filler(value) or is_no_value(value) or refers_elsewhere(value))


def _seeds(text: str, lowered: str) -> Iterator[Named]:
    """Find recovery phrases of wallets: twelve to twenty-four short words."""
    for anchor in ("mnemonic", "seed phrase", "recovery phrase", "seed"):
        for place in _places(lowered, anchor):
            match = _compiled(_SEED).match(text, place + len(anchor))
            if match is not None and not _compiled(
                r"\b(?:the|and|that|with|for|you|are|must|this|from|not|can)\b"
            ).search(match["p"]):
                yield Named(match.start("p"), match.end("p"), "recovery-phrase")


def _is_held(value: str, *, least: int) -> bool:
    if len(value) < least or is_told_filler(value) or stands_for_another(value):
        return False
    return _is_mixed(value) or looks_random(value, least=least)


def _is_mixed(value: str) -> bool:
    return looks_chosen(value, strict=True) and not is_wordy(value)
