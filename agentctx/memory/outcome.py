"""How a run of a workflow ended, in one text that is both shown and saved (M2.5, M2.7).

Counts, and a plain sentence: neither a trace of the run nor markup of a terminal.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from corpus.visible import visible

OutcomeKind = Literal["completed", "replaced", "no_draft", "refused"]

DETAIL_CHARACTERS = 1_000

_SENTENCES: dict[OutcomeKind, str] = {
    "completed": "The run is complete.",
    "replaced": "The draft was revised and takes the place of the one before.",
    "no_draft": "The run ended without a draft; what was there before stands.",
    "refused": "The draft was refused: it is not about what it was asked for.",
}
_STYLES = (
    r"bold|b|dim|d|italic|i|underline|u|strike|s|blink|reverse|r|not|on|link|"
    r"(?:bright_)?(?:black|red|green|yellow|blue|magenta|cyan|white)|"
    r"grey\d*|color\(\d+\)|#[0-9a-f]{6}"
)
_MARKUP = re.compile(
    rf"\[/?(?:{_STYLES})(?:[ =][^\[\]\n]{{0,80}})?\]|\[/\]", re.IGNORECASE
)
_CONTROL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.)?")


class Outcome(NamedTuple):
    """The true result of a run; a count that does not apply is None.

    `found` are findings, `awaiting` drafts that wait for a person's review.
    """

    kind: OutcomeKind
    found: int | None = None
    awaiting: int | None = None
    failed: int | None = None
    remaining: int | None = None
    detail: str = ""

    @property
    def text(self) -> str:
        """What is shown to the user and saved as the answer of the turn."""
        counts = [
            f"{value} {name}"
            for name, value in (
                ("found", self.found),
                ("awaiting review", self.awaiting),
                ("failed", self.failed),
                ("remaining", self.remaining),
            )
            if value is not None
        ]
        lines = [_SENTENCES[self.kind]]
        lines += [f"{', '.join(counts)}."] if counts else []
        lines += [_plain(self.detail)] if _plain(self.detail) else []
        return "\n".join(lines)


def _plain(text: str) -> str:
    """Give a text as one line, without markup and what cannot be seen."""
    bare = visible(_MARKUP.sub("", _CONTROL.sub("", text)))
    return " ".join(bare.split())[:DETAIL_CHARACTERS]
