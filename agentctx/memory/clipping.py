"""Texts that keep to a number of tokens; a cut is always marked."""

from __future__ import annotations

from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Tokens = Callable[[str], int]
    """How many tokens a text costs, as the host counts them."""

MARK = "…"


def api_tokens(text: str) -> int:
    """Estimate tokens for a host that talks to a model: a third of the UTF-8 bytes."""
    return (len(text.encode("utf-8", "surrogatepass")) + 2) // 3


def clipped(text: str, most: int, tokens: Tokens, *, mark: str = MARK) -> str:
    """Give a text, or the longest beginning of it that fits together with a mark.

    Empty where not even the mark fits.
    """
    if tokens(text) <= most:
        return text
    low, high = -1, len(text)
    while low < high - 1:
        middle = (low + high) // 2
        if tokens(text[:middle].rstrip() + mark) <= most:
            low = middle
        else:
            high = middle
    return "" if low < 0 else text[:low].rstrip() + mark
