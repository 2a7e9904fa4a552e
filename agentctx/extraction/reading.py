"""Take up what is new in a session's transcript, as questions, once (A6.2).

The place up to which a transcript was read and the questions about what lies before it
are kept in one transaction, so nothing is asked twice and nothing is lost. A file that
was written anew is read from its start. Turns belong to the project of their folder.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from agentctx.briefing.handover import says_something
from agentctx.clients.claude_transcript import identity, read_turns, size
from agentctx.extraction.planning import measured, questions
from agentctx.project import resolve_project
from agentctx.records.spans import NewSpan, add_spans
from agentctx.records.transcripts import heard, move_on
from agentctx.smallfile import is_folder
from corpus.sqlite import store_failures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from agentctx.clients.claude_transcript import Turn
    from agentctx.extraction.planning import Measured
    from agentctx.project import Project
    from agentctx.records.spans import Parts, Span
    from agentctx.records.store import Store
    from agentctx.records.transcripts import Heard
    from corpus.sqlite import Tx


class News(NamedTuple):
    """What a session said since it was last read: turns, where they end, tokens."""

    turns: list[Turn]
    measures: list[Measured]
    identity: str
    end: int

    @property
    def tokens(self) -> int:
        """Count the tokens of what is new."""
        return sum(one.tokens for one in self.measures)


def news(one: Heard) -> News:
    """Read what is new. The last turn is left while it may still go on.

    Raises `TranscriptError` where the file cannot be read.
    """
    known = identity(one.path)
    written_anew = known != one.identity or size(one.path) < one.place
    start = 0 if written_anew and one.identity else one.place
    turns = list(read_turns(one.path, start=start))
    if turns and one.ended_at is None and not _is_answered(turns[-1]):
        turns.pop()
    return News(
        turns=turns,
        measures=[measured(turn) for turn in turns],
        identity=known,
        end=turns[-1].end if turns else start,
    )


def take_up(
    store: Store,
    one: Heard,
    found: News,
    *,
    environ: Mapping[str, str],
    holds: Callable[[Tx], bool],
) -> int:
    """Keep the questions about what is new, and the place it ends; count them.

    Nothing is kept where another worker has taken over, or was here before.
    """
    spans = [
        NewSpan(ask.kind, ask.parts, ask.tokens, project.project_id, cwd)
        for cwd, project, measures in _by_project(one, found, environ)
        for ask in questions(measures)
    ]
    with store_failures(), store.writing() as tx:
        now = heard(tx, one.session_id)
        if not holds(tx) or now is None or now.place != one.place:
            return 0
        add_spans(store, tx, one.session_id, spans, now=store.clock())
        move_on(tx, one.session_id, place=found.end, identity=found.identity)
    return len(spans)


def turns_of(path: str, spans: Iterable[Span]) -> dict[str, list[Turn]]:
    """Read the turns of some spans again, in one pass; by the ids of the spans.

    Raises `TranscriptError` where the file cannot be read.
    """
    wanted = list(spans)
    found: dict[str, list[Turn]] = {span.id: [] for span in wanted}
    places = [place for span in wanted for place in span.parts]
    if not places:
        return found
    last = max(end for _, end in places)
    for turn in read_turns(path, start=min(start for start, _ in places)):
        if turn.start >= last:
            break
        for span in wanted:
            if _holds(span.parts, turn):
                found[span.id].append(turn)
    return found


def _holds(parts: Parts, turn: Turn) -> bool:
    return any(start <= turn.start < end for start, end in parts)


def _is_answered(turn: Turn) -> bool:
    return bool(turn.assistant.strip() or turn.tools) or not turn.developer.strip()


def _by_project(
    one: Heard, found: News, environ: Mapping[str, str]
) -> Iterator[tuple[str, Project, list[Measured]]]:
    """Cut the turns where the session went to another project.

    Where nobody says anything (`go on`, `thanks`) there is nothing to ask.
    """
    known: dict[str, Project] = {}
    group: list[Measured] = []
    says = False
    cwd = one.cwd
    for turn, measure in zip(found.turns, found.measures, strict=True):
        here = turn.cwd if turn.cwd and is_folder(Path(turn.cwd)) else cwd
        for folder in (here, cwd):
            if folder not in known:
                known[folder] = resolve_project(Path(folder), environ=environ)
        if group and known[here].project_id != known[cwd].project_id:
            if says:
                yield cwd, known[cwd], group
            group, says = [], False
        cwd = here
        if turn.developer.strip():
            group.append(measure)
            says |= says_something(turn.developer)
        elif group:  # what was done after the last words belongs to them
            last = group[-1]
            tokens = last.tokens + measure.tokens
            group[-1] = last._replace(end=measure.end, tokens=tokens)
    if says:
        yield cwd, known[cwd], group
