"""The budgets of what is put into a session; no setting raises them (A1.2)."""

from __future__ import annotations

from corpus.tokens import injection_tokens

SESSION_TOKENS = 1_500
"""The most that a session's start is given."""

PROMPT_TOKENS = 2_000
PROMPT_CHARACTERS = 8_000
PROMPT_RECORDS = 3
"""The most that one prompt is given."""

PROMPT_CHECKPOINT, PROMPT_MAP = 500, 700
"""What of a prompt's tokens the checkpoint may have, which comes with a session's
first, and what the Map is sure of. Records have what is left, and the Map has what
they leave."""

SHARES = {
    "profile": 200,
    "decisions": 500,
    "handover": 400,
    "preferences": 200,
    "tools": 100,
    "drift": 60,
}
"""The sections of a session's start in their order, each with its tokens; what does not
fit into the whole is cut from the bottom."""

_CUT = "…"


class Page:
    """A text that grows by whole blocks and never beyond its tokens and characters."""

    def __init__(self, tokens: int, characters: int = 4 * PROMPT_CHARACTERS) -> None:
        self.blocks: list[str] = []
        self._tokens = tokens
        self._characters = characters

    def __str__(self) -> str:
        return "\n".join(self.blocks)

    def fits(self, block: str) -> bool:
        """Say whether a block can be added."""
        whole = "\n".join([*self.blocks, block])
        small = len(whole) <= self._characters
        return small and injection_tokens(whole) <= self._tokens

    def add(self, block: str) -> bool:
        """Add a block where it fits whole; say whether it did."""
        fits = self.fits(block)
        if fits:
            self.blocks.append(block)
        return fits

    def add_cut(self, block: str) -> bool:
        """Add as much of a block's lines as fits, its last one cut; False for none.

        The first line says what a block is: it is there whole, or nothing is.
        """
        first, _, rest = block.partition("\n")
        if not rest or not self.fits(f"{first}\n{rest[:1]}{_CUT}"):
            return False
        low, high = 1, len(rest)
        while low < high - 1:
            middle = (low + high) // 2
            if self.fits(f"{first}\n{rest[:middle].rstrip()}{_CUT}"):
                low = middle
            else:
                high = middle
        return self.add(f"{first}\n{rest[:low].rstrip()}{_CUT}")


def fitted(text: str, *, tokens: int) -> str:
    """Give a text, or as much of its beginning as so many tokens hold, and a mark."""
    if injection_tokens(text) <= tokens:
        return text
    low, high = 0, len(text)
    while low < high - 1:
        middle = (low + high) // 2
        if injection_tokens(f"{text[:middle].rstrip()}{_CUT}") <= tokens:
            low = middle
        else:
            high = middle
    return f"{text[:low].rstrip()}{_CUT}"


def shortened(text: str, *, characters: int) -> str:
    """Give a text, or its beginning and a mark."""
    if len(text) <= characters:
        return text
    return f"{text[:characters].rstrip()}{_CUT}"
