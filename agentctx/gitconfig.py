"""What git's configuration files say about remotes, read without starting git.

A broken line is passed over and the rest is read. A file that is missing, too large or
no regular file says nothing. Nothing here raises.
"""

from __future__ import annotations

import os
import re

from agentctx.smallfile import small_text
from corpus.patterns import pattern
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MAX_BYTES = 4 * 1024 * 1024
"""The size of the largest configuration that is read."""

MAX_DEPTH = 5
"""How deep files may include one another."""

MAX_FILES = 32
"""Files read in all, however they include one another."""

_SECTION = pattern(r'\[\s*([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\\n]|\\.)*)")?[ \t]*\]')
_KEY = pattern(r"([A-Za-z][A-Za-z0-9-]*)[ \t]*(=)?")
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b", "\\": "\\", '"': '"'}
_WANTED = {"remote", "url", "core", "extensions", "init", "include", "includeif"}
_TRUE = {"true", "yes", "on", "1"}


class Setting(NamedTuple):
    """One `key = value`; section and key are lower case, a bare key has no value."""

    section: str
    subsection: str
    key: str
    value: str | None


class Reading(NamedTuple):
    """How a file and what it includes are to be read.

    A user's own files may include by any path and by condition; those of a repository
    may include only relative paths, since others may have written them.
    """

    home: str | None
    git_dir: str | None
    trusted: bool


def read_settings(path: str, reading: Reading) -> tuple[Setting, ...]:
    """Give what `path` and the files it includes say of the sections we use."""
    return tuple(_settings(path, reading, depth=0, budget=[MAX_FILES]))


def parse_settings(text: str) -> Iterator[Setting]:
    """Read one text in git's configuration format; only the sections we use."""
    lines = text.replace("\r\n", "\n").split("\n")
    section = subsection = ""
    number = 0
    while number < len(lines):
        line = lines[number].lstrip(" \t")
        number += 1
        while line.startswith("["):
            match = _SECTION.match(line)
            if match is None:
                section, line = "", ""
                break
            section, subsection = _named(match)
            line = line[match.end() :].lstrip(" \t")
        if not line or line[0] in "#;":
            continue
        if section not in _WANTED and not line.endswith("\\"):
            continue
        key = _KEY.match(line)
        if key is None:
            continue
        value: str | None = None
        if key[2]:
            value, number = _value(line[key.end() :], lines, number)
            if value is None:
                continue
        if section in _WANTED:
            yield Setting(section, subsection, key[1].lower(), value)


def is_true(settings: tuple[Setting, ...], section: str, key: str) -> bool:
    """Say whether the last setting of that name is on."""
    on = False
    for one in settings:
        if (one.section, one.subsection, one.key) == (section, "", key):
            on = one.value is None or one.value.lower() in _TRUE
    return on


def last_value(settings: tuple[Setting, ...], section: str, key: str) -> str | None:
    """Give the value that counts of a setting without subsection."""
    found = None
    for one in settings:
        if (one.section, one.subsection, one.key) == (section, "", key):
            found = one.value
    return found


def remote_url(settings: tuple[Setting, ...], remote: str) -> str | None:
    """Give the first URL of a remote; an empty one forgets those before it."""
    found: str | None = None
    for one in settings:
        if (one.section, one.subsection, one.key) == ("remote", remote, "url"):
            if one.value == "":
                found = None
            elif found is None:
                found = one.value
    return found


def rewritten(url: str, settings: tuple[Setting, ...]) -> str:
    """Apply `url.<base>.insteadOf`: the longest prefix wins, the first among equals."""
    best = ""
    base = ""
    for one in settings:
        if one.section == "url" and one.key == "insteadof" and one.value:
            longer = len(one.value) > len(best)
            if longer and url.startswith(one.value):
                best, base = one.value, one.subsection
    return base + url[len(best) :] if best else url


def user_settings(
    environ: Mapping[str, str], git_dir: str | None
) -> tuple[Setting, ...]:
    """Give what the user's own configuration says; the system's is not read."""
    home = environ.get("HOME")
    if not home:
        return ()
    reading = Reading(home, git_dir, trusted=True)
    chosen = environ.get("XDG_CONFIG_HOME")
    folder = chosen or f"{home}/.config"
    return read_settings(f"{folder}/git/config", reading) + read_settings(
        f"{home}/.gitconfig", reading
    )


def _settings(
    path: str, reading: Reading, *, depth: int, budget: list[int]
) -> Iterator[Setting]:
    if depth > MAX_DEPTH or not budget[0]:
        return
    budget[0] -= 1
    text = small_text(path, limit=MAX_BYTES)
    if text is None:
        return
    for one in parse_settings(text):
        if one.section not in {"include", "includeif"}:
            yield one
            continue
        target = _included(one, path, reading)
        if target is not None:
            yield from _settings(target, reading, depth=depth + 1, budget=budget)


def _included(one: Setting, path: str, reading: Reading) -> str | None:
    """Give the file an include names, where it may be followed."""
    if one.key != "path" or not one.value or "\0" in one.value:
        return None
    if one.section == "includeif" and not _holds(one.subsection, path, reading):
        return None
    if reading.trusted and one.value.startswith("~/") and reading.home is not None:
        return _joined(reading.home, one.value[2:])
    if os.path.isabs(one.value) and not reading.trusted:  # noqa: PTH117 - text
        return None
    return _joined(_above(path), one.value)


def _holds(condition: str, path: str, reading: Reading) -> bool:
    """Say whether `gitdir:` names our repository; other conditions never hold."""
    kind, _, pattern = condition.partition(":")
    if kind not in {"gitdir", "gitdir/i"} or not reading.trusted or not pattern:
        return False
    if reading.git_dir is None:
        return False
    if pattern.startswith("~/") and reading.home is not None:
        pattern = _joined(reading.home, pattern[2:])
    elif pattern.startswith("./"):
        pattern = _above(path) + pattern[1:]
    elif not pattern.startswith("/"):
        pattern = "**/" + pattern
    if pattern.endswith("/"):
        pattern += "**"
    flags = re.IGNORECASE if kind == "gitdir/i" else 0
    return re.fullmatch(_glob(pattern), reading.git_dir, flags) is not None


def _joined(folder: str, path: str) -> str:
    return os.path.join(folder, path)  # noqa: PTH118 - text


def _above(path: str) -> str:
    return os.path.dirname(path)  # noqa: PTH120 - text


def _glob(pattern: str) -> str:
    """Write a user's own path pattern as a regular expression."""
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    known = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return "".join(known.get(part, re.escape(part)) for part in parts)


def _named(match: re.Match[str]) -> tuple[str, str]:
    if match[2] is not None:
        return match[1].lower(), re.sub(r"\\(.)", r"\1", match[2])
    section, _, subsection = match[1].lower().partition(".")
    return section, subsection


def _value(rest: str, lines: list[str], number: int) -> tuple[str | None, int]:
    """Read a value, which may go on over the lines from `number`.

    Gives the value, None for one that git would refuse, and the next line's number.
    """
    out: list[str] = []
    kept = 0  # unquoted blanks at the end do not belong to the value
    quoted = False
    rest = rest.lstrip(" \t")
    at = 0
    while at < len(rest):
        char = rest[at]
        at += 1
        if char == '"':
            quoted = not quoted
            kept = len(out)
        elif char == "\\":
            if at == len(rest):
                if number == len(lines):
                    return None, number
                rest, at, number = lines[number], 0, number + 1
                continue
            escaped = _ESCAPES.get(rest[at])
            if escaped is None:
                return None, number
            out.append(escaped)
            kept = len(out)
            at += 1
        elif char in "#;" and not quoted:
            break
        else:
            out.append(char)
            if quoted or char not in " \t":
                kept = len(out)
    return (None if quoted else "".join(out[:kept])), number
