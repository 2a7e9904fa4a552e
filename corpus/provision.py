"""What providers may add to one corpus at one moment, and what they gave.

Which providers are asked is decided as every capability is: the policy has to offer
it, and a grant can only narrow that (P3.4). What belongs to no project comes only
where the owner has granted it: a policy lies in the project and may be anybody's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from corpus.authority import Session, decide
from corpus.confined.reader import open_root
from corpus.mandate import is_granted_root
from corpus.refusals import GrantMissingError
from corpus.sources.provided import (
    CAPABILITIES,
    RECORDS,
    RUNGS,
    Place,
    Question,
    is_provided,
)
from corpus.sources.providers import MOST_SOURCES, Given, ask_all, registered
from corpus.trust import grant_path, read_grant

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from corpus.findings import Finding
    from corpus.mandate import Mandate
    from corpus.policy import Policy
    from corpus.sources.provided import Provided, Provider
    from corpus.sources.providers import Asking, Entry
    from corpus.userdirs import UserDirs

MOST_FOUND = 32
"""Sources that one provider is asked for."""

LONGEST_QUERY = 10_000
"""Characters of a query that a provider is asked with."""


class Leave(NamedTuple):
    """Which capabilities of providers are effective now.

    `everywhere` says that what belongs to no project may be given too.
    """

    capabilities: frozenset[str] = frozenset()
    everywhere: bool = False


NOTHING_ALLOWED = Leave()


def leave_by_mandate(mandate: Mandate) -> Leave:
    """Give what the four layers leave to a session that has a grant."""
    effective = mandate.decision.effective & CAPABILITIES
    return Leave(effective, everywhere=RECORDS in effective)


def leave_by_policy(root: Path, policy: Policy, *, dirs: UserDirs) -> Leave:
    """Give what a command may ask for, which needs no grant.

    A grant in the default place for this project and this folder narrows it; one that
    cannot be trusted is `GrantUnsafeError` or the `Grant…Error` of what is wrong.
    """
    offered = policy.capabilities & CAPABILITIES
    if not offered:
        return NOTHING_ALLOWED
    path = grant_path(policy.project_id, directory=dirs.trust)
    try:
        grant = read_grant(path, root=root, project_id=policy.project_id)
    except GrantMissingError:
        return Leave(offered)
    with open_root(root) as opened:
        ours = grant.project_id == policy.project_id and is_granted_root(opened, grant)
    if not ours:
        return Leave(offered)
    decision = decide(
        grant=grant, policy=policy, session=Session("cli"), identity_matches=True
    )
    effective = decision.effective & offered
    return Leave(effective, everywhere=RECORDS in effective)


class Provision:
    """The providers of one opened corpus; a question is put to them once.

    So a view goes on answering for the moment it was opened at, providers included.
    `findings` are of every question so far.
    """

    def __init__(
        self, root: Path | None, leave: Leave, entries: Sequence[Entry] | None = None
    ) -> None:
        self._root = root
        self._leave = leave
        self._entries = entries
        self._known: dict[tuple[str, bool], Given] = {}
        self._found: dict[tuple[str, str], Finding] = {}

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Which providers could not answer, and why."""
        return tuple(self._found[name] for name in sorted(self._found))

    def find(self, query: str, *, history: bool) -> tuple[Provided, ...]:
        """Give what may answer a query; what was superseded only with `history`."""
        if self._root is None or not self._leave.capabilities:
            return ()
        key = (query[:LONGEST_QUERY], history)
        if key not in self._known:
            question = Question(self._place, *key, limit=MOST_FOUND)
            given = self._asked(lambda provider: provider.find(question))
            wanted = [one for one in given.sources if history or not one.superseded]
            sources = tuple(_each_fact_once(wanted))
            self._known[key] = given._replace(sources=sources)
        return self._known[key].sources

    def named(self, paths: Iterable[str]) -> Mapping[str, Provided]:
        """Give those of some sources that there are now, by path."""
        wanted = sorted({path for path in paths if is_provided(path)})
        if self._root is None or not (wanted and self._leave.capabilities):
            return {}
        place = self._place
        found: dict[str, Provided] = {}
        for at in range(0, len(wanted), MOST_SOURCES):
            part = wanted[at : at + MOST_SOURCES]
            given = self._asked(_by_name(place, part))
            found.update({one.path: one for one in given.sources if one.path in part})
        return found

    def probe(self) -> tuple[Finding, ...]:
        """Ask every provider for nothing, to see whether it answers at all."""
        if self._root is not None and self._leave.capabilities:
            place = self._place
            self._asked(lambda provider: provider.named(place, ()))
        return self.findings

    @property
    def _place(self) -> Place:
        assert self._root is not None
        return Place(self._root, self._leave.everywhere)

    def _asked(self, asking: Asking) -> Given:
        entries = registered() if self._entries is None else self._entries
        given = ask_all(entries, self._leave.capabilities, asking)
        for finding in given.findings:
            self._found[finding.path, finding.detail] = finding
        everywhere = self._leave.everywhere
        own = tuple(one for one in given.sources if everywhere or not one.everywhere)
        return given._replace(sources=own)


NO_PROVISION = Provision(None, NOTHING_ALLOWED)
"""A corpus of files alone."""


def _by_name(place: Place, paths: Sequence[str]) -> Asking:
    def asking(provider: Provider) -> Iterable[Provided]:
        own = [path for path in paths if path.startswith(provider.prefix)]
        return provider.named(place, own) if own else ()

    return asking


def _each_fact_once(sources: Sequence[Provided]) -> Iterable[Provided]:
    """Leave out what says on a lower rung what another one says too."""
    ladder = list(RUNGS)
    best: dict[str, str] = {}
    for one in sorted(sources, key=lambda one: ladder.index(one.kind)):
        if one.fact and not one.superseded:
            best.setdefault(one.fact, one.path)
    return [
        one
        for one in sources
        if one.superseded or best.get(one.fact, one.path) == one.path
    ]
