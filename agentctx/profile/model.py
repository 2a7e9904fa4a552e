"""What is known of a project, and what one ecosystem adds to it."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Command(NamedTuple):
    """How to do one thing; `does` is what a named script runs, where that is known."""

    kind: str
    run: str
    does: str = ""


class Member(NamedTuple):
    """A part of a monorepo: its folder below the root, and its name."""

    path: str
    name: str


class Pipeline(NamedTuple):
    """A system of continuous integration, a file of it, and the jobs in that file."""

    system: str
    path: str
    jobs: tuple[str, ...] = ()


class Found(NamedTuple):
    """What one ecosystem says of one folder.

    `patterns` are the folders a workspace declares, `left_out` those it excludes.
    """

    ecosystem: str
    name: str = ""
    stack: tuple[str, ...] = ()
    commands: tuple[Command, ...] = ()
    entry_points: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    pipelines: tuple[Pipeline, ...] = ()


class ProfileFact(NamedTuple):
    """One keyed fact, fit to be a record; a newer one with its key supersedes it."""

    key: str
    title: str
    body: str


class Profile(NamedTuple):
    """A project as its manifests describe it; `problems` names those not readable."""

    name: str
    stack: tuple[str, ...] = ()
    commands: Mapping[str, str] = MappingProxyType({})
    entry_points: tuple[str, ...] = ()
    members: tuple[Member, ...] = ()
    facts: tuple[ProfileFact, ...] = ()
    problems: tuple[str, ...] = ()
