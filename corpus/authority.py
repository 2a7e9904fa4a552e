"""What is allowed now: the limits of one project, and the four layers of authority.

A capability is effective only where the program can do it, the owner's grant holds it,
the project's policy offers it and the session asks for it (P3.3). Nothing is ever
allowed that one of the four does not hold, whatever else is wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from corpus.errors import PolicyDeniedError
from corpus.grant import Limits
from corpus.policy import CAPABILITIES, READING_CAPABILITIES
from corpus.refusals import CapabilityUnknownError
from corpus.scopes import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from corpus.grant import Grant
    from corpus.policy import Policy

__all__ = [
    "INDEX_BYTES",
    "JSON_BYTES",
    "MIB",
    "POLICY_BYTES",
    "REASONS",
    "RUNTIME_HARD_LIMITS",
    "SOURCE_BYTES",
    "Decision",
    "Limits",
    "Session",
    "decide",
    "known_capabilities",
    "require",
    "require_context",
]

MIB = 1024 * 1024

SOURCE_BYTES = 8 * MIB
"""The largest source that is read."""

JSON_BYTES = MIB
"""The largest JSON input."""

POLICY_BYTES = MIB
"""The largest policy.toml."""

INDEX_BYTES = 128 * MIB
"""The largest index."""

RUNTIME_HARD_LIMITS = frozenset(
    {
        "corpus.read",
        "corpus.stat",
        "corpus.search",
        "corpus.timeline",
        "corpus.context",
        "corpus.records",
        "corpus.memory",
        "corpus.validate",
        "audit.read",
        "mcp.stdio",
        "state.update",
        "task.create",
        "task.update",
        "report.create",
    }
)
"""What this program can do for a session at all."""

REASONS = (
    "RUNTIME_HARD_LIMIT",
    "OWNER_GRANT_LIMIT",
    "PROJECT_POLICY_LIMIT",
    "SESSION_LIMIT",
    "POLICY_DRIFT",
    "ROOT_IDENTITY_MISMATCH",
    "TRANSPORT_NOT_GRANTED",
    "PROJECT_ID_MISMATCH",
)
"""Why a capability may be missing, in the order in which reasons are given."""

_DIAGNOSIS = frozenset({"corpus.validate"})
"""What stays where the folder is not the one that was granted."""


class Session(NamedTuple):
    """What one session is: how it came, and what it asks for.

    `asked` None means everything that the other layers give.
    """

    transport: str
    asked: frozenset[str] | None = None
    hard_limits: frozenset[str] = RUNTIME_HARD_LIMITS


class Decision(NamedTuple):
    """What is allowed at one moment, and why the rest is not.

    `denied` holds every other capability with all its reasons. `reasons` are those
    that concern the grant as a whole: drift, identity, transport, project.
    """

    effective: frozenset[str]
    denied: Mapping[str, tuple[str, ...]]
    reasons: tuple[str, ...]


def decide(
    *, grant: Grant, policy: Policy, session: Session, identity_matches: bool
) -> Decision:
    """Intersect the four layers and name every layer that withholds something."""
    whole: list[tuple[str, frozenset[str]]] = []
    if grant.policy_sha256 != policy.sha256:
        whole.append(("POLICY_DRIFT", READING_CAPABILITIES))
    if not identity_matches:
        whole.append(("ROOT_IDENTITY_MISMATCH", _DIAGNOSIS))
    if session.transport not in grant.transports:
        whole.append(("TRANSPORT_NOT_GRANTED", frozenset()))
    if grant.project_id != policy.project_id:
        whole.append(("PROJECT_ID_MISMATCH", frozenset()))
    layers = [
        ("RUNTIME_HARD_LIMIT", session.hard_limits),
        ("OWNER_GRANT_LIMIT", grant.capability_ceiling),
        ("PROJECT_POLICY_LIMIT", policy.capabilities),
        ("SESSION_LIMIT", CAPABILITIES if session.asked is None else session.asked),
        *whole,
    ]
    reasons = {
        capability: tuple(name for name, held in layers if capability not in held)
        for capability in sorted(CAPABILITIES)
    }
    return Decision(
        effective=frozenset(one for one, why in reasons.items() if not why),
        denied={one: why for one, why in reasons.items() if why},
        reasons=tuple(name for name, _ in whole),
    )


def known_capabilities(names: Iterable[str]) -> frozenset[str]:
    """Give the names as capabilities; CapabilityUnknownError names one that is none."""
    return frozenset(_known(names))


def require(policy: Policy, capability: str) -> None:
    """Raise `PolicyDeniedError` when the policy withholds `capability`."""
    if capability not in policy.capabilities:
        raise PolicyDeniedError(capability=capability)


def require_context(policy: Policy) -> None:
    """Raise `PolicyDeniedError` when the policy withholds the context (P3.4)."""
    require(policy, "corpus.context")


def _known(names: Iterable[str]) -> Iterator[str]:
    for name in names:
        if name not in CAPABILITIES:
            raise CapabilityUnknownError(capability=shown(name))
        yield name
