"""The digest of a project: what its next session begins with, made beforehand (A4.2).

It is a file of the user's own that can be thrown away. What it holds was true when it
was made; whoever shows it asks the store which of its records still stand as they did
then, so a superseded fact is never shown (A1.3).
"""

from __future__ import annotations

import json

from agentctx.records.foremost import current_wordings
from agentctx.records.model import GLOBAL
from agentctx.smallfile import small_bytes, small_text
from corpus.checksum import sha256
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from agentctx.project import Project
    from agentctx.records.foremost import Wording
    from agentctx.records.store import Store
    from corpus.sqlite import Db

FOLDER = "digests"
MOST_BYTES = 1024 * 1024
STATUS = ".project-corpus/state/STATUS.md"
MOST_STATUS_BYTES = 4 * 1024 * 1024
_VERSION = 1
_FINGERPRINT = 16


class Block(NamedTuple):
    """One record as it is shown. `whole` says that nothing of it was cut.

    `fingerprint` is of the row that it was made from.
    """

    record_id: str
    fingerprint: str
    text: str
    whole: bool


class CorpusNote(NamedTuple):
    """Where a working tree's corpus says it stands, and the STATUS that said so.

    The text is empty where that STATUS cannot be understood.
    """

    text: str
    status_sha256: str


class Digest(NamedTuple):
    """What a session of a project begins with, section by section.

    `store_version` is the store's when it was made; `changes` are those of the
    project's records and of the global ones. `corpora` and `handovers` are kept by
    worktree; the main one has the empty name. `drift` counts what CLAUDE.md says
    otherwise.
    """

    project_id: str
    name: str
    root: str
    store_version: int
    changes: tuple[int, int]
    made_at: str
    corpora: Mapping[str, CorpusNote]
    profile: tuple[Block, ...]
    decisions: tuple[Block, ...]
    handovers: Mapping[str, Block]
    preferences: tuple[Block, ...]
    drift: int

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Give every record that it shows, or may."""
        return (
            *self.profile,
            *self.decisions,
            *self.handovers.values(),
            *self.preferences,
        )

    def as_bytes(self) -> bytes:
        """Write it as a file; the same digest gives the same bytes."""
        value = {"version": _VERSION, **self._asdict()}
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "replace")


def digest_path(home: str, project_id: str) -> str:
    """Say where the digest of a project lies."""
    return f"{home}/{FOLDER}/{project_id}.json"


def read_digest(home: str, project_id: str) -> Digest | None:
    """Give the digest of a project, None where there is none that can be used."""
    text = small_text(digest_path(home, project_id), limit=MOST_BYTES)
    if text is None:
        return None
    try:
        found = _digest(json.loads(text))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return found if found.project_id == project_id else None


def status_sha256(root: str) -> str | None:
    """Hash the STATUS of a working tree; None where there is none that can be read."""
    content = small_bytes(f"{root}/{STATUS}", limit=MOST_STATUS_BYTES)
    return None if content is None else sha256(content).hexdigest()


def digest_of(home: str, project: Project) -> Digest | None:
    """Give a project's digest, or what holds everywhere for one that has none yet."""
    digest = read_digest(home, project.project_id)
    if digest is not None:
        return digest
    everywhere = read_digest(home, GLOBAL)
    return None if everywhere is None else everywhere._replace(name=project.name)


def changes_of(store: Store, project_id: str) -> tuple[int, int]:
    """Count the changes of a project's records, and of the global ones."""
    return store.changes(project_id), store.changes(GLOBAL)


def is_behind(store: Store, digest: Digest) -> bool:
    """Say whether records changed since a digest was made."""
    return digest.changes != changes_of(store, digest.project_id)


def standing_blocks(db: Db, project_id: str, blocks: Iterable[Block]) -> set[str]:
    """Give the ids of those records that are current and read as they did.

    Raises the errors of a database that cannot be read.
    """
    wanted = {block.record_id: block.fingerprint for block in blocks}
    if not wanted:
        return set()
    found = current_wordings(db, project_id, wanted)
    return {
        record_id
        for record_id, wording in found.items()
        if fingerprint(wording) == wanted[record_id]
    }


def fingerprint(wording: Wording) -> str:
    """Give what tells a record's wording from another's."""
    text = "\x00".join(wording).encode("utf-8", "surrogatepass")
    return sha256(text).hexdigest()[:_FINGERPRINT]


def _digest(value: dict[str, object]) -> Digest:
    """Read what `as_bytes` wrote; ValueError, KeyError or TypeError for anything else.

    A text that is none of ours cannot be told; the file is the user's own.
    """
    if value["version"] != _VERSION:
        raise ValueError
    corpora = value["corpora"]
    handovers = value["handovers"]
    changes = value["changes"]
    if not isinstance(handovers, dict) or not isinstance(changes, list):
        raise TypeError
    if not isinstance(corpora, dict):
        raise TypeError
    own, everywhere = (_number(one) for one in changes)
    return Digest(
        project_id=_text(value["project_id"]),
        name=_text(value["name"]),
        root=_text(value["root"]),
        store_version=_number(value["store_version"]),
        changes=(own, everywhere),
        made_at=_text(value["made_at"]),
        corpora={
            _text(key): CorpusNote(*map(_text, _list(one)))
            for key, one in corpora.items()
        },
        profile=_blocks(value["profile"]),
        decisions=_blocks(value["decisions"]),
        handovers={_text(key): _block(one) for key, one in handovers.items()},
        preferences=_blocks(value["preferences"]),
        drift=_number(value["drift"]),
    )


def _blocks(value: object) -> tuple[Block, ...]:
    return tuple(_block(one) for one in _list(value))


def _block(value: object) -> Block:
    record_id, found, text, whole = _list(value)
    return Block(_text(record_id), _text(found), _text(text), bool(whole))


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TypeError
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _number(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError
    return value
