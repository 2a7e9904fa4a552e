"""What sessions were given, what of it was used, and what models were paid."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.report.entries import rest
from agentctx.report.markup import (
    Markup,
    Table,
    counted,
    element,
    moment,
    paragraph,
    stored,
    table,
    terms,
    together,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentctx.records.spending import Paid
    from agentctx.report.values import SessionRow, Stored, Usage

MOST_ROWS = 100
"""Days, purposes or models of one table."""


def given(kept: Stored, *, everywhere: bool) -> Markup:
    """Draw the accounts of a project; `everywhere` adds what all of them cost."""
    usage = kept.usage
    parts = [_totals(usage, everywhere=everywhere), element("h3", "Tokens by event")]
    parts.append(_events(usage))
    parts.append(element("h3", "Dollars"))
    parts += _dollars(usage)
    parts.append(element("h3", "Sessions"))
    parts += _sessions(usage)
    return together(parts)


def dollars(amount: float) -> str:
    """Write an amount of US dollars; a small one with its first digits."""
    return f"${amount:,.2f}" if amount >= 1 or not amount else f"${amount:.4f}"


def _totals(usage: Usage, *, everywhere: bool) -> Markup:
    rate = "not known yet"
    if usage.records_shown:
        share = usage.records_read / usage.records_shown
        rate = (
            f"{share:.0%}: {usage.records_read:,} of {usage.records_shown:,} records"
            " shown were then read whole"
        )
    number = usage.sessions.total
    mean = usage.tokens / number if number else 0
    pairs: list[tuple[str, Markup | str]] = [
        ("tokens in all", f"{usage.tokens:,} in {counted(number, 'session')}"),
        ("a session", f"{mean:,.0f} tokens, {usage.last_tokens:,} in the last"),
        ("hit rate", rate),
        ("cost", dollars(sum(one.cost_usd for one in usage.paid))),
    ]
    if everywhere:
        today, ever = dollars(usage.today_usd), dollars(usage.usd_everywhere)
        pairs.append(("every project", f"{today} today, {ever} in all"))
    return terms(pairs)


def _events(usage: Usage) -> Markup:
    if not usage.events:
        return paragraph("Nothing was injected yet.")
    rows = tuple(
        (stored("span", one.event), f"{one.times:,}", f"{one.tokens:,}")
        for one in usage.events
    )
    heads = ("event", "times", "tokens")
    return table(Table("Tokens injected by event", heads, rows, frozenset((1, 2))))


def _dollars(usage: Usage) -> list[Markup]:
    if not usage.paid:
        return [paragraph("No model was paid for a session of this project.")]
    by_day = _by(usage.paid, "day", lambda one: one.day, newest=True)
    return [
        by_day,
        _by(usage.paid, "purpose", lambda one: one.purpose),
        _by(usage.paid, "model", lambda one: one.model),
    ]


def _by(
    paid: tuple[Paid, ...],
    name: str,
    key: Callable[[Paid], str],
    *,
    newest: bool = False,
) -> Markup:
    """Add up what was paid by one of its marks: the newest, or the dearest, first."""
    groups: dict[str, list[Paid]] = {}
    for one in paid:
        groups.setdefault(key(one), []).append(one)
    rows = [
        (
            mark,
            sum(one.calls for one in some),
            sum(one.input_tokens + one.output_tokens for one in some),
            sum(one.cost_usd for one in some),
        )
        for mark, some in groups.items()
    ]
    rows.sort(key=lambda row: row[0])
    rows.sort(key=lambda row: row[0] if newest else row[3], reverse=True)
    drawn = tuple(
        (stored("span", mark), f"{calls:,}", f"{tokens:,}", dollars(cost))
        for mark, calls, tokens, cost in rows[:MOST_ROWS]
    )
    heads = (name, "calls", "tokens", "cost")
    drawn_table = table(Table(f"Dollars by {name}", heads, drawn, frozenset((1, 2, 3))))
    return together([drawn_table, rest(max(0, len(rows) - MOST_ROWS), name)])


def _sessions(usage: Usage) -> list[Markup]:
    if not usage.sessions.total:
        return [paragraph("No session is known yet.")]
    rows = tuple(map(_row, usage.sessions.shown))
    heads = ("session", "started", "ended", "tokens", "records", "cost")
    return [
        table(Table("Sessions, the newest first", heads, rows, frozenset((3, 4, 5)))),
        rest(usage.sessions.left, "session"),
    ]


def _row(row: SessionRow) -> tuple[Markup | str, ...]:
    card = row.card
    return (
        stored("code", card.session_id),
        moment(card.started_at),
        moment(card.ended_at),
        f"{card.tokens_injected:,}",
        f"{row.records:,}",
        dollars(card.cost_usd),
    )
