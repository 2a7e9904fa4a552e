"""Turns, quotes and candidates for tests of what is let into memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.memory.admission import Refused, admit
from agentctx.memory.model import Meaning, Source, ThreadId, Turn, TurnId
from agentctx.memory.window import ProposedCandidate, Window, raw_text

if TYPE_CHECKING:
    from agentctx.memory.model import Kind, Profile, Role


def turn(
    number: int,
    user: str,
    assistant: str = "Done.",
    *,
    paths: tuple[str, ...] = (),
    keys: tuple[str, ...] = (),
    profile: Profile = "ordinary",
) -> Turn:
    return Turn(
        id=TurnId(f"turn_{number}"),
        thread_id=ThreadId("thread_1"),
        sequence=number,
        profile=profile,
        intent="chat",
        session_id="s1",
        user_text=user,
        assistant_text=assistant,
        scope_paths=paths,
        evidence_keys=keys,
        state="completed",
        created_at="2026-11-30T04:00:00.000Z",
        updated_at="2026-11-30T04:00:00.000Z",
    )


def window(
    *turns: Turn, adjacent: Turn | None = None, evidence: tuple[Turn, ...] = ()
) -> Window:
    """Make a window that was sent whole."""
    before = () if adjacent is None else (adjacent,)
    roles: tuple[Role, ...] = ("user", "assistant")
    every = (*turns, *before, *evidence)
    sent = {(one.id, role): raw_text(one, role) for one in every for role in roles}
    return Window(turns, sent, adjacent, evidence)


def meaning(
    statement: str, *, kind: Kind = "user_preference", subject: str = ""
) -> Meaning:
    discussion = kind == "discussion_context"
    return Meaning(
        kind=kind,
        subject=subject or statement[:160],
        statement=statement,
        content=statement,
        strength="soft" if discussion else "hard",
        origin="explicit",
        recall_mode="on_match",
    )


def quoting(said: Meaning, *sources: tuple[int, Role, str]) -> ProposedCandidate:
    return ProposedCandidate(
        said,
        tuple(Source(TurnId(f"turn_{at}"), role, quote) for at, role, quote in sources),
    )


def verdict(candidate: ProposedCandidate, heard: Window) -> str:
    """Give the rule that a candidate breaks, `admitted` where it breaks none."""
    found = admit(candidate, heard)
    return found.rule.value if isinstance(found, Refused) else "admitted"


def said_alone(text: str, said: Meaning, quote: str = "") -> str:
    """Judge a meaning by one turn that says a text and is quoted."""
    return verdict(quoting(said, (1, "user", quote or text)), window(turn(1, text)))
