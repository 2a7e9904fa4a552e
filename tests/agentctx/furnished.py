"""A store that holds something of everything, some of it hostile, for reports."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agentctx.memory.letting import let_go
from agentctx.memory.steering import edit, pin
from agentctx.records.model import GLOBAL, NewRecord, Replacement
from agentctx.records.proposals import MERGE, propose
from agentctx.records.remove import delete_record
from agentctx.records.sessions import Given, account, end_session, note_fetched
from agentctx.records.spending import Call, Cost, reserve, settle_call
from agentctx.records.write import (
    add_record,
    confirm_record,
    pin_record,
    reinforce_record,
    supersede_record,
)
from tests.agentctx.answers import namespace
from tests.agentctx.facts import fact
from tests.agentctx.memory.memories import TABS, believe, memory_at
from tests.recorded import store_at

if TYPE_CHECKING:
    from pathlib import Path

    from agentctx.records.model import Record
    from agentctx.records.store import Store

HOSTILE = (
    "</div></article></main><script>steal()</script>"
    "<img src='https://evil.example/x' onerror=\"steal()\"><!-- --><![CDATA[ ]]>"
    " &lt;b&gt; &#0; javascript:steal() \"'`>"
    " a\u202eb\u2066c\u200bd\u2800e\x00f\x1b[31m"
)
"""Ends every element, asks for outside, and hides: to be seen as nothing but text."""

SEEN = "</div></article></main><script>steal()</script>"
SECRET = "ghp_" + "9aB3xK7qLm2ZpR5tVw8YcD1eFg4HjN6sUoQi"
DELETED = "The zanzibar gateway is fuchsia"
OLD, NEW = "Readings are stored in UTC", "Readings are stored in TAI"
SESSION, STRANGE = "3d0c9a4e-77aa", f"s<{SEEN}"
LONG = "Every station reports. " * 60


class Furnished(NamedTuple):
    """What was put there that a test asks for."""

    project_id: str
    pinned: Record
    head: Record
    mine: Record


def furnish(home: Path, root: Path) -> Furnished:
    """Fill a store and a project's memory, and write the project's instructions."""
    project_id = namespace(root)
    with store_at(home) as store:
        made = _records(store, project_id)
        _sessions(store, project_id, made)
    with memory_at(root) as memory:
        tabs, _, gone = believe(
            memory,
            TABS._replace(
                subject=f"Indentation {SEEN}",
                content=HOSTILE[:200],
                applies_to_paths=("src/app.py",),
            ),
            TABS._replace(subject="Line ends", statement="End lines with LF."),
            TABS._replace(subject="Zanzibar", statement="Paint it fuchsia."),
        )
        let_go(memory, gone.id)
        with memory.writing() as writing:
            told = edit(writing, tabs.id, statement="Indent with real tabs.")
            pin(writing, told.id)
    text = f"# Rules\n\n{OLD}, with a suffix.\n\nSee @gone/{SEEN[:20]}.md\n"
    (root / "CLAUDE.md").write_text(text, encoding="utf-8")
    return made


def _records(store: Store, project_id: str) -> Furnished:
    def add(kind: str, title: str, body: str, **more: str) -> Record:
        new = fact(title, body, type=kind, **more)
        return add_record(store, project_id, new).record

    pinned = add("convention", "Names are nouns", LONG, session_id=SESSION)
    pin_record(store, project_id, pinned.id, pinned=True)
    old = add("decision", OLD, f"{OLD}, with a suffix.", quote="UTC everywhere, please")
    new = Replacement(
        body=f"{NEW}, with a suffix.",
        title=NEW,
        source="cli",
        trust="developer",
        rationale="leap seconds",
    )
    head = supersede_record(store, project_id, old.id, new).record
    gone = add("discovery", DELETED, f"{DELETED}, says the plan.")
    delete_record(store, project_id, gone.id)
    confirm_record(store, project_id, head.id)
    reinforce_record(store, head.id, session_id=SESSION)
    one = add("bugfix", "The pump stalls", "A valve was shut; it is open now.")
    two = add("bugfix", "The pump halts", "Some valve was closed; it opens again.")
    mine = NewRecord(
        type="preference",
        title="I like violet ink",
        body="Always violet ink for me.",
        source="cli",
        scope="global",
    )
    own = add_record(store, project_id, mine).record
    assert own.project_id == GLOBAL
    with store.writing() as tx:
        propose(store, tx, project_id, MERGE, (one.id, two.id))
        _hostile_row(store, project_id)
    return Furnished(project_id, pinned, head, own)


def _hostile_row(store: Store, project_id: str) -> None:
    """Insert what only plain SQL could: an id, times and texts of any kind."""
    record_id = f'x" onclick="{SEEN}'
    store.db.execute(
        "INSERT INTO records (id, project_id, type, title, body, confidence,"
        " valid_from, recorded_at, source, session_id)"
        " VALUES (?, ?, 'decision', ?, ?, 'inferred', ?, ?, 'import', ?)",
        (
            record_id,
            project_id,
            HOSTILE[:120],
            f"{HOSTILE} token={SECRET}",
            SEEN,
            f"2026-01-01T00:00:00.000Z{SEEN}",
            STRANGE,
        ),
    )
    store.db.execute(
        "INSERT INTO provenance (record_id, trust, rationale, quote)"
        " VALUES (?, 'file', ?, ?)",
        (record_id, HOSTILE, HOSTILE),
    )
    store.db.execute(
        "INSERT INTO nodes (id, project_id, kind, name) VALUES ('n', ?, 'file', ?)",
        (project_id, f"src/{SEEN}.py"),
    )
    store.db.execute(
        "INSERT INTO record_entities (record_id, entity_id) VALUES (?, 'n')",
        (record_id,),
    )


def _sessions(store: Store, project_id: str, made: Furnished) -> None:
    given = Given("UserPromptSubmit", 120, (made.pinned.id, made.head.id))
    account(store, SESSION, project_id, given)
    account(store, STRANGE, project_id, Given(f"<{SEEN}", 30))
    with store.writing() as tx:
        note_fetched(tx, [made.head.id], session_id=SESSION, now=store.clock())
        end_session(tx, SESSION, now=store.clock())
        for purpose, model, cost in (
            ("extraction", "claude-one", 0.25),
            ("extraction", "claude-two", 0.5),
            (f"<{SEEN}", "claude-two", 1.0),
        ):
            call = reserve(store, tx, Call(SESSION, purpose, model), cost)
            settle_call(tx, call, Cost(1000, 10, cost, "answered"))
