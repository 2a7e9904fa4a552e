"""What a project is made of, as keyed records that follow its files (A7.3, A2.6).

One record a key is current. What files say never takes the place of what a person has
said or confirmed, and is never explicit.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from agentctx.errors import AlreadySupersededError, ForgottenError, RecordEndedError
from agentctx.records.model import NewRecord
from agentctx.records.read import current_records
from agentctx.records.write import add_record, retire_record
from corpus.sqlite import store_failures

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentctx.records.model import Record
    from agentctx.records.store import Store

    Fact = tuple[str, str, str]
    """The key, the title and the body of a record; a `ProfileFact` is one."""


class Refreshed(NamedTuple):
    """What became of each key; `kept` are those that a person has spoken for.

    `held` would have changed or ended, had every manifest been read.
    """

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    retired: tuple[str, ...] = ()
    forgotten: tuple[str, ...] = ()
    held: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Give the keys by what became of them."""
        return {name: list(keys) for name, keys in self._asdict().items()}


def profile_records(store: Store, project_id: str) -> dict[str, Record]:
    """Give the current profile of a project by key; the newest where a key has two."""
    with store_failures():
        found = current_records(store.db, project_id, record_type="profile")
    return {record.key or "": record for record in found}


def refresh_profile(
    store: Store, project_id: str, facts: Iterable[Fact], *, complete: bool = True
) -> Refreshed:
    """Let the profile say what `facts` say: new, changed and vanished keys alike.

    Where the facts are not `complete`, only new keys are stored: what is known stays
    as it is, for the part that could not be read may be what it came from.
    """
    current = profile_records(store, project_id)
    fate: dict[str, list[str]] = {name: [] for name in Refreshed._fields}
    found = {fact[0]: fact for fact in facts}
    for key, fact in sorted(found.items()):
        name = _standing(fact, current.get(key))
        if name == "changed" and not complete:
            name = "held"
        if name in {"added", "changed"}:
            name = _stored(store, project_id, fact, name)
        fate[name].append(key)
    for key, record in sorted(current.items()):
        if key in found or record.trust != "file" or record.confirmed:
            continue
        if not complete:
            fate["held"].append(key)
        else:
            # somebody else may have been first
            with suppress(AlreadySupersededError, RecordEndedError):
                retire_record(store, project_id, record.id)
                fate["retired"].append(key)
    return Refreshed(**{name: tuple(sorted(keys)) for name, keys in fate.items()})


def _standing(fact: Fact, old: Record | None) -> str:
    """Say what is to become of a fact, by the name of a field above."""
    _, title, body = fact
    if old is None:
        return "added"
    if (old.title, old.body) == (title, body):
        return "same"
    return "kept" if old.trust != "file" or old.confirmed else "changed"


def _stored(store: Store, project_id: str, fact: Fact, name: str) -> str:
    """Store a fact and say what became of it."""
    key, title, body = fact
    new = NewRecord(
        type="profile",
        title=title,
        body=body,
        source="cli",
        confidence="inferred",
        trust="file",
        key=key,
    )
    try:
        made = add_record(store, project_id, new)
    except ForgottenError:
        return "forgotten"
    return "same" if made.existing else name  # the same once secrets are out of it
