"""The worker: one process that does what is due, and ends (A1.1, A4.4, A6.2).

It holds a lease, so a second one ends at once. It waits for a session to be quiet, or
to have said much, as long as it may live; a session that ended is due at once. The
memories of all projects take turns with the sessions. Records and memories are brought
up to date before anything is consolidated. It ends only when, in the same transaction
that gives the lease back, nothing waits any more.
"""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from datetime import timedelta
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple, Self

from agentctx.clients.claude_transcript import size
from agentctx.clock import moment_of
from agentctx.config import read_config
from agentctx.errors import ModelKeyError, ModelPlaceError, TranscriptError
from agentctx.extraction.asking import Asker, Caps
from agentctx.extraction.consolidation import Consolidated, consolidate
from agentctx.extraction.memories import Memories, MemoryWork
from agentctx.extraction.reading import news
from agentctx.extraction.session import Extraction
from agentctx.failures import note_failure
from agentctx.records.leases import WORKER, give_back, holder, is_held, renew, take
from agentctx.records.memories import Remembered, waiting_memories
from agentctx.records.store import open_store
from agentctx.records.transcripts import is_put_off, put_off, waiting
from corpus.errors import CodedError
from corpus.sqlite import store_failures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime

    from agentctx.clock import Clock
    from agentctx.config import Config
    from agentctx.llm.model import Model
    from agentctx.records.store import Store
    from agentctx.records.transcripts import Heard
    from corpus.sqlite import Db, Tx

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
    """What was done: sessions, records made, what was put in order, and memories.

    `busy` says that another process is at work, and nothing was done here. `left` are
    the sessions that still wait for something.
    """

    busy: bool = False
    sessions: int = 0
    records: int = 0
    left: int = 0
    problems: tuple[str, ...] = ()
    consolidated: Consolidated = Consolidated()
    memory: MemoryWork = MemoryWork()

    def as_json(self) -> dict[str, object]:
        """Give the outcome as one JSON object."""
        return {
            **self._asdict(),
            "problems": list(self.problems),
            "consolidated": self.consolidated.as_json(),
            "memory": self.memory.as_json(),
        }


def work(
    world: World, *, seconds: float, hurry: bool = False, linger: bool = True
) -> Worked:
    """Do what is due, at most for so long, and wait for what will be due in that time.

    Without `linger` everything that was said is due, and nobody is waited for. `hurry`
    does not linger either: it lets a worker that does hurry, and waits until it has.
    Raises the errors of `open_store`.
    """
    with open_store(world.home, clock=world.clock, random=world.random) as store:
        owner = store.ids.new()
        ends = world.ticks() + seconds
        wish = _let_hurry(store) if hurry else 0
        while not _taken(world, store, owner):
            if not hurry:
                return Worked(busy=True)
            ended = _waited(world, store, wish, ends)
            if ended is not None:
                return ended
        try:
            with _Heart(world, owner) as heart:
                shift = _Shift(world, store, owner, heart)
                return shift.work(ends, hurry=hurry, linger=linger and not hurry)
        except Exception as error:
            code = str(getattr(error, "code", "BUG"))
            told = type(error).__name__
            note_failure(world.home, "worker", code, told, now=world.clock())
            raise
        finally:  # also when a person interrupts us
            with suppress(CodedError), store_failures(), store.writing() as tx:
                give_back(tx, WORKER, owner)


def _taken(world: World, store: Store, owner: str) -> bool:
    with store_failures(), store.writing() as tx:
        return take(tx, WORKER, owner, now=world.clock())


class _Shift:
    """One worker's life with the lease."""

    def __init__(self, world: World, store: Store, owner: str, heart: _Heart) -> None:
        self.world = world
        self.store = store
        self.owner = owner
        self.heart = heart
        self.config: Config = read_config(world.home)
        self.extraction = self._extraction()
        self.memories = Memories(world, store, owner, self._stops)
        self.hurried = 0
        self.hurries = False
        self.lingers = True
        self.ends = 0.0
        self.folders: set[str] = set()
        self.sizes: dict[str, tuple[str, int]] = {}

    def work(self, ends: float, *, hurry: bool, linger: bool) -> Worked:
        """Work until nothing is due within our life, then put things in order."""
        self.lingers = linger
        self.ends = ends
        self.hurried = _hurries(self.store) - int(hurry)
        done = Worked()
        tidied: Consolidated | None = None
        while not self._stops():
            due, soon = self._look(self.store.db, hurry=self._wished())
            for one in due:
                done = self._do(one, done)
                if self._stops():
                    break
            if due:
                continue
            if self.folders or tidied is None:
                tidied = self._tidy()
            _note_hurried(self.store, self.hurried)
            if soon and self.lingers:
                self.world.pause(_PAUSE)
            elif self._ended():
                break
        if self.folders or tidied is None:
            tidied = self._tidy()
        return done._replace(
            left=len(waiting(self.store.db)),
            consolidated=tidied,
            memory=self.memories.worked(),
        )

    def _stops(self) -> bool:
        return self.heart.lost or self.world.ticks() >= self.ends

    def _wished(self) -> bool:
        """Say whether somebody has wished for haste since we looked last."""
        hurried = _hurries(self.store)
        self.hurries = hurried > self.hurried
        self.hurried = hurried
        return self.hurries

    def _look(self, db: Db, *, hurry: bool) -> tuple[list[Heard | Remembered], bool]:
        """Give what is due, and say whether something will be in our life.

        Sessions and memories take turns.
        """
        sessions, soon = self._sorted(waiting(db), hurry=hurry)
        memories, later = self.memories.sorted(
            waiting_memories(db), hurry=hurry, seconds=self.ends - self.world.ticks()
        )
        pairs = zip_longest(sessions, memories)
        due = [one for pair in pairs for one in pair if one is not None]
        return due, soon or later

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
                soon = soon or not self._waits_for_a_key(one)
        return due, soon

    def _due_at(self, one: Heard, now: datetime, *, hurry: bool) -> datetime:
        """Say when a session is due."""
        if one.retry_at is not None and is_put_off(one.retry_at, now=now):
            return now if hurry else moment_of(one.retry_at)
        heard_at = moment_of(one.heard_at)
        if hurry or not self.lingers:
            return now
        if self._waits_for_a_key(one):
            return heard_at + GONE if heard_at <= now + AHEAD else now
        if one.ended_at is not None or heard_at > now + AHEAD:
            return now
        if self.extraction.asker is None or not one.asks:
            return heard_at + GONE
        return now if self._said_much(one) else heard_at + QUIET

    def _waits_for_a_key(self, one: Heard) -> bool:
        """Say whether a session may be read by a model, but not by one of ours.

        We have the environment of whoever woke us, and no key in it.
        """
        wanted = one.asks and self.config.flag("llm")
        return wanted and self.extraction.asker is None

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

    def _do(self, one: Heard | Remembered, done: Worked) -> Worked:
        if isinstance(one, Remembered):
            self._visit(one)
            return done
        made, problem = self._update(one)
        return done._replace(
            sessions=done.sessions + 1,
            records=done.records + made,
            problems=(*done.problems, *([problem] if problem else [])),
        )

    def _visit(self, one: Remembered) -> None:
        """Work on one memory; what goes wrong with it stops nothing else."""
        try:
            self.memories.visit(one, drain=self.hurries or not self.lingers)
        except Exception as error:  # noqa: BLE001 - as with sessions
            code = str(getattr(error, "code", "BUG"))
            self.memories.put_off(one, code, type(error).__name__)

    def _update(self, one: Heard) -> tuple[int, str | None]:
        """Bring one session up to date; what goes wrong with it stops no other."""
        if _is_gone(one, self.world.clock()):
            one = one._replace(ended_at=one.heard_at)
        self.folders.add(one.cwd)
        try:
            done = self.extraction.update(one, hurry=self.hurries)
        except Exception as error:  # noqa: BLE001 - no session stops the others
            code = str(getattr(error, "code", "BUG"))
            self._fails(code, type(error).__name__)
            now = self.world.clock()
            with store_failures(), self.store.writing() as tx:
                put_off(tx, one.session_id, until=now + BROKEN, problem=code)
            return 0, code
        if done.problem is not None:
            self._fails(done.problem)
        return done.records, done.problem

    def _tidy(self) -> Consolidated:
        """Put the records in order; what goes wrong there loses no record."""
        folders, self.folders = self.folders, set()
        try:
            return consolidate(self.store, folders, environ=self.world.environ)
        except Exception as error:  # noqa: BLE001 - the records are kept already
            self._fails(str(getattr(error, "code", "BUG")), type(error).__name__)
        return Consolidated()

    def _ended(self) -> bool:
        """Give the lease back, unless something new waits that would be due."""
        with store_failures(), self.store.writing() as tx:
            due, soon = self._look(tx, hurry=False)
            if due or (soon and self.lingers):
                return False
            give_back(tx, WORKER, self.owner)
        return True

    def _extraction(self) -> Extraction:
        """Prepare to extract, with a model where one can be asked."""
        return Extraction(
            self.store,
            self._asker(),
            environ=self.world.environ,
            threshold=int(self.config.number("reinforceThreshold")),
            holds=self._holds,
        )

    def _asker(self) -> Asker | None:
        model = open_extractor(self.world, self.config)
        if model is None:
            return None
        number = self.config.number
        caps = Caps(number("spendPerSession"), number("spendPerDay"))
        return Asker(self.store, model, caps, stops=self._stops, holds=self._holds)

    def _holds(self, tx: Tx) -> bool:
        """Say whether nobody else has become the worker, as after a long sleep."""
        return is_held(tx, WORKER, self.owner)

    def _fails(self, code: str, detail: str = "") -> None:
        note_failure(self.world.home, "worker", code, detail, now=self.world.clock())


def open_extractor(world: World, config: Config) -> Model | None:
    """Give the model to ask; None where there is no key, or none is wanted."""
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
        return open_model(settings, key=access.key, base_url=access.base_url)
    except (ModelKeyError, ModelPlaceError) as error:
        note_failure(world.home, "worker", error.code, now=world.clock())
        return None


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


_HURRY, _HURRIED = "hurry", "hurried"
"""How often somebody wished for haste, and up to which wish that was done."""


def _let_hurry(store: Store) -> int:
    """Let whoever is at work wait for nobody, once; give the number of the wish."""
    with store_failures(), store.writing() as tx:
        tx.execute(
            "INSERT INTO state (name, value) VALUES (?, 1)"
            " ON CONFLICT (name) DO UPDATE SET value = value + 1",
            (_HURRY,),
        )
        return _hurries(store)


def _hurries(store: Store, name: str = _HURRY) -> int:
    query = "SELECT value FROM state WHERE name = ?"
    row = store.db.execute(query, (name,)).fetchone()
    return 0 if row is None else int(row[0])


def _note_hurried(store: Store, wish: int) -> None:
    """Note up to which wish everything was done, if that is news."""
    if _hurries(store, _HURRIED) >= wish:
        return
    with store_failures(), store.writing() as tx:
        tx.execute(
            "INSERT OR REPLACE INTO state (name, value) VALUES (?, ?)", (_HURRIED, wish)
        )


def _waited(world: World, store: Store, wish: int, ends: float) -> Worked | None:
    """Wait until the other worker has hurried; None when it ended before that."""
    while world.ticks() < ends:
        if _hurries(store, _HURRIED) >= wish:
            return Worked(left=len(waiting(store.db)))
        if holder(store.db, WORKER, now=world.clock()) is None:
            return None
        world.pause(_PAUSE)
    return Worked(busy=True)
