"""Checked names for things: portable paths, hashes, ids, line spans.

The functions here answer whether a text is such a name; who has asked makes it a
`RelPath` or a `Sha256`, which is never validated again.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple, NewType

RelPath = NewType("RelPath", str)
"""A portable path relative to the project root, `/` between its parts."""

Sha256 = NewType("Sha256", str)
"""64 lower-case hexadecimal digits: the SHA-256 of a file's raw bytes."""

ProjectId = NewType("ProjectId", str)

ID_PATTERN = r"[a-z0-9][a-z0-9._-]{2,63}"
"""Ids of projects, artifacts and candidates (P1.1)."""

_ID = re.compile(ID_PATTERN)
_SHA256 = re.compile(r"[0-9a-f]{64}")
_FORBIDDEN = re.compile(
    r'[\x00-\x1f\x7f-\x9f<>:"\\|?*\ud800-\udfff'
    r"\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)
"""Characters no portable name has; those nobody sees would cite what nobody finds."""

_PLAIN_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*")
LONGEST_DEVICE = len("conout$")
_DEVICE = re.compile(
    r"(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])\Z", re.IGNORECASE
)


class LineSpan(NamedTuple):
    """Lines `first` to `last` of a file, both counted from 1 and included."""

    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.first}-{self.last}"


def is_id(text: str) -> bool:
    """Say whether `text` is an id of a project, artifact or candidate."""
    return _ID.fullmatch(text) is not None


def is_sha256(text: str) -> bool:
    """Say whether `text` is a SHA-256 as we write it."""
    return _SHA256.fullmatch(text) is not None


def name_problem(name: str) -> str | None:
    r"""Say why one path part is not portable, or None when it is.

    Portable means: the same file on Linux, macOS and Windows. No control character,
    none of `<>:"/\\|?*`, no trailing space or dot, no Windows device stem, NFC.
    """
    if _PLAIN_NAME.fullmatch(name) and not name.endswith("."):
        stem = name.partition(".")[0]
        device = len(stem) <= LONGEST_DEVICE and _DEVICE.match(stem)
        return "it is a Windows device name" if device else None
    if name in {"", ".", ".."}:
        return "it has an empty or dotted part"
    if "/" in name or _FORBIDDEN.search(name):
        return "it has a character that is not portable"
    if name[-1] in " .":
        return "a part ends in a space or a dot"
    if _DEVICE.match(name.partition(".")[0].rstrip(" ")):
        return "it is a Windows device name"
    if not unicodedata.is_normalized("NFC", name):
        return "it is not in Unicode form NFC"
    return None


def is_markdown_name(name: str) -> bool:
    """Say whether a file name means Markdown: `.md` or `.markdown`, any case."""
    return name.lower().endswith((".md", ".markdown"))


def stem(path: str) -> str:
    """Give a file's name without its folder and its last extension."""
    name = path.rpartition("/")[2]
    return name.rpartition(".")[0] or name
