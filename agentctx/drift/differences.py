"""What differs between the records and the instructions, and why some of it is held.

A difference has the number of the change that would mend it, or the reason why there
is none to confirm.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Held = Literal[
    "later",
    "unconfirmed",
    "edited",
    "more",
    "shape",
    "open",
    "outside",
    "unreadable",
    "taken",
    "id",
]
"""Why there is no change: `later` is more than is proposed at once; `unconfirmed`, no
person stands for the record; `edited`, somebody changed a line of ours; `more`, the
lines say more than what was superseded; `shape`, it is a heading, a row or code;
`open`, the file ends in a fence or a comment that nothing closes; `outside`, we do not
write there; `unreadable`, the file is there and cannot be read; `taken`, another change
is about these lines; `id`, we gave no such id."""


class Verdict(NamedTuple):
    """What is proposed: the number of a change, or why there is none."""

    number: int | None
    held: Held | None


class Missing(NamedTuple):
    """A record that no section states; `number` is the change that would add it."""

    record_id: str
    type: str
    title: str
    file: str
    number: int | None
    held: Held | None = None

    def as_json(self) -> dict[str, object]:
        """Give it as one JSON object."""
        return {
            "id": self.record_id,
            "type": self.type,
            "title": self.title,
            "file": self.file,
            "change": self.number,
            "held": self.held,
        }


class Contradicted(NamedTuple):
    """A statement that was superseded and still stands; `record_id` holds instead.

    `ours` says that it is a line that we wrote.
    """

    record_id: str
    superseded_id: str
    title: str
    file: str
    first_line: int
    last_line: int
    statement: str
    ours: bool
    number: int | None
    held: Held | None = None

    def as_json(self) -> dict[str, object]:
        """Give it as one JSON object."""
        return {
            "id": self.record_id,
            "superseded": self.superseded_id,
            "title": self.title,
            "file": self.file,
            "first_line": self.first_line,
            "last_line": self.last_line,
            "statement": self.statement,
            "ours": self.ours,
            "change": self.number,
            "held": self.held,
        }
