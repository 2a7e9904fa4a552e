"""Print what development needs installed: build system, dependencies, tools.

pyproject.toml is the one place that names them; this reads it with the standard
library alone, for it runs before anything is installed.
"""

from __future__ import annotations

import sys
import tomllib
from itertools import chain
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"


def requirements(text: str) -> list[str]:
    """Gather the requirements of a project file, each on its own."""
    project = tomllib.loads(text)
    return [
        *project["build-system"]["requires"],
        *project["project"]["dependencies"],
        *chain.from_iterable(project["project"]["optional-dependencies"].values()),
        *project["dependency-groups"]["dev"],
    ]


if __name__ == "__main__":
    sys.stdout.writelines(
        f"{line}\n" for line in requirements(PROJECT.read_text(encoding="utf-8"))
    )
