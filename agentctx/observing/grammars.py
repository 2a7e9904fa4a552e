"""How each runner of tests says the outcome, and which tests failed.

A summary is a pattern over whole lines whose numbers stand beside words; `failing`
has the groups `id`, and where the line says them `error`, `file` and `line`. Each
grammar begins with texts of which one must be there: looking for them is cheap.
"""

from __future__ import annotations

from corpus.values import NamedTuple

_N = r"\d{1,9}"
_COUNTS = (
    r"(?:\d{1,9} (?:failed|passed|skipped|deselected|xfailed|xpassed|warnings?|errors?"
    r"|reruns?|rerun)(?:, )?){1,12}"
)
_REST = r"[^\n]{0,200}"


class Grammar(NamedTuple):
    """How one runner writes."""

    needles: tuple[str, ...]
    summary: str
    failing: tuple[str, ...]
    many: bool = False
    """One run writes a summary for each part of it; they are added up."""
    frames: str = "first"
    """Which of the places that a failing test names is where it failed."""


GRAMMARS: dict[str, Grammar] = {
    "pytest": Grammar(
        (" in ", "Results ("),
        rf"^=*[ ]?{_COUNTS} in \d[\d.]*m?s(?: \([\d:]+\))?[ ]?=*$"
        rf"|^Results \([\d.]+m?s\):\n(?:\s+(?:- )?{_N} \w+\n?){{1,6}}",
        (
            (
                r"^(?:FAILED|ERROR) (?P<id>[^\s:-][^\n]{0,400}?)"
                r"(?: - (?P<error>[^\n]*))?$"
            ),
            r"^(?P<id>\S+\.py::[^\n]{1,300}?) (?:FAILED|ERROR)(?: +\[ *\d+%\])?$",
        ),
        frames="last",
    ),
    "unittest": Grammar(
        ("Ran ",),
        r"^Ran \d+ tests? in [\d.]+s\n\n?(?:OK|FAILED)(?: \([^\n)]*\))?$",
        (
            r"^(?:FAIL|ERROR): (?P<id>\w[^\n]{0,300})$",
            r"^(?P<id>test\w* \([\w.]{1,200}\))[^\n]{0,200}? \.\.\. (?:FAIL|ERROR)$",
        ),
        frames="last",
    ),
    "jest": Grammar(
        ("Tests: ", "Test Suites: "),
        rf"^(?:Test Suites: +{_REST} total\n)?Tests: +(?:{_REST}, )?\d+ total$",
        (
            r"^ +● (?!Console)(?P<id>\S[^\n]{0,300}? › [^\n]{1,300})$",
            r"^ +● (?P<id>Test suite failed to run)$",
            (
                r"^ +● (?!Console|Cannot|Open|Validation|Deprecation)"
                r"(?P<id>\S[^\n]{0,300})$"
            ),
        ),
    ),
    "vitest": Grammar(
        ("Test Files  ",),
        rf"^ *Test Files  {_REST}\n(?: *Tests  {_REST}$)?(?:\n *Errors  {_REST}$)?",
        (
            r"^ *FAIL  (?P<id>\S[^\n]{0,400})$",
            r"^ *[×✗❯] (?P<id>\S[^\n]{0,300}? > [^\n]{1,300}?)(?: \d+ms)?$",
        ),
    ),
    "mocha": Grammar(
        (" passing (",),
        rf"^ *{_N} passing \(\d{_REST}(?:\n+ *{_N} (?:pending|failing)){{0,2}}",
        (
            r"^ {2}\d+\) (?P<id>\S[^\n]{0,200}(?:\n {7,}[^\n]{1,200}){1,4}?:)\n",
            r"^ {2,}\d+\) (?P<id>\S[^\n]{0,200})$",
        ),
    ),
    "ava": Grammar(
        (" passed", " failed"),
        rf"^ {{2}}(?:{_N} (?:tests? (?:failed|passed|skipped|todo)"
        r"|known failures?|uncaught exceptions?|unhandled rejections?)"
        r"(?:\n {2}|$)){1,6}",
        (
            (
                r"^ {2}[✖✘] (?:\[fail\]: )?(?P<id>\S[^\n]{0,300}?)"
                r"(?: (?P<error>Error[^\n]*))?$"
            ),
        ),
    ),
    "node": Grammar(
        ("# pass ", "ℹ pass "),
        rf"^[#ℹ] tests {_N}\n(?:[#ℹ] suites {_N}\n)?[#ℹ] pass {_N}\n[#ℹ] fail +{_N}"
        rf"(?:\n[#ℹ] (?:cancelled|skipped|todo) {_N}){{0,3}}"
        rf"|^# tests {_N}\n# pass +{_N}(?:\n# fail +{_N})?",
        (
            r"^ *not ok \d+ -? ?(?P<id>(?![^\n]{0,200}# (?:TODO|SKIP))\S[^\n]{0,300})$",
            r"^ *✖ (?!failing tests)(?P<id>\S[^\n]{0,300}?)(?: \(\d[\d.]*ms\))$",
        ),
    ),
    "playwright": Grammar(
        (" passed (", " failed"),
        rf"^ {{2}}{_N} (?:failed|flaky|interrupted)\n(?: {{4}}[^\n]*\n){{1,200}}"
        rf"(?: {{2}}{_N} [a-z][^\n]{{0,40}}\n?(?: {{4}}[^\n]*\n){{0,200}}){{0,5}}"
        rf"|^(?: {{2}}{_N} (?:skipped|did not run)\n){{0,2}}"
        rf" {{2}}{_N} passed \([\d.]+m?s\)$",
        (
            (
                r"^ {2,4}\d+\) (?:\[[^\]\n]{1,60}\] › )?(?P<file>[^\s:›]{1,300}):"
                r"(?P<line>\d+):\d+ › (?P<id>[^\n]{1,300}?)(?: ─+)?$"
            ),
        ),
    ),
    "cypress": Grammar(
        ("│ Passing: ", "│ Failing: "),
        rf"^ *│ Tests: +{_N} *│\n *│ Passing: +{_N} *│\n *│ Failing: +{_N} *│"
        rf"(?:\n *│ (?:Pending|Skipped): +{_N} *│){{0,2}}",
        (r"^ {2}\d+\) (?P<id>\S[^\n]{0,200}(?:\n {7,}[^\n]{1,200}){1,4}?:)\n",),
        many=True,
    ),
    "bun": Grammar(
        (" pass\n",),
        rf"^ *{_N} pass\n(?: *{_N} (?:skip|todo|fail|error|filtered out)s?\n){{0,5}}"
        rf"(?: *\d+ expect\(\) calls\n)?Ran {_N} tests? across {_REST}",
        (r"^(?:\(fail\)|✗) (?P<id>\S[^\n]{0,300}?)(?: \[[\d.]+m?s\])?$",),
    ),
    "deno": Grammar(
        (" passed",),
        rf"^(?:ok|FAILED) \| {_N} passed{_REST}$",
        (
            r"^(?P<id>\S[^\n]{0,200}?) => (?P<file>[^\s:]{1,300}):(?P<line>\d+):\d+$",
            r"^(?P<id>\S[^\n]{0,200}?) \.\.\. FAILED(?: \([\d.]+m?s\))?$",
        ),
    ),
    "go": Grammar(
        ("ok  \t", "FAIL", "PASS", "--- "),
        rf"^(?:ok {{2}}\t\S{_REST}|FAIL\t\S{_REST}|PASS|FAIL|DONE \d+ tests{_REST})$",
        (r"^ *--- FAIL: (?P<id>\S{1,300})(?: \([\d.]+s\))?$",),
    ),
    "cargo": Grammar(
        ("test result: ",),
        rf"^test result: (?:ok|FAILED)\. {_N} passed; {_N} failed; "
        rf"{_N} ignored{_REST}$",
        (
            r"^---- (?P<id>\S[^\n]{0,300}?) stdout ----$",
            r"^test (?P<id>\S[^\n]{0,300}?) \.\.\. FAILED$",
        ),
        many=True,
    ),
    "nextest": Grammar(
        ("Summary [",),
        rf"^ *Summary \[ *[\d.]+s\] {_N}(?:/\d+)? tests? run: {_REST}$",
        (r"^ *FAIL \[ *[\d.]+s\] (?:\([^\n)]{1,30}\) )?(?P<id>\S[^\n]{0,300})$",),
    ),
    "maven": Grammar(
        ("Tests run: ",),
        rf"^(?:\[\w+\] )?Tests run: {_N}, Failures: {_N}, Errors: {_N}, Skipped: {_N}$",
        (
            (
                r"^\[ERROR\] (?P<id>[\w.$]{3,200}(?:\[[^\]\n]*\])?)(?:\([^\n)]*\))?"
                r"(?: --)? +Time elapsed: [^\n]*<<< (?:FAILURE|ERROR)!$"
            ),
            (
                r"^\[ERROR\]   (?P<id>[\w.$]{3,200}:\d+)(?:->[\w.$:]+)?"
                r"(?: (?P<error>[^\n]*))?$"
            ),
        ),
        many=True,
    ),
    "gradle": Grammar(
        ("tests completed", "test completed", "BUILD SUCCESSFUL"),
        rf"^{_N} tests? completed(?:, {_N} (?:failed|skipped)){{0,2}}$",
        (r"^(?P<id>[\w.$]{1,200}(?: > [^\n>]{1,200}){1,5}) FAILED$",),
        many=True,
    ),
    "dotnet": Grammar(
        ("Failed:", "Passed:", "Test summary: "),
        rf"^(?:Failed|Passed)! +- Failed: +{_N}, Passed: +{_N}, Skipped: +{_N}{_REST}$"
        rf"|^Test summary: total: {_N}, failed: {_N}, succeeded: {_N}, skipped: {_N}"
        rf"|^Total tests: {_N}\n(?: +(?:Passed|Failed|Skipped): {_N}\n?){{1,3}}",
        (
            (
                r"^ +(?:Failed|X) (?P<id>[\w.+`]{3,250}(?:\([^\n]*?\))?)"
                r"(?: \[[^\]\n]*\])?$"
            ),
            (
                r"^(?P<file>[^\n(]{1,250})\((?P<line>\d+)\): error TESTERROR: *\n? *"
                r"(?P<id>[\w.]{3,250}) \([^\n)]*\): (?P<error>[^\n]*)"
            ),
        ),
        many=True,
    ),
    "rspec": Grammar(
        (" example",),
        rf"^{_N} examples?, {_N} failures?"
        rf"(?:, {_N} (?:pending|errors?{_REST})){{0,2}}$",
        (
            (
                r"^rspec (?P<file>\./[^\s:\[]{1,300})(?::(?P<line>\d+)|\[[\d:]+\])"
                r" # (?P<id>[^\n]{1,300})$"
            ),
            r"^ {2}\d+\) (?P<id>\S[^\n]{0,300})$",
        ),
    ),
    "minitest": Grammar(
        (" assertions, ",),
        rf"^{_N} (?:runs|tests), {_N} assertions, {_N} failures, {_N} errors{_REST}$",
        (
            (
                r"^ *(?:\d+\) )?(?:Failure|Error):\n(?P<id>\w[\w:#?!]{2,200})"
                r"(?: \[(?P<file>[^\n\]]{1,300}):(?P<line>\d+)\])?:"
            ),
            r"^(?:Failure|Error): (?P<id>test[^\n]{1,200}?)$",
        ),
    ),
    "phpunit": Grammar(
        ("OK (", "Tests: ", "Tests:  "),
        rf"^OK \({_N} tests?, {_N} assertions?\)$"
        rf"|^Tests: {_N}, Assertions: {_N}[^\n]{{0,150}}\.$"
        rf"|^ {{2}}Tests: +{_N} (?:failed|passed|skipped){_REST} \(\d+ assertions?\)$",
        (
            r"^\d+\) (?P<id>[\w\\]{1,250}::[^\n]{1,200})\n(?P<error>[^\n]*)",
            (
                r"^ *FAILED +(?P<id>[\w\\]{1,250} > [^\n]{1,200}?)"
                r"(?: {3,}(?P<error>\S[^\n]*))?$"
            ),
        ),
    ),
    "ctest": Grammar(
        ("% tests passed",),
        rf"^\d+% tests passed, {_N} tests? failed out of {_N}$",
        (r"^\s+\d+ - (?P<id>\S{1,200}) \((?:Failed|SEGFAULT|Timeout|[^\n)]{1,40})\)",),
    ),
    "gtest": Grammar(
        ("[  PASSED  ]", "[  FAILED  ]"),
        rf"^\[ {{2}}PASSED {{2}}\] {_N} tests?\."
        rf"(?:\n\[ {{2}}SKIPPED \]{_REST}){{0,200}}"
        rf"(?:\n\[ {{2}}FAILED {{2}}\] {_N} tests?, listed below:)?",
        (r"^\[ {2}FAILED {2}\] (?P<id>[\w/]+\.[\w/]+)",),
        many=True,
    ),
    "bats": Grammar(
        (" tests, ", "not ok ", "1.."),
        rf"^{_N} tests?, {_N} failures?(?:, {_N} skipped)?{_REST}$",
        (
            r"^ *✗ (?P<id>\S[^\n]{0,300}?)(?: \[\d+\])?$",
            r"^not ok \d+ (?P<id>\S[^\n]{0,300})$",
        ),
    ),
    "exunit": Grammar(
        (" tests, ", " test, ", " doctest"),
        rf"^(?:{_N} (?:doctests?|properties|property), )*{_N} tests?, {_N} failures?"
        rf"(?:, {_N} (?:excluded|invalid|skipped)){{0,3}}$",
        (
            (
                r"^ +\d+\) (?P<id>(?:test|doctest|property) [^\n]{1,300})"
                r"(?:\n +(?P<file>[^\s:]{1,300}\.exs?):(?P<line>\d+))?$"
            ),
        ),
    ),
    "swift": Grammar(
        ("Executed ", "Test run with "),
        rf"^\s*Executed {_N} tests?, with (?:{_N} tests? skipped and )?"
        rf"{_N} failures? \({_REST}$"
        rf"|^\S? ?Test run with {_N} tests?{_REST} (?:passed|failed) after {_REST}$",
        (
            (
                r"^(?P<file>[^\n:]{1,300}\.swift):(?P<line>\d+): error: -?\[?"
                r"(?P<id>[\w.]{1,200}(?: \w{1,200})?)\]? : (?P<error>[^\n]*)$"
            ),
            (
                r"^\S? ?Test (?P<id>\S[^\n]{0,200}?) recorded an issue"
                r"(?: with [^\n]{1,200}?)?"
                r" at (?P<file>[^\n:]{1,200}):(?P<line>\d+):\d+: (?P<error>[^\n]*)$"
            ),
        ),
    ),
    "dart": Grammar(
        ("All tests passed!", "Some tests failed.", "No tests ran."),
        r"^\d\d:\d\d (?:[+~-]\d+ ?){1,3}: (?:All tests passed!|Some tests failed\.)$",
        (r"^\d\d:\d\d (?:[+~-]\d+ ?){1,3}: (?P<id>\S[^\n]{0,300}?) \[E\]$",),
    ),
}
