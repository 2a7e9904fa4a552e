"""Read TOML that somebody else wrote, in time that its size alone decides."""

from __future__ import annotations

import re

from corpus.scopes import shown

_QUOTED_OR_COMMENT = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'[^']*'|#.*")
_MAX_DOTS = 64


class TomlError(Exception):
    """A text is no TOML that we read; `reason` is a short phrase."""

    def __init__(self, *, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def read_toml(content: bytes) -> dict[str, object]:
    """Read the bytes of a TOML file, or raise `TomlError`.

    A byte-order mark is accepted; a repeated key and deep nesting are not.
    """
    import tomllib  # noqa: PLC0415 - loaded only by commands that read such a file

    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise TomlError(reason="it is not UTF-8 text") from None
    for line in text.split("\n"):
        if line.count(".") > _MAX_DOTS and _dots_in_keys(line) > _MAX_DOTS:
            raise TomlError(reason="it is nested too deep")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise TomlError(reason="it is nested too deep") from None
    except ValueError as error:  # also a number too long to read
        known = isinstance(error, tomllib.TOMLDecodeError)
        reason = shown(str(error)) if known else "it has an impossible value"
        raise TomlError(reason=reason) from None


def _dots_in_keys(line: str) -> int:
    """Count the dots that may join keys; the parser's time grows with their square."""
    return _QUOTED_OR_COMMENT.sub("", line).count(".")
