"""How much a passage says: a frame that waits to be filled says nothing.

Templates leave comments and the word NONE where text will stand, and every artifact
begins with a block of metadata. Both are found when a query asks for them, and both
come after prose that answers.
"""

from __future__ import annotations

import re

from corpus.protocol.layout import NONE

HOLLOW = 0.25
METADATA = 0.6
WHOLE = 1.0

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_PAIR = re.compile(r"[A-Za-z][\w -]{0,63}:(?:\s.*)?")
_PROTOCOL_KEY = re.compile(
    r"(?:Protocol-Version|Project-ID|Report-ID|Task-ID|Task-Status|Created-At|Result"
    r"|Supersedes|Logical-Name|Lifecycle-Status|Active-Task-ID|Evidence-Class"
    r"|Last-Verified-At|Imported-From|Date|Created):",
    re.IGNORECASE,
)


def substance(text: str) -> float:
    """Give what share of its score a passage keeps for what it says."""
    shown = (_COMMENT.sub("", text) if "<!--" in text else text).strip()
    if shown in {"", NONE}:
        return HOLLOW
    if _PROTOCOL_KEY.match(shown):
        lines = filter(None, map(str.strip, shown.split("\n")))
        if all(map(_PAIR.fullmatch, lines)):
            return METADATA
    return WHOLE
