"""Keys of failures: the same for the same bug, whenever and wherever it shows."""

from __future__ import annotations

from agentctx.observing.patterns import compiled
from agentctx.observing.terminal import one_line

_LONGEST_PART = 160
_LONGEST_READ = 1_000
_LONGEST_PARTS = 500

_PASSING = (
    (
        (
            r"(?:/private)?/(?:tmp|var/folders|var/tmp|dev/shm)/[^\s'\"`,;)\]>:]+"
            r"|[A-Za-z]:[\\/](?:[^\s'\"`,;)\]>:\\/]+[\\/]){1,8}Temp[\\/][^\s'\"`,;)\]>:]+"
        ),
        "TMP",
    ),
    (
        (
            r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-"
            r"[0-9a-fA-F]{12}\b"
        ),
        "UUID",
    ),
    (r"\b0[xX][0-9a-fA-F]+\b", "ADDR"),
    (
        (
            r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?"
            r"(?:Z|[+-]\d\d:?\d\d)?)?"
            r"|\b\d{1,2}:\d\d:\d\d(?:[.,]\d+)?\b"
        ),
        "TIME",
    ),
    (r"\b(?=[0-9a-f]{0,40}\d)(?=[0-9a-f]{0,40}[a-f])[0-9a-f]{7,64}\b", "HEX"),
)
_NUMBER = r"(?<![A-Za-z_0-9])\d+(?:[.,]\d+)*(?:ms|µs|us|ns|s|m|h|[kKMG]i?B|B|%)?(?!\w)"


def key_of(program: str, name: str, message: str, place: str = "") -> str:
    """Put together what tells one bug from another."""
    parts = (program, settled(name), alike(message), settled(place))
    return "|".join(parts)[:_LONGEST_PARTS]


def settled(text: str) -> str:
    """Take the places and moments out of a name; its numbers stay."""
    text = one_line(text, _LONGEST_READ)
    for source, stands in _PASSING:
        text = compiled(source).sub(stands, text)
    return text.replace("\\", "/")[:_LONGEST_PART]


def alike(text: str) -> str:
    """Take everything out of a message that the next run says in another way."""
    return compiled(_NUMBER).sub("N", settled(text))
