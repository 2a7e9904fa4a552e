"""The turns of a session in its project's memory, as hooks keep them (A4.3 to A4.5).

A turn stays in the memory it was begun in, wherever its session goes meanwhile. What
memory does wrong costs nothing else: it is noted, once a session for each cause.
"""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import timedelta

from agentctx.briefing.state import NO_TURN, read_state, state_path
from agentctx.config import read_config
from agentctx.memory.switch import memory_root, why_off
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentctx.hooks.here import Here
    from agentctx.memory.model import Turn
    from agentctx.memory.store import MemoryStore
    from agentctx.records.store import Store

RENEWED_EVERY = 300.0
"""Seconds after which the lease of a session's turn is renewed; sooner where the lease
is short (H4)."""

SHORTEST = 15.0
"""Seconds within which nothing is looked at."""

FAILURES = frozenset(
    (
        "rate_limit", "authentication_failed", "oauth_org_not_allowed",
        "billing_error", "invalid_request", "model_not_found", "server_error",
        "max_output_tokens", "unknown",
    )
)  # fmt: skip
"""What the client says of a turn that failed."""

READ = 4 * 1024 * 1024
"""Bytes at the end of a transcript in which an answer is looked for."""

COMPARED = 200
"""Characters by which a prompt is known again."""

_SEEN = 8_000
"""Characters in which those are looked for."""

LONG = 256 * 1024
"""Characters of which a session waits no longer to have the secrets taken out."""


def lease_of(here: Here) -> timedelta:
    """Say how long a turn stays open without a sign of its session."""
    minutes = read_config(here.home).number("turnLeaseMinutes")
    return timedelta(minutes=minutes)


def session_of(here: Here) -> str | None:
    """Give the session whose turns are kept; a sub-agent's are not."""
    session_id = here.session_id
    if session_id is None or not session_id.strip() or here.in_subagent:
        return None
    return session_id


def memory_on(here: Here) -> str | None:
    """Give the root of the project here where it has a memory that is on."""
    root = memory_root(here.project)
    off = why_off(root, home=here.home, environ=here.environ)
    return root if off is None else None


def memory_of_turn(here: Here) -> str | None:
    """Give the root whose memory has the session's turn; None where none can."""
    root = read_state(here.home, here.session_id).root or memory_root(here.project)
    return root if _is_kept(here, root) else None


def complete(here: Here) -> None:
    """Keep the answer that the user saw, the last of the turn (M2.0(b)).

    A long one is kept by a process of its own: that takes its time.
    """
    answer = here.text("last_assistant_message")

    def act(memory: MemoryStore, asked: _Asked) -> Turn | None:
        from agentctx.memory import hosted  # noqa: PLC0415 - where a turn is

        text = answer if answer.strip() else _last_shown(here, memory, asked)
        if not text.strip():
            return hosted.give_up(memory, asked.session_id)
        return hosted.complete(memory, asked.session_id, text, turn_id=asked.turn_id)

    shown = len(answer) if answer.strip() else _size(here.text("transcript_path"))
    _end(here, act, apart=shown > LONG)


def fail(here: Here) -> None:
    """Say that the turn failed, by the kind of failure that the client names."""
    named = (here.text(name) for name in ("error_type", "error"))
    code = next((one for one in named if one in FAILURES), "unknown")

    def act(memory: MemoryStore, asked: _Asked) -> Turn | None:
        from agentctx.memory import hosted  # noqa: PLC0415 - where a turn is

        return hosted.fail(memory, asked.session_id, code, turn_id=asked.turn_id)

    _end(here, act)


def leave(here: Here) -> None:
    """End the session: an open turn was given up, and its review is over (H3)."""

    def act(memory: MemoryStore, asked: _Asked) -> Turn | None:
        from agentctx.memory import hosted  # noqa: PLC0415 - where a turn is

        return hosted.leave(memory, asked.session_id)

    _end(here, act, always=True)


def give_up(here: Here, root: str, session_id: str) -> None:
    """End the turn that a session left open in another project's memory."""

    def act(memory: MemoryStore) -> None:
        from agentctx.memory import hosted  # noqa: PLC0415 - where a turn is

        hosted.give_up(memory, session_id)

    if _is_kept(here, root):
        here.remember(root, act)
        look(here, root)


def look(here: Here, root: str) -> None:
    """Note a memory for the worker where something waits there now, and wake it."""
    waits = False

    def see(memory: MemoryStore) -> None:
        from agentctx.memory import hosted  # noqa: PLC0415 - where a turn is

        nonlocal waits
        with memory.looking() as db:
            waits = hosted.waits(db, now=here.clock())

    here.remember(root, see)
    here.keep_if(lambda: waits, lambda store: _note(here, store, root))


def look_here(here: Here) -> None:
    """Look at the memory of the project here, where there is one already."""
    root = memory_on(here)
    if root is not None and _is_kept(here, root):
        look(here, root)


def keep_alive(here: Here) -> None:
    """Hold the open turn of the session longer, once in a while (H4).

    The session's own file tells when that was last done; mostly that is all it costs.
    """
    if here.session_id is None:
        return
    path, now = state_path(here.home, here.session_id), here.clock().timestamp()
    try:
        age = now - os.stat(path).st_mtime  # noqa: PTH116 - text
    except OSError:
        return
    if 0 <= age < SHORTEST:
        return
    lease = lease_of(here)
    if 0 <= age < min(RENEWED_EVERY, lease.total_seconds() / 4):
        return
    root, session_id = read_state(here.home, here.session_id).root, here.session_id

    def act(memory: MemoryStore) -> None:
        from agentctx.memory.turns import open_turns, renew_session  # noqa: PLC0415

        with memory.looking() as db:
            is_open = bool(open_turns(db, session_id))
        if is_open:
            with memory.writing() as writing:
                renew_session(writing, session_id, lease=lease)

    if root and _is_kept(here, root):
        here.remember(root, act)
    with suppress(OSError):  # somebody has just taken it away
        os.utime(path, (now, now))


class _Asked(NamedTuple):
    """Whose turn is to end, and which; the latest where that is not known."""

    session_id: str
    turn_id: str


def _end(
    here: Here,
    act: Callable[[MemoryStore, _Asked], Turn | None],
    *,
    apart: bool = False,
    always: bool = False,
) -> None:
    """Have the turn of the last prompt ended, and no other.

    A client says twice that a turn has ended where another hook made it go on: what
    has ended already stays as it is. Where the prompt was not kept there is nothing to
    end, but `always` has it looked for.
    """
    session_id = session_of(here)
    root = None if session_id is None else memory_of_turn(here)
    turn_id = read_state(here.home, session_id).turn
    if session_id is None or root is None or (turn_id == NO_TURN and not always):
        return
    asked = _Asked(session_id, turn_id)

    def end(memory: MemoryStore) -> None:
        from agentctx.memory.refusals import TurnEndedError  # noqa: PLC0415 - as above

        try:
            act(memory, asked)
        except TurnEndedError:
            return

    here.remember(root, end, apart=apart)
    look(here, root)


def _note(here: Here, store: Store, root: str) -> None:
    from agentctx.records.memories import note_memory  # noqa: PLC0415 - where one waits

    asks = here.asks()
    with store.writing() as tx:
        note_memory(tx, root, asks=asks, now=here.clock())
    if asks:
        here.wake_if_wanted(store)


def _is_kept(here: Here, root: str) -> bool:
    """Say whether a project has a memory that is on; none is made."""
    from agentctx.memory.verdict import memory_path  # noqa: PLC0415 - where a turn is

    if why_off(root, home=here.home, environ=here.environ) is not None:
        return False
    return os.path.lexists(memory_path(root))


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size  # noqa: PTH116 - text
    except (OSError, ValueError):
        return 0


def _last_shown(here: Here, memory: MemoryStore, asked: _Asked) -> str:
    """Give what the transcript shows of the answer, where it has come that far."""
    from agentctx.clients.claude_transcript import read_last_turns  # noqa: PLC0415
    from agentctx.errors import TranscriptError  # noqa: PLC0415 - seldom needed
    from agentctx.memory.hosted import turn_for  # noqa: PLC0415 - seldom needed
    from agentctx.memory.rawtext import raw  # noqa: PLC0415 - seldom needed

    source = here.transcript()
    turn = turn_for(memory, asked.session_id, asked.turn_id)
    if source is None or turn is None:
        return ""
    try:
        turns = read_last_turns(source.path, limit_bytes=READ)
    except TranscriptError as error:
        here.fails(error.code)
        return ""
    said = turn.user_text[:_SEEN].split()
    last = turns[-1] if turns else None
    if last is None or _begins(raw(last.developer[:_SEEN]).split()) != _begins(said):
        return ""  # the client writes it later
    return last.assistant


def _begins(words: list[str]) -> str:
    return " ".join(words)[:COMPARED]
