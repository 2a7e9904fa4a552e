"""One run of the measurements: where it works, what it runs, and its verdict."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tests.speed.measure import Costs, mean, measure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.speed.measure import Cost

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One line of the verdict: a figure and the most it may be."""

    name: str
    found: float
    most: float
    unit: str = ""

    @property
    def met(self) -> bool:
        """Whether the figure is within its bound."""
        return self.found <= self.most

    def line(self) -> str:
        """Write the line of the verdict."""
        verdict = "met" if self.met else "MISSED"
        figures = f"{self.found:>9.3f}{self.most:>9.3f}"
        return f"{self.name:<44}{figures} {self.unit:<4}{verdict}"


@dataclass(slots=True, kw_only=True)
class Bench:
    """One run: where it works, what it runs, what it found."""

    folder: Path
    ours: Sequence[str]
    peer: Sequence[str] | None
    rounds: int
    env: Mapping[str, str]
    targets: list[Target] = field(default_factory=list)

    def run(self, *command: str, accept: Sequence[int] = (0,)) -> Cost:
        """Measure any command."""
        return measure(command, cwd=self.folder, env=self.env, accept=accept)

    def bare_python(self, *, rounds: int) -> Costs:
        """Measure an interpreter that does nothing, several times."""
        costs = Costs()
        for _ in range(rounds):
            costs.add(self.run(sys.executable, "-c", "pass"))
        return costs

    def our(self, *arguments: str, accept: Sequence[int] = (0,)) -> Cost:
        """Measure our program."""
        return self.run(*self.ours, *arguments, accept=accept)

    def mean_of(self, commands: Sequence[Sequence[str]]) -> Cost:
        """Measure commands that belong together, and give the mean of one."""
        return mean([self.run(*command) for command in commands])

    def make(self, script: str, *arguments: str) -> None:
        """Write a corpus in another process, so that this one stays small."""
        path = ROOT / "tests" / "speed" / script
        subprocess.run(
            [sys.executable, str(path), *arguments], check=True, env=self.env
        )

    def target(self, name: str, found: float, most: float, unit: str = "") -> None:
        """Judge one figure."""
        self.targets.append(Target(name=name, found=found, most=most, unit=unit))


def heading(text: str) -> None:
    """Begin a table."""
    sys.stdout.write(f"\n{text}\n")
    sys.stdout.flush()


def row(name: str, *figures: float) -> None:
    """Write one line of a small table."""
    shown = "".join(f"{figure:>9.2f}" for figure in figures)
    sys.stdout.write(f"{name:<26}{shown}\n")
    sys.stdout.flush()
