"""How many records there are, of what kind, and where they come from."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from agentctx.records.model import CONFIDENCES, TRUSTS, TYPES
from agentctx.report.entries import rest
from agentctx.report.markup import (
    Markup,
    Table,
    element,
    paragraph,
    stored,
    table,
    together,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentctx.report.values import Known, Stored


def glance(known: Known) -> Markup:
    """Draw the counts of current records by type, confidence and pin."""
    if not known.total:
        return paragraph("Nothing is recorded yet.")
    counts: Counter[tuple[str, str]] = Counter()
    for one in known.standings:
        counts[one.type, one.confidence] += one.number
        counts[one.type, "pinned"] += one.number if one.pinned else 0
        counts[one.type, "all"] += one.number
    columns = ("all", *CONFIDENCES, "pinned")
    types = [name for name in TYPES if counts[name, "all"]]
    rows = [
        (name, *(f"{counts[name, column]:,}" for column in columns)) for name in types
    ]
    sums = [sum(counts[name, column] for name in types) for column in columns]
    rows.append(("all types", *(f"{number:,}" for number in sums)))
    return table(
        Table(
            "Current records by type and confidence",
            ("type", *columns),
            tuple(rows),
            frozenset(range(1, len(columns) + 1)),
        )
    )


def origins(kept: Stored) -> Markup:
    """Draw who said what is known, which way it came, about which files it is."""
    known = kept.known
    if not known.total:
        return paragraph("Nothing is recorded yet.")
    counts: Counter[tuple[str, str]] = Counter()
    for one in known.standings:
        counts[one.trust, one.source] += one.number
    sources = sorted({source for _, source in counts})
    rows = tuple(
        (trust, *(f"{counts[trust, source]:,}" for source in sources))
        for trust in TRUSTS
        if any(counts[trust, source] for source in sources)
    )
    who = table(
        Table(
            "Current records by the least trusted source and the way they came",
            ("source", *(one.replace("_", " ") for one in sources)),
            rows,
            frozenset(range(1, len(sources) + 1)),
        )
    )
    parts = [element("h3", "Sources"), who, element("h3", "Files")]
    parts += _files(known.files.shown)
    parts += [
        rest(known.files.left, "file"),
        paragraph("Quotes and sessions stand with each record; sessions are below."),
    ]
    return together(parts)


def _files(files: Sequence[tuple[str, int]]) -> list[Markup]:
    if not files:
        return [paragraph("No record is linked to a file.")]
    rows = tuple((stored("code", name), f"{number:,}") for name, number in files)
    return [
        table(
            Table(
                "Files by their current records",
                ("file", "records"),
                rows,
                frozenset((1,)),
            )
        )
    ]
