"""Providers of a test's own, and ours as an installation registers them."""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from corpus.provision import Leave, Provision
from corpus.sources.provided import CAPABILITIES, RECORDS, Provided
from corpus.sources.providers import registered
from tests.corpora import ALLOW, policy_page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import pytest

    from corpus.sources.provided import Place, Question
    from corpus.sources.providers import Entry
    from corpus.view import View

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
OPEN = policy_page(allow=(*ALLOW, *sorted(CAPABILITIES)))
"""A policy that offers what providers need."""

EVERYTHING = Leave(CAPABILITIES, everywhere=True)
PREFIX = "stand-in:records/"


def record(name: str, text: str, title: str = "", **more: object) -> Provided:
    """Make a source as a provider gives it."""
    values: dict[str, object] = {
        "path": f"{PREFIX}{name}",
        "kind": "record",
        "sha256": hashlib.sha256(f"{title}{text}{more}".encode()).hexdigest(),
        "title": title or f"Record {name}",
        "text": text,
        "confidence": "explicit",
        "valid_from": "2026-01-02T00:00:00.000Z",
        "recorded_at": "2026-01-03T00:00:00.000Z",
        **more,
    }
    return Provided(**values)  # type: ignore[arg-type]


class StandIn:
    """A provider that holds what a test gives it, and notes what it was asked."""

    capability = RECORDS
    prefix = PREFIX

    def __init__(self, *sources: Provided) -> None:
        self.sources = list(sources)
        self.asked: list[Question] = []

    def find(self, question: Question) -> Iterable[Provided]:
        self.asked.append(question)
        return list(self.sources)

    def named(self, place: Place, paths: Sequence[str]) -> Iterable[Provided]:
        del place
        return [one for one in self.sources if one.path in paths]


class Acting(StandIn):
    """A provider that does something of its own when it is asked."""

    def __init__(self, act: Callable[[], Iterable[Provided]]) -> None:
        super().__init__()
        self.act = act

    def find(self, question: Question) -> Iterable[Provided]:
        del question
        return self.act()

    def named(self, place: Place, paths: Sequence[str]) -> Iterable[Provided]:
        del place, paths
        return self.act()


class Registered(NamedTuple):
    """An entry point that needs no package."""

    name: str
    provider: object

    def load(self) -> object:
        return self.provider


def entry(provider: object, name: str = "stand-in.records") -> Entry:
    """Register a provider with whoever is given the entry."""
    return Registered(name, provider)


def joined(view: View, *providers: object, leave: Leave = EVERYTHING) -> View:
    """Give a view that these providers may add to."""
    entries = [entry(one, f"stand-in.{at}") for at, one in enumerate(providers)]
    provision = Provision(view.project.path, leave, entries)
    return view._replace(provision=provision)


def installed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let this process find the package as an installation would register it."""
    groups = tomllib.loads(PYPROJECT.read_text("utf-8"))["project"]["entry-points"]
    rows = []
    for group, entries in groups.items():
        rows.append(f"[{group}]")
        rows += [f"{name} = {target}" for name, target in entries.items()]
    package = folder / "agentctx_corpus-0.dist-info"
    package.mkdir(parents=True)
    (package / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: agentctx-corpus\nVersion: 0\n", "utf-8"
    )
    (package / "entry_points.txt").write_text("\n".join(rows) + "\n", "utf-8")
    monkeypatch.syspath_prepend(folder)
    registered.cache_clear()
    yield
    registered.cache_clear()
