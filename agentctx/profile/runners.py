"""Runners of named tasks: Make, just, Task and mise."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agentctx.profile.manifests import keys_below, table, under, word
from agentctx.profile.model import Command, Found
from agentctx.profile.names import is_runnable, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agentctx.profile.manifests import Place

_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_JUSTFILES = ("justfile", "Justfile", ".justfile")
_TASKFILES = ("Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml")
_MISE = ("mise.toml", ".mise.toml")

_TARGETS = re.compile(r"^([A-Za-z0-9][\w./ -]{0,200}?)[ \t]*::?(?![:=])", re.MULTILINE)
_RECIPE = re.compile(
    r"^@?([A-Za-z][\w-]{0,39})(?:[ \t][^\n:]{0,200})?:(?!=)", re.MULTILINE
)
_MAX_TASKS = 40


def read_just(place: Place) -> Found | None:
    """Read one folder's justfile."""
    name = place.first(*_JUSTFILES)
    if name is None:
        return None
    return _found("just", "just ", _RECIPE.findall(place.text(name)))


def read_task(place: Place) -> Found | None:
    """Read one folder's Taskfile."""
    name = place.first(*_TASKFILES)
    if name is None:
        return None
    return _found("Task", "task ", keys_below(place.text(name), "tasks"))


def read_mise(place: Place) -> Found | None:
    """Read the tasks and tools that mise knows."""
    name = place.first(*_MISE)
    if name is None:
        return None
    settings = place.toml(name)
    tasks = table(settings.get("tasks"))
    bodies = {name: word(under(body, "run")) for name, body in tasks.items()}
    found = _found("mise", "mise run ", bodies)
    return found._replace(
        commands=tuple(
            one._replace(does=bodies.get(one.run.rpartition(" ")[2], ""))
            for one in found.commands
        )
    )


def read_make(place: Place) -> Found | None:
    """Read one folder's Makefile; targets that are files are left out."""
    name = place.first(*_MAKEFILES)
    if name is None:
        return None
    return _found("Make", "make ", _make_targets(place.text(name)))


def _make_targets(text: str) -> Iterator[str]:
    for targets in _TARGETS.findall(text):
        yield from (one for one in targets.split() if "/" not in one and "." not in one)


def _found(called: str, start: str, names: Iterable[str]) -> Found:
    distinct = [name for name in dict.fromkeys(names) if is_runnable(name)]
    return Found(
        called,
        stack=(called,),
        commands=tuple(
            Command(kind_of(name), f"{start}{name}") for name in distinct[:_MAX_TASKS]
        ),
    )
