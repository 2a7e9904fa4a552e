"""What one tool call shows, told from its input and its output alone.

No model, no file, no clock. What is not sure is not said: a text that was only
printed is no outcome, and a program that was stopped has no bug.
"""

from __future__ import annotations

from agentctx.observing.commandline import Plan, plan_of
from agentctx.observing.crashes import crash
from agentctx.observing.diagnostics import first_diagnostic
from agentctx.observing.failing import fault_of_tests
from agentctx.observing.fault import Fault, failure_of
from agentctx.observing.gitacts import git_acts, may_act
from agentctx.observing.model import NOTHING, Observed
from agentctx.observing.outcomes import Outcome, last_outcome
from agentctx.observing.patterns import compiled
from agentctx.observing.programs import may_test
from agentctx.observing.terminal import shown
from corpus.values import TYPE_CHECKING
from corpus.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

SHELLS = frozenset(
    ("Bash", "PowerShell", "Shell", "shell", "run_shell_command", "run_terminal_cmd")
)
EDITORS = frozenset(("Edit", "MultiEdit", "Write", "NotebookEdit"))

LONGEST_FILE = 4_096
_DEEPEST = 3
_MOST_PARTS = 50
_LINES_AFTER = 15
_STOPPED = frozenset((124, 126, 127, 129, 130, 131, 137, 141, 143))
"""Exit codes of what did not run, ran out of time, or was stopped."""


def observe_use(tool_name: str, tool_input: object, tool_response: object) -> Observed:
    """Observe a call that succeeded: a file was written, or a command gave 0."""
    if tool_name in EDITORS:
        return _edited(tool_input)
    if not worth_a_look(tool_name, tool_input, tool_response):
        return NOTHING
    plan = _plan(tool_name, tool_input)
    text = shown(_text(tool_response))
    return _observed(plan, command_of(tool_input), text, failed=False)


def observe_failure(
    tool_name: str, tool_input: object, error: object, *, interrupted: bool
) -> Observed:
    """Observe a call that failed; a command's error begins with its exit code."""
    if interrupted or tool_name not in SHELLS:
        return NOTHING
    plan = _plan(tool_name, tool_input)
    if not (plan.runs or plan.git):
        return NOTHING
    text = shown(_text(error))
    said = compiled(r"\A\s*(?:Error: )?Exit [Cc]ode:? (-?\d{1,10})\b[^\n]*\n?").match(
        text
    )
    if said is None:
        if compiled(r"\A[^\n]*(?:timed out|<tool_use_error>|denied|reject)").match(
            text
        ):
            return NOTHING
        return _observed(plan, command_of(tool_input), text, failed=False)
    text = text[said.end() :]
    if int(said[1]) in _STOPPED or int(said[1]) < 0:
        return Observed(git=git_acts(plan.git, text)) if plan.git else NOTHING
    return _observed(plan, command_of(tool_input), text, failed=True)


def worth_a_look(tool_name: str, tool_input: object, tool_response: object) -> bool:
    """Say whether a call may show anything, without reading what it gave."""
    if tool_name in EDITORS:
        return bool(_edited(tool_input).files)
    if tool_name not in SHELLS:
        return False
    if isinstance(tool_response, dict) and tool_response.get("interrupted") is True:
        return False
    plan = _plan(tool_name, tool_input)
    return bool(plan.runs) or any(may_act(words) for words in plan.git)


def command_of(tool_input: object) -> str:
    """Give the command line a shell was asked to run."""
    command = tool_input.get("command") if isinstance(tool_input, dict) else None
    if isinstance(command, str):
        return command
    if isinstance(command, list) and command and isinstance(command[-1], str):
        return command[-1]  # an array that ends with a shell's line
    return ""


def _plan(tool_name: str, tool_input: object) -> Plan:
    return plan_of(command_of(tool_input), powershell=tool_name == "PowerShell")


def _edited(tool_input: object) -> Observed:
    if not isinstance(tool_input, dict):
        return NOTHING
    for key in ("file_path", "notebook_path"):
        path = tool_input.get(key)
        if isinstance(path, str) and path.strip():
            seen = visible(path[:LONGEST_FILE]).replace("\n", " ")
            return Observed(files=(seen,))
    return NOTHING


def _text(value: object, depth: int = 0) -> str:
    return "\n".join(part for part in _parts(value, depth) if part)


def _parts(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth == _DEEPEST:
        return
    elif isinstance(value, list):
        for one in value[:_MOST_PARTS]:
            yield from _parts(one, depth + 1)
    elif isinstance(value, dict):
        for key in ("stdout", "output", "content", "text", "stderr", "error"):
            if key in value:
                yield from _parts(value[key], depth + 1)


def _observed(plan: Plan, command: str, text: str, *, failed: bool) -> Observed:
    git = git_acts(plan.git, text) if plan.git else ()
    outcome = _outcome(plan, text)
    fault = None
    if outcome is not None and not outcome.tests.ok:
        fault = _why(plan, text, outcome)
    elif plan.runs:
        fault = _fault(plan, text, outcome, failed=failed)
    if outcome is None and fault is None and not git:
        return NOTHING
    return Observed(
        failure=None if fault is None else failure_of(fault, command),
        tests=None if outcome is None else outcome.tests,
        git=git,
    )


def _outcome(plan: Plan, text: str) -> Outcome | None:
    runners = [name for run in plan.runs for name in run.reads.runners]
    if not runners:
        return None
    outcome = last_outcome(text, tuple(dict.fromkeys(runners)))
    if outcome is None or not plan.foreign:
        return outcome
    last = plan.runs[-1]
    if not may_test(last.reads, last.words):
        return None
    if last.last:
        return outcome if _is_at_end(text, outcome.end) else None
    return outcome if outcome.times == 1 else None


def _why(plan: Plan, text: str, outcome: Outcome) -> Fault | None:
    """Say why tests failed: by name, or because they were not compiled or crashed.

    That some test failed, and no more, is not worth remembering.
    """
    if outcome.failing:
        return fault_of_tests(text, outcome)
    if plan.foreign:
        return None
    checkers = [name for run in plan.runs for name in run.reads.checkers]
    languages = [name for run in plan.runs for name in run.reads.crashes]
    return first_diagnostic(text, checkers) or crash(text, languages)


def _fault(
    plan: Plan, text: str, outcome: Outcome | None, *, failed: bool
) -> Fault | None:
    runs = [run for run in plan.runs if failed or run.masked]
    if not runs or (plan.foreign and not plan.runs[-1].last):
        return None
    checkers = [name for run in runs for name in run.reads.checkers]
    found = first_diagnostic(text, checkers)
    if found is None:
        after = 0 if outcome is None else outcome.end
        languages = [name for run in runs for name in run.reads.crashes]
        found = crash(text[after:], languages)
        sure = failed and not plan.foreign
        if found is not None and not sure and not _is_at_end(text[after:], found.end):
            return None
        return found
    return None if plan.foreign and not _is_at_end(text, found.end) else found


def _is_at_end(text: str, end: int) -> bool:
    rest = text[end : end + 20_000]
    return len([line for line in rest.split("\n") if line.strip()]) <= _LINES_AFTER
