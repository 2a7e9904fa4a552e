"""Make the digest of a project from its records, ahead of its next session (A4.2).

Only what somebody stated or said again goes into it; the handover may be a guess, and
is called unconfirmed. What is told of how a developer works is what a person stands
for (A10.2). The same store, corpus and clock give the same bytes.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from agentctx.briefing.budget import SHARES, shortened
from agentctx.briefing.digest import (
    FOLDER,
    Block,
    CorpusNote,
    Digest,
    changes_of,
    digest_path,
    fingerprint,
    read_digest,
)
from agentctx.clock import stamp
from agentctx.privatefile import write_private
from agentctx.records.card import one_line, quoted, shown, standing
from agentctx.records.foremost import Wording, foremost_records
from agentctx.records.model import GLOBAL
from corpus.sqlite import store_failures
from corpus.tokens import injection_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agentctx.project import Project
    from agentctx.records.model import Record
    from agentctx.records.store import Store
    from corpus.protocol.overview import Overview

SPARE = 2
"""A section keeps so many times its share: what is superseded leaves room for more."""

BODY, HANDOVER_BODY, CORPUS_LINE = 320, 1_400, 240
"""Characters of a record's body, of a handover's, and of a line about the corpus."""


class Facts:
    """What of a project is not in its records: where it is and what its files say.

    `drift` None keeps the number that is known.
    """

    def __init__(self, project: Project, *, drift: int | None = None) -> None:
        self.project_id = project.project_id
        self.name = project.name
        self.root = str(project.root)
        self.drift = drift

    def corpus(self) -> CorpusNote | None:
        """Say where the project's own corpus stands, if it has one."""
        return corpus_note(self.root)


def refresh_digest(store: Store, facts: Facts) -> bool:
    """Make the digest of a project anew; say whether that could be kept.

    Digests of other projects are renewed with it where a global record changed. What
    cannot be written is left as it is: whoever shows it filters it.
    """
    made = make_digest(store, facts)
    kept = _write(store.home, made)
    for other in _others(store, made.project_id):
        _write(store.home, _renewed(store, other))
    return kept


def make_digest(store: Store, facts: Facts) -> Digest:
    """Make a digest from the records as they are now."""
    known = read_digest(store.home, facts.project_id)
    drift = facts.drift
    if drift is None:
        drift = 0 if known is None else known.drift
    with store_failures():
        return _made(
            store,
            Digest(
                project_id=facts.project_id,
                name=one_line(facts.name),
                root=facts.root,
                store_version=store.version,
                changes=changes_of(store, facts.project_id),
                made_at=stamp(store.clock()),
                corpus=facts.corpus(),
                profile=(),
                decisions=(),
                handovers={},
                preferences=(),
                drift=drift,
            ),
        )


def corpus_note(root: str) -> CorpusNote | None:
    """Say where the corpus in a folder stands; None without one that can be read."""
    if not os.path.isdir(f"{root}/.project-corpus"):  # noqa: PTH112 - text
        return None
    from corpus.confined.reader import open_root  # noqa: PLC0415 - where one is
    from corpus.errors import CodedError  # noqa: PLC0415 - as above
    from corpus.protocol.layout import STATUS_PATH  # noqa: PLC0415 - as above
    from corpus.protocol.overview import IndexCard, overview  # noqa: PLC0415 - too

    try:
        with open_root(Path(root)) as opened:
            found = overview(opened, index=IndexCard("missing", "", None))
    except (CodedError, OSError):
        return None
    if found.status_sha256 is None or found.project_id is None:
        return None
    text = "\n".join(_corpus_lines(found))
    return CorpusNote(quoted(text), str(STATUS_PATH), found.status_sha256)


def _corpus_lines(found: Overview) -> Iterator[str]:
    lifecycle = found.lifecycle_status or "no lifecycle stated"
    yield f"corpus {found.project_id}, {lifecycle}"
    task = found.active_task
    if task is not None:
        title = "" if task.title is None else f": {task.title}"
        yield shortened(one_line(f"active task {task.id}{title}"), characters=200)
    if found.next_action:
        said = one_line(found.next_action)
        yield shortened(f"exact next action: {said}", characters=CORPUS_LINE)


def _made(store: Store, empty: Digest) -> Digest:
    db, project_id = store.db, empty.project_id
    profile = foremost_records(db, project_id, ("profile",), sure=False)
    decisions = [
        *foremost_records(db, project_id, ("decision",), sure=True),
        *foremost_records(db, project_id, ("convention",), sure=True),
    ]
    decisions.sort(key=lambda record: not record.pinned)
    handovers = foremost_records(db, project_id, ("handover",), sure=False)
    own = [
        record
        for record in foremost_records(db, GLOBAL, ("preference",), sure=True)
        if record.by_person
    ]
    return empty._replace(
        profile=_within("profile", map(_profile_block, profile)),
        decisions=_within("decisions", (_block(one, BODY) for one in decisions)),
        handovers={
            one.key or "": _block(one, HANDOVER_BODY) for one in reversed(handovers)
        },
        preferences=_within("preferences", (_block(one, BODY) for one in own)),
    )


def _within(section: str, blocks: Iterable[Block]) -> tuple[Block, ...]:
    """Keep as many as could be shown if some of the first are superseded."""
    kept: list[Block] = []
    tokens = 0
    for block in blocks:
        kept.append(block)
        tokens += injection_tokens(block.text)
        if tokens > SPARE * SHARES[section]:
            break
    return tuple(kept)


def _block(record: Record, characters: int) -> Block:
    """Show one record: what it is, its title, the beginning of its body."""
    body = shown(record.body)
    cut = shortened(body, characters=characters)
    facts = f"{record.type}, since {record.valid_from[:10]}, {standing(record)}"
    lines = [f"[{record.id}] {facts}", quoted(record.title), quoted(cut)]
    return Block(record.id, _fingerprint(record), "\n".join(lines), cut == body)


def _profile_block(record: Record) -> Block:
    """Show one entry of the profile in one line."""
    text = shortened(one_line(record.body), characters=CORPUS_LINE)
    return Block(record.id, _fingerprint(record), quoted(text), whole=False)


def _fingerprint(record: Record) -> str:
    return fingerprint(Wording(record.title, record.body, record.confidence))


def _others(store: Store, project_id: str) -> Iterator[Digest]:
    """Give the digests of other projects that global records have changed since."""
    everywhere = store.changes(GLOBAL)
    try:
        names = sorted(os.listdir(f"{store.home}/{FOLDER}"))  # noqa: PTH208 - text
    except OSError:
        return
    for name in names:
        other, ending = os.path.splitext(name)  # noqa: PTH122 - text
        if ending != ".json" or other == project_id:
            continue
        digest = read_digest(store.home, other)
        if digest is not None and digest.changes[1] != everywhere:
            yield digest


def _renewed(store: Store, digest: Digest) -> Digest:
    """Make another project's digest anew; what its files say stays as it was."""
    with store_failures():
        changes = changes_of(store, digest.project_id)
        fresh = digest._replace(
            store_version=store.version,
            changes=changes,
            made_at=stamp(store.clock()),
        )
        return _made(store, fresh)


def _write(home: str, digest: Digest) -> bool:
    """Keep a digest, unless the one that is kept says the same; False if it cannot."""
    known = read_digest(home, digest.project_id)
    if (
        known is not None
        and known._replace(made_at=digest.made_at, store_version=digest.store_version)
        == digest
    ):
        return True
    try:
        write_private(digest_path(home, digest.project_id), digest.as_bytes())
    except OSError:
        return False
    return True
