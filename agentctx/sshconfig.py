"""What a user's ssh configuration calls a host, read without starting ssh.

Only `Host`, `Match all`, `HostName` and `Include` are understood; other `Match` blocks
never apply. Files are bounded in size, number and depth, and nothing here raises.
"""

from __future__ import annotations

import os
import re

from agentctx.smallfile import small_text
from corpus.patterns import pattern
from corpus.values import NamedTuple

MAX_BYTES = 1024 * 1024
MAX_DEPTH = 4
MAX_FILES = 32

_LINE = pattern(r"([A-Za-z]+)(?:[ \t]*=[ \t]*|[ \t]+)(.*)")
_WORD = pattern(r'"([^"]*)"|([^ \t"]+)')


class _Search(NamedTuple):
    """What is looked for, and how many files may still be read."""

    alias: str
    home: str
    budget: list[int]


def real_host(alias: str, home: str) -> str:
    """Give the `HostName` that `~/.ssh/config` has for `alias`, else `alias`."""
    search = _Search(alias, home, [MAX_FILES])
    found = _search(f"{home}/.ssh/config", search, depth=0, applies=True)
    if not found:
        return alias
    return re.sub("%[%h]", lambda token: alias if token[0] == "%h" else "%", found)


def _search(path: str, search: _Search, *, depth: int, applies: bool) -> str | None:
    """Give the first `HostName` that applies; the first value is the one ssh takes."""
    if depth > MAX_DEPTH or not search.budget[0]:
        return None
    search.budget[0] -= 1
    outer = applies
    for line in (small_text(path, limit=MAX_BYTES) or "").splitlines():
        match = _LINE.fullmatch(line.strip())
        if match is None:  # an empty line, a comment or a keyword alone
            continue
        keyword = match[1].lower()
        words: list[str] = [
            quoted or plain for quoted, plain in _WORD.findall(match[2])
        ]
        if keyword == "host":
            applies = outer and _matches(search.alias, words)
        elif keyword == "match":
            applies = outer and [word.lower() for word in words] == ["all"]
        elif keyword == "hostname" and applies and words:
            return words[0]
        elif keyword == "include" and applies:
            for included in _included(words, search.home):
                found = _search(included, search, depth=depth + 1, applies=True)
                if found:
                    return found
    return None


def _matches(alias: str, patterns: list[str]) -> bool:
    """Say whether a `Host` line means `alias`; a negated match always loses."""
    hit = False
    for one in patterns:
        negated = one.startswith("!")
        if _like(alias, one[negated:]):
            if negated:
                return False
            hit = True
    return hit


def _like(text: str, wildcard: str) -> bool:
    """Match `*` and `?` in time that grows with text times pattern."""
    at = 0
    star = again = -1
    number = 0
    while at < len(text):
        wanted = wildcard[number] if number < len(wildcard) else ""
        if wanted == "*":
            star, again = number, at
            number += 1
        elif wanted and wanted in ("?", text[at]):
            number += 1
            at += 1
        elif star >= 0:
            again += 1
            number, at = star + 1, again
        else:
            return False
    return not wildcard[number:].strip("*")


def _included(words: list[str], home: str) -> list[str]:
    """Give the files an `Include` names, in the order ssh reads them."""
    found: list[str] = []
    for word in words:
        near = (home, word[2:]) if word.startswith("~/") else (f"{home}/.ssh", word)
        given = os.path.join(*near).rstrip("/")  # noqa: PTH118 - text
        folder, wanted = os.path.split(given)
        if not set("*?") & set(wanted):
            found.append(given)
            continue
        try:
            names = sorted(os.listdir(folder))  # noqa: PTH208 - text
        except (OSError, ValueError):
            continue
        hidden = wanted.startswith(".")
        found += [
            f"{folder}/{name}"
            for name in names
            if _like(name, wanted) and name.startswith(".") <= hidden
        ]
    return found[:MAX_FILES]
