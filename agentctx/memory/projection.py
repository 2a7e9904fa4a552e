"""Recent history and the checkpoint, as much of them as a budget holds (M2.0, M2.1).

Both are given to a model as what was said, never as instructions of the system, and
neither is ever stored again (C9).
"""

from __future__ import annotations

from agentctx.memory.clipping import clipped
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentctx.memory.clipping import Tokens
    from agentctx.memory.model import RecallPolicy, Turn, TurnId

A_MESSAGE = 6
"""Tokens that a message costs besides its text."""

CUT = "\n[…cut to fit]"
"""What ends a text that was cut."""


class Exchange(NamedTuple):
    """What a user said and what they were answered, as a prompt repeats it."""

    turn_id: TurnId
    user: str
    assistant: str


def history(
    newest_first: Iterable[Turn], policy: RecallPolicy, budget: int, tokens: Tokens
) -> tuple[Exchange, ...]:
    """Give the latest whole exchanges that fit, in the order they were said.

    Only completed ordinary turns of the policy's thread, and none for a review. The
    latest is cut, both its texts in proportion, where it does not fit alone. Turns are
    read only until the budget is used up.
    """
    found: list[Exchange] = []
    if not policy.allow_recent_history:
        return ()
    left = budget
    for turn in newest_first:
        if not _counts(turn, policy):
            continue
        one = Exchange(turn.id, turn.user_text, turn.assistant_text)
        cost = _cost(one, tokens)
        if cost <= left:
            found.append(one)
            left -= cost
            continue
        if not found:
            found.extend(_cut(one, left, tokens))
        break
    return tuple(reversed(found))


def checkpoint(text: str, policy: RecallPolicy, budget: int, tokens: Tokens) -> str:
    """Give the checkpoint of the thread, cut to its budget with a mark."""
    if not policy.allow_thread_checkpoint:
        return ""
    return clipped(text, max(0, budget), tokens, mark=CUT)


def _counts(turn: Turn, policy: RecallPolicy) -> bool:
    return (
        turn.thread_id == policy.thread_id
        and turn.state == "completed"
        and turn.profile == "ordinary"
    )


def _cost(one: Exchange, tokens: Tokens) -> int:
    return tokens(one.user) + tokens(one.assistant) + 2 * A_MESSAGE


def _cut(one: Exchange, left: int, tokens: Tokens) -> tuple[Exchange, ...]:
    """Cut an exchange in proportion; none where not even two marks fit."""
    room = left - 2 * A_MESSAGE
    if room < 2 * tokens(CUT):
        return ()
    user, assistant = tokens(one.user), tokens(one.assistant)
    share = room * user // (user + assistant)
    share = min(max(share, min(user, tokens(CUT))), room - min(assistant, tokens(CUT)))
    said = clipped(one.user, share, tokens, mark=CUT)
    answered = clipped(one.assistant, room - share, tokens, mark=CUT)
    return (one._replace(user=said, assistant=answered),)
