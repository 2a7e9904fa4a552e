"""Asking providers: found as entry points, within a time and a size, never failing.

A provider runs in a thread of its own. One that raises, gives what is no source, or
gives no answer in time is told of as a finding, and the answer goes on without it.
"""

from __future__ import annotations

import functools
import threading
import time
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from corpus.entrypoints import entry_points
from corpus.errors import CodedError
from corpus.findings import Finding
from corpus.sources.provided import CAPABILITIES, BadSourceError, checked
from corpus.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from corpus.sources.provided import Provided, Provider

    Asking = Callable[[Provider], Iterable[Provided]]

GROUP = "corpus.providers"
CODE = "PROVIDER_FAILED"
HINT = (
    "what this provider holds is missing here; repair or uninstall it, or take its"
    " capability out of policy.toml"
)

SECONDS = 5.0
"""What all providers together may take for one question."""

MOST_SOURCES = 64
"""Sources that one provider gives for one question."""

_NAME_CHARACTERS = 80
_TOO_MANY = f"more than {MOST_SOURCES} sources"


class Entry(Protocol):
    """A registered provider that is not loaded yet, such as an entry point."""

    @property
    def name(self) -> str:
        """What it is registered as."""

    def load(self) -> object:
        """Import it."""


class Given(NamedTuple):
    """What the providers gave, and which of them could not."""

    sources: tuple[Provided, ...] = ()
    findings: tuple[Finding, ...] = ()


@functools.cache
def registered() -> tuple[Entry, ...]:
    """Find the providers that are installed, once a process."""
    found = {entry.name: entry for entry in entry_points(GROUP)}
    return tuple(found[name] for name in sorted(found))


def ask_all(
    entries: Sequence[Entry],
    allowed: AbstractSet[str],
    asking: Asking,
    *,
    seconds: float = SECONDS,
) -> Given:
    """Ask every provider whose capability is allowed, all at once.

    The sources come in the order of the entries, each path once. One whose name says
    that it is for another capability, as `agentctx.memory` does, is not even loaded.
    """
    calls = [
        _Call(entry, allowed, asking)
        for entry in entries
        if f"corpus.{entry.name.rpartition('.')[2]}" not in CAPABILITIES - allowed
    ]
    for call in calls:
        call.start()
    ends = time.monotonic() + seconds
    sources: dict[str, Provided] = {}
    findings = []
    for call in calls:
        call.wait(max(0.0, ends - time.monotonic()))
        if call.problem is not None:
            findings.append(_finding(call.name, call.problem))
        for source in call.sources:
            sources.setdefault(source.path, source)
    return Given(tuple(sources.values()), tuple(findings))


class _Call:
    """One question to one provider."""

    def __init__(self, entry: Entry, allowed: AbstractSet[str], asking: Asking) -> None:
        self.name = visible(entry.name)[:_NAME_CHARACTERS]
        self.sources: tuple[Provided, ...] = ()
        self.problem: str | None = "it gave no answer in time"
        self._entry = entry
        self._allowed = allowed
        self._asking = asking
        self._answer: tuple[tuple[Provided, ...], str | None] | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Ask, unless it is still busy with a question it never answered."""
        busy = _BUSY.get(self.name)
        if busy is not None and busy.is_alive():
            self.problem = "it is still busy with an earlier question"
            return
        _BUSY.pop(self.name, None)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def wait(self, seconds: float) -> None:
        """Take the answer when it comes in time."""
        if self._thread is None:
            return
        self._thread.join(seconds)
        answer = self._answer
        if answer is not None:
            self.sources, self.problem = answer
        else:
            _BUSY[self.name] = self._thread

    def _run(self) -> None:
        try:
            self._answer = self._asked(), None
        except BadSourceError as error:
            self._answer = (), f"it gave {error.reason}"
        except CodedError as error:
            self._answer = (), f"it says {error.code}"
        except (SystemExit, KeyboardInterrupt, GeneratorExit) as error:
            self._answer = (), f"it raised {type(error).__name__}"
        except Exception as error:  # noqa: BLE001 - anybody's code
            self._answer = (), f"it raised {type(error).__name__[:_NAME_CHARACTERS]}"

    def _asked(self) -> tuple[Provided, ...]:
        provider = cast("Provider", self._entry.load())
        if provider.capability not in CAPABILITIES & self._allowed:
            return ()
        given = list(islice(self._asking(provider), MOST_SOURCES + 1))
        if len(given) > MOST_SOURCES:
            raise BadSourceError(_TOO_MANY)
        return tuple(checked(one, provider) for one in given)


_BUSY: dict[str, threading.Thread] = {}
"""Providers that have not come back yet, by name."""


def forget_busy() -> None:
    """Ask every provider again, also one that never answered about another corpus."""
    _BUSY.clear()


def _finding(name: str, problem: str) -> Finding:
    return Finding(
        code=CODE, severity="WARN", path=name, line=0, detail=problem, hint=HINT
    )
