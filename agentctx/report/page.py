"""A report as one page of HTML: nothing outside is asked for, no script, no server.

The same report gives the same bytes. The page begins with our mark, by which a file is
known to be ours to replace.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.clock import stamp
from agentctx.report.accounts import given
from agentctx.report.differing import differing
from agentctx.report.entries import anchor, change_entry, entry, item_entry, rest
from agentctx.report.markup import (
    Markup,
    counted,
    element,
    listed,
    moment,
    named,
    paragraph,
    stored,
    together,
)
from agentctx.report.origins import glance, origins
from agentctx.report.state import state
from agentctx.report.style import STYLE

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentctx.report.values import Known, Remembered, Report, Stored

MARK = "<!DOCTYPE html>\n<!-- agentctx report -->\n"
"""What every report begins with."""

POLICY = "default-src 'none'; style-src 'unsafe-inline'"

_DIGITS = 12
_PLURALS = {
    "decision": "Decisions",
    "convention": "Conventions",
    "preference": "Preferences",
    "discovery": "Discoveries",
    "bugfix": "Bug fixes",
    "handover": "Handovers",
    "profile": "What the project is made of",
}


def page(report: Report) -> str:
    """Write a report as a page."""
    title = f"What is known about {named(report.name)}"
    sections = _sections(report)
    body = [
        element("a", "Skip to the report", href="#report", class_="skip"),
        element("header", element("h1", *_heading(report)), *_introduction(report)),
        element(
            "nav",
            listed(element("a", name, href=f"#{place}") for place, name, _ in sections),
            aria_label="Sections",
        ),
        element(
            "main",
            *(
                element(
                    "section",
                    element("h2", name, id=f"{place}-title"),
                    inside,
                    id=place,
                    aria_labelledby=f"{place}-title",
                )
                for place, name, inside in sections
            ),
            id="report",
            tabindex=-1,
        ),
        element("footer", paragraph("Made by ", element("code", "agentctx report"))),
    ]
    head = [
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=POLICY),
        element("meta", name="viewport", content="width=device-width"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        element("meta", name="robots", content="noindex"),
        element("meta", name="generator", content="agentctx report"),
        element("title", title),
        element("style", Markup(STYLE)),
    ]
    lines = ["<head>", *(one.html for one in head), "</head>", "<body>"]
    lines += [*(one.html for one in body), "</body>"]
    inside = "\n".join(lines)
    return f'{MARK}<html lang="en">\n{inside}\n</html>\n'


def _heading(report: Report) -> tuple[Markup | str, ...]:
    return "What is known about ", stored("span", report.name)


def _introduction(report: Report) -> tuple[Markup, ...]:
    words = [
        paragraph("As of ", moment(stamp(report.at)), " UTC", class_="quiet"),
        paragraph(
            "The project's namespace begins with ",
            stored("code", report.project_id[:_DIGITS]),
            ". What holds for every project of one person is shown, too."
            if report.everywhere
            else ". What holds for every project of one person is left out.",
            class_="quiet",
        ),
    ]
    words.append(
        paragraph(
            "Stored texts are quoted as evidence, without what could not be seen and"
            f" without secrets. At most {report.most:,} of each kind are shown.",
            class_="quiet",
        )
    )
    if report.why is not None:
        words.append(
            paragraph(
                f"The store of records cannot be read ({report.why.code}): ",
                stored("span", report.why.detail),
                ". ",
                stored("span", report.why.hint),
                class_="alarm",
            )
        )
    return tuple(words)


def _sections(report: Report) -> tuple[tuple[str, str, Markup], ...]:
    """Give the sections in their order: where each is, its name, what it holds."""
    kept = report.stored
    return (
        ("glance", "At a glance", _of(kept, lambda one: glance(one.known))),
        ("known", "What is known", _of(kept, lambda one: _known(one.known))),
        ("memory", "What was said and is remembered", _memory(report.memory)),
        ("origins", "Where it comes from", _of(kept, origins)),
        ("changes", "How it changed", _of(kept, lambda one: _changes(one.known))),
        (
            "given",
            "What was injected and what it cost",
            _of(kept, lambda one: given(one, everywhere=report.everywhere)),
        ),
        ("differences", "What contradicts", _of(kept, differing)),
        ("forgotten", "What was forgotten", _forgotten(report)),
        ("state", "How it is going", state(report.health)),
    )


def _of(kept: Stored | None, draw: Callable[[Stored], Markup]) -> Markup:
    """Draw what the store says, or say that it says nothing."""
    if kept is None:
        return paragraph("Not known: the store of records cannot be read.")
    return draw(kept)


def _known(known: Known) -> Markup:
    parts: list[Markup] = []
    for name, some in known.by_type.items():
        parts.append(element("h3", f"{_PLURALS[name]} ({some.total:,})"))
        parts += [entry(one, known.files_of.get(one.id, ())) for one in some.shown]
        parts.append(rest(some.left, "record"))
    if not parts:
        parts.append(paragraph("Nothing is recorded yet."))
    if known.elsewhere:
        told = counted(known.elsewhere, "record holds", "records hold")
        rest_of_it = "for every project of one person; `--everywhere` shows more"
        parts.append(paragraph(f"{told} {rest_of_it}.", class_="quiet"))
    return together(parts)


def _memory(memory: Remembered) -> Markup:
    if memory.told is not None:
        return paragraph(stored("span", memory.told))
    if not memory.items.total:
        return paragraph("Nothing is remembered yet.")
    return together(
        [
            element("h3", f"Items ({memory.items.total:,})"),
            *map(item_entry, memory.items.shown),
            rest(memory.items.left, "item"),
        ]
    )


def _changes(known: Known) -> Markup:
    if not known.changes.total:
        return paragraph("Nothing was superseded or ended.")
    places = {
        place
        for some in known.by_type.values()
        for one in some.shown
        if (place := anchor(one.id)) is not None
    }
    return together(
        [
            paragraph(
                "Believed is when it was recorded and until when it stood; true is"
                " since when it held."
            ),
            *(change_entry(one, places) for one in known.changes.shown),
            rest(known.changes.left, "changed fact"),
        ]
    )


def _forgotten(report: Report) -> Markup:
    """Count what was forgotten; of its words nothing is left to show."""
    records = "an unknown number of records"
    if report.stored is not None:
        records = counted(report.stored.forgotten, "record")
    items = counted(report.memory.forgotten, "item of memory", "items of memory")
    return paragraph(f"{records} and {items} were forgotten. Their words are not here.")
