"""Changes of files of instructions: what lines become, and the unified diff of it.

A change names the lines it replaces, so changes of one file that do not overlap can be
made together or one at a time. A diff of ours is one that `git apply` and `patch` take:
line ends, and a file whose last line has none, stay as they are.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from agentctx.drift.entries import BEGIN, END, HEADING, end_of_section
from agentctx.drift.outline import outline_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

CONTEXT = 3


class Change(NamedTuple):
    """One change that a person can confirm, with its number.

    Lines `first` to `last`, from 1, become `lines`, which have no line ends; `add` puts
    them into our section, made where there is none. `path` is the real one, `shown` the
    one for people.
    """

    number: int
    kind: Literal["replace", "remove", "add"]
    path: str
    shown: str
    first: int
    last: int
    lines: tuple[str, ...]
    record_id: str
    superseded_id: str | None

    def as_json(self) -> dict[str, object]:
        """Give the change as one JSON object."""
        return {
            "number": self.number,
            "kind": self.kind,
            "file": self.shown,
            "first_line": self.first,
            "last_line": self.last,
            "lines": list(self.lines),
            "id": self.record_id,
            "superseded": self.superseded_id,
        }


class _Region(NamedTuple):
    """Lines `start` to `end`, from 0, `end` not included, become `lines`."""

    start: int
    end: int
    lines: list[str]


def changed_text(text: str, changes: Iterable[Change]) -> str:
    """Give a file's text with some changes made."""
    lines = _lines_of(text)
    found: list[str] = []
    at = 0
    for region in _regions(lines, changes):
        found += lines[at : region.start]
        found += region.lines
        at = region.end
    return "".join((*found, *lines[at:]))


def unified_diff(text: str | None, changes: Sequence[Change], *, name: str) -> str:
    """Give the diff of some changes of one file; `text` None where there is none yet.

    `name` is the path below the project's root, or an absolute one.
    """
    lines = _lines_of(text or "")
    regions = _regions(lines, changes)
    if not regions:
        return ""
    inside = not name.startswith("/")
    old = "/dev/null" if text is None else _named(f"a/{name}" if inside else name)
    new = _named(f"b/{name}" if inside else name)
    hunks = [f"--- {old}\n+++ {new}\n"]
    shift = 0
    for group in _grouped(regions):
        hunks.append(_hunk(lines, group, shift))
        shift += sum(len(one.lines) - (one.end - one.start) for one in group)
    return "".join(hunks)


def line_end_of(text: str) -> str:
    """Give the line end that a file uses."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def _regions(lines: list[str], changes: Iterable[Change]) -> list[_Region]:
    end = line_end_of("".join(lines[:1]))
    found: list[_Region] = []
    added: list[str] = []
    for change in sorted(changes, key=lambda one: (one.first, one.number)):
        if change.kind == "add":
            added += [f"{line}{end}" for line in change.lines]
            continue
        new = [f"{line}{end}" for line in change.lines]
        if change.last == len(lines) and new and not lines[-1].endswith("\n"):
            new[-1] = new[-1].removesuffix(end)
        found.append(_Region(change.first - 1, change.last, new))
    if added:
        _add_section(lines, found, added, end)
    return sorted(found, key=lambda one: (one.start, one.end))


def _add_section(
    lines: list[str], found: list[_Region], added: list[str], end: str
) -> None:
    """Put lines at the end of our section; where there is none, make it at the end."""
    closing = end_of_section(outline_of("".join(lines)))
    if closing is not None:
        found.append(_Region(closing - 1, closing - 1, added))
        return
    count = len(lines)
    if lines and not lines[-1].endswith("\n"):
        last = next((one for one in found if one.end == count), None)
        if last is None:
            found.append(_Region(count - 1, count, [f"{lines[-1]}{end}"]))
        elif last.lines and not last.lines[-1].endswith("\n"):
            last.lines[-1] += end
    gap = [end] if lines and lines[-1].strip() else []
    head = [f"{BEGIN}{end}", f"{HEADING}{end}", end]
    foot = [f"{END}{end}"]
    found.append(_Region(count, count, [*gap, *head, *added, *foot]))


def _grouped(regions: Sequence[_Region]) -> Iterator[list[_Region]]:
    """Gather the changes whose surroundings would overlap."""
    group: list[_Region] = []
    for region in regions:
        if group and region.start - group[-1].end > 2 * CONTEXT:
            yield group
            group = []
        group.append(region)
    yield group


def _hunk(lines: list[str], group: Sequence[_Region], shift: int) -> str:
    start = max(0, group[0].start - CONTEXT)
    stop = min(len(lines), group[-1].end + CONTEXT)
    body: list[str] = []
    removed = added = 0
    at = start
    for region in group:
        body += [_line(" ", line) for line in lines[at : region.start]]
        body += [_line("-", line) for line in lines[region.start : region.end]]
        body += [_line("+", line) for line in region.lines]
        removed += region.end - region.start
        added += len(region.lines)
        at = region.end
    body += [_line(" ", line) for line in lines[at:stop]]
    old = stop - start
    new = old - removed + added
    first, second = start + (old > 0), start + shift + (new > 0)
    return "".join([f"@@ -{first},{old} +{second},{new} @@\n", *body])


def _line(sign: str, line: str) -> str:
    if line.endswith("\n"):
        return f"{sign}{line}"
    return f"{sign}{line}\n\\ No newline at end of file\n"


def _lines_of(text: str) -> list[str]:
    return _LINES.findall(text)


def _named(path: str) -> str:
    """Write a path as git does: quoted where it has to be."""
    if _ODD.search(path):
        text = path.replace("\\", "\\\\").replace('"', '\\"')
        text = text.replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
        return f'"{text}"'
    return f"{path}\t" if " " in path else path


_LINES = re.compile(r"[^\n]*\n|[^\n]+")
_ODD = re.compile('[\x00-\x1f"\\\\\x7f]')
