"""Words by which a project's dependencies are known, and what they are called."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

KINDS = (
    "install",
    "build",
    "test",
    "lint",
    "format",
    "typecheck",
    "check",
    "run",
    "dev",
    "docs",
    "clean",
)
"""What commands are commonly for, in the order they are shown."""

_ALIASES = {
    "start": "run",
    "serve": "run",
    "fmt": "format",
    "prettier": "format",
    "eslint": "lint",
    "tests": "test",
    "unit": "test",
    "compile": "build",
    "setup": "install",
    "deps": "install",
    "bootstrap": "install",
    "type-check": "typecheck",
    "check-types": "typecheck",
    "types": "typecheck",
    "tsc": "typecheck",
    "mypy": "typecheck",
    "develop": "dev",
    "watch": "dev",
    "doc": "docs",
}

_RUNNABLE = re.compile(r"[A-Za-z0-9_@][A-Za-z0-9_.:/@-]{0,39}")


def kind_of(name: str) -> str:
    """Give what a script or target of that name is for, else its own name."""
    lower = name.lower()
    return lower if lower in KINDS else _ALIASES.get(lower, name)


def is_runnable(name: str) -> bool:
    """Say whether a name can stand in a command as it is."""
    return _RUNNABLE.fullmatch(name) is not None


def known(names: Iterable[str], table: Mapping[str, str]) -> tuple[str, ...]:
    """Give what the table calls those names, in the order of the table."""
    present = {name.lower() for name in names}
    found = (called for name, called in table.items() if name in present)
    return tuple(dict.fromkeys(found))
