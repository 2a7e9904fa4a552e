"""What is said, as it is stored: without secrets, otherwise unmodified (M2, M11.7)."""

from __future__ import annotations

import json
import re

from agentctx.memory.model import (
    EVIDENCE_KEY_CHARACTERS,
    MAX_SCOPE_PATHS,
    NAME_CHARACTERS,
    PATH_CHARACTERS,
)
from agentctx.memory.names import FOLDER
from agentctx.memory.refusals import (
    MemoryRuleError,
)
from agentctx.redact import redact
from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_SURROGATES = "[\ud800-\udfff]"
_CODE = "[A-Za-z0-9_.-]{1,64}"


class Clean(str):
    """A text that has no secrets any more: `raw` gives it back as it is.

    A long one is made before a transaction is opened, so nobody waits for that.
    """

    __slots__ = ()


def raw(text: str) -> Clean:
    """Give a text without its secrets; what no text can hold becomes one mark."""
    if isinstance(text, Clean):
        return text
    return Clean(redact(re.sub(_SURROGATES, "\ufffd", text)).text)


def bounded_scope(paths: Iterable[str]) -> tuple[str, ...]:
    """Give the first ten scope paths in the order they came (M1.6, C12).

    What lies outside the project or in our own folder is no scope.
    """
    found: dict[str, None] = {}
    for path in paths:
        plain = plain_path(path)
        if is_inside(plain):
            found.setdefault(raw(plain))
        if len(found) == MAX_SCOPE_PATHS:
            break
    return tuple(found)


def plain_path(path: str) -> str:
    """Give a path as scopes and items name it: `/` between its parts, none of them `.`.

    An absolute one stays absolute.
    """
    parts = path.replace("\\", "/").split("/")
    rest = [part for part in parts[1:] if part not in {"", "."}]
    return "/".join([*(parts[:1] if parts[0] != "." else []), *rest])


def session_name(session_id: str) -> str:
    """Give a session's id as it is kept; `MemoryRuleError` for none."""
    session = raw(session_id)
    if not session.strip() or len(session) > NAME_CHARACTERS:
        raise MemoryRuleError(
            reason="a session's id has 1 to 200 characters", rule="session"
        )
    return session


def is_inside(path: str) -> bool:
    """Say whether a path names something of the project that is not our own."""
    parts = path.split("/")
    return (
        0 < len(path) <= PATH_CHARACTERS
        and parts[0] not in {"", FOLDER}
        and parts[0].casefold() != FOLDER
        and ".." not in parts
        and "\0" not in path
        and not re.match("[A-Za-z]:", path)
    )


def evidence(keys: Iterable[str]) -> tuple[str, ...]:
    """Check the evidence keys of a review turn: `RUN:ITEM`, each of them whole."""
    found = tuple(dict.fromkeys(keys))
    for key in found:
        run, _, item = key.partition(":")
        if not run.strip() or not item.strip() or len(key) > EVIDENCE_KEY_CHARACTERS:
            raise MemoryRuleError(
                reason="an evidence key is `RUN:ITEM`, of at most 200 characters",
                rule="evidence_key",
            )
    return tuple(raw(key) for key in found)


def error_code(code: str) -> str:
    """Check the code of a failed turn: a code, never a text."""
    if re.fullmatch(_CODE, code) is None:
        raise MemoryRuleError(reason="a failure is told by a code", rule="error_code")
    return code


def dumped(values: Iterable[str]) -> str:
    """Write a list of texts as it is stored."""
    return json.dumps(list(values), ensure_ascii=False, separators=(",", ":"))


def loaded(text: str) -> tuple[str, ...]:
    """Read what `dumped` wrote."""
    return tuple(str(one) for one in json.loads(text))
