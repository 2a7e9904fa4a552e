"""Write what was found as keyed facts within the limits of a record.

What manifests hold is somebody else's text: it becomes one visible line, without
secrets, before it goes anywhere.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from agentctx.profile.model import ProfileFact
from agentctx.redact import redact

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from agentctx.profile.model import Command, Member, Pipeline

MAX_TITLE = 120
MAX_BODY = 2_000
MAX_WORD = 100
MAX_LINE = 160
"""Characters of a script's own text that are shown."""

MAX_READ = 4_000
"""Characters of a text that are looked at; far more than any that are shown."""

_CUT = "…"


def clean(text: str, limit: int) -> str:
    """Give a text as one visible line of at most `limit` characters.

    Blanks of any kind are single spaces; what is invisible or turns the reading
    direction is left out.
    """
    spaced = " ".join(text[:MAX_READ].split())
    shown = "".join(char for char in spaced if char.isprintable())
    return cut(redact(unicodedata.normalize("NFC", shown)).text, limit)


def cut(text: str, limit: int) -> str:
    """Give a text of at most `limit` characters, marked where it was cut."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + _CUT


def stack_fact(name: str, stack: Sequence[str]) -> ProfileFact | None:
    """Say what a project is built with."""
    if not stack:
        return None
    listed = ", ".join(stack)
    return _fact("stack", f"Stack: {listed}", [f"{name} is built with {listed}."])


def commands_fact(commands: Sequence[tuple[str, Command]]) -> ProfileFact | None:
    """Say how things are done, one line each."""
    if not commands:
        return None
    kinds = ", ".join(kind for kind, _ in commands)
    lines = (
        f"{kind}: `{one.run}`" + (f" ({one.does})" if one.does else "")
        for kind, one in commands
    )
    return _fact("commands", f"Commands: {kinds}", lines)


def entry_points_fact(points: Sequence[str]) -> ProfileFact | None:
    """Say where a project starts."""
    if not points:
        return None
    names = ", ".join(point.partition(" = ")[0] for point in points)
    return _fact("entry-points", f"Entry points: {names}", points)


def layout_fact(
    members: Sequence[Member], folders: Sequence[str]
) -> ProfileFact | None:
    """Say which parts a monorepo has, or else which folders a project has."""
    if members:
        lines = (f"{one.path}: {one.name}" for one in members)
        plural = "s" if len(members) > 1 else ""
        names = ", ".join(one.name for one in members)
        return _fact(
            "layout", f"Monorepo of {len(members)} member{plural}: {names}", lines
        )
    if folders:
        listed = ", ".join(folders)
        return _fact("layout", f"Folders: {listed}", [f"Top-level folders: {listed}."])
    return None


def pipelines_fact(pipelines: Sequence[Pipeline]) -> ProfileFact | None:
    """Say what checks a project outside the developer's machine."""
    if not pipelines:
        return None
    systems = ", ".join(dict.fromkeys(one.system for one in pipelines))
    lines = (
        f"{one.path}: " + (", ".join(one.jobs) if one.jobs else one.system)
        for one in pipelines
    )
    return _fact("ci", f"CI: {systems}", lines)


def _fact(key: str, title: str, lines: Iterable[str]) -> ProfileFact:
    """Keep whole lines within the body; say that lines are missing where they are."""
    kept: list[str] = []
    left = MAX_BODY - len(_CUT) - 1
    for line in lines:
        line = cut(line, MAX_BODY // 2)  # noqa: PLW2901 - the same line, shorter
        if len(line) + 1 > left:
            kept.append(_CUT)
            break
        kept.append(line)
        left -= len(line) + 1
    body = redact("\n".join(kept)).text
    return ProfileFact(key, cut(redact(title).text, MAX_TITLE), cut(body, MAX_BODY))
