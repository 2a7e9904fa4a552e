"""The worker: one process that does what is due, and ends (A1.1, A4.4, A6.2).

It holds a lease, so a second one ends at once. It waits for a session to be quiet, or
to have said much, as long as it may live; a session that ended is due at once. Records
are brought up to date before anything is consolidated. It ends only when, in the same
transaction that gives the lease back, nothing waits any more.
"""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple, Self

from agentctx.clients.claude_transcript import size
from agentctx.clock import moment_of
from agentctx.config import read_config
from agentctx.errors import ModelKeyError, ModelPlaceError, TranscriptError
from agentctx.extraction.asking import Asker, Caps
from agentctx.extraction.consolidation import Consolidated, consolidate
from agentctx.extraction.reading import news
from agentctx.extraction.session import Extraction
from agentctx.failures import note_failure
from agentctx.records.leases import WORKER, give_back, holder, renew, take
from agentctx.records.store import open_store
from agentctx.records.transcripts import put_off, waiting
from corpus.errors import CodedError
from corpus.sqlite import store_failures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime

    from agentctx.clock import Clock
    from agentctx.config import Config
    from agentctx.records.store import Store
    from agentctx.records.transcripts import Heard

QUIET = timedelta(seconds=60)
MUCH = 4_000
"""A session is read when it was quiet for so long, or has so many new tokens."""

GONE = timedelta(minutes=30)
"""A session that was not heard of for so long has ended without saying so."""

AHEAD = timedelta(minutes=5)
"""A stamp further ahead was made before the clock was set back."""

BROKEN = timedelta(minutes=10)
"""How long a session waits whose records could not be brought up to date."""

_BEAT = 15.0
_PAUSE = 1.0
_FEWEST_BYTES = 4 * MUCH // 2


class World(NamedTuple):
    """What a worker stands on; tests have their own."""

    home: str
    environ: Mapping[str, str]
    clock: Clock
    random: Callable[[int], bytes]
    pause: Callable[[float], None] = time.sleep
    ticks: Callable[[], float] = time.monotonic


class Worked(NamedTuple):
    """What was done: sessions, records made, what was put in order.

    `busy` says that another process is at work, and nothing was done here. `left` are
    the sessions that still wait for something.
    """

    busy: bool = False
    sessions: int = 0
    records: int = 0
    left: int = 0
    problems: tuple[str, ...] = ()
    consolidated: Consolidated = Consolidated()

    def as_json(self) -> dict[str, object]:
        """Give the outcome as one JSON object."""
        return {
            **self._asdict(),
            "problems": list(self.problems),
            "consolidated": self.consolidated.as_json(),
        }


def work(world: World, *, seconds: float, hurry: bool = False) -> Worked:
    """Do what is due, at most for so long; `hurry` waits for nobody to be quiet.

    Raises the errors of `open_store`.
    """
    with open_store(world.home, clock=world.clock, random=world.random) as store:
        if hurry:
            _let_hurry(store)
        owner = store.ids.new()
        while True:
            with store_failures(), store.writing() as tx:
                taken = take(tx, WORKER, owner, now=world.clock())
            if taken:
                break
            if not hurry or not _waited(world, store, seconds):
                return Worked(busy=True)
            if not waiting(store.db):
                return Worked()
        try:
            with _Heart(world, owner) as heart:
                shift = _Shift(world, store, owner, heart)
                return shift.work(seconds, hurry=hurry)
        except Exception as error:
            code = getattr(error, "code", "BUG")
            told = type(error).__name__
            note_failure(world.home, "worker", code, told, now=world.clock())
            raise


class _Shift:
    """One worker's life with the lease."""

    def __init__(self, world: World, store: Store, owner: str, heart: _Heart) -> None:
        self.world = world
        self.store = store
        self.owner = owner
        self.heart = heart
        self.config: Config = read_config(world.home)
        self.extraction = self._extraction()
        self.hurried = 0
        self.ends = 0.0
        self.folders: set[str] = set()
        self.sizes: dict[str, tuple[str, int]] = {}

    def work(self, seconds: float, *, hurry: bool) -> Worked:
        """Work until nothing is due within our life, then put things in order."""
        self.ends = self.world.ticks() + seconds
        self.hurried = _hurries(self.store) - int(hurry)
        sessions = records = 0
        problems: list[str] = []
        tidied: Consolidated | None = None
        while not self._stops():
            due, soon = self._look()
            for one in due:
                made, problem = self._update(one)
                sessions, records = sessions + 1, records + made
                problems += [problem] if problem else []
                if self._stops():
                    break
            if due:
                continue
            if self.folders or tidied is None:
                tidied = self._tidy()
            if soon:
                self.world.pause(_PAUSE)
            elif self._ended():
                break
        if self.folders or tidied is None:
            tidied = self._tidy()
        with store_failures(), self.store.writing() as tx:
            give_back(tx, WORKER, self.owner)
        left = len(waiting(self.store.db))
        return Worked(
            sessions=sessions,
            records=records,
            left=left,
            problems=tuple(problems),
            consolidated=tidied,
        )

    def _stops(self) -> bool:
        return self.heart.lost or self.world.ticks() >= self.ends

    def _look(self) -> tuple[list[Heard], bool]:
        """Give the sessions that are due, and say whether one will be in our life."""
        hurried = _hurries(self.store)
        found = self._sorted(waiting(self.store.db), hurry=hurried > self.hurried)
        self.hurried = hurried
        return found

    def _sorted(
        self, sessions: Iterable[Heard], *, hurry: bool
    ) -> tuple[list[Heard], bool]:
        now = self.world.clock()
        due: list[Heard] = []
        soon = False
        for one in sessions:
            at = self._due_at(one, now, hurry=hurry)
            if at <= now:
                due.append(one)
            elif (at - now).total_seconds() < self.ends - self.world.ticks():
                soon = True
        return due, soon

    def _due_at(self, one: Heard, now: datetime, *, hurry: bool) -> datetime:
        """Say when a session is due."""
        if one.retry_at is not None and moment_of(one.retry_at) > now:
            retry = moment_of(one.retry_at)
            return now if hurry and _is_far(retry, now) else retry
        heard_at = moment_of(one.heard_at)
        if hurry or one.ended_at is not None or heard_at > now + AHEAD:
            return now
        if self.extraction.asker is None:
            return heard_at + GONE
        return now if self._said_much(one) else heard_at + QUIET

    def _said_much(self, one: Heard) -> bool:
        """Say whether a session has said so much that it is read while it goes on."""
        with suppress(TranscriptError):
            if size(one.path) - one.place < _FEWEST_BYTES:
                return False
            known = self.sizes.get(one.session_id)
            if known is None or known[0] != one.heard_at:
                known = one.heard_at, news(one).tokens
                self.sizes[one.session_id] = known
            return known[1] >= MUCH
        return True  # what cannot be read is settled with its problem

    def _update(self, one: Heard) -> tuple[int, str | None]:
        """Bring one session up to date; what goes wrong with it stops no other."""
        if _is_gone(one, self.world.clock()):
            one = one._replace(ended_at=one.heard_at)
        self.folders.add(one.cwd)
        try:
            done = self.extraction.update(one)
        except CodedError as error:
            self._fails(error.code)
            now = self.world.clock()
            with store_failures(), self.store.writing() as tx:
                put_off(tx, one.session_id, until=now + BROKEN, problem=error.code)
            return 0, error.code
        if done.problem is not None:
            self._fails(done.problem)
        return done.records, done.problem

    def _tidy(self) -> Consolidated:
        """Put the records in order; what goes wrong there loses no record."""
        folders, self.folders = self.folders, set()
        try:
            return consolidate(self.store, folders, environ=self.world.environ)
        except CodedError as error:
            self._fails(error.code)
        except OSError as error:
            self._fails("CONSOLIDATION", type(error).__name__)
        return Consolidated()

    def _ended(self) -> bool:
        """Give the lease back, unless something new waits that would be due."""
        with store_failures(), self.store.writing() as tx:
            due, soon = self._sorted(waiting(tx), hurry=False)
            if due or soon:
                return False
            give_back(tx, WORKER, self.owner)
        return True

    def _extraction(self) -> Extraction:
        """Prepare to extract, with a model where one can be asked."""
        return Extraction(
            self.store,
            open_asker(self.world, self.store, self.config, stops=self._stops),
            environ=self.world.environ,
            threshold=int(self.config.number("reinforceThreshold")),
        )

    def _fails(self, code: str, detail: str = "") -> None:
        note_failure(self.world.home, "worker", code, detail, now=self.world.clock())


def open_asker(
    world: World, store: Store, config: Config, *, stops: Callable[[], bool]
) -> Asker | None:
    """Give what asks the model; None where there is no key, or none is wanted."""
    from agentctx.llm.access import key_and_place  # noqa: PLC0415 - seldom needed
    from agentctx.llm.claude import open_model  # noqa: PLC0415 - the same
    from agentctx.llm.model import ModelSettings  # noqa: PLC0415 - the same

    access = key_and_place(world.environ)
    if access.key is None or not config.flag("llm"):
        return None
    prices = config.number("inputPrice"), config.number("outputPrice")
    settings = ModelSettings(
        config.text("model"), prices=prices if any(prices) else None
    )
    try:
        model = open_model(settings, key=access.key, base_url=access.base_url)
    except (ModelKeyError, ModelPlaceError) as error:
        note_failure(world.home, "worker", error.code, now=world.clock())
        return None
    caps = Caps(config.number("spendPerSession"), config.number("spendPerDay"))
    return Asker(store, model, caps, stops=stops)


class _Heart:
    """Renews the lease while a model is waited for, over a connection of its own."""

    def __init__(self, world: World, owner: str) -> None:
        self.world = world
        self.owner = owner
        self.lost = False
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _beat(self) -> None:
        while not self._over.wait(_BEAT):
            with suppress(CodedError, OSError):  # the next beat may be in time
                self._renew()

    def _renew(self) -> None:
        world = self.world
        with (
            open_store(
                world.home, clock=world.clock, random=world.random, create=False
            ) as store,
            store_failures(),
            store.writing() as tx,
        ):
            held = renew(tx, WORKER, self.owner, now=world.clock())
            self.lost = self.lost or not held


def _is_gone(one: Heard, now: datetime) -> bool:
    heard_at = moment_of(one.heard_at)
    return one.ended_at is None and now - heard_at > GONE


def _is_far(retry: datetime, now: datetime) -> bool:
    """Say whether a time to try again is one that hurrying may pass over."""
    return retry - now < timedelta(days=2)


_HURRY = "hurry"


def _let_hurry(store: Store) -> None:
    """Let whoever is at work wait for nobody, once."""
    with store_failures(), store.writing() as tx:
        tx.execute(
            "INSERT INTO state (name, value) VALUES (?, 1)"
            " ON CONFLICT (name) DO UPDATE SET value = value + 1",
            (_HURRY,),
        )


def _hurries(store: Store) -> int:
    row = store.db.execute(
        "SELECT value FROM state WHERE name = ?", (_HURRY,)
    ).fetchone()
    return 0 if row is None else int(row[0])


def _waited(world: World, store: Store, seconds: float) -> bool:
    """Wait until the other worker has done what waits; False when it takes too long."""
    ends = world.ticks() + seconds
    while world.ticks() < ends:
        if not waiting(store.db):
            return True
        if holder(store.db, WORKER, now=world.clock()) is None:
            return True
        world.pause(_PAUSE)
    return False
