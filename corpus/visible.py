"""What a reader cannot see in a text, taken out before the text is shown (P8.7, A10.3).

Terminal escapes and invisible characters go; one `�` stands for what controls,
reorders or hides. Tabs, line feeds and everything that can be seen stay.
"""

from __future__ import annotations

import functools
import re

REMOVED = "\ufffd"

_ESCAPES = (
    "(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]"  # a control sequence
    "|(?:\x1b[\\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\\\|\x9c)?"
    "|\x1b[ -/]*[0-~]"
)
_BEGUN = (
    "(?:\x1b\\[|\x9b)[0-?]*[ -/]*\\Z"
    "|(?:\x1b[\\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]*\x1b?\\Z"
    "|\x1b[ -/]*\\Z"
)
_LONGEST_BEGUN = 256
_INVISIBLE = (
    "[\xad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065"
    "\u206a-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a]+"
)
_DECEPTIVE = (
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
    "\ud800-\udfff\ufdd0-\ufdef\ufff0-\ufffb\ufffe\uffff\U000e0000-\U000e0fff]+"
)


def visible(text: str) -> str:
    """Give a text without what a reader cannot see; its lines stay its lines."""
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    text = _pattern(_ESCAPES).sub("", text)
    text = _pattern(_INVISIBLE).sub("", text)
    return _pattern(_DECEPTIVE).sub(REMOVED, text)


def begun(text: str) -> int:
    """Give where an escape begins that may go on after the text; its length if none.

    For texts that come in pieces: what follows may make it a whole one.
    """
    last = max(0, len(text) - _LONGEST_BEGUN)
    match = _pattern(_BEGUN).search(text, last)
    return len(text) if match is None else match.start()


def without_invisible(text: str) -> str:
    """Give a text without the characters that only take no room."""
    return text if text.isascii() else _pattern(_INVISIBLE).sub("", text)


def deceives(text: str) -> bool:
    """Say whether a text controls, reorders or hides what a reader sees of it.

    What is only invisible, such as the joiner in an emoji, does not count.
    """
    return _pattern(_DECEPTIVE).search(text) is not None


@functools.cache
def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
