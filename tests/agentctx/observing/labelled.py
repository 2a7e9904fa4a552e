"""Outputs of programs, each with what is to be seen in it, from `outputs/*.txt`.

A case begins with `##### ` and its name; the command follows, the exit code, the
output between `>>>>>` and `<<<<<`, and what is to be seen. ␛ stands for an escape, ␍
for a carriage return, ⏎ for the end of a line in a command.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from agentctx.observing.observe import observe_failure, observe_use

if TYPE_CHECKING:
    from agentctx.observing.model import Observed

FOLDER = Path(__file__).parent / "outputs"


class Case(NamedTuple):
    """One output, how it came about, and what it shows, line by line."""

    name: str
    tool: str
    command: str
    ending: str
    output: str
    seen: tuple[str, ...]

    def observed(self) -> Observed:
        """Observe it as the host would say it."""
        given = {"command": self.command, "description": "Run it"}
        kind, _, rest = self.ending.partition(" ")
        if self.ending == "exit 0":
            answer = {
                "stdout": self.output,
                "stderr": "",
                "interrupted": False,
                "isImage": False,
            }
            return observe_use(self.tool, given, answer)
        first = f"Exit code {rest}" if kind == "exit" else rest
        error = f"{first}\n{self.output}"
        return observe_failure(self.tool, given, error, interrupted=False)


def cases() -> list[Case]:
    """Read every case there is."""
    found = []
    for path in sorted(FOLDER.glob("*.txt")):
        parts = path.read_text(encoding="utf-8").split("##### ")[1:]
        found += [_case(part) for part in parts]
    return found


def _case(part: str) -> Case:
    head, _, rest = part.partition("\n>>>>>\n")
    output, _, seen = rest.rpartition("<<<<<\n")
    name, command, ending = head.split("\n")
    prompt, _, line = command.partition(" ")
    return Case(
        name,
        "PowerShell" if prompt == "PS>" else "Bash",
        line.replace("⏎", "\n"),
        ending,
        output.replace("␛", "\x1b").replace("␍", "\r"),
        tuple(line.strip() for line in seen.split("\n") if line.strip()),
    )


def told(observed: Observed) -> tuple[str, ...]:
    """Say what was observed in the words of the cases."""
    lines = [f"git: {act.kind} {act.name} | {act.title}" for act in observed.git]
    tests, failure = observed.tests, observed.failure
    if tests is not None:
        counts = (tests.passed, tests.failed, tests.skipped)
        numbers = " ".join("-" if count is None else str(count) for count in counts)
        lines.append(f"tests: {tests.runner} {numbers} {_word(ok=tests.ok)}")
        lines += [f"failing: {name}" for name in tests.failing]
    if failure is not None:
        where = failure.file or ""
        where += f":{failure.line}" if failure.line else ""
        lines.append(f"failure: {failure.program} {where}")
        lines.append(f"summary: {failure.summary}")
    return tuple(line.strip() for line in lines) or ("nothing",)


def _word(*, ok: bool) -> str:
    return "ok" if ok else "failed"
