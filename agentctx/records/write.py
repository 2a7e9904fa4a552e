"""Making, superseding and confirming records: one transaction for each act (A2.6).

Secrets are redacted before anything is stored. Writes and supersessions stay inside
the namespace of the record they make. No model decides a supersession: it is named by
the caller, or follows from a key.
"""

from __future__ import annotations

from agentctx.clock import later, stamp
from agentctx.errors import (
    AlreadySupersededError,
    FieldError,
    ForgottenError,
    OtherNamespaceError,
    PersonsRecordError,
    RecordEndedError,
    TrustError,
)
from agentctx.records.graph import link_files, link_supersession
from agentctx.records.model import (
    COLUMNS,
    CONFIDENCES,
    FEWEST_TOKENS,
    FROM,
    GLOBAL,
    ITEM_KEYS,
    KEYED,
    MOST_TOKENS,
    SCOPES,
    SOURCES,
    TRUSTS,
    TYPES,
    NewRecord,
    Replacement,
    check_body,
    check_choice,
    check_note,
    check_title,
    record_of,
)
from agentctx.records.read import by_id, find_record, head_of
from agentctx.records.sessions import note_fetched
from agentctx.records.staged import inherit, project_of
from agentctx.records.terms import index_missing, index_record
from agentctx.records.tombstones import forget_tombstone, is_forgotten
from agentctx.redact import redact
from corpus.sqlite import store_failures
from corpus.tokens import injection_tokens
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentctx.ids import RecordId
    from agentctx.records.model import Record
    from agentctx.records.store import Store
    from corpus.sqlite import Db, Tx

DEFAULT_REINFORCE_THRESHOLD = 3
"""Distinct sessions that make an inferred record a reinforced one (A2.3)."""


class Made(NamedTuple):
    """A record that was made, or found to be there already.

    `superseded` is what it took the place of. `existing` says that the same fact was
    current and nothing was added. `redacted` are the rules that fired, with counts.
    """

    record: Record
    superseded: Record | None = None
    existing: bool = False
    warnings: tuple[str, ...] = ()
    redacted: tuple[tuple[str, int], ...] = ()


def add_record(
    store: Store, project_id: str, new: NewRecord, *, supersedes: str | None = None
) -> Made:
    """Make a record of a project, or of `_global` for the scope `global`.

    `supersedes` is the id, or its beginning, of a current record of the same
    namespace. A fact that is current already, word for word, is confirmed instead of
    repeated. Raises `TitleError`, `BodyError`, `FieldError`, `AlreadySupersededError`,
    `OtherNamespaceError`, `RecordNotFoundError`, and `ForgottenError` for a fact that
    a person deleted, unless a person states it again.
    """
    checked, redacted = checked_record(new)
    namespace = GLOBAL if checked.scope == "global" else project_id
    with store_failures(), store.writing() as tx:
        index_missing(tx)
        old = None
        if supersedes is not None:
            old = _superseded(tx, project_id, supersedes, namespace=namespace)
        else:
            same = same_fact(tx, namespace, checked) or same_bug(tx, namespace, checked)
            if same is not None:
                return confirm_same(store, tx, same, checked, redacted)
            old = _keyed(tx, namespace, checked)
        record = place_record(store, tx, project_id, checked, old=old)
    return Made(record, old, warnings=size_warnings(record), redacted=redacted)


def place_record(
    store: Store, tx: Tx, project_id: str, checked: NewRecord, *, old: Record | None
) -> Record:
    """Write a checked record where `old` stood, in a transaction that is open.

    `old` is current; the new one is in its namespace. Raises `ForgottenError`.
    """
    namespace = GLOBAL if checked.scope == "global" else project_id
    if old is not None:
        namespace = old.project_id
    checked = descended(checked, old)
    refuse_forgotten(store, tx, project_id, checked)
    return insert_record(store, tx, namespace, checked, old=old)


def supersede_record(
    store: Store, project_id: str, old_id: str, new: Replacement
) -> Made:
    """Replace a current record by one with another body, and perhaps another title.

    The new record has the old one's type, scope and namespace, which may be `_global`,
    and is explicit. Raises `AlreadySupersededError`, naming the current record, and
    `ForgottenError` as `add_record` does.
    """
    with store_failures(), store.writing() as tx:
        index_missing(tx)
        found = find_record(tx, project_id, old_id, field="old_id")
        old = _superseded(tx, project_id, found.id, namespace=found.project_id)
        checked, redacted = checked_record(replacing(old, new))
        checked = descended(checked, old)
        refuse_forgotten(store, tx, project_id, checked)
        record = insert_record(store, tx, old.project_id, checked, old=old)
    return Made(record, old, warnings=size_warnings(record), redacted=redacted)


def replacing(old: Record, new: Replacement) -> NewRecord:
    """Give the record that a replacement of another one is."""
    return NewRecord(
        type=old.type,
        title=old.title if new.title is None else new.title,
        body=new.body,
        source=new.source,
        scope=old.scope,
        trust=new.trust,
        valid_from=new.valid_from,
        session_id=new.session_id,
        key=old.key,
        rationale=new.rationale,
        pinned=old.pinned and new.trust == "developer",
    )


def pin_record(
    store: Store, project_id: str, record_id: str, *, pinned: bool = True
) -> Record:
    """Pin a record, or let it go; only what a person stands for can be pinned."""
    with store_failures(), store.writing() as tx:
        record = _current(tx, project_id, record_id)
        if pinned and not record.by_person:
            raise TrustError(record_id=record.id, trust=record.trust, wish="pinned")
        tx.execute(
            "UPDATE records SET pinned = ? WHERE id = ?", (int(pinned), record.id)
        )
        return _again(tx, record.id)


def confirm_record(store: Store, project_id: str, record_id: str) -> Record:
    """Let a person stand for a record: inferred becomes reinforced, at once."""
    with store_failures(), store.writing() as tx:
        record = _current(tx, project_id, record_id)
        stand_for(tx, record)
        return _again(tx, record.id)


def reinforce_record(
    store: Store,
    record_id: RecordId,
    *,
    session_id: str,
    threshold: int = DEFAULT_REINFORCE_THRESHOLD,
) -> Record | None:
    """Count that one more session said the same; each session counts once.

    The session that the record came from is one of the `threshold`. Gives the record
    as it is then, None when it is not current any more.
    """
    with store_failures(), store.writing() as tx:
        record = by_id(tx, record_id)
        if record is None or not record.current:
            return None
        tx.execute(
            "INSERT OR IGNORE INTO reinforcements (record_id, session_id, at)"
            " VALUES (?, ?, ?)",
            (record.id, session_id, stamp(store.clock())),
        )
        tx.execute(
            """
            UPDATE records
               SET reinforce_count = (SELECT count(*) FROM reinforcements
                                       WHERE record_id = :id),
                   confidence = CASE
                     WHEN confidence = 'inferred'
                      AND (SELECT count(*) FROM (
                             SELECT session_id FROM reinforcements
                              WHERE record_id = :id
                              UNION SELECT session_id FROM records
                              WHERE id = :id AND session_id IS NOT NULL))
                          >= :threshold
                     THEN 'reinforced' ELSE confidence END
             WHERE id = :id
            """,
            {"id": record.id, "threshold": threshold},
        )
        return _again(tx, record.id)


def retire_record(store: Store, project_id: str, record_id: str) -> Record:
    """End a record without another in its place: it stays in the history."""
    with store_failures(), store.writing() as tx:
        record = _current(tx, project_id, record_id)
        tx.execute(
            "UPDATE records SET superseded_at = ? WHERE id = ?",
            (_after(store, record), record.id),
        )
        return _again(tx, record.id)


def count_access(
    store: Store, ids: Sequence[str], *, session_id: str | None = None
) -> None:
    """Note that records were fetched whole; the index is not touched (A5.2)."""
    moment = store.clock()
    now = stamp(moment)
    with store_failures(), store.writing() as tx:
        note_fetched(tx, ids, session_id=session_id, now=moment)
        tx.executemany(
            "UPDATE records SET access_count = access_count + 1, last_accessed = ?"
            " WHERE id = ?",
            ((now, record_id) for record_id in ids),
        )


def checked_record(new: NewRecord) -> tuple[NewRecord, tuple[tuple[str, int], ...]]:
    """Check every field, and redact what is text; give what fired, too."""
    check_choice(new.type, TYPES, field="type")
    check_choice(new.scope, SCOPES, field="scope")
    check_choice(new.source, SOURCES, field="source")
    check_choice(new.trust, TRUSTS, field="trust")
    check_choice(new.confidence, CONFIDENCES, field="confidence")
    if new.scope == "global" and new.type in KEYED:
        raise FieldError(field="scope", found="global", known=f"project for {new.type}")
    if new.confidence == "explicit" and new.trust in {"file", "tool"}:
        raise TrustError(record_id="it", trust=f"a {new.trust}", wish="explicit")
    fired: dict[str, int] = {}

    def clean(text: str) -> str:
        found = redact(text)
        for rule, count in found.fired:
            fired[rule] = fired.get(rule, 0) + count
        return found.text

    def note(text: str, field: str) -> str:
        return check_note(clean(check_note(text, field=field)), field=field)

    # What replaces a secret may be longer than it: the limits hold for what is stored.
    checked = new._replace(
        title=check_title(clean(check_title(new.title))),
        body=check_body(clean(check_body(new.body))),
        rationale=None if new.rationale is None else note(new.rationale, "rationale"),
        quote=None if new.quote is None else note(new.quote, "quote"),
        key=clean(new.key or "") if new.type in KEYED else new.key,
        session_id=None if new.session_id is None else clean(new.session_id),
        files=tuple(map(clean, new.files)),
    )
    return checked, tuple(sorted(fired.items()))


def descended(new: NewRecord, old: Record | None) -> NewRecord:
    """Give a record the least trust of its lineage, unless a person speaks (A10.2).

    A person's entry of the profile is not ended by anybody else's.
    """
    if old is None or new.trust == "developer":
        return new
    if old.by_person:
        if old.type == "profile":
            raise PersonsRecordError(record_id=old.id, trust=new.trust)
        return new
    trust = max(old.trust, new.trust, key=TRUSTS.index)
    unsure = trust in {"file", "tool"}
    confidence = "inferred" if unsure else new.confidence
    return new._replace(trust=trust, confidence=confidence)


def _superseded(tx: Tx, project_id: str, text: str, *, namespace: str) -> Record:
    """Find the record to be superseded; it must be the head of its namespace."""
    old = find_record(tx, project_id, text, field="supersedes")
    if old.project_id != namespace:
        raise OtherNamespaceError(record_id=old.id)
    require_current(tx, old)
    return old


def _current(tx: Tx, project_id: str, record_id: str) -> Record:
    record = find_record(tx, project_id, record_id)
    require_current(tx, record)
    return record


def require_current(db: Db, record: Record) -> None:
    """Refuse a record that has ended, naming the current one where there is one."""
    if not record.current:
        head = head_of(db, record)
        if not head.current:
            raise RecordEndedError(record_id=record.id)
        raise AlreadySupersededError(record_id=record.id, head=head.id)


def same_fact(tx: Tx, namespace: str, new: NewRecord) -> Record | None:
    """Give the current record of a namespace that says the same, word for word."""
    row = tx.execute(
        f"""
        SELECT {COLUMNS} FROM {FROM}
         WHERE r.project_id = ? AND r.type = ? AND r.title = ? AND r.body = ?
           AND r.superseded_at IS NULL
           AND CASE WHEN p.key GLOB ? THEN '' ELSE COALESCE(p.key, '') END = ?
         LIMIT 1
        """,
        (namespace, new.type, new.title, new.body, ITEM_KEYS, new.key or ""),
    ).fetchone()
    return None if row is None else record_of(row)


def same_bug(tx: Tx, namespace: str, new: NewRecord) -> Record | None:
    """Give the current stub of a failure that was observed before, by its key."""
    if new.type != "bugfix" or new.source != "hook_observation" or not new.key:
        return None
    row = tx.execute(
        f"""
          SELECT {COLUMNS} FROM {FROM}
           WHERE r.project_id = ? AND r.type = 'bugfix' AND p.key = ?
             AND r.superseded_at IS NULL
        ORDER BY r.recorded_at DESC, r.id DESC LIMIT 1
        """,
        (namespace, new.key),
    ).fetchone()
    return None if row is None else record_of(row)


def confirm_same(
    store: Store,
    tx: Tx,
    same: Record,
    new: NewRecord,
    redacted: tuple[tuple[str, int], ...],
) -> Made:
    """Let an explicit statement of a known fact confirm it."""
    if new.confidence == "explicit" and new.trust == "developer":
        stand_for(tx, same)
        forget_tombstone(store, tx, same.project_id, same.title, same.body)
    elif _may_confirm(new, same):
        tx.execute(
            "UPDATE records SET confidence = 'reinforced' WHERE id = ?", (same.id,)
        )
    record = _again(tx, same.id)
    return Made(record, existing=True, warnings=("DUPLICATE",), redacted=redacted)


def _may_confirm(new: NewRecord, same: Record) -> bool:
    """Say whether an agent's statement makes an inferred record more than that.

    What came from a file, a tool or a teammate takes a person.
    """
    stated = new.confidence == "explicit" and same.confidence == "inferred"
    return stated and (same.by_person or same.trust == "model")


def _keyed(tx: Tx, namespace: str, new: NewRecord) -> Record | None:
    """Give the current record with the same key, which the new one supersedes."""
    if new.type not in KEYED:
        return None
    row = tx.execute(
        f"""
          SELECT {COLUMNS} FROM {FROM}
           WHERE r.project_id = ? AND r.type = ? AND r.superseded_at IS NULL
             AND COALESCE(p.key, '') = ?
        ORDER BY r.recorded_at DESC, r.id DESC
           LIMIT 1
        """,
        (namespace, new.type, new.key or ""),
    ).fetchone()
    return None if row is None else record_of(row)


def refuse_forgotten(store: Store, tx: Tx, project_id: str, new: NewRecord) -> None:
    """Refuse what was deleted, here or for every project, unless a person says it."""
    for namespace in dict.fromkeys((project_id, GLOBAL)):
        if new.trust == "developer" and new.confidence == "explicit":
            forget_tombstone(store, tx, namespace, new.title, new.body)
        elif is_forgotten(store, tx, namespace, new.title, new.body):
            raise ForgottenError


def insert_record(
    store: Store, tx: Tx, namespace: str, new: NewRecord, *, old: Record | None
) -> Record:
    """Write the row, what belongs to it, and the end of what it supersedes."""
    record_id = store.ids.new()
    now = stamp(store.clock()) if old is None else _after(store, old)
    row = tx.execute(
        """
        INSERT INTO records (id, project_id, type, title, body, scope, pinned,
                             confidence, valid_from, recorded_at, source, session_id)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          RETURNING rowid
        """,
        (
            record_id,
            namespace,
            new.type,
            new.title,
            new.body,
            new.scope,
            int(new.pinned and new.trust == "developer"),
            new.confidence,
            new.valid_from or now,
            now,
            new.source,
            new.session_id,
        ),
    ).fetchone()
    tx.execute(
        "INSERT INTO provenance (record_id, trust, key, rationale, quote)"
        " VALUES (?, ?, ?, ?, ?)",
        (record_id, new.trust, new.key, new.rationale, new.quote),
    )
    index_record(tx, row["rowid"], namespace, new.title, new.body)
    if old is not None:
        tx.execute(
            "UPDATE records SET superseded_at = ?, superseded_by = ?, pinned = 0"
            " WHERE id = ?",
            (now, record_id, old.id),
        )
        link_supersession(store, tx, record_id, old.id)
        inherit(store, tx, record_id, old.id)
    link_files(store, tx, project_of(tx, namespace), record_id, new.files)
    return _again(tx, record_id)


def _after(store: Store, old: Record) -> str:
    """Give the present, or the moment after the old record if the clock went back."""
    now = stamp(store.clock())
    return now if now > old.recorded_at else later(old.recorded_at, milliseconds=1)


def stand_for(tx: Tx, record: Record) -> None:
    """Let a person stand for a record: what was inferred is reinforced."""
    tx.execute(
        "UPDATE records SET confidence = 'reinforced'"
        " WHERE id = ? AND confidence = 'inferred'",
        (record.id,),
    )
    tx.execute(
        """
        INSERT INTO provenance (record_id, trust, confirmed) VALUES (?, ?, 1)
        ON CONFLICT (record_id) DO UPDATE SET confirmed = 1
        """,
        (record.id, record.trust),
    )


def _again(db: Db, record_id: str) -> Record:
    record = by_id(db, record_id)
    assert record is not None, "it was just written"
    return record


def size_warnings(record: Record) -> tuple[str, ...]:
    """Say when a record is outside the size that serves retrieval best."""
    tokens = injection_tokens(f"{record.title}\n{record.body}")
    if tokens < FEWEST_TOKENS:
        return ("SHORT",)
    return ("LONG",) if tokens > MOST_TOKENS else ()
