"""The tables of what sessions said, were told and cost, in a store's second layout.

They hold no sentence of a conversation: which records a session was given, what was
observed there, how far its transcript was read, and what a model was paid for it.
A reply of a model waits here only until it is stored as records.
"""

from __future__ import annotations

_CHANGED = (
    "INSERT INTO changes (project_id, version) VALUES ({}.project_id, 1)"
    " ON CONFLICT (project_id) DO UPDATE SET version = version + 1;"
)
_SHOWN = (
    "title, body, type, scope, pinned, confidence, superseded_at, valid_from,"
    " project_id"
)

HEARD = (
    """
CREATE TABLE changes (
  project_id TEXT PRIMARY KEY NOT NULL,
  version INTEGER NOT NULL
) STRICT
""",
    *(
        f"CREATE TRIGGER changed_by_{event.split()[0].lower()} AFTER {event}"
        f" ON records BEGIN {' '.join(map(_CHANGED.format, rows))} END"
        for event, rows in (
            ("INSERT", ("new",)),
            ("DELETE", ("old",)),
            (f"UPDATE OF {_SHOWN}", ("old", "new")),
        )
    ),
    """
CREATE TABLE injections (
  id INTEGER PRIMARY KEY NOT NULL,
  session_id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  event TEXT NOT NULL,
  tokens INTEGER NOT NULL,
  at TEXT NOT NULL
) STRICT
""",
    "CREATE INDEX injections_by_session ON injections(session_id)",
    """
CREATE TABLE injected_records (
  session_id TEXT NOT NULL,
  record_id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  at TEXT NOT NULL,
  fetched_at TEXT,
  PRIMARY KEY (session_id, record_id)
) STRICT, WITHOUT ROWID
""",
    "CREATE INDEX injected_by_record ON injected_records(record_id)",
    """
CREATE TABLE observations (
  id INTEGER PRIMARY KEY NOT NULL,
  session_id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  detail TEXT NOT NULL DEFAULT '',
  at TEXT NOT NULL
) STRICT
""",
    "CREATE INDEX observations_by_session ON observations(session_id, kind)",
    "CREATE INDEX observations_by_name ON observations(project_id, kind, name)",
    """
CREATE TABLE transcripts (
  session_id TEXT PRIMARY KEY NOT NULL,
  project_id TEXT NOT NULL,
  cwd TEXT NOT NULL,
  path TEXT NOT NULL,
  asks INTEGER NOT NULL DEFAULT 1 CHECK (asks IN (0, 1)),
  spoke INTEGER NOT NULL DEFAULT 0 CHECK (spoke IN (0, 1)),
  place INTEGER NOT NULL DEFAULT 0,
  identity TEXT NOT NULL DEFAULT '',
  heard_at TEXT NOT NULL,
  ended_at TEXT,
  settled_at TEXT,
  retry_at TEXT,
  problem TEXT
) STRICT
""",
    """
CREATE TABLE spans (
  id TEXT PRIMARY KEY NOT NULL,
  session_id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  cwd TEXT NOT NULL,
  parts TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('whole', 'chunk', 'left_out')),
  state TEXT NOT NULL CHECK (state IN ('due', 'replied', 'done', 'failed')),
  tokens INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  due_at TEXT NOT NULL,
  reply TEXT,
  shown TEXT NOT NULL DEFAULT '[]',
  problem TEXT
) STRICT
""",
    "CREATE INDEX spans_by_session ON spans(session_id, state)",
    """
CREATE TABLE yields (
  session_id TEXT NOT NULL,
  outcome TEXT NOT NULL,
  number INTEGER NOT NULL,
  PRIMARY KEY (session_id, outcome)
) STRICT, WITHOUT ROWID
""",
    """
CREATE TABLE model_calls (
  id TEXT PRIMARY KEY NOT NULL,
  session_id TEXT NOT NULL,
  purpose TEXT NOT NULL,
  model TEXT NOT NULL,
  input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  cost_usd REAL NOT NULL,
  outcome TEXT NOT NULL,
  at TEXT NOT NULL
) STRICT
""",
    "CREATE INDEX model_calls_by_time ON model_calls(at)",
    "CREATE INDEX model_calls_by_session ON model_calls(session_id)",
    """
CREATE TABLE proposals (
  id TEXT PRIMARY KEY NOT NULL,
  project_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('merge', 'supersede', 'prune')),
  record_id TEXT NOT NULL REFERENCES records(id) ON DELETE CASCADE,
  other_id TEXT REFERENCES records(id) ON DELETE CASCADE,
  at TEXT NOT NULL,
  dismissed_at TEXT,
  UNIQUE (kind, record_id, other_id)
) STRICT
""",
    """
CREATE TRIGGER tidied_after_delete AFTER DELETE ON records BEGIN
  UPDATE state SET value = (SELECT COALESCE(max(rowid), 0) FROM records)
   WHERE name = 'tidied' AND value > (SELECT COALESCE(max(rowid), 0) FROM records);
END
""",
    """
CREATE TABLE leases (
  name TEXT PRIMARY KEY NOT NULL,
  owner TEXT NOT NULL,
  process INTEGER NOT NULL,
  until TEXT NOT NULL
) STRICT
""",
)

HEARD_TABLES = (
    "changes",
    "injections",
    "injected_records",
    "observations",
    "transcripts",
    "spans",
    "yields",
    "model_calls",
    "proposals",
    "leases",
)
