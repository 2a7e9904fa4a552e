"""Why a test failed: its error, the lines that tell, and where."""

from __future__ import annotations

from agentctx.observing.fault import Fault
from agentctx.observing.grammars import GRAMMARS
from agentctx.observing.outcomes import name_of
from agentctx.observing.patterns import compiled
from agentctx.observing.places import Place, first_place, is_own, last_place, place
from agentctx.observing.terminal import one_line
from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    import re

    from agentctx.observing.outcomes import Outcome

_MOST_LINES = 60
_MOST_BLOCKS = 12
_MOST_TRIED = 5
_LONGEST_ERROR = 300

_TELLS = (
    r"Error\b|Exception\b|[Ff]ailure|[Ff]ailed|[Ee]xpected|[Aa]ssert|panicked|\bgot\b"
    r"|mismatch|should|toBe|undefined|not equal|Expected|ERROR|timed? ?out|!=|=="
)
_RULE = r"^\s*[-=_─⎯*~]{3,}[^\w\n]*$"
_NO_ERROR = (
    r"^\s*(?:\(in test file .*|Failure/|Failures?:?|Error:?"
    r"|Error Message:|Stack Trace:|stdout:?"
    r"|not ok.*|duration_ms.*|---|type: .*|location: .*|failureType: .*"
    r"|at .*|❯ .*|Traceback.*|File \".*|#\d+ .*|\d+\) .*|=== .*|\[.*\]|>.*|│.*"
    r"|[-─⎯^~ ]+|-{3} .*|\d+(?: *\||: ).*|\|.*|code: .*"
    r"|stack: \|-|note: .*|\S+:\d+(?::\d+)?:?)$"
)
_LABEL = (
    r"^\s*(?:E {1,7}|# ?|Failure/Error: |error: |Error: |→ |× "
    r"|→|Uncaught )"
)
_PLACED = r"^\s*[\w./\\@-]+\.\w{1,5}:\d+(?::\d+)?:(?: |$)"


def fault_of_tests(text: str, outcome: Outcome) -> Fault:
    """Say what failed first, by name: the order of a run may change."""
    runner = outcome.tests.runner
    named = sorted(outcome.failing, key=lambda each: each["id"])
    blocks = [(match, _block(text, match, outcome)) for match in named[:_MOST_TRIED]]
    match, lines = next((each for each in blocks if each[1]), blocks[0])
    name = name_of(match)
    if runner == "pytest":
        lines = _telling(lines)
    groups = match.groupdict()
    error = one_line(groups.get("error") or "", _LONGEST_ERROR)
    if runner == "pytest" and (not error or error.endswith("...")):
        error = _error(lines, name) or error  # the terminal's width cut it
    error = error or ("" if runner == "ctest" else _error(lines, name))
    where = _place(lines, groups, runner, name)
    shown = [text[match.start() : match.end()].strip("\n"), *lines]
    kept = dict.fromkeys(line for line in shown if not _is_noise(line))
    count = len(outcome.failing)
    if count > 1:
        kept[f"({count} tests failed)"] = None
    return Fault(runner, name, error, tuple(kept), where, match.start(), outcome.end)


def _block(text: str, match: re.Match[str], outcome: Outcome) -> list[str]:
    """Find the lines that belong to a failing test, wherever the runner puts them."""
    found: list[list[str]] = []
    if outcome.tests.runner in {"gtest", "bun"}:
        return _above(text, match, outcome)
    for start in _headings(text, match, outcome):
        lines = _below(text, start, outcome)
        if any(compiled(_TELLS).search(line) for line in lines):
            return lines
        found.append(lines)
    alone = outcome.tests.runner == "pytest" and len(outcome.failing) == 1
    said_above = alone or outcome.tests.runner == "go"
    before = _above(text, match, outcome) if said_above else []
    if any(compiled(_TELLS).search(line) for line in before):
        return before
    return max(found, key=len, default=[])


def _above(text: str, match: re.Match[str], outcome: Outcome) -> list[str]:
    above = text[max(outcome.at, match.start() - 4_000) : match.start()]
    return _until_heading(above.split("\n")[::-1][1:])[::-1]


def _headings(text: str, match: re.Match[str], outcome: Outcome) -> list[int]:
    """Give the ends of the lines that may stand above what a test says."""
    if outcome.tests.runner == "pytest":
        inner = match["id"].partition("::")[2].replace("::", ".")
        titles = [f"_ {inner} _", f"_ ERROR at setup of {inner.rpartition('.')[2]} _"]
        if not inner:
            titles = [f"_ ERROR collecting {match['id']} _"]
    else:
        titles = [match["id"].split("\n")[0]]
    ends: list[int] = []
    if outcome.tests.runner != "pytest":
        ends.append(match.end() + 1)
    for title in titles:
        at = text.find(title, outcome.at)
        while at >= 0 and len(ends) < _MOST_BLOCKS:
            end = text.find("\n", at)
            if end < 0:
                break
            ends.append(end + 1)
            at = text.find(title, end)
    return ends


def _below(text: str, start: int, outcome: Outcome) -> list[str]:
    lines = text[start : start + 8_000].split("\n")[:_MOST_LINES]
    source = GRAMMARS[outcome.tests.runner].summary
    kept: list[str] = []
    for number, line in enumerate(lines):
        if number > 1 and compiled(r"^(?:_{3,} \S|={3,} \S|-{4} \S|={20})").match(line):
            break
        if kept and number > 1 and _is_heading(line, outcome):
            break
        if line and compiled(source).match(line):
            break
        kept.append(line)
    return kept


def _until_heading(lines: list[str]) -> list[str]:
    kept: list[str] = []
    for line in lines[:25]:
        if compiled(r"^(?:\(pass\)|\(fail\)|=== RUN|\[ RUN|\[ {6} OK|--- )").match(
            line
        ):
            break
        kept.append(line)
    return kept


def _is_heading(line: str, outcome: Outcome) -> bool:
    """Say whether a line begins what another test says."""
    return any(
        compiled(source).match(line + "\n")
        for source in GRAMMARS[outcome.tests.runner].failing
    )


def _telling(lines: list[str]) -> list[str]:
    """Keep of pytest's lines the failing ones, the errors and the places."""
    if any("Traceback (most recent call last)" in line for line in lines):
        return lines
    kept = [
        line
        for line in lines
        if compiled(r"^(?:>|E  )|^\S[^\n:]{0,250}:\d+: ?|^    (?:assert|raise) ").match(
            line
        )
    ]
    return kept or lines


def _error(lines: list[str], name: str) -> str:
    if any("Traceback (most recent call last)" in line for line in lines):
        for line in reversed(lines):
            if compiled(r"^\w[\w.]{1,150}(?:: |$)").match(line):
                return one_line(line, _LONGEST_ERROR)
    marked = [line for line in lines if line.startswith(("E  ", "error: "))]
    for line in marked or lines:
        bare = compiled(_PLACED).sub("", compiled(_LABEL).sub("", line)).strip()
        if "panicked at '" in bare:
            bare = bare.partition("panicked at '")[2]
        if bare in {"", name} or _is_noise(line) or compiled(_NO_ERROR).match(bare):
            continue
        if bare.startswith("thread '") and "panicked at " in bare:
            continue
        return one_line(bare, _LONGEST_ERROR)
    return ""


def _is_noise(line: str) -> bool:
    if compiled(_RULE).match(line):
        return True
    if compiled(r"^\s+(?:at |❯ )").match(line):
        found = first_place(line)
        return found is None or not found.own
    return False


def _place(
    lines: list[str], groups: dict[str, str | None], runner: str, name: str
) -> Place | None:
    block = "\n".join(lines)
    last = GRAMMARS[runner].frames == "last"
    found = last_place(block) if last else first_place(block)
    if groups.get("file") and runner in {"minitest", "swift"}:
        return place(groups["file"] or "", groups.get("line"))
    if found is not None and found.own:
        return found
    if groups.get("file"):
        return place(groups["file"] or "", groups.get("line"))
    inside = compiled(
        r"(?:^|[\s|(\]])(?P<file>[\w./\\@-]{1,250}\.(?:[cm]?[jt]sx?|py|rb|php|exs|go|dart))"
        r"(?:::|$| > | \[| )"
    ).search(name)
    if inside is not None and is_own(inside["file"]):
        return place(inside["file"])
    return found
