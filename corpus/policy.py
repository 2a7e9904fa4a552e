"""policy.toml: what a project offers, as a closed schema (P2)."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from corpus.canonical import sha256
from corpus.errors import (
    PolicyCapabilityError,
    PolicyParseError,
    PolicyProfileCapabilityError,
    PolicyProfileError,
    PolicyProjectIdError,
    PolicySchemaError,
    PolicyUnknownKeyError,
    PolicyVersionError,
    PolicyWriteError,
)
from corpus.refs import ProjectId, Sha256, is_id
from corpus.scopes import Scope, shown
from corpus.tomlinput import TomlError, read_toml

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    Table = Mapping[str, object]

__all__ = [
    "CAPABILITIES",
    "PROFILES",
    "READING_CAPABILITIES",
    "Policy",
    "Scope",
    "parse_policy",
]

POLICY_VERSION = "2.0"

MAX_ENTRIES = 512
"""Entries that one array of a policy may have."""

READING_CAPABILITIES = frozenset(
    {
        "corpus.read",
        "corpus.stat",
        "corpus.search",
        "corpus.timeline",
        "corpus.context",
        "corpus.records",
        "corpus.memory",
        "corpus.validate",
        "audit.read",
        "mcp.stdio",
        "git.status",
        "git.diff",
        "migration.plan",
    }
)
"""What changes nothing; every profile holds these."""

_EDITING = frozenset({"state.update", "task.create", "task.update", "report.create"})
_MAINTAINING = frozenset({"migration.apply"})

PROFILES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "READ_ONLY": READING_CAPABILITIES,
        "SAFE_EDIT": READING_CAPABILITIES | _EDITING,
        "MAINTAINER": READING_CAPABILITIES | _EDITING | _MAINTAINING,
    }
)
"""The capabilities that each profile holds (P2.2)."""

CAPABILITIES = PROFILES["MAINTAINER"]
"""Every capability there is."""

_REQUIREMENTS = ("expected_hash", "verified_readback", "audit_receipt")
_TABLES = ("capabilities", "scopes", "requirements")
_KEYS = ("policy_version", "project_id", "profile", *_TABLES)


class Policy(NamedTuple):
    """A project's own limits. They narrow what an owner grants and never widen it."""

    project_id: ProjectId
    profile: str
    capabilities: frozenset[str]
    read: tuple[Scope, ...]
    write: tuple[Scope, ...]
    deny: tuple[Scope, ...]
    expected_hash: bool
    verified_readback: bool
    audit_receipt: bool
    sha256: Sha256

    def may_read(self, path: str) -> bool:
        """Say whether the file at `path` is in scope; `deny` wins."""
        return _meant(self.read, path) and not self._denied(path)

    def may_write(self, path: str) -> bool:
        """Say whether the file at `path` may be written; `deny` wins."""
        return _meant(self.write, path) and not self._denied(path)

    def may_enter(self, directory: str) -> bool:
        """Say whether something below `directory` may be in scope.

        A folder that is denied whole is not entered even where `read` reaches it.
        """
        return any(scope.may_reach(directory) for scope in self.read) and not any(
            scope.covers(directory) or _holds(scope, directory) for scope in self.deny
        )

    def covers(self, directory: str) -> bool:
        """Say whether every file below `directory` is in scope, whatever its name."""
        return any(scope.covers(directory) for scope in self.read) and not any(
            scope.may_reach(directory) or _holds(scope, directory)
            for scope in self.deny
        )

    def _denied(self, path: str) -> bool:
        """Deny what a scope means, and all below a folder that it means.

        A pattern may mean a folder: leaving what is in it readable is not what anyone
        means by denying it.
        """
        return any(_holds(scope, path) for scope in self.deny)


def _holds(scope: Scope, path: str) -> bool:
    """Say whether a scope means `path` or a folder above it."""
    while path:
        if scope.matches(path):
            return True
        path = path.rpartition("/")[0]
    return False


def parse_policy(content: bytes) -> Policy:
    """Read the bytes of policy.toml, or raise the `Policy…Error` that fits.

    A byte-order mark is accepted; an unknown key, a repeated entry and a missing or
    mistyped field are not. A scope that cannot be used is `BadScopeError`.
    """
    table = _toml(content)
    version = _text(table, "policy_version")
    if version != POLICY_VERSION:
        raise PolicyVersionError(found=shown(version))
    _refuse_unknown(table, "", _KEYS)
    project_id = _text(table, "project_id")
    if not is_id(project_id):
        raise PolicyProjectIdError(found=shown(project_id))
    profile = _text(table, "profile")
    if profile not in PROFILES:
        raise PolicyProfileError(found=shown(profile))
    scopes = _table(table, "scopes", ("read", "write", "deny"))
    requirements = _table(table, "requirements", _REQUIREMENTS)
    required = {name: _flag(requirements, name) for name in _REQUIREMENTS}
    write = _scopes(scopes, "write")
    for name in _REQUIREMENTS:
        if write and not required[name]:
            raise PolicyWriteError(field=name)
    return Policy(
        project_id=ProjectId(project_id),
        profile=profile,
        capabilities=_capabilities(table, profile),
        read=_scopes(scopes, "read"),
        write=write,
        deny=_scopes(scopes, "deny") if "deny" in scopes else (),
        expected_hash=required["expected_hash"],
        verified_readback=required["verified_readback"],
        audit_receipt=required["audit_receipt"],
        sha256=sha256(content),
    )


def _meant(scopes: tuple[Scope, ...], path: str) -> bool:
    return any(scope.matches(path) for scope in scopes)


def _toml(content: bytes) -> dict[str, object]:
    try:
        return read_toml(content)
    except TomlError as problem:
        raise PolicyParseError(reason=problem.reason) from None


def _capabilities(table: Table, profile: str) -> frozenset[str]:
    allowed = _texts(_table(table, "capabilities", ("allow",)), "capabilities", "allow")
    for capability in allowed:
        if capability not in CAPABILITIES:
            raise PolicyCapabilityError(capability=shown(capability))
        if capability not in PROFILES[profile]:
            raise PolicyProfileCapabilityError(profile=profile, capability=capability)
    return frozenset(allowed)


def _scopes(table: Table, name: str) -> tuple[Scope, ...]:
    return tuple(map(Scope.parse, _texts(table, "scopes", name)))


def _table(parent: Table, name: str, keys: Collection[str]) -> Table:
    value = _present(parent, "", name)
    if not isinstance(value, dict):
        raise PolicySchemaError(field=name, reason="is not a table")
    _refuse_unknown(value, f"{name}.", keys)
    return value


def _text(table: Table, name: str) -> str:
    value = _present(table, "", name)
    if not isinstance(value, str):
        raise PolicySchemaError(field=name, reason="is not a string")
    return value


def _flag(table: Table, name: str) -> bool:
    value = _present(table, "requirements.", name)
    if not isinstance(value, bool):
        raise PolicySchemaError(
            field=f"requirements.{name}", reason="is not true or false"
        )
    return value


def _texts(table: Table, parent: str, name: str) -> tuple[str, ...]:
    field = f"{parent}.{name}"
    value = _present(table, f"{parent}.", name)
    if not isinstance(value, list):
        raise PolicySchemaError(field=field, reason="is not an array of strings")
    entries: list[str] = []
    for entry in value:
        if not isinstance(entry, str):
            raise PolicySchemaError(field=field, reason="is not an array of strings")
        entries.append(entry)
    if len(entries) > MAX_ENTRIES:
        raise PolicySchemaError(
            field=field, reason=f"has more than {MAX_ENTRIES} entries"
        )
    if len(set(entries)) != len(entries):
        raise PolicySchemaError(field=field, reason="holds an entry twice")
    return tuple(entries)


def _present(table: Table, prefix: str, name: str) -> object:
    if name not in table:
        raise PolicySchemaError(field=prefix + name, reason="is missing")
    return table[name]


def _refuse_unknown(table: Table, prefix: str, keys: Collection[str]) -> None:
    for key in table:
        if key not in keys:
            raise PolicyUnknownKeyError(field=prefix + shown(key))
