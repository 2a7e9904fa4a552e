"""Records are put in order without a model, and a person decides the rest (A6.7)."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agentctx.briefing.digest import digest_path, read_digest
from agentctx.briefing.making import Facts, refresh_digest
from agentctx.briefing.state import session_state, state_path
from agentctx.clock import stamp
from agentctx.errors import ProposalError
from agentctx.extraction.consolidation import Consolidated, consolidate
from agentctx.project import resolve_project
from agentctx.records.model import GLOBAL, NewRecord
from agentctx.records.namespaces import note_namespace
from agentctx.records.proposals import (
    MERGE,
    PRUNE,
    SUPERSEDE,
    accept_proposal,
    dismiss_proposal,
    open_proposals,
    propose,
)
from agentctx.records.read import Moment, by_id, current_records
from agentctx.records.remove import delete_record
from agentctx.records.search import Filters, search_records
from agentctx.records.write import (
    add_record,
    confirm_record,
    count_access,
    pin_record,
    reinforce_record,
    retire_record,
)

if TYPE_CHECKING:
    from agentctx.project import Project
    from agentctx.records.model import Record
    from agentctx.records.proposals import Proposal
    from agentctx.records.store import Store
    from tests.recorded import Ticking

pytestmark = pytest.mark.requirement("A6.7")

LONG_AGO, LONGER_AGO = timedelta(days=91), timedelta(days=181)


class Desk:
    """A store that is put in order, and the project its records are of."""

    def __init__(self, store: Store, root: Path, clock: Ticking) -> None:
        self.store = store
        self.clock = clock
        self.project: Project = resolve_project(root, environ={})
        self.id = self.project.project_id
        self.noted(self.project)

    def noted(self, project: Project) -> None:
        root = str(project.main_root)
        note_namespace(self.store, project.project_id, name=project.name, root=root)

    def keep(self, title: str, body: str = "", **more: object) -> Record:
        values = {"type": "decision", "source": "cli", **more}
        new = NewRecord(title=title, body=body or f"{title}.", **values)  # type: ignore[arg-type]
        return add_record(self.store, self.id, new).record

    def guess(self, title: str, **more: object) -> Record:
        values = {"source": "llm_extraction", "confidence": "inferred", **more}
        return self.keep(title, **values)  # type: ignore[arg-type]

    def tidy(self, *folders: str) -> Consolidated:
        return consolidate(self.store, folders, environ={})

    def open(self, kind: str | None = None) -> list[Proposal]:
        found = open_proposals(self.store.db, self.id)
        return [one for one in found if kind in {None, one.kind}]

    def now(self, record: Record) -> Record:
        found = by_id(self.store.db, record.id)
        assert found is not None
        return found

    def score(self, record: Record) -> float:
        query = "SELECT score FROM records WHERE id = ?"
        return float(self.store.db.execute(query, (record.id,)).fetchone()[0])


@pytest.fixture
def desk(store: Store, project: Path, clock: Ticking) -> Desk:
    return Desk(store, project, clock)


SAME = ("Store readings in UTC", "Readings are stored in UTC")


def test_what_states_the_same_is_proposed_and_never_merged(desk: Desk) -> None:
    first, second = (desk.keep(title) for title in SAME)
    assert desk.tidy().merges == 1
    (one,) = desk.open(MERGE)
    assert {one.record_id, one.other_id} == {first.id, second.id}
    assert desk.now(first).current
    assert desk.now(second).current
    assert desk.tidy().merges == 0
    assert len(desk.open()) == 1


@pytest.mark.parametrize(
    ("title", "more"),
    [
        pytest.param("Readings are never stored in UTC", {}, id="denied"),
        pytest.param("Readings are stored in 3 zones", {}, id="other"),
        pytest.param(SAME[1], {"type": "convention"}, id="another type"),
        pytest.param(SAME[1], {"scope": "global"}, id="everywhere"),
    ],
)
def test_what_states_something_else_is_not_proposed(
    desk: Desk, title: str, more: dict[str, object]
) -> None:
    desk.keep(SAME[0])
    desk.keep(title, **more)  # type: ignore[arg-type]
    assert desk.tidy().merges == 0
    assert desk.open() == []


def test_handovers_and_profile_are_never_merged(desk: Desk) -> None:
    for kind in ("handover", "profile"):
        for number, title in enumerate(SAME):
            desk.keep(title, type=kind, key=f"{kind}{number}")
    assert desk.tidy().merges == 0


def test_the_order_of_what_is_alike_does_not_matter(desk: Desk) -> None:
    first, second = (desk.keep(title) for title in SAME)
    store = desk.store
    with store.writing() as tx:
        assert propose(store, tx, desk.id, MERGE, (first.id, second.id))
        assert not propose(store, tx, desk.id, MERGE, (second.id, first.id))
        assert not propose(store, tx, desk.id, MERGE, (first.id, second.id))
    assert desk.tidy().merges == 0


def test_a_new_record_in_the_row_of_a_deleted_one_is_compared(desk: Desk) -> None:
    desk.keep(SAME[0])
    gone = desk.keep("Deploys happen on Fridays")
    desk.tidy()
    delete_record(desk.store, desk.id, gone.id)
    again = desk.keep(SAME[1])
    assert desk.tidy().merges == 1
    assert desk.open()[0].record_id == again.id


def test_a_proposal_is_over_when_one_of_its_records_ends(desk: Desk) -> None:
    first, second = (desk.keep(title) for title in SAME)
    desk.tidy()
    retire_record(desk.store, desk.id, second.id)
    assert desk.open() == []
    with pytest.raises(ProposalError):
        accept_proposal(desk.store, desk.id, first.id)


def test_a_record_that_was_deleted_meanwhile_is_no_failure(desk: Desk) -> None:
    first, second = (desk.keep(title) for title in SAME)
    store = desk.store
    delete_record(store, desk.id, second.id)
    with store.writing() as tx:
        assert not propose(store, tx, desk.id, MERGE, (first.id, second.id))


def test_what_is_accepted_keeps_the_word_of_the_person(desk: Desk) -> None:
    own = desk.keep(SAME[0])
    noted = desk.keep(SAME[1], source="mcp_tool", trust="model", session_id="s")
    desk.tidy()
    (one,) = desk.open()
    done = accept_proposal(desk.store, desk.id, one.id[-8:].lower())
    assert (done.kept, done.ended) == (own.id, noted.id)
    ended = desk.now(noted)
    assert ended.superseded_by == own.id
    assert ended.superseded_at is not None
    assert ended.superseded_at > ended.recorded_at
    assert desk.now(own).current
    assert desk.open() == []
    forgotten = desk.store.db.execute("SELECT count(*) FROM tombstones").fetchone()
    assert forgotten[0] == 0  # nothing was deleted


def test_the_pin_of_what_is_merged_stays(desk: Desk) -> None:
    old, new = (desk.keep(title) for title in SAME)
    pin_record(desk.store, desk.id, old.id)
    desk.tidy()
    accept_proposal(desk.store, desk.id, desk.open()[0].id)
    assert (desk.now(old).current, desk.now(new).pinned) == (False, True)


def test_what_is_dismissed_is_not_proposed_again(desk: Desk) -> None:
    for title in SAME:
        desk.keep(title)
    desk.tidy()
    (one,) = desk.open()
    dismiss_proposal(desk.store, desk.id, one.id)
    with desk.store.writing() as tx:
        tx.execute("DELETE FROM state WHERE name = 'tidied'")  # all is compared anew
    assert desk.tidy().merges == 0
    assert desk.open() == []
    with pytest.raises(ProposalError):
        dismiss_proposal(desk.store, desk.id, one.id)


def test_another_project_decides_nothing_here(desk: Desk) -> None:
    for title in SAME:
        desk.keep(title)
    desk.tidy()
    (one,) = desk.open()
    for decide in (accept_proposal, dismiss_proposal):
        for named in (one.id, "", "%"):
            with pytest.raises(ProposalError):
                decide(desk.store, "e" * 64, named)
    assert len(desk.open()) == 1


def test_a_global_record_gives_way_when_a_person_says_so(desk: Desk) -> None:
    wide = desk.keep("Use tabs", type="preference", scope="global")
    here = desk.guess("Use four spaces", type="preference")
    store = desk.store
    with store.writing() as tx:
        propose(store, tx, desk.id, SUPERSEDE, (here.id, wide.id))
    accept_proposal(store, desk.id, desk.open()[0].id)
    assert not desk.now(wide).current
    assert desk.now(wide).superseded_by is None  # nothing crosses a namespace
    assert (desk.now(here).confidence, desk.now(here).confirmed) == ("reinforced", True)


def test_what_is_global_is_proposed_in_every_project(desk: Desk) -> None:
    for title in ("Answers are given in German", "Answer as given in German"):
        desk.keep(title, type="preference", scope="global")
    desk.tidy()
    assert [one.kind for one in open_proposals(desk.store.db, "e" * 64)] == [MERGE]


@pytest.mark.requirement("A2.3")
def test_a_session_counts_once_and_the_first_one_counts(desk: Desk) -> None:
    record = desk.guess("Use tabs", session_id="s1")
    seen = []
    for session in ("s1", "s1", "s2", "s2", "s1", "s3"):
        found = reinforce_record(desk.store, record.id, session_id=session, threshold=3)
        assert found is not None
        seen.append(found.confidence)
    assert seen == ["inferred"] * 5 + ["reinforced"]


def test_what_was_fetched_and_said_again_counts_more(desk: Desk) -> None:
    plain, fetched, said = (desk.keep(f"Fact {n}") for n in "abc")
    count_access(desk.store, [fetched.id] * 5)
    for session in ("s1", "s2"):
        reinforce_record(desk.store, said.id, session_id=session)
    with desk.store.writing() as tx:
        tx.execute("UPDATE records SET score = NULL WHERE id = ?", (plain.id,))
    assert desk.tidy().rescored == 3
    found = [desk.score(one) for one in (plain, fetched, said)]
    assert found == pytest.approx([1.0, 1.1, 1.2])
    count_access(desk.store, [fetched.id] * 500)
    desk.tidy()
    assert desk.score(fetched) == pytest.approx(1.5)
    assert desk.tidy().rescored == 0


@pytest.mark.parametrize("kind", ["discovery", "bugfix", "handover"])
def test_what_was_only_observed_ends_after_ninety_days(desk: Desk, kind: str) -> None:
    record = desk.guess("The API pages by 50", type=kind, trust="model")
    seen_at = desk.clock.tick(timedelta(days=89))
    assert desk.tidy().archived == 0
    desk.clock.tick(timedelta(days=2))
    assert desk.tidy().archived == 1
    ended = desk.now(record)
    assert (ended.current, ended.superseded_by) == (False, None)
    found = search_records(desk.store, desk.id, "how does the API page?")
    assert found.results == ()
    then = Filters(moment=Moment(as_of=stamp(seen_at)))
    found = search_records(desk.store, desk.id, "how does the API page?", filters=then)
    assert [one.record.id for one in found.results] == [record.id]


@pytest.mark.parametrize("reason", ["fetched", "confirmed", "said again", "pinned"])
def test_what_was_of_use_does_not_end(desk: Desk, reason: str) -> None:
    record = desk.guess("The API pages by 50", type="discovery")
    if reason == "pinned":
        pin_record(desk.store, desk.id, record.id)
    elif reason == "confirmed":
        confirm_record(desk.store, desk.id, record.id)
    elif reason == "fetched":
        count_access(desk.store, [record.id])
    desk.clock.tick(LONG_AGO)
    if reason == "said again":
        reinforce_record(desk.store, record.id, session_id="s2")
    assert desk.tidy().archived == 0
    assert desk.now(record).current


@pytest.mark.parametrize("kind", ["decision", "convention", "preference", "profile"])
def test_what_binds_a_project_does_not_end_by_itself(desk: Desk, kind: str) -> None:
    record = desk.guess("Use tabs", type=kind)
    explicit = desk.keep("The API pages by 50", type="discovery")
    desk.clock.tick(timedelta(days=3650))
    assert desk.tidy().archived == 0
    assert desk.now(record).current
    assert desk.now(explicit).current


def test_a_guess_that_nobody_used_is_proposed_to_end(desk: Desk) -> None:
    record = desk.guess("Perhaps they like tabs")
    desk.keep("Stated", "And so never proposed.")
    desk.clock.tick(timedelta(days=179))
    assert desk.tidy().prunes == 0
    desk.clock.tick(timedelta(days=2))
    assert desk.tidy().prunes == 1
    (one,) = desk.open(PRUNE)
    assert (one.record_id, one.other_id) == (record.id, None)
    assert desk.now(record).current
    assert desk.tidy().prunes == 0
    accept_proposal(desk.store, desk.id, one.id)
    assert not desk.now(record).current


@pytest.mark.parametrize("use", ["confirmed", "fetched", "said again"])
def test_a_guess_that_is_used_after_all_is_proposed_no_more(
    desk: Desk, use: str
) -> None:
    record = desk.guess("Perhaps they like tabs")
    desk.clock.tick(LONGER_AGO)
    desk.tidy()
    if use == "confirmed":
        confirm_record(desk.store, desk.id, record.id)
    elif use == "fetched":
        count_access(desk.store, [record.id])
    else:
        reinforce_record(desk.store, record.id, session_id="s")
    assert desk.open() == []


def test_drift_is_noted_on_the_records(desk: Desk) -> None:
    missing = desk.keep("Readings are stored in UTC")
    root = desk.project.root
    (root / "CLAUDE.md").write_text("# Weather\n\nTests run with tox.\n", "utf-8")
    desk.tidy(str(root))
    query = "SELECT claudemd_drift_score FROM records WHERE id = ?"
    assert desk.store.db.execute(query, (missing.id,)).fetchone()[0] == 0.5
    (root / "CLAUDE.md").write_text("Readings are stored in UTC.\n", "utf-8")
    desk.tidy(str(root))
    assert desk.store.db.execute(query, (missing.id,)).fetchone()[0] == 0


def test_only_the_digests_of_changed_projects_are_made(
    desk: Desk, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    (other / ".agentctx").mkdir(parents=True)
    there = Desk(desk.store, other, desk.clock)
    desk.keep("Use SQLite")
    there.keep("Use Postgres")
    assert set(desk.tidy().projects) == {"weather", "other"}
    before = Path(digest_path(desk.store.home, desk.id)).stat().st_mtime_ns
    there.keep("Use Redis for the queue")
    assert desk.tidy().projects == ("other",)
    digest = read_digest(desk.store.home, there.id)
    assert digest is not None
    assert "Redis" in str(digest.decisions)
    after = Path(digest_path(desk.store.home, desk.id)).stat().st_mtime_ns
    assert after == before
    desk.keep("Short commits", type="preference", scope="global")
    assert set(desk.tidy().projects) == {"weather", "other"}


def test_a_project_whose_folder_is_gone_or_another_is_skipped(
    desk: Desk, tmp_path: Path
) -> None:
    with desk.store.writing() as tx:
        tx.execute("UPDATE namespaces SET root = ?", (str(tmp_path / "gone"),))
    desk.keep("Use SQLite")
    assert desk.tidy().projects == ()
    with desk.store.writing() as tx:
        tx.execute("UPDATE namespaces SET root = ?", (str(tmp_path),))
    assert desk.tidy(str(tmp_path / "gone"), "\0", "").projects == ()
    assert read_digest(desk.store.home, desk.id) is None


def test_where_nothing_is_new_nothing_is_written(desk: Desk) -> None:
    for title in SAME:
        desk.keep(title)
    desk.guess("Perhaps they like tabs")
    desk.keep("Short commits", type="preference", scope="global")
    desk.tidy(str(desk.project.root))
    home = Path(desk.store.home)
    desk.store.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = {
        path: (path.stat().st_mtime_ns, path.read_bytes())
        for path in sorted(home.rglob("*"))
        if path.is_file()
    }
    version = desk.store.version
    desk.clock.tick(timedelta(days=3))
    done = desk.tidy()
    assert done == Consolidated()
    assert desk.store.version == version
    after = {
        path: (path.stat().st_mtime_ns, path.read_bytes())
        for path in sorted(home.rglob("*"))
        if path.is_file()
    }
    assert after == before


def test_states_of_sessions_of_long_ago_are_swept(desk: Desk) -> None:
    home = desk.store.home
    for name in ("old", "new"):
        with session_state(home, name) as state:
            state.add(["x"])
    now = desk.clock().timestamp()
    os.utime(state_path(home, "new"), (now, now))
    past = (desk.clock() - timedelta(days=31)).timestamp()
    os.utime(state_path(home, "old"), (past, past))
    desk.tidy()
    assert not Path(state_path(home, "old")).exists()
    assert Path(state_path(home, "new")).exists()


def test_the_digest_of_nobody_is_removed_and_a_link_is_not_followed(
    desk: Desk, tmp_path: Path
) -> None:
    desk.keep("Use SQLite")
    desk.keep("Short commits", type="preference", scope="global")
    desk.tidy()
    folder = Path(desk.store.home) / "digests"
    orphan, link = folder / f"{'e' * 64}.json", folder / f"{'d' * 64}.json"
    orphan.write_text("{}", "utf-8")
    target = tmp_path / "kept.json"
    target.write_text("{}", "utf-8")
    link.symlink_to(target)
    desk.tidy()
    left = {path.name for path in folder.iterdir()}
    assert left == {f"{desk.id}.json", f"{GLOBAL}.json"}
    assert target.exists()


def test_a_digest_folder_that_cannot_be_written_stops_nothing(desk: Desk) -> None:
    desk.keep("Use SQLite")
    (Path(desk.store.home) / "digests").write_text("in the way", "utf-8")
    assert desk.tidy(str(desk.project.root)).digests == 0
    assert not refresh_digest(desk.store, Facts(desk.project))
    assert len(current_records(desk.store.db, desk.id)) == 1


def test_more_than_one_run_can_compare_is_compared_by_the_next(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentctx.extraction.consolidation.MOST_COMPARED", 3)
    for number in range(3):
        desk.keep(f"Fact {number} of the sensor {'abc'[number] * 5}")
    desk.keep(SAME[0])
    desk.keep(SAME[1])
    assert [desk.tidy().merges, desk.tidy().merges] == [0, 1]
