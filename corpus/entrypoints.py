"""What installed packages register under a name, read without the standard reader.

`importlib.metadata` imports a mail parser and more before it looks at a file, which is
as much as a query takes otherwise. Where packages lie as installers put them, in
folders of `sys.path`, their `entry_points.txt` is read here and means the same;
elsewhere, in an archive or where somebody's finder knows of more, it is asked.
"""

from __future__ import annotations

import os
import sys
from functools import reduce
from importlib import import_module
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_FILE = "entry_points.txt"
_SUFFIXES = (".dist-info", ".egg-info")


class EntryPoint(NamedTuple):
    """One registered object, which is not imported yet: `module:attribute`."""

    name: str
    value: str

    def load(self) -> Any:  # noqa: ANN401 - anybody's object
        """Import it."""
        module, _, attribute = self.value.partition("[")[0].strip().partition(":")
        names = filter(None, attribute.strip().split("."))
        found: Any = import_module(module.strip())
        return reduce(getattr, names, found)


def entry_points(group: str) -> tuple[EntryPoint, ...]:
    """Give what is registered in a group; of packages of one name, the first's."""
    if _is_plain():
        return tuple(one for text in _texts() for one in _of_group(text, group))
    from importlib import metadata  # noqa: PLC0415 - costs as much as a query

    return tuple(
        EntryPoint(one.name, one.value) for one in metadata.entry_points(group=group)
    )


def _is_plain() -> bool:
    """Say whether every package is found by looking into folders."""
    others = (one for one in sys.meta_path if one is not PathFinder)
    if any(hasattr(one, "find_distributions") for one in others):
        return False
    return not any(map(os.path.isfile, sys.path))


def _texts() -> Iterator[str]:
    seen: set[str] = set()
    for folder in sys.path:
        try:
            names = sorted(os.listdir(folder or os.curdir))  # noqa: PTH208 - text
        except OSError:
            continue
        for name in names:
            if not name.endswith(_SUFFIXES):
                continue
            package = name.rpartition(".")[0].partition("-")[0]
            package = package.lower().replace(".", "_")
            if package not in seen:
                seen.add(package)
                yield _text(os.path.join(folder, name, _FILE))  # noqa: PTH118 - text


def _text(path: str) -> str:
    """Read a package's file; most have none."""
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:  # noqa: PTH123 - text
            return stream.read()
    except OSError:
        return ""


def _of_group(text: str, group: str) -> Iterator[EntryPoint]:
    here = False
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            here = line == f"[{group}]"
        elif here and line and not line.startswith(("#", ";")):
            name, equals, value = line.partition("=")
            if equals:
                yield EntryPoint(name.strip(), value.strip())
