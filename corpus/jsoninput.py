"""JSON that a person or another program hands in, read strictly and within bounds.

A dataset or a candidate lies inside the project and is read through the confined
reader (P10.4); a bundle or a receipt may lie anywhere the user can read. Either way
it is a regular file of at most 1 MiB, UTF-8, nested at most 64 deep, with no repeated
key, no lone surrogate and no number that JSON cannot carry between programs.
"""

from __future__ import annotations

import json
import math
import os
import re
import stat
from typing import TYPE_CHECKING, NoReturn

from corpus.authority import JSON_BYTES
from corpus.canonical import canonical_json
from corpus.confined.reader import NOT_FOUND, NOT_REGULAR, TOO_LARGE, Unreadable
from corpus.errors import InputJsonError, InputPathError
from corpus.refs import RelPath

if TYPE_CHECKING:
    from pathlib import Path
    from typing import BinaryIO

    from corpus.canonical import Json
    from corpus.confined.reader import ConfinedRoot

MAX_NESTING = 64
"""Arrays and objects inside one another."""

MAX_WHOLE = 2**63 - 1
"""The largest whole number, of either sign."""

STANDARD_INPUT = "-"

PROMPT_OPENING = "# Project context: "
"""What a bundle in the prompt format begins with, which is often handed in instead."""

_USE_JSON = "the JSON bundle is needed: make it with `context bundle --format json`"
_REPEATED = "it has a repeated key"
_BEYOND = "it has a whole number beyond 64 bits"
_INFINITE = "it has a number too large to carry"
_UNKNOWN = "it has a number that JSON does not know"

_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]++|\\.)*"?|[\[\]{}]', re.DOTALL)
_WHOLE_DIGITS = len(str(MAX_WHOLE)) + 1
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


def read_json_inside(root: ConfinedRoot, project: Path, name: str) -> Json:
    """Read a JSON file inside the project.

    `name` is relative to the working directory or absolute. Links are allowed only in
    the parents of the project. Raises `InputPathError` and `InputJsonError`.
    """
    path = _path_inside(project, name)
    try:
        content = root.read(path, limit=JSON_BYTES).content
    except Unreadable as problem:
        raise InputPathError(path=name, reason=problem.reason) from None
    return parse_json(content, name=name)


def read_json_anywhere(name: str, *, stdin: BinaryIO | None = None) -> Json:
    """Read a JSON file the user can read; `-` is `stdin` where one is given.

    Raises `InputPathError` and `InputJsonError`. Never waits for a FIFO.
    """
    return parse_json(read_anywhere(name, limit=JSON_BYTES, stdin=stdin), name=name)


def read_anywhere(name: str, *, limit: int, stdin: BinaryIO | None = None) -> bytes:
    """Read a file the user can read, of at most `limit` bytes; `-` is `stdin`.

    Raises `InputPathError`. Never waits for a FIFO that is named.
    """
    if name != STANDARD_INPUT or stdin is None:
        return _read_regular(name, limit)
    try:
        content = stdin.read(limit + 1)
    except OSError:  # a folder, or a terminal that is gone
        raise InputPathError(path=name, reason="it cannot be read") from None
    if len(content) > limit:
        raise InputPathError(path=name, reason=TOO_LARGE)
    return content


def parse_json(content: bytes, *, name: str) -> Json:
    """Read JSON strictly, or raise `InputJsonError` with `name` and what is wrong."""

    def refuse(reason: str) -> NoReturn:
        raise InputJsonError(path=name, reason=reason)

    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        refuse(f"it is not UTF-8 at byte {problem.start}")
    if _nesting(text) > MAX_NESTING:
        refuse(f"it is nested more than {MAX_NESTING} deep")
    try:
        value: Json = json.loads(
            text,
            object_pairs_hook=_distinct,
            parse_int=_whole,
            parse_float=_finite,
            parse_constant=_refuse_constant,
        )
    except json.JSONDecodeError as problem:
        if text.lstrip().startswith(PROMPT_OPENING):
            reason = "it is a bundle in the prompt format"
            error = InputJsonError(path=name, reason=reason)
            error.hint = _USE_JSON
            raise error from None
        refuse(f"it does not parse at line {problem.lineno} column {problem.colno}")
    except _NotUsableError as problem:
        refuse(problem.reason)
    try:
        canonical_json(value)
    except UnicodeEncodeError:
        refuse("it has half of a surrogate pair")
    return value


class _NotUsableError(Exception):
    """A value that parses and cannot be used."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def _distinct(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _NotUsableError(_REPEATED)
    return found


def _whole(digits: str) -> int:
    if len(digits) <= _WHOLE_DIGITS:
        number = int(digits)
        if -MAX_WHOLE <= number <= MAX_WHOLE:
            return number
    raise _NotUsableError(_BEYOND)


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise _NotUsableError(_INFINITE)
    return number


def _refuse_constant(_: str) -> NoReturn:
    raise _NotUsableError(_UNKNOWN)


def _nesting(text: str) -> int:
    """Give how deep the brackets outside strings nest, as far as it matters."""
    depth = deepest = 0
    for match in _STRING_OR_BRACKET.finditer(text):
        mark = match[0]
        if mark in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif mark in "]}":
            depth -= 1
    return deepest


def _path_inside(project: Path, name: str) -> RelPath:
    if "\x00" in name:
        raise InputPathError(
            path=name, reason="it has a character that is not portable"
        )
    whole = os.path.abspath(name)  # noqa: PTH100 - without following links
    folder, below = os.path.split(whole)
    while not _same_folder(project, folder):
        above, part = os.path.split(folder)
        if not part:
            raise InputPathError(path=name, reason="it lies outside the project")
        folder, below = above, f"{part}/{below}"
    return RelPath(below)


def _same_folder(project: Path, folder: str) -> bool:
    try:
        return project.samefile(folder)
    except OSError:
        return False


def _read_regular(name: str, limit: int) -> bytes:
    try:
        descriptor = os.open(name, _FLAGS)  # noqa: TID251 - a file the person names
    except FileNotFoundError:
        raise InputPathError(path=name, reason=NOT_FOUND) from None
    except (OSError, ValueError):
        raise InputPathError(path=name, reason="it cannot be opened") from None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise InputPathError(path=name, reason=NOT_REGULAR)
        content = bytearray()
        while len(content) <= limit:
            block = os.read(descriptor, limit + 1 - len(content))
            if not block:
                return bytes(content)
            content += block
    except OSError:
        raise InputPathError(path=name, reason="it cannot be read") from None
    finally:
        os.close(descriptor)
    raise InputPathError(path=name, reason=TOO_LARGE)
