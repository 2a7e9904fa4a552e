"""The shape of a language's table: which words make a clause which speech act (M11.4).

Entries stand between spaces. An entry is a pattern; `_` is room between two words, and
a backslash at the end of a line continues an entry on the next.
"""

from __future__ import annotations

from typing import NamedTuple


class Table(NamedTuple):
    """The entries of one language; `example` marks what is only said for show.

    `fact` is a whole state of code by itself; so are `artefact` and `state` together.
    An `order` with a durable word is a rule and no fact; a `request` asks the agent for
    something for good, and is a question in its form only.
    `plain` are words that name nothing: they are no anchor and need no evidence.
    """

    preference: str
    durable: str
    decision: str
    proposal: str
    local: str
    temporary: str
    question: str
    undecided: str
    report: str
    denied: str
    example: str
    fact: str
    artefact: str
    state: str
    duty: str
    order: str
    request: str
    acknowledgement: str
    opening: str
    turn: str
    plain: str
