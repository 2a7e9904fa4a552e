"""The key of the model's service and where the service is, from the environment.

The key is given to the client by name. Nothing else is looked for: no profile, no
other token, no file.
"""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from agentctx.errors import ModelKeyError, ModelPlaceError

if TYPE_CHECKING:
    from collections.abc import Mapping

KEY_VARIABLE = "ANTHROPIC_API_KEY"
PLACE_VARIABLE = "ANTHROPIC_BASE_URL"
USUAL_PLACE = "https://api.anthropic.com"

_LONGEST_KEY = 4096
_LONGEST_PLACE = 2048


class Access(NamedTuple):
    """A key, and a place that is not the usual one; shown without the key."""

    key: str | None
    base_url: str | None

    def __repr__(self) -> str:
        said = "no key" if self.key is None else "a key"
        return f"Access({said}, {self.base_url!r})"


def key_and_place(environ: Mapping[str, str]) -> Access:
    """Read both; what is empty is not set. Nothing is checked yet."""
    key = environ.get(KEY_VARIABLE, "").strip()
    place = environ.get(PLACE_VARIABLE, "").strip()
    return Access(key or None, place or None)


def checked_key(key: str) -> str:
    """Give the key, or raise ModelKeyError where no header could carry it."""
    if not key or len(key) > _LONGEST_KEY:
        raise ModelKeyError(reason="is empty or too long to be one")
    if not all("!" <= mark <= "~" for mark in key):
        raise ModelKeyError(reason="holds a character that no key has")
    return key


def checked_place(base_url: str | None) -> str:
    """Give where the service is, or raise ModelPlaceError.

    A name or a password in the address would be sent instead of the key.
    """
    if base_url is None:
        return USUAL_PLACE
    if len(base_url) > _LONGEST_PLACE or not all("!" <= x <= "~" for x in base_url):
        raise ModelPlaceError(reason="is no address")
    try:
        parts = urlsplit(base_url)
        port = parts.port
    except ValueError:
        raise ModelPlaceError(reason="is no address") from None
    if parts.scheme not in {"http", "https"} or not parts.hostname or port == 0:
        raise ModelPlaceError(reason="is no address of a service on the web")
    if "@" in parts.netloc:
        raise ModelPlaceError(reason="has a name or a password in it")
    if parts.query or parts.fragment:
        raise ModelPlaceError(reason="has a `?` or a `#` in it")
    return base_url


def is_loopback(place: str) -> bool:
    """Say whether a checked place is this very machine."""
    host = (urlsplit(place).hostname or "").rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
