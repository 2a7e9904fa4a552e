"""A person's word on a candidate: accepted, it becomes a report; rejected, it stays.

Accepting is a controlled write (P13) under the owner's grant, and the one way up to the
corpus; no tool leads here (P19.2). It holds the project's lock from the last look at
the evidence to the receipt. It is written down in the inbox before and after the write:
killed in between, the receipt says which of the two it is.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from corpus.bundle import stamp
from corpus.candidate import validate_candidate
from corpus.canonical import sha256
from corpus.confined.reader import open_root
from corpus.inbox import Accepting, change_inbox, open_inbox
from corpus.protocol.compose import TITLE_LENGTH, ReportDraft, compose_report
from corpus.protocol.layout import NONE
from corpus.refusals import (
    CandidateDecidedError,
    CandidateInDoubtError,
    RejectionReasonError,
)
from corpus.sources.scan import read_policy
from corpus.view import open_project
from corpus.writes.audit import audit_path, receipt_of
from corpus.writes.recovery import settle_first
from corpus.writes.requests import artifact_path, new_artifact
from corpus.writes.runtime import runtime_path, waiting_journal
from corpus.writes.transaction import commit, new_transaction_id
from corpus.writes.writer import turn_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from corpus.candidate import Accepted
    from corpus.confined.reader import ConfinedRoot
    from corpus.inbox import Cited, Entry, Inbox
    from corpus.userdirs import UserDirs
    from corpus.writes.outcome import Outcome
    from corpus.writes.writer import Turn, Writer

LONGEST_REASON = 1_000
_SHORT_TITLE = 100


class Wording(NamedTuple):
    """How a person wants the report; what is left out follows from the candidate."""

    report_id: str | None = None
    title: str | None = None
    task: str = NONE
    limitations: tuple[str, ...] = ()


class Decided(NamedTuple):
    """An accepted candidate, the write that made its report, and what is doubtful."""

    entry: Entry
    outcome: Outcome
    verdict: Accepted


def accept(writer: Writer, text: str, wording: Wording, *, dirs: UserDirs) -> Decided:
    """Make a report of the candidate that `text` names.

    Raises the `Candidate…Error` of evidence that no longer holds, and all that
    `create_report` raises; then the candidate waits as before.
    """
    with turn_of(writer) as turn:
        settle_first(turn)
        project_id = turn.mandate.policy.project_id
        with change_inbox(
            project_id, state=writer.state, random=writer.random
        ) as inbox:
            entry = _settled(inbox, inbox.find(text), turn.opened)
            require_waiting(entry)
            project = open_project(writer.root, dirs=dirs)
            now = writer.clock()
            verdict = validate_candidate(project, dict(entry.candidate), now=now)
            return _accepted(turn, inbox, entry, wording, verdict)


def reject(
    root: Path,
    text: str,
    reason: str,
    *,
    state: Path,
    now: datetime,
    random: Callable[[int], bytes],
) -> Entry:
    """Keep why a candidate is not wanted; the project is only looked at.

    Raises `RejectionReasonError`, `CandidateDecidedError`, `CandidateInDoubtError`.
    """
    said = _checked_reason(reason)
    with open_root(root) as opened:
        policy = read_policy(opened)
        with change_inbox(policy.project_id, state=state, random=random) as inbox:
            entry = inbox.find(text)
            if entry.state == "accepting":
                _require_settled(entry, opened, state)
                entry = _settled(inbox, entry, opened)
            require_waiting(entry)
            entry = entry._replace(state="rejected", decided_at=stamp(now), reason=said)
            inbox.put(entry)
            return entry


def as_it_stands(entry: Entry, opened: ConfinedRoot) -> Entry:
    """Say what became of a candidate, also where its acceptance was interrupted.

    The write is complete exactly when its receipt is there.
    """
    if entry.state != "accepting":
        return entry
    assert entry.report is not None
    receipt = receipt_of(opened, entry.report.transaction_id)
    if receipt is None:
        return entry._replace(state="waiting", decided_at=None, report=None)
    return entry._replace(state="accepted")


def entries_of(root: Path, *, state: Path) -> tuple[tuple[Entry, ...], tuple[str, ...]]:
    """Give the project's candidates as they stand, and the names of damaged ones."""
    with open_root(root) as opened:
        policy = read_policy(opened)
        with open_inbox(policy.project_id, state=state) as inbox:
            entries = tuple(as_it_stands(one, opened) for one in inbox.entries())
            return entries, inbox.damaged()


def require_waiting(entry: Entry) -> None:
    """Refuse to decide twice."""
    if entry.state != "waiting":
        raise CandidateDecidedError(candidate_id=entry.id, state=entry.state)


def compose(
    entry: Entry, wording: Wording, receipt: str | None, *, now: datetime
) -> bytes:
    """Write the report that a candidate becomes; `ArtifactConformanceError`.

    Without a receipt it is only to see whether it can be one.
    """
    draft = ReportDraft(
        title=wording.title or _title(entry.statement),
        task_id=wording.task,
        result="INFO",
        summary=entry.statement,
        evidence=_evidence(entry, receipt or audit_path("0" * 32)),
        limitations=wording.limitations,
    )
    return compose_report(
        draft,
        project_id=str(entry.candidate["project_id"]),
        report_id=wording.report_id or entry.id,
        now=now,
    )


def _accepted(
    turn: Turn, inbox: Inbox, entry: Entry, wording: Wording, verdict: Accepted
) -> Decided:
    writer = turn.writer
    now = writer.clock()
    own_id = wording.report_id or entry.id
    path = artifact_path("report", own_id)
    transaction_id = new_transaction_id(turn)
    receipt = audit_path(transaction_id)
    content = compose(entry, wording, receipt, now=now)
    change = new_artifact(turn, "report", own_id, content, task=wording.task)
    report = Accepting(own_id, path, sha256(content), transaction_id, receipt)
    begun = entry._replace(state="accepting", decided_at=stamp(now), report=report)
    inbox.put(begun)
    outcome = commit(turn, [change], transaction_id=transaction_id)
    done = begun._replace(state="accepted")
    inbox.put(done)
    return Decided(done, outcome, verdict)


def _settled(inbox: Inbox, entry: Entry, opened: ConfinedRoot) -> Entry:
    """Write down what became of an acceptance that was interrupted."""
    found = as_it_stands(entry, opened)
    if found != entry:
        inbox.put(found)
    return found


def _require_settled(entry: Entry, opened: ConfinedRoot, state: Path) -> None:
    """Refuse while the interrupted write may still be completed."""
    assert entry.report is not None
    project_id = read_policy(opened).project_id
    journal = waiting_journal(runtime_path(state, project_id, opened.identity))
    if journal is not None and journal.transaction_id == entry.report.transaction_id:
        raise CandidateInDoubtError(candidate_id=entry.id)


def _checked_reason(reason: str) -> str:
    said = reason.strip()
    if not said:
        raise RejectionReasonError(problem="is empty")
    if len(said) > LONGEST_REASON:
        problem = f"has more than {LONGEST_REASON:,} characters"
        raise RejectionReasonError(problem=problem)
    for character in said:
        hidden = unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
        if hidden and character not in "\n\t\u200c\u200d":
            raise RejectionReasonError(problem=f"holds U+{ord(character):04X}")
    return said


def _title(statement: str) -> str:
    """Give the first line of a statement, cut at a word where it is long."""
    line = next(one for one in statement.splitlines() if one.strip())
    line = " ".join(line.split())
    if len(line) <= _SHORT_TITLE:
        return line
    cut = line[: _SHORT_TITLE - 1]
    kept = cut.rpartition(" ")[0] or cut
    return f"{kept}…"[:TITLE_LENGTH]


def _evidence(entry: Entry, receipt: str) -> list[str]:
    """Say what the report stands on, one line each; `why` reads the last ones."""
    rows = [f"`{_place(one)}`, SHA-256 `{one.source_sha256}`" for one in entry.evidence]
    rows.append(
        f"Candidate `{entry.id}`, submitted {entry.submitted_at},"
        f" SHA-256 `{entry.sha256}`"
    )
    if entry.origin is not None:
        row = f"Origin `{entry.origin.place}`"
        top = entry.origin.chain[0] if entry.origin.chain else None
        if top is not None and top.sha256 is not None:
            row += f", SHA-256 `{top.sha256}`"
        rows.append(row)
    rows.append(f"Receipt `{receipt}`")
    return rows


def _place(cited: Cited) -> str:
    lines = f"{cited.line_start}"
    if cited.line_end != cited.line_start:
        lines += f"-{cited.line_end}"
    return f"{cited.source_path}:{lines}"
