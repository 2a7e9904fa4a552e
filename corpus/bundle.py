"""The context for a query within a token budget, as one hashed JSON value (P8).

PROJECT, STATUS and the active task come first in short, then passages in rank order
while they fit. A bundle is a pointer to evidence: every item names its source at one
version, and the bundle says of itself that it is no authority.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC
from typing import TYPE_CHECKING, NamedTuple, cast

from corpus.canonical import canonical_json, digest
from corpus.errors import BudgetError, BundleLimitError
from corpus.hits import Hit, item_id
from corpus.index.schema import INDEX_SCHEMA_VERSION
from corpus.selection import Room, fill, survey, unshown
from corpus.sources.facts import Piece
from corpus.summaries import summarize
from corpus.tokens import BUNDLE_ESTIMATOR, bundle_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from corpus.canonical import Json
    from corpus.findings import Finding
    from corpus.selection import Ground
    from corpus.summaries import Primary, Summary
    from corpus.view import View

SCHEMA_VERSION = "1"
MIN_TOKENS, MAX_TOKENS, DEFAULT_TOKENS = 80, 20_000, 1_200
TOKEN_BYTES = 4

MAX_ENVELOPE = 65_536
"""The most bytes the canonical JSON of a bundle may have."""

SUMMARY_SCORE = 10_000
"""The score of a summary, or more where a passage reaches it."""

NOT_HASHED = ("created_at", "bundle_sha256")

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """What goes into a bundle; its size and hash are computed by `as_json`.

    `findings` are of providers that failed; without any there is no such field.
    """

    project_id: str
    query: str
    created_at: str
    source_snapshot_digest: str
    source_count: int
    max_tokens: int
    estimated_tokens: int
    mandatory: tuple[Primary, ...]
    items: tuple[Mapping[str, Json], ...]
    sources: Mapping[str, str]
    findings: tuple[Finding, ...] = ()

    def as_json(self) -> dict[str, Json]:
        """Give the finished bundle, schema version 1."""
        value = self.payload()
        value["serialized_bytes"] = stated_size(len(canonical_json(value)))
        hashed = {key: value[key] for key in value if key not in NOT_HASHED}
        value["bundle_sha256"] = digest(hashed)
        return value

    def payload(self) -> dict[str, Json]:
        """Give every field, with a size of one digit and a hash of zeros."""
        findings: list[Json] = [finding.as_json() for finding in self.findings]
        return {
            **({"findings": findings} if findings else {}),
            "schema_version": SCHEMA_VERSION,
            "project_id": self.project_id,
            "query": self.query,
            "created_at": self.created_at,
            "index_schema_version": INDEX_SCHEMA_VERSION,
            "source_snapshot_digest": self.source_snapshot_digest,
            "source_count": self.source_count,
            "selected_source_snapshot": dict(sorted(self.sources.items())),
            "mandatory_reads": [
                {
                    "source_path": primary.path,
                    "source_sha256": self.sources[primary.path],
                    "reason": f"full_primary_{primary.kind}_read_required",
                    "required_sections": list(primary.required_sections),
                }
                for primary in self.mandatory
            ],
            "budget": {
                "max_tokens": self.max_tokens,
                "estimated_tokens": self.estimated_tokens,
                "estimator": BUNDLE_ESTIMATOR,
                "max_envelope_bytes": MAX_ENVELOPE,
            },
            "items": list(self.items),
            "serialized_bytes": 0,
            "non_authoritative": True,
            "bundle_sha256": "0" * 64,
        }


def compile_bundle(
    view: View, query: str, *, max_tokens: int = DEFAULT_TOKENS, now: datetime
) -> dict[str, Json]:
    """Compile the context for a query; two runs differ only in `created_at`.

    `max_tokens` bounds the sum of the items' estimates (P8.5), `now` is UTC. Raises
    `BudgetError`, `QueryEmptyError`, and `BundleLimitError` when the query alone
    leaves no room in the envelope.
    """
    require_budget(max_tokens)
    ground = survey(view, storable(query), max_tokens=max_tokens)
    return bundle_of(ground, max_tokens=max_tokens, now=now)


def bundle_of(ground: Ground, *, max_tokens: int, now: datetime) -> dict[str, Json]:
    """Compile a bundle from what was surveyed."""
    compiler = _Compiler(ground, max_tokens, stamp(now))
    compiler.add_summaries()
    compiler.add_passages()
    return compiler.bundle().as_json()


def require_budget(max_tokens: object) -> None:
    """Raise `BudgetError` unless `max_tokens` is a whole number from 80 to 20,000."""
    number = -1 if isinstance(max_tokens, bool) else max_tokens
    if not isinstance(number, int) or not MIN_TOKENS <= number <= MAX_TOKENS:
        raise BudgetError(found=str(max_tokens), minimum=MIN_TOKENS, maximum=MAX_TOKENS)


def storable(query: str) -> str:
    """Replace what UTF-8 cannot carry, so that any query can be part of a bundle."""
    return _LONE_SURROGATE.sub("\ufffd", query)


def stamp(moment: datetime) -> str:
    """Write a moment as RFC 3339 UTC, in whole seconds."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def stated_size(size: int) -> int:
    """Give what `serialized_bytes` must say, from the size with one digit there."""
    rest = size - 1
    digits = 1
    while len(str(rest + digits)) > digits:
        digits += 1
    return rest + digits


class _Item(NamedTuple):
    value: Mapping[str, Json]
    path: str
    sha256: str
    size: int
    tokens: int
    provided: bool


class _Compiler:
    """Collects items and knows the exact size of the bundle after each."""

    def __init__(self, ground: Ground, max_tokens: int, created_at: str) -> None:
        self.ground = ground
        self.max_tokens = max_tokens
        self.created_at = created_at
        self.files_digest = digest(ground.view.snapshot)
        self.provided: dict[str, str] = {}
        self.items: list[_Item] = []
        self.summaries: tuple[Summary, ...] = ()
        self.sources: dict[str, str] = {}
        self.tokens = 0
        self.grown = 0

    def add_summaries(self) -> None:
        """Put the summaries first: half the tokens and half the envelope at most."""
        primaries = self.ground.primaries
        room = TOKEN_BYTES * (self.max_tokens // 2)
        room -= (TOKEN_BYTES - 1) * len(primaries)
        top = max([SUMMARY_SCORE, *(hit.score + 1 for hit in self.ground.hits)])
        while True:
            self.summaries = summarize(primaries, room)
            items = [self._item(self._summary(each, top)) for each in self.summaries]
            if sum(item.size for item in items) <= MAX_ENVELOPE // 2:
                break
            room //= 2
        for item in items:
            self._add(item)
        self.fixed = len(canonical_json(self.bundle().payload())) - self.grown
        if self.size > MAX_ENVELOPE:
            raise BundleLimitError(count=self.size, maximum=MAX_ENVELOPE)

    def add_passages(self) -> None:
        """Add passages in rank order until the budget or the envelope ends it."""
        room = Room(
            whole=TOKEN_BYTES * self.max_tokens,
            left=TOKEN_BYTES * (self.max_tokens - self.tokens),
            step=TOKEN_BYTES,
        )
        hits = unshown(self.ground.hits, self.summaries)
        chosen = fill(
            self.ground, hits, room, text_of=lambda hit: hit.text, frame=lambda _: 0
        )
        for hit in chosen:
            item = self._item(hit)
            if self._size_with(item) > MAX_ENVELOPE:
                break
            self._add(item)

    def bundle(self) -> Bundle:
        """Give what was collected."""
        view = self.ground.view
        return Bundle(
            project_id=view.project_id,
            query=self.ground.query,
            created_at=self.created_at,
            source_snapshot_digest=self._snapshot_digest(),
            source_count=self.source_count,
            max_tokens=self.max_tokens,
            estimated_tokens=self.tokens,
            mandatory=self.ground.primaries,
            items=tuple(item.value for item in self.items),
            sources=self.sources,
            findings=view.provision.findings,
        )

    @property
    def source_count(self) -> int:
        """The sources in the snapshot: every file, and what of providers was chosen."""
        return len(self.ground.view.sources) + len(self.provided)

    @property
    def size(self) -> int:
        """The size of the finished bundle."""
        return stated_size(self.fixed + self.grown)

    def _size_with(self, item: _Item) -> int:
        return stated_size(self.fixed + self.grown + self._growth(item))

    def _snapshot_digest(self) -> str:
        if not self.provided:
            return self.files_digest
        return digest({**self.ground.view.snapshot, **self.provided})

    def _growth(self, item: _Item) -> int:
        """Count the bytes an item adds: itself, its source, longer counts."""
        growth = item.size + bool(self.items)
        if item.path not in self.sources:
            entry = len(canonical_json({item.path: item.sha256})) - 2
            growth += entry + bool(self.sources)
            count = self.source_count
            growth += len(str(count + item.provided)) - len(str(count))
        tokens = self.tokens + item.tokens
        return growth + len(str(tokens)) - len(str(self.tokens))

    def _add(self, item: _Item) -> None:
        self.grown += self._growth(item)
        self.items.append(item)
        self.sources[item.path] = item.sha256
        if item.provided:
            self.provided[item.path] = item.sha256
        self.tokens += item.tokens

    def _item(self, hit: Hit) -> _Item:
        value = cast("dict[str, Json]", hit.as_json(self.ground.view.project_id))
        return _Item(
            value=value,
            path=hit.facts.path,
            sha256=hit.facts.sha256,
            size=len(canonical_json(value)),
            tokens=bundle_tokens(hit.text),
            provided=hit.provided is not None,
        )

    def _summary(self, summary: Summary, score: int) -> Hit:
        """Give a summary the fields of a passage."""
        rows = self.ground.view.rows
        at = [facts.path for facts in rows.facts].index(summary.primary.path)
        facts = rows.facts[at]
        return Hit(
            number=-1,
            item_id=summary_id(facts.path, facts.sha256),
            text=summary.text,
            piece=Piece(summary.first, summary.last, 0, 0, ()),
            facts=facts,
            standing=rows.standings[at],
            section="",
            heading_path=(),
            relevance=0.0,
            coverage=0.0,
            score=score,
            reasons=(f"mandatory_{summary.primary.kind}", "bounded_authority_summary"),
        )


def summary_id(path: str, sha256: str) -> str:
    """Name a summary by its source and the source's version."""
    return item_id(f"{path}\0mandatory", 0, sha256)
