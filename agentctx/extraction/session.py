"""Bring one session's records up to date with what was said in it (A6.2, A6.3, A6.7).

What is new is taken up as questions; those that are due are asked and their answers
stored; what was answered and not stored, by a process that died, is stored now. Where
no model can be asked the questions wait for one, and a handover is made by rule.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from agentctx.branches import standing_at
from agentctx.briefing.handover import Author, keep_handover, snapshot
from agentctx.clients.claude_transcript import read_last_turns
from agentctx.clock import moment_of, parse_moment, stamp
from agentctx.errors import (
    BadTimeError,
    ForgottenError,
    ReplyShapeError,
    TranscriptError,
)
from agentctx.extraction.asking import FIRST_PAUSE, MOST_ATTEMPTS, Question
from agentctx.extraction.ingest import Session, Told, ingest
from agentctx.extraction.prompts import extraction_ask, synthesis_ask
from agentctx.extraction.reading import news, take_up, turns_of
from agentctx.extraction.reply import read_reply
from agentctx.memory.switch import memory_root, why_off
from agentctx.project import resolve_project
from agentctx.records.memories import NO_MODEL
from agentctx.records.namespaces import known_places
from agentctx.records.search import Filters, search_records
from agentctx.records.spans import (
    CHUNK,
    DUE,
    LEFT_OUT,
    REPLIED,
    ask_again,
    finish,
    give_up,
    leave_out,
    spans_of,
    yields_of,
)
from agentctx.records.staged import staging_of
from agentctx.records.transcripts import is_put_off, put_off, settle
from corpus.sqlite import store_failures

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from agentctx.branches import Standing
    from agentctx.clients.claude_transcript import Turn
    from agentctx.extraction.asking import Asker
    from agentctx.project import Project
    from agentctx.records.model import Record
    from agentctx.records.spans import Span
    from agentctx.records.store import Store
    from agentctx.records.transcripts import Heard
    from corpus.sqlite import Tx

LAST_BYTES = 8 * 1024 * 1024
"""Bytes at the end of a transcript that a handover by rule looks at."""

MOST_SHOWN, SHOWN_A_TURN, TURNS_SEARCHED = 8, 3, 16
"""Records that a question shows, for a turn of the developer, and turns looked at."""

_SHOWN_TYPES = frozenset({"decision", "convention", "preference", "discovery"})


class Done(NamedTuple):
    """What was done for a session; `problem` is why something is left, as a code."""

    records: int
    problem: str | None = None


class Extraction:
    """Works for one session at a time; `asker` None is the rung without a model."""

    def __init__(
        self,
        store: Store,
        asker: Asker | None,
        *,
        environ: Mapping[str, str],
        threshold: int,
        holds: Callable[[Tx], bool],
    ) -> None:
        self.store = store
        self.asker = asker
        self.environ = environ
        self.threshold = threshold
        self.holds = holds
        self._hurry = False

    def update(self, one: Heard, *, hurry: bool = False) -> Done:
        """Do what is to be done for a session now, and note what is left.

        `hurry` asks again at once what was put off. A session that ended before it
        said anything has no transcript, and is no failure.
        """
        self._hurry = hurry
        try:
            found = news(one)
            take_up(self.store, one, found, environ=self.environ, holds=self.holds)
            made, problem = self._answered(one)
        except TranscriptError as error:
            silent = not one.spoke and not os.path.lexists(one.path)
            made, problem = 0, None if silent else error.code
        if one.ended_at is not None and not self._was_answered(one):
            made += self._handover_by_rule(one)
        self._settle(one, problem)
        return Done(made, problem)

    def _answered(self, one: Heard) -> tuple[int, str | None]:
        """Ask what is due, then store every answer there is."""
        store = self.store
        spans = spans_of(store.db, one.session_id)
        due = [span for span in spans if self._is_due(span)]
        tried = {span.id for span in spans if span.state == REPLIED or span in due}
        problem: str | None = None
        asker = self.asker if one.asks else None
        if due and asker is None:
            with store_failures(), store.writing() as tx:
                leave_out(tx, [span.id for span in due], NO_MODEL)
        elif due:
            assert asker is not None
            asker.problem = None
            turns = turns_of(one.path, due)
            asked = {span.id: self._question(span, turns[span.id]) for span in due}
            asker.ask_spans(one.session_id, asked, due)
            problem = asker.problem
        made = self._stored(one)
        return made, problem or self._trouble(one, tried)

    def _trouble(self, one: Heard, tried: Collection[str]) -> str | None:
        """Say what went wrong with one of the spans that were tried, as a code."""
        for span in spans_of(self.store.db, one.session_id):
            if span.id in tried and span.kind != LEFT_OUT and span.problem:
                return span.problem
        return None

    def _is_due(self, span: Span) -> bool:
        asked = span.state == DUE and span.kind != LEFT_OUT
        put_off_now = is_put_off(span.due_at, now=self.store.clock())
        return asked and (self._hurry or not put_off_now)

    def _was_answered(self, one: Heard) -> bool:
        """Say whether a model told where the work stands: its word counts."""
        outcomes = yields_of(self.store.db, one.session_id)
        return any(outcome.startswith("handover") for outcome in outcomes)

    def _question(self, span: Span, turns: Sequence[Turn]) -> Question:
        said_on = turns[-1].branch if turns else None
        nearest = self._nearest(span.project_id, turns, said_on)
        shown = tuple(record.id for record in nearest)
        project = resolve_project(Path(span.cwd), environ=self.environ)
        ask = extraction_ask(turns, nearest, remembers=self._remembers(project))
        return Question(ask, shown)

    def _remembers(self, project: Project) -> bool:
        """Say whether conversation memory is on in a project."""
        root, home = memory_root(project), self.store.home
        return why_off(root, home=home, environ=self.environ) is None

    def _nearest(
        self, project_id: str, turns: Sequence[Turn], branch: str | None
    ) -> list[Record]:
        """Find the current records nearest to what the developer said on a branch."""
        staging = staging_of(self.store.db, project_id, branch)
        filters = Filters(staging=() if staging is None else (staging,))
        found: dict[str, Record] = {}
        for turn in turns[-TURNS_SEARCHED:]:
            if not turn.developer.strip():
                continue
            answer = search_records(
                self.store,
                project_id,
                turn.developer,
                filters=filters,
                limit=SHOWN_A_TURN,
                floor="prompt",
            )
            for one in answer.results:
                if one.record.type in _SHOWN_TYPES:
                    found.setdefault(one.record.id, one.record)
        return list(found.values())[:MOST_SHOWN]

    def _stored(self, one: Heard) -> int:
        """Store the answers; several parts of one stretch are merged first."""
        spans = spans_of(self.store.db, one.session_id)
        replied = [span for span in spans if span.state == REPLIED]
        if not replied:
            return 0
        turns = turns_of(one.path, replied)
        made = 0
        for span in (span for span in replied if span.kind != CHUNK):
            made += self._ingest(one, [span], turns, _value(span))
        for project_id in dict.fromkeys(span.project_id for span in replied):
            parts = [
                span
                for span in replied
                if span.kind == CHUNK and span.project_id == project_id
            ]
            if len(parts) > 1:
                merged = self._merged(one, parts)
                if merged is not None:
                    made += self._ingest(one, parts, turns, merged)
                    continue
            for span in parts:
                made += self._ingest(one, [span], turns, _value(span))
        return made

    def _merged(self, one: Heard, parts: Sequence[Span]) -> object | None:
        """Let the model merge the answers; None where it cannot: they stay apart."""
        if self.asker is None:
            return None
        ask = synthesis_ask(span.reply or "{}" for span in parts)
        value = self.asker.ask_once(one.session_id, ask)
        return value if isinstance(value, dict) else None

    def _ingest(
        self,
        one: Heard,
        spans: Sequence[Span],
        turns: Mapping[str, Sequence[Turn]],
        value: object,
    ) -> int:
        """Store one answer, and note that its spans are done."""
        store, first = self.store, spans[0]
        told_turns = [turn for span in spans for turn in turns[span.id]]
        try:
            findings = read_reply(value)
        except ReplyShapeError as error:
            self._misshapen(spans, error.code)
            return 0
        project = resolve_project(Path(first.cwd), environ=self.environ)
        session = Session(
            one.session_id,
            first.project_id,
            project.worktree or "",
            self.threshold,
            last_said(told_turns, now=self.store.clock()),
            self._remembers(project),
            self._standings(first, told_turns),
        )
        shown = {record_id for span in spans for record_id in span.shown}
        made = ingest(store, session, findings, Told(told_turns, shown))
        with store_failures(), store.writing() as tx:
            finish(tx, [span.id for span in spans])
        return made

    def _standings(
        self, span: Span, turns: Iterable[Turn]
    ) -> dict[str | None, Standing]:
        """Say for each branch that was spoken on where what was said is staged.

        A working tree that is gone by now was one of the project's.
        """
        folder = span.cwd
        if not os.path.isdir(folder):  # noqa: PTH112 - any text
            folder = known_places(self.store.db).get(span.project_id, folder)
        return {
            branch: standing_at(
                folder,
                home=self.store.home,
                environ=self.environ,
                branch=branch or None,
            )
            for branch in dict.fromkeys(turn.branch for turn in turns)
        }

    def _misshapen(self, spans: Iterable[Span], code: str) -> None:
        """Ask again about what was answered with no answer, a few times in all."""
        now = self.store.clock()
        with store_failures(), self.store.writing() as tx:
            for span in spans:
                if span.attempts + 1 < MOST_ATTEMPTS:
                    pause = FIRST_PAUSE * span.attempts  # the first time, at once
                    ask_again(tx, span, code, until=now + pause)
                else:
                    give_up(tx, span.id, code)

    def _handover_by_rule(self, one: Heard) -> int:
        """Make a handover from the session's end, unless there is a richer one."""
        project = resolve_project(Path(one.cwd), environ=self.environ)
        try:
            turns = read_last_turns(one.path, limit_bytes=LAST_BYTES)
        except TranscriptError:
            return 0
        made = snapshot(self.store.db, one.session_id, turns)
        author = Author(one.session_id, one.project_id, project.worktree or "")
        try:
            return int(keep_handover(self.store, author, made) is not None)
        except ForgottenError:  # a person deleted this one
            return 0

    def _settle(self, one: Heard, problem: str | None) -> None:
        """Note that the session is done, or when to come back to it."""
        store = self.store
        later = [
            (span.due_at, span.problem or "LATER")
            for span in spans_of(store.db, one.session_id)
            if span.state == DUE and span.kind != LEFT_OUT
        ]
        with store_failures(), store.writing() as tx:
            if problem == TranscriptError.code:  # what is not there is never asked
                for span in spans_of(tx, one.session_id):
                    if span.state == DUE and span.kind != LEFT_OUT:
                        give_up(tx, span.id, problem)
                settle(tx, one, problem=problem)
            elif later:
                due_at, why = min(later)
                until = moment_of(due_at)
                put_off(tx, one.session_id, until=until, problem=problem or why)
            else:
                settle(tx, one, problem=problem)


def last_said(turns: Iterable[Turn], *, now: datetime) -> str | None:
    """Give when the last of some turns was spoken, as a stamp; None where unknown.

    What was said in the future was said by a clock that is wrong.
    """
    said: list[str] = []
    for turn in turns:
        with suppress(BadTimeError):
            said.append(parse_moment(turn.at or "", field="timestamp"))
    latest = max(said, default=None)
    return None if latest is None or latest > stamp(now) else latest


def _value(span: Span) -> object:
    found: object = json.loads(span.reply or "null")
    return found
