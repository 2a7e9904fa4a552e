"""What a report says, as values: bounded lists that know how many there are in all.

Texts are as they are stored. Only the page cleans and escapes them, all of them alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from agentctx.config import Problem
    from agentctx.drift.differences import Contradicted, Missing
    from agentctx.drift.files import Finding
    from agentctx.failures import Failure
    from agentctx.memory.model import Item
    from agentctx.memory.steering import Reason
    from agentctx.records.model import Record
    from agentctx.records.overview import Standing
    from agentctx.records.proposals import Proposal
    from agentctx.records.review import SessionCard
    from agentctx.records.sessions import Injected
    from agentctx.records.spending import Paid

Each = TypeVar("Each")


class Some(NamedTuple, Generic[Each]):
    """The first of a list, and how many it holds in all."""

    shown: tuple[Each, ...] = ()
    total: int = 0

    @property
    def left(self) -> int:
        """How many are not shown."""
        return self.total - len(self.shown)


class Change(NamedTuple):
    """The versions of one fact, the newest first; `ended` says that none holds now."""

    versions: Some[Record]
    ended: bool


class Known(NamedTuple):
    """The records of a project: how many of each kind, and the newest of each type."""

    standings: tuple[Standing, ...]
    by_type: Mapping[str, Some[Record]]
    files_of: Mapping[str, tuple[str, ...]]
    files: Some[tuple[str, int]]
    changes: Some[Change]
    elsewhere: int
    """Current records that hold for every project and are not shown."""

    @property
    def total(self) -> int:
        """How many current records there are."""
        return sum(one.number for one in self.standings)


class SessionRow(NamedTuple):
    """A session, and how many of the current records come from it."""

    card: SessionCard
    records: int


class Usage(NamedTuple):
    """What sessions were given, what they used of it, and what models were paid.

    `usd_everywhere` is what every project of the store cost, `today_usd` what it did
    on the day of the report.
    """

    sessions: Some[SessionRow]
    tokens: int
    last_tokens: int
    events: tuple[Injected, ...]
    records_shown: int
    records_read: int
    paid: tuple[Paid, ...]
    today_usd: float
    usd_everywhere: float


class Differences(NamedTuple):
    """What contradicts: instructions that state the past, records that are alike."""

    files: int
    contradicted: Some[Contradicted]
    missing: Some[Missing]
    findings: Some[Finding]
    proposals: Some[Proposal]


class Believed(NamedTuple):
    """An item of memory, the words it stands on, and what was believed before."""

    item: Item
    reasons: Some[Reason]
    before: tuple[Item, ...]


class Remembered(NamedTuple):
    """What conversation memory holds; `told` says why where nothing is shown."""

    told: str | None = None
    items: Some[Believed] = Some()
    forgotten: int = 0


class Health(NamedTuple):
    """What works on the store, what waits, what failed and what is degraded."""

    worker_runs: bool
    waiting: int
    waits_because: tuple[str, ...]
    extraction: str
    degraded: tuple[Problem, ...]
    failures: tuple[Failure, ...]


class Stored(NamedTuple):
    """Everything that the store of records says of a project."""

    known: Known
    usage: Usage
    differences: Differences
    forgotten: int


class Report(NamedTuple):
    """One report; `stored` is None where the store cannot be read, and `why` says so.

    `everywhere` says that what holds for every project of the user is in it, too.
    """

    name: str
    project_id: str
    at: datetime
    most: int
    everywhere: bool
    stored: Stored | None
    why: Problem | None
    memory: Remembered
    health: Health
