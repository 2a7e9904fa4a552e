"""`agentctx review-session`: what one session yielded, and corrections to it (A6.8)."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentctx.cli.opening import open_for_reading, open_for_writing
from agentctx.cli.sheet import row
from agentctx.config import environment, home
from agentctx.errors import SessionError, WorkerBusyError
from agentctx.records.card import QUOTE, standing
from agentctx.records.read import find_record
from agentctx.records.remove import delete_record
from agentctx.records.review import find_sessions, recent_sessions, review_of
from agentctx.records.spans import DUE, FAILED, LEFT_OUT, take_up
from agentctx.records.transcripts import heard, reopen
from agentctx.records.write import confirm_record
from corpus.cli.render import visible
from corpus.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from agentctx.cli.opening import Opened
    from agentctx.records.model import Record
    from agentctx.records.review import Review, SessionCard
    from agentctx.records.spans import Span
    from corpus.cli.call import Call

SUMMARY = "Show what a session yielded, with the words it came from; correct it."
EXAMPLE = "agentctx review-session 4f1e2a --reject 7KQ2ZD"

LISTED, LIFE = 20, 900

_WHY: dict[str | None, str] = {
    None: "the middle of a long stretch",
    "NO_LLM": "no model could be asked",
    "SPEND_SESSION": "`spendPerSession` was reached",
    "SPEND_DAY": "`spendPerDay` was reached",
    "TRANSCRIPT_UNREADABLE": "the transcript is gone or cannot be read",
}
"""Why something was not read, by the code of the problem."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """One session looked over, or the list of them; what was corrected just now."""

    sessions: tuple[SessionCard, ...] = ()
    review: Review | None = None
    confirmed: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Give the review, or the list, as one JSON object."""
        if self.review is None:
            return {"sessions": [one.as_json() for one in self.sessions]}
        review = self.review
        return {
            "session": review.card.as_json(),
            "records": [one.as_json() for one in review.records],
            "outcomes": review.outcomes,
            "left_out": [_span_json(one) for one in _unread(review)],
            "confirmed": list(self.confirmed),
            "rejected": list(self.rejected),
        }


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    parser.add_argument(
        "session",
        metavar="ID",
        nargs="?",
        help="the session, or the beginning of its id (default: list them)",
    )
    parser.add_argument(
        "--confirm",
        metavar="RECORD",
        action="append",
        help="stand for a record (repeatable)",
    )
    parser.add_argument(
        "--reject",
        metavar="RECORD",
        action="append",
        help="delete a record, so that it is not learned again (repeatable)",
    )
    parser.add_argument(
        "--extract",
        action="store_true",
        help="ask the model about what was left out, or failed",
    )


def run(
    call: Call,
    *,
    session: str | None,
    confirm: list[str] | None,
    reject: list[str] | None,
    extract: bool,
) -> Reviewed:
    """Correct what was named, extract what was left out, and show the session."""
    if session is None:
        if confirm or reject or extract:
            raise UsageError(problem="name the session that is to be corrected")
        with open_for_reading(call) as opened:
            found = recent_sessions(opened.store.db, opened.project_id, limit=LISTED)
        return Reviewed(sessions=tuple(found))
    if confirm or reject:
        with open_for_writing(call) as opened:
            card = _card(opened, session)
            records = review_of(opened.store.db, card, opened.project_id).records
            own = {str(record.id) for record in records}
            confirmed = _each(opened, confirm or (), own)
            rejected = _each(opened, reject or (), own)
            if set(confirmed) & set(rejected):
                raise UsageError(problem="a record is confirmed or rejected, not both")
            for record_id in confirmed:
                confirm_record(opened.store, opened.project_id, record_id)
            for record_id in rejected:
                delete_record(opened.store, opened.project_id, record_id)
    else:
        confirmed = rejected = ()
    if extract:
        _extract(call, session)
    with open_for_reading(call) as opened:
        card = _card(opened, session)
        review = review_of(opened.store.db, card, opened.project_id)
    return Reviewed(review=review, confirmed=confirmed, rejected=rejected)


def lines(value: Reviewed) -> Iterator[str]:
    """Show the sessions one a line, or one session whole."""
    if value.review is None:
        yield from map(_listed, value.sessions)
        if not value.sessions:
            yield "no session of this project is known"
        return
    review = value.review
    yield from row("session", visible(review.card.session_id))
    yield from row("started", review.card.started_at or "not known")
    yield from row("ended", review.card.ended_at or "not said")
    yield from row("injected", f"{review.card.tokens_injected:,} tokens")
    yield from row("cost", f"${review.card.cost_usd:.4f}")
    told = [f"{number} {name}" for name, number in review.outcomes.items()]
    yield from row("yield", ", ".join(told) or "nothing from a model yet")
    for span in _unread(review):
        why = _WHY.get(span.problem, span.problem or "")
        waits = span.state == DUE and span.kind != LEFT_OUT
        again = f"; asked again at {span.due_at[11:16]} UTC" if waits else ""
        told_why = f"{visible(why)}{again}"
        yield from row("not read", f"about {span.tokens:,} tokens: {told_why}")
    if _unread(review):
        named = shlex.quote(visible(review.card.session_id))
        yield from row("", f"read it: agentctx review-session {named} --extract")
    for label, done in (("confirmed", value.confirmed), ("rejected", value.rejected)):
        for number, record_id in enumerate(done):
            yield from row("" if number else label, record_id)
    for record in review.records:
        yield ""
        yield from _record_lines(record)


def _record_lines(record: Record) -> Iterator[str]:
    ended = "" if record.current else ", superseded"
    yield f"[{record.id}] {record.type}, {standing(record)}{ended}"
    yield f"  {visible(record.title)}"
    if record.quote:
        yield f"  {QUOTE}{visible(record.quote)}"


def _listed(card: SessionCard) -> str:
    started = (card.started_at or "not known")[:16]
    return (
        f"{visible(card.session_id)}  {started}  {card.tokens_injected:,} tokens"
        f"  ${card.cost_usd:.4f}"
    )


def _card(opened: Opened, text: str) -> SessionCard:
    found = find_sessions(opened.store.db, opened.project_id, text)
    exact = [one for one in found if one.session_id == text]
    if len(exact or found) != 1:
        raise SessionError(session_id=visible(text[:60]))
    return (exact or found)[0]


def _each(opened: Opened, parts: Sequence[str], own: set[str]) -> tuple[str, ...]:
    """Find the records that were named; each has to be one of the session."""
    found = []
    for part in parts:
        record = find_record(opened.store.db, opened.project_id, part)
        if record.id not in own:
            raise UsageError(problem=f"`{record.id}` is no record of this session")
        found.append(record.id)
    return tuple(dict.fromkeys(found))


def _unread(review: Review) -> tuple[Span, ...]:
    return tuple(
        span
        for span in review.spans
        if span.state != "done"
        and (span.kind == LEFT_OUT or span.state == FAILED or span.problem)
    )


def _span_json(span: Span) -> dict[str, object]:
    return {
        "id": span.id,
        "parts": [list(part) for part in span.parts],
        "tokens": span.tokens,
        "state": span.state,
        "due_at": span.due_at,
        "problem": span.problem,
    }


def _extract(call: Call, session: str) -> None:
    """Let the worker ask about what was left out, now; `agentctx.extraction` bounds it.

    Raises `WorkerBusyError`.
    """
    from agentctx.extraction.worker import World, work  # noqa: PLC0415 - when it works

    with open_for_writing(call) as opened:
        card = _card(opened, session)
        review = review_of(opened.store.db, card, opened.project_id)
        unread = [span.id for span in _unread(review)]
        one = heard(opened.store.db, review.card.session_id)
        if not unread or one is None:
            return
        with opened.store.writing() as tx:
            take_up(tx, unread, now=call.now)
            reopen(tx, one.session_id, now=call.now)
    world = World(home(), environment(), call.clock, call.random)
    if work(world, seconds=LIFE, linger=False).busy:
        raise WorkerBusyError
