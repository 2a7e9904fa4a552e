"""Scopes: patterns that say which project paths a policy means (P2.3).

`*` and `?` stay inside one path part, `**` crosses parts, `dir/**` is everything below
`dir`, `a/**/b` is `a/b` and every deeper `b` below `a`. `[abc]`, `[a-z]` and `[!abc]`
are classes; any other bracket is itself, and `[[]` always is. Case counts.

A pattern is matched as a set of positions that moves over the path one character at a
time, so the cost is linear in the path whatever the pattern is.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal, Self

from corpus.errors import BadScopeError

MAX_SCOPE_LENGTH = 512
"""Characters a scope may have."""

MAX_SCOPE_PARTS = 64
"""Path parts a scope may have."""

_CLASS = re.compile(r"\[(!?)([^\]]+)\]")
_UNPORTABLE = re.compile(r'[\x00-\x1f\x7f-\x9f<>:"\\|\ud800-\udfff]')
_WILD = re.compile(r"[*?\[]")

_Shape = Literal["exact", "below", "wild"]
_Ranges = tuple[tuple[str, str], ...]

_SHOWN = 120
_SLASH: _Ranges = (("/", "/"),)


class Scope:
    """One pattern, checked and ready to match; made by `parse`."""

    __slots__ = ("_moves", "_shape", "_stem", "text")

    def __init__(self, text: str, shape: _Shape, stem: str, moves: _Moves) -> None:
        self.text = text
        self._shape = shape
        self._stem = stem
        self._moves = moves

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scope) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"Scope({self.text!r})"

    def __str__(self) -> str:
        return self.text

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a pattern as policies write it, or raise `BadScopeError`."""
        problem = _problem(text)
        if problem is not None:
            raise BadScopeError(scope=shown(text), reason=problem)
        stem = text.removesuffix("/**")
        if _WILD.search(text) is None:
            return cls(text, "exact", text, _Moves(text))
        if stem != text and _WILD.search(stem) is None:
            return cls(text, "below", f"{stem}/", _Moves(text))
        return cls(text, "wild", text, _Moves(text))

    def matches(self, path: str) -> bool:
        """Say whether the pattern means the file at `path`."""
        if self._shape == "exact":
            return path == self._stem
        if self._shape == "below":
            return path.startswith(self._stem)
        return self._moves.accepts(path)

    def may_reach(self, directory: str) -> bool:
        """Say whether some path below `directory` could match; "" is the root."""
        return self._moves.after(f"{directory}/" if directory else "") != 0

    def covers(self, directory: str) -> bool:
        """Say whether the pattern ends in `**` and so means all below `directory`."""
        return self._moves.takes_all_after(f"{directory}/" if directory else "")

    def names(self, path: str) -> bool:
        """Say whether the pattern, free of wildcards, is `path` or a folder above."""
        return self._shape == "exact" and f"{path}/".startswith(f"{self._stem}/")


def shown(text: str) -> str:
    """Give a value from a policy short enough to print, on one line."""
    short = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in short
    )


class _Moves:
    """The positions of a pattern as bits of an integer, and how characters move them.

    Bit `i` is set when the first `i` elements have matched what was read so far. An
    element is one character to read, or a star, whose bit stays set while it reads.
    """

    __slots__ = ("_cross", "_end", "_masks", "_readers", "_skips", "_stars")

    def __init__(self, pattern: str) -> None:
        self._readers: list[tuple[int, _Ranges, bool]] = []
        self._stars = 0
        self._cross = 0
        self._skips = 0
        self._end = 0
        self._masks: dict[str, int] = {}
        parts = pattern.split("/")
        while len(parts) > 1 and parts[-1] == "*" and _is_globstar(parts[-2]):
            parts.pop()  # `**/*` means no less than `**`
        for index, part in enumerate(parts):
            last = index == len(parts) - 1
            if _is_globstar(part):
                if not last and _is_globstar(parts[index + 1]):
                    continue
                if not last:
                    self._skips |= 1 << self._end
                self._add_star(crosses=True)
            else:
                self._add_part(part)
            if not last:
                self._add_reader(_SLASH, negated=False)

    def accepts(self, path: str) -> bool:
        """Say whether the whole of `path` matches."""
        return bool(self.after(path) >> self._end & 1)

    def takes_all_after(self, read: str) -> bool:
        """Say whether any text may follow `read`: a final `**` has been reached."""
        last = 1 << self._end - 1 if self._end else 0
        return bool(self.after(read) & last & self._cross)

    def after(self, read: str) -> int:
        """Give the positions alive after reading `read`; 0 when nothing can match."""
        alive = self._settled(1, 0)
        masks = self._masks
        for char in read:
            mask = masks.get(char)
            if mask is None:
                mask = masks[char] = self._mask(char)
            staying = alive & (self._cross if char == "/" else self._stars)
            alive = self._settled((alive & mask) << 1, staying)
            if not alive:
                return 0
        return alive

    def _settled(self, fresh: int, staying: int) -> int:
        """Add what is reached without reading: past a star, past a whole `**/`."""
        alive = fresh | staying | (fresh & self._skips) << 2
        return alive | (alive & self._stars) << 1

    def _mask(self, char: str) -> int:
        mask = 0
        for position, ranges, negated in self._readers:
            if char == "/" and ranges != _SLASH:
                continue
            if any(first <= char <= last for first, last in ranges) != negated:
                mask |= 1 << position
        return mask

    def _add_part(self, part: str) -> None:
        at = 0
        while at < len(part):
            char = part[at]
            found = _CLASS.match(part, at)
            chosen = None if found is None else _class_of(found[2])
            if char == "*":
                run = len(part) - at - len(part[at:].lstrip("*"))
                self._add_star(crosses=run > 1)
                at += run
                continue
            if found is not None and chosen is not None:
                self._add_reader(chosen, negated=bool(found[1]))
                at = found.end()
                continue
            self._add_reader(
                () if char == "?" else ((char, char),), negated=char == "?"
            )
            at += 1

    def _add_reader(self, ranges: _Ranges, *, negated: bool) -> None:
        self._readers.append((self._end, ranges, negated))
        self._end += 1

    def _add_star(self, *, crosses: bool) -> None:
        self._stars |= 1 << self._end
        if crosses:
            self._cross |= 1 << self._end
        self._end += 1


def _is_globstar(part: str) -> bool:
    return len(part) > 1 and not part.strip("*")


def _class_of(content: str) -> _Ranges | None:
    """Read `abc` or `a-z` as ranges; None when one runs backwards."""
    ranges: list[tuple[str, str]] = []
    at = 0
    while at < len(content):
        if at + 2 < len(content) and content[at + 1] == "-":
            ranges.append((content[at], content[at + 2]))
            at += 3
        else:
            ranges.append((content[at], content[at]))
            at += 1
    backwards = any(first > last for first, last in ranges)
    return None if backwards else tuple(ranges)


def _problem(text: str) -> str | None:
    if not text:
        return "it is empty"
    if len(text) > MAX_SCOPE_LENGTH:
        return f"it is longer than {MAX_SCOPE_LENGTH} characters"
    if text != text.strip():
        return "it has white space around it"
    if _UNPORTABLE.search(text):
        return "it has a character that is not portable"
    if not unicodedata.is_normalized("NFC", text):
        return "it is not in Unicode form NFC"
    parts = text.split("/")
    if len(parts) > MAX_SCOPE_PARTS:
        return f"it has more than {MAX_SCOPE_PARTS} parts"
    for part in parts:
        if part in {"", ".", ".."}:
            return "it has an empty or dotted part"
        if part[-1] in " .":
            return "a part ends in a space or a dot"
    return None
