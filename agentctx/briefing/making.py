"""Make the digest of a project from its records, ahead of its next session (A4.2).

Only what somebody stated or said again goes into it; the handover may be a guess, and
is called unconfirmed. What is told of how a developer works is what a person stands
for (A10.2). The same store, corpus and clock give the same bytes.
"""

from __future__ import annotations

import os

from agentctx.briefing.budget import SHARES, fitted, shortened
from agentctx.briefing.digest import (
    FOLDER,
    Block,
    CorpusNote,
    Digest,
    changes_of,
    digest_path,
    fingerprint,
    read_digest,
    status_sha256,
)
from agentctx.clock import stamp
from agentctx.privatefile import write_private
from agentctx.records.card import begins_with_title, one_line, quoted, shown, standing
from agentctx.records.foremost import Wording, foremost_records
from agentctx.records.model import GLOBAL
from agentctx.records.staged import branches_of
from agentctx.smallfile import small_text
from corpus.sqlite import store_failures
from corpus.tokens import injection_tokens
from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agentctx.project import Project
    from agentctx.records.model import Record
    from agentctx.records.store import Store
    from corpus.protocol.overview import Overview

_LONGEST_PATH = 4096

SPARE = 2
"""A section keeps so many times its share: what is superseded leaves room for more."""

BODY, HANDOVER_BODY, PROFILE_LINE = 320, 1_400, 240
"""Characters of a record's body, of a handover's, and of an entry of the profile."""

CORPUS_NAME, CORPUS_TASK, CORPUS_ACTION = 30, 40, 90
"""Tokens of the lines about a corpus: together they fit into the profile's share."""

MOST_TREES = 32
"""Linked working trees whose corpus is looked at."""


class Facts:
    """What of a project is not in its records: where it is and what its files say.

    `drift` None keeps the number that is known.
    """

    def __init__(self, project: Project, *, drift: int | None = None) -> None:
        self.project_id = project.project_id
        self.name = project.name
        self.root = str(project.main_root)
        self.here = (project.worktree or "", str(project.root))
        self.drift = drift

    def corpora(self) -> dict[str, CorpusNote]:
        """Say where the corpus of every working tree stands that has one."""
        trees = {"": self.root, **linked_trees(self.root), **dict([self.here])}
        notes = {name: corpus_note(root) for name, root in sorted(trees.items())}
        return {name: note for name, note in notes.items() if note is not None}


def refresh_digest(store: Store, facts: Facts) -> bool:
    """Make the digest of a project anew; say whether that could be kept.

    Digests of other projects are renewed with it where a global record changed, and so
    is the one for projects of which nothing else is known. What cannot be written is
    left as it is: whoever shows it filters it.
    """
    made = make_digest(store, facts)
    kept = _write(store.home, made)
    for branch in branches_of(store.db, made.project_id):
        _write(store.home, _of_branch(store, made, branch.staging_id))
    for other in _others(store, made.project_id):
        _write(store.home, _renewed(store, other))
    if read_digest(store.home, GLOBAL) is None:
        everywhere = made._replace(project_id=GLOBAL, name="", root="", corpora={})
        _write(store.home, _renewed(store, everywhere._replace(drift=0)))
    return kept


def renew_digest(store: Store, project_id: str) -> None:
    """Let the digest of a project say what its records say now, and its files did."""
    known = read_digest(store.home, project_id)
    if known is not None:
        _write(store.home, _renewed(store, known))


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
                corpora=facts.corpora(),
                profile=(),
                decisions=(),
                handovers={},
                preferences=(),
                drift=drift,
            ),
        )


def linked_trees(root: str) -> dict[str, str]:
    """Find the linked working trees of a repository: the name and root of each."""
    from agentctx.repository import (  # noqa: PLC0415 - where a digest is made
        Repository,
        find_repository,
        worktree_name,
    )

    main = find_repository(root)
    if not isinstance(main, Repository):
        return {}
    folder = f"{main.common_dir}/worktrees"
    try:
        names = sorted(os.listdir(folder))[:MOST_TREES]  # noqa: PTH208 - text
    except OSError:
        return {}
    found: dict[str, str] = {}
    for name in names:
        named = small_text(f"{folder}/{name}/gitdir", limit=_LONGEST_PATH) or ""
        tree = os.path.dirname(os.path.join(folder, name, named.strip()))  # noqa: PTH118, PTH120 - text
        linked = find_repository(tree) if named else None
        if (
            isinstance(linked, Repository)
            and linked.common_dir == main.common_dir
            and worktree_name(linked) == name
        ):
            found[name] = linked.root
    return found


def corpus_note(root: str) -> CorpusNote | None:
    """Say where the corpus in a folder stands; None without a STATUS to read."""
    before = status_sha256(root)
    if before is None:
        return None
    from pathlib import Path  # noqa: PLC0415 - where one is

    from corpus.confined.reader import open_root  # noqa: PLC0415 - where one is
    from corpus.errors import CodedError  # noqa: PLC0415 - as above
    from corpus.protocol.overview import IndexCard, overview  # noqa: PLC0415 - too

    try:
        with open_root(Path(root)) as opened:
            found = overview(opened, index=IndexCard("missing", "", None))
    except (CodedError, OSError):
        return CorpusNote("", before)
    if found.status_sha256 is None or found.project_id is None:
        return CorpusNote("", before)
    text = "\n".join(_corpus_lines(found))
    return CorpusNote(quoted(text), found.status_sha256)


def _corpus_lines(found: Overview) -> Iterator[str]:
    lifecycle = found.lifecycle_status or "no lifecycle stated"
    yield fitted(
        one_line(f"corpus {found.project_id}, {lifecycle}"), tokens=CORPUS_NAME
    )
    task = found.active_task
    if task is not None:
        title = "" if task.title is None else f": {task.title}"
        yield fitted(one_line(f"active task {task.id}{title}"), tokens=CORPUS_TASK)
    if found.next_action:
        said = one_line(found.next_action)
        yield fitted(f"exact next action: {said}", tokens=CORPUS_ACTION)


def _made(store: Store, empty: Digest) -> Digest:
    db, project_id = store.db, empty.project_id
    own = [
        record
        for record in foremost_records(db, GLOBAL, ("preference",), sure=True)
        if record.by_person
    ]
    preferences = _within("preferences", (_block(one, BODY) for one in own))
    if project_id == GLOBAL:  # for projects of which nothing else is known
        return empty._replace(
            profile=(), decisions=(), handovers={}, preferences=preferences
        )
    profile = foremost_records(db, project_id, ("profile",), sure=False)
    decisions = [
        *foremost_records(db, project_id, ("decision",), sure=True),
        *foremost_records(db, project_id, ("convention",), sure=True),
    ]
    decisions.sort(key=lambda record: not record.pinned)
    handovers = foremost_records(db, project_id, ("handover",), sure=False)
    return empty._replace(
        profile=_within("profile", map(_profile_block, profile)),
        decisions=_within("decisions", (_block(one, BODY) for one in decisions)),
        handovers={
            one.key or "": _block(one, HANDOVER_BODY) for one in reversed(handovers)
        },
        preferences=preferences,
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
    lines = [f"[{record.id}] {facts}"]
    if not begins_with_title(record):
        lines.append(quoted(record.title))
    lines.append(quoted(cut))
    return Block(record.id, _fingerprint(record), "\n".join(lines), cut == body)


def _profile_block(record: Record) -> Block:
    """Show one entry of the profile in one line."""
    text = shortened(one_line(record.body), characters=PROFILE_LINE)
    return Block(record.id, _fingerprint(record), quoted(text), whole=False)


def _fingerprint(record: Record) -> str:
    return fingerprint(Wording(record.title, record.body, record.confidence))


def _of_branch(store: Store, digest: Digest, staging_id: str) -> Digest:
    """Make the digest of what waits on a branch: its decisions and conventions."""
    empty = digest._replace(project_id=staging_id, corpora={}, drift=0)
    with store_failures():
        return _made(store, empty)._replace(profile=(), handovers={}, preferences=())


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
