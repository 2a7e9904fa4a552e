"""Makes values that no service has issued, the same ones at every run.

A pattern holds its fixed characters and, in angle brackets, an alphabet and a size:
`tok_<A20>` is `tok_` and twenty letters and digits. No file holds a whole key.
"""

from __future__ import annotations

import random
import re
import string
import uuid

_SYMBOLS = "!#$%^*+?@"
_ALPHABETS = {
    "A": string.ascii_letters + string.digits,
    "B": string.ascii_letters + string.digits + "+/",
    "D": string.digits,
    "H": "0123456789abcdef",
    "L": string.ascii_lowercase + string.digits,
    "U": string.ascii_uppercase + string.digits,
    "W": string.ascii_letters + string.digits + "_-",
}
_PART = re.compile(r"<([A-Z])([0-9]*)>")


def made(pattern: str, seed: str) -> str:
    """Fill the parts of a pattern with characters that depend on the seed alone."""
    chance = random.Random(f"{pattern} {seed}")  # noqa: S311 - the same at every run
    return _PART.sub(lambda part: _filled(chance, part[1], int(part[2] or 0)), pattern)


def _filled(chance: random.Random, kind: str, size: int) -> str:
    if kind == "G":
        return str(uuid.UUID(int=chance.getrandbits(128), version=4))
    if kind == "K":
        lines = [_filled(chance, "B", 64) for _ in range(max(1, size))]
        return "\n".join([*lines, _filled(chance, "B", 30) + "=="])
    if kind == "P":
        return _password(chance, size)
    if kind == "S":
        return "".join(chance.choices("bcdfghjkmnprstvz" + "aeiou", k=size))
    return "".join(chance.choices(_ALPHABETS[kind], k=size))


def _password(chance: random.Random, size: int) -> str:
    """Make a password with letters of both cases, digits and a symbol inside."""
    held = [
        *chance.choices(string.ascii_lowercase, k=2),
        *chance.choices(string.ascii_uppercase, k=2),
        *chance.choices(string.digits, k=2),
        *chance.choices(_ALPHABETS["A"], k=size - 8),
    ]
    chance.shuffle(held)
    inside = [chance.choice(_SYMBOLS), chance.choice(string.ascii_letters)]
    return "".join([*held[:3], *inside, *held[3:], chance.choice(string.digits)])
