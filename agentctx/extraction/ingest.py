"""What a model found becomes records, as far as the developer said it (A6.4, A6.5).

Dropped, and counted by reason, is what nobody said, what is a record already, what a
person deleted, and what no record can hold. A supersession is honoured only for ids
that the model was shown. Nothing here asks a model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agentctx.branches import UNSTAGED
from agentctx.briefing.budget import shortened
from agentctx.briefing.handover import current_handover, is_overtaken
from agentctx.errors import (
    AlreadySupersededError,
    BodyError,
    ForgetKeyError,
    ForgottenError,
    OtherNamespaceError,
    RecordEndedError,
    RecordNotFoundError,
    TitleError,
)
from agentctx.extraction.likeness import nearest
from agentctx.extraction.support import Speaker, rare_terms
from agentctx.records.learning import learn_record
from agentctx.records.model import (
    BODY_CHARACTERS,
    GLOBAL,
    TITLE_CHARACTERS,
    NewRecord,
)
from agentctx.records.observed import observed
from agentctx.records.proposals import propose
from agentctx.records.read import by_id
from agentctx.records.search import Filters, search_records
from agentctx.records.spans import count_yield
from agentctx.records.staged import staging_of
from agentctx.records.tombstones import is_forgotten
from agentctx.records.write import add_record, reinforce_record
from agentctx.redact import redact
from corpus.visible import visible

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from agentctx.branches import Standing
    from agentctx.clients.claude_transcript import Turn
    from agentctx.extraction.reply import Entry, Findings, Work
    from agentctx.extraction.support import Support
    from agentctx.records.model import Record
    from agentctx.records.store import Store

MOST_ALIKE = 8
"""Current records of the same type that a new fact is compared with."""

OF_MEMORY = frozenset({"decision", "preference"})
"""What conversation memory keeps by itself, where it is on (A6.4)."""

REASON_SAID = 0.5
"""The share of a reason's rare terms that the developer has to have said."""


class Session(NamedTuple):
    """Whose words they are: the session, the project, its working tree.

    `said_at` is when the last of them was spoken, as a stamp, where that is known.
    `remembers` says that conversation memory is on: decisions and preferences come
    from its items, and from nowhere else. `standings` say for each branch that a turn
    was spoken on where what is learned of it is staged.
    """

    session_id: str
    project_id: str
    worktree: str
    threshold: int
    said_at: str | None = None
    remembers: bool = False
    standings: Mapping[str | None, Standing] = {}


class Told(NamedTuple):
    """What a model was told: the turns, and the ids of the records it was shown."""

    turns: Sequence[Turn]
    shown: Collection[str]


def ingest(store: Store, session: Session, findings: Findings, told: Told) -> int:
    """Store what holds up, count the rest; give how many records were made."""
    speaker = Speaker(turn.developer for turn in told.turns)
    outcomes = ["schema"] * findings.misshapen
    for entry in findings.entries:
        outcomes.append(_Case(store, session, entry, told).outcome(speaker))
    if findings.work is not None and not findings.work.says_nothing:
        outcomes.append(_keep_work(store, session, findings.work))
    with store.writing() as tx:
        for outcome in outcomes:
            count_yield(tx, session.session_id, outcome)
    return outcomes.count("stored") + outcomes.count("handover")


class _Case:
    """One entry on its way to being a record, or to being dropped for a reason."""

    def __init__(
        self, store: Store, session: Session, entry: Entry, told: Told
    ) -> None:
        self.store = store
        self.session = session
        self.entry = entry
        self.told = told
        self.where = UNSTAGED
        self.staging: str | None = None
        self.statement = _plain(entry.statement)
        wide = entry.scope == "global"
        self.namespace = GLOBAL if wide else session.project_id

    def outcome(self, speaker: Speaker) -> str:
        """Do what is to be done with the entry; say it in a word."""
        if self.session.remembers and self.entry.type in OF_MEMORY:
            return "left_to_memory"
        if len(self.statement) > BODY_CHARACTERS:
            return "limit"
        support = speaker.supports(self.statement)
        if support is None:
            return "unsupported"
        turn = self.told.turns[support.turn]
        self.where = self.session.standings.get(turn.branch, UNSTAGED)
        self.where = self.where._replace(said_at=self.session.said_at)
        self.staging = staging_of(
            self.store.db, self.session.project_id, self.where.branch
        )
        new = self._record(support, speaker)
        known = self._known(new)
        if known is not None:
            return self._repeated(known, new)
        return self._stored(new)

    def _record(self, support: Support, speaker: Speaker) -> NewRecord:
        """Write the entry as a record that quotes the developer."""
        entry = self.entry
        reason = _plain(entry.reason)
        if reason and not _is_said(reason, speaker):
            reason = ""
        lines = [self.statement, f"Why: {reason}" if reason else "", entry.note]
        body = "\n".join(line for line in lines if line)
        sure = entry.confidence == "explicit" and not support.asks
        return NewRecord(
            type=entry.type,
            title=shortened(self.statement, characters=TITLE_CHARACTERS - 1),
            body=shortened(body, characters=BODY_CHARACTERS - 1),
            source="llm_extraction",
            scope=entry.scope,
            confidence="explicit" if sure else "inferred",
            trust="developer",
            session_id=self.session.session_id,
            valid_from=self._said_at(),
            rationale=reason or None,
            quote=_plain(support.quote),
            files=self._files(),
        )

    def _said_at(self) -> str | None:
        """Give when the last of these turns was spoken; what was said then was true.

        A record that takes the place of another begins now, when that one ends.
        """
        return None if self.entry.supersedes else self.session.said_at

    def _files(self) -> tuple[str, ...]:
        """Give the files of the session that the statement names."""
        names = [
            one.name for one in observed(self.store.db, self.session.session_id, "file")
        ]
        said = self.statement.lower()
        return tuple(name for name in names if name.rsplit("/", 1)[-1].lower() in said)

    def _known(self, new: NewRecord) -> Record | None:
        """Find the current record that states the same, word for word or nearly."""
        answer = search_records(
            self.store,
            self.session.project_id,
            self.statement,
            filters=Filters(
                type=new.type,
                scope="global" if new.scope == "global" else None,
                staging=() if self.staging is None else (self.staging,),
            ),
            limit=MOST_ALIKE,
        )
        return nearest(self.statement, (one.record for one in answer.results))

    def _repeated(self, known: Record, new: NewRecord) -> str:
        """Count a repetition: each session once, an explicit statement at once."""
        if known.trust not in {"developer", "model"}:
            return "duplicate"
        explicit = new.confidence == "explicit"
        reinforce_record(
            self.store,
            known.id,
            session_id=self.session.session_id,
            threshold=1 if explicit else self.session.threshold,
        )
        return "reinforced"

    def _stored(self, new: NewRecord) -> str:
        store, project_id = self.store, self.session.project_id
        try:
            if self._is_forgotten(new):
                return "forgotten"
        except ForgetKeyError:  # nobody can tell, so it is not learned
            return "forget_key"
        wish = self._supersedes()
        old = wish if wish is not None and self._may_supersede(wish, new) else None
        try:
            made = learn_record(
                store,
                project_id,
                new,
                where=self.where,
                supersedes=None if old is None else old.id,
            )
        except ForgottenError:
            return "forgotten"
        except (TitleError, BodyError):
            return "limit"
        except (AlreadySupersededError, RecordEndedError, RecordNotFoundError):
            return "superseded_meanwhile"
        except OtherNamespaceError:
            return "other_namespace"
        if made.existing:
            return "duplicate"
        if wish is not None and old is None:
            with store.writing() as tx:
                pair = (made.record.id, wish.id)
                propose(store, tx, made.record.project_id, "supersede", pair)
        return "stored"

    def _is_forgotten(self, new: NewRecord) -> bool:
        """Say whether a person deleted this; what was heard before is no new word."""
        store = self.store
        return any(
            is_forgotten(store, store.db, namespace, new.title, text)
            for namespace in dict.fromkeys((self.session.project_id, GLOBAL))
            for text in (new.body, self.statement)
        )

    def _supersedes(self) -> Record | None:
        """Give the record that the entry replaces: one that was shown, and no other."""
        named = self.entry.supersedes
        if named is None or named.strip().upper() not in self.told.shown:
            return None
        return by_id(self.store.db, named.strip().upper())

    def _may_supersede(self, old: Record, new: NewRecord) -> bool:
        """Let only what was stated replace what was; the global takes a person."""
        if old.project_id not in {self.namespace, self.staging}:
            return False
        if old.project_id == GLOBAL:
            return False
        return old.type == new.type and (
            new.confidence == "explicit" or old.confidence == "inferred"
        )


def _keep_work(store: Store, session: Session, work: Work) -> str:
    """Let the handover of this working tree be what the model says of the work."""
    old = current_handover(store.db, session.project_id, session.worktree)
    if (
        old is not None
        and old.session_id == session.session_id
        and old.source in {"mcp_tool", "cli"}
    ):
        return "handover_kept"
    if old is not None and is_overtaken(store.db, session.session_id, old):
        return "handover_kept"
    lines = [_plain(work.task)]
    for name, texts in (
        ("Blocker", work.blockers),
        ("Next", work.next_steps),
        ("Open question", work.questions),
    ):
        lines += [f"{name}: {text}" for text in map(_plain, texts) if text]
    told = [line for line in lines if line]
    if not told:
        return "schema"
    body, title = "\n".join(told), told[0]
    new = NewRecord(
        type="handover",
        title=shortened(f"Handover: {title}", characters=TITLE_CHARACTERS - 1),
        body=shortened(body, characters=BODY_CHARACTERS - 1),
        source="llm_extraction",
        confidence="inferred",
        trust="model",
        session_id=session.session_id,
        key=session.worktree,
        files=tuple(one.name for one in observed(store.db, session.session_id, "file")),
    )
    try:
        made = add_record(store, session.project_id, new)
    except ForgottenError:
        return "forgotten"
    except (TitleError, BodyError):
        return "limit"
    return "handover_same" if made.existing else "handover"


def _is_said(reason: str, speaker: Speaker) -> bool:
    """Say whether the developer gave this reason, roughly."""
    rare = rare_terms(reason)
    return bool(rare) and speaker.share_of(rare) >= REASON_SAID


def _plain(text: str) -> str:
    return " ".join(redact(visible(text)).text.split())
