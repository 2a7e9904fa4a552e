"""Sources that lie outside the project's files: what a provider is, and what it gives.

A provider is registered as an entry point of the group `corpus.providers` by whoever
has something to add; this package knows none of them by name. What it gives is read
live at each question, is never evidence, and is checked here before it is believed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, Protocol

from corpus.protocol.metadata import instant
from corpus.refs import is_sha256
from corpus.sources.parsing import PIECE_CHARACTERS, cut_text
from corpus.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

RECORDS, MEMORY = "corpus.records", "corpus.memory"
CAPABILITIES = frozenset({RECORDS, MEMORY})
"""What a policy allows providers; each is for one type of source."""

TYPE_OF: Mapping[str, str] = {RECORDS: "record", MEMORY: "memory"}
RUNGS: Mapping[str, str] = {"record": "record", "memory": "memory_item"}
CONFIDENCES = frozenset(
    {
        ("record", "explicit"),
        ("record", "reinforced"),
        ("record", "inferred"),
        ("memory", "explicit"),
        ("memory", "adopted"),
        ("memory", "inferred"),
    }
)

TITLE_CHARACTERS = 200
MOST_CHARACTERS = 20_000
"""Characters that a source may have; what is shown of it is at most a passage."""

_PATH = re.compile(r"[a-z][a-z0-9-]{0,30}:[a-z][a-z0-9-]{0,30}/[A-Za-z0-9._-]{1,100}")


class Place(NamedTuple):
    """What a provider is asked about: the corpus at `root`, and nothing else.

    `everywhere` says that what belongs to no project may be given too.
    """

    root: Path
    everywhere: bool


class Question(NamedTuple):
    """A query to a provider, for at most `limit` sources that may answer it.

    Only with `history` is what was superseded of any use.
    """

    place: Place
    query: str
    history: bool
    limit: int


class Provided(NamedTuple):
    """One source of a provider, at one version.

    `path` is `<provider>:<collection>/<id>`; `sha256` stands for everything that the
    provider knows of it. `fact` is the same for two sources that say the same thing on
    two rungs. `superseded_by` is a path, None also where nothing took its place.
    """

    path: str
    kind: str
    sha256: str
    title: str
    text: str
    confidence: str
    valid_from: str | None = None
    recorded_at: str | None = None
    superseded: bool = False
    superseded_by: str | None = None
    everywhere: bool = False
    fact: str = ""

    @property
    def authority(self) -> str:
        """The authority class: the rung and how sure it is."""
        return f"{self.kind}_{self.confidence}".upper()

    @property
    def provider(self) -> str:
        """Whose it is."""
        return self.path.partition(":")[0]


class Provider(Protocol):
    """Something that gives sources, and the capability that lets it be asked."""

    @property
    def capability(self) -> str:
        """`corpus.records` or `corpus.memory`."""

    @property
    def prefix(self) -> str:
        """How the paths of its sources begin: `<provider>:<collection>/`."""

    def find(self, question: Question) -> Iterable[Provided]:
        """Give what may answer a question, the best first."""

    def named(self, place: Place, paths: Sequence[str]) -> Iterable[Provided]:
        """Give those of some sources that there are, current or not."""


class BadSourceError(Exception):
    """A provider gave something that cannot be a source; `reason` says what."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def is_provided(path: str) -> bool:
    """Say whether a path is of a provider's source; no file can have such a path."""
    return _PATH.fullmatch(path) is not None


def checked(given: object, provider: Provider) -> Provided:
    """Give a source as it may be shown, or raise `BadSourceError`.

    What a reader cannot see is taken out, and a text longer than a passage is cut.
    """
    problem = _problem(given, provider)
    if problem is not None:
        raise BadSourceError(problem)
    assert isinstance(given, Provided)
    return given._replace(
        title=" ".join(visible(given.title).split())[:TITLE_CHARACTERS],
        text=_shown(given.text),
        valid_from=_time(given.valid_from),
        recorded_at=_time(given.recorded_at),
    )


def _problem(given: object, provider: Provider) -> str | None:
    if not isinstance(given, Provided):
        return "what is no source"
    texts = (given.title, given.text, given.kind, given.confidence, given.fact)
    if not all(isinstance(one, str) for one in texts):
        return "a source without text"
    flags = (given.superseded, given.everywhere)
    if not all(isinstance(one, bool) for one in flags):
        return "a source that does not say whether it holds, and where"
    if not (_is_own(given.path, provider) and _is_hash(given.sha256)):
        return "a source under a path or a hash that is none"
    if given.kind != TYPE_OF[provider.capability]:
        return "a source of a type that is not its own"
    if (given.kind, given.confidence) not in CONFIDENCES:
        return "a source of no known confidence"
    if len(given.text) > MOST_CHARACTERS:
        return "a source that is too long"
    successor = given.superseded_by
    if successor is not None and not _is_own(successor, provider):
        return "a successor under a path that is none"
    return None


def _is_own(path: object, provider: Provider) -> bool:
    return (
        isinstance(path, str) and is_provided(path) and path.startswith(provider.prefix)
    )


def _is_hash(text: object) -> bool:
    return isinstance(text, str) and is_sha256(text)


def _shown(text: str) -> str:
    lines = visible(text.replace("\r\n", "\n").replace("\r", "\n")).strip()
    if len(lines) <= PIECE_CHARACTERS:
        return lines
    return f"{cut_text(lines).rstrip()} …"


def _time(text: object) -> str | None:
    if not isinstance(text, str) or instant(text) is None:
        return None
    return text
