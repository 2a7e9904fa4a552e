"""The values of conversation memory: turns, candidates, items, and their limits (M5).

Nothing here opens anything. Limits are those of the contract's table of constants.
"""

from __future__ import annotations

from corpus.values import Literal, NamedTuple, NewType

ThreadId = NewType("ThreadId", str)
TurnId = NewType("TurnId", str)
JobId = NewType("JobId", str)
CandidateId = NewType("CandidateId", str)
ItemId = NewType("ItemId", str)
"""`thread_`, `turn_`, `job_`, `candidate_`, `memory_` and 32 hexadecimal digits; an
item's id is its logical id, `_r` and the revision."""

Profile = Literal["ordinary", "review"]
TurnState = Literal["open", "completed", "failed", "interrupted"]
Kind = Literal["user_preference", "project_decision", "discussion_context"]
Strength = Literal["hard", "soft"]
Origin = Literal["explicit", "adopted_proposal", "inferred_repetition"]
RecallMode = Literal["always", "on_match"]
ItemStatus = Literal["active", "superseded", "forgotten"]
CandidateStatus = Literal["pending", "consolidated", "rejected", "suppressed"]
Role = Literal["user", "assistant"]
TermType = Literal["subject", "alias", "keyword", "content", "path"]

PROJECT_KINDS: frozenset[Kind] = frozenset({"user_preference", "project_decision"})

MAX_SCOPE_PATHS = 10
SUBJECT_CHARACTERS, STATEMENT_TOKENS, CONTENT_CHARACTERS = 160, 320, 4_000
CHECKPOINT_CHARACTERS = 4_000
MOST_CANDIDATES, MOST_OPERATIONS = 32, 32
MOST_ALIASES, MOST_ALIASES_KEPT, MOST_KEYWORDS = 12, 16, 24
RECALL_CHARACTERS = 160
"""Characters of an alias or a keyword."""

MOST_PATHS, PATH_CHARACTERS = 10, 400
MOST_SOURCES, QUOTE_CHARACTERS = 8, 2_000
RELATED_TARGETS = 20
EVIDENCE_KEY_CHARACTERS = 200
NAME_CHARACTERS = 200
"""Characters of a session's id, and of the name of a rule."""


class Turn(NamedTuple):
    """One turn as it is stored. Times are stamps; texts are RAW (M2)."""

    id: TurnId
    thread_id: ThreadId
    sequence: int
    profile: Profile
    intent: str
    session_id: str
    user_text: str
    assistant_text: str
    scope_paths: tuple[str, ...]
    evidence_keys: tuple[str, ...]
    state: TurnState
    created_at: str
    updated_at: str


class Source(NamedTuple):
    """The words a candidate stands on: an exact quote of one role of one turn."""

    turn_id: TurnId
    role: Role
    quote: str


class Meaning(NamedTuple):
    """What a candidate or an item says, and where and how it is recalled.

    Paths are sorted and distinct.
    """

    kind: Kind
    subject: str
    statement: str
    content: str
    strength: Strength
    origin: Origin
    recall_mode: RecallMode
    applies_to_paths: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()


class Candidate(NamedTuple):
    """A proposal with its quotes; `thread_id` is where it was said."""

    id: CandidateId
    job_id: JobId
    thread_id: ThreadId
    meaning: Meaning
    sources: tuple[Source, ...]
    status: CandidateStatus
    created_at: str


class Item(NamedTuple):
    """What is believed: one revision of a semantic item.

    `thread_id` is there for a discussion, and for nothing else.
    """

    id: ItemId
    logical_id: str
    revision: int
    thread_id: ThreadId | None
    meaning: Meaning
    status: ItemStatus
    replaced_by_id: ItemId | None
    pinned: bool
    created_at: str
    updated_at: str


class ReviewItem(NamedTuple):
    """Something a review is about: a diagnostic, a failing test, a comment."""

    item_id: str
    path: str
    rule_id: str = ""
    message: str = ""


class RecallQuery(NamedTuple):
    """What a request asks memory; built by the program only (Retrieval)."""

    profile: Profile
    thread_id: ThreadId
    user_text: str = ""
    paths: tuple[str, ...] = ()
    item_path: str = ""
    rule_id: str = ""
    item_message: str = ""
    target_path: str = ""
    bound_item_id: str = ""


class RecallPolicy(NamedTuple):
    """What a request may be told, and how much of it (M7)."""

    profile: Profile
    thread_id: ThreadId
    allowed_kinds: frozenset[Kind]
    allow_recent_history: bool
    allow_thread_checkpoint: bool
    allow_discussion: bool
    durable_token_budget: int
    map_token_budget: int
    max_search_calls: int = 4
    max_search_results: int = 8
    max_read_ids: int = 8
