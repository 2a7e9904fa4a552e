"""What one session may do in one project right now, and the refusal that explains it.

A mandate is made anew for every call (P3.3): policy and grant are read again, so what
their owners changed a moment ago holds.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from corpus.authority import decide
from corpus.confined.reader import identity_text
from corpus.refusals import CapabilityDeniedError, CapabilityUnknownError
from corpus.scopes import shown
from corpus.sources.scan import read_policy
from corpus.trust import grant_path, read_grant

if TYPE_CHECKING:
    from corpus.authority import Decision, Session
    from corpus.confined.reader import ConfinedRoot
    from corpus.grant import Grant
    from corpus.policy import Policy
    from corpus.userdirs import UserDirs

_HINTS = {
    "RUNTIME_HARD_LIMIT": "this program does not do that; no grant can change it",
    "OWNER_GRANT_LIMIT": "the owner can grant it with"
    " `project-corpus trust create --replace --allow {capability}` and the rest",
    "PROJECT_POLICY_LIMIT": "the owner can add it to `[capabilities] allow` in"
    " policy.toml and approve that with `project-corpus trust approve-policy`",
    "SESSION_LIMIT": "start the session with `--allow {capability}`, or without"
    " `--allow`",
    "POLICY_DRIFT": "the owner can look at the changed policy.toml and approve it with"
    " `project-corpus trust approve-policy`",
    "ROOT_IDENTITY_MISMATCH": "if the project was moved or cloned here on purpose, its"
    " owner can say so with `project-corpus trust renew`",
    "TRANSPORT_NOT_GRANTED": "the owner can grant this way of access with"
    " `project-corpus trust create --replace --transport …`",
    "PROJECT_ID_MISMATCH": "name the grant of this project, or let its owner create one"
    " with `project-corpus trust create`",
}


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
        error.hint = _HINTS[reasons[0]].format(capability=capability)
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
