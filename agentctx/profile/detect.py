"""Detect a project's profile from the manifests at its root and in its members (A7.3).

Nothing is run, no link is followed out of the root, every file is bounded, and the same
files give the same profile. A manifest that cannot be read or does not parse is named
in `problems` and the rest is used.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from agentctx.profile import (
    dart,
    delivery,
    dotnet,
    elixir,
    golang,
    jvm,
    native,
    node,
    php,
    python,
    ruby,
    runners,
    rust,
    swift,
)
from agentctx.profile.facts import (
    MAX_LINE,
    MAX_WORD,
    clean,
    commands_fact,
    entry_points_fact,
    layout_fact,
    pipelines_fact,
    stack_fact,
)
from agentctx.profile.manifests import SKIPPED, Manifests
from agentctx.profile.members import expand
from agentctx.profile.model import Command, Member, Pipeline, Profile
from agentctx.profile.names import KINDS
from corpus.confined.reader import open_root
from corpus.errors import RootNotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from agentctx.profile.manifests import Place
    from agentctx.profile.model import Found, ProfileFact

    Reader = Callable[[Place], Found | None]

MAX_MEMBERS = 50
MAX_STACK = 30
MAX_COMMANDS = 24
MAX_POINTS = 30
MAX_FOLDERS = 40

LANGUAGES: tuple[Reader, ...] = (
    python.read,
    node.read,
    node.read_deno,
    rust.read,
    golang.read,
    jvm.read_maven,
    jvm.read_gradle,
    dotnet.read,
    ruby.read,
    php.read,
    native.read,
    elixir.read,
    swift.read,
    dart.read,
)
"""What is asked of the root and of every member, in the order of what it says."""

RUNNERS: tuple[Reader, ...] = (
    runners.read_just,
    runners.read_task,
    runners.read_mise,
    runners.read_make,
)
"""Runners of tasks: a command that a project names itself comes before all others."""

DELIVERY: tuple[Reader, ...] = (
    delivery.read_containers,
    delivery.read_hooks,
    delivery.read_pipelines,
)

_LIBRARIES = frozenset(
    called
    for module in (dart, dotnet, elixir, golang, jvm, node, php, python, ruby, rust)
    for called in module.LIBRARIES.values()
) | {"TypeScript", "Kotlin"}


def detect_profile(root: Path) -> Profile:
    """Give the profile of the project at `root`; an empty one where nothing is known.

    A folder that is missing or cannot be opened has an empty profile.
    """
    try:
        opened = open_root(root)
    except (RootNotFoundError, OSError):
        return Profile(name=clean(root.name, MAX_WORD) or "project")
    with opened:
        manifests = Manifests(opened)
        return _profile(manifests, root.resolve().name)


def _profile(manifests: Manifests, folder: str) -> Profile:
    place = manifests.place("")
    languages = _ask(LANGUAGES, place)
    found = [*_ask(RUNNERS, place), *languages, *_ask(DELIVERY, place)]
    inside = _members(place, languages)
    members = tuple(member for member, _ in inside)
    name = _first(one.name for one in languages) or clean(folder, MAX_WORD)
    name = name or "project"
    stack = _stack(
        [*languages, *(one for one in found if one not in languages)], inside
    )
    commands = _commands(found)
    points = _entry_points(found, inside)
    pipelines = [_shown(line) for one in found for line in one.pipelines]
    folders = [
        clean(one, MAX_WORD)
        for one in place.folders
        if one not in SKIPPED and not one.startswith(".")
    ]
    facts: list[ProfileFact | None] = [
        stack_fact(name, stack),
        commands_fact(commands),
        entry_points_fact(points),
        layout_fact(members, folders[:MAX_FOLDERS]),
        pipelines_fact(pipelines),
    ]
    return Profile(
        name=name,
        stack=stack,
        commands=MappingProxyType({key: one.run for key, one in commands}),
        entry_points=points,
        members=members,
        facts=tuple(fact for fact in facts if fact is not None),
        problems=tuple(clean(one, MAX_LINE) for one in manifests.problems),
    )


def _ask(readers: Iterable[Reader], place: Place) -> list[Found]:
    answers = (reader(place) for reader in readers)
    return [found for found in answers if found is not None]


def _members(
    place: Place, found: Sequence[Found]
) -> tuple[tuple[Member, tuple[Found, ...]], ...]:
    """Give the members that workspaces declare, and what each is made of.

    A folder without any manifest is no member.
    """
    patterns = [pattern for one in found for pattern in one.patterns]
    left_out = [pattern for one in found for pattern in one.left_out]
    members: list[tuple[Member, tuple[Found, ...]]] = []
    for inner in expand(place, patterns, left_out):
        asked = tuple(_ask(LANGUAGES, inner))
        if not asked:
            continue
        name = _first(one.name for one in asked)
        path = clean(inner.folder, MAX_LINE)
        name = name or clean(inner.folder.rpartition("/")[2], MAX_WORD)
        members.append((Member(path, name), asked))
        if len(members) == MAX_MEMBERS:
            break
    return tuple(sorted(members, key=_by_path))


def _by_path(member: tuple[Member, tuple[Found, ...]]) -> str:
    return member[0].path


def _first(names: Iterable[str]) -> str:
    return next(filter(None, (clean(name, MAX_WORD) for name in names)), "")


def _stack(
    found: Sequence[Found], members: Sequence[tuple[Member, tuple[Found, ...]]]
) -> tuple[str, ...]:
    """List what the root is made of, then what only its members are."""
    words = [word for one in found for word in one.stack]
    known = {one.ecosystem for one in found}
    for _, inside in members:
        for one in inside:
            new = one.ecosystem not in known
            words += [word for word in one.stack if new or word in _LIBRARIES]
    shown = (clean(word, MAX_WORD) for word in words)
    return tuple(dict.fromkeys(filter(None, shown)))[:MAX_STACK]


def _commands(found: Sequence[Found]) -> tuple[tuple[str, Command], ...]:
    """Give each command a key: what it is for, the first of a kind before others.

    A second one of a kind is called after its ecosystem, or by its own name within it.
    """
    chosen: dict[str, Command] = {}
    owners: dict[str, str] = {}
    for one in found:
        for command in sorted(one.commands, key=_by_other_name):
            run = clean(command.run, MAX_LINE)
            shown = Command(
                clean(command.kind, MAX_WORD), run, clean(command.does, MAX_LINE)
            )
            key = shown.kind
            if key in chosen and owners[key] == one.ecosystem:
                key = run.rpartition(" ")[2]
            elif key in chosen:
                key = f"{key} ({one.ecosystem})"
            if key and run and key not in chosen and not _runs(chosen, run):
                chosen[key] = shown
                owners[key] = one.ecosystem
    usual = [kind for kind in KINDS if kind in chosen]
    others = [key for key in chosen if key not in usual]
    others.sort(key=lambda key: key.partition(" ")[0] not in KINDS)
    return tuple((key, chosen[key]) for key in (usual + others)[:MAX_COMMANDS])


def _by_other_name(command: Command) -> bool:
    """Put what is called as its kind first."""
    return command.run.rpartition(" ")[2] != command.kind


def _runs(chosen: dict[str, Command], run: str) -> bool:
    return any(one.run == run for one in chosen.values())


def _entry_points(
    found: Sequence[Found], members: Sequence[tuple[Member, tuple[Found, ...]]]
) -> tuple[str, ...]:
    points = [point for one in found for point in one.entry_points]
    for member, inside in members:
        points += [
            f"{member.path}: {point}" for one in inside for point in one.entry_points
        ]
    shown = (clean(point, MAX_LINE) for point in points)
    return tuple(dict.fromkeys(filter(None, shown)))[:MAX_POINTS]


def _shown(line: Pipeline) -> Pipeline:
    jobs = (clean(job, MAX_WORD) for job in line.jobs)
    return Pipeline(line.system, clean(line.path, MAX_LINE), tuple(jobs))
