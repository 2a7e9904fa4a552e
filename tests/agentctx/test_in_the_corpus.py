"""Records and memory items as sources of a corpus: which, to whom, and as what."""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from agentctx.clock import stamp
from agentctx.memory.items import forget
from agentctx.memory.switch import turn_off
from agentctx.project import resolve_project
from agentctx.providers.memory import MemoryProvider
from agentctx.providers.records import RecordProvider
from agentctx.records.model import GLOBAL
from agentctx.records.write import add_record, supersede_record
from corpus.bundle import compile_bundle
from corpus.provision import Leave, Provision, leave_by_policy
from corpus.sources.provided import CAPABILITIES, MEMORY, RECORDS
from corpus.view import provision_for
from tests.agentctx.facts import ELSEWHERE, fact, heard
from tests.agentctx.memory.memories import TABS, believe, decide, memory_at, propose
from tests.corpora import (
    dirs_of,
    live_view_of_corpus,
    policy_page,
    write_corpus,
)
from tests.mcp.serving import call, desk_of
from tests.provided import OPEN, entry, installed
from tests.recorded import Ticking, store_at
from tests.trusted import MOMENT, grant_everything, write_trusted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from agentctx.memory.store import MemoryStore
    from agentctx.records.model import Record
    from agentctx.records.store import Store
    from corpus.sources.provided import Provided
    from tests.conftest import InProcess

WAX = "Grease every bearing with wax in spring, for oil freezes."
QUERY = "what greases the bearings"
PROVIDERS = [entry(RecordProvider(), "records"), entry(MemoryProvider(), "memory")]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "one", policy=OPEN)


@pytest.fixture
def records(store_home: Path) -> Iterator[Store]:
    with store_at(store_home) as opened:
        yield opened


@pytest.fixture
def memory(root: Path) -> Iterator[MemoryStore]:
    with memory_at(root, Ticking()) as opened:
        yield opened


@pytest.fixture
def registered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    yield from installed(tmp_path / "site", monkeypatch)


def namespace(root: Path) -> str:
    return resolve_project(root, environ=os.environ).project_id


def keep(store: Store, root: Path, body: str = WAX, **more: object) -> Record:
    new = fact("Bearings are greased with wax", body, **more)
    return add_record(store, namespace(root), new).record


def given(
    root: Path, query: str = QUERY, *, history: bool = False, everywhere: bool = False
) -> dict[str, Provided]:
    leave = Leave(CAPABILITIES, everywhere=everywhere)
    provision = Provision(root, leave, PROVIDERS)
    found = {one.path: one for one in provision.find(query, history=history)}
    assert provision.findings == ()
    return found


def named(root: Path, *paths: str, everywhere: bool = False) -> dict[str, Provided]:
    leave = Leave(CAPABILITIES, everywhere=everywhere)
    return dict(Provision(root, leave, PROVIDERS).named(paths))


# --- records


@pytest.mark.requirement("P16.1")
def test_a_record_is_a_source_whose_hash_is_of_its_fields(
    root: Path, records: Store
) -> None:
    kept = keep(records, root, pinned=True)
    (source,) = given(root).values()
    fields = {
        "id": kept.id,
        "type": "decision",
        "title": kept.title,
        "body": WAX,
        "scope": "project",
        "confidence": "explicit",
        "pinned": True,
        "valid_from": kept.valid_from,
        "recorded_at": kept.recorded_at,
        "superseded_at": None,
        "superseded_by": None,
        "source": "cli",
    }
    text = json.dumps(fields, sort_keys=True, separators=(",", ":"))
    assert source.path == f"agentctx:records/{kept.id}"
    assert source.sha256 == hashlib.sha256(text.encode()).hexdigest()
    assert (source.title, source.text) == (kept.title, WAX)
    assert source.authority == "RECORD_EXPLICIT"
    assert (source.valid_from, source.recorded_at) == (
        kept.valid_from,
        kept.recorded_at,
    )


@pytest.mark.requirement("P16.1")
def test_what_a_model_inferred_is_labelled_so(root: Path, records: Store) -> None:
    add_record(records, namespace(root), heard("Bearings like wax", WAX))
    assert [one.authority for one in given(root).values()] == ["RECORD_INFERRED"]


@pytest.mark.requirement("P16.1")
def test_records_of_other_projects_never_come(
    root: Path, records: Store, tmp_path: Path
) -> None:
    near = write_corpus(tmp_path / "one-more", policy=OPEN)
    others = [
        add_record(records, ELSEWHERE, fact("Bearings elsewhere", WAX)).record,
        keep(records, near),
    ]
    paths = [f"agentctx:records/{one.id}" for one in others]
    for everywhere in (False, True):
        assert given(root, everywhere=everywhere) == {}
        assert given(root, history=True, everywhere=everywhere) == {}
        assert named(root, *paths, everywhere=everywhere) == {}
    assert list(given(near)) == [paths[1]]


@pytest.mark.requirement("P16.1")
def test_what_holds_everywhere_comes_only_where_it_was_granted(
    root: Path, records: Store
) -> None:
    wide = add_record(records, GLOBAL, fact("Wax bearings", WAX, scope="global")).record
    path = f"agentctx:records/{wide.id}"
    assert given(root) == {}
    assert named(root, path) == {}
    assert given(root, everywhere=True)[path].everywhere
    assert list(named(root, path, everywhere=True)) == [path]


@pytest.mark.requirement("P16.1")
def test_superseded_records_come_only_to_questions_about_the_past(
    root: Path, records: Store
) -> None:
    old = keep(records, root)
    new = add_record(
        records, namespace(root), fact("Grease", "Bearings are greased with oil now.")
    ).record
    records.db.execute(
        "UPDATE records SET superseded_at = ?, superseded_by = ? WHERE id = ?",
        (stamp(records.clock()), new.id, old.id),
    )
    assert list(given(root)) == [f"agentctx:records/{new.id}"]
    past = given(root, history=True)[f"agentctx:records/{old.id}"]
    assert past.superseded
    assert past.superseded_by == f"agentctx:records/{new.id}"
    assert given(root, "轴承", history=True) == {}


@pytest.mark.requirement("P16.1")
def test_a_secret_and_what_hides_are_taken_out_of_a_record(
    root: Path, records: Store
) -> None:
    kept = keep(records, root)
    secret = "ghp_" + "a1B2" * 9
    body = f"{WAX} token {secret}\u202e\u200b and a bell\x07"
    records.db.execute("UPDATE records SET body = ? WHERE id = ?", (body, kept.id))
    (source,) = given(root).values()
    assert secret not in source.text
    assert "wax in spring" in source.text
    assert not {"\u202e", "\u200b", "\x07"} & set(source.text)


@pytest.mark.requirement("P16.2")
def test_without_a_store_nothing_is_given_said_or_made(
    root: Path, store_home: Path
) -> None:
    before = sorted(path for path in root.rglob("*"))
    assert given(root) == {}
    assert named(root, "agentctx:records/01ARZ3NDEKTSV4RRFFQ69G5FAV") == {}
    assert not store_home.exists()
    assert sorted(path for path in root.rglob("*")) == before
    (root / ".agentctx").mkdir()
    assert given(root) == {}
    assert list((root / ".agentctx").iterdir()) == []


@pytest.mark.requirement("P16.3")
def test_a_damaged_store_is_a_finding(root: Path, store_home: Path) -> None:
    store_home.mkdir(mode=0o700)
    (store_home / "agentctx.db").write_bytes(b"no database" * 500)
    provision = Provision(root, Leave(CAPABILITIES), PROVIDERS)
    assert provision.find(QUERY, history=False) == ()
    (finding,) = provision.findings
    assert (finding.code, finding.path) == ("PROVIDER_FAILED", "records")
    assert str(store_home) not in finding.detail


# --- memory items


BEARINGS = TABS._replace(
    kind="project_decision",
    subject="Greasing bearings",
    statement=WAX,
    content=WAX,
    aliases=("bearing grease",),
    keywords=("wax",),
)


@pytest.mark.requirement("P16.2")
def test_memory_items_join_the_same_way(
    root: Path, store_home: Path, memory: MemoryStore
) -> None:
    del store_home
    (item,) = believe(memory, BEARINGS)
    (source,) = given(root, "how is greasing bearings done").values()
    assert source.path == f"agentctx:memory/{item.id}"
    assert (source.title, source.text) == ("Greasing bearings", WAX)
    assert source.authority == "MEMORY_EXPLICIT"
    assert source.valid_from == item.created_at
    assert named(root, source.path)[source.path] == source


@pytest.mark.requirement("P16.2")
def test_what_one_conversation_or_some_files_are_about_stays_there(
    root: Path, memory: MemoryStore
) -> None:
    here = BEARINGS._replace(kind="discussion_context", strength="soft")
    some = BEARINGS._replace(
        subject="Greasing bearings of pumps", applies_to_paths=("pumps",)
    )
    believe(memory, here)
    believe(memory, some)
    assert given(root, "how is greasing bearings done") == {}
    assert given(root, "how was greasing bearings done", history=True) == {}


@pytest.mark.requirement("P16.2", "P16.4")
def test_a_superseded_item_is_of_the_past_and_a_forgotten_one_is_gone(
    root: Path, memory: MemoryStore
) -> None:
    (old,) = believe(memory, BEARINGS)
    path = f"agentctx:memory/{old.id}"
    before = given(root, "greasing bearings")[path]
    new = supersede_item(memory, old.id)
    assert path not in given(root, "greasing bearings")
    past = given(root, "greasing bearings", history=True)[path]
    assert past.superseded
    assert past.superseded_by == f"agentctx:memory/{new}"
    assert named(root, path)[path].sha256 not in {before.sha256, ""}
    with memory.writing() as writing:
        forget(writing, new)
    assert given(root, "greasing bearings") == {}
    assert named(root, f"agentctx:memory/{new}") == {}


def supersede_item(memory: MemoryStore, old: Any) -> Any:  # noqa: ANN401 - an item's id
    from agentctx.memory.items import Operation  # noqa: PLC0415 - this alone

    changed = BEARINGS._replace(
        statement="Grease bearings with oil.", content="Grease bearings with oil."
    )
    batch = propose(memory, changed)
    ids = batch.jobs[0].candidate_ids
    (item,) = decide(memory, batch, [Operation("supersede", ids, old, changed)], old)
    return item.id


@pytest.mark.requirement("P16.2")
def test_memory_that_is_off_gives_nothing(root: Path, memory: MemoryStore) -> None:
    believe(memory, BEARINGS)
    assert given(root, "greasing bearings")
    turn_off(str(root))
    assert given(root, "greasing bearings") == {}


# --- who may


def leave(root: Path) -> Leave:
    return leave_by_policy(
        root, live_view_of_corpus(root).project.policy, dirs=dirs_of(root)
    )


@pytest.mark.requirement("P16.1", "P3.4")
def test_a_policy_offers_and_only_a_grant_adds_what_holds_everywhere(
    tmp_path: Path,
) -> None:
    plain = write_corpus(tmp_path / "plain", policy=policy_page())
    assert leave(plain) == Leave()
    root = write_corpus(tmp_path / "one", policy=OPEN)
    assert leave(root) == Leave(CAPABILITIES, everywhere=False)
    grant_everything(root)
    assert leave(root) == Leave(CAPABILITIES, everywhere=True)
    grant_everything(root, capability_ceiling=frozenset({"corpus.context", MEMORY}))
    assert leave(root) == Leave(frozenset({MEMORY}), everywhere=False)
    grant_everything(root, transports=frozenset({"stdio-mcp"}))
    assert leave(root) == Leave()
    grant_everything(root, root_identity="1:1", capability_ceiling=frozenset())
    assert leave(root) == Leave(CAPABILITIES, everywhere=False)


@pytest.mark.requirement("P16.1", "P15.1")
def test_over_mcp_all_four_layers_have_to_hold_the_capability(
    tmp_path: Path, records: Store, registered: None
) -> None:
    del registered
    root = write_trusted(tmp_path / "one")
    kept = keep(records, root)

    def found(**layers: Any) -> set[str]:  # noqa: ANN401 - what a desk takes
        value = call(desk_of(root, **layers), "corpus.context_query", {"query": QUERY})
        return {
            one["source_path"]
            for one in value.value["results"]
            if one["provider"] == "agentctx"
        }

    reading = frozenset({"mcp.stdio", "corpus.context"})
    assert found() == {f"agentctx:records/{kept.id}"}
    assert found(asked=reading) == set()
    assert found(asked=reading | {RECORDS}) == {f"agentctx:records/{kept.id}"}
    grant_everything(root, capability_ceiling=reading)
    assert found() == set()
    bundle = call(desk_of(root), "corpus.context_bundle", {"query": QUERY}).value
    assert all(":" not in one["source_path"] for one in bundle["items"])


@pytest.mark.requirement("P16.1")
def test_a_bundle_without_the_policys_leave_is_the_same_bytes(
    tmp_path: Path, records: Store, registered: None
) -> None:
    del registered
    root = write_corpus(tmp_path / "one")
    view = live_view_of_corpus(root)
    before = compile_bundle(view, QUERY, now=MOMENT)
    keep(records, root)
    provision = provision_for(view.project, dirs=dirs_of(root))
    after = compile_bundle(view._replace(provision=provision), QUERY, now=MOMENT)
    assert json.dumps(after) == json.dumps(before)


# --- from the command line


@pytest.mark.requirement("P16.1", "P16.3")
def test_an_installation_registers_both_providers(registered: None) -> None:
    del registered
    from corpus.sources.providers import registered as found  # noqa: PLC0415 - named so

    loaded = {one.name: one.load() for one in found()}
    kinds = {name: type(one) for name, one in loaded.items()}
    assert kinds == {
        "agentctx.memory": MemoryProvider,
        "agentctx.records": RecordProvider,
    }


@pytest.mark.requirement("P16.1", "P16.4")
def test_a_bundle_with_a_record_verifies_until_the_record_is_superseded(
    root: Path, records: Store, registered: None, cli: InProcess, tmp_path: Path
) -> None:
    del registered
    kept = keep(records, root)
    path = f"agentctx:records/{kept.id}"
    assert cli("context", "build", str(root)).status == 0
    made = cli("context", "bundle", str(root), QUERY, "--format", "json")
    value = json.loads(made.out)
    assert value["selected_source_snapshot"][path]
    file = tmp_path / "bundle.json"
    file.write_text(made.out, "utf-8")
    verify = ("context", "verify", str(root), "--bundle", str(file), "--format", "json")
    sound = cli(*verify)
    assert (sound.status, json.loads(sound.out)["stale_sources"]) == (0, [])
    assert cli("context", "doctor", str(root), "--bundle", str(file)).status == 0
    supersede_record_of(records, root, kept)
    stale = cli(*verify)
    assert stale.status == 1
    assert json.loads(stale.out)["stale_sources"] == [
        {"source_path": path, "state": "superseded"}
    ]
    examined = cli("context", "doctor", str(root), "--bundle", str(file))
    assert (examined.status, path in examined.out) == (1, True)
    shown = cli("context", "query", str(root), QUERY, "--format", "text")
    assert "RECORD_EXPLICIT current" in shown.out
    only = cli("context", "query", str(root), QUERY, "--type", "memory")
    assert json.loads(only.out)["results"] == []


def supersede_record_of(store: Store, root: Path, old: Record) -> None:
    from agentctx.records.model import Replacement  # noqa: PLC0415 - this alone

    new = Replacement(body=f"{WAX} Twice.", source="cli", trust="developer")
    supersede_record(store, namespace(root), old.id, new)
