"""One record, one change, one item of memory, as a report draws it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agentctx.ids import is_record_id
from agentctx.records.model import GLOBAL
from agentctx.report.markup import (
    Markup,
    counted,
    element,
    listed,
    moment,
    named,
    paragraph,
    stored,
    terms,
    together,
    told,
)

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

    from agentctx.memory.model import Item
    from agentctx.memory.steering import Reason
    from agentctx.records.model import Record
    from agentctx.report.values import Believed, Change

MOST_FILES = 20
"""Files of one record that are named."""

_ITEM_ID = re.compile(r"memory_[0-9a-f]{32}_r[0-9]{1,9}")


def anchor(record_id: str) -> str | None:
    """Name the place of a record on the page; an id that we did not make has none."""
    return f"r-{record_id}" if is_record_id(record_id) else None


def entry(record: Record, files: Sequence[str]) -> Markup:
    """Draw a current record: what it says, how far it holds, where it comes from."""
    place = anchor(record.id)
    body = () if record.body == record.title else (told(record.body),)
    return element(
        "article",
        stored("h4", record.title),
        _marks(_standing_words(record)),
        *body,
        _folded("Where it comes from", record.title, terms(_origin(record, files))),
        id=place,
        aria_label=named(record.title),
    )


def change_entry(change: Change, places: Container[str]) -> Markup:
    """Draw how a fact changed: its versions, the newest first, with both times.

    `places` are the anchors of the records on the page; what holds leads to its own.
    """
    newest = change.versions.shown[0]
    by_id = {str(one.id): one for one in change.versions.shown}
    versions = [
        element("li", _version(one, by_id.get(one.superseded_by or ""), places))
        for one in change.versions.shown
    ]
    return element(
        "article",
        stored("h3", newest.title),
        paragraph("It holds no longer.") if change.ended else Markup(""),
        element("ol", *versions, reversed="", class_="versions"),
        rest(change.versions.left, "older version"),
        aria_label=named(newest.title),
    )


def item_entry(believed: Believed) -> Markup:
    """Draw an item of memory: what is believed, and the words it stands on."""
    item, meaning = believed.item, believed.item.meaning
    words = [meaning.kind.replace("_", " "), meaning.strength, _ORIGIN[meaning.origin]]
    if item.pinned:
        words.insert(0, "pinned")
    if meaning.recall_mode == "always":
        words.append("told with every prompt")
    whole = _ITEM_ID.fullmatch(item.id) is not None
    content = meaning.content if meaning.content != meaning.statement else ""
    return element(
        "article",
        stored("h4", meaning.subject),
        _marks(words),
        told(meaning.statement),
        *((told(content),) if content else ()),
        _folded("Where it comes from", meaning.subject, _words_of(believed)),
        *_before(believed.before, meaning.subject),
        id=item.id if whole else None,
        aria_label=named(meaning.subject),
    )


def rest(number: int, one: str, more: str | None = None) -> Markup:
    """Say how many are not shown; nothing where all are."""
    if not number:
        return Markup("")
    noun = counted(number, one, more)
    return paragraph(f"and {noun} not shown here", class_="quiet")


def _marks(words: Iterable[str]) -> Markup:
    return listed((together([one]) for one in words), class_="marks")


def _standing_words(record: Record) -> Iterator[str]:
    if record.pinned:
        yield "pinned"
    yield record.confidence
    if record.confidence == "inferred":
        yield "unconfirmed"
    yield _TRUSTED[record.trust]
    if record.confirmed:
        yield "confirmed by a person"
    if record.project_id == GLOBAL:
        yield "for every project"


def _origin(record: Record, files: Sequence[str]) -> Iterator[tuple[str, Markup | str]]:
    yield "from", _from(record)
    yield "true from", moment(record.valid_from)
    yield "recorded", moment(record.recorded_at)
    if record.reinforce_count:
        yield "said again", f"in {counted(record.reinforce_count, 'session')}"
    if record.session_id:
        yield "session", stored("code", record.session_id)
    if files:
        names = listed(stored("code", name) for name in files[:MOST_FILES])
        yield "files", together([names, rest(max(0, len(files) - MOST_FILES), "file")])
    if record.rationale:
        yield "because", told(record.rationale)
    if record.quote:
        yield "quote", element("blockquote", told(record.quote))
    yield "id", stored("code", record.id)


def _version(record: Record, after: Record | None, places: Container[str]) -> Markup:
    """Draw one version; `after` is what took its place, where that is shown too."""
    ended = moment(record.superseded_at) if record.superseded_at else "now"
    held: list[Markup | str] = ["true from ", moment(record.valid_from)]
    if after is not None:
        held += [" to ", moment(after.valid_from)]
    elif record.superseded_at and not record.superseded_by:
        held += [" to ", moment(record.superseded_at)]
    parts = [
        paragraph("believed ", moment(record.recorded_at), " to ", ended),
        paragraph(*held),
    ]
    if after is None or after.title != record.title:
        parts.append(stored("p", record.title, class_="title"))
    parts.append(told(record.body))
    if record.rationale:
        parts += [paragraph("because", class_="quiet"), told(record.rationale)]
    if record.quote:
        parts.append(element("blockquote", told(record.quote)))
    by = [_from(record), *(["confirmed by a person"] if record.confirmed else [])]
    parts.append(paragraph(", ".join(by), class_="quiet"))
    place = anchor(record.id)
    if place in places:
        parts.append(paragraph(element("a", "what holds now", href=f"#{place}")))
    return together(parts)


def _from(record: Record) -> str:
    return f"{record.trust}, by {record.source.replace('_', ' ')}"


def _folded(label: str, about: str, inside: Markup) -> Markup:
    """Fold something away; who hears the page is told what it is about."""
    name = stored("span", about, class_="unseen")
    return element("details", element("summary", label, " ", name), inside)


def _words_of(believed: Believed) -> Markup:
    item = believed.item
    quotes = [_quote(one) for one in believed.reasons.shown]
    paths = item.meaning.applies_to_paths
    pairs: list[tuple[str, Markup | str]] = [
        ("believed since", moment(item.created_at)),
        ("revision", f"{item.revision:,}"),
        ("id", stored("code", item.id)),
    ]
    if paths:
        pairs.insert(2, ("paths", listed(stored("code", one) for one in paths)))
    return together([terms(pairs), *quotes, rest(believed.reasons.left, "quote")])


def _quote(reason: Reason) -> Markup:
    session = stored("code", reason.session_id)
    head = paragraph(
        f"the {reason.role} at ", moment(reason.said_at), " in session ", session
    )
    return together([head, element("blockquote", told(reason.quote))])


def _before(before: Sequence[Item], about: str) -> Iterator[Markup]:
    if not before:
        return
    versions = [
        element(
            "li",
            paragraph(
                "believed ", moment(one.created_at), " to ", moment(one.updated_at)
            ),
            told(one.meaning.statement),
        )
        for one in before
    ]
    yield _folded("How it changed", about, element("ol", *versions, reversed=""))


_TRUSTED = {
    "developer": "from the developer",
    "model": "noted by the agent",
    "teammate": "from a teammate",
    "file": "from a file",
    "tool": "from a tool",
}
_ORIGIN = {
    "explicit": "said by a person",
    "adopted_proposal": "a proposal that was accepted",
    "inferred_repetition": "inferred, unconfirmed",
}
