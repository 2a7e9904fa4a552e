"""The text a program left on a terminal, as a reader saw it in the end.

Colours and invisible characters go, a line that was drawn again shows its last
state, and of a long output only the beginning and the end are looked at.
"""

from __future__ import annotations

from agentctx.observing.patterns import compiled
from corpus.visible import REMOVED, visible

HEAD = 20_000
TAIL = 60_000
LONGEST_LINE = 1_000
LONGEST_KEPT = 300
CUT = "\n[…]\n"


def shown(text: str) -> str:
    """Give an output as plain lines."""
    if len(text) > HEAD + TAIL:
        text = text[:HEAD] + CUT + text[-TAIL:]
    if "\r" in text:
        text = compiled(r"\r+\n").sub("\n", text)
        text = "\n".join(_last_drawn(line) for line in text.split("\n"))
    text = visible(text).replace("\u00a0", " ")
    if len(text) <= LONGEST_LINE:
        return text
    return "\n".join(
        [
            line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE]
            for line in text.split("\n")
        ]
    )


def _last_drawn(line: str) -> str:
    """Give what was drawn last on a line; what follows nothing is what was there."""
    return line.rstrip("\r").rsplit("\r", 1)[-1]


def one_line(text: str, longest: int) -> str:
    """Give a text as one plain line, cut at a length."""
    room = longest * 4
    plain = visible(text[:room]).replace(REMOVED, " ")
    line = " ".join(plain.split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def some_lines(lines: list[str], longest: int) -> str:
    """Give lines as one text of at most a length; whole lines as far as they fit."""
    kept: list[str] = []
    left = longest
    for line in lines:
        bare = line.rstrip()[:LONGEST_KEPT]
        if not bare and (not kept or not kept[-1]):
            continue
        if len(bare) + 1 > left:
            break
        kept.append(bare)
        left -= len(bare) + 1
    return "\n".join(kept).strip("\n")
