"""The changes that would make instructions say what the records say (A7.2)."""

from __future__ import annotations

import os.path
import re
from typing import TYPE_CHECKING

from agentctx.drift.changes import Change
from agentctx.drift.claims import claims_of
from agentctx.drift.entries import (
    bullet_of,
    can_be_marked,
    entry_text,
    marked_text,
)
from agentctx.drift.files import MAIN
from agentctx.drift.wording import evidence_of, matched, sentences, weighed

if TYPE_CHECKING:
    from agentctx.drift.compare import Passage
    from agentctx.drift.facts import Fact
    from agentctx.drift.files import Instructions, Loaded
    from agentctx.drift.wording import Rarity

MOST_ADDED = 20
"""More rules at once nobody reads; the next run proposes the next ones."""

_LONGEST_STATEMENT = 20_000
_INNER = f".claude/{MAIN}"


class Proposal:
    """Gathers changes that do not overlap; a second one of the same lines is none."""

    def __init__(self, loaded: Loaded) -> None:
        self._loaded = loaded
        self._found: list[Change] = []
        self._taken: set[tuple[str, int]] = set()
        self._added = 0

    def changes(self) -> tuple[Change, ...]:
        """Give the changes in the order of their numbers."""
        return tuple(self._found)

    def renew(
        self, file: Instructions, line: int, old_id: str, head: Fact | None
    ) -> int | None:
        """Write a line of ours anew; without a head, take it out."""
        if not file.writable or (head is not None and not can_be_marked(head.id)):
            return None
        if head is None:
            return self._put(file, (line, line), (), ("", old_id), old_id)
        raw = file.text.split("\n")[line - 1].rstrip("\r")
        text = marked_text(entry_text(head.title, head.body), head.id)
        new = f"{bullet_of(raw) or '- '}{text}"
        return self._put(file, (line, line), (new,), (head.id, old_id), old_id)

    def correct(
        self, passage: Passage, old: Fact, head: Fact, rarity: Rarity
    ) -> int | None:
        """Put what holds now in the place of the sentence that no longer does.

        None where that would not be one sentence of prose: a heading, a row, code.
        """
        statement, file = passage.statement, passage.file
        if statement.kind not in {"item", "text"} or not can_be_marked(head.id):
            return None
        if len(statement.text) > _LONGEST_STATEMENT:
            return None
        lines = file.text.split("\n")[statement.first - 1 : statement.last]
        bare = [line.rstrip("\r") for line in lines]
        text = entry_text(head.title, head.body)
        said = sentences(statement.text)
        if len(said) <= 1:
            first = bare[0].removeprefix("\ufeff")
            mark = "\ufeff" * (first != bare[0])
            new: tuple[str, ...] = (
                f"{mark}{bullet_of(first)}{marked_text(text, head.id)}",
            )
        else:
            kept = old.title == head.title
            before = claims_of(old.title, old.body, kept_title=kept)
            changed = before.unlike(claims_of(head.title, head.body, kept_title=kept))
            wanted = weighed(changed, rarity)
            stale = max(said, key=lambda one: matched(wanted, evidence_of(one)).same)
            replaced = _replaced(bare, stale, text)
            if replaced is None:
                return None
            new = replaced
        span = statement.first, statement.last
        return self._put(file, span, new, (head.id, old.id), head.id)

    def place_for(self, fact: Fact, target: str) -> Instructions | None:
        """Give the file that should state a record, None where it is not there yet."""
        for file in self._loaded.files:
            if fact.everywhere:
                if file.owner == "user" and file.shown.endswith(f"/{MAIN}"):
                    return file
            elif file.owner == "project" and file.shown == target:
                return file
        if fact.everywhere:
            return next(one for one in self._loaded.files if one.owner == "user")
        return next((one for one in self._loaded.files if one.shown == _INNER), None)

    def add(self, fact: Fact, file: Instructions | None) -> int | None:
        """Add a record to a file, or to the one that is to be made."""
        if self._added >= MOST_ADDED or not can_be_marked(fact.id):
            return None
        if file is not None and not file.writable:
            return None
        path = os.path.join(self._loaded.root, MAIN)  # noqa: PTH118 - any text
        if file is None and os.path.lexists(path):  # it is there and cannot be read
            return None
        self._added += 1
        text = marked_text(entry_text(fact.title, fact.body), fact.id)
        self._found.append(
            Change(
                number=len(self._found) + 1,
                kind="add",
                path=path if file is None else file.path,
                shown=MAIN if file is None else file.shown,
                first=0,
                last=0,
                lines=(f"- {text}",),
                record_id=fact.id,
                superseded_id=None,
            )
        )
        return len(self._found)

    def _put(
        self,
        file: Instructions,
        span: tuple[int, int],
        lines: tuple[str, ...],
        ids: tuple[str, str],
        about: str,
    ) -> int | None:
        wanted = {(file.path, line) for line in range(span[0], span[1] + 1)}
        if wanted & self._taken:
            return None
        self._taken |= wanted
        self._found.append(
            Change(
                number=len(self._found) + 1,
                kind="replace" if lines else "remove",
                path=file.path,
                shown=file.shown,
                first=span[0],
                last=span[1],
                lines=lines,
                record_id=ids[0] or about,
                superseded_id=ids[1],
            )
        )
        return len(self._found)


def _replaced(lines: list[str], sentence: str, text: str) -> tuple[str, ...] | None:
    """Put a text in the place of a sentence that may go on over several lines."""
    words = [re.escape(word) for word in sentence.split()]
    pattern = re.compile(r"[\s>]+".join(words))
    whole = "\n".join(lines)
    found = pattern.search(whole)
    if found is None:
        return None
    end = "" if text.endswith((".", "。", "!", "！", "…")) else "."
    new = f"{whole[: found.start()]}{text}{end}{whole[found.end() :]}"
    return tuple(new.split("\n"))
