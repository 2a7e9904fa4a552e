"""How a change to a client's files is shown: as a unified diff, without its secrets.

The lines around a change are somebody's settings, and one of the files holds an
account. Secrets in what is shown are replaced, and a long line is cut to the place
that changes.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, NamedTuple

from agentctx.clients.journal import text_of
from agentctx.redact import redact

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentctx.clients.claude_code import Change

AROUND = 3
"""Lines of context, as diffs have."""

LONGEST = 160
"""Characters of a line that are shown."""

_MOST = 20_000
_NO_FILE = "/dev/null"


class Shown(NamedTuple):
    """A change as it is told: which file, what becomes of it, and the diff."""

    path: str
    action: str
    diff: tuple[str, ...]


def shown(change: Change) -> Shown:
    """Say what becomes of a file."""
    return Shown(change.path, _action(change), tuple(diff_lines(change)))


def diff_lines(change: Change) -> Iterator[str]:
    """Give the unified diff of a change, nothing where there is none."""
    if not change.is_one:
        return
    old, new = _lines(change.before), _lines(change.after)
    yield f"--- {_NO_FILE if change.before is None else change.path}"
    yield f"+++ {_NO_FILE if change.after is None else change.path}"
    head, tail = _same_ends(old, new)
    skipped = max(head - AROUND, 0)
    last = max(tail - AROUND, 0)
    parts = difflib.SequenceMatcher(  # frequent lines, as `}`, count little: fast
        a=old[skipped : len(old) - last],
        b=new[skipped : len(new) - last],
    )
    for group in parts.get_grouped_opcodes(AROUND):
        first, end = group[0], group[-1]
        yield (
            f"@@ -{_span(first[1] + skipped, end[2] + skipped)}"
            f" +{_span(first[3] + skipped, end[4] + skipped)} @@"
        )
        for kind, i1, i2, j1, j2 in group:
            was = old[i1 + skipped : i2 + skipped]
            now = new[j1 + skipped : j2 + skipped]
            yield from _part(kind, was, now)


def _part(kind: str, was: Sequence[str], now: Sequence[str]) -> Iterator[str]:
    if kind == "equal":
        for line in was:
            yield f" {_cut(line, 0, len(line))}"
        return
    for number, line in enumerate(was):
        other = now[number] if number < len(now) else ""
        yield f"-{_cut(line, *_differing(line, other))}"
    for number, line in enumerate(now):
        other = was[number] if number < len(was) else ""
        yield f"+{_cut(line, *_differing(line, other))}"


def _action(change: Change) -> str:
    if not change.is_one:
        return "none"
    if change.before is None:
        return "create"
    return "remove" if change.after is None else "change"


def _lines(content: bytes | None) -> list[str]:
    if content is None:
        return []
    try:
        text = text_of(content)
    except UnicodeDecodeError:  # it is taken away whole
        text = content.decode("utf-8", "replace")
    return text.split("\n")[: -1 if text.endswith("\n") else None]


def _same_ends(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """Count the lines at the beginning and at the end that both have."""
    most = min(len(old), len(new))
    head = next((i for i in range(most) if old[i] != new[i]), most)
    tail = 0
    while tail < most - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return head, tail


def _differing(line: str, other: str) -> tuple[int, int]:
    """Give where a line begins and ends to differ from another."""
    if len(line) <= LONGEST:
        return 0, len(line)
    most = min(len(line), len(other))
    begin = next((i for i in range(most) if line[i] != other[i]), most)
    back = next((i for i in range(most - begin) if line[-1 - i] != other[-1 - i]), 0)
    return begin, len(line) - back


def _cut(line: str, begin: int, end: int) -> str:
    """Show a line without secrets; of a long one only what differs.

    Secrets go before anything is cut: half of one is not known as one.
    """
    text = line.rstrip("\r")
    if len(text) <= LONGEST:
        return redact(text).text
    told = redact(text[begin : min(end, begin + _MOST)]).text
    before = "…" if begin else ""
    after = "…" if end < len(text) or len(told) > 2 * LONGEST else ""
    return f"{before}{told[: 2 * LONGEST]}{after}"


def _span(start: int, end: int) -> str:
    """Write the lines of one side as unified diffs do."""
    count = end - start
    if count == 1:
        return f"{start + 1}"
    return f"{start + 1 if count else start},{count}"
