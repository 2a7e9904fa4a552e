"""What candidates are made of outside the files: records, items, what was said (P19.1).

Whoever keeps such things tells the corpus of them through an entry point of the group
`corpus.origins`: a callable that takes a clock and a source of randomness and gives an
`Origins`. What is told is plain values; the corpus never opens what lies elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from corpus.entrypoints import entry_points
from corpus.errors import CodedError
from corpus.refusals import OriginUnusableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime
    from pathlib import Path

GROUP = "corpus.origins"

OriginKind = Literal["record", "item"]
RungKind = Literal["report", "candidate", "record", "item", "quote", "turn"]
RungState = Literal["here", "changed", "forgotten", "gone", "unreadable"]

ORDER: tuple[RungKind, ...] = (
    "report",
    "candidate",
    "record",
    "item",
    "quote",
    "turn",
)
"""The ladder, from what is canonical down to what was said."""


class Lines(NamedTuple):
    """Lines of a file that an origin names; None where it names only the file.

    `path` is relative to the corpus' root.
    """

    path: str
    first: int | None = None
    last: int | None = None


class Rung(NamedTuple):
    """One rung of the ladder: what it says, where it lies, what it stands on.

    `names` are all ids that it has had, `below` those of the rungs it stands on. `says`
    is None where its words are not there any more, or were let go.
    """

    rung: RungKind
    id: str
    place: str
    says: str | None = None
    sha256: str | None = None
    at: str | None = None
    below: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    state: RungState = "here"


class Origin(NamedTuple):
    """A record or an item that a candidate can be made of.

    `rungs` begin with itself; then come those it stands on. `kind_of_statement` is the
    kind of a candidate that says the same.
    """

    kind: OriginKind
    statement: str
    kind_of_statement: str
    lines: tuple[Lines, ...]
    rungs: tuple[Rung, ...]

    @property
    def rung(self) -> Rung:
        """The origin itself, as a rung."""
        return self.rungs[0]


class Origins(Protocol):
    """One keeper of records, items and what was said; it only looks."""

    def origin(self, root: Path, kind: OriginKind, text: str) -> Origin:
        """Give the record or item of the project at `root` that `text` names.

        Raises a `CodedError` where there is none, or more than one.
        """

    def rungs(self, root: Path, text: str) -> tuple[Rung, ...]:
        """Give the rung that an id names and all that it is linked to, up and down.

        Nothing for an id that is none of this keeper's.
        """


def known_origins(
    *, clock: Callable[[], datetime], random: Callable[[int], bytes]
) -> tuple[Origins, ...]:
    """Give every keeper that is installed; `OriginUnusableError` for a broken one."""
    found: dict[str, Origins] = {}
    for point in sorted(entry_points(GROUP), key=lambda point: point.value):
        if point.value not in found:
            try:
                make = point.load()
            except (ImportError, AttributeError):
                raise OriginUnusableError(name=point.name) from None
            found[point.value] = make(clock, random)
    return tuple(found.values())


def is_let_go(origin_id: str, root: Path, keepers: Iterable[Origins]) -> bool:
    """Say whether what an id names was forgotten or deleted by whoever kept it.

    Where nobody keeps such things, or a keeper cannot look, nothing is known of it.
    """
    answered = False
    for keeper in keepers:
        try:
            found = keeper.rungs(root, origin_id)
        except CodedError:
            return False
        answered = True
        for rung in found:
            if origin_id in {rung.id, *rung.names}:
                return rung.state in {"forgotten", "gone"}
    return answered


def rungs_below(rungs: tuple[Rung, ...], start: str) -> tuple[Rung, ...]:
    """Give the rung with an id and all that it stands on, in the order given."""
    by_id = {rung.id: rung for rung in rungs}
    reached: dict[str, None] = {}
    ahead = [start]
    while ahead:
        here = ahead.pop()
        if here in by_id and here not in reached:
            reached[here] = None
            ahead += by_id[here].below
    return tuple(rung for rung in rungs if rung.id in reached)
