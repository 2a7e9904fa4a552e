"""Canonical JSON and its SHA-256: the bytes that hashes and sizes are taken of.

UTF-8, keys sorted, compact separators, no NaN, non-ASCII kept (P8.3). Any
implementation of schema version 1 makes the same bytes from the same value.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from corpus.refs import Sha256

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]


def canonical_json(value: Json) -> bytes:
    """Serialise `value` to its one canonical form."""
    return json.dumps(
        value,
        ensure_ascii=False,
        sort_keys=True,
        separators=(",", ":"),
        allow_nan=False,
    ).encode("utf-8")


def digest(value: Json) -> Sha256:
    """Hash the canonical form of `value`."""
    return sha256(canonical_json(value))


def sha256(content: bytes) -> Sha256:
    """Hash raw bytes."""
    return Sha256(hashlib.sha256(content).hexdigest())
