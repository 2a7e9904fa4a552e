"""What is learned on a branch joins the main line with it, or goes (A8.6)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from sqlite3 import IntegrityError
from subprocess import CalledProcessError
from typing import TYPE_CHECKING

import pytest

from agentctx.errors import AlreadySupersededError, RecordStagedError
from agentctx.records.joining import (
    contests_of,
    drop_branch,
    join_branch,
    restore_branch,
)
from agentctx.records.model import Replacement
from agentctx.records.read import Moment, by_id, find_record, history_of
from agentctx.records.search import Filters, search_records
from agentctx.records.staged import branches_of, counts_on, note_of
from agentctx.records.write import supersede_record
from agentctx.team.promoting import promote_record
from tests.agentctx.branching import LOCAL, QUERY, UTC, Clone
from tests.agentctx.working import wall
from tests.recorded import Ticking, store_at

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.requirement("A8.6")


@pytest.fixture
def clone(tmp_path: Path) -> Iterator[Clone]:
    clone = Clone(tmp_path)
    yield clone
    clone.close()


def test_what_a_branch_learns_is_found_on_it_alone_and_says_so(clone: Clone) -> None:
    made = clone.on("feature/utc").learns()
    assert made.branch == "feature/utc"
    assert clone.finds() == {UTC}
    clone("checkout", "-q", "main")
    assert clone.finds() == set()
    clone("checkout", "-q", "-b", "other")
    assert clone.finds() == set()
    assert find_record(clone.store.db, clone.project.project_id, made.id) == made


def test_what_it_replaces_holds_on_the_main_line_until_it_joins(clone: Clone) -> None:
    old = clone.learns(LOCAL)
    clone.on("utc")
    new = clone.learns(UTC, supersedes=old.id)
    assert clone.finds() == {UTC}
    with pytest.raises(AlreadySupersededError) as refused:
        clone.learns("Readings are stored twice", supersedes=old.id)
    assert refused.value.facts["head"] == new.id
    last = clone.learns("Readings are stored in UTC with a zone", supersedes=new.id)
    before = clone.clock()
    clone("checkout", "-q", "main")
    assert clone.finds() == {LOCAL}
    clone("checkout", "-q", "utc")
    clone.commits()
    clone.settles()
    clone("checkout", "-q", "main")
    clone("merge", "-q", "--no-ff", "-m", "m", "utc")
    assert clone.settles().joined == 1
    assert clone.finds() == {last.title}
    joined = by_id(clone.store.db, last.id)
    assert joined is not None
    past = [one.id for one in history_of(clone.store.db, joined)]
    assert set(past) == {old.id, new.id, last.id}
    then = Filters(moment=Moment(as_of=before.strftime("%Y-%m-%dT%H:%M:%S.000Z")))
    found = search_records(
        clone.store, clone.project.project_id, QUERY, filters=then, limit=9
    )
    assert [one.record.id for one in found.results] == [old.id]
    note = note_of(clone.store.db, last.id)
    assert note is not None
    assert (note.branch, note.outcome) == ("utc", "joined")


def test_where_the_main_line_went_on_a_person_says_which_holds(clone: Clone) -> None:
    old = clone.learns(LOCAL)
    clone.on("utc")
    mine = clone.learns(UTC, supersedes=old.id)
    clone.learns("Readings are stored for ten years")
    clone.commits()
    clone.settles()
    clone("checkout", "-q", "main")
    theirs = supersede_record(
        clone.store,
        clone.project.project_id,
        old.id,
        Replacement("Readings are stored as text.", "cli", "developer"),
    ).record
    clone("merge", "-q", "utc")
    settled = clone.settles()
    assert (settled.joined, settled.contested) == (1, 1)
    assert clone.finds() == {LOCAL, "Readings are stored for ten years"}
    branch = clone.branch("utc")
    (contest,) = contests_of(clone.store.db, branch)
    assert (contest.record_id, contest.head) == (mine.id, theirs.id)
    assert join_branch(clone.store, branch).contested == (mine.id,)
    assert join_branch(clone.store, branch, replace=True).joined == (mine.id,)
    assert clone.finds() == {UTC, "Readings are stored for ten years"}
    ended = by_id(clone.store.db, theirs.id)
    assert ended is not None
    assert ended.superseded_by == mine.id


@pytest.mark.parametrize(
    "merged",
    [
        pytest.param([("merge", "-q", "f")], id="fast-forward"),
        pytest.param([("merge", "-q", "--no-ff", "-m", "m", "f")], id="merge commit"),
        pytest.param(
            [("merge", "-q", "--squash", "f"), ("commit", "-q", "-m", "all")],
            id="squash",
        ),
        pytest.param(
            [
                ("commit", "-q", "--allow-empty", "-m", "main goes on"),
                ("rebase", "-q", "main", "f"),
                ("checkout", "-q", "main"),
                ("merge", "-q", "f"),
            ],
            id="rebase",
        ),
    ],
)
@pytest.mark.parametrize(
    ("looked", "deleted"),
    [
        pytest.param(True, False, id="seen before and kept"),
        pytest.param(False, True, id="never seen and deleted"),
    ],
)
def test_a_merged_branch_brings_what_it_learned(
    clone: Clone,
    merged: list[tuple[str, ...]],
    *,
    deleted: bool,
    looked: bool,
) -> None:
    clone.on("f").learns()
    clone.commits("a.txt", "one\n")
    clone.commits("a.txt", "one\ntwo\n")
    if looked:
        assert clone.settles().joined == 0
    clone("checkout", "-q", "main")
    clone.commits("b.txt")
    if merged == [("merge", "-q", "f")]:
        clone("reset", "-q", "--hard", "HEAD~1")
    for words in merged:
        clone(*words)
    if deleted:
        clone("branch", "-q", "-D", "f")
        clone("pack-refs", "--all")
    assert clone.settles().joined == 1
    assert clone.finds() == {UTC}
    assert branches_of(clone.store.db, clone.project.project_id) == []


def test_a_branch_that_was_only_begun_is_no_merged_one(clone: Clone) -> None:
    clone.on("f").learns()
    assert clone.settles().joined == 0
    clone("checkout", "-q", "main")
    clone.commits("b.txt")
    clone("checkout", "-q", "f")
    clone("merge", "-q", "--ff-only", "main")  # brought up to date, nothing of its own
    clone("rebase", "-q", "main")
    assert clone.settles().joined == 0
    assert clone.branch("f").state == "open"
    made = clone.commits("c.txt")
    clone.settles()
    clone("reset", "-q", "--hard", "main")  # and thrown away
    assert clone.settles().joined == 0
    assert clone.branch("f").ahead_tip == made


def test_what_is_learned_after_a_merge_waits_for_the_next(tmp_path: Path) -> None:
    clone = Clone(tmp_path, Ticking(wall() + timedelta(days=1)))
    clone.on("dev").commits()
    clone("checkout", "-q", "main")
    clone("merge", "-q", "dev")
    clone("checkout", "-q", "dev")
    clone.learns()
    assert clone.settles().joined == 0
    clone.commits("b.txt")
    assert clone.settles().joined == 0
    clone("checkout", "-q", "main")
    clone("merge", "-q", "dev")
    assert clone.settles().joined == 1
    clone.close()


def test_a_branch_that_is_gone_is_decided_by_nobody_but_a_person(
    clone: Clone,
) -> None:
    made = clone.on("f").learns()
    clone.commits()
    clone.settles()
    clone("checkout", "-q", "main")
    clone("branch", "-q", "-D", "f")
    assert clone.settles().joined == 0
    branch = clone.branch("f")
    assert branch.state == "gone"
    assert clone.finds() == set()
    assert drop_branch(clone.store, branch) == (made.id,)
    assert branches_of(clone.store.db, clone.project.project_id) == []
    ended = by_id(clone.store.db, made.id)
    assert ended is not None
    assert not ended.current
    assert restore_branch(clone.store, branch) == (made.id,)
    assert join_branch(clone.store, branch).joined == (made.id,)
    assert clone.finds() == {UTC}
    assert restore_branch(clone.store, branch) == ()


def test_a_renamed_branch_takes_what_it_learned_along(clone: Clone) -> None:
    clone.on("f").learns()
    clone.commits()
    clone("branch", "-m", "f", "g/ü")
    clone.settles()
    assert clone.branch("g/ü").state == "open"
    assert clone.finds() == {UTC}
    clone("checkout", "-q", "main")
    clone("merge", "-q", "g/ü")
    assert clone.settles().joined == 1


def test_a_branch_that_is_rebased_is_still_in_hand(clone: Clone) -> None:
    clone.on("f").commits("a.txt", "one\n")
    clone("checkout", "-q", "main")
    clone.commits("a.txt", "other\n")
    with pytest.raises(CalledProcessError):
        clone("rebase", "-q", "main", "f")
    assert clone("rev-parse", "--abbrev-ref", "HEAD") == "HEAD"
    assert clone.standing().branch == "f"


def test_a_join_that_fails_half_way_joins_nothing(clone: Clone) -> None:
    clone.on("f").learns()
    clone.learns("Readings are stored for ten years")
    branch, db = clone.branch("f"), clone.store.db
    db.execute(
        "CREATE TEMP TRIGGER fails AFTER UPDATE OF outcome ON main.staged WHEN"
        " (SELECT count(*) FROM staged WHERE outcome IS NOT NULL) > 1"
        " BEGIN SELECT RAISE(ABORT, 'no'); END"
    )
    with pytest.raises(IntegrityError):
        join_branch(clone.store, branch)
    (same,) = branches_of(db, clone.project.project_id)
    assert counts_on(db, [same.staging_id]) == {same.staging_id: 2}
    db.execute("DROP TRIGGER fails")

    def join(number: int) -> int:
        del number
        with store_at(clone.home) as store:
            return len(join_branch(store, branch).joined)

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(join, range(4))) == [0, 0, 0, 2]


def test_a_repository_makes_git_do_nothing_but_look(
    clone: Clone, tmp_path: Path
) -> None:
    clone.on("f").learns()
    mark = tmp_path / "mark"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {mark}\n", encoding="utf-8")
    script.chmod(0o755)
    for key, value in {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": f"ext::{script}",
        "protocol.ext.allow": "always",
        "core.fsmonitor": str(script),
        "core.sshCommand": str(script),
        "diff.external": str(script),
        "diff.evil.textconv": str(script),
        "log.showSignature": "true",
        "gpg.program": str(script),
    }.items():
        clone("config", key, value)
    attributes = clone.root / ".git" / "info" / "attributes"
    attributes.parent.mkdir(exist_ok=True)
    attributes.write_text("* diff=evil\n", encoding="utf-8")
    heads = clone.root / ".git" / "refs" / "heads"
    (heads / "f").write_bytes(b"1" * 40)
    assert clone.settles().joined == 0
    assert clone.branch("f").state == "unknown"
    (heads / "f").write_bytes((heads / "main").read_bytes())
    clone.git(clone.root, "-c", "core.fsmonitor=", "read-tree", "HEAD")
    mark.unlink(missing_ok=True)
    clone.learns("Readings are stored for ten years")
    clone.settles()
    assert not mark.exists()


def test_a_worktree_has_a_branch_of_its_own(clone: Clone) -> None:
    tree = clone.root.parent / "tree"
    clone("worktree", "add", "-q", "-b", "in-tree", str(tree))
    assert clone.standing().why == "main_line"
    assert clone.standing(tree).branch == "in-tree"


def test_a_remote_branch_is_one_too_and_says_which_line_is_main(
    clone: Clone, tmp_path: Path
) -> None:
    clone("branch", "-q", "develop")
    hub = tmp_path / "hub.git"
    clone.git(tmp_path, "clone", "-q", "--bare", str(clone.root), str(hub))
    clone.git(hub, "symbolic-ref", "HEAD", "refs/heads/develop")
    other = Clone.__new__(Clone)
    other.home, other.git, other.root = clone.home, clone.git, tmp_path / "again"
    other.clock, other.store = clone.clock, clone.store
    clone.git(tmp_path, "clone", "-q", str(hub), str(other.root))
    assert other.standing()[:3] == (None, "main_line", "develop")
    other.on("f").learns()
    other.commits()
    other("push", "-q", "-u", "origin", "f")
    other("checkout", "-q", "develop")
    other("branch", "-q", "-D", "f")
    other.settles()
    assert other.branch("f").state == "open"
    clone.git(hub, "update-ref", "refs/heads/develop", "refs/heads/f")
    clone.git(hub, "update-ref", "-d", "refs/heads/f")
    other("fetch", "-q", "--prune")
    assert other.settles().joined == 1


def test_what_waits_is_shared_with_nobody(clone: Clone) -> None:
    made = clone.on("f").learns(trust="developer")
    project_id = clone.project.project_id
    with pytest.raises(RecordStagedError):
        promote_record(clone.store, project_id, made.id)
