"""Receipts of controlled writes: who changed what into what, in hashes (P13.3)."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from corpus.authority import JSON_BYTES
from corpus.canonical import sha256
from corpus.confined.reader import Unreadable
from corpus.refs import RelPath, stem
from corpus.refusals import (
    AuditConflictError,
    ReadScopeError,
    TargetMissingError,
    TargetUnusableError,
    TransactionAmbiguousError,
    TransactionIdError,
    TransactionUnknownError,
)
from corpus.scopes import shown
from corpus.writes.targets import NO_FOLDER, folder_of, held, held_in

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from corpus.confined.folder import Held
    from corpus.confined.reader import ConfinedRoot
    from corpus.mandate import Mandate
    from corpus.refs import Sha256
    from corpus.writes.journal import Journal
    from corpus.writes.writer import Turn

AUDIT = ".project-corpus/audit"
FORMAT = "project-corpus-audit-v1"
GUARANTEE = "CONTROLLED_TRANSACTION"
DURABILITY = "file-and-parent-fsync"

MOST_LISTED = 50
"""How many receipts one list holds."""

_TRANSACTION = re.compile(r"[0-9a-f]{32}")
_BEGINNING = re.compile(r"[0-9a-f]{8,32}")
_RECEIPT = re.compile(rf"{re.escape(AUDIT)}/[0-9a-f]{{32}}\.json")


class Receipt(NamedTuple):
    """One receipt as it lies in the project, and the hash of its file."""

    path: RelPath
    sha256: Sha256
    content: dict[str, object]

    def as_json(self) -> dict[str, object]:
        """Give the receipt as one JSON object."""
        return {
            "path": self.path,
            "sha256": self.sha256,
            "receipt": self.content,
        }


class ReceiptRow(NamedTuple):
    """One receipt of a list; what it does not say is empty."""

    transaction_id: str
    completed_at: str
    capability: str
    target: str


class Receipts(NamedTuple):
    """The newest receipts, and how many older ones are left out."""

    rows: tuple[ReceiptRow, ...]
    left_out: int

    def as_json(self) -> dict[str, object]:
        """Give the list as one JSON object."""
        return {
            "receipts": [row._asdict() for row in self.rows],
            "left_out": self.left_out,
        }


def stamp(moment: datetime) -> str:
    """Write a moment as RFC 3339 in UTC, to the millisecond."""
    text = moment.isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


def audit_path(transaction_id: str) -> RelPath:
    """Say where the receipt of a transaction lies."""
    return RelPath(f"{AUDIT}/{transaction_id}.json")


def write_receipt(
    turn: Turn, journal: Journal, *, owner_decided: bool = False
) -> RelPath:
    """Make the receipt durable; one that is there already must be this write's."""
    path = audit_path(journal.transaction_id)
    with folder_of(turn.opened, path, make=True) as folder:
        if not has_receipt(turn.opened, journal):
            stage = receipt_stage(journal)
            content = _content(turn, journal, owner_decided=owner_decided)
            folder.write_new(stage, content, None)
            try:
                folder.claim(stage, path.rpartition("/")[2])
            except FileExistsError:
                raise AuditConflictError(path=path) from None
        folder.sync()
    return path


def has_receipt(opened: ConfinedRoot, journal: Journal) -> bool:
    """Say whether the write's receipt is there: then it was complete.

    AuditConflictError when another file has the receipt's name.
    """
    found = _found(opened, journal)
    if found is None:
        return False
    if not _speaks_of(journal, found.content):
        raise AuditConflictError(path=audit_path(journal.transaction_id))
    return True


def receipt_of(opened: ConfinedRoot, transaction_id: str) -> RelPath | None:
    """Say where the receipt of a transaction of ours lies, None where it has none.

    To be asked by who began it; whoever wants to read receipts uses `read_receipt`.
    """
    path = audit_path(transaction_id)
    try:
        value = _strict_json(opened.content(path, limit=JSON_BYTES))
    except (Unreadable, ValueError, RecursionError):
        return None
    ours = isinstance(value, dict) and value.get("transaction_id") == transaction_id
    return path if ours else None


def withdraw_receipt(opened: ConfinedRoot, journal: Journal) -> None:
    """Remove the receipt of a write that is about to be taken back."""
    found = _found(opened, journal)
    if found is not None and _speaks_of(journal, found.content):
        path = audit_path(journal.transaction_id)
        with folder_of(opened, path) as folder:
            folder.remove(path.rpartition("/")[2])
            folder.sync()


def receipt_stage(journal: Journal) -> str:
    """Name the receipt while it is being written."""
    name = journal.transaction_id
    return f".{name}.json.{name[:16]}.stage"


def list_receipts(opened: ConfinedRoot, mandate: Mandate) -> Receipts:
    """List the newest receipts in read scope, the newest first.

    Raises `CapabilityDeniedError`. A file that is no receipt of its name is left out.
    """
    mandate.require("audit.read")
    found = []
    for transaction_id in _transactions(opened, mandate):
        with suppress(TransactionUnknownError):
            content = read_receipt(opened, mandate, transaction_id).content
            found.append(
                ReceiptRow(
                    transaction_id=transaction_id,
                    completed_at=_said(content, "completed_at"),
                    capability=_said(content, "capability"),
                    target=_said(content, "target"),
                )
            )
    found.sort(key=lambda row: (row.completed_at, row.transaction_id), reverse=True)
    return Receipts(tuple(found[:MOST_LISTED]), max(len(found) - MOST_LISTED, 0))


def find_transaction(opened: ConfinedRoot, mandate: Mandate, text: str) -> str:
    """Give the whole transaction id of which `text` is all or the beginning.

    Raises `TransactionIdError`, `CapabilityDeniedError`, `TransactionUnknownError` and,
    when several begin so, `TransactionAmbiguousError`.
    """
    if not _BEGINNING.fullmatch(text):
        raise TransactionIdError(found=shown(text))
    if _TRANSACTION.fullmatch(text):
        return text
    mandate.require("audit.read")
    found = [one for one in _transactions(opened, mandate) if one.startswith(text)]
    if not found:
        raise TransactionUnknownError(transaction_id=text)
    if len(found) > 1:
        raise TransactionAmbiguousError(found=text, count=len(found))
    return found[0]


def read_receipt(
    opened: ConfinedRoot, mandate: Mandate, transaction_id: str
) -> Receipt:
    """Read one receipt, where the capability and the read scope let it be read.

    Raises `TransactionIdError`, `CapabilityDeniedError`, `ReadScopeError` and, when
    there is no such receipt or it is no JSON object, `TransactionUnknownError`.
    """
    if not _TRANSACTION.fullmatch(transaction_id):
        raise TransactionIdError(found=shown(transaction_id))
    mandate.require("audit.read")
    path = audit_path(transaction_id)
    if not mandate.policy.may_read(path):
        raise ReadScopeError(path=path)
    try:
        content = opened.content(path, limit=JSON_BYTES)
        value = _strict_json(content)
    except (Unreadable, ValueError, RecursionError):
        raise TransactionUnknownError(transaction_id=transaction_id) from None
    if not isinstance(value, dict) or value.get("transaction_id") != transaction_id:
        raise TransactionUnknownError(transaction_id=transaction_id)
    return Receipt(path=path, sha256=sha256(content), content=value)


def _transactions(opened: ConfinedRoot, mandate: Mandate) -> list[str]:
    """Give the transactions whose receipts lie in read scope."""

    def wanted(path: str) -> bool:
        return _RECEIPT.fullmatch(path) is not None and mandate.policy.may_read(path)

    listed = opened.entries(RelPath(AUDIT), wanted=wanted, enter=lambda it: it == AUDIT)
    return [stem(entry.path) for entry in listed if entry.problem is None]


def _said(content: Mapping[str, object], field: str) -> str:
    value = content.get(field)
    return value if isinstance(value, str) else ""


def _strict_json(content: bytes) -> object:
    """Read JSON without the numbers that no receipt has and no JSON can carry."""

    def refuse(text: str) -> NoReturn:
        message = f"a receipt holds no number such as {text[:8]}"
        raise ValueError(message)

    text = content.decode("utf-8")
    return json.loads(text, parse_float=refuse, parse_constant=refuse)


def _content(turn: Turn, journal: Journal, *, owner_decided: bool) -> bytes:
    """Write the receipt; its first fields are those of the published format."""
    first = journal.changes[0]
    identities = [_identity(turn, change.path) for change in journal.changes]
    value = {
        "format": FORMAT,
        "transaction_id": journal.transaction_id,
        "project_id": journal.project_id,
        "operation": "create" if first.old_sha256 is None else "update",
        "capability": journal.capabilities[0],
        "target": first.path,
        "old_sha256": first.old_sha256,
        "new_sha256": first.new_sha256,
        "old_identity": first.old_identity,
        "new_identity": identities[0],
        "metadata_fingerprint": None,
        "started_at": journal.started_at,
        "completed_at": stamp(turn.writer.clock()),
        "filesystem": turn.opened.filesystem,
        "durability_level": DURABILITY,
        "guarantee_level": GUARANTEE,
        "transport": turn.writer.session.transport,
        "owner_decided": owner_decided,
        "capabilities": list(journal.capabilities),
        "changes": [
            {
                "target": change.path,
                "old_sha256": change.old_sha256,
                "new_sha256": change.new_sha256,
                "old_identity": change.old_identity,
                "new_identity": identity,
            }
            for change, identity in zip(journal.changes, identities, strict=True)
        ],
    }
    return (json.dumps(value, indent=2, sort_keys=True) + "\n").encode()


def _identity(turn: Turn, path: RelPath) -> str | None:
    now = held(turn.opened, path)
    return None if now is None else now.identity


def _found(opened: ConfinedRoot, journal: Journal) -> Held | None:
    """Read what has the receipt's name; a stage, its second name perhaps, goes."""
    path = audit_path(journal.transaction_id)
    try:
        with folder_of(opened, path) as folder:
            folder.remove(receipt_stage(journal))
            return held_in(folder, path)
    except TargetMissingError:
        return None
    except TargetUnusableError as problem:
        if problem.facts["reason"] in NO_FOLDER:
            return None
        raise


def _speaks_of(journal: Journal, content: bytes) -> bool:
    """Say whether a receipt is the one of this write, whoever wrote it down."""
    try:
        there = json.loads(content)
        changes = [
            (one["target"], one["old_sha256"], one["new_sha256"])
            for one in there["changes"]
        ]
        found = (
            there["format"],
            there["transaction_id"],
            there["project_id"],
            there["started_at"],
            changes,
        )
    except (ValueError, RecursionError, KeyError, TypeError):
        return False
    return found == (
        FORMAT,
        journal.transaction_id,
        journal.project_id,
        journal.started_at,
        [(one.path, one.old_sha256, one.new_sha256) for one in journal.changes],
    )
