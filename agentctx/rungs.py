"""Records, items and what was said, as rungs of the ladder (P19.1, P19.3).

The corpus asks for them through the entry point group `corpus.origins`. They are only
looked at: no store is made, nothing is counted as used, and what is told is without
secrets and without what a reader cannot see.
"""

from __future__ import annotations

import os.path
import re
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from agentctx.config import environment, home
from agentctx.errors import RecordNotFoundError
from agentctx.ids import id_part
from agentctx.memory.items import chain, find_item, item_by_id, live_item
from agentctx.memory.mapping import one_line, shown
from agentctx.memory.model import ItemId, TurnId
from agentctx.memory.opening import open_memory
from agentctx.memory.refusals import (
    MemoryAbsentError,
    MemoryItemNotFoundError,
    TurnNotFoundError,
)
from agentctx.memory.steering import items_of_turn, reasons_of
from agentctx.memory.store import RandomIds
from agentctx.memory.switch import memory_root
from agentctx.memory.turns import turn_of
from agentctx.memory.verdict import Absent, judge
from agentctx.project import resolve_project
from agentctx.providers.memory import hashed_fields as hashed_item
from agentctx.providers.records import hashed_fields as hashed_record
from agentctx.records.graph import files_of
from agentctx.records.read import find_record, history_of
from agentctx.records.risen import is_item_key, origin_of, records_of_item
from agentctx.records.store import open_store
from corpus.canonical import digest, sha256
from corpus.errors import CodedError
from corpus.origins import Lines, Origin, Rung, rungs_below
from corpus.sqlite import store_failures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from agentctx.clock import Clock
    from agentctx.memory.model import Item
    from agentctx.memory.steering import Reason
    from agentctx.records.model import Record
    from corpus.origins import OriginKind, RungState
    from corpus.sqlite import Db

RECORDS, MEMORY = "agentctx:records/", "agentctx:memory/"
"""How the corpus names records, and items with the turns they stand on."""

OWNER = "why"
_SAID = 600
"""Characters of a turn that are shown."""

_PART = re.compile("[0-9a-f]{6,32}")
_TURN = re.compile("turn_[0-9a-f]{32}")
_NAMED = re.compile(
    r"(?P<path>[^\s`'\"()<>\[\]:,;]{1,400}\.\w{1,8}):(?P<first>[1-9][0-9]{0,6})"
    r"(?:-(?P<last>[1-9][0-9]{0,6}))?"
)
_KINDS: Mapping[str, str] = {
    "decision": "premise",
    "convention": "procedural_knowledge",
    "preference": "premise",
    "discovery": "semantic_fact",
    "bugfix": "environment_gotcha",
    "handover": "episodic_evidence",
    "profile": "semantic_fact",
    "user_preference": "premise",
    "project_decision": "premise",
    "discussion_context": "episodic_evidence",
}
"""What kind of candidate a record or an item makes."""


class _Here(NamedTuple):
    """What can be looked at of one project; why a store cannot be."""

    project_id: str
    prefix: str
    records: Db | None
    memory: Db | None
    problem: CodedError | None


class Rungs:
    """What agentctx keeps of a project; an `Origins` of the corpus."""

    def __init__(self, clock: Clock, random: Callable[[int], bytes]) -> None:
        self._clock = clock
        self._random = random

    def origin(self, root: Path, kind: OriginKind, text: str) -> Origin:
        """Give the record or the item that a text names, as a candidate's origin.

        Raises the errors of `find_record` and `find_item`, `MemoryItemOldError` for
        what was forgotten, and those of a store that cannot be used.
        """
        with self._looking(root) as here:
            if kind == "record":
                return _record_origin(here, text.removeprefix(RECORDS))
            return _item_origin(here, text.removeprefix(MEMORY))

    def rungs(self, root: Path, text: str) -> tuple[Rung, ...]:
        """Give the rung that an id names and all that it is linked to, itself first."""
        with self._looking(root) as here:
            found = _rungs(here, text)
            if not found and here.problem is not None:
                raise here.problem
            return found

    @contextmanager
    def _looking(self, root: Path) -> Iterator[_Here]:
        project = resolve_project(root, environ=environment())
        with ExitStack() as stack:
            records = memory = problem = None
            try:
                records = self._records(stack)
            except CodedError as error:
                problem = error
            try:
                memory = self._memory(stack, memory_root(project))
            except CodedError as error:
                problem = error
            below = os.path.relpath(os.path.realpath(root), project.root)
            prefix = "" if below == "." else f"{below}/"
            yield _Here(project.project_id, prefix, records, memory, problem)

    def _records(self, stack: ExitStack) -> Db | None:
        with suppress(FileNotFoundError):
            store = open_store(
                home(), clock=self._clock, random=self._random, create=False
            )
            stack.enter_context(store)
            stack.enter_context(store_failures())
            return store.db
        return None

    def _memory(self, stack: ExitStack, root: str) -> Db | None:
        if isinstance(judge(root), Absent):
            return None
        ids = RandomIds(self._random)
        store = open_memory(root, clock=self._clock, ids=ids, owner=OWNER)
        return stack.enter_context(stack.enter_context(store).looking())


def _record_origin(here: _Here, text: str) -> Origin:
    record = _record(here, text)
    words = (record.title, record.body, record.rationale or "", record.quote or "")
    files = () if here.records is None else files_of(here.records, record.id)
    said = [record.title.strip(), record.body.strip()]
    rungs = _from_record(here, record)
    return Origin(
        kind="record",
        statement=shown("\n\n".join(dict.fromkeys(said))),
        kind_of_statement=_KINDS[record.type],
        lines=_lines(here, words, files),
        rungs=rungs_below(rungs, rungs[0].id),
    )


def _item_origin(here: _Here, text: str) -> Origin:
    item = _item(here, text)
    if here.memory is not None and _is_let_go(here.memory, item):
        live_item(here.memory, item.id)  # MemoryItemOldError: none is live
    said = item.meaning
    rungs = _from_item(here, item)
    return Origin(
        kind="item",
        statement=shown(said.statement),
        kind_of_statement=_KINDS[said.kind],
        lines=_lines(here, (said.statement, said.content), said.applies_to_paths),
        rungs=rungs_below(rungs, rungs[0].id),
    )


def _record(here: _Here, text: str) -> Record:
    if here.records is None:
        if here.problem is not None:
            raise here.problem
        raise RecordNotFoundError(record_id=one_line(text)[:40])
    return find_record(here.records, here.project_id, text)


def _item(here: _Here, text: str) -> Item:
    if here.memory is None:
        raise here.problem or MemoryAbsentError()
    return item_by_id(here.memory, find_item(here.memory, text))


def _rungs(here: _Here, text: str) -> tuple[Rung, ...]:
    if _TURN.fullmatch(text.removeprefix(MEMORY)):
        return _from_turn(here, text.removeprefix(MEMORY))
    if not text.startswith((MEMORY, "memory_")):
        name = text.removeprefix(RECORDS)
        if here.records is not None and id_part(name) is not None:
            with suppress(RecordNotFoundError):
                found = find_record(here.records, here.project_id, name)
                return _from_record(here, found)
    name = text.removeprefix(MEMORY)
    if here.memory is not None and (
        name.startswith("memory_") or _PART.fullmatch(name.lower())
    ):
        with suppress(MemoryItemNotFoundError):
            item_id = find_item(here.memory, name)
            return _from_item(here, item_by_id(here.memory, item_id))
    return ()


def _from_record(here: _Here, record: Record) -> tuple[Rung, ...]:
    item_id = _item_id(here, record)
    own = _record_rung(here, record, () if item_id is None else (item_id,))
    if item_id is None:
        return (own,)
    if here.memory is not None:
        with suppress(MemoryItemNotFoundError):
            item = item_by_id(here.memory, item_id)
            return (own, *_said(here.memory, item))
    readable = here.memory is not None or here.problem is None
    lost: RungState = "gone" if readable else "unreadable"
    return (own, Rung("item", item_id, f"{MEMORY}{item_id}", state=lost))


def _item_id(here: _Here, record: Record) -> ItemId | None:
    """Say which revision a record was made of, the newest one where that is unsaid."""
    origin = origin_of(record)
    if origin is not None:
        return ItemId(origin.item_id)
    if record.key is None or not is_item_key(record.key):
        return None
    revisions = () if here.memory is None else chain(here.memory, record.key)
    return revisions[-1].id if revisions else ItemId(record.key)


def _from_item(here: _Here, item: Item) -> tuple[Rung, ...]:
    assert here.memory is not None
    own, *said = _said(here.memory, item)
    return (own, *_records_made(here, item), *said)


def _from_turn(here: _Here, text: str) -> tuple[Rung, ...]:
    """Give a turn, the quotes of it, and what stands on them.

    Words that something remembered stands on, too, are told with that.
    """
    if here.memory is None:
        return ()
    turn_id = TurnId(text)
    own = _turn_rung(here.memory, turn_id, None)
    if own.state == "gone":
        return ()
    found: list[Rung] = [own]
    db = here.memory
    items = [item_by_id(db, item_id) for item_id in items_of_turn(db, turn_id)]
    for item in sorted(items, key=lambda one: _is_let_go(db, one)):
        found += _stated(db, item, turn_id)
        found += _records_made(here, item)
    return tuple(found)


def _said(db: Db, item: Item) -> tuple[Rung, ...]:
    """Give an item, the quotes it stands on, and their turns."""
    own, *quotes = _stated(db, item)
    turns = dict.fromkeys((one.turn_id, one.said_at) for one in reasons_of(db, item.id))
    said = [_turn_rung(db, turn_id, said_at) for turn_id, said_at in turns]
    if own.state == "forgotten":
        said = [one._replace(says=None) for one in said]
    return (own, *quotes, *said)


def _stated(db: Db, item: Item, turn_id: TurnId | None = None) -> tuple[Rung, ...]:
    """Give an item and the quotes it stands on, of one turn or of all.

    What a person let go is told of without its words, in every revision.
    """
    reasons = [one for one in reasons_of(db, item.id) if turn_id in {None, one.turn_id}]
    quotes = [_quote_rung(one) for one in reasons]
    found = (_item_rung(db, item, quotes), *quotes)
    if not _is_let_go(db, item):
        return found
    return tuple(one._replace(says=None, state="forgotten") for one in found)


def _is_let_go(db: Db, item: Item) -> bool:
    """Say whether an item was forgotten, whichever of its revisions is asked about."""
    return chain(db, item.logical_id)[-1].status == "forgotten"


def _records_made(here: _Here, item: Item) -> Iterator[Rung]:
    if here.records is not None:
        for one in records_of_item(here.records, here.project_id, item.logical_id):
            yield _record_rung(here, one, (item.id,))


def _record_rung(here: _Here, record: Record, below: tuple[str, ...]) -> Rung:
    assert here.records is not None
    words = dict.fromkeys((record.title.strip(), record.body.strip()))
    return Rung(
        "record",
        record.id,
        f"{RECORDS}{record.id}",
        says=shown("\n".join(words)),
        sha256=digest(hashed_record(record)),
        at=record.recorded_at,
        below=tuple(map(str, below)),
        names=tuple(one.id for one in history_of(here.records, record)),
    )


def _item_rung(db: Db, item: Item, quotes: Iterable[Rung]) -> Rung:
    said = item.meaning
    revisions = tuple(str(one.id) for one in chain(db, item.logical_id))
    return Rung(
        "item",
        str(item.id),
        f"{MEMORY}{item.id}",
        says=shown(said.statement),
        sha256=digest(hashed_item(item)),
        at=item.created_at,
        below=tuple(one.id for one in quotes),
        names=(*revisions, item.logical_id),
    )


def _quote_rung(one: Reason) -> Rung:
    found = sha256(one.quote.encode("utf-8", "surrogatepass"))
    return Rung(
        "quote",
        f"{one.turn_id}/{one.role}/{found[:12]}",
        f"what the {one.role} said in session {one_line(one.session_id)}",
        says=shown(one.quote),
        sha256=found,
        at=one.said_at,
        below=(str(one.turn_id),),
    )


def _turn_rung(db: Db, turn_id: TurnId, said_at: str | None) -> Rung:
    place = f"{MEMORY}{turn_id}"
    try:
        turn = turn_of(db, turn_id)
    except TurnNotFoundError:
        return Rung("turn", str(turn_id), place, at=said_at, state="gone")
    text = shown(turn.user_text)
    return Rung(
        "turn",
        str(turn_id),
        place,
        says=text if len(text) <= _SAID else f"{text[: _SAID - 1]}…",
        at=turn.created_at,
    )


def _lines(
    here: _Here, words: Iterable[str], files: Iterable[str]
) -> tuple[Lines, ...]:
    """Give the lines that some words name, then the files that none names lines of."""
    named = [
        Lines(_inside(here, found["path"]), int(found["first"]), _last(found))
        for text in words
        for found in _NAMED.finditer(text)
    ]
    with_lines = {one.path for one in named}
    whole = [Lines(_inside(here, path)) for path in files]
    left = [one for one in whole if one.path not in with_lines]
    return tuple(dict.fromkeys([*named, *left]))


def _last(found: re.Match[str]) -> int:
    first, last = int(found["first"]), int(found["last"] or found["first"])
    return max(first, last)


def _inside(here: _Here, path: str) -> str:
    """Name a file of the project as the corpus in it does."""
    return path.removeprefix("./").removeprefix(here.prefix)
