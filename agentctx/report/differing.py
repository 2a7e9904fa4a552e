"""What contradicts: instructions that state the past, and records that are alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.report.entries import rest
from agentctx.report.markup import (
    Markup,
    Table,
    counted,
    element,
    named,
    paragraph,
    stored,
    table,
    together,
    told,
)

if TYPE_CHECKING:
    from agentctx.drift.differences import Contradicted
    from agentctx.records.proposals import Proposal
    from agentctx.report.values import Differences, Stored

_ADVICE = {
    "merge": "say the same; they could be one",
    "supersede": "contradict each other; the first may replace the second",
    "prune": "was guessed once and never used; it could go",
}


def differing(kept: Stored) -> Markup:
    """Draw what differs, and what could be tidied up."""
    found = kept.differences
    return together(
        [
            element("h3", "Instructions and records"),
            *_instructions(found),
            element("h3", "Records that could be tidied up"),
            *_proposals(found),
        ]
    )


def _instructions(found: Differences) -> list[Markup]:
    files = counted(found.files, "file")
    places = counted(found.contradicted.total, "place says", "places say")
    missing = counted(found.missing.total, "current record is", "current records are")
    parts = [
        paragraph(
            f"{files} of instructions, such as CLAUDE.md, compared: {places} what was"
            f" superseded, {missing} not stated."
        )
    ]
    parts += [_contradiction(one) for one in found.contradicted.shown]
    parts.append(rest(found.contradicted.left, "contradiction"))
    if found.missing.total:
        rows = tuple(
            (stored("span", one.title), one.type, stored("code", one.file))
            for one in found.missing.shown
        )
        heads = ("record", "type", "would belong into")
        parts.append(table(Table("Current records that no file states", heads, rows)))
        parts.append(rest(found.missing.left, "record"))
    if found.findings.total:
        notes = tuple(
            (stored("code", one.path), f"{one.line:,}", stored("span", one.detail))
            for one in found.findings.shown
        )
        heads = ("file", "line", "note")
        parts.append(
            table(Table("Notes about these files", heads, notes, frozenset((1,))))
        )
        parts.append(rest(found.findings.left, "note"))
    return parts


def _contradiction(one: Contradicted) -> Markup:
    gone = one.record_id == one.superseded_id
    return element(
        "article",
        element("h4", stored("code", one.file), f", line {one.first_line:,}"),
        element("blockquote", told(one.statement)),
        paragraph(
            "that ended: " if gone else "now it holds that: ",
            stored("span", one.title),
        ),
        aria_label=f"{named(one.file)}, line {one.first_line:,}",
    )


def _proposals(found: Differences) -> list[Markup]:
    if not found.proposals.total:
        return [paragraph("Nothing is proposed.")]
    rows = tuple(map(_proposal, found.proposals.shown))
    heads = ("proposal", "record", "other record", "why")
    return [
        table(Table("Proposals, for a person to decide", heads, rows)),
        rest(found.proposals.left, "proposal"),
    ]


def _proposal(one: Proposal) -> tuple[Markup | str, ...]:
    other = "none" if one.other_title is None else stored("span", one.other_title)
    return one.kind, stored("span", one.title), other, _ADVICE[one.kind]
