"""What is allowed now: the limits of one project and the capabilities it offers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.errors import PolicyDeniedError
from corpus.trust import Limits

if TYPE_CHECKING:
    from corpus.policy import Policy

__all__ = [
    "INDEX_BYTES",
    "JSON_BYTES",
    "MIB",
    "POLICY_BYTES",
    "SOURCE_BYTES",
    "Limits",
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


def require(policy: Policy, capability: str) -> None:
    """Raise `PolicyDeniedError` when the policy withholds `capability`."""
    if capability not in policy.capabilities:
        raise PolicyDeniedError(capability=capability)


def require_context(policy: Policy) -> None:
    """Raise `PolicyDeniedError` when the policy withholds the context (P3.4)."""
    require(policy, "corpus.context")
