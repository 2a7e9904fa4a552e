"""A corpus opened for reading, with an index that is proved to be current.

`open_project` reads what is there now. `open_view` adds the index and refuses a stale
one; `build_index` makes it current. A view is a value: it never changes, and it goes
on answering for the moment it was opened at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from corpus.authority import INDEX_BYTES, require_context
from corpus.confined.reader import Unreadable, open_root
from corpus.errors import (
    CodedError,
    ContextLimitError,
    IndexCorruptError,
    IndexKeyError,
    IndexMissingError,
    IndexPathError,
    IndexProjectError,
    IndexSchemaError,
    IndexStaleError,
)
from corpus.index.schema import term_hash, to_image
from corpus.index.store import DEFAULT_INDEX, index_name, index_path, read_index
from corpus.lines import decode, split_lines
from corpus.protocol.layout import CACHE
from corpus.provision import NO_PROVISION, Provision, leave_by_policy
from corpus.ranking import Layout
from corpus.sources.scan import read_policy, refuse_lines, scan_sources
from corpus.succession import final_successors
from corpus.trust import grant_limits
from corpus.userdirs import existing_key, index_key

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from corpus.authority import Limits
    from corpus.confined.reader import ConfinedRoot
    from corpus.index.build import BuildReport, Progress
    from corpus.index.schema import Rows
    from corpus.policy import Policy
    from corpus.protocol.overview import IndexCard
    from corpus.sources.facts import Facts
    from corpus.sources.scan import Scan, Source
    from corpus.userdirs import UserDirs

NAMED_PATHS = 20
"""How many stale paths `IndexStaleError` names."""

STAGE_SECONDS = 3600
"""A stage older than this was left by a build that died."""


class Project(NamedTuple):
    """A project's policy and the sources in scope, read and hashed just now."""

    path: Path
    policy: Policy
    limits: Limits
    scan: Scan

    @property
    def project_id(self) -> str:
        """The id the policy gives the project."""
        return self.policy.project_id


class View(NamedTuple):
    """A project and an index that was made from exactly these sources.

    `provision` is what providers may add; the usual view is of files alone.
    """

    project: Project
    rows: Rows
    key: bytes
    sources: Mapping[str, Source]
    positions: Mapping[str, int]
    layout: Layout
    successors: Mapping[str, tuple[str, ...]]
    hashed: Callable[[str], int]
    read: dict[str, list[str]]
    provision: Provision = NO_PROVISION

    @property
    def project_id(self) -> str:
        """The id of the project."""
        return self.rows.project_id

    def facts(self, path: str) -> Facts:
        """Give what the index keeps of one source."""
        return self.rows.facts[self.positions[path]]

    @property
    def snapshot(self) -> dict[str, str]:
        """Map each source's path to its SHA-256."""
        return self.project.scan.snapshot

    def lines(self, path: str) -> list[str]:
        """Give a source's lines; line n is at n - 1."""
        found = self.read.get(path)
        if found is None:
            text = decode(self.sources[path].content)
            found = self.read[path] = split_lines(text)
        return found


def open_project(root: Path, *, dirs: UserDirs) -> Project:
    """Read the policy and every source in scope, as the `context` commands do.

    Raises `PolicyDeniedError` when the policy withholds `corpus.context`, and the
    errors of `read_policy` and `scan_sources`.
    """
    with open_root(root) as opened:
        return _project(opened, root, dirs)


def open_view(root: Path, index: Path | str | None = None, *, dirs: UserDirs) -> View:
    """Open the corpus with its index; raises `IndexStaleError` when they differ."""
    name = index_name(root, index)
    with open_root(root) as opened:
        project = _project(opened, root, dirs)
        key = existing_key(project.policy.project_id, directory=dirs.state)
        rows = read_index(opened, name, key, project_id=project.policy.project_id)
    assert key is not None
    refuse_stale(project, rows)
    refuse_lines(rows.facts, project.limits)
    return view_of(project, rows, key)


def live_view(root: Path, *, dirs: UserDirs, random: Callable[[int], bytes]) -> View:
    """Open the corpus with an index made in memory; nothing is written."""
    from corpus.index.build import make_rows  # noqa: PLC0415 - parses Markdown

    with open_root(root) as opened:
        project = _project(opened, root, dirs)
    key = existing_key(project.policy.project_id, directory=dirs.state) or random(32)
    rows, _ = make_rows(
        project.scan, None, key, project_id=project.project_id, limits=project.limits
    )
    return view_of(project, rows, key)


def view_of(project: Project, rows: Rows, key: bytes) -> View:
    """Join a project and the rows made from it."""
    return View(
        project=project,
        rows=rows,
        key=key,
        sources=project.scan.by_path(),
        positions={facts.path: at for at, facts in enumerate(rows.facts)},
        layout=Layout(rows),
        successors=final_successors(rows.relations),
        hashed=term_hash(key),
        read={},
    )


def provision_for(project: Project, *, dirs: UserDirs) -> Provision:
    """Give the providers that a command may ask about a project.

    Raises what `leave_by_policy` raises.
    """
    leave = leave_by_policy(project.path, project.policy, dirs=dirs)
    return Provision(project.path, leave)


def build_index(
    root: Path,
    index: Path | str | None = None,
    *,
    dirs: UserDirs,
    random: Callable[[int], bytes],
    now: float,
    progress: Progress | None = None,
) -> BuildReport:
    """Make the index current and publish it whole; `now` is a Unix time in seconds.

    Sources whose hash is unchanged are not parsed. When nothing changed, nothing is
    written. Raises the errors of `open_project`, `IndexPathError`, `OutputError`.
    """
    from corpus.confined.publish import (  # noqa: PLC0415 - only builds write
        publish,
        sweep_stages,
    )
    from corpus.index.build import (  # noqa: PLC0415 - parses Markdown
        is_current,
        make_rows,
        report,
    )

    name = index_name(root, index)
    with open_root(root) as opened:
        project = _project(opened, root, dirs)
        policy = project.policy
        key = index_key(policy.project_id, directory=dirs.state, random=random)
        sweep_stages(opened, CACHE, older_than=STAGE_SECONDS, now=now)
        previous = _previous(opened, name, key, policy.project_id)
        if previous is not None and is_current(previous, project.scan):
            refuse_lines(previous.facts, project.limits)
            return report(project.scan, previous, parsed=0, written=False)
        rows, parsed = make_rows(
            project.scan,
            previous,
            key,
            project_id=policy.project_id,
            limits=project.limits,
            progress=progress,
        )
        content = to_image(rows, key)
        if len(content) > INDEX_BYTES:
            raise ContextLimitError(
                limit="index bytes",
                count=len(content),
                maximum=INDEX_BYTES,
                largest=index_path(name),
            )
        publish(opened, CACHE, name, content, random=random)
    return report(project.scan, rows, parsed=parsed, written=True)


def index_card(
    opened: ConfinedRoot, root: Path, *, dirs: UserDirs, name: str = DEFAULT_INDEX
) -> IndexCard:
    """Say what state the index is in, without raising for any state it can be in.

    `built_at` is the file's modification time; it is stored nowhere else (P5.11).
    """
    from datetime import UTC, datetime  # noqa: PLC0415 - only for status

    from corpus.protocol.overview import IndexCard  # noqa: PLC0415 - only for status

    path = index_path(name)
    try:
        modified = opened.read(path, limit=INDEX_BYTES).mtime_ns
    except Unreadable as problem:
        missing = problem.reason == "not found"
        return IndexCard("missing" if missing else "corrupt", path, None)
    moment = datetime.fromtimestamp(modified // 1_000_000_000, UTC)
    built_at = moment.strftime("%Y-%m-%dT%H:%M:%SZ")
    try:
        project = _project(opened, root, dirs)
        key = existing_key(project.policy.project_id, directory=dirs.state)
        rows = read_index(opened, name, key, project_id=project.policy.project_id)
        refuse_stale(project, rows)
    except (IndexCorruptError, IndexPathError):
        return IndexCard("corrupt", path, built_at)
    except (IndexStaleError, IndexSchemaError, IndexKeyError, IndexProjectError):
        return IndexCard("stale", path, built_at)
    except CodedError:
        return IndexCard("unusable", path, built_at)
    return IndexCard("fresh", path, built_at)


def refuse_stale(project: Project, rows: Rows) -> None:
    """Raise `IndexStaleError` unless the rows were made from these sources.

    A path that is no longer in scope is counted, never named.
    """
    was, now = rows.snapshot(), project.scan.snapshot
    if was == now:
        return
    changed = sorted(p for p in now if p in was and was[p] != now[p])
    added = sorted(now.keys() - was.keys())
    gone = sorted(was.keys() - now.keys())
    removed = [path for path in gone if project.policy.may_read(path)]
    left = NAMED_PATHS
    shown = []
    for paths in (changed, added, removed):
        shown.append(paths[:left])
        left -= len(shown[-1])
    raise IndexStaleError(
        count=len(changed) + len(added) + len(gone),
        changed=shown[0],
        added=shown[1],
        removed=shown[2],
    )


def _project(opened: ConfinedRoot, root: Path, dirs: UserDirs) -> Project:
    policy = read_policy(opened)
    require_context(policy)
    limits = grant_limits(root, policy.project_id, trust_directory=dirs.trust)
    scan = scan_sources(opened, policy, limits)
    return Project(path=root, policy=policy, limits=limits, scan=scan)


def _previous(
    opened: ConfinedRoot, name: str, key: bytes, project_id: str
) -> Rows | None:
    """Read the index there is, unless it cannot be built upon."""
    try:
        return read_index(opened, name, key, project_id=project_id)
    except (
        IndexMissingError,
        IndexCorruptError,
        IndexSchemaError,
        IndexKeyError,
        IndexProjectError,
    ):
        return None
