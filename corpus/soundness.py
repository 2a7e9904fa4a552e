"""Whether an index is sound and current, as findings instead of refusals (P11.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpus.confined.publish import STAGE_AGE, stages
from corpus.confined.reader import Unreadable
from corpus.errors import (
    CodedError,
    ContextLimitError,
    IndexCorruptError,
    IndexKeyError,
    IndexMissingError,
    IndexPathError,
    IndexProjectError,
    IndexSchemaError,
    KeyFileError,
)
from corpus.findings import Finding
from corpus.index.schema import members
from corpus.index.store import index_path, read_index
from corpus.lines import decode
from corpus.markdown import parse_markdown
from corpus.protocol.layout import CACHE, PROJECT_PATH
from corpus.protocol.metadata import read_metadata
from corpus.refs import RelPath, is_id
from corpus.userdirs import existing_key
from corpus.writes.orphans import write_stages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from corpus.confined.reader import ConfinedRoot
    from corpus.index.schema import Rows
    from corpus.policy import Policy
    from corpus.sources.scan import Scan
    from corpus.userdirs import UserDirs
    from corpus.view import Project

KEY_BYTES = 32

REBUILD = "run `project-corpus context build`; nothing is lost"

_HINTS = {
    "STALE_INDEX": "run `project-corpus context build`",
    "MISSING_SOURCE": "restore the file, or run `project-corpus context build`",
    "BROKEN_PROVENANCE": REBUILD,
    "ORPHAN_STAGE": "run `project-corpus context build`; it sweeps old stages",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexState:
    """Rows made from exactly the current sources, and what is wrong with the index.

    `rows` is None when the sources cannot be indexed at all; a finding says why.
    """

    rows: Rows | None
    findings: tuple[Finding, ...]


def check_index(
    opened: ConfinedRoot,
    project: Project,
    name: str,
    *,
    dirs: UserDirs,
    random: Callable[[int], bytes],
) -> IndexState:
    """Read the index called `name`, judge it, and give rows that are current.

    Never raises for a bad index: then the rows are made in memory.
    """
    path = index_path(name)
    found: list[Finding] = []
    key: bytes | None = None
    stored: Rows | None = None
    try:
        key = existing_key(project.policy.project_id, directory=dirs.state)
        stored = read_index(opened, name, key, project_id=project.project_id)
    except (
        IndexCorruptError,
        IndexKeyError,
        IndexMissingError,
        IndexPathError,
        IndexProjectError,
        IndexSchemaError,
        KeyFileError,
    ) as error:
        found.append(_reported(error, path))
    if stored is not None:
        found += _staleness(project, stored, path)
        found += _provenance(stored, project.scan)
        if stored.snapshot() == project.scan.snapshot:
            return IndexState(rows=stored, findings=tuple(found))
    made = live_rows(project, key or random(KEY_BYTES), stored)
    return IndexState(rows=made.rows, findings=(*found, *made.findings))


def live_rows(project: Project, key: bytes, previous: Rows | None = None) -> IndexState:
    """Make rows from the current sources; a corpus over its limits is a finding.

    A PROJECT.md that states no id, or another one, is left to whoever checks ids.
    """
    from corpus.index.build import make_rows  # noqa: PLC0415 - an index spares it

    stated = stated_project_id(project.scan)
    if stated is None:
        return IndexState(rows=None, findings=())
    try:
        rows, _ = make_rows(
            project.scan, previous, key, project_id=stated, limits=project.limits
        )
    except ContextLimitError as error:
        return IndexState(rows=None, findings=(_reported(error, CACHE),))
    return IndexState(rows=rows, findings=())


def stated_project_id(scan: Scan) -> str | None:
    """Give the id PROJECT.md states, None when it states none that is one."""
    source = scan.by_path()[PROJECT_PATH]
    metadata = read_metadata(parse_markdown(decode(source.content)))
    found = (metadata.get("Project-ID") or "").strip()
    return found if is_id(found) else None


def orphan_stages(
    opened: ConfinedRoot, policy: Policy, *, now: float
) -> Iterator[Finding]:
    """Report what killed builds and killed writes left over an hour ago."""
    yield from _stages_of_builds(opened, now)
    for path in write_stages(opened, policy):
        folder, _, name = path.rpartition("/")
        try:
            with opened.open_folder(RelPath(folder)) as place:
                age = now - place.lstat(name).st_ctime
        except (Unreadable, OSError):
            continue  # its write ended just now
        if age > STAGE_AGE:
            detail = f"a write that did not end left it {age / 3600:.0f} hours ago"
            yield Finding(
                code="ORPHAN_STAGE",
                severity="WARN",
                path=path,
                line=0,
                detail=detail,
                hint="run `project-corpus recover`; it ends the write and sweeps",
            )


def _stages_of_builds(opened: ConfinedRoot, now: float) -> Iterator[Finding]:
    names = stages(opened, CACHE)
    if not names:
        return
    try:
        folder = opened.open_folder(CACHE)
    except Unreadable:
        return
    with folder:
        for name in names:
            try:
                age = now - folder.lstat(name).st_mtime
            except OSError:
                continue  # a build swept it just now
            if age > STAGE_AGE:
                detail = f"a build that did not end left it {age / 3600:.0f} hours ago"
                yield _finding("ORPHAN_STAGE", "WARN", f"{CACHE}/{name}", detail)


def _staleness(project: Project, rows: Rows, index: str) -> Iterator[Finding]:
    """Compare what was indexed with what is there; name nothing out of scope."""
    was, now = rows.snapshot(), project.scan.snapshot
    for path, sha256 in now.items():
        if path not in was:
            yield _finding("STALE_INDEX", "FAIL", path, "it is not in the index")
        elif was[path] != sha256:
            yield _finding("STALE_INDEX", "FAIL", path, "it changed since the build")
    skipped = {one.path for one in project.scan.skipped}
    unseen = 0
    for path in was.keys() - now.keys():
        if not project.policy.may_read(path):
            unseen += 1
        elif path in skipped:
            detail = "the index holds it, and it can no longer be read"
            yield _finding("STALE_INDEX", "FAIL", path, detail)
        else:
            detail = "the index holds it, and the file is gone"
            yield _finding("MISSING_SOURCE", "FAIL", path, detail)
    if unseen:
        detail = f"it holds {unseen} sources that are no longer in scope"
        yield _finding("STALE_INDEX", "FAIL", index, detail)


def _provenance(rows: Rows, scan: Scan) -> Iterator[Finding]:
    """Prove that every passage of an unchanged source lies inside its lines."""
    sources = scan.by_path()
    for shard, positions in zip(rows.shards, members(rows.facts), strict=True):
        ends = [0] * len(positions)
        for owner, first, last in zip(
            shard.owners, shard.firsts, shard.lasts, strict=True
        ):
            if owner >= len(ends) or not 1 <= first <= last:
                detail = "a passage in the index has no possible place"
                yield _finding("BROKEN_PROVENANCE", "FAIL", CACHE, detail)
                return
            ends[owner] = max(ends[owner], last)
        for position, end in zip(positions, ends, strict=True):
            facts = rows.facts[position]
            source = sources.get(facts.path)
            if source is None or source.sha256 != facts.sha256:
                continue
            if end > _line_count(source.content):
                detail = f"the index cites line {end}, which the file does not have"
                yield _finding("BROKEN_PROVENANCE", "FAIL", facts.path, detail)


def _line_count(content: bytes) -> int:
    count = content.count(b"\n")
    if b"\r" in content:
        count += content.count(b"\r") - content.count(b"\r\n")
    return count + (not content.endswith((b"\n", b"\r")))


def _reported(error: CodedError, path: str) -> Finding:
    return Finding(
        code=error.code,
        severity="FAIL",
        path=path,
        line=0,
        detail=str(error),
        hint=error.hint,
    )


def _finding(code: str, severity: str, path: str, detail: str) -> Finding:
    return Finding(
        code=code,
        severity=severity,
        path=path,
        line=0,
        detail=detail,
        hint=_HINTS[code],
    )
