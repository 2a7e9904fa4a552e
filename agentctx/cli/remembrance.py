"""What `agentctx init` does about the conversation memory of a project: shown first."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentctx.memory.names import FOLDER
from agentctx.memory.store import RandomIds
from agentctx.memory.switch import VARIABLE, memory_root, turn_on, why_off
from agentctx.memory.verdict import Absent, Degraded, judge
from corpus.errors import CodedError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentctx.project import Project
    from corpus.cli.call import Call

OWNER = "init"

_OFF = {
    "environment": f"off: {VARIABLE} says so",
    "setting": "off: `agentctx config --memory` turns it on",
    "off": "off here: `agentctx memory on` turns it on",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembrance:
    """Whether conversations on the project here are remembered, and why.

    `makes` says that a memory is made for it, or was.
    """

    folder: str
    makes: bool
    runs: bool
    reason: str

    def as_json(self) -> dict[str, object]:
        """Give it as one JSON object."""
        return {
            "folder": self.folder,
            "makes": self.makes,
            "runs": self.runs,
            "reason": self.reason,
        }


def planned(
    project: Project, *, home: str, environ: Mapping[str, str], wanted: bool
) -> Remembrance:
    """Say what becomes of the project's memory; nothing is changed."""
    root = memory_root(project)
    off = why_off(root, home=home, environ=environ)
    if os.path.realpath(f"{root}/{FOLDER}") == os.path.realpath(home):
        return _left(root, "off: this folder holds the store of every project")
    if off is not None and off != "no_folder":
        return _left(root, _OFF[off])
    found = judge(root)
    if isinstance(found, Degraded):
        return _left(root, f"cannot be used: {found.detail}; it stays as it is")
    if not isinstance(found, Absent):
        return _left(root, "on", runs=True)
    if not wanted:
        return _left(root, "left as it is", runs=off is None)
    reason = "on: what is said is kept here, for this project alone"
    return Remembrance(folder=f"{root}/{FOLDER}", makes=True, runs=True, reason=reason)


def make(call: Call, project: Project) -> None:
    """Let the project have a memory; raises as `turn_on` does."""
    ids = RandomIds(call.random)
    try:
        turn_on(memory_root(project), clock=call.clock, ids=ids, owner=OWNER)
    except CodedError as error:
        error.hint = f"{error.hint}; `--no-memory` goes on without"
        raise


def _left(root: str, reason: str, *, runs: bool = False) -> Remembrance:
    return Remembrance(folder=f"{root}/{FOLDER}", makes=False, runs=runs, reason=reason)
