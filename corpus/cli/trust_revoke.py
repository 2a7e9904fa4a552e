"""`project-corpus trust revoke`: remove a grant, whatever state it is in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from corpus.cli.arguments import add_root
from corpus.cli.granting import add_trust, add_yes, place_of
from corpus.cli.render import visible
from corpus.errors import CodedError, UsageError
from corpus.refs import ProjectId, is_id
from corpus.refusals import GrantMissingError
from corpus.trust import grant_path, read_grant, remove_grant
from corpus.userdirs import user_dirs

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call

SUMMARY = "Remove a grant."
EXAMPLE = "project-corpus trust revoke --project-id weather-station"


@dataclass(frozen=True, slots=True, kw_only=True)
class Revoked:
    """The file that was removed; `project_id` is None when it said none."""

    path: Path
    project_id: str | None

    def as_json(self) -> dict[str, object]:
        """Give the answer as one JSON object."""
        return {
            "ok": True,
            "project_id": self.project_id,
            "trust_path": str(self.path),
        }


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_root(parser)
    add_trust(parser)
    parser.add_argument(
        "--project-id",
        metavar="ID",
        help="the project, where its folder is gone or its policy broken",
    )
    add_yes(parser)


def run(
    call: Call,
    *,
    root: str | None,
    trust: str | None,
    project_id: str | None,
    yes: bool,
) -> Revoked:
    """Say what is to be removed, ask, and remove it."""
    path = _path(call, root, trust, project_id)
    found = None
    try:
        found = read_grant(path, root=None, project_id=project_id).project_id
        question = f"revoke the grant of {found} in {visible(str(path))}?"
    except GrantMissingError:
        raise
    except CodedError as error:
        if path.suffix != ".toml":  # it may be anything: leave it alone
            raise
        question = f"remove {visible(str(path))}, which is no usable grant ({error})?"
    call.require_yes("trust revoke", question, yes=yes)
    remove_grant(path)
    return Revoked(path=path, project_id=found)


def lines(value: Revoked) -> Iterator[str]:
    """Say what is gone."""
    yield f"removed {value.path}"


def _path(
    call: Call, root: str | None, trust: str | None, project_id: str | None
) -> Path:
    if sum(one is not None for one in (root, trust, project_id)) > 1:
        raise UsageError(problem="name the grant by ROOT, `--trust` or `--project-id`")
    if trust is not None:
        return Path(trust).absolute()
    if project_id is None:
        return place_of(call, root, None).path
    if not is_id(project_id):
        raise UsageError(problem=f"`{visible(project_id[:64])}` is no project's id")
    return grant_path(ProjectId(project_id), directory=user_dirs().trust)
