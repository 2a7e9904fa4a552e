"""The records that a prompt or a sub-agent is told: few, framed, not twice (A4.3).

Nobody asked for them, so only what is surely about the prompt is given, quoted as
evidence. The budget is never exceeded: the lowest-ranked are dropped first.
"""

from __future__ import annotations

from agentctx.briefing.budget import (
    PROMPT_CHARACTERS,
    PROMPT_RECORDS,
    PROMPT_TOKENS,
    Page,
)
from agentctx.records.card import INTRODUCTION, block
from agentctx.records.search import Filters, search_records
from agentctx.records.staged import staging_of
from corpus.tokens import injection_tokens
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from datetime import datetime

    from agentctx.records.model import Record
    from agentctx.records.store import Store

MOST_SEARCHED = 50
"""Results looked at for some that the session was not given yet."""

_RULES = ("decision", "convention")
"""Types that bind whoever works on the project."""


class Told(NamedTuple):
    """What to say, what it costs, which records it shows, and the rung it stands on."""

    text: str = ""
    tokens: int = 0
    records: tuple[str, ...] = ()
    degraded: str | None = None


NOTHING = Told()


class Matches(NamedTuple):
    """Records about a prompt, the best first; `degraded` names the rung below."""

    records: tuple[Record, ...] = ()
    degraded: str | None = None


def matches(
    store: Store,
    project_id: str,
    prompt: str,
    *,
    given: Collection[str],
    branch: str | None = None,
) -> Matches:
    """Find the records about a prompt that were not given yet, as it is on a branch."""
    limit = min(PROMPT_RECORDS + len(given), MOST_SEARCHED)
    answer = search_records(
        store,
        project_id,
        prompt,
        filters=Filters(staging=_staging(store, project_id, branch)),
        limit=limit,
        floor="prompt",
    )
    new = [one.record for one in answer.results if one.record.id not in given]
    return Matches(tuple(new), answer.degraded)


def rules(
    store: Store, project_id: str, prompt: str, *, branch: str | None = None
) -> Matches:
    """Find the decisions and conventions about a prompt, the best first."""
    staging = _staging(store, project_id, branch)
    found: list[tuple[int, Record]] = []
    degraded = None
    for kind in _RULES:
        answer = search_records(
            store,
            project_id,
            prompt,
            filters=Filters(type=kind, staging=staging),
            limit=PROMPT_RECORDS,
            floor="prompt",
        )
        degraded = degraded or answer.degraded
        found += [(one.score, one.record) for one in answer.results]
    found.sort(key=lambda one: one[0], reverse=True)
    return Matches(tuple(record for _, record in found[:PROMPT_RECORDS]), degraded)


def _staging(store: Store, project_id: str, branch: str | None) -> tuple[str, ...]:
    found = staging_of(store.db, project_id, branch)
    return () if found is None else (found,)


def told(
    records: Iterable[Record],
    *,
    now: datetime,
    degraded: str | None = None,
    before: Sequence[str] = (),
    after: Sequence[tuple[str, str]] = (),
    tokens: int = PROMPT_TOKENS,
) -> Told:
    """Frame what fits of some records, the best first, at most `PROMPT_RECORDS`.

    `before` are blocks that come first, `after` more records by id, framed already.
    """
    page = Page(tokens, PROMPT_CHARACTERS)
    page.add(f"{INTRODUCTION}\ndegraded: {degraded}" if degraded else INTRODUCTION)
    empty = len(page.blocks)
    for text in before:
        page.add(text)
    shown: list[str] = []
    framed = [(record.id, block(record, now=now)) for record in records]
    for record_id, text in [*framed, *after]:
        if len(shown) == PROMPT_RECORDS:
            break
        if page.add(text) or (not shown and page.add_cut(text)):
            shown.append(record_id)
        else:
            break
    if len(page.blocks) == empty:
        return NOTHING
    text = str(page)
    return Told(text, injection_tokens(text), tuple(shown), degraded)
