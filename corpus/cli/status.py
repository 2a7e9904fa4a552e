"""`project-corpus status`: where the project stands, on one card."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.cli.arguments import add_root
from corpus.cli.render import counted
from corpus.confined.reader import open_root
from corpus.userdirs import user_dirs

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call
    from corpus.confined.reader import ConfinedRoot
    from corpus.protocol.overview import ActiveTask, Overview

SUMMARY = "Show where the project stands, on one card."
EXAMPLE = "project-corpus status"

_LABEL = 13
_TEXT_LINES = 6
"""How many lines of a section the card shows."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_root(parser)


def run(call: Call, *, root: str | None) -> Overview:
    """Read the state files, the active task and the index's own card."""
    from corpus.protocol.overview import overview  # noqa: PLC0415 - parses Markdown
    from corpus.view import index_card  # noqa: PLC0415 - opens the index

    path = call.root(root)
    with open_root(path) as opened:
        card = index_card(opened, path, dirs=user_dirs())
        waits = _write_waits(opened)
        return overview(opened, index=card, interrupted_write=waits)


def lines(value: Overview) -> Iterator[str]:
    """Draw the card: a label and a value a line."""
    name = value.logical_name or value.project_id or "unnamed project"
    yield f"{name} ({value.project_id or 'no valid id'})"
    yield ""
    yield from _row("lifecycle", value.lifecycle_status or "not stated")
    yield from _row("active task", _task(value.active_task))
    yield from _row("next action", value.next_action or "none")
    yield from _row("blockers", value.blockers or "none")
    yield from _row("verified", value.last_verified_at or "not stated")
    yield from _row("STATUS.md", f"sha256 {value.status_sha256 or 'not known'}")
    yield from _row("index", _index(value))
    yield from _row("findings", _findings(value))


def _write_waits(opened: ConfinedRoot) -> bool:
    """Say whether a write was interrupted; without a usable policy nobody can tell."""
    from corpus.errors import CodedError  # noqa: PLC0415 - only when run
    from corpus.sources.scan import read_policy  # noqa: PLC0415 - only when run
    from corpus.writes.interrupted import interrupted_write  # noqa: PLC0415 - too

    try:
        policy = read_policy(opened)
    except CodedError:
        return False
    return interrupted_write(opened, policy, state=user_dirs().state) is not None


def _row(label: str, text: str) -> Iterator[str]:
    first, *rest = [line.rstrip() for line in text.splitlines() if line.strip()]
    yield f"{label:<{_LABEL}}{first}"
    shown = rest[: _TEXT_LINES - 1]
    for line in shown:
        yield f"{'':<{_LABEL}}{line}"
    if len(rest) > len(shown):
        left = counted(len(rest) - len(shown), "more line")
        yield f"{'':<{_LABEL}}… {left} in STATUS.md"


def _task(task: ActiveTask | None) -> str:
    if task is None:
        return "none"
    if task.title is None:
        return f"{task.id} (no such task in scope)"
    return f"{task.id} [{task.status or 'no status'}] {task.title}"


def _index(value: Overview) -> str:
    state = value.index.state
    built = f", built {value.index.built_at}" if value.index.built_at else ""
    if state == "fresh":
        return f"fresh{built}"
    if state == "unusable":
        return f"unusable{built}; run `project-corpus context doctor`"
    return f"{state}{built}; run `project-corpus context build`"


def _findings(value: Overview) -> str:
    found = []
    if value.errors or value.warnings:
        found.append(
            f"{counted(value.errors, 'error')}, {counted(value.warnings, 'warning')}; "
            "run `project-corpus validate`"
        )
    if value.interrupted_write:
        found.append("an interrupted write; run `project-corpus recover`")
    return "\n".join(found) or "none"
