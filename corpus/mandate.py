"""What one session may do in one project right now, and the refusal that explains it.

A mandate is made anew for every call (P3.3): policy and grant are read again, so what
their owners changed a moment ago holds.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from corpus.authority import decide
from corpus.confined.reader import identity_text
from corpus.policy import PROFILES
from corpus.refusals import CapabilityDeniedError, CapabilityUnknownError
from corpus.scopes import shown
from corpus.sources.scan import read_policy
from corpus.trust import grant_path, read_grant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpus.authority import Decision, Session
    from corpus.confined.reader import ConfinedRoot
    from corpus.grant import Grant
    from corpus.policy import Policy
    from corpus.userdirs import UserDirs

_CREATE = "project-corpus trust create"
_HARD_LIMIT = "this program does not do that; no grant can change it"
_OTHER_PROJECT = (
    f"name the grant of this project, or let its owner create one with `{_CREATE}`"
)
_OTHER_FOLDER = (
    "if the project was moved or cloned here on purpose, its owner can take the grant"
    " to this folder with `project-corpus trust renew`; a second checkout or worktree"
    f" gets a grant of its own with `{_CREATE} --trust FILE`, and `--trust FILE` at"
    " each command"
)
_APPROVE = (
    "the owner can look at policy.toml and approve it with"
    " `project-corpus trust approve-policy`"
)
_LIMIT_OPTIONS = ("--max-sources", "--max-bytes", "--max-lines")


class Mandate(NamedTuple):
    """A grant, a policy, and what they leave to one session."""

    grant: Grant
    policy: Policy
    decision: Decision

    def permits(self, capability: str) -> bool:
        """Say whether the session may use a capability."""
        return capability in self.decision.effective

    def require(self, capability: str) -> None:
        """Raise `CapabilityDeniedError` with every reason, unless it is permitted."""
        if self.permits(capability):
            return
        reasons = self.decision.denied.get(capability)
        if reasons is None:
            raise CapabilityUnknownError(capability=shown(capability))
        error = CapabilityDeniedError(capability=capability, reasons=", ".join(reasons))
        error.hint = ", then ".join(_next_steps(self, capability, frozenset(reasons)))
        raise error


def find_grant(opened: ConfinedRoot, *, trust: str | None, dirs: UserDirs) -> Path:
    """Give the file named, from the working directory, or the project's default one."""
    if trust is not None:
        return Path(trust).absolute()
    return grant_path(read_policy(opened).project_id, directory=dirs.trust)


def mandate_for(
    opened: ConfinedRoot, root: Path, grant_file: Path, session: Session
) -> Mandate:
    """Decide anew what the session may do; `root` is where `opened` was opened.

    Raises what reading the policy and the grant raises.
    """
    policy = read_policy(opened)
    grant = read_grant(grant_file, root=root, project_id=policy.project_id)
    decision = decide(
        grant=grant,
        policy=policy,
        session=session,
        identity_matches=is_granted_root(opened, grant),
    )
    return Mandate(grant=grant, policy=policy, decision=decision)


def is_granted_root(opened: ConfinedRoot, grant: Grant) -> bool:
    """Say whether the folder is the one granted, and the granted path leads to it."""
    identity = opened.identity
    return identity == grant.root_identity and identity == identity_at(
        grant.physical_root
    )


def identity_at(path: str) -> str | None:
    """Give the identity of the folder that a path leads to, None without one."""
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return None
    return identity_text(status.st_dev, status.st_ino)


def _next_steps(
    mandate: Mandate, capability: str, reasons: frozenset[str]
) -> Iterator[str]:
    """Say what can be done about a refusal, in the order in which it has to be done.

    The policy comes before the grant, which changes nothing alone. Where project or
    folder are others, what else is missing is told once they are settled.
    """
    if "RUNTIME_HARD_LIMIT" in reasons:
        yield _HARD_LIMIT
        return
    if "PROJECT_ID_MISMATCH" in reasons:
        yield _OTHER_PROJECT
        return
    if "PROJECT_POLICY_LIMIT" in reasons:
        yield _offering(mandate.policy, capability)
    if "ROOT_IDENTITY_MISMATCH" in reasons:
        yield _OTHER_FOLDER
        return
    if reasons & {"OWNER_GRANT_LIMIT", "TRANSPORT_NOT_GRANTED"}:
        yield f"the owner can grant it with `{_granting(mandate, capability, reasons)}`"
    elif reasons & {"PROJECT_POLICY_LIMIT", "POLICY_DRIFT"}:
        yield _APPROVE
    if "SESSION_LIMIT" in reasons:
        yield f"start the session with `--allow {capability}`, or without `--allow`"


def _offering(policy: Policy, capability: str) -> str:
    added = f"add `{capability}` to `[capabilities] allow` in policy.toml"
    if capability in PROFILES[policy.profile]:
        return f"the owner can {added}"
    profile = next(name for name, held in PROFILES.items() if capability in held)
    return f"the owner can {added}, whose profile has to be {profile}"


def _granting(mandate: Mandate, capability: str, reasons: frozenset[str]) -> str:
    """Give the command that grants one capability more and takes nothing away."""
    grant = mandate.grant
    ceiling = sorted(grant.capability_ceiling | {capability})
    words = [f"{_CREATE} --replace", *(f"--allow {one}" for one in ceiling)]
    usual = {"cli", "stdio-mcp"} if "mcp.stdio" in ceiling else {"cli"}
    if "TRANSPORT_NOT_GRANTED" not in reasons and grant.transports != usual:
        words += [f"--transport {one}" for one in sorted(grant.transports)]
    if grant.limits is not None:
        options = zip(_LIMIT_OPTIONS, grant.limits, strict=True)
        words += [f"{option} {number}" for option, number in options]
    return " ".join(words)
