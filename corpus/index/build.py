"""Bring the index up to date: parse what changed, keep the rest, publish whole.

The rows are a function of the sources in scope and the key alone, so a build in steps
and a build from scratch give the same content (P5.4).
"""

from __future__ import annotations

import gc
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpus.canonical import digest
from corpus.errors import ProjectIdError
from corpus.index.postings import (
    COUNT_MASK,
    IN_HEADING,
    IN_TITLE,
    SHARDS,
    SourcePieces,
    pack,
    shard_number,
    unpack,
)
from corpus.index.schema import INDEX_SCHEMA_VERSION, Rows, key_id, members, term_hash
from corpus.lexical import terms
from corpus.markdown import decode, parse_markdown
from corpus.protocol.citations import name_forms
from corpus.protocol.layout import PROJECT_PATH
from corpus.protocol.metadata import read_metadata
from corpus.refs import is_id, stem
from corpus.sources.facts import piece_text
from corpus.sources.parsing import Parsed, parse_source
from corpus.sources.present import read_present
from corpus.sources.scan import refuse_lines
from corpus.sources.standing import relations, standings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from corpus.authority import Limits
    from corpus.index.postings import Shard
    from corpus.sources.facts import Facts, Piece
    from corpus.sources.scan import Scan

    Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildReport:
    """What a build did. `parsed` counts the sources that were read anew."""

    project_id: str
    source_count: int
    item_count: int
    parsed: int
    written: bool
    source_snapshot_digest: str
    guarantee_level: str
    skipped: tuple[tuple[str, str], ...]

    def as_json(self) -> dict[str, object]:
        """Give the report as `context build` prints it."""
        return {
            "ok": True,
            "project_id": self.project_id,
            "index_schema_version": INDEX_SCHEMA_VERSION,
            "source_count": self.source_count,
            "item_count": self.item_count,
            "parsed": self.parsed,
            "written": self.written,
            "source_snapshot_digest": self.source_snapshot_digest,
            "guarantee_level": self.guarantee_level,
            "skipped": [
                {"source_path": path, "reason": reason} for path, reason in self.skipped
            ],
            "non_authoritative": True,
        }


def report(scan: Scan, rows: Rows, *, parsed: int, written: bool) -> BuildReport:
    """Sum up a build."""
    return BuildReport(
        project_id=rows.project_id,
        source_count=len(rows.facts),
        item_count=sum(len(shard.owners) for shard in rows.shards),
        parsed=parsed,
        written=written,
        source_snapshot_digest=digest(scan.snapshot),
        guarantee_level=scan.guarantee_level,
        skipped=scan.skipped,
    )


def is_current(rows: Rows, scan: Scan) -> bool:
    """Say whether the rows were made from exactly this scan."""
    return rows.skipped == scan.skipped and rows.snapshot() == scan.snapshot


def project_id_of(scan: Scan, expected: str) -> str:
    """Read the project id from PROJECT.md; raises `ProjectIdError` if it differs."""
    project = next(s for s in scan.sources if s.path == PROJECT_PATH)
    metadata = read_metadata(parse_markdown(decode(project.content)))
    found = (metadata.get("Project-ID") or "").strip()
    if not is_id(found) or found != expected:
        raise ProjectIdError(path=PROJECT_PATH)
    return found


def make_rows(
    scan: Scan,
    previous: Rows | None,
    key: bytes,
    *,
    project_id: str,
    limits: Limits,
    progress: Progress | None = None,
) -> tuple[Rows, int]:
    """Make the rows of an index; also say how many sources were parsed.

    `previous` must have been made under the same key. Raises `ContextLimitError` when
    the sources hold too many lines.
    """
    project_id_of(scan, project_id)
    plain = term_hash(key)
    hashed = _Hashes(plain)
    known = {f.path: f for f in previous.facts} if previous else {}
    with _without_collection():
        parsed: dict[str, tuple[Facts, SourcePieces]] = {}
        for number, source in enumerate(scan.sources):
            old = known.get(source.path)
            if old is None or old.sha256 != source.sha256:
                parsed[source.path] = _contribution(
                    parse_source(source, plain), hashed, plain
                )
            if progress is not None:
                progress(number + 1, len(scan.sources), "reading sources")
        facts = tuple(
            parsed[s.path][0] if s.path in parsed else known[s.path]
            for s in scan.sources
        )
        refuse_lines(facts, limits)
        present = read_present(scan)
        related = relations(facts, _names(scan, plain), present)
        rows = Rows(
            project_id=project_id,
            key_id=key_id(key),
            facts=facts,
            standings=standings(facts, related, present),
            relations=related,
            skipped=scan.skipped,
            shards=_shards(facts, parsed, previous),
        )
    return rows, len(parsed)


def _names(scan: Scan, hashed: Callable[[str], int]) -> dict[int, str]:
    """Map each name of a source to its path; a name that two share means neither."""
    found: dict[int, set[str]] = {}
    for path in scan.snapshot:
        for form in name_forms(path):
            found.setdefault(hashed(form), set()).add(path)
    return {name: min(paths) for name, paths in found.items() if len(paths) == 1}


def _contribution(
    parsed: Parsed, hashed: _Hashes, plain: Callable[[str], int]
) -> tuple[Facts, SourcePieces]:
    lines = parsed.document.lines
    titled = next((h.line for h in parsed.document.headings if h.level == 1), 0)
    title = set(map(hashed.__getitem__, _title_terms(parsed)))
    under: dict[int, tuple[int, ...]] = {}
    postings: list[dict[int, int]] = []
    same: list[int] = []
    lengths: list[int] = []
    told = {entry.line for entry in parsed.metadata.entries}
    bare = [_is_metadata(piece, lines, told) for piece in parsed.pieces]
    titled_piece = bare.index(False) if False in bare else 0
    for number, piece in enumerate(parsed.pieces):
        text = piece_text(lines, piece)
        found = terms(text)
        weights = _counted(found, hashed)
        for line in piece.headings:
            if line == titled:
                continue
            if line not in under:
                words = terms(parsed.document.heading_at(line).text)
                under[line] = tuple(map(hashed.__getitem__, words))
            for term in under[line]:
                weights[term] = weights.get(term, 0) | IN_HEADING
        if number == titled_piece:
            for term in title:
                weights[term] = weights.get(term, 0) | IN_TITLE
        postings.append(weights)
        same.append(plain(fingerprint(text)))
        lengths.append(len(found))
    pieces = SourcePieces(parsed.pieces, tuple(postings), tuple(same), tuple(lengths))
    return parsed.facts, pieces


def _is_metadata(piece: Piece, lines: Sequence[str], told: set[int]) -> bool:
    """Say whether a piece is nothing but metadata lines."""
    return all(
        number in told or not lines[number - 1].strip()
        for number in range(piece.first, piece.last + 1)
    )


def _counted(found: Sequence[str], hashed: _Hashes) -> dict[int, int]:
    counts: Mapping[str, int] = Counter(found)
    if len(found) > COUNT_MASK < max(counts.values()):
        counts = {term: min(COUNT_MASK, count) for term, count in counts.items()}
    return dict(zip(map(hashed.__getitem__, counts), counts.values(), strict=True))


def fingerprint(text: str) -> str:
    """Reduce a text to what two exact duplicates share: case and spacing ignored."""
    return "\x00same " + " ".join(text.casefold().split())


def title_of(parsed: Parsed) -> str:
    """Give a source's title: its first H1, else its first heading, else its name."""
    headings = parsed.document.headings
    first = next(
        (h for h in headings if h.level == 1), headings[0] if headings else None
    )
    return first.text if first else stem(parsed.facts.path)


def _title_terms(parsed: Parsed) -> list[str]:
    below = parsed.facts.path.split("/")[2:-1]
    return terms(title_of(parsed)) + terms(" ".join([*below, stem(parsed.facts.path)]))


def _shards(
    facts: Sequence[Facts],
    parsed: Mapping[str, tuple[Facts, SourcePieces]],
    previous: Rows | None,
) -> tuple[Shard, ...]:
    paths = {f.path for f in facts}
    dirty = {shard_number(path) for path in parsed}
    if previous is not None:
        gone = (f.path for f in previous.facts if f.path not in paths)
        dirty.update(map(shard_number, gone))
    kept = _kept(previous, dirty)
    shards = []
    for number, positions in enumerate(members(facts)):
        if previous is not None and number not in dirty:
            shards.append(previous.shards[number])
            continue
        here = [facts[position].path for position in positions]
        shards.append(pack([parsed[p][1] if p in parsed else kept[p] for p in here]))
    assert len(shards) == SHARDS
    return tuple(shards)


def _kept(previous: Rows | None, dirty: set[int]) -> dict[str, SourcePieces]:
    kept: dict[str, SourcePieces] = {}
    if previous is not None:
        groups = members(previous.facts)
        for number in dirty:
            here = [previous.facts[position].path for position in groups[number]]
            unpacked = unpack(previous.shards[number], len(here))
            kept.update(zip(here, unpacked, strict=True))
    return kept


class _Hashes(dict[str, int]):
    """The keyed hash of each term met in one build."""

    def __init__(self, hashed: Callable[[str], int]) -> None:
        super().__init__()
        self._hashed = hashed

    def __missing__(self, term: str) -> int:
        self[term] = value = self._hashed(term)
        return value


@contextmanager
def _without_collection() -> Iterator[None]:
    """Spare the garbage collector a bulk of values that all stay alive."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
