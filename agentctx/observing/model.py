"""What can be seen in one tool call, as values."""

from __future__ import annotations

from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Literal

LONGEST_COMMAND = 200
LONGEST_SUMMARY = 120
LONGEST_DETAIL = 1_500
LONGEST_NAME = 300
MOST_FAILING = 20


class Failure(NamedTuple):
    """Something that went wrong and deserves to be remembered.

    `key` is the same for the same bug seen again, at another time or place.
    """

    program: str
    command: str
    summary: str
    detail: str
    file: str | None
    line: int | None
    key: str


class Tests(NamedTuple):
    """How a run of tests ended; a count is None where the output does not say it."""

    runner: str
    passed: int | None
    failed: int | None
    skipped: int | None
    ok: bool
    failing: tuple[str, ...]


class GitAct(NamedTuple):
    """One thing done with git: its commit, branch or address, and its title."""

    kind: Literal["commit", "branch", "pr", "merge", "push"]
    name: str
    title: str


class Observed(NamedTuple):
    """Everything one tool call shows."""

    files: tuple[str, ...] = ()
    failure: Failure | None = None
    tests: Tests | None = None
    git: tuple[GitAct, ...] = ()


NOTHING = Observed()
