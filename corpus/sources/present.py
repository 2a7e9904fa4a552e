"""Read what is so now: the active task and the citations, from STATUS itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.markdown import decode, parse_markdown
from corpus.protocol.citations import cited_paths
from corpus.protocol.layout import NONE, STATUS_PATH
from corpus.protocol.metadata import read_metadata
from corpus.sources.standing import Present, active_task_path

if TYPE_CHECKING:
    from corpus.sources.scan import Scan


def read_present(scan: Scan) -> Present:
    """Parse STATUS and the active task; both are always in a scan if in scope."""
    sources = scan.by_path()
    status = parse_markdown(decode(sources[STATUS_PATH].content))
    metadata = read_metadata(status)
    named = (metadata.get("Active-Task-ID") or NONE).strip()
    active = active_task_path(named if named != NONE else None, sources)
    by_status = cited_paths(status, STATUS_PATH, sources)
    by_task: frozenset[str] = frozenset()
    if active is not None:
        task = parse_markdown(decode(sources[active].content))
        by_task = cited_paths(task, active, sources)
    return Present(
        active_task=active,
        last_verified=metadata.get("Last-Verified-At"),
        cited=by_status | by_task,
        cited_by_status=by_status,
    )
