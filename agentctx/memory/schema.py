"""The tables of conversation memory, version 4, and what a sound catalog holds (M1).

The catalog of a store is compared word for word with these statements: a table, an
index or a trigger more, fewer or otherwise makes it another program's.
"""

from __future__ import annotations

from corpus.sqlite import Layout
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from corpus.sqlite import Db, Tx

APPLICATION_ID = 0x4143544D
"""`ACTM`: the mark in the header of every memory."""

VERSION = 4
"""The one layout that is supported; no other was ever ours to read (M1.2)."""

_MEANING = """
  subject TEXT NOT NULL CHECK (length(subject) BETWEEN 1 AND 160),
  statement TEXT NOT NULL CHECK (length(statement) BETWEEN 1 AND 960),
  content TEXT NOT NULL CHECK (length(content) BETWEEN 1 AND 4000),
  strength TEXT NOT NULL CHECK (strength IN ('hard', 'soft')),
  origin TEXT NOT NULL CHECK (
    origin IN ('explicit', 'adopted_proposal', 'inferred_repetition')),
  recall_mode TEXT NOT NULL CHECK (recall_mode IN ('always', 'on_match')),
  applies_to_paths_json TEXT NOT NULL DEFAULT '[]'
    CHECK (json_valid(applies_to_paths_json)),
  aliases_json TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(aliases_json)),
  keywords_json TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(keywords_json)),"""
"""What candidates and items say alike."""

_COMBINATIONS = """
  CHECK (origin <> 'inferred_repetition' OR
         (kind = 'user_preference' AND strength = 'soft')),
  CHECK (recall_mode <> 'always' OR (strength = 'hard' AND kind <>
         'discussion_context' AND origin <> 'inferred_repetition')),
  CHECK (kind <> 'discussion_context' OR
         (strength = 'soft' AND origin = 'explicit'))"""

_KIND = """TEXT NOT NULL CHECK (
    kind IN ('user_preference', 'project_decision', 'discussion_context'))"""

_TABLES = (
    """CREATE TABLE memory_meta (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  generation INTEGER NOT NULL DEFAULT 1 CHECK (generation >= 1),
  database_uuid TEXT NOT NULL CHECK (length(database_uuid) = 32),
  last_succeeded_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT""",
    """CREATE TABLE threads (
  id TEXT PRIMARY KEY NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'archived')),
  compaction TEXT NOT NULL DEFAULT '' CHECK (length(compaction) <= 4000),
  compaction_sequence INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  archived_at TEXT,
  CHECK ((status = 'archived') = (archived_at IS NOT NULL))
) STRICT""",
    """CREATE UNIQUE INDEX one_active_memory_thread ON threads(status)
WHERE status = 'active'""",
    """CREATE TABLE turns (
  id TEXT PRIMARY KEY NOT NULL,
  thread_id TEXT NOT NULL REFERENCES threads(id) ON DELETE CASCADE,
  sequence INTEGER NOT NULL CHECK (sequence >= 1),
  profile TEXT NOT NULL CHECK (profile IN ('ordinary', 'review')),
  intent TEXT NOT NULL,
  session_id TEXT NOT NULL,
  user_text TEXT NOT NULL,
  assistant_text TEXT NOT NULL DEFAULT '',
  scope_paths_json TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(scope_paths_json)),
  evidence_keys_json TEXT NOT NULL DEFAULT '[]'
    CHECK (json_valid(evidence_keys_json)),
  state TEXT NOT NULL
    CHECK (state IN ('open', 'completed', 'failed', 'interrupted')),
  error_code TEXT CHECK (error_code IS NULL OR state = 'failed'),
  late_refused INTEGER NOT NULL DEFAULT 0 CHECK (late_refused IN (0, 1)),
  lease_owner TEXT,
  lease_expires_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (thread_id, sequence),
  CHECK ((state = 'open') = (lease_owner IS NOT NULL)),
  CHECK ((state = 'open') = (lease_expires_at IS NOT NULL))
) STRICT""",
    "CREATE INDEX turns_thread_sequence ON turns(thread_id, sequence)",
    "CREATE INDEX turns_session ON turns(session_id)",
    """CREATE UNIQUE INDEX one_open_turn ON turns(session_id)
WHERE state = 'open'""",
    """CREATE TABLE memory_jobs (
  id TEXT PRIMARY KEY NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('extraction', 'consolidation')),
  thread_id TEXT REFERENCES threads(id) ON DELETE CASCADE,
  turn_id TEXT REFERENCES turns(id) ON DELETE CASCADE,
  payload_json TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(payload_json)),
  idempotency_key TEXT NOT NULL UNIQUE,
  status TEXT NOT NULL CHECK (status IN ('pending', 'leased', 'retry_wait',
    'succeeded', 'succeeded_no_output', 'failed')),
  generation INTEGER NOT NULL,
  claim_count INTEGER NOT NULL DEFAULT 0 CHECK (claim_count BETWEEN 0 AND 2),
  provider_calls INTEGER NOT NULL DEFAULT 0 CHECK (provider_calls BETWEEN 0 AND 3),
  lease_owner TEXT,
  lease_expires_at TEXT,
  next_retry_at TEXT,
  failure_class TEXT CHECK (failure_class IN ('provider_transient',
    'provider_permanent', 'provider_timeout', 'sqlite_locked', 'contract_structure',
    'contract_semantic', 'capacity', 'lease_lost', 'schema_damaged', 'internal')),
  failure_phase TEXT CHECK (failure_phase IN ('claim', 'prepare', 'call', 'parse',
    'validate', 'commit', 'heartbeat')),
  failure_call TEXT CHECK (failure_call IN ('primary', 'repair')),
  failure_rule TEXT CHECK (length(failure_rule) BETWEEN 1 AND 64
    AND failure_rule NOT GLOB '*[^a-z0-9_.]*'),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  completed_at TEXT,
  CHECK ((kind = 'extraction') = (turn_id IS NOT NULL)),
  CHECK ((status = 'leased') = (lease_owner IS NOT NULL)),
  CHECK ((status = 'leased') = (lease_expires_at IS NOT NULL)),
  CHECK ((status = 'retry_wait') = (next_retry_at IS NOT NULL)),
  CHECK ((status IN ('succeeded', 'succeeded_no_output', 'failed'))
         = (completed_at IS NOT NULL))
) STRICT""",
    """CREATE INDEX jobs_due ON memory_jobs(kind, status, next_retry_at, created_at)""",
    "CREATE INDEX jobs_turn ON memory_jobs(turn_id)",
    f"""CREATE TABLE memory_candidates (
  id TEXT PRIMARY KEY NOT NULL,
  extraction_job_id TEXT NOT NULL REFERENCES memory_jobs(id) ON DELETE CASCADE,
  thread_id TEXT NOT NULL REFERENCES threads(id) ON DELETE CASCADE,
  kind {_KIND},{_MEANING}
  status TEXT NOT NULL
    CHECK (status IN ('pending', 'consolidated', 'rejected', 'suppressed')),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,{_COMBINATIONS}
) STRICT""",
    "CREATE INDEX candidates_status ON memory_candidates(status)",
    """CREATE INDEX candidates_job ON memory_candidates(extraction_job_id)""",
    """CREATE TABLE candidate_sources (
  candidate_id TEXT NOT NULL REFERENCES memory_candidates(id) ON DELETE CASCADE,
  turn_id TEXT NOT NULL REFERENCES turns(id) ON DELETE RESTRICT,
  role TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
  quote TEXT NOT NULL CHECK (length(quote) BETWEEN 1 AND 2000),
  PRIMARY KEY (candidate_id, turn_id, role, quote)
) STRICT""",
    "CREATE INDEX sources_turn ON candidate_sources(turn_id)",
    f"""CREATE TABLE memory_items (
  id TEXT PRIMARY KEY NOT NULL,
  logical_id TEXT NOT NULL,
  revision INTEGER NOT NULL CHECK (revision >= 1),
  kind {_KIND},
  thread_id TEXT REFERENCES threads(id) ON DELETE CASCADE,{_MEANING}
  identity TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'superseded', 'forgotten')),
  replaced_by_id TEXT REFERENCES memory_items(id) DEFERRABLE INITIALLY DEFERRED,
  pinned INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)),
  access_count INTEGER NOT NULL DEFAULT 0,
  last_accessed_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (logical_id, revision),
  CHECK (id = logical_id || '_r' || revision),
  CHECK ((kind = 'discussion_context') = (thread_id IS NOT NULL)),{_COMBINATIONS}
) STRICT""",
    "CREATE INDEX items_visible ON memory_items(status, kind, updated_at)",
    """CREATE INDEX active_repo_items ON memory_items(updated_at DESC, id)
WHERE status = 'active' AND thread_id IS NULL""",
    """CREATE INDEX active_discussion_items
ON memory_items(thread_id, updated_at DESC, id)
WHERE status = 'active' AND thread_id IS NOT NULL""",
    """CREATE INDEX standing_items ON memory_items(recall_mode, updated_at DESC, id)
WHERE status = 'active' AND recall_mode = 'always'""",
    """CREATE INDEX items_replaced ON memory_items(replaced_by_id)
WHERE replaced_by_id IS NOT NULL""",
    """CREATE UNIQUE INDEX one_active_identity ON memory_items(identity)
WHERE status = 'active'""",
    """CREATE TABLE memory_item_candidates (
  item_id TEXT NOT NULL REFERENCES memory_items(id) ON DELETE CASCADE,
  candidate_id TEXT NOT NULL REFERENCES memory_candidates(id) ON DELETE RESTRICT,
  PRIMARY KEY (item_id, candidate_id)
) STRICT""",
    "CREATE INDEX items_of_candidate ON memory_item_candidates(candidate_id)",
    """CREATE TABLE memory_terms (
  item_id TEXT NOT NULL REFERENCES memory_items(id) ON DELETE CASCADE,
  term TEXT NOT NULL CHECK (length(term) BETWEEN 1 AND 160),
  term_type TEXT NOT NULL
    CHECK (term_type IN ('subject', 'alias', 'keyword', 'content', 'path')),
  PRIMARY KEY (item_id, term, term_type)
) STRICT, WITHOUT ROWID""",
    "CREATE INDEX terms_lookup ON memory_terms(term_type, term, item_id)",
    """CREATE TABLE forgotten_quotes (
  turn_id TEXT NOT NULL REFERENCES turns(id) ON DELETE CASCADE,
  role TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
  quote TEXT NOT NULL,
  PRIMARY KEY (turn_id, role, quote)
) STRICT""",
    """CREATE TABLE memory_requests (
  turn_id TEXT PRIMARY KEY NOT NULL REFERENCES turns(id) ON DELETE CASCADE,
  generation INTEGER NOT NULL,
  state_json TEXT NOT NULL CHECK (json_valid(state_json)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT""",
    """CREATE TABLE memory_reviews (
  session_id TEXT PRIMARY KEY NOT NULL,
  run TEXT NOT NULL,
  items_json TEXT NOT NULL CHECK (json_valid(items_json)),
  created_at TEXT NOT NULL
) STRICT""",
    """CREATE TABLE ended_sessions (
  session_id TEXT PRIMARY KEY NOT NULL,
  ended_at TEXT NOT NULL
) STRICT""",
    """CREATE TRIGGER request_ends AFTER UPDATE OF state ON turns
WHEN new.state <> 'open' BEGIN
  DELETE FROM memory_requests WHERE turn_id = new.id;
END""",
)


class Bootstrap(NamedTuple):
    """What the first rows of a memory hold: one singleton, one active thread."""

    thread_id: str
    database_uuid: str
    now: str


class Catalogued(NamedTuple):
    """One object of a database's catalog."""

    kind: str
    name: str
    sql: str


def layout(first: Bootstrap) -> Layout:
    """Give the layout whose creation also makes the legal first state (M1.0(c))."""

    def create(tx: Tx) -> None:
        for statement in _TABLES:
            tx.execute(statement)
        write_first_rows(tx, first)

    return Layout(APPLICATION_ID, (*[_nothing] * (VERSION - 1), create))


def write_first_rows(tx: Tx, first: Bootstrap) -> None:
    """Make the singleton and the one active thread."""
    tx.execute(
        "INSERT INTO memory_meta (id, database_uuid, created_at, updated_at)"
        " VALUES (1, :database_uuid, :now, :now)",
        first._asdict(),
    )
    tx.execute(
        "INSERT INTO threads (id, status, created_at)"
        " VALUES (:thread_id, 'active', :now)",
        first._asdict(),
    )


def expected_catalog() -> Mapping[str, Catalogued]:
    """Give every object of a sound memory by its name."""
    found = {}
    for statement in _TABLES:
        words = statement.split(maxsplit=4)
        kind, name = words[1].lower(), words[2]
        if words[1] == "UNIQUE":
            kind, name = words[2].lower(), words[3]
        found[name] = Catalogued(kind, name.partition("(")[0], statement)
    return found


def catalog(db: Db) -> list[Catalogued]:
    """Give the objects a database has, in the order of its `sqlite_schema`.

    Indexes that SQLite makes of constraints, and its own statistics, are left out.
    """
    rows = db.execute(
        "SELECT type, name, sql FROM sqlite_schema"
        " WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid"
    )
    return [Catalogued(str(row[0]), str(row[1]), str(row[2])) for row in rows]


def _nothing(_tx: Tx) -> None:
    """Versions 1 to 3 are not read (M1.2(b)); a new memory passes them by."""
