"""The changes that would make instructions say what the records say (A7.2)."""

from __future__ import annotations

import os.path
import re
from typing import TYPE_CHECKING

from agentctx.drift.changes import Change
from agentctx.drift.claims import claims_of
from agentctx.drift.differences import Verdict
from agentctx.drift.entries import (
    bullet_of,
    can_be_marked,
    can_take_lines,
    entry_text,
    marked_text,
)
from agentctx.drift.files import MAIN
from agentctx.drift.wording import (
    evidence_of,
    matched,
    sentences,
    weighed,
    words_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentctx.drift.compare import Passage
    from agentctx.drift.differences import Held
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
        self._numbers: dict[tuple[str, str], int] = {}  # of what is written, by text
        self._renewed: set[tuple[str, str]] = set()
        self._added = 0

    def changes(self) -> tuple[Change, ...]:
        """Give the changes in the order of their numbers."""
        return tuple(self._found)

    def renew(
        self, file: Instructions, line: int, old_id: str, head: Fact | None
    ) -> Verdict:
        """Write a line of ours anew; take it out without a head, and any copy of it."""
        if not file.writable:
            return Verdict(None, "outside")
        if head is None:
            return self._put(file, (line, line), (), ("", old_id), old_id)
        if not can_be_marked(head.id):
            return Verdict(None, "id")
        bare = entry_text(head.title, head.body)
        once, key = (head.id, file.family), (file.path, _folded(bare))
        if once in self._renewed or key in self._numbers:
            return self._put(file, (line, line), (), ("", old_id), head.id)
        raw = file.text.split("\n")[line - 1].rstrip("\r")
        new = f"{bullet_of(raw) or '- '}{marked_text(bare, head.id)}"
        done = self._put(file, (line, line), (new,), (head.id, old_id), old_id)
        if done.number is not None:
            self._renewed.add(once)
            self._numbers[key] = done.number
        return done

    def correct(
        self, passage: Passage, old: Fact, head: Fact, rarity: Rarity
    ) -> Verdict:
        """Put what holds now in the place of the sentence that no longer does.

        Held where that would not be one sentence of prose that says no more than what
        was superseded: whatever else stands there is the writer's.
        """
        statement, file = passage.statement, passage.file
        if not file.writable:
            return Verdict(None, "outside")
        if statement.kind not in {"item", "text"}:
            return Verdict(None, "shape")
        if not can_be_marked(head.id):
            return Verdict(None, "id")
        lines = file.text.split("\n")[statement.first - 1 : statement.last]
        bare = [line.rstrip("\r") for line in lines]
        if len(statement.text) > _LONGEST_STATEMENT or _has_more_than_text(bare):
            return Verdict(None, "more")
        text = entry_text(head.title, head.body)
        said = sentences(statement.text)
        stale = _stalest(said, old, head, rarity)
        if _says_more(stale, f"{old.title}\n{old.body}", text):
            return Verdict(None, "more")
        if len(said) <= 1:
            first = bare[0].removeprefix("\ufeff")
            mark = "\ufeff" * (first != bare[0])
            new: tuple[str, ...] = (
                f"{mark}{bullet_of(first)}{marked_text(text, head.id)}",
            )
        else:
            replaced = _replaced(bare, stale, text)
            if replaced is None:
                return Verdict(None, "more")
            new = replaced
        span = statement.first, statement.last
        done = self._put(file, span, new, (head.id, old.id), head.id)
        if done.number is not None:
            self._numbers.setdefault((file.path, _folded(text)), done.number)
        return done

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

    def add(self, fact: Fact, file: Instructions | None) -> Verdict:
        """Add a record to a file, or to the one that is to be made.

        What has the same words as another is added once, for both.
        """
        path = os.path.join(self._loaded.root, MAIN)  # noqa: PTH118 - any text
        path = path if file is None else file.path
        bare = entry_text(fact.title, fact.body)
        key = path, _folded(bare)
        if key in self._numbers:
            return Verdict(self._numbers[key], None)
        held = self._held(fact, file, path)
        if held is not None:
            return Verdict(None, held)
        self._added += 1
        text = marked_text(bare, fact.id)
        self._found.append(
            Change(
                number=len(self._found) + 1,
                kind="add",
                path=path,
                shown=MAIN if file is None else file.shown,
                first=0,
                last=0,
                lines=(f"- {text}",),
                record_id=fact.id,
                superseded_id=None,
            )
        )
        self._numbers[key] = len(self._found)
        return Verdict(len(self._found), None)

    def _held(self, fact: Fact, file: Instructions | None, path: str) -> Held | None:
        if not can_be_marked(fact.id):
            return "id"
        if file is None:
            if os.path.lexists(path):
                real = os.path.realpath(path)
                read = any(one.path == real for one in self._loaded.files)
                return "outside" if read else "unreadable"
        elif not file.writable:
            return "outside"
        elif not can_take_lines(file.outline):
            return "open"
        return "later" if self._added >= MOST_ADDED else None

    def _put(
        self,
        file: Instructions,
        span: tuple[int, int],
        lines: tuple[str, ...],
        ids: tuple[str, str],
        about: str,
    ) -> Verdict:
        wanted = {(file.path, line) for line in range(span[0], span[1] + 1)}
        if wanted & self._taken:
            return Verdict(None, "taken")
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
        return Verdict(len(self._found), None)


def _folded(text: str) -> str:
    """Give what two texts share that say the same in the same words."""
    return " ".join(text.casefold().split()).rstrip(".。!！")


def _stalest(said: Sequence[str], old: Fact, head: Fact, rarity: Rarity) -> str:
    """Give the sentence that says most of what is no longer so."""
    kept = old.title == head.title
    before = claims_of(old.title, old.body, kept_title=kept)
    changed = before.unlike(claims_of(head.title, head.body, kept_title=kept))
    wanted = weighed(changed, rarity)
    return max(said, key=lambda one: matched(wanted, evidence_of(one)).same)


def _has_more_than_text(lines: Sequence[str]) -> bool:
    """Say whether raw lines hold a comment, an import, a link or a tag."""
    first = lines[0].removeprefix("\ufeff")
    text = "\n".join((first.removeprefix(bullet_of(first)), *lines[1:]))
    return _MORE.search(text) is not None


def _says_more(sentence: str, *known: str) -> bool:
    """Say whether a sentence has a word with a meaning that no known text has."""
    terms = evidence_of("\n".join(known)).whole
    return any(
        word.weight * (1 - word.found_in(terms)) >= _MEANINGFUL
        for word in words_of(sentence)
    )


_MEANINGFUL = 1.0
_MORE = re.compile(r"<!--|-->|<[A-Za-z/!?]|://|[\[\]]|(?<!\S)@")


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
