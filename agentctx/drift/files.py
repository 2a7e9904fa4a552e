"""The files of instructions that a client loads for a directory (A7.1).

`CLAUDE.md` and `CLAUDE.local.md` of the directory and of every folder above it,
`.claude/CLAUDE.md` and `.claude/rules` of the project, the user's own, and what these
import, up to four hops away. `AGENTS.md` is a family of its own, for the clients that
read it. What cannot be read is a finding.
"""

from __future__ import annotations

import itertools
import os
from collections import deque
from hashlib import sha256
from typing import TYPE_CHECKING, Literal, NamedTuple

from agentctx.drift.opened import read_bytes_of, text_of
from agentctx.drift.outline import Outline, outline_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

Family = Literal["claude", "agents"]
Owner = Literal["project", "user", "other"]

MOST_HOPS = 4
MOST_FILES = 400
MOST_TOTAL = 16 * 1024 * 1024
MOST_ENTRIES = 4_000
MOST_DEPTH = 12
CONFIG_VARIABLE = "CLAUDE_CONFIG_DIR"
MAIN = "CLAUDE.md"
LOCAL = "CLAUDE.local.md"
AGENTS = "AGENTS.md"

_MARKDOWN = (".md", ".mdc", ".markdown")
_LONGEST_PATH = 4096


class Finding(NamedTuple):
    """Something about one file that a person should know; `path` is as it is shown."""

    code: str
    path: str
    line: int
    detail: str

    def as_json(self) -> dict[str, object]:
        """Give the finding as one JSON object."""
        return dict(self._asdict())


class Instructions(NamedTuple):
    """One file as it was read: `path` is where it lies, links resolved.

    `shown` names it for people: below the project's root, from `~`, or `../`. Only what
    `owner` says is the project's or the user's may ever be written, and only Markdown.
    """

    path: str
    shown: str
    family: Family
    owner: Owner
    content: bytes
    text: str
    outline: Outline

    @property
    def sha256(self) -> str:
        """The hash of the bytes."""
        return sha256(self.content).hexdigest()

    @property
    def writable(self) -> bool:
        """Whether a change of it may be proposed."""
        return self.owner != "other" and self.path.lower().endswith(_MARKDOWN)


class Loaded(NamedTuple):
    """Everything that was read for a project; `root` and `own` are real paths.

    `own` is the folder of the user's own instructions, None where there is no home.
    """

    root: str
    own: str | None
    files: tuple[Instructions, ...]
    findings: tuple[Finding, ...]


class _Wanted(NamedTuple):
    path: str
    family: Family
    hops: int
    origin: tuple[str, int] | None


def load_instructions(
    root: Path, environ: Mapping[str, str], *, directory: Path | None = None
) -> Loaded:
    """Read what a client loads in `directory`, the project's root if not given."""
    loader = _Loader(os.path.realpath(root), environ)
    start = loader.root if directory is None else os.path.realpath(directory)
    if not _lies_in(start, loader.root):
        start = loader.root
    loader.load(start)
    return Loaded(loader.root, loader.own, tuple(loader.files), tuple(loader.findings))


def own_folder(environ: Mapping[str, str]) -> str | None:
    """Say where the user's own instructions lie, None without a home."""
    given = environ.get(CONFIG_VARIABLE, "")
    home = environ.get("HOME", "")
    if given:
        return os.path.normpath(given)
    return os.path.join(home, ".claude") if home else None  # noqa: PTH118 - any text


class _Loader:
    """Reads one file after another, each once, and what they import after them."""

    def __init__(self, root: str, environ: Mapping[str, str]) -> None:
        self.root = root
        self.home = environ.get("HOME", "")
        own = own_folder(environ)
        self.own = None if own is None else os.path.realpath(own)
        self.files: list[Instructions] = []
        self.findings: list[Finding] = []
        self._read: dict[str, int] = {}
        self._total = 0

    def load(self, start: str) -> None:
        # AGENTS.md comes last: where CLAUDE.md imports it, it is read by Claude too
        for family in (self._roots(start), self._agents(start)):
            queue = deque(family)
            while queue:
                wanted = queue.popleft()
                if len(self.files) >= MOST_FILES or self._total >= MOST_TOTAL:
                    self._find("too-many", wanted.path, "no further file was read")
                    return
                found = self._take(wanted)
                if found is not None:
                    queue.extend(self._imported(found, wanted))

    def _roots(self, start: str) -> Iterator[_Wanted]:
        if self.own is not None:
            yield _Wanted(os.path.join(self.own, MAIN), "claude", 0, None)  # noqa: PTH118
            yield from self._rules(os.path.join(self.own, "rules"))  # noqa: PTH118
        for folder in _down_to(start):
            names = [MAIN, LOCAL]
            if _lies_in(folder, self.root):
                names.insert(1, os.path.join(".claude", MAIN))  # noqa: PTH118
            for name in names:
                yield _Wanted(os.path.join(folder, name), "claude", 0, None)  # noqa: PTH118
            if _lies_in(folder, self.root):
                rules = os.path.join(folder, ".claude", "rules")  # noqa: PTH118
                if self.own is None or folder != os.path.dirname(self.own):  # noqa: PTH120
                    yield from self._rules(rules)

    def _agents(self, start: str) -> Iterator[_Wanted]:
        for folder in _down_to(start):
            if _lies_in(folder, self.root):
                yield _Wanted(os.path.join(folder, AGENTS), "agents", 0, None)  # noqa: PTH118

    def _rules(self, folder: str) -> Iterator[_Wanted]:
        """Give the rules below a folder in the order of their names."""
        found: list[str] = []
        left = [(folder, 0)]
        seen: set[str] = set()
        while left:
            here, depth = left.pop()
            real = os.path.realpath(here)
            if real in seen or depth > MOST_DEPTH:
                continue
            seen.add(real)
            for path, is_folder in self._entries(here):
                if len(found) + len(left) + len(seen) > MOST_ENTRIES:
                    self._find("too-many", here, "not all rules were read")
                    left.clear()
                    break
                if is_folder:
                    left.append((path, depth + 1))
                elif path.lower().endswith(".md"):
                    found.append(path)
        for path in sorted(found):
            yield _Wanted(path, "claude", 0, None)

    def _entries(self, folder: str) -> list[tuple[str, bool]]:
        try:
            with os.scandir(folder) as entries:
                some = itertools.islice(entries, MOST_ENTRIES)
                return [(entry.path, _is_folder(entry)) for entry in some]
        except (FileNotFoundError, NotADirectoryError):
            return []
        except (OSError, ValueError):
            self._find("unreadable", folder, "the folder cannot be read")
            return []

    def _take(self, wanted: _Wanted) -> Instructions | None:
        try:
            path = os.path.realpath(wanted.path)
        except (OSError, ValueError):
            return None
        if path in self._read:
            return None
        self._read[path] = wanted.hops
        content = read_bytes_of(wanted.path)
        if not isinstance(content, bytes):
            self._refused(wanted, content)
            return None
        self._total += len(content)
        text = text_of(content)
        if text is None:
            self._find("not-text", wanted.path, "it is not UTF-8 text", wanted.origin)
            return None
        found = Instructions(
            path=path,
            shown=self._shown(wanted.path),
            family=wanted.family,
            owner=self._owner(wanted, path),
            content=content,
            text=text,
            outline=outline_of(text),
        )
        self.files.append(found)
        return found

    def _refused(self, wanted: _Wanted, reason: str) -> None:
        if reason == "gone":
            if wanted.origin is not None and wanted.path.lower().endswith(_MARKDOWN):
                detail = f"it is imported by {wanted.origin[0]}, and is not there"
                self._find("import-missing", wanted.path, detail, wanted.origin)
            return
        self._find(reason, wanted.path, _DETAILS[reason], wanted.origin)

    def _imported(self, found: Instructions, wanted: _Wanted) -> Iterator[_Wanted]:
        for name in found.outline.imports:
            path = self._path_of(name, os.path.dirname(found.path))  # noqa: PTH120
            if path is None:
                continue
            line = _line_of(found, name)
            if wanted.hops >= MOST_HOPS:
                if os.path.lexists(path):
                    detail = f"it is more than {MOST_HOPS} imports away"
                    self._find("import-depth", path, detail, (found.shown, line))
                continue
            origin = (found.shown, line)
            yield _Wanted(path, wanted.family, wanted.hops + 1, origin)

    def _path_of(self, name: str, folder: str) -> str | None:
        """Resolve what a file imports; what names no file is no import."""
        if len(name) > _LONGEST_PATH or "\x00" in name:
            return None
        tried = name.partition("#")[0]
        for one in (tried, tried.rstrip(".,;:!?)]}'\"*_")):
            if not one:
                return None
            if one == "~" or one.startswith("~/"):
                if not self.home:
                    return None
                path = os.path.join(self.home, one[2:])  # noqa: PTH118 - any text
            else:
                path = os.path.join(folder, one)  # noqa: PTH118 - any text
            if os.path.lexists(path):
                return path
        return path

    def _owner(self, wanted: _Wanted, path: str) -> Owner:
        """Say whose a file is by where it lies, and where it was looked for."""
        if self.own is not None and _lies_in(os.path.abspath(wanted.path), self.own):  # noqa: PTH100
            return "user"  # wherever a link of the user's own may lead
        if _lies_in(path, self.root) and f"{os.sep}.git{os.sep}" not in path:
            return "project"
        return "other"

    def _shown(self, path: str) -> str:
        whole = os.path.abspath(path)  # noqa: PTH100 - any text
        home = os.path.realpath(self.home) if self.home else None
        if _lies_in(whole, self.root):
            return os.path.relpath(whole, self.root).replace(os.sep, "/")
        if self.own is not None and _lies_in(whole, self.own):
            below = os.path.relpath(whole, self.own).replace(os.sep, "/")
            return f"~/.claude/{below}"
        if _lies_in(self.root, os.path.dirname(whole)):  # noqa: PTH120
            return os.path.relpath(whole, self.root).replace(os.sep, "/")
        if home is not None and _lies_in(whole, home):
            return f"~/{os.path.relpath(whole, home).replace(os.sep, '/')}"
        return f"…/{os.path.basename(whole)}"  # noqa: PTH119 - any text

    def _find(
        self, code: str, path: str, detail: str, origin: tuple[str, int] | None = None
    ) -> None:
        shown, line = self._shown(path), 0
        if origin is not None:
            shown, line = origin
            detail = f"@{self._shown(path)}: {detail}"
        self.findings.append(Finding(code, shown, line, detail))


_DETAILS = {
    "too-large": "it has more than 4 MiB; the client skips it",
    "not-a-file": "it is no plain file",
    "unreadable": "it cannot be read",
    "link-loop": "its links lead in a circle",
}


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # links that lead in a circle
        return False


def _line_of(found: Instructions, name: str) -> int:
    """Give the line that imports a path, 0 where it was not written so."""
    mark = f"@{name}".replace(" ", "\\ ")
    place = found.text.find(mark)
    return 0 if place < 0 else found.text.count("\n", 0, place) + 1


def _down_to(folder: str) -> list[str]:
    """Give the folders from the top down to one."""
    found = [folder]
    while os.path.dirname(found[-1]) != found[-1]:  # noqa: PTH120 - any text
        found.append(os.path.dirname(found[-1]))  # noqa: PTH120 - any text
    return found[::-1]


def _lies_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
