"""What a project's sessions were given and cost, as a report shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.records.accounts import tokens_and_cost
from agentctx.records.overview import records_of_sessions
from agentctx.records.review import count_sessions, recent_sessions
from agentctx.records.sessions import injected_by_event, records_shown
from agentctx.records.spending import paid
from agentctx.report.values import SessionRow, Some, Usage

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from corpus.sqlite import Db


def usage(
    db: Db, project_id: str, project_ids: Sequence[str], *, most: int, now: datetime
) -> Usage:
    """Gather the accounts of a project, with its newest sessions."""
    spent = tokens_and_cost(db, project_id, now=now)
    shown, read = records_shown(db, project_id)
    left = records_of_sessions(db, project_ids)
    cards = recent_sessions(db, project_id, limit=most)
    rows = tuple(SessionRow(card, left.get(card.session_id, 0)) for card in cards)
    return Usage(
        sessions=Some(rows, count_sessions(db, project_id)),
        tokens=spent.tokens,
        last_tokens=spent.session_tokens,
        events=tuple(injected_by_event(db, project_id)),
        records_shown=shown,
        records_read=read,
        paid=tuple(paid(db, project_id)),
        today_usd=spent.today_usd,
        usd_everywhere=spent.usd,
    )
