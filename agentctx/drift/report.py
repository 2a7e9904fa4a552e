"""Compare a project's records with the instructions that its clients load (A7.1).

Nothing here writes a file. What a person may confirm are the changes of the report.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from agentctx.drift.changes import Change, unified_diff
from agentctx.drift.claims import LONGEST_SENTENCE, claims_of
from agentctx.drift.compare import Stated
from agentctx.drift.deleted import deleted_ids, says_what_was_deleted, unknown_ids
from agentctx.drift.differences import Contradicted, Missing, Verdict
from agentctx.drift.entries import marked_lines
from agentctx.drift.facts import Facts, read_facts
from agentctx.drift.files import AGENTS, MAIN, Finding, load_instructions
from agentctx.drift.proposal import Proposal
from agentctx.drift.wording import first_sentence
from agentctx.records.card import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from agentctx.drift.claims import Claims
    from agentctx.drift.compare import Passage
    from agentctx.drift.differences import Held
    from agentctx.drift.entries import Marked
    from agentctx.drift.facts import Fact
    from agentctx.drift.files import Instructions, Loaded
    from agentctx.project import Project
    from agentctx.records.store import Store

MOST_FINDINGS = 100
_SHARED = 2
"""Terms that a record and the files have to share before they are compared."""


class Report(NamedTuple):
    """What was compared, what differs, and the changes that would mend it.

    `deleted` counts the lines of ours whose records were deleted here.
    """

    loaded: Loaded
    missing: tuple[Missing, ...]
    contradicted: tuple[Contradicted, ...]
    changes: tuple[Change, ...]
    findings: tuple[Finding, ...]
    scores: Mapping[str, float]
    deleted: int = 0

    @property
    def candidates(self) -> int:
        """How many places differ from a record."""
        return len(self.missing) + len(self.contradicted)

    @property
    def differs(self) -> bool:
        """Whether anything is to be mended, lines of deleted records among it."""
        return bool(self.candidates or self.deleted)

    @property
    def proposed_diff(self) -> str:
        """The diff of all changes of the project's own files."""
        return self.diff(one for one in self.changes if self._is_inside(one))

    @property
    def own_diff(self) -> str:
        """The diff of all changes of the user's own files."""
        return self.diff(one for one in self.changes if not self._is_inside(one))

    def diff(self, changes: Iterator[Change] | Sequence[Change]) -> str:
        """Give the unified diff of some changes, file by file."""
        by_path: dict[str, list[Change]] = {}
        for change in changes:
            by_path.setdefault(change.path, []).append(change)
        return "".join(
            unified_diff(self.text_of(path), some, name=self._name(path))
            for path, some in by_path.items()
        )

    def text_of(self, path: str) -> str | None:
        """Give the text that a file had, None where there was no file."""
        return next((one.text for one in self.loaded.files if one.path == path), None)

    def _is_inside(self, change: Change) -> bool:
        return change.path.startswith(f"{self.loaded.root.rstrip('/')}/")

    def _name(self, path: str) -> str:
        root = f"{self.loaded.root.rstrip('/')}/"
        return path.removeprefix(root)


def scan(
    store: Store | None,
    project: Project,
    environ: Mapping[str, str],
    *,
    directory: Path | None = None,
) -> Report:
    """Read every file of instructions and compare it; reads, and never raises for one.

    Without a store there is nothing to compare with, and the findings stand alone.
    """
    loaded = load_instructions(project.root, environ, directory=directory)
    if store is None:
        return Report(loaded, (), (), (), loaded.findings[:MOST_FINDINGS], {})
    facts = read_facts(store, project.project_id)
    scan = _Scan(loaded, facts)
    scan.compare_unknown(store, project.project_id)
    return scan.report()


class _Scan:
    """One comparison: the files on one side, the records on the other."""

    def __init__(self, loaded: Loaded, facts: Facts) -> None:
        self.loaded = loaded
        self.facts = facts
        self.stated = Stated(loaded.files)
        self.proposal = Proposal(loaded)
        self.findings = list(loaded.findings)
        if self.stated.left is not None:
            detail = "what follows was not compared: there is too much before it"
            file, statement = self.stated.left
            finding = Finding("too-many", file.shown, statement.first, detail)
            self.findings.append(finding)
        self.contradicted: list[Contradicted] = []
        self.missing: list[Missing] = []
        self.scores: dict[str, float] = {}
        self.deleted = 0
        self._claims: dict[str, Claims] = {}
        self._vocabulary: frozenset[str] = frozenset(self.stated.vocabulary)
        self._marked: dict[str, list[tuple[Instructions, Marked]]] = {}
        for file in loaded.files:
            for mark in marked_lines(file):
                self._marked.setdefault(mark.record_id, []).append((file, mark))

    def report(self) -> Report:
        self._compare_marked()
        self._compare_superseded()
        self._compare_current()
        return Report(
            self.loaded,
            tuple(self.missing),
            tuple(self.contradicted),
            self.proposal.changes(),
            tuple(self.findings[:MOST_FINDINGS]),
            self.scores,
            self.deleted,
        )

    def compare_unknown(self, store: Store, project_id: str) -> None:
        """Look at the lines of ours whose records the store does not have."""
        unknown = unknown_ids(store, [*self._marked])
        deleted = deleted_ids(store, unknown) if unknown else unknown
        left = sorted(unknown - deleted)
        texts = dict.fromkeys(
            mark.text for one in left for _, mark in self._marked[one]
        )
        said = {
            text
            for text in islice(texts, _MOST_JUDGED)
            if says_what_was_deleted(store, project_id, text)
        }
        others: dict[str, list[Marked]] = {}
        for record_id in sorted(unknown):
            for file, mark in self._marked[record_id]:
                if record_id in deleted:
                    self._deleted(file, mark)
                elif mark.text in said:
                    detail = "a line of ours says what was deleted here"
                    self._note_deleted(file, mark, detail)
                else:
                    others.setdefault(file.shown, []).append(mark)
        for shown, marks in others.items():
            places = sorted(one.line for one in marks)
            named = ", ".join(map(str, places[:_MOST_NAMED]))
            more = ", …" if len(places) > _MOST_NAMED else ""
            detail = (
                "no record of this store: a colleague's, or deleted"
                f" (marks in lines {named}{more})"
            )
            self.findings.append(Finding("unknown-record", shown, places[0], detail))

    def _deleted(self, file: Instructions, mark: Marked) -> None:
        """Tell of a line whose record was deleted, and take it out as we wrote it."""
        detail = f"the record of this line, {mark.record_id}, was deleted here"
        self._note_deleted(file, mark, detail)
        if mark.intact:
            self.proposal.renew(file, mark.line, mark.record_id, None)

    def _note_deleted(self, file: Instructions, mark: Marked, detail: str) -> None:
        self.deleted += 1
        self.findings.append(Finding("deleted", file.shown, mark.line, detail))

    def _compare_marked(self) -> None:
        """Look at the lines of ours: their records say whether they still hold."""
        for record_id, places in self._marked.items():
            fact = self.facts.by_id.get(record_id)
            if fact is None or not fact.superseded:
                continue  # it holds, or it is another store's
            head = self.facts.head_of(record_id)
            for file, mark in places:
                if mark.intact:
                    self._ours(fact, head, file, mark.line)
                elif not self._was_renewed(fact, head, file, mark.line):
                    self._edited(fact, head, file, mark.line)

    def _was_renewed(
        self, old: Fact, head: Fact | None, file: Instructions, line: int
    ) -> bool:
        """Say whether who edited a line of ours made it say what holds now."""
        if head is None:
            return False
        kept = old.title == head.title
        return self.stated.is_renewed(
            self._claims_of(old, kept_title=kept),
            self._claims_of(head, kept_title=kept),
            place=(file.path, line),
        )

    def _edited(
        self, fact: Fact, head: Fact | None, file: Instructions, line: int
    ) -> None:
        detail = f"the line for {fact.id} was edited; it stays as it is"
        self.findings.append(Finding("edited", file.shown, line, detail))
        one = self._about_ours(fact, head, file, line)
        self._contradict(one._replace(held="edited"))

    def _ours(
        self, fact: Fact, head: Fact | None, file: Instructions, line: int
    ) -> None:
        one = self._about_ours(fact, head, file, line)
        if head is not None and not head.by_person:
            if head.sure and head.trusted:
                held: Held = "unconfirmed" if file.writable else "outside"
                self._contradict(one._replace(held=held))
            return
        new = None if head is None or self._stands_in(file, head) else head
        done = self.proposal.renew(file, line, fact.id, new)
        self._contradict(one._replace(number=done.number, held=done.held))

    def _about_ours(
        self, fact: Fact, head: Fact | None, file: Instructions, line: int
    ) -> Contradicted:
        stated = self.stated.at((file.path, line))
        return Contradicted(
            record_id=fact.id if head is None else head.id,
            superseded_id=fact.id,
            title=one_line((head or fact).title),
            file=file.shown,
            first_line=line,
            last_line=line,
            statement="" if stated is None else _shown(stated.statement.text),
            ours=True,
            number=None,
        )

    def _stands_in(self, file: Instructions, head: Fact) -> bool:
        """Say whether a line of ours has a record, for those who read a file."""
        places = self._marked.get(head.id, ())
        return any(other.family == file.family for other, _ in places)

    def _compare_superseded(self) -> None:
        marked = {
            (file.path, mark.line)
            for places in self._marked.values()
            for file, mark in places
        }
        seen: set[tuple[str, int, str]] = set()
        for old, head in self.facts.replaced:
            if not self._may_stand(old):
                continue
            kept = old.title == head.title
            before = self._claims_of(old, kept_title=kept)
            now = self._claims_of(head, kept_title=kept)
            for passage in self.stated.stale(before, now, allowed=_any_file):
                place = passage.file.path, passage.statement.first
                if place in marked or (*place, head.id) in seen:
                    continue
                seen.add((*place, head.id))
                self._stale(passage, old, head)

    def _stale(self, passage: Passage, old: Fact, head: Fact) -> None:
        statement, file = passage.statement, passage.file
        done = self._verdict(passage, old, head)
        self._contradict(
            Contradicted(
                record_id=head.id,
                superseded_id=old.id,
                title=one_line(head.title),
                file=file.shown,
                first_line=statement.first,
                last_line=statement.last,
                statement=_shown(statement.text),
                ours=False,
                number=done.number,
                held=done.held,
            )
        )

    def _verdict(self, passage: Passage, old: Fact, head: Fact) -> Verdict:
        rarity = self.stated.rarity
        if head.by_person:
            return self.proposal.correct(passage, old, head, rarity)
        tried = Proposal(self.loaded).correct(passage, old, head, rarity)
        return Verdict(None, tried.held or "unconfirmed")

    def _contradict(self, one: Contradicted) -> None:
        self.contradicted.append(one)
        self.scores[one.record_id] = 1.0

    def _compare_current(self) -> None:
        """Look for the records that nothing states, in the files that should."""
        family = "claude"
        here = [one for one in self.loaded.files if one.owner == "project"]
        if here and all(one.family == "agents" for one in here):
            family = "agents"
        target = MAIN if family == "claude" else AGENTS
        own = [one for one in self.loaded.files if one.owner == "user"]
        for fact in self.facts.wanted:
            if fact.everywhere and not own:
                continue
            if fact.id in self._marked or self.scores.get(fact.id) == 1.0:
                continue  # a line of ours, or one that is to be corrected
            allowed = _of_user if fact.everywhere else _OF_FAMILY[family]
            if self._may_stand(fact) and self.stated.states(
                self._claims_of(fact), allowed=allowed
            ):
                continue
            place = self.proposal.place_for(fact, target)
            done = self.proposal.add(fact, place)
            self.scores[fact.id] = _HALF_WAY
            shown = MAIN if place is None else place.shown
            title = one_line(fact.title)
            self.missing.append(Missing(fact.id, fact.type, title, shown, *done))

    def _may_stand(self, fact: Fact) -> bool:
        """Say whether the files share words with a record at all."""
        if fact.terms is not None:
            found = fact.terms.split("\n")
            if len(self._vocabulary.intersection(found)) < min(_SHARED, len(found)):
                return False
        sentence = first_sentence(fact.body)[:LONGEST_SENTENCE]
        return self.stated.may_say(fact.title, sentence)

    def _claims_of(self, fact: Fact, *, kept_title: bool = False) -> Claims:
        if kept_title:
            return claims_of(fact.title, fact.body, kept_title=True)
        if fact.id not in self._claims:
            self._claims[fact.id] = claims_of(fact.title, fact.body)
        return self._claims[fact.id]


_HALF_WAY = 0.5
_MOST_NAMED = 20
_MOST_JUDGED = 100
"""Lines of nobody here whose words are looked for among what was deleted."""

_LONGEST_SHOWN = 300


def _shown(statement: str) -> str:
    text = one_line(statement[: 4 * _LONGEST_SHOWN])
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


def _any_file(passage: Passage) -> bool:
    del passage
    return True


def _of_user(passage: Passage) -> bool:
    return passage.file.owner == "user"


def _of_claude(passage: Passage) -> bool:
    return passage.file.family == "claude"


def _of_agents(passage: Passage) -> bool:
    return passage.file.family == "agents"


_OF_FAMILY = {"claude": _of_claude, "agents": _of_agents}
