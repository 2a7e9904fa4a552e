"""What a project's owner does with a grant: draft it, approve a policy, renew a root.

Each act looks at the project as it is now and gives a grant to be written; writing,
asking and showing are the caller's. Only `draft` and `approve_policy` accept what the
policy says now; `renew` never does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from corpus.authority import RUNTIME_HARD_LIMITS, SOURCE_BYTES, Session, decide
from corpus.confined.reader import Unreadable
from corpus.confined.volume import is_qualified
from corpus.grant import TRANSPORTS, Grant
from corpus.mandate import is_granted_root
from corpus.policy import PROFILES, READING_CAPABILITIES
from corpus.protocol.conformance import check_content
from corpus.protocol.layout import FOLDERS, HOME, PROJECT_PATH, STATUS_PATH
from corpus.refusals import (
    GrantProjectError,
    GrantRootError,
    GrantStateError,
    GrantUnwritableError,
)
from corpus.sources.scan import read_policy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime
    from pathlib import Path

    from corpus.authority import Decision
    from corpus.confined.reader import ConfinedRoot
    from corpus.grant import Limits
    from corpus.policy import Policy

WRITING = RUNTIME_HARD_LIMITS - READING_CAPABILITIES
"""What this program can change in a project at all."""

_RECEIPTS = f"{HOME}/audit"

MAX_PROBLEMS = 5
"""How many problems of the state files a refusal names."""


class Terms(NamedTuple):
    """What the owner wants to allow; None is the careful usual.

    `writes` adds to the usual capabilities the writes that the policy offers.
    """

    capabilities: frozenset[str] | None = None
    writes: bool = False
    transports: frozenset[str] | None = None
    limits: Limits | None = None


class Change(NamedTuple):
    """One field of a grant that differs, as text."""

    field: str
    old: str
    new: str

    def as_json(self) -> dict[str, object]:
        """Give the change as a JSON object."""
        return dict(self._asdict())


class Account(NamedTuple):
    """One grant beside the project as it is now: the four layers and their result.

    `decisions` has one for each transport, for a session that asks for everything.
    """

    grant: Grant
    policy: Policy
    root_identity: str
    filesystem: str
    identity_matches: bool
    decisions: Mapping[str, Decision]

    @property
    def drifted(self) -> bool:
        """Whether the policy is not the one that was approved."""
        return self.grant.policy_sha256 != self.policy.sha256

    @property
    def standing(self) -> bool:
        """Whether grant and project still belong together."""
        return (
            self.identity_matches
            and not self.drifted
            and self.grant.project_id == self.policy.project_id
        )

    def without_effect(self) -> dict[str, tuple[str, ...]]:
        """Give the granted capabilities that no transport has now, with the reasons."""
        effective = self.decisions[TRANSPORTS[0]].effective.union(
            *(decision.effective for decision in self.decisions.values())
        )
        return {
            capability: self.reasons(capability)
            for capability in sorted(self.grant.capability_ceiling - effective)
        }

    def reasons(self, capability: str) -> tuple[str, ...]:
        """Give why a capability is missing, over the transports that are granted."""
        asked = [name for name in TRANSPORTS if name in self.grant.transports]
        named: dict[str, None] = {}
        for transport in asked or TRANSPORTS:
            denied = self.decisions[transport].denied.get(capability, ())
            named.update(dict.fromkeys(denied))
        return tuple(named)

    def as_json(self) -> dict[str, object]:
        """Give the account as a JSON object."""
        return {
            "grant": self.grant.as_json(),
            "layers": {
                "runtime": sorted(RUNTIME_HARD_LIMITS),
                "owner": sorted(self.grant.capability_ceiling),
                "policy": sorted(self.policy.capabilities),
                "session": None,
            },
            "effective": {
                name: sorted(one.effective) for name, one in self.decisions.items()
            },
            "denied": {
                name: {capability: list(why) for capability, why in one.denied.items()}
                for name, one in self.decisions.items()
            },
            "without_effect": [
                {"capability": capability, "reasons": list(why)}
                for capability, why in self.without_effect().items()
            ],
            "policy_drift": self.drifted,
            "policy_sha256": self.policy.sha256,
            "root_identity": self.root_identity,
            "root_identity_matches": self.identity_matches,
            "filesystem": self.filesystem,
            "filesystem_qualified": is_qualified(self.filesystem),
        }


def missing_in_policy(account: Account, *, writes: bool) -> tuple[str, ...]:
    """Say what to write into policy.toml so that what is granted has its effect.

    With `writes` the controlled writes were asked for, even if the policy offers none
    and so none were granted. Each line is one thing to change.
    """
    policy = account.policy
    wanted = account.grant.capability_ceiling & RUNTIME_HARD_LIMITS
    if writes and not wanted & WRITING:
        wanted |= WRITING
    missing = wanted - policy.capabilities
    lines = []
    if not wanted <= PROFILES[policy.profile]:
        profile = next(name for name, held in PROFILES.items() if wanted <= held)
        lines.append(f'profile = "{profile}"')
    if missing:
        lines.append(f"add to [capabilities] allow: {_quoted(sorted(missing))}")
    if "audit.read" in wanted and not policy.may_enter(_RECEIPTS):
        lines.append(f"add to [scopes] read: {_quoted([f'{_RECEIPTS}/**'])}")
    places = _places_to_write(policy, wanted)
    if places:
        lines.append(f"add to [scopes] write: {_quoted(places)}")
    flags = ("expected_hash", "verified_readback", "audit_receipt")
    unset = [name for name in flags if not getattr(policy, name)]
    if wanted & WRITING and unset:
        lines.append(
            f"under [requirements]: {', '.join(f'{name} = true' for name in unset)}"
        )
    return tuple(lines)


def draft(opened: ConfinedRoot, root: Path, terms: Terms, *, now: datetime) -> Grant:
    """Draft a grant for a project whose policy and state files conform.

    Without named capabilities those that read are granted, as far as the policy offers
    them; without named transports the command line, and MCP where `mcp.stdio` is.
    """
    policy = read_policy(opened)
    problems = list(_state_problems(opened, policy))
    if problems:
        raise GrantStateError(problems="; ".join(problems[:MAX_PROBLEMS]))
    capabilities = terms.capabilities
    if capabilities is None:
        capabilities = RUNTIME_HARD_LIMITS & policy.capabilities
        if not terms.writes:
            capabilities &= READING_CAPABILITIES
    transports = terms.transports
    if transports is None:
        served = "mcp.stdio" in capabilities
        transports = frozenset(TRANSPORTS if served else TRANSPORTS[:1])
    return Grant(
        project_id=policy.project_id,
        physical_root=_named(root),
        root_identity=opened.identity,
        policy_sha256=policy.sha256,
        capability_ceiling=capabilities,
        filesystem=opened.filesystem,
        transports=transports,
        approved_at=_stamp(now),
        limits=terms.limits,
    )


def approve_policy(opened: ConfinedRoot, grant: Grant, *, now: datetime) -> Grant:
    """Pin the policy as it is now; refused where root or project are others."""
    policy = read_policy(opened)
    _require_project(grant, policy)
    if not is_granted_root(opened, grant):
        raise GrantRootError
    if grant.policy_sha256 == policy.sha256:
        return grant
    return grant._replace(policy_sha256=policy.sha256, approved_at=_stamp(now))


def renew(opened: ConfinedRoot, root: Path, grant: Grant, *, now: datetime) -> Grant:
    """Pin the folder the project lies in now; the approved policy stays approved."""
    _require_project(grant, read_policy(opened))
    pinned = grant._replace(
        physical_root=_named(root),
        root_identity=opened.identity,
        filesystem=opened.filesystem,
    )
    if pinned == grant:
        return grant
    return pinned._replace(approved_at=_stamp(now))


def changes(old: Grant, new: Grant) -> tuple[Change, ...]:
    """Name what differs between two grants, but for the time."""
    before, after = old.as_json(), new.as_json()
    return tuple(
        Change(field, _text(before[field]), _text(after[field]))
        for field in before
        if before[field] != after[field] and field != "approved_at"
    )


def account(opened: ConfinedRoot, grant: Grant) -> Account:
    """Put a grant beside the project as it is now."""
    policy = read_policy(opened)
    matches = is_granted_root(opened, grant)
    return Account(
        grant=grant,
        policy=policy,
        root_identity=opened.identity,
        filesystem=opened.filesystem,
        identity_matches=matches,
        decisions={
            transport: decide(
                grant=grant,
                policy=policy,
                session=Session(transport),
                identity_matches=matches,
            )
            for transport in TRANSPORTS
        },
    )


def _places_to_write(policy: Policy, wanted: frozenset[str]) -> list[str]:
    """Name the scopes that the wanted writes need and `write` does not reach."""
    places = []
    if "state.update" in wanted and not policy.may_write(STATUS_PATH):
        places.append(str(STATUS_PATH))
    for kind in ("task", "report"):
        folder = FOLDERS[kind]
        asked = any(one.startswith(f"{kind}.") for one in wanted)
        if asked and not any(scope.may_reach(folder) for scope in policy.write):
            places.append(f"{folder}/**")
    return places


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _require_project(grant: Grant, policy: Policy) -> None:
    if grant.project_id != policy.project_id:
        raise GrantProjectError(found=grant.project_id, expected=policy.project_id)


def _state_problems(opened: ConfinedRoot, policy: Policy) -> Iterator[str]:
    for path in (PROJECT_PATH, STATUS_PATH):
        if not policy.may_read(path):
            yield f"`{path}` is outside the policy's read scope"
            continue
        try:
            content = opened.content(path, limit=SOURCE_BYTES)
        except Unreadable as problem:
            yield f"`{path}`: {problem.reason}"
            continue
        for found in check_content(path, content, project_id=policy.project_id):
            if found.severity == "ERROR":
                yield f"`{path}`: {found.code}, {found.detail}"


def _named(root: Path) -> str:
    """Give a root's path as a grant can hold it: as text."""
    name = str(root)
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        raise GrantUnwritableError(
            reason="the project's path is not UTF-8 text"
        ) from None
    return name


def _stamp(now: datetime) -> str:
    return now.strftime("%Y-%m-%dT%H:%M:%SZ")


def _text(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "nothing"
    if isinstance(value, dict):
        return ", ".join(f"{key} {number}" for key, number in value.items())
    return "the usual" if value is None else str(value)
