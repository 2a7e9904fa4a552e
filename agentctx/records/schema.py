"""The tables of the record store, and how a store comes to have them (A2.1).

`records`, its full-text index, the graph and `sessions` are column for column those of
the specification. The other tables are ours: where a record comes from, the derived
index of terms in every script, reinforcements, tombstones.
"""

from __future__ import annotations

from agentctx.records.heard import HEARD
from agentctx.records.memories import MEMORIES
from agentctx.records.shared import SHARED
from agentctx.records.staged import STAGED
from corpus.sqlite import Layout, has_module
from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from corpus.sqlite import Tx

APPLICATION_ID = 0x41435458
"""`ACTX`: the mark in the header of every record store."""

_RECORDS = """
CREATE TABLE records (
  id              TEXT PRIMARY KEY NOT NULL,
  project_id      TEXT NOT NULL,
  type            TEXT NOT NULL CHECK (type IN ('decision', 'convention',
                    'preference', 'discovery', 'bugfix', 'handover', 'profile')),
  title           TEXT NOT NULL CHECK (length(title) BETWEEN 1 AND 120),
  body            TEXT NOT NULL CHECK (length(body) BETWEEN 1 AND 2000),
  scope           TEXT DEFAULT 'project' CHECK (scope IN ('project', 'global')),
  pinned          INTEGER DEFAULT 0 CHECK (pinned IN (0, 1)),
  confidence      TEXT DEFAULT 'inferred'
                    CHECK (confidence IN ('explicit', 'inferred', 'reinforced')),
  reinforce_count INTEGER DEFAULT 0,
  valid_from      TEXT NOT NULL,
  recorded_at     TEXT NOT NULL,
  superseded_at   TEXT,
  superseded_by   TEXT REFERENCES records(id),
  access_count    INTEGER DEFAULT 0,
  last_accessed   TEXT,
  score           REAL DEFAULT 1.0,
  claudemd_drift_score REAL DEFAULT 0.0,
  source          TEXT NOT NULL CHECK (source IN ('llm_extraction',
                    'hook_observation', 'mcp_tool', 'cli', 'import')),
  session_id      TEXT,
  pending_embedding INTEGER DEFAULT 1
) STRICT
"""

_GRAPH = (
    """
CREATE TABLE nodes (
  id TEXT PRIMARY KEY NOT NULL,
  project_id TEXT NOT NULL,
  kind TEXT NOT NULL
    CHECK (kind IN ('file', 'symbol', 'package', 'module', 'branch')),
  name TEXT NOT NULL,
  UNIQUE (project_id, kind, name)
) STRICT
""",
    """
CREATE TABLE edges (
  id TEXT PRIMARY KEY NOT NULL,
  from_id TEXT NOT NULL,
  to_id TEXT NOT NULL,
  rel_type TEXT NOT NULL CHECK (rel_type IN ('supersedes', 'applies_to',
    'observed_in', 'derives_from', 'scoped_to')),
  weight REAL DEFAULT 1.0,
  UNIQUE (from_id, to_id, rel_type)
) STRICT
""",
    "CREATE INDEX edges_from ON edges(from_id)",
    "CREATE INDEX edges_to ON edges(to_id)",
    """
CREATE TABLE record_entities (
  record_id TEXT NOT NULL,
  entity_id TEXT NOT NULL,
  PRIMARY KEY (record_id, entity_id)
) STRICT
""",
    "CREATE INDEX record_entities_by_entity ON record_entities(entity_id)",
    """
CREATE TABLE sessions (
  session_id TEXT PRIMARY KEY NOT NULL,
  project_id TEXT,
  started_at TEXT,
  ended_at TEXT,
  tokens_injected INTEGER DEFAULT 0,
  extraction_cost_usd REAL DEFAULT 0
) STRICT
""",
)

_OURS = (
    """
CREATE TABLE provenance (
  record_id TEXT PRIMARY KEY NOT NULL REFERENCES records(id) ON DELETE CASCADE,
  trust TEXT NOT NULL
    CHECK (trust IN ('developer', 'model', 'teammate', 'file', 'tool')),
  confirmed INTEGER NOT NULL DEFAULT 0 CHECK (confirmed IN (0, 1)),
  key TEXT,
  rationale TEXT,
  quote TEXT
) STRICT
""",
    """
CREATE TABLE namespaces (
  project_id TEXT PRIMARY KEY NOT NULL,
  number INTEGER NOT NULL UNIQUE,
  name TEXT NOT NULL DEFAULT '',
  root TEXT NOT NULL DEFAULT ''
) STRICT
""",
    """
CREATE TABLE reinforcements (
  record_id TEXT NOT NULL REFERENCES records(id) ON DELETE CASCADE,
  session_id TEXT NOT NULL,
  at TEXT NOT NULL,
  PRIMARY KEY (record_id, session_id)
) STRICT
""",
    """
CREATE TABLE tombstones (
  id TEXT PRIMARY KEY NOT NULL,
  project_id TEXT NOT NULL,
  content_sha256 TEXT NOT NULL,
  signature BLOB NOT NULL,
  deleted_at TEXT NOT NULL
) STRICT
""",
    "CREATE INDEX tombstones_by_project ON tombstones(project_id)",
    """
CREATE TABLE state (
  name TEXT PRIMARY KEY NOT NULL,
  value INTEGER NOT NULL
) STRICT
""",
    "INSERT INTO state (name, value) VALUES ('version', 0)",
)

_SHOWN = (
    "title, body, type, scope, pinned, confidence, superseded_at, valid_from,"
    " project_id"
)
"""Columns whose change makes a digest stale."""

_TERMS = (
    """
CREATE TABLE record_terms (
  namespace INTEGER NOT NULL,
  term TEXT NOT NULL,
  record INTEGER NOT NULL,
  weight INTEGER NOT NULL,
  PRIMARY KEY (namespace, term, record)
) STRICT, WITHOUT ROWID
""",
    """
CREATE TABLE indexed_records (
  record INTEGER PRIMARY KEY NOT NULL,
  namespace INTEGER NOT NULL,
  terms TEXT NOT NULL
) STRICT
""",
    "CREATE TABLE unindexed_records (record INTEGER PRIMARY KEY NOT NULL) STRICT",
    """
CREATE INDEX current_records ON records(project_id, type, title)
WHERE superseded_at IS NULL
""",
    """
CREATE INDEX predecessors ON records(superseded_by)
WHERE superseded_by IS NOT NULL
""",
    """
CREATE TRIGGER records_added AFTER INSERT ON records BEGIN
  INSERT OR IGNORE INTO unindexed_records (record) VALUES (new.rowid);
END
""",
    """
CREATE TRIGGER records_changed AFTER UPDATE OF title, body, project_id ON records
BEGIN
  INSERT OR IGNORE INTO unindexed_records (record) VALUES (old.rowid);
END
""",
    """
CREATE TRIGGER records_removed AFTER DELETE ON records BEGIN
  INSERT OR IGNORE INTO unindexed_records (record) VALUES (old.rowid);
END
""",
    *(
        f"CREATE TRIGGER version_after_{event.split()[0].lower()} AFTER {event}"
        " ON records BEGIN"
        " UPDATE state SET value = value + 1 WHERE name = 'version'; END"
        for event in (
            "INSERT",
            "DELETE",
            f"UPDATE OF {_SHOWN}",
        )
    ),
)

FULL_TEXT = (
    """
CREATE VIRTUAL TABLE records_fts
USING fts5(title, body, content=records, content_rowid=rowid)
""",
    """
CREATE TRIGGER records_fts_insert AFTER INSERT ON records BEGIN
  INSERT INTO records_fts (rowid, title, body)
  VALUES (new.rowid, new.title, new.body);
END
""",
    """
CREATE TRIGGER records_fts_delete AFTER DELETE ON records BEGIN
  INSERT INTO records_fts (records_fts, rowid, title, body)
  VALUES ('delete', old.rowid, old.title, old.body);
END
""",
    """
CREATE TRIGGER records_fts_update AFTER UPDATE OF title, body ON records BEGIN
  INSERT INTO records_fts (records_fts, rowid, title, body)
  VALUES ('delete', old.rowid, old.title, old.body);
  INSERT INTO records_fts (rowid, title, body)
  VALUES (new.rowid, new.title, new.body);
END
""",
)
"""The full-text index and what keeps it, where this SQLite has FTS5."""

FULL_TEXT_TRIGGERS = (
    "records_fts_insert",
    "records_fts_delete",
    "records_fts_update",
)


def _first(tx: Tx) -> None:
    for statement in (_RECORDS, *_GRAPH, *_OURS, *_TERMS):
        tx.execute(statement)
    if has_module(tx, "fts5"):
        for statement in FULL_TEXT:
            tx.execute(statement)


def _second(tx: Tx) -> None:
    for statement in HEARD:
        tx.execute(statement)


def _third(tx: Tx) -> None:
    for statement in (*MEMORIES, *SHARED):
        tx.execute(statement)


def _fourth(tx: Tx) -> None:
    for statement in STAGED:
        tx.execute(statement)


LAYOUT = Layout(APPLICATION_ID, (_first, _second, _third, _fourth))
"""The present layout of a record store."""
