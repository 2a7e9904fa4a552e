"""A review in a chat: turns about one finding at a time, and their outcomes (M2.5, M7).

A review turn is told what the project decided and prefers, and nothing else of any
talk. What a run came to is one text, both shown and kept.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from agentctx.chat.answering import Frame
from agentctx.chat.bench import Bench
from agentctx.chat.prompts import REVIEW, REVISE
from agentctx.chat.tools import Toolbox
from agentctx.chat.turning import Asked
from agentctx.errors import ModelReplyError
from agentctx.memory.reviewfile import review_items
from corpus.errors import UsageError
from corpus.jsoninput import read_json_anywhere

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from agentctx.chat.turning import Turns, Workbench
    from agentctx.memory.model import ReviewItem
    from agentctx.memory.outcome import Outcome
    from agentctx.memory.saying import Saying

AUDIT, EXPLAIN, REVISION = "code_audit", "patch_explain", "patch_revise"
_PURPOSE, _DRAFTING = "chat_review", "chat_revise"
_PLAIN_REVISION = "Make a draft for this finding."


class Reviewing:
    """The part of a chat that reviews; one review at a time."""

    def __init__(self, turns: Turns, workbench: Workbench) -> None:
        self._turns = turns
        self._desk = turns.desk
        self._workbench = workbench

    @property
    def goes_on(self) -> bool:
        """Say whether a message is about a finding."""
        return self._workbench.bench is not None

    def begin(self, path: str, run: str) -> None:
        """Begin a review of the findings in a file; it is a turn of its own (M2.6)."""

        def work(_: Saying) -> str:
            items = review_items(read_json_anywhere(path))
            self.end()
            review = self._desk.memory.review(self._desk.session, run, items)
            bench = Bench(review)
            if items:
                self._workbench.bench = bench
            else:
                self._desk.memory.end_review(self._desk.session)
            return self._said(bench.outcome())

        said = f"/review {shlex.quote(path)} {shlex.quote(run)}"
        if self._turns.run(Asked("review", AUDIT, said), work) is not None:
            self.show()

    def ask(self, text: str) -> None:
        """Answer what the user says of the finding at hand (M7.2)."""
        bench = self._bench()

        def work(saying: Saying) -> str:
            return spoken(self._answer(saying, bench, text, Toolbox(*self._about())))

        self._run(bench, EXPLAIN, text, work)

    def revise(self, text: str) -> None:
        """Have a draft made; what became of it is the answer (M2.7)."""
        bench, wish = self._bench(), text or _PLAIN_REVISION
        toolbox = Toolbox(*self._about(), drafts=True)

        def work(saying: Saying) -> str:
            self._answer(saying, bench, wish, toolbox, drafts=True)
            return self._said(bench.revise(toolbox.proposed))

        self._run(bench, REVISION, wish, work)

    def done(self, _: str) -> None:
        """Be done with the finding at hand; say how the run stands."""
        bench = self._bench()
        self._run(bench, AUDIT, "/done", lambda _: self._said(bench.finish()))

    def next(self, _: str) -> None:
        """Take the next finding in hand that is not done."""
        if self._bench().next() is None:
            self._desk.voice.lines("next", ["Every finding is done; /end ends this."])
        else:
            self.show()

    def item(self, item_id: str) -> None:
        """Take a finding in hand, or show the one that is."""
        bench = self._bench()
        if item_id:
            bench.take(item_id)
        self.show()

    def constrain(self, text: str) -> None:
        """Ask something of every draft for this file, while the review lasts (M5.4)."""
        bench = self._bench()
        made = bench.review.constrain(bench.item, text)
        self._desk.voice.lines(
            "constrain", [f"asked of every draft for {made.path} until /end"]
        )

    def draft(self, _: str) -> None:
        """Show the draft for the finding at hand."""
        bench = self._bench()
        found = bench.drafts.get(bench.item.item_id)
        shown = ["There is no draft; /revise has one made."]
        self._desk.voice.lines("draft", shown if found is None else found.splitlines())

    def stop(self, _: str) -> None:
        """End the review, as a person asks for it."""
        self._bench()
        self.end()
        self._desk.voice.lines("end", ["The review is over."])

    def end(self) -> None:
        """End what goes on, if anything does: items, drafts and constraints."""
        self._desk.memory.end_review(self._desk.session)
        self._workbench.bench = None

    def show(self) -> None:
        """Show the finding at hand, if there is one."""
        if self._workbench.bench is not None:
            self._desk.voice.lines("item", self._workbench.bench.lines())

    def _run(
        self, bench: Bench, intent: str, text: str, work: Callable[[Saying], str]
    ) -> None:
        item = bench.item
        asked = Asked("review", intent, text, (item.path,), (bench.key,))
        if self._turns.run(asked, work) is None:
            bench.failed.add(item.item_id)

    def _answer(
        self,
        saying: Saying,
        bench: Bench,
        text: str,
        toolbox: Toolbox,
        *,
        drafts: bool = False,
    ) -> str:
        constraints = [
            one for one in bench.review.constraints if one.path == bench.item.path
        ]
        frame = Frame(
            REVISE if drafts else REVIEW,
            _DRAFTING if drafts else _PURPOSE,
            text,
            bench.subject(constraints),
        )
        turn = saying.turn
        query = None if turn is None else bench.query(turn.thread_id, text)
        return self._turns.answer(saying, frame, toolbox, query, shown=not drafts)

    def _about(self) -> tuple[Path, ReviewItem]:
        return self._desk.root, self._bench().item

    def _said(self, outcome: Outcome) -> str:
        """Show the text that is kept (M2.5)."""
        self._desk.voice.words(outcome.text)
        return outcome.text

    def _bench(self) -> Bench:
        if self._workbench.bench is None:
            error = UsageError(problem="no review goes on")
            error.hint = "begin one with `/review FILE.json RUN`"
            raise error
        return self._workbench.bench


def spoken(text: str) -> str:
    """Give an answer, or raise `ModelReplyError` where it says nothing."""
    if not text.strip():
        raise ModelReplyError(reason="it holds no text")
    return text
