"""Possible secrets in a text: known shapes of keys, and values that look random.

Meant to be quiet rather than complete, and no detail quotes what was found.
"""

from __future__ import annotations

import math
import re
from functools import cache

from corpus.patterns import pattern
from corpus.reading import one_a_line
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from corpus.reading import Reading, Suspicion

ENTROPY = 3.5
"""Bits a character (Shannon 1948) from which a value looks random; hexadecimal values
cannot reach it reliably and are asked for `HEX_ENTROPY`."""

HEX_ENTROPY = 3.0
SECRET_CHARACTERS = 16


class KeyShape(NamedTuple):
    """How the keys of one kind look: what they begin with, and their whole pattern.

    A pattern that is matched at an anchor takes time in the length of its match.
    """

    name: str
    anchors: tuple[str, ...]
    pattern: str
    says: str


KEY_SHAPES = (
    KeyShape(
        "aws",
        ("AKIA", "ASIA"),
        r"(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Za-z])",
        "an AWS access key",
    ),
    KeyShape(
        "github",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        r"gh[oprsu]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{40,}",
        "a GitHub token",
    ),
    KeyShape(
        "gitlab",
        ("glpat-",),
        r"glpat-[\w-]{20,}(?:\.[\w-]{2,40}){0,3}",
        "a GitLab token",
    ),
    KeyShape(
        "slack",
        ("xoxa-", "xoxb-", "xoxe-", "xoxp-", "xoxr-", "xoxs-"),
        r"xox[abeprs]-[0-9A-Za-z-]{20,}",
        "a Slack token",
    ),
    KeyShape("google", ("AIza",), r"AIza[\w-]{35}", "a Google API key"),
    KeyShape(
        "stripe",
        ("sk_live_", "rk_live_"),
        r"[rs]k_live_[0-9A-Za-z]{20,}",
        "a Stripe live key",
    ),
    KeyShape(
        "model",
        ("sk-",),
        r"sk-(?:[a-z]{2,8}[0-9]{0,2}-){0,2}[\w-]{32,}",
        "an API key of a model provider",
    ),
    KeyShape(
        "package",
        ("npm_", "pypi-AgE"),
        r"npm_[A-Za-z0-9]{36}|pypi-AgE[\w-]{50,}",
        "a package registry token",
    ),
    KeyShape("mail", ("SG.",), r"SG\.[\w-]{16,32}\.[\w-]{16,64}", "a mail service key"),
    KeyShape(
        "token",
        ("eyJ",),
        r"eyJ[\w-]{16,999}\.eyJ[\w-]{16,999}\.[\w-]{16,}",
        "a signed web token",
    ),
    KeyShape(
        "url",
        ("://",),
        r"[a-z][a-z0-9+.-]{1,20}://[\w.-]{1,64}:[^\s:@/]{8,100}@[\w.-]",
        "a password inside a URL",
    ),
)
"""The shapes that anybody may look for; more kinds are looked for before storing."""

_SHAPE_NAMES = {shape.name: shape.says for shape in KEY_SHAPES}
_PRIVATE_KEY = (
    r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY[A-Z ]{0,10}-----"
    r"(?s:.{0,200}?)[A-Za-z0-9+/]{40}"
)
_TELLING_NAME = (
    r"(?:passw(?:or)?d|passphrase|pwd|secret|token|api[_ -]?key|access[_-]?key"
    r"|private[_-]?key|secret[_-]?key|credentials?|парол[ьяе]|секрет|токен"
    r"|密码|密碼|密钥|密鑰|口令|令牌)[\"'`*\])]{0,3}\s{0,3}(?::=|=>|[:=：])"
    r"[\s*]{0,3}[\"'`]{0,2}\Z"
)
_NAME_ROOM = 60
_VALUE = pattern(r"[A-Za-z0-9+/_.~!@#$%^&*?|\\-]{16,200}")
_DIGIT = pattern(r"[0-9]")
_PLACEHOLDER = pattern(
    r"example|xxx|placeholder|dummy|change_?me|your[_-]|redact|12345|abcde|\*\*\*"
    r"|\.\.\.|\$\{|\{\{|password|://|secret"
)
_HEX = pattern(r"[0-9a-fA-F]+")


def possible_secrets(reading: Reading) -> Iterator[Suspicion]:
    """Find what has the shape of a key, or is assigned to a name like `password`.

    A value that is assigned counts when it looks random: at least 16 characters,
    letters and digits, `ENTROPY` bits a character, no placeholder.
    """
    text = reading.text
    found: list[tuple[int, str]] = []
    if "PRIVATE KEY" in text:
        matches = re.finditer(_PRIVATE_KEY, text)
        found += [(match.start(), "a private key") for match in matches]
    words = [word for word in text.split() if len(word) >= SECRET_CHARACTERS]
    if words:
        found += _shaped_keys(text, words)
        found += _assigned(text, reading.lowered, words)
    yield from one_a_line("POSSIBLE_SECRET", text, found, "the line holds ")


def _shaped_keys(text: str, words: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Look for key shapes in the long words only, then for the place of each."""
    after = 0
    for match in _any_key_shape().finditer("\n".join(words)):
        if _PLACEHOLDER.search(
            match[0].lower().partition("://")[2] or match[0].lower()
        ):
            continue
        if match.lastgroup not in {"aws", "url"} and entropy(match[0]) < HEX_ENTROPY:
            continue
        assert match.lastgroup is not None
        place = text.find(match[0], after)
        if place >= 0:
            after = place + len(match[0])
            yield place, _SHAPE_NAMES[match.lastgroup]


@cache
def _any_key_shape() -> re.Pattern[str]:
    shapes = "|".join(f"(?P<{shape.name}>{shape.pattern})" for shape in KEY_SHAPES)
    return re.compile(f"(?<![A-Za-z0-9])(?:{shapes})")


def _assigned(
    text: str, lowered: str, words: Iterable[str]
) -> Iterator[tuple[int, str]]:
    """Look for a telling name before every long word that looks random."""
    after = 0
    for word in words:
        if _DIGIT.search(word) is None or "://" in word:
            continue
        for value in _VALUE.findall(word):
            place = text.find(value, after) if _looks_random(value) else -1
            if place >= 0:
                after = place + len(value)
                before = lowered[max(0, place - _NAME_ROOM) : place]
                if re.search(_TELLING_NAME, before):
                    yield place, "what may be a password or key"


def _looks_random(value: str) -> bool:
    if len(value) < SECRET_CHARACTERS or value.isalpha():
        return False
    kinds = (str.islower, str.isupper, str.isdigit)
    held = sum(any(map(kind, value)) for kind in kinds)
    if held < len(kinds) and _HEX.fullmatch(value) is None:
        return False
    if not any(map(str.isdigit, value)) or _PLACEHOLDER.search(value.lower()):
        return False
    return entropy(value) >= (HEX_ENTROPY if _HEX.fullmatch(value) else ENTROPY)


def entropy(value: str) -> float:
    """Give the Shannon entropy of a value's characters, in bits a character."""
    size = len(value)
    counts = (value.count(char) / size for char in set(value))
    return -sum(share * math.log2(share) for share in counts)
