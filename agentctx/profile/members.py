"""Find the folders that a workspace's patterns mean, within bounds."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from agentctx.profile.manifests import SKIPPED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from agentctx.profile.manifests import Place

MAX_FOLDERS = 400
"""Folders looked into for one project."""

MAX_DEPTH = 6
MAX_PATTERNS = 200

_BRACES = re.compile(r"\{([^{},]{1,80}(?:,[^{},]{1,80}){1,9})\}")
_WILD = frozenset("*?[")


def expand(
    root: Place, patterns: Iterable[str], left_out: Sequence[str]
) -> Iterator[Place]:
    """Give each folder the patterns mean, once, in their order; never the root.

    `*` stands for one folder and `**` for any number. A wildcard never means a hidden
    folder or one that holds built or foreign code, and nothing leads out of the root.
    """
    budget = [MAX_FOLDERS]
    seen: set[str] = {root.folder}
    excluded = [_tidy(one) for one in left_out]
    for pattern in list(patterns)[:MAX_PATTERNS]:
        for plain in _without_braces(_tidy(pattern)):
            parts: list[str] = []
            for part in filter(None, plain.split("/")):
                if not part == "**" == "".join(parts[-1:]):
                    parts.append(part)
            for place in _walk(root, parts, budget, 0):
                if place.folder not in seen:
                    seen.add(place.folder)
                    if not any(_means(one, place.folder) for one in excluded):
                        yield place


def _walk(
    place: Place, parts: list[str], budget: list[int], depth: int
) -> Iterator[Place]:
    if not parts:
        yield place
        return
    if depth >= MAX_DEPTH:
        return
    head, rest = parts[0], parts[1:]
    if head == "**":
        yield from _walk(place, rest, budget, depth)
        names, rest = _visible(place), parts
    elif _WILD & set(head):
        names = [name for name in _visible(place) if fnmatchcase(name, head)]
    else:
        names = [head]
    for name in names:
        if not budget[0]:
            return
        budget[0] -= 1
        inner = place.inside(name)
        if inner is not None:
            yield from _walk(inner, rest, budget, depth + 1)


def _visible(place: Place) -> list[str]:
    return [
        name
        for name in place.folders
        if name not in SKIPPED and not name.startswith(".")
    ]


def _means(pattern: str, folder: str) -> bool:
    """Say whether an exclusion covers a folder or one it lies in."""
    parents = [folder]
    while "/" in parents[-1]:
        parents.append(parents[-1].rpartition("/")[0])
    plain = pattern.removesuffix("/**")
    return any(fnmatchcase(one, plain) for one in parents) or (
        plain.startswith("**/")
        and any(fnmatchcase(one.rpartition("/")[2], plain[3:]) for one in parents)
    )


def _tidy(pattern: str) -> str:
    return pattern.strip().replace("\\", "/").removeprefix("./").strip("/")


def _without_braces(pattern: str) -> list[str]:
    """Write out the first `{a,b}` of a pattern."""
    match = _BRACES.search(pattern)
    if match is None:
        return [pattern]
    start, end = match.span()
    return [pattern[:start] + one + pattern[end:] for one in match[1].split(",")]
