"""Read a project's manifests: inside the project only, bounded, and never run.

A file that is missing is simply not there. One that is there and cannot be read, or
does not parse, is noted in `problems` and then counts as missing.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

from corpus.confined.reader import NOT_FOUND, Unreadable
from corpus.refs import RelPath, name_problem
from corpus.tomlinput import TomlError, read_toml

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from corpus.confined.reader import ConfinedRoot

MAX_BYTES = 256 * 1024
"""The size of the largest manifest that is read."""

MAX_YAML = 64 * 1024
"""The same where the parser is slow."""

MAX_FILES = 400
"""Files read in all."""

MAX_PROBLEMS = 20
MAX_NAMES = 5_000

SKIPPED = frozenset(
    ("node_modules", "vendor", "target", "dist", "build", "venv", "__pycache__")
)
"""Folders that hold what others wrote or what a build made."""

_COMMENT = re.compile(r'("(?:[^"\\\n]|\\.)*"?)|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_COMMA = re.compile(r'("(?:[^"\\\n]|\\.)*"?)|,(?=\s*[}\]])')


class Listing(NamedTuple):
    """The names in a folder: plain files, folders, and what is not to be opened.

    Links and what is no file at all are among the last, each with the reason.
    """

    files: frozenset[str]
    folders: tuple[str, ...]
    refused: Mapping[str, str]


class Manifests:
    """The manifests below one root."""

    def __init__(self, root: ConfinedRoot) -> None:
        self._root = root
        self._texts: dict[str, str | None] = {}
        self._folders: dict[str, Listing] = {}
        self.problems: list[str] = []

    def place(self, folder: str) -> Place:
        """Give the view on one folder; the root is the empty text."""
        return Place(self, folder)

    def text(self, path: str) -> str | None:
        """Give a manifest's text, or None when there is none to be read."""
        if path not in self._texts:
            self._texts[path] = self._read(path)
        return self._texts[path]

    def listing(self, folder: str) -> Listing:
        """Give the names in a folder."""
        if folder not in self._folders:
            self._folders[folder] = self._list(folder)
        return self._folders[folder]

    def note(self, path: str, reason: str) -> None:
        """Name a manifest that is there and cannot be used."""
        problem = f"{path}: {reason}"
        if problem not in self.problems and len(self.problems) < MAX_PROBLEMS:
            self.problems.append(problem)

    def _read(self, path: str) -> str | None:
        if len(self._texts) >= MAX_FILES:
            self.note(path, "too many manifests")
            return None
        try:
            content = self._root.content(RelPath(path), limit=MAX_BYTES)
        except Unreadable as problem:
            if problem.reason != NOT_FOUND:
                self.note(path, problem.reason)
            return None
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            self.note(path, "it is not UTF-8 text")
            return None
        return text.replace("\r\n", "\n").replace("\r", "\n")

    def _list(self, folder: str) -> Listing:
        seen: set[str] = set()
        start = len(folder) + 1 if folder else 0

        def enter(path: str) -> bool:
            if path == folder:
                return True
            seen.add(path[start:])
            return False

        entries = self._root.entries(RelPath(folder), wanted=_every, enter=enter)
        plain = (entry.path[start:] for entry in entries if entry.problem is None)
        refused = {
            entry.path[start:]: entry.problem
            for entry in entries
            if entry.problem is not None
        }
        folders = (name for name in sorted(seen) if name not in refused)
        usable = [name for name in folders if name_problem(name) is None]
        return Listing(frozenset(plain), tuple(usable[:MAX_NAMES]), refused)


class Place:
    """One folder of a project, as the readers of ecosystems see it."""

    def __init__(self, manifests: Manifests, folder: str) -> None:
        self._manifests = manifests
        self.folder = folder
        self.files, self.folders, self._refused = manifests.listing(folder)

    def has(self, *names: str) -> bool:
        """Say whether one of these files is there; one not to be opened is noted."""
        return self.first(*names) is not None

    def first(self, *names: str) -> str | None:
        """Give the first of these files that is there."""
        for name in names:
            if name in self._refused:
                self._manifests.note(self.path(name), self._refused[name])
        return next((name for name in names if name in self.files), None)

    def ending(self, *suffixes: str) -> tuple[str, ...]:
        """Give the files with such an ending, sorted."""
        return tuple(sorted(name for name in self.files if name.endswith(suffixes)))

    def inside(self, folder: str) -> Place | None:
        """Give a folder in this one, by its path, None when there is none."""
        place: Place | None = self
        for part in folder.split("/"):
            if place is None or part not in place.folders:
                return None
            place = self._manifests.place(place.path(part))
        return place

    def path(self, name: str) -> str:
        """Give the path from the root of a name in this folder."""
        return f"{self.folder}/{name}" if self.folder else name

    def text(self, name: str) -> str:
        """Give the text of a file, empty when there is none to be read."""
        if name not in self.files:
            return ""
        return self._manifests.text(self.path(name)) or ""

    def toml(self, name: str) -> Mapping[str, object]:
        """Give what a TOML file holds."""
        text = self.text(name)
        try:
            return read_toml(text.encode("utf-8"))
        except TomlError as error:
            return self._unusable(name, error.reason)

    def json(self, name: str) -> Mapping[str, object]:
        """Give what a JSON file holds; comments and trailing commas are let pass."""
        text = self.text(name)
        if not text.strip():
            return {}
        try:
            return table(json.loads(text))
        except (ValueError, RecursionError):
            plain = _COMMA.sub(r"\1", _COMMENT.sub(r"\1", text))
        try:
            return table(json.loads(plain))
        except (ValueError, RecursionError):
            return self._unusable(name, "it does not parse as JSON")

    def yaml(self, name: str) -> Mapping[str, object]:
        """Give what a small YAML file holds, every scalar as text."""
        import yaml  # noqa: PLC0415 - slow to load

        text = self.text(name)
        if len(text) > MAX_YAML:
            return self._unusable(name, "too large")
        try:
            loader = yaml.BaseLoader(text)
            return table(loader.get_single_data())
        except (yaml.YAMLError, ValueError, RecursionError):
            return self._unusable(name, "it does not parse as YAML")

    def _unusable(self, name: str, reason: str) -> Mapping[str, object]:
        self._manifests.note(self.path(name), reason)
        return {}


def table(value: object) -> Mapping[str, object]:
    """Give a value that is a table, an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def under(value: object, *keys: str) -> object:
    """Give what lies below these keys, None where something is no table."""
    for key in keys:
        value = table(value).get(key)
    return value


def word(value: object) -> str:
    """Give a value that is text, empty text for anything else."""
    return value.strip() if isinstance(value, str) else ""


def words(value: object) -> Sequence[str]:
    """Give the texts in a list, none for anything else."""
    if not isinstance(value, list):
        return ()
    return [one.strip() for one in value if isinstance(one, str) and one.strip()]


def keys_below(text: str, block: str) -> tuple[str, ...]:
    """Give the keys of one block of a YAML text, read by its indent alone.

    That is enough for names of jobs and tasks, and takes no parser.
    """
    found: list[str] = []
    inside = False
    indent = ""
    for line in text.split("\n"):
        bare = line.lstrip(" ")
        if not bare or bare[0] == "#":
            continue
        margin = line[: len(line) - len(bare)]
        if not margin:
            inside = bare.rstrip().startswith(f"{block}:")
            indent = ""
        elif inside:
            indent = indent or margin
            match = re.match(r"['\"]?([\w./ -]{1,60}?)['\"]?:(?:\s|$)", bare)
            if margin == indent and match is not None:
                found.append(match[1])
    return tuple(found)


def _every(_: str) -> bool:
    return True
