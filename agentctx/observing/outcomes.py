"""How a run of tests ended, read from what its runner says last."""

from __future__ import annotations

from agentctx.observing.grammars import GRAMMARS, Grammar
from agentctx.observing.model import LONGEST_NAME, MOST_FAILING, Tests
from agentctx.observing.patterns import compiled
from agentctx.observing.terminal import one_line
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Sequence

_MOST_MATCHES = 2_000
_MOST_NAMES = 500

_PASSED = r"pass(?:ed|ing)?|succeeded"
_FAILED = (
    r"fail(?:ed|ing|ures?)?|errors?|timed out|cancelled|uncaught exceptions?"
    r"|unhandled rejections?|interrupted|invalid"
)
_SKIPPED = r"skip(?:ped|s)?|pending|todo|ignored|excluded|disabled"
_TOTAL = r"tests?(?: run| completed)?|total(?: tests)?|examples?|runs|ran|executed"


class Outcome(NamedTuple):
    """An outcome, where it stands, and the tests that failed in it."""

    tests: Tests
    at: int
    end: int
    times: int
    """How many runs the output shows."""
    failing: tuple[re.Match[str], ...]


def last_outcome(text: str, runners: Sequence[str]) -> Outcome | None:
    """Give the outcome said last by one of the runners."""
    found = [each for each in (_outcome(text, name) for name in runners) if each]
    if not found:
        return None
    last = max(found, key=lambda each: each.end)
    return last._replace(times=sum(each.times for each in found))


def _outcome(text: str, name: str) -> Outcome | None:
    grammar = GRAMMARS[name]
    if not any(needle in text for needle in grammar.needles):
        return _failing_alone(text, name, grammar)
    matches: list[re.Match[str]] = []
    for match in compiled(grammar.summary).finditer(text):
        matches.append(match)
        if len(matches) == _MOST_MATCHES:
            break
    if name in _OWN:
        return _OWN[name](text, matches)
    if not matches:
        return _failing_alone(text, name, grammar)
    last = matches[-1]
    start = matches[-2].end() if len(matches) > 1 else 0
    times = len(matches)
    if grammar.many:
        start = _beginning(text, name, last.start())
        matches = [each for each in matches if each.start() >= start]
        if name == "maven":  # the last one is the sum
            matches = matches[-1:]
        times = 1
    counts = _sum(_counts(each[0]) for each in matches[-1 if not grammar.many else 0 :])
    return _made(text, name, counts, (start, last), times)


def _made(
    text: str,
    name: str,
    counts: Counts,
    where: tuple[int, re.Match[str]],
    times: int,
) -> Outcome | None:
    start, last = where
    said_failed = _said_failed(last[0]) or (
        name == "cargo" and "\nerror: test failed" in text[last.end() :]
    )
    if counts == _NO_COUNTS and not said_failed:
        return None
    failing = failing_in(text, GRAMMARS[name], start)
    ok = not counts.failed and not said_failed
    if ok:
        failing = ()
    elif not counts.passed and not counts.failed and not failing:
        return None
    tests = Tests(
        name, counts.passed, counts.failed, counts.skipped, ok, _names(failing)
    )
    return Outcome(tests, start, last.end(), times, failing)


def _failing_alone(text: str, name: str, grammar: Grammar) -> Outcome | None:
    """Know a run that failed by its failing tests, where the summary was cut off.

    Only where the line that names a test is no one else's.
    """
    if name not in {"pytest", "cargo"} or "FAILED" not in text:
        return None
    failing = failing_in(text, grammar, 0)
    if name == "pytest":
        failing = tuple(one for one in failing if ".py" in one["id"])
    if not failing:
        return None
    tests = Tests(name, None, None, None, ok=False, failing=_names(failing))
    return Outcome(tests, failing[0].start(), failing[-1].end(), 1, failing)


class Counts(NamedTuple):
    """Numbers of tests; None where none is said."""

    passed: int | None
    failed: int | None
    skipped: int | None


_NO_COUNTS = Counts(None, None, None)


def _counts(summary: str) -> Counts:
    """Read the numbers of a summary, whichever side of their word they stand on."""
    summary = compiled(r"^ *(?:Test Suites|Test Files):?  [^\n]*$").sub("", summary)
    summary = compiled(r"^Test Suites: [^\n]*$|\d+% tests").sub("", summary)
    passed = _number(summary, _PASSED)
    failed = _number(summary, _FAILED)
    skipped = _number(summary, _SKIPPED)
    if compiled(r"Test run with [^\n]* failed after ").search(summary):
        return _NO_COUNTS  # Swift counts issues, not the tests that have them
    total = _number(summary, _TOTAL)
    whole = compiled(r" out of (\d{1,9})$").search(summary)
    total = int(whole[1]) if whole else total
    if passed is None and total is not None:
        passed = max(0, total - (failed or 0) - (skipped or 0))
    if passed is not None and failed is None:
        failed = 0
    if failed is not None and passed is None and total is None:
        passed = 0
    return Counts(passed, failed, skipped)


def _number(summary: str, words: str) -> int | None:
    """Add up the numbers beside these words."""
    before = rf"\b(\d{{1,9}}) (?:tests? |specs? )?(?:{words})\b"
    after = rf"\b(?:{words})(?:[:=] *| +)(\d{{1,9}})\b"
    found = compiled(f"(?i){before}").findall(summary)
    if compiled(rf"(?i)\b(?:{words})[:=]|^[#ℹ] (?:{words}) ").search(summary):
        found = compiled(f"(?i){after}").findall(summary)
    return sum(map(int, found)) if found else None


def _sum(counts: Iterable[Counts]) -> Counts:
    columns = [
        [number for number in column if number is not None]
        for column in zip(*counts, strict=True)
    ]
    return Counts(*[sum(column) if column else None for column in columns])


def _said_failed(summary: str) -> bool:
    return (
        compiled(
            r"^FAILED|\bFAILED\.|^Failed!|Some tests failed|[✘✗] Test run"
            r"|^Test Suites: [^\n]*\b[1-9]\d* failed|^ *Test Files  [^\n]*\d failed"
        ).search(summary)
        is not None
    )


def failing_in(text: str, grammar: Grammar, start: int) -> tuple[re.Match[str], ...]:
    """Find the tests that failed, each once, by the first way of saying so."""
    for source in grammar.failing:
        found: dict[str, re.Match[str]] = {}
        for match in compiled(source).finditer(text, start):
            found.setdefault(match["id"], match)
            if len(found) == _MOST_NAMES:
                break
        if found:
            return tuple(found.values())
    return ()


def _names(failing: tuple[re.Match[str], ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(name_of, failing)))[:MOST_FAILING]


def name_of(match: re.Match[str]) -> str:
    """Give the name of a test that failed."""
    return one_line(match["id"], LONGEST_NAME).rstrip(":")


def _beginning(text: str, name: str, last: int) -> int:
    """Find where the last run began, of a runner that says an outcome in parts."""
    marks = {
        "cargo": r"^ +Finished [^\n]*$",
        "gtest": r"^\[={10}\] Running [^\n]*$",
        "gradle": r"^BUILD (?:FAILED|SUCCESSFUL)[^\n]*$",
        "maven": r"^(?:\[INFO\] )?BUILD (?:FAILURE|SUCCESS)$",
    }
    if name not in marks:
        return 0
    start = 0
    for match in compiled(marks[name]).finditer(text, 0, last):
        start = match.end()
    return start


def _go(text: str, matches: list[re.Match[str]]) -> Outcome | None:
    """Read what `go test` says of each package; tests are named where they failed."""
    if not matches:
        return None
    failing = failing_in(text, GRAMMARS["go"], 0)
    said = [match[0] for match in matches]
    broken = [one for one in said if one.startswith("FAIL")]
    if not broken and not any(one.startswith(("ok", "PASS")) for one in said):
        return None
    passed = len(compiled(r"^ *--- PASS: ").findall(text)) or None
    skipped = len(compiled(r"^ *--- SKIP: ").findall(text)) or None
    top = [one for one in failing if "/" not in one["id"]]
    failed = len(top) or (None if broken else 0)
    own = [one for one in failing if not _has_inner(one["id"], failing)]
    tests = Tests("go", passed, failed, skipped, not broken, _names(tuple(own)))
    return Outcome(tests, 0, matches[-1].end(), 1, tuple(own))


def _has_inner(name: str, failing: tuple[re.Match[str], ...]) -> bool:
    return any(one["id"].startswith(f"{name}/") for one in failing)


def _gradle(text: str, matches: list[re.Match[str]]) -> Outcome | None:
    """Read Gradle, which says how many tests ran only when one failed."""
    ended = list(compiled(r"^BUILD (SUCCESSFUL|FAILED)[^\n]*$").finditer(text))
    start = ended[-2].end() if len(ended) > 1 else 0
    own = [match for match in matches if match.start() >= start]
    if own:
        counts = _sum(_counts(each[0]) for each in own)
        return _made(text, "gradle", counts, (start, own[-1]), 1)
    ran = compiled(r"^> Task :(?:[\w:-]{1,100}:)?\w*[tT]est\b(?! NO-SOURCE)").search(
        text
    )
    if not ended or ended[-1][1] == "FAILED" or not ran:
        return None
    tests = Tests("gradle", None, 0, None, ok=True, failing=())
    return Outcome(tests, start, ended[-1].end(), 1, ())


def _node(text: str, matches: list[re.Match[str]]) -> Outcome | None:
    """Read Node, which counts a suite whose test failed among what failed."""
    if not matches:
        return None
    last = matches[-1]
    start = matches[-2].end() if len(matches) > 1 else 0
    found = _made(text, "node", _counts(last[0]), (start, last), len(matches))
    if found is None:
        return None
    told_again = text.find("✖ failing tests:", start)
    own = [
        one
        for one in failing_in(text, GRAMMARS["node"], max(start, told_again))
        if "'subtestsFailed'"
        not in text[one.end() : one.end() + 300].split("...\n", maxsplit=1)[0]
    ]
    if found.tests.ok or not own:
        return found
    tests = found.tests._replace(failing=_names(tuple(own)))
    return found._replace(tests=tests, failing=tuple(own))


def _gtest(text: str, matches: list[re.Match[str]]) -> Outcome | None:
    """Add up what each program of GoogleTest says of its tests."""
    if not matches:
        return None
    start = _beginning(text, "gtest", matches[-1].start())
    own = [match for match in matches if match.start() >= start]
    told = "\n".join(match[0] for match in own)
    numbers = {
        word: sum(
            map(int, compiled(rf"^\[ +{word} +\] (\d{{1,9}}) tests?").findall(told))
        )
        for word in ("PASSED", "FAILED", "SKIPPED")
    }
    counts = Counts(numbers["PASSED"], numbers["FAILED"], numbers["SKIPPED"] or None)
    return _made(text, "gtest", counts, (start, own[-1]), 1)


def _dart(text: str, matches: list[re.Match[str]]) -> Outcome | None:
    """Read the signed numbers of Dart's last line."""
    if not matches:
        return None
    last = matches[-1]
    signed = dict(compiled(r"([+~-])(\d{1,9})\b").findall(last[0]))
    counts = Counts(
        int(signed.get("+", 0)),
        int(signed.get("-", 0)),
        int(signed["~"]) if "~" in signed else None,
    )
    start = matches[-2].end() if len(matches) > 1 else 0
    return _made(text, "dart", counts, (start, last), len(matches))


def _bats(text: str, matches: list[re.Match[str]]) -> Outcome | None:
    """Read bats as it writes for people, else in TAP."""
    if "Finished in " in text:
        return None  # ExUnit says it in the same words
    if matches:
        start = matches[-2].end() if len(matches) > 1 else 0
        counts = _counts(matches[-1][0])
        return _made(text, "bats", counts, (start, matches[-1]), len(matches))
    plan = compiled(r"^1\.\.\d{1,6}$").search(text)
    lines = list(compiled(r"^(?:not )?ok \d+ [^\n]*").finditer(text))
    if plan is None or not lines:
        return None
    failed = sum(line[0].startswith("not ok") for line in lines)
    skipped = sum("# skip" in line[0] for line in lines) or None
    counts = Counts(len(lines) - failed - (skipped or 0), failed, skipped)
    return _made(text, "bats", counts, (plan.start(), lines[-1]), 1)


_OWN: dict[str, Callable[[str, list[re.Match[str]]], Outcome | None]] = {
    "go": _go,
    "gradle": _gradle,
    "gtest": _gtest,
    "node": _node,
    "dart": _dart,
    "bats": _bats,
}
