"""`agentctx project adopt`: take over the records of another namespace.

Where that namespace seems to be another project's, nothing is moved for a `--yes`
alone: somebody reads the question, or says `--force`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from agentctx.cli.consent import add_yes, require_consent
from agentctx.cli.opening import open_for_writing
from agentctx.config import environment
from agentctx.errors import NamespaceInUseError
from agentctx.project import path_id, resolve_project
from agentctx.records.adopt import adopt_namespace, find_namespace
from agentctx.records.namespaces import noted
from corpus.cli.render import counted, visible

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.cli.opening import Opened
    from agentctx.project import Project
    from agentctx.records.adopt import Adopted
    from agentctx.records.namespaces import Namespace
    from corpus.cli.call import Call

SUMMARY = "Take over the records of another namespace."
EXAMPLE = "agentctx project adopt 3f9a1c0d7e52"

WARNINGS = {
    "FOLDER_IN_USE": "its folder is there and is that project still",
    "OWN_REMOTE": "it has a remote of its own",
}
"""Why a namespace seems to be another project's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What came over, and the `WARNINGS` that were overridden."""

    adopted: Adopted
    warnings: tuple[str, ...]

    def as_json(self) -> dict[str, object]:
        """Give the outcome as one JSON object."""
        return {**self.adopted.as_json(), "warnings": list(self.warnings)}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    parser.add_argument(
        "old_id",
        metavar="OLD_ID",
        help="the namespace: its id, or 6 digits or more of it",
    )
    add_yes(parser)
    parser.add_argument(
        "--force",
        action="store_true",
        help="do not ask, even where the records seem to be another project's",
    )


def run(call: Call, *, old_id: str, yes: bool, force: bool) -> Taken:
    """Say what is to move, ask, copy the store, and move it whole or not at all."""
    with open_for_writing(call) as opened:
        own = opened.project_id
        found = find_namespace(opened.store.db, old_id, own=own)
        warnings = _warnings(found, opened.project)
        if warnings and not force and (yes or not call.asks):
            reason = "; ".join(WARNINGS[one] for one in warnings)
            raise NamespaceInUseError(found=found.project_id[:12], reason=reason)
        question = _question(found, opened, warnings)
        require_consent(call, "project adopt", question, yes=yes or force)
        adopted = adopt_namespace(opened.store, found.project_id, own)
        return Taken(adopted=adopted, warnings=warnings)


def lines(value: Taken) -> Iterator[str]:
    """Say what moved, and where the copy of the store is."""
    adopted = value.adopted
    moved = counted(adopted.namespace.records, "record")
    yield f"adopted {moved} of {adopted.namespace.project_id[:12]}"
    if adopted.superseded:
        yield f"{counted(adopted.superseded, 'record')} made way for a newer one"
    yield f"before: {visible(adopted.saved.path)}"


def _question(found: Namespace, opened: Opened, warnings: tuple[str, ...]) -> str:
    what = counted(found.records, "record")
    place = f" of {found.name} in {found.root}" if found.name else ""
    question = (
        f"move {what}{visible(place)} from {found.project_id[:12]} to this project,"
        f" {visible(opened.project.name)} ({opened.project_id[:12]})?\n"
        "The store is copied first."
    )
    told = (f"\nIt seems to be another project's: {WARNINGS[one]}" for one in warnings)
    return question + "".join(told)


def _warnings(found: Namespace, project: Project) -> tuple[str, ...]:
    """Say why a namespace seems to be in use; nothing is known of one without a place.

    One that was last seen at this very place is this project's own, of earlier.
    """
    if not found.root or found.root == noted(str(project.main_root)):
        return ()
    there = Path(found.root)
    named = []
    if there.is_dir():
        living = resolve_project(there, environ=environment())
        if living.project_id == found.project_id:
            named.append("FOLDER_IN_USE")
    if found.project_id != path_id(there):
        named.append("OWN_REMOTE")
    return tuple(named)
