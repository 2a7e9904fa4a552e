"""How a change to a client's files is shown: as a unified diff, without their values.

The lines around a change are somebody's settings, and one of the files holds an
account. Keys and structure are shown; a text or a number that is not ours is replaced
by `…`, whatever it is, and a long line is cut to the place that changes.
"""

from __future__ import annotations

import difflib
import json
import re
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple, Protocol

from agentctx.cli.consent import require_consent
from agentctx.clients.claude_settings import is_our_value, ours_in
from agentctx.clients.journal import text_of
from agentctx.redact import redact

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentctx.clients.claude_code import Change
    from corpus.cli.call import Call

AROUND = 3
"""Lines of context, as diffs have."""

LONGEST = 160
"""Characters of a line that are shown whole."""

BESIDE = 40
"""Characters before and after what changes in a longer line."""

MOST_SHOWN = 4_000
"""Characters of what changes in a longer line: our entries fit, all on one."""

_MOST = 20_000
_NO_FILE = "/dev/null"
_HIDDEN = "…"
_TOKEN = re.compile(
    r"""(?:"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$))(?P<key>[ \t\r]*:)?
      |[^\s{}\[\]:,"]+""",
    re.VERBOSE,
)
_KNOWN = frozenset(("true", "false", "null"))


class Shown(NamedTuple):
    """A change as it is told: which file, what becomes of it, and the diff.

    `reason` says why a file that holds entries of ours cannot be edited.
    """

    path: str
    action: str
    diff: tuple[str, ...]
    reason: str | None = None


class Plan(Protocol):
    """What a command changes, as it is shown."""

    def as_json(self) -> dict[str, object]:
        """Give it as one JSON object."""

    def lines(self) -> Iterator[str]:
        """Give it for people."""


class _Side(NamedTuple):
    """The lines of a file, where each begins, and where entries of ours stand."""

    lines: list[str]
    starts: list[int]
    ours: tuple[tuple[int, int], ...]

    def shown(self, first: int, end: int) -> list[str]:
        """Give some lines as they may be shown."""
        return [self._masked(number) for number in range(first, end)]

    def _masked(self, number: int) -> str:
        start = self.starts[number]

        def mask(token: re.Match[str]) -> str:
            found = token[0]
            if token["key"] is not None or found in _KNOWN:
                return found
            place = start + token.start()
            mine = any(begin <= place < end for begin, end in self.ours)
            return found if mine and is_our_value(_read(found)) else _HIDDEN

        return _TOKEN.sub(mask, self.lines[number])


def shown(change: Change) -> Shown:
    """Say what becomes of a file."""
    if change.problem is not None and not change.is_one:
        return Shown(change.path, "blocked", (), str(change.problem))
    return Shown(change.path, _action(change), tuple(diff_lines(change)))


def require_seen_consent(
    call: Call, command: str, question: str, *, plan: Plan, yes: bool
) -> None:
    """Go on as `require_consent` does; who cannot be asked is shown the plan first."""
    if not yes and not call.asks:
        show(call, plan, f"`agentctx {command} --dry-run` shows this and asks nothing")
    require_consent(call, command, question, yes=yes)


def show(call: Call, plan: Plan, *more: str) -> None:
    """Show what changes, or has changed, before a failure is told."""
    if call.format == "json":
        call.write_json(plan.as_json())
    else:
        call.write_lines([*plan.lines(), *more])


def diff_lines(change: Change) -> Iterator[str]:
    """Give the unified diff of a change, nothing where there is none."""
    if not change.is_one:
        return
    was, now = _side(change.before), _side(change.after)
    old, new = was.lines, now.lines
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
            yield from _part(
                kind,
                was.shown(i1 + skipped, i2 + skipped),
                now.shown(j1 + skipped, j2 + skipped),
            )


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


def _side(content: bytes | None) -> _Side:
    if content is None:
        return _Side([], [], ())
    try:
        text = text_of(content)
    except UnicodeDecodeError:  # it is taken away whole
        text = content.decode("utf-8", "replace")
    lines = text.split("\n")[: -1 if text.endswith("\n") else None]
    starts = accumulate((len(line) + 1 for line in lines), initial=0)
    return _Side(lines, list(starts), ours_in(text))


def _read(token: str) -> str:
    """Give what a text in a file says; a number is its own text."""
    try:
        value = json.loads(token, parse_int=str, parse_float=str)
    except ValueError:
        return ""
    return value if isinstance(value, str) else ""


def _same_ends(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """Count the lines at the beginning and at the end that both have."""
    most = min(len(old), len(new))
    head = next((i for i in range(most) if old[i] != new[i]), most)
    tail = 0
    while tail < most - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return head, tail


def _differing(line: str, other: str) -> tuple[int, int]:
    """Give where a line begins and ends to differ from another, and some beside it."""
    if len(line) <= LONGEST:
        return 0, len(line)
    most = min(len(line), len(other))
    begin = next((i for i in range(most) if line[i] != other[i]), most)
    rest = most - begin
    back = next((i for i in range(rest) if line[-1 - i] != other[-1 - i]), rest)
    return max(begin - BESIDE, 0), min(len(line) - back + BESIDE, len(line))


def _cut(line: str, begin: int, end: int) -> str:
    """Show a line without secrets; of a long one only what differs.

    Secrets go before anything is cut: half of one is not known as one.
    """
    text = line.rstrip("\r")
    if len(text) <= LONGEST:
        return redact(text).text
    told = redact(text[begin : min(end, begin + _MOST)]).text
    before = "…" if begin else ""
    after = "…" if end < len(text) or len(told) > MOST_SHOWN else ""
    return f"{before}{told[:MOST_SHOWN]}{after}"


def _span(start: int, end: int) -> str:
    """Write the lines of one side as unified diffs do."""
    count = end - start
    if count == 1:
        return f"{start + 1}"
    return f"{start + 1 if count else start},{count}"
