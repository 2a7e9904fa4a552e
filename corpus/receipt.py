"""What was handed over, and whether it still holds: receipts and verification (P9).

A receipt names a bundle by its hash and says which of its items went to whom. It
proves what was handed over, never that it was read. Bundles and receipts made by any
implementation of schema version 1 are checked in the same way.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from corpus.bundle import NOT_HASHED, SCHEMA_VERSION, stamp
from corpus.canonical import canonical_json, digest
from corpus.errors import (
    BundleHashError,
    BundleProjectError,
    BundleSchemaError,
    BundleSizeError,
    ConsumerError,
    ReceiptItemsError,
    ReceiptMismatchError,
    ReceiptSchemaError,
)
from corpus.protocol.metadata import instant
from corpus.provision import NO_PROVISION
from corpus.quoted import Said, require_quotes
from corpus.refs import is_id, is_sha256
from corpus.sources.provided import is_provided

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime

    from corpus.canonical import Json
    from corpus.findings import Finding
    from corpus.provision import Provision
    from corpus.sources.provided import Provided
    from corpus.view import Project

LONGEST_CONSUMER = 128

PROVES = "what was handed over, not that it was read"
"""What a receipt is evidence of."""

_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedBundle:
    """A bundle whose schema, size and hash were checked.

    `sources` maps every path the bundle relies on to the hash it had then.
    """

    project_id: str
    bundle_sha256: str
    source_snapshot_digest: str
    item_ids: tuple[str, ...]
    sources: Mapping[str, str]


class StaleSource(NamedTuple):
    """A source a bundle relies on that is not as it was: `changed` or `missing`.

    One of a provider may be `superseded` too, or `unverified` where it failed.
    """

    path: str
    state: str

    def as_json(self) -> dict[str, str]:
        """Give the source as a JSON object."""
        return {"source_path": self.path, "state": self.state}


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What was found out about an intact bundle.

    `snapshot_current` says that no source in scope changed at all, `stale_sources`
    names only those the bundle relies on. `receipt_ok` is None without a receipt.
    `findings` are of providers that failed.
    """

    project_id: str
    bundle_sha256: str
    snapshot_current: bool
    stale_sources: tuple[StaleSource, ...]
    receipt_ok: bool | None
    findings: tuple[Finding, ...] = ()

    @property
    def selected_current(self) -> bool:
        """Say whether every source the bundle relies on is as it was."""
        return not self.stale_sources

    @property
    def ok(self) -> bool:
        """Say whether everything in the bundle still holds."""
        return self.selected_current and self.snapshot_current

    def as_json(self) -> dict[str, object]:
        """Give the verdict as `context verify` prints it."""
        value: dict[str, object] = {
            "ok": self.ok,
            "project_id": self.project_id,
            "bundle_sha256": self.bundle_sha256,
            "intact": True,
            "selected_current": self.selected_current,
            "snapshot_current": self.snapshot_current,
            "stale_sources": [source.as_json() for source in self.stale_sources],
            "receipt_ok": self.receipt_ok,
            "non_authoritative": True,
        }
        if self.findings:
            value["findings"] = [finding.as_json() for finding in self.findings]
        return value


def make_receipt(
    bundle: Json,
    consumer: str,
    delivered_item_ids: Sequence[str] | None = None,
    *,
    now: datetime,
) -> dict[str, Json]:
    """State which items of a bundle went to `consumer`; all of them by default.

    Raises `BundleSchemaError`, `BundleSizeError`, `BundleHashError`, in this order;
    then `ConsumerError` and `ReceiptItemsError`.
    """
    checked = check_bundle(bundle)
    if not _is_consumer(consumer):
        raise ConsumerError
    delivered = checked.item_ids if delivered_item_ids is None else delivered_item_ids
    _require_items(delivered, checked.item_ids)
    return {
        "schema_version": SCHEMA_VERSION,
        "project_id": checked.project_id,
        "bundle_sha256": checked.bundle_sha256,
        "delivered_item_ids": list(delivered),
        "consumer": consumer,
        "created_at": stamp(now),
        "source_snapshot_digest": checked.source_snapshot_digest,
        "non_authoritative": True,
    }


def verify_bundle(
    project: Project,
    bundle: Json,
    receipt: Json | None = None,
    *,
    provision: Provision = NO_PROVISION,
) -> Verdict:
    """Check a bundle, and a receipt for it, against the project as it is now.

    Raises `BundleSchemaError`, `BundleSizeError`, `BundleHashError`,
    `BundleProjectError`, `ReceiptSchemaError` and `ReceiptMismatchError`, in this
    order. Staleness is no error: it is in the verdict. A hash can be made anew by who
    changes a bundle, so passages are looked up in their sources, where those are still
    what they were; `BundleSchemaError` names one that does not stand there. What came
    from providers is asked of `provision`.
    """
    checked = check_bundle(bundle)
    if checked.project_id != project.project_id:
        raise BundleProjectError(found=checked.project_id, expected=project.project_id)
    if receipt is not None:
        check_receipt(receipt, checked)
    given = provision.named(checked.sources)
    texts = {one.path: one.text for one in given.values()}
    snapshot = project.scan.snapshot
    snapshot.update({one.path: one.sha256 for one in given.values()})
    assert isinstance(bundle, dict)
    require_quotes(bundle["items"], Said(project.scan.by_path(), texts, snapshot))
    return Verdict(
        project_id=checked.project_id,
        bundle_sha256=checked.bundle_sha256,
        snapshot_current=digest(snapshot) == checked.source_snapshot_digest,
        stale_sources=tuple(
            _stale(checked.sources, snapshot, given, failed=provision.findings)
        ),
        receipt_ok=None if receipt is None else True,
        findings=provision.findings,
    )


def check_bundle(bundle: Json) -> CheckedBundle:
    """Check a bundle in itself: its schema, its size, its hash, in this order."""
    checked = _read_bundle(bundle)
    assert isinstance(bundle, dict)
    try:
        size = len(canonical_json(bundle))
    except (ValueError, TypeError):
        raise BundleSchemaError(field="bundle", reason="is not plain JSON") from None
    if size != bundle["serialized_bytes"]:
        raise BundleSizeError(count=size, expected=int(bundle["serialized_bytes"]))
    hashed = {key: value for key, value in bundle.items() if key not in NOT_HASHED}
    if digest(hashed) != checked.bundle_sha256:
        raise BundleHashError
    return checked


def check_receipt(receipt: Json, bundle: CheckedBundle) -> None:
    """Check that a receipt is one, and that it is for this bundle."""
    fields = _Fields(receipt, ReceiptSchemaError, "receipt")
    unknown = sorted(fields.names - _RECEIPT_FIELDS)
    if unknown:
        fields.refuse(unknown[0], "is unknown")
    fields.require("schema_version", _is_version, "is not `1`")
    found: dict[str, Json] = {
        "project_id": fields.require("project_id", _is_project, "is not an id"),
        "bundle_sha256": fields.require("bundle_sha256", _is_hash, "is no SHA-256"),
        "source_snapshot_digest": fields.require(
            "source_snapshot_digest", _is_hash, "is no SHA-256"
        ),
    }
    fields.require("consumer", _is_consumer, "is not 1 to 128 printable characters")
    fields.require("created_at", _is_time, "is not RFC 3339 UTC in seconds")
    fields.require("non_authoritative", _is_true, "is not true")
    delivered = fields.require("delivered_item_ids", _is_texts, "is not a list of ids")
    for name, value in found.items():
        if value != getattr(bundle, name):
            raise ReceiptMismatchError(field=name)
    try:
        assert isinstance(delivered, list)
        _require_items(list(map(str, delivered)), bundle.item_ids)
    except ReceiptItemsError:
        raise ReceiptMismatchError(field="delivered_item_ids") from None


_RECEIPT_FIELDS = {
    "schema_version",
    "project_id",
    "bundle_sha256",
    "delivered_item_ids",
    "consumer",
    "created_at",
    "source_snapshot_digest",
    "non_authoritative",
}


class _Fields:
    """The fields of one object, read with an error that names the place."""

    def __init__(
        self,
        value: Json,
        error: type[BundleSchemaError | ReceiptSchemaError],
        place: str,
        prefix: str = "",
    ) -> None:
        self._error = error
        self._prefix = prefix
        if not isinstance(value, dict):
            raise error(field=place, reason="is not an object")
        self._values = value
        self.names = set(value)

    def require(self, name: str, right: Callable[[Json], bool], wrong: str) -> Json:
        """Give a field's value if it is there and right."""
        if name not in self._values:
            self.refuse(name, "is missing")
        value: Json = self._values[name]
        if not right(value):
            self.refuse(name, wrong)
        return value

    def refuse(self, name: str, reason: str) -> None:
        raise self._error(field=self._prefix + name, reason=reason)


def _read_bundle(bundle: Json) -> CheckedBundle:
    fields = _Fields(bundle, BundleSchemaError, "bundle")
    fields.require("schema_version", _is_version, "is not `1`")
    project_id = fields.require("project_id", _is_project, "is not an id")
    fields.require("query", _is_text, "is not a text")
    fields.require("created_at", _is_time, "is not RFC 3339 UTC in seconds")
    fields.require("index_schema_version", _is_text, "is not a text")
    snapshot = fields.require("source_snapshot_digest", _is_hash, "is no SHA-256")
    fields.require("source_count", _is_count, "is not a count")
    fields.require("serialized_bytes", _is_count, "is not a count")
    fields.require("non_authoritative", _is_true, "is not true")
    sha256 = fields.require("bundle_sha256", _is_hash, "is no SHA-256")
    sources = _read_sources(fields)
    _read_budget(fields)
    return CheckedBundle(
        project_id=str(project_id),
        bundle_sha256=str(sha256),
        source_snapshot_digest=str(snapshot),
        item_ids=tuple(_read_items(fields, sources)),
        sources=sources,
    )


def _read_sources(fields: _Fields) -> dict[str, str]:
    """Read the selected sources; the mandatory reads add theirs."""
    name = "selected_source_snapshot"
    given = fields.require(name, _is_object, "is not an object")
    assert isinstance(given, dict)
    selected = _Fields(given, BundleSchemaError, name, f"{name}.")
    sources = {
        path: str(selected.require(path, _is_hash, "is no SHA-256")) for path in given
    }
    for at, entry in enumerate(_list(fields, "mandatory_reads")):
        path, sha256 = _source(entry, f"mandatory_reads[{at}]")
        if sources.setdefault(path, sha256) != sha256:
            fields.refuse(f"mandatory_reads[{at}].source_sha256", "is not the selected")
    return sources


def _read_budget(fields: _Fields) -> None:
    budget = fields.require("budget", _is_object, "is not an object")
    inner = _Fields(budget, BundleSchemaError, "budget", "budget.")
    for name in ("max_tokens", "estimated_tokens", "max_envelope_bytes"):
        inner.require(name, _is_count, "is not a count")
    inner.require("estimator", _is_text, "is not a text")


def _read_items(fields: _Fields, sources: Mapping[str, str]) -> Iterator[str]:
    seen = set()
    for at, entry in enumerate(_list(fields, "items")):
        place = f"items[{at}]"
        path, sha256 = _source(entry, place)
        item = _Fields(entry, BundleSchemaError, place, f"{place}.")
        name = str(item.require("item_id", _is_text, "is not a text"))
        item.require("text", _is_text, "is not a text")
        item.require("line_start", _is_count, "is not a line number")
        item.require("line_end", _is_count, "is not a line number")
        if name in seen:
            item.refuse("item_id", "is repeated")
        if sources.get(path) != sha256:
            item.refuse("source_sha256", "is not the selected")
        seen.add(name)
        yield name


def _source(entry: Json, place: str) -> tuple[str, str]:
    fields = _Fields(entry, BundleSchemaError, place, f"{place}.")
    path = fields.require("source_path", _is_text, "is not a text")
    sha256 = fields.require("source_sha256", _is_hash, "is no SHA-256")
    return str(path), str(sha256)


def _list(fields: _Fields, name: str) -> list[Json]:
    value = fields.require(name, lambda it: isinstance(it, list), "is not a list")
    assert isinstance(value, list)
    return value


def _stale(
    sources: Mapping[str, str],
    snapshot: Mapping[str, str],
    given: Mapping[str, Provided],
    *,
    failed: Sequence[Finding],
) -> Iterator[StaleSource]:
    for path, sha256 in sorted(sources.items()):
        if path not in snapshot:
            unknown = bool(failed) and is_provided(path)
            yield StaleSource(path, "unverified" if unknown else "missing")
        elif snapshot[path] != sha256:
            ended = path in given and given[path].superseded
            yield StaleSource(path, "superseded" if ended else "changed")


def _require_items(delivered: Sequence[str], known: Sequence[str]) -> None:
    left = set(known)
    for item in delivered:
        if item not in left:
            raise ReceiptItemsError(item=item)
        left.remove(item)


def _is_consumer(value: Json) -> bool:
    return (
        isinstance(value, str)
        and len(value) <= LONGEST_CONSUMER
        and bool(value.strip())
        and value.isprintable()
    )


def _is_version(value: Json) -> bool:
    return value == SCHEMA_VERSION


def _is_project(value: Json) -> bool:
    return isinstance(value, str) and is_id(value)


def _is_hash(value: Json) -> bool:
    return isinstance(value, str) and is_sha256(value)


def _is_time(value: Json) -> bool:
    return (
        isinstance(value, str)
        and _TIME.fullmatch(value) is not None
        and instant(value) is not None
    )


def _is_text(value: Json) -> bool:
    return isinstance(value, str)


def _is_texts(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _is_count(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_true(value: Json) -> bool:
    return value is True


def _is_object(value: Json) -> bool:
    return isinstance(value, dict)
