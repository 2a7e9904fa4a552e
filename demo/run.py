"""Show the program at work, and fail if it does not keep its word.

    python demo/run.py [--keep] [--only files|story]

First a small corpus is looked at, asked and proven. Then two people work on it: what
one of them says is remembered, takes back what was said before, reaches the other
through git, becomes a report, and can be followed down to the words it came from.

Everything happens in a temporary folder with homes of its own, so nothing reaches the
user's folders; nothing leaves this machine. Every command is printed before its output.
`--keep` leaves the folder for a closer look.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if __package__ in {None, ""}:
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from demo import files, story
from demo.stage import BrokenPromiseError, say

if TYPE_CHECKING:
    from collections.abc import Sequence

PARTS = {"files": files.play, "story": story.play}


def main(arguments: Sequence[str] | None = None) -> int:
    """Play every part; 0 when all did what they say, else 1."""
    parser = argparse.ArgumentParser(description="Show the program at work.")
    parser.add_argument("--keep", action="store_true", help="leave the folder behind")
    parser.add_argument("--only", choices=PARTS, help="play one part")
    chosen = parser.parse_args(arguments)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8")
    folder = Path(tempfile.mkdtemp(prefix="project-corpus-demo-")).resolve()
    try:
        say(f"working in {folder}{'' if chosen.keep else ', removed at the end'}")
        for name, play in PARTS.items():
            if chosen.only in {None, name}:
                play(folder)
        say("\nevery step did what it says")
    except BrokenPromiseError as broken:
        say(f"FAILED: it is not so that {broken}")
        return 1
    finally:
        if not chosen.keep:
            shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
