"""Where a session's work stands, told from what was said and done, without a model.

It is made before a compaction and where no model can be asked, and never takes the
place of a richer one (A4.6, A6.7).
"""

from __future__ import annotations

from datetime import timedelta

from agentctx.briefing.budget import shortened
from agentctx.clock import days_since
from agentctx.records.card import one_line
from agentctx.records.model import BODY_CHARACTERS, TITLE_CHARACTERS, NewRecord
from agentctx.records.observed import observed
from agentctx.records.question import read_question
from agentctx.records.read import current_records
from agentctx.records.transcripts import heard
from agentctx.records.write import add_record
from agentctx.redact import redact
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from agentctx.clients.claude_transcript import Turn
    from agentctx.records.model import Record
    from agentctx.records.store import Store
    from corpus.sqlite import Db

MOST_FILES, MOST_COMMITS = 12, 5
REQUEST, TASK = 600, 300
"""Characters of the last request and of the open task that are kept."""

KEPT_FOR = timedelta(hours=12)
"""How long what somebody wrote as a handover stands above what we only observed."""

_EDITS = frozenset({"Edit", "MultiEdit", "Write", "NotebookEdit"})


class Snapshot(NamedTuple):
    """What is known of the work of a session; what is not known is empty."""

    request: str = ""
    task: str = ""
    files: tuple[str, ...] = ()
    tests: str = ""
    commits: tuple[str, ...] = ()

    @property
    def richness(self) -> int:
        """Count what it knows."""
        return sum(map(bool, self))

    @property
    def body(self) -> str:
        """Write it as the body of a record."""
        lines = [
            ("Last request", self.request),
            ("In progress", self.task),
            ("Files touched", ", ".join(self.files)),
            ("Tests", self.tests),
            ("Commits", "; ".join(self.commits)),
        ]
        text = "\n".join(f"{name}: {value}" for name, value in lines if value)
        return shortened(text, characters=BODY_CHARACTERS - 1)


def snapshot(db: Db, session_id: str, turns: Sequence[Turn]) -> Snapshot:
    """Say where the work of a session stands, by its turns and by what was observed.

    The last request is the last that names something: `go on` says nothing of the
    work. Where there is none, there is no handover.
    """
    request = ""
    for turn in reversed(turns):
        if says_something(turn.developer):
            request = shortened(one_line(turn.developer), characters=REQUEST)
            break
    task = next((turn.todo for turn in reversed(turns) if turn.todo), "")
    tests = [one.detail for one in observed(db, session_id, "tests")]
    commits = [one.detail for one in observed(db, session_id, "commit")]
    return Snapshot(
        request=request,
        task=shortened(one_line(task), characters=TASK),
        files=_files(db, session_id, turns),
        tests=tests[-1] if tests else "",
        commits=tuple(dict.fromkeys(commits))[-MOST_COMMITS:],
    )


def says_something(text: str) -> bool:
    """Say whether a developer's words name anything at all."""
    return any(not term.common for term in read_question(text).terms)


class Author(NamedTuple):
    """Whose handover it is: the session, its project, and its working tree."""

    session_id: str
    project_id: str
    worktree: str


def keep_handover(store: Store, author: Author, made: Snapshot) -> Record | None:
    """Let a snapshot be the current handover, unless there is a richer one, or it is.

    Raises the errors of `add_record`.
    """
    if not made.request:
        return None
    old = current_handover(store.db, author.project_id, author.worktree)
    if old is not None and not _gives_way(store, old, author, made):
        return None
    new = NewRecord(
        type="handover",
        title=shortened(f"Handover: {made.request}", characters=TITLE_CHARACTERS - 1),
        body=made.body,
        source="hook_observation",
        confidence="inferred",
        trust="tool",
        session_id=author.session_id,
        key=author.worktree,
        files=made.files,
    )
    kept = add_record(store, author.project_id, new)
    return None if kept.existing else kept.record


def current_handover(db: Db, project_id: str, worktree: str) -> Record | None:
    """Give the current handover of a working tree, whose name is kept redacted."""
    key = redact(worktree).text
    found = [
        record
        for record in current_records(db, project_id, record_type="handover")
        if (record.key or "") == key
    ]
    return found[-1] if found else None


def is_overtaken(db: Db, session_id: str, old: Record) -> bool:
    """Say whether a handover is of a session that went on after this one.

    Sessions are not always read in the order in which they ended, and a transcript
    may be read long after it was written.
    """
    ours = heard(db, session_id)
    if ours is None or old.session_id == session_id:
        return False
    theirs = None if old.session_id is None else heard(db, old.session_id)
    told_at = old.recorded_at if theirs is None else theirs.heard_at
    return told_at > ours.heard_at


def _gives_way(store: Store, old: Record, author: Author, made: Snapshot) -> bool:
    """Say whether a handover is no richer than a new snapshot."""
    same = old.session_id == author.session_id
    if is_overtaken(store.db, author.session_id, old):
        return False
    lines = len([line for line in old.body.split("\n") if line.strip()])
    if old.source == "hook_observation":
        return made.richness >= lines or (not same and made.richness > 1)
    if same or old.pinned:
        return False
    written_for = timedelta(days=days_since(old.recorded_at, store.clock()))
    return made.richness >= lines or (made.richness > 1 and written_for > KEPT_FOR)


def _files(db: Db, session_id: str, turns: Iterable[Turn]) -> tuple[str, ...]:
    """Give the files that were changed, the last ones."""
    seen = [one.name for one in observed(db, session_id, "file")]
    if not seen:
        seen = [
            tool.target
            for turn in turns
            for tool in turn.tools
            if tool.name in _EDITS and tool.ok is not False and tool.target
        ]
    latest = list(dict.fromkeys(reversed(seen)))[:MOST_FILES]
    return tuple(reversed(latest))
