"""What works on a store, what waits, what failed, and what is degraded."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    from agentctx.report.values import Health


def state(health: Health) -> Markup:
    """Draw how the work on a store is going."""
    told = counted(health.waiting, "session or memory", "sessions and memories")
    pairs: list[tuple[str, Markup | str]] = [
        ("worker", "running" if health.worker_runs else "not running"),
        ("waiting", told),
        ("extraction", stored("span", health.extraction)),
    ]
    if health.waits_because:
        pairs.insert(2, ("because of", stored("span", ", ".join(health.waits_because))))
    return together(
        [
            terms(pairs),
            element("h3", "Degraded"),
            _degraded(health),
            element("h3", "Failures"),
            _failures(health),
        ]
    )


def _degraded(health: Health) -> Markup:
    if not health.degraded:
        return paragraph("Nothing is degraded.")
    rows = tuple(
        (stored("code", one.code), stored("span", one.detail), stored("span", one.hint))
        for one in health.degraded
    )
    return table(
        Table("What is degraded, and what to do", ("code", "why", "what to do"), rows)
    )


def _failures(health: Health) -> Markup:
    if not health.failures:
        return paragraph("Nothing failed out of sight.")
    rows = tuple(
        (stored("code", one.code), moment(one.at), stored("span", one.where))
        for one in health.failures
    )
    return table(Table("The last failures", ("code", "when", "where"), rows))
