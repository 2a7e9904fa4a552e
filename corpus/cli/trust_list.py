"""`project-corpus trust list`: every grant of this user, usable or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpus.cli.render import counted
from corpus.mandate import identity_at
from corpus.trust import list_grants
from corpus.userdirs import user_dirs

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call
    from corpus.trust import Listed

SUMMARY = "List every grant of this user, usable or not."
EXAMPLE = "project-corpus trust list"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grants:
    """The files of the trust folder, by name."""

    folder: str
    listed: tuple[Listed, ...]

    def as_json(self) -> dict[str, object]:
        """Give the list as one JSON object."""
        return {
            "trust_directory": self.folder,
            "grants": [_as_json(one) for one in self.listed],
        }


def configure(parser: argparse.ArgumentParser) -> None:
    """Take nothing."""
    del parser


def run(call: Call) -> Grants:
    """Read the trust folder."""
    del call
    folder = user_dirs().trust
    return Grants(folder=str(folder), listed=list_grants(folder))


def lines(value: Grants) -> Iterator[str]:
    """Show one grant a line, then how many there are."""
    for one in value.listed:
        if one.grant is None:
            yield f"{one.name}  {_code(one)}: {one.problem}"
        else:
            yield f"{one.grant.project_id}  {one.grant.physical_root}{_state(one)}"
    yield f"{counted(len(value.listed), 'grant')} in {value.folder}"


def _as_json(one: Listed) -> dict[str, object]:
    grant = one.grant
    return {
        "file": one.name,
        "ok": grant is not None,
        "error": _code(one),
        "detail": str(one.problem) if one.problem else None,
        "project_id": grant.project_id if grant else None,
        "physical_root": grant.physical_root if grant else None,
        "root_present": bool(grant) and not _state(one),
        "capability_ceiling": sorted(grant.capability_ceiling) if grant else [],
        "transports": sorted(grant.transports) if grant else [],
        "approved_at": grant.approved_at if grant else None,
    }


def _code(one: Listed) -> str | None:
    return one.problem.code if one.problem else None


def _state(one: Listed) -> str:
    """Say what is wrong with the folder a grant names, nothing when it is there."""
    assert one.grant is not None
    found = identity_at(one.grant.physical_root)
    if found is None:
        return "  (not there)"
    return "" if found == one.grant.root_identity else "  (another folder)"
