"""Stages that no write will publish any more, wherever writes put them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from corpus.protocol.layout import FOLDERS
from corpus.refs import RelPath
from corpus.writes.audit import AUDIT

if TYPE_CHECKING:
    from corpus.confined.reader import ConfinedRoot
    from corpus.policy import Policy

_STAGE = re.compile(r"\.(.+)\.[0-9a-f]{16}\.stage")
_PLACES = (*(FOLDERS[kind] for kind in ("state", "task", "report")), RelPath(AUDIT))


def target_of(path: str) -> RelPath:
    """Name the file that a stage was made for."""
    folder, _, name = path.rpartition("/")
    stage = _STAGE.fullmatch(name)
    assert stage is not None, "only a stage has a target"
    return RelPath(f"{folder}/{stage[1]}")


def write_stages(opened: ConfinedRoot, policy: Policy) -> list[RelPath]:
    """List the stages beside artifacts in scope and beside receipts, by folder.

    Those of a write under way are among them.
    """

    def wanted(path: str) -> bool:
        folder, _, name = path.rpartition("/")
        if not _STAGE.fullmatch(name):
            return False
        target = target_of(path)
        return folder == AUDIT or policy.may_read(target) or policy.may_write(target)

    def enter(path: str) -> bool:
        return path in _PLACES or policy.may_enter(path)

    found = []
    for place in _PLACES:
        found += opened.entries(place, wanted=wanted, enter=enter)
    return [entry.path for entry in found if entry.problem is None]
