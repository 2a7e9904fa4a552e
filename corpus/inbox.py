"""The candidates that wait for a person, in the user's own state folder (P19.1).

One private file a candidate, one folder a project; every file is written whole or not
at all. What a candidate says never changes once it is there, only what became of it.
An acceptance is written down before it is made and again after it; in between, the
receipt of the write says whether it was made.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from corpus.authority import JSON_BYTES
from corpus.canonical import canonical_json, digest
from corpus.confined.folder import Folder
from corpus.errors import CandidateIdError, CodedError
from corpus.jsoninput import parse_json
from corpus.refs import is_id, is_sha256, name_problem
from corpus.refusals import (
    CandidateAmbiguousError,
    CandidateExistsError,
    CandidateUnknownError,
    InboxError,
    InboxFullError,
)
from corpus.scopes import shown
from corpus.userdirs import NotPrivateError, make_private_folder, require_private_folder
from corpus.writes.writer import PATIENCE, wait_for_lock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from corpus.canonical import Json
    from corpus.origins import OriginKind

FOLDER = "candidates"
SCHEMA_VERSION = "1"

MOST_WAITING = 500
"""How many candidates may wait in one project."""

MOST_DECIDED = 2_000
"""How many decided ones are kept; the oldest rejected ones go first."""

State = Literal["waiting", "accepting", "accepted", "rejected"]

_SUFFIX = ".json"
_STAGE = ".stage"
_LOOKS = 3
_OPEN = (
    os.O_RDONLY
    | getattr(os, "O_DIRECTORY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
)


class Cited(NamedTuple):
    """Lines of one source at one version; a candidate's reference names the first."""

    source_path: str
    source_sha256: str
    line_start: int
    line_end: int


class Link(NamedTuple):
    """A rung below a candidate as it was then: its hash and date, none of its words.

    What was said stays where it was said, so that forgetting it there forgets it.
    """

    rung: str
    id: str
    sha256: str | None
    at: str | None


class Source(NamedTuple):
    """What a candidate was made of, and the rungs below that, itself first."""

    kind: OriginKind
    id: str
    place: str
    chain: tuple[Link, ...]


class Accepting(NamedTuple):
    """The report that an accepted candidate became, and the write that made it."""

    report_id: str
    path: str
    sha256: str
    transaction_id: str
    receipt: str


class Entry(NamedTuple):
    """One candidate of the inbox. `origin` is None for one that a person wrote."""

    candidate: Mapping[str, Json]
    evidence: tuple[Cited, ...]
    origin: Source | None
    submitted_at: str
    state: State = "waiting"
    decided_at: str | None = None
    reason: str | None = None
    report: Accepting | None = None

    @property
    def id(self) -> str:
        """The candidate's id."""
        return str(self.candidate["candidate_id"])

    @property
    def statement(self) -> str:
        """What the candidate says."""
        return str(self.candidate["statement"])

    @property
    def sha256(self) -> str:
        """The SHA-256 of the candidate's canonical JSON."""
        return digest(dict(self.candidate))

    def as_json(self) -> dict[str, Json]:
        """Give the entry as it is kept and published (`candidate-entry`)."""
        origin = self.origin
        return {
            "schema_version": SCHEMA_VERSION,
            "candidate": dict(self.candidate),
            "candidate_sha256": self.sha256,
            "evidence": [dict(one._asdict()) for one in self.evidence],
            "origin": None
            if origin is None
            else {
                "kind": origin.kind,
                "id": origin.id,
                "place": origin.place,
                "chain": [dict(one._asdict()) for one in origin.chain],
            },
            "submitted_at": self.submitted_at,
            "state": self.state,
            "decided_at": self.decided_at,
            "reason": self.reason,
            "report": None if self.report is None else dict(self.report._asdict()),
            "non_authoritative": True,
        }


class Inbox:
    """One project's open inbox; made by `open_inbox` and `change_inbox`."""

    def __init__(self, folder: Folder | None, random: Callable[[int], bytes]) -> None:
        self._folder = folder
        self._random = random

    def entries(self) -> tuple[Entry, ...]:
        """Give every candidate that can be read, the oldest first."""
        found = [one for one in map(self._read, self._names()) if one is not None]
        return tuple(sorted(found, key=lambda one: (one.submitted_at, one.id)))

    def damaged(self) -> tuple[str, ...]:
        """Name the candidates whose files cannot be read as such."""
        return tuple(name for name in self._names() if self._read(name) is None)

    def get(self, candidate_id: str) -> Entry | None:
        """Give the candidate with a whole id, None where there is none."""
        if candidate_id not in self._names():
            return None
        found = self._read(candidate_id)
        if found is None:
            raise InboxError(reason=f"the file of `{candidate_id}` is damaged")
        return found

    def find(self, text: str) -> Entry:
        """Give the one candidate that an id, or the beginning of it, names.

        Raises `CandidateUnknownError` and `CandidateAmbiguousError`.
        """
        names = self._names()
        fit = [name for name in names if text and name.startswith(text)]
        if text in names:
            fit = [text]
        if len(fit) > 1:
            raise CandidateAmbiguousError(found=shown(text), count=len(fit))
        found = self.get(fit[0]) if fit else None
        if found is None:
            raise CandidateUnknownError(found=shown(text))
        return found

    def add(self, entry: Entry) -> Entry:
        """Let a candidate wait; the same one again is the one that waits already.

        Raises `CandidateIdError`, `CandidateExistsError`, `InboxFullError`.
        """
        if not is_id(entry.id) or name_problem(f"{entry.id}{_SUFFIX}") is not None:
            raise CandidateIdError
        there = self.get(entry.id)
        if there is not None:
            if _says_the_same(there, entry):
                return there
            raise CandidateExistsError(candidate_id=entry.id, state=there.state)
        waiting = [one for one in self.entries() if one.state == "waiting"]
        if len(waiting) >= MOST_WAITING:
            raise InboxFullError(count=len(waiting))
        self.put(entry)
        return entry

    def put(self, entry: Entry) -> None:
        """Make what became of a candidate durable: whole or not at all."""
        folder = self._folder
        assert folder is not None, "only an inbox that is held alone"
        with _failures():
            stage = f".{entry.id}.{self._random(8).hex()}{_STAGE}"
            folder.write_new(stage, canonical_json(entry.as_json()))
            folder.replace(stage, f"{entry.id}{_SUFFIX}")
            folder.sync()

    def tidy(self) -> None:
        """Remove what dead writers left, and decided candidates beyond the bound."""
        folder = self._folder
        assert folder is not None, "only an inbox that is held alone"
        with _failures():
            for child in folder.children():
                if child.kind == "file" and child.name.endswith(_STAGE):
                    folder.remove(child.name)
        ended = ("rejected", "accepted")
        decided = [one for one in self.entries() if one.state in ended]
        decided.sort(key=lambda one: (one.state != "rejected", one.decided_at or ""))
        with _failures():
            for one in decided[: max(0, len(decided) - MOST_DECIDED)]:
                folder.remove(f"{one.id}{_SUFFIX}")

    def _names(self) -> list[str]:
        if self._folder is None:
            return []
        with _failures():
            names = [child.name for child in self._folder.children()]
        ids = [name.removesuffix(_SUFFIX) for name in names if name.endswith(_SUFFIX)]
        return sorted(name for name in ids if is_id(name))

    def _read(self, name: str) -> Entry | None:
        assert self._folder is not None, "only names that were found in it"
        for _ in range(_LOOKS):  # another file may take its place while it is read
            with suppress(OSError):
                held = self._folder.read(f"{name}{_SUFFIX}", limit=JSON_BYTES)
                return None if held is None else _entry(held.content, name)
        return None


@contextmanager
def open_inbox(project_id: str, *, state: Path) -> Iterator[Inbox]:
    """Open a project's inbox to look; nothing is made where there is none.

    `state` is the user's state folder. Raises `InboxError`.
    """
    place = state / FOLDER / project_id
    try:
        descriptor = _opened(place)
    except FileNotFoundError:
        yield Inbox(None, os.urandom)
        return
    with Folder(descriptor=descriptor) as folder:
        yield Inbox(folder, os.urandom)


@contextmanager
def change_inbox(
    project_id: str, *, state: Path, random: Callable[[int], bytes]
) -> Iterator[Inbox]:
    """Hold a project's inbox alone, making it where there is none.

    Raises `InboxError`, and `WriteLockError` when another keeps it too long.
    """
    place = state / FOLDER / project_id
    with _failures():
        make_private_folder(place)
    with Folder(descriptor=_opened(place)) as folder:
        wait_for_lock(folder, PATIENCE)
        inbox = Inbox(folder, random)
        inbox.tidy()
        yield inbox


def _opened(place: Path) -> int:
    with _failures(absent=True):
        require_private_folder(place.parent)
        descriptor = os.open(place, _OPEN)  # noqa: TID251 - the user's own folder
        try:
            require_private_folder(descriptor)
        except BaseException:
            os.close(descriptor)
            raise
    return descriptor


@contextmanager
def _failures(*, absent: bool = False) -> Iterator[None]:
    """Say what the system does not let us do; with `absent` let a missing one pass."""
    try:
        yield
    except NotPrivateError as problem:
        raise InboxError(reason=problem.reason) from None
    except OSError as problem:
        if absent and isinstance(problem, FileNotFoundError):
            raise
        said = os.strerror(problem.errno).lower() if problem.errno else "no reason"
        raise InboxError(reason=f"the system says: {said}") from None


def _says_the_same(there: Entry, new: Entry) -> bool:
    """Compare two candidates but for when they were made."""

    def said(entry: Entry) -> tuple[object, ...]:
        words = {k: v for k, v in entry.candidate.items() if k != "created_at"}
        origin = None if entry.origin is None else entry.origin.id
        return words, entry.evidence, origin

    return there.state == "waiting" and said(there) == said(new)


def _entry(content: bytes, name: str) -> Entry | None:
    """Read what `put` wrote; None for anything else."""
    try:
        value = _table(parse_json(content, name=name))
        origin, report = value["origin"], value["report"]
        entry = Entry(
            candidate=_table(value["candidate"]),
            evidence=tuple(Cited(**_table(one)) for one in _list(value["evidence"])),  # type: ignore[arg-type]
            origin=None if origin is None else _source(_table(origin)),
            submitted_at=str(value["submitted_at"]),
            state=_state(value["state"]),
            decided_at=_optional(value["decided_at"]),
            reason=_optional(value["reason"]),
            report=None if report is None else Accepting(**_table(report)),  # type: ignore[arg-type]
        )
        whole = entry.id == name and entry.as_json() == value
    except (CodedError, KeyError, TypeError, ValueError):
        return None
    return entry if whole and _goes_together(entry) else None


def _goes_together(entry: Entry) -> bool:
    decided = entry.state in {"accepting", "accepted"}
    hashes = [one.source_sha256 for one in entry.evidence]
    hashes += [] if entry.report is None else [entry.report.sha256]
    return decided == (entry.report is not None) and all(map(is_sha256, hashes))


def _source(value: Mapping[str, Json]) -> Source:
    kind = value["kind"]
    if kind not in {"record", "item"}:
        raise ValueError
    return Source(
        kind="record" if kind == "record" else "item",
        id=str(value["id"]),
        place=str(value["place"]),
        chain=tuple(Link(**_table(one)) for one in _list(value["chain"])),  # type: ignore[arg-type]
    )


def _state(value: Json) -> State:
    for state in get_args(State):
        if value == state:
            known: State = state
            return known
    raise ValueError


def _table(value: Json) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise TypeError
    return value


def _list(value: Json) -> list[Json]:
    if not isinstance(value, list):
        raise TypeError
    return value


def _optional(value: Json) -> str | None:
    if value is not None and not isinstance(value, str):
        raise TypeError
    return value
