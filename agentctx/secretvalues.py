"""What a value looks like: random, chosen by a person, or standing for another value.

Nothing here knows where a value was found; every answer takes time in its length.
"""

from __future__ import annotations

import itertools
import math
import re
from functools import cache

from corpus.keyshapes import entropy

MARK = "[redacted:"
UUID = r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"

RANDOM_SIZE = 16
RANDOM_ENTROPY = 3.0
HEX_ENTROPY = 2.6
CHOSEN_SIZE = 6
STRONG_SIZE = 8
TWO_KINDS = 2
SURE_SIZE = 24
SHORT_WORD = 4
SHORT_ACRONYM = 6
LONG_WORD = 24
LONG_NUMBER = 8
MANY_LETTERS = 12
PHRASE_WORDS = range(4, 31)
PHRASE_LETTERS = range(3, 13)
MIXED_LETTERS = range(3, 17)
_SENTENCE = (
    r"(?i)\b(?:the|and|for|your|you|enter|here|must|should|this|that|with|from"
    r"|has|have|are|not|password|passphrase|required|secret|use|new|confirm"
    r"|name|app|database|credentials|key|token|please|type|again|reset|invalid)\b"
)
_RULE = (
    r"(?i)[{}<>$%=]|\b(?:is|was|of|to|in|at|or|by|least|most|min|max|minimum|maximum|chars?"
    r"|characters?|letters?|digits?|numbers?|symbols?|length|long|days?|hours?|minutes?"
    r"|times?|attempts?|example|change|changed|expires?|expired|hash|hashed|field)\b"
)
FILLER_ROOM = 80
JUDGED = 1_000
"""How much of a value is looked at; the rest of a longer one is alike."""

_STANDS_FOR_ANOTHER = (
    r"(?i:"
    r"<[^<>]*>?|\{\w+\}.*|\[[^\[\]]*\]?|\{+[^{}]*\}*|\$\{?[a-z_][\w.:-]*\}?|\$[({].*|%[\w.]+%"
    r"|%\(?\w*\)?[sdr]|@\w+@|:[a-z_]+|[#@]\{.*|&[a-z_]+|\*[a-z_]+"
    r"|!(?:vault|ref|sub|getatt|env|env_var|secret)\b.*"
    r"|[a-z_][\w.:>-]{0,60}[(\[].*|\w+(?:\??(?:\.|->|::)[a-z_]\w*)+[;,)]*"
    r"|(?:op|vault|ssm|secret|secrets|file|env|arn|ref|sops|keyring|gcp|awssm)"
    r":(?://)?.*|enc\[.*"
    r"|(?:[a-z]:|~|\.{1,2})?[\\/](?:[\w.@+-]+[\\/])*[\w.@+-]*"
    r"|(?:[\w.@-]+/)+[\w-]+\.[a-z]{1,5}(?::[\d,:-]+)?|[\w-]+\.(?:pem|key|crt|cer|txt|json|ya?ml|env"
    r"|py|js|ts|tsx|go|rs|rb|java|md|html?|conf|cfg|toml|ini|p12|pfx|jks|sh)"
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|[a-z][a-z0-9+.-]*://.*"
    r")"
)
_SHORT_FILLER = r"(?<![A-Za-z0-9])[xX]{3}|xxxx|XXXX|fake|FAKE|todo|TODO|fixme|FIXME"
"""Words so short that chance writes them, in one case or the other, into long keys."""

_FILLER = (
    r"example|sample|placeholder|dummy|change[_-]?(?:me|this|it)|your[_-]|yourpass"
    r"|yourtoken|your(?:api)?key|yoursecret|replace[_-]?(?:me|with|this)|insert[_-]"
    r"|<redacted|\*\*\*|\.\.\.|…|•|\$\{|\{\{|\}\}|\$\(|%\(|<[a-z_ -]{2,}>|goes[_-]?here"
    r"|not[_-]?(?:a[_-]?)?(?:real|secret|set)|######|______|000000"
    r"|process\.env|os\.environ|getenv|secrets\.|\bvar\."
)
_PLACEHOLDER = (
    r"xxxx|XXXX|\*\*\*|\.\.\.|…|•|EXAMPLE|(?i:your[_-]|<[a-z_ -]{2,}>)|\$\{|\{\{"
)
"""What nobody writes into a real key, whatever else its characters look like."""

_REGEX = r"\[[^\[\]]{2,40}\](?:[+*?]|\{[0-9])|\\[sdwbSDWB]|\(\?[:=!<P]"

_EMPTY_WORDS = (
    r"(?:(?:my|the|some|any|a|new|old|super|top|user|db|admin|default|test|app|api"
    r"|access|auth|root|secure|strong|real|client|very|bearer|valid|invalid|wrong|bad"
    r"|good|correct|plain|short|long|long-lived)[\s_-]?){0,3}"
    r"(?:password|passwd|passphrase|passw?|pwd|p|pw|secret|token|key|value|changeit|test"
    r"|testing|admin|root|user|guest|none|null|nil|true|false|undefined|required"
    r"|optional|string|str|int|bool|bytes|any|object|redacted|hidden|masked|default"
    r"|empty|unset|foo|bar|baz|foobar|qwerty|abc|abcd|abcdef|asdf|letmein|postgres"
    r"|postgresql|mysql|redis|guest|minioadmin|rabbitmq|vagrant|pi|docker|no|yes|on|off"
    r"|oauth|sha|md|base|bcrypt|argon2?(?:id?)?|scrypt|pbkdf2?|utf-?|hmac(?:-sha)?|aes-?"
    r"|rsa-?|ed|jwt|http|https|id|expired|name|n/a|tbd|basic|digest|ntlm|kerberos|saml"
    r"|scram-sha-|scram_sha_|rfc ?|version|v|fernet|x|plaintext|hash|hs|rs|es|ps|eddsa"
    r"|credentials?|login|confirm(?:ation)?|reset|field|text|email|ssh|cert|mfa|otp|pin)"
    r"[\d.-]{0,4}[a-z]?(?:[-_]\d{2,4})?[\"';:,.!?]*"
)
_CODE_PARTS = (
    r"(?<![a-z])(?:pass\w*|pwd|secrets?|tokens?|keys?|users?|auth|fields?|names?|ids?|env"
    r"|test\w*|get|set|is|has|new|old|my|the|self|this|db|hash\w*|sha|md|v|value|type"
    r"|config|default|str|string|int|based?|only|ins?|to|of|for|and|or|with|bit|bits"
    r"|utf|rfc|iso|section|app|var|params?|args?|data|struct|desc|class|file|path|mode"
    r"|required|client|server|api|service|prod|dev|staging|local|account|login)(?![a-z])"
)
_PIECE = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+"
_HARD_TO_SAY = r"[bcdfghjklmnpqrstvwxz]{5}"
_SYMBOLS = r"[!@#$%^&*?+~=<>|;£€§]"


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def is_filler(value: str) -> bool:
    """Say whether a value stands where a secret belongs, as documentation has it."""
    value = value[:FILLER_ROOM]
    if is_told_filler(value):
        return True
    return len(set(value)) * 6 < min(len(value), 60) or _is_counting(value)


def is_told_filler(value: str) -> bool:
    """Say whether a value's own words or marks show that it fills a place."""
    value = value[:FILLER_ROOM]
    if MARK in value or _compiled(_SHORT_FILLER).search(value) is not None:
        return True
    if _compiled(_FILLER).search(value.lower()) is not None:
        return True
    return _compiled(_REGEX).search(value) is not None


def is_placeholder(value: str) -> bool:
    """Say whether a value shows openly that a secret was left out."""
    value = value[:FILLER_ROOM]
    return MARK in value or _compiled(_PLACEHOLDER).search(value) is not None


def stands_for_another(value: str) -> bool:
    """Say whether a value names, calls or describes a secret and is none."""
    value = value[:JUDGED]
    if _compiled(_EMPTY_WORDS).fullmatch(value.lower()) is not None:
        return True
    return refers_elsewhere(value)


def refers_elsewhere(value: str) -> bool:
    """Say whether a value is a variable, a call, a path or an address."""
    value = value[:JUDGED]
    if _compiled(_STANDS_FOR_ANOTHER).fullmatch(value) is None:
        return False
    # A key in base64 may begin with a slash, and a password with a dollar sign.
    return not (len(value) >= SURE_SIZE and _is_key_like_path(value))


def looks_random(value: str, *, least: int = RANDOM_SIZE) -> bool:
    """Say whether a program made this value: long, mixed, and no words."""
    value = value[:JUDGED]
    if len(value) < least or not _has_letter(value) or is_wordy(value):
        return False
    if _compiled(r"[0-9a-fA-F-]+").fullmatch(value):
        return any(map(str.isdigit, value)) and entropy(value) >= HEX_ENTROPY
    kinds = _kinds(value)
    if kinds == 1 and _compiled(_HARD_TO_SAY).search(value.lower()) is None:
        return False
    if kinds < TWO_KINDS or (kinds == TWO_KINDS and not any(map(str.isdigit, value))):
        turns = len(_compiled(_PIECE).findall(value))
        if turns * 4 < len(value):
            return False
    return entropy(value) >= min(RANDOM_ENTROPY, 0.7 * math.log2(len(value)))


def looks_chosen(value: str, *, strict: bool) -> bool:
    """Say whether a person may have chosen this value as a password.

    `strict` asks for more: a place where most values are ordinary words.
    """
    value = value[:JUDGED]
    if len(value) < (STRONG_SIZE if strict else CHOSEN_SIZE):
        return False
    if value.isdigit():
        return not strict
    symbol = _compiled(_SYMBOLS).search(value) is not None
    digit = any(map(str.isdigit, value))
    if not _has_letter(value):
        return symbol and digit and not strict
    if not (symbol or digit):
        return looks_random(value, least=STRONG_SIZE + 2)
    cased = any(map(str.islower, value)) and any(map(str.isupper, value))
    if strict:
        mixed = digit and (symbol or cased)
        return (mixed or looks_random(value)) and not _is_code_word(value)
    return not (_is_code_word(value) and not symbol)


def is_mixed(value: str) -> bool:
    """Say whether a value holds a digit, or changes between cases all the time."""
    pieces = _compiled(_PIECE).findall(value)
    return any(map(str.isdigit, value)) or len(pieces) * 3 >= len(value)


def is_wordy(value: str) -> bool:
    """Say whether a value is made of words and short numbers, as names are."""
    pieces = _compiled(_PIECE).findall(value)
    words = [piece for piece in pieces if piece[0].isalpha()]
    numbers = [piece for piece in pieces if piece[0].isdigit()]
    if not words or len(numbers) > max(2, len(words) // 3):
        return False
    if (
        sum(map(len, words)) < 3.2 * len(words)
        or max(map(len, [*numbers, ""])) > LONG_NUMBER
    ):
        return False
    letters = "".join(words).lower()
    vowels = sum(map(letters.count, "aeiouy"))
    if len(letters) >= MANY_LETTERS and vowels * 5 < len(letters):
        return False
    return all(map(_is_sayable, words))


def _is_sayable(word: str) -> bool:
    lowered = word.lower()
    if len(word) > LONG_WORD or _compiled(_HARD_TO_SAY).search(lowered) is not None:
        return False
    short = len(word) < (SHORT_ACRONYM if word.isupper() else SHORT_WORD)
    return short or _compiled("[aeiouy]").search(lowered) is not None


def is_phrase(value: str) -> bool:
    """Say whether a value is a passphrase of four words or more, and not a sentence."""
    words = _compiled(r"[\s-]+").split(value[:JUDGED])
    if len(words) not in PHRASE_WORDS:
        return False
    if not all(len(word) in PHRASE_LETTERS for word in words):
        return False
    plain = all(word.isalpha() and word[1:].islower() for word in words)
    return plain and not _says_something(value)


def is_mixed_phrase(value: str) -> bool:
    """Say whether a value is a passphrase of words with a number or a mark among them.

    A rule about passwords ("at least 8 characters") is none.
    """
    words = value[:JUDGED].split()
    if len(words) not in PHRASE_WORDS or max(map(len, words)) not in MIXED_LETTERS:
        return False
    if all(word.isalpha() for word in words) or not any(map(str.isalpha, words)):
        return False
    return not _says_something(value) and _compiled(_RULE).search(value) is None


def _says_something(value: str) -> bool:
    return _compiled(_SENTENCE).search(value) is not None


def _is_code_word(value: str) -> bool:
    """Say whether a value is an identifier, a type or a version of words."""
    if _compiled(r"[A-Za-z_][\w.-]*").fullmatch(value) is None:
        return False
    if not is_wordy(value) or _compiled("[_.-]").search(value) is None:
        return False
    return value.isupper() or _compiled(_CODE_PARTS).search(value.lower()) is not None


def _is_key_like_path(value: str) -> bool:
    parts = value.split(".")
    if len(parts) > 1 and _compiled(r"[\w.-]+").fullmatch(value) is not None:
        return any(looks_random(part, least=SURE_SIZE) for part in parts)
    if _compiled(r"[A-Za-z0-9+/=]+").fullmatch(value) is None:
        return False
    longest = max(value.split("/"), key=len)
    return len(longest) >= STRONG_SIZE and looks_random(value) and not is_wordy(longest)


def _is_counting(value: str) -> bool:
    """Say whether most characters follow their neighbour, as in `1234abcd`."""
    if len(value) < STRONG_SIZE:
        return False
    steps = sum(
        ord(after) - ord(before) == 1 for before, after in itertools.pairwise(value)
    )
    return steps * 10 >= 7 * (len(value) - 1)


def _has_letter(value: str) -> bool:
    return any(map(str.isalpha, value))


def _kinds(value: str) -> int:
    tests = (str.islower, str.isupper, str.isdigit)
    held = sum(any(map(test, value)) for test in tests)
    return held + (_compiled(_SYMBOLS).search(value) is not None)


@cache
def cue(anchor: str) -> str:
    """Give the longest word of an anchor: a text without it cannot hold the anchor."""
    return max(anchor.split(), key=len)
