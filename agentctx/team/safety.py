"""What a shared text must not hold: secrets, and what no reader sees (A8.5, A10.3).

A text that gives orders to an agent is told apart: a person may still want it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.records.model import hidden_in
from agentctx.redact import redact
from corpus.instructions import suspect_instructions
from corpus.reading import read
from corpus.suspicion import hidden_characters
from corpus.visible import deceives, without_invisible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_PICTURES = "\ufe0e\ufe0f"
"""Say that a character is a picture, or is none: part of many emoji."""


Text = tuple[str, str]
"""The title and the body of a block."""


def refusal(title: str, body: str) -> str | None:
    """Say why a text is not shared, not given and not taken; None where it may be."""
    for name, text in (("the title", title), ("the text", body)):
        place = _hidden(text)
        if place is not None:
            line = text.count("\n", 0, place) + 1
            return (
                f"{name} holds U+{ord(text[place]):04X}, which nobody sees,"
                f" in its line {line}"
            )
    fired = redact(_joined([(title, body)])).fired
    if fired:
        return f"it holds what looks like a secret ({fired[0].rule})"
    return None


def refusals(texts: Sequence[Text]) -> dict[int, str]:
    """Give what `refusal` says of those of many texts that it refuses, by place.

    Together they are looked through faster than one by one.
    """
    clean = not redact(_joined(texts)).fired
    found = {}
    for number, (title, body) in enumerate(texts):
        if clean and _hidden(title) is None and _hidden(body) is None:
            continue
        reason = refusal(title, body)
        if reason is not None:
            found[number] = reason
    return found


def gives_orders(title: str, body: str) -> str | None:
    """Say what in a text reads like an order to an agent; None where nothing does."""
    found = next(suspect_instructions(read(_joined([(title, body)]))), None)
    return None if found is None else found.detail


def orders_in(texts: Sequence[Text]) -> dict[int, str]:
    """Give what `gives_orders` says of those of many texts that give any, by place."""
    if next(suspect_instructions(read(_joined(texts))), None) is None:
        return {}
    found = ((number, gives_orders(*text)) for number, text in enumerate(texts))
    return {number: detail for number, detail in found if detail is not None}


def _joined(texts: Iterable[Text]) -> str:
    return "\n\n\n".join(f"{title}\n\n{body}" for title, body in texts)


def _hidden(text: str) -> int | None:
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return None
    at = 0
    for line in text.split("\n"):
        bare = line.replace("\t", " ")
        place = hidden_in(bare)
        if place is None and _is_deceptive(bare):
            place = next((n for n, char in enumerate(bare) if _is_deceptive(char)), 0)
        if place is not None:
            return at + place
        at += len(line) + 1
    return None


def _is_deceptive(text: str) -> bool:
    """Say whether anything in a text hides, but for what writing needs.

    Joiners were judged where they stand.
    """
    plain = text.translate(_NEEDED)
    return (
        deceives(plain)
        or without_invisible(plain) != plain
        or next(hidden_characters(read(text)), None) is not None
    )


_NEEDED = dict.fromkeys(map(ord, f"\u200c\u200d{_PICTURES}"))
