"""Read every source in scope, hash it, and say what had to be left out.

A scan is the ground under every answer: the snapshot it gives is the map of path to
SHA-256 that an index, a bundle and a receipt are checked against. Only Markdown below
state/, tasks/, reports/ and history/ is looked at (P5.10), and only where the policy's
scopes reach (P2.4).
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from corpus.authority import POLICY_BYTES, SOURCE_BYTES
from corpus.confined.reader import Unreadable
from corpus.errors import ContextLimitError, PolicyMissingError, RequiredFileError
from corpus.policy import parse_policy
from corpus.protocol.layout import (
    FOLDERS,
    POLICY_PATH,
    PROJECT_PATH,
    STATUS_PATH,
)
from corpus.refs import RelPath, Sha256, is_markdown_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from corpus.authority import Limits
    from corpus.confined.reader import ConfinedRoot
    from corpus.policy import Policy
    from corpus.sources.facts import Facts


class Source(NamedTuple):
    """One readable source at one version; `content` is its raw bytes."""

    path: RelPath
    kind: str
    sha256: Sha256
    content: bytes


class Skipped(NamedTuple):
    """A source in scope that could not be used, and why."""

    path: str
    reason: str


class Scan(NamedTuple):
    """Every source in scope, sorted by path, and every one that was skipped."""

    sources: tuple[Source, ...]
    skipped: tuple[Skipped, ...]
    guarantee_level: str

    @property
    def snapshot(self) -> dict[str, str]:
        """Map each source's path to its SHA-256."""
        return {source.path: source.sha256 for source in self.sources}

    def by_path(self) -> Mapping[str, Source]:
        """Give the sources by path."""
        return {source.path: source for source in self.sources}


def read_policy(root: ConfinedRoot) -> Policy:
    """Read the project's policy; nothing works without it.

    Raises `PolicyMissingError`, or the policy's own error when it does not parse.
    """
    try:
        content = root.read(POLICY_PATH, limit=POLICY_BYTES).content
    except Unreadable as problem:
        raise PolicyMissingError(path=POLICY_PATH, reason=problem.reason) from None
    return parse_policy(content)


def scan_sources(root: ConfinedRoot, policy: Policy, limits: Limits) -> Scan:
    """Read and hash every source in scope.

    Raises `RequiredFileError` when PROJECT.md or STATUS.md is out of scope or cannot
    be read, `ContextLimitError` when the corpus is over its bounds. Everything else
    that cannot be read is skipped and reported.
    """
    for required in (PROJECT_PATH, STATUS_PATH):
        if not policy.may_read(required):
            raise RequiredFileError(
                path=required, reason="it is outside the policy's read scope"
            )
    sources: list[Source] = []
    skipped: list[Skipped] = []
    listed = _listing(root, policy)
    _refuse_count([path for path, problem, _ in listed if problem is None], limits)
    total = 0
    for path, known, kind in listed:
        problem = known or _read_into(sources, root, path, kind)
        if problem is not None:
            skipped.append(Skipped(path, problem))
        else:
            total += len(sources[-1].content)
            if total > limits.total_bytes:
                _refuse_bytes(
                    {path: root.size(path) for path, known, _ in listed if not known},
                    limits,
                )
    _require_state(sources, skipped)
    return Scan(
        sources=tuple(sources),
        skipped=tuple(skipped),
        guarantee_level=root.guarantee_level,
    )


def _listing(
    root: ConfinedRoot, policy: Policy
) -> list[tuple[RelPath, str | None, str]]:
    def wanted(path: str) -> bool:
        return is_markdown_name(path) and policy.may_read(path)

    found: list[tuple[RelPath, str | None, str]] = []
    for kind, folder in FOLDERS.items():
        if policy.may_enter(folder):
            asks = is_markdown_name if policy.covers(folder) else wanted
            entries = root.entries(folder, wanted=asks, enter=policy.may_enter)
            found += [(path, problem, kind) for path, problem in entries]
    found.sort()
    return found


def _read_into(
    sources: list[Source], root: ConfinedRoot, path: RelPath, kind: str
) -> str | None:
    try:
        content = root.content(path, limit=SOURCE_BYTES)
        if not content.isascii():
            content.decode("utf-8")
    except Unreadable as problem:
        return problem.reason
    except UnicodeDecodeError as problem:
        return f"not UTF-8 at byte {problem.start}"
    sha256 = Sha256(hashlib.sha256(content).hexdigest())
    sources.append(Source(path, kind, sha256, content))
    return None


def _require_state(sources: Iterable[Source], skipped: Iterable[Skipped]) -> None:
    present = {source.path for source in sources if source.kind == "state"}
    reasons = dict(skipped)
    for required in (PROJECT_PATH, STATUS_PATH):
        if required not in present:
            reason = reasons.get(required, "it does not exist")
            raise RequiredFileError(path=required, reason=reason)


def _refuse_count(paths: Sequence[str], limits: Limits) -> None:
    if len(paths) <= limits.sources:
        return
    folders: dict[str, int] = {}
    for path in paths:
        folder = path.rpartition("/")[0]
        folders[folder] = folders.get(folder, 0) + 1
    raise ContextLimitError(
        limit="sources",
        count=len(paths),
        maximum=limits.sources,
        largest=largest(folders),
    )


def _refuse_bytes(sizes: Mapping[RelPath, int], limits: Limits) -> None:
    raise ContextLimitError(
        limit="bytes",
        count=sum(sizes.values()),
        maximum=limits.total_bytes,
        largest=largest(sizes),
    )


def refuse_lines(facts: Sequence[Facts], limits: Limits) -> None:
    """Raise `ContextLimitError` when the sources hold too many lines."""
    counts = {f.path: f.nonblank_lines for f in facts}
    total = sum(counts.values())
    if total > limits.nonblank_lines:
        raise ContextLimitError(
            limit="non-blank lines",
            count=total,
            maximum=limits.nonblank_lines,
            largest=largest(counts),
        )


def largest(sizes: Mapping[str, int] | Mapping[RelPath, int]) -> str:
    """Name the three largest contributors to a limit, for its error."""
    ranked = sorted(sizes.items(), key=lambda item: (-item[1], item[0]))[:3]
    return ", ".join(f"{path} ({size})" for path, size in ranked)
