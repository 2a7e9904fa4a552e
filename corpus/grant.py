"""What an owner's grant says, as a value: read from TOML, written as TOML (P3.1).

The format is the published one, with a table `[limits]` more. The schema is closed: a
grant that says anything else, or the same thing twice, is refused, and the refusal
names the field.
"""

from __future__ import annotations

import json
import re
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from corpus.policy import CAPABILITIES
from corpus.refs import ProjectId, Sha256, is_id, is_sha256
from corpus.refusals import GrantParseError, GrantSchemaError, GrantVersionError
from corpus.scopes import shown
from corpus.tomlinput import TomlError, read_toml

if TYPE_CHECKING:
    from collections.abc import Mapping

    Table = Mapping[str, object]

GRANT_VERSION = "1"
PROTOCOL_VERSION = "2.0"
TRANSPORTS = ("cli", "stdio-mcp")
"""The ways in which a session reaches the corpus."""

_LIMIT_KEYS = ("sources", "total_bytes", "nonblank_lines")
_KEYS = (
    "grant_version",
    "project_id",
    "physical_root",
    "root_identity",
    "policy_sha256",
    "capability_ceiling",
    "filesystem",
    "transports",
    "approved_at",
    "protocol_version",
)
_MAX_IDENTITY = 256
_MAX_LIMIT = 2**53 - 1
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")


class Limits(NamedTuple):
    """How much one corpus may hold (P14); only the owner's grant changes it."""

    sources: int = 2048
    total_bytes: int = 64 * 1024 * 1024
    nonblank_lines: int = 50_000


class Grant(NamedTuple):
    """What the owner of one project allows at most, pinned to root and policy.

    `root_identity` tells the folder itself from another one of the same name.
    `limits` is None where the grant leaves the usual ones.
    """

    project_id: ProjectId
    physical_root: str
    root_identity: str
    policy_sha256: Sha256
    capability_ceiling: frozenset[str]
    filesystem: str
    transports: frozenset[str]
    approved_at: str
    protocol_version: str = PROTOCOL_VERSION
    limits: Limits | None = None

    def as_json(self) -> dict[str, object]:
        """Give the grant as a JSON object."""
        return {
            "grant_version": GRANT_VERSION,
            **self._asdict(),
            "capability_ceiling": sorted(self.capability_ceiling),
            "transports": sorted(self.transports),
            "limits": self.limits._asdict() if self.limits else None,
        }


def parse_grant(content: bytes) -> Grant:
    """Read the bytes of a grant, or raise the `Grant…Error` that names the field."""
    try:
        table = read_toml(content)
    except TomlError as problem:
        raise GrantParseError(reason=problem.reason) from None
    version = _text(table, "grant_version")
    if version != GRANT_VERSION:
        raise GrantVersionError(found=shown(version))
    for key in table:
        if key not in (*_KEYS, "limits"):
            raise GrantSchemaError(field=shown(key), reason="is unknown")
    return Grant(
        project_id=_project_id(table),
        physical_root=_root(table),
        root_identity=_name(table, "root_identity"),
        policy_sha256=_hash(table, "policy_sha256"),
        capability_ceiling=_chosen(table, "capability_ceiling", CAPABILITIES),
        filesystem=_name(table, "filesystem"),
        transports=_chosen(table, "transports", TRANSPORTS),
        approved_at=_time(table, "approved_at"),
        protocol_version=_protocol(table),
        limits=parse_limits(table["limits"]) if "limits" in table else None,
    )


def parse_limits(table: object) -> Limits:
    """Read a grant's `[limits]`; what it leaves out stays as usual."""
    if not isinstance(table, dict):
        raise GrantSchemaError(field="limits", reason="is not a table")
    for key in table:
        if key not in _LIMIT_KEYS:
            raise GrantSchemaError(field=f"limits.{shown(key)}", reason="is unknown")
    return Limits(**{key: _limit(key, value) for key, value in table.items()})


def serialize_grant(grant: Grant) -> bytes:
    """Write a grant as `parse_grant` reads it; the same grant, the same bytes."""
    fields = {**grant._asdict(), "grant_version": GRANT_VERSION}
    rows = [f"{key} = {_toml(fields[key])}" for key in _KEYS]
    if grant.limits is not None:
        rows += ["", "[limits]"]
        rows += [f"{key} = {value}" for key, value in grant.limits._asdict().items()]
    return ("\n".join(rows) + "\n").encode("utf-8")


def _toml(value: object) -> str:
    if isinstance(value, frozenset):
        return f"[{', '.join(map(_toml, sorted(value)))}]"
    # JSON's escapes are TOML's; the one character that only TOML forbids is DEL.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _present(table: Table, field: str) -> object:
    if field not in table:
        raise GrantSchemaError(field=field, reason="is missing")
    return table[field]


def _text(table: Table, field: str) -> str:
    value = _present(table, field)
    if not isinstance(value, str):
        raise GrantSchemaError(field=field, reason="is not a string")
    return value


def _name(table: Table, field: str) -> str:
    """Read a short name that some system gave."""
    value = _text(table, field)
    if not 0 < len(value) <= _MAX_IDENTITY or not value.isprintable():
        raise GrantSchemaError(field=field, reason="is not a short printable name")
    return value


def _project_id(table: Table) -> ProjectId:
    value = _text(table, "project_id")
    if not is_id(value):
        raise GrantSchemaError(field="project_id", reason="is not an id")
    return ProjectId(value)


def _root(table: Table) -> str:
    value = _text(table, "physical_root")
    if "\0" in value or not Path(value).is_absolute():
        raise GrantSchemaError(field="physical_root", reason="is not an absolute path")
    return value


def _hash(table: Table, field: str) -> Sha256:
    value = _text(table, field)
    if not is_sha256(value):
        raise GrantSchemaError(
            field=field, reason="is not 64 lower-case hexadecimal digits"
        )
    return Sha256(value)


def _time(table: Table, field: str) -> str:
    value = _text(table, field)
    try:
        right = _TIME.fullmatch(value) and datetime.fromisoformat(value)
    except ValueError:
        right = None
    if not right:
        raise GrantSchemaError(
            field=field, reason="is not a time as `YYYY-MM-DDThh:mm:ssZ`"
        )
    return value


def _protocol(table: Table) -> str:
    value = _text(table, "protocol_version")
    if value != PROTOCOL_VERSION:
        raise GrantSchemaError(
            field="protocol_version", reason=f"is not `{PROTOCOL_VERSION}`"
        )
    return value


def _chosen(
    table: Table, field: str, known: frozenset[str] | tuple[str, ...]
) -> frozenset[str]:
    """Read an array of names out of a closed list, each once."""
    value = _present(table, field)
    if not isinstance(value, list):
        raise GrantSchemaError(field=field, reason="is not an array of strings")
    chosen: set[str] = set()
    for entry in value:
        if not isinstance(entry, str):
            raise GrantSchemaError(field=field, reason="is not an array of strings")
        if entry not in known:
            raise GrantSchemaError(
                field=field, reason=f"names `{shown(entry)}`, which is unknown"
            )
        if entry in chosen:
            raise GrantSchemaError(field=field, reason=f"names `{entry}` twice")
        chosen.add(entry)
    return frozenset(chosen)


def _limit(key: str, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        value = 0
    if not 1 <= value <= _MAX_LIMIT:
        raise GrantSchemaError(
            field=f"limits.{key}", reason="is not a positive whole number"
        )
    return value
