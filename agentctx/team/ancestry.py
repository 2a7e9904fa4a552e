"""Whether the main line has what a branch has, asked of git itself; never in a hook.

Git is started with nothing of a repository's own that could act: no hook, no monitor,
no pager, no lock, no fetch. Only hashes that were read from references are given to it.
What git cannot answer in time is not known.
"""

from __future__ import annotations

import subprocess
import time
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentctx.repository import Repository

    Verdict = Literal["inside", "equal", "ahead", "unknown"]
    """The main line has the commit; other commits that change the same; neither; or
    nobody can tell."""

SECONDS = 20.0
"""How long git may take in all for the branches of one project."""

MOST_OUTPUT = 1024 * 1024
MOST_PATHS = 400
MOST_COMMITS = 300
"""Of a branch that was squashed: the files and the commits that are compared."""

_ALONE = (
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.pager=cat"),
    *("-c", "diff.external="),
    *("-c", "maintenance.auto=false"),
    *("-c", "gc.auto=0"),
)


class History:
    """One repository's history, within a time for all questions."""

    def __init__(
        self,
        repository: Repository,
        environ: Mapping[str, str],
        seconds: float = SECONDS,
    ) -> None:
        self.repository = repository
        self._ends = time.monotonic() + seconds
        self._environ = {
            name: environ[name]
            for name in ("PATH", "HOME", "SYSTEMROOT", "XDG_CONFIG_HOME")
            if name in environ
        } | {
            "LC_ALL": "C",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_ALLOW_PROTOCOL": "none",  # what older ones fetch by comes by none
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_PAGER": "cat",
        }

    def verdict(self, tip: str, mains: Sequence[str]) -> Verdict:
        """Say whether one of the main line's tips has what a commit has."""
        answers = {self._one(tip, main) for main in mains}
        for answer in ("inside", "equal", "unknown"):
            if answer in answers:
                return answer
        return "ahead" if answers else "unknown"

    def _one(self, tip: str, main: str) -> Verdict:
        status, _ = self._ask("merge-base", "--is-ancestor", tip, main)
        if status == 0:
            return "inside"
        if status != 1:
            return "unknown"
        status, text = self._ask("merge-base", main, tip)
        base = text.strip()
        if status != 0 or not base:
            return "ahead" if status == 1 else "unknown"
        return "equal" if self._is_picked(main, tip, base) else "ahead"

    def _is_picked(self, main: str, tip: str, base: str) -> bool:
        """Say whether other commits of the main line make the same change.

        One by one, as a rebase leaves them, or all at once, as a squash does.
        """
        status, text = self._ask("cherry", main, tip)
        lines = text.split("\n")[:-1] if status == 0 else []
        if lines and all(line.startswith("- ") for line in lines):
            return True
        status, text = self._ask(
            "diff-tree", "-r", "--name-only", "--no-renames", "-z", base, tip
        )
        paths = [one for one in text.split("\0") if one]
        if status != 0 or not 0 < len(paths) <= MOST_PATHS:
            return False
        plain = ("--no-ext-diff", "--no-textconv", "--no-renames", "--full-index")
        whole = self._patches("diff-tree", "-r", "-p", *plain, base, tip)
        if len(whole) != 1:
            return False
        each = self._patches(
            *("log", "-p", *plain, "--no-merges", f"--max-count={MOST_COMMITS}"),
            *("--no-show-signature", "--format=commit %H"),
            *(f"{base}..{main}", "--", *paths),
        )
        return bool(whole & each)

    def _patches(self, *words: str) -> set[str]:
        """Give what `git patch-id` calls each change that git shows."""
        with suppress(OSError, subprocess.TimeoutExpired):
            shown = self._start(*words, stdin=subprocess.DEVNULL)
            try:
                named = self._start("patch-id", "--stable", stdin=shown.stdout)
                assert shown.stdout is not None, "it was asked for"
                shown.stdout.close()
                text = self._heard(named)
            finally:
                _stop(shown)
            return {line.split(" ")[0] for line in text.split("\n") if line}
        return set()

    def _ask(self, *words: str) -> tuple[int | None, str]:
        """Give git's exit status and what it said; None where there was no time."""
        with suppress(OSError, subprocess.TimeoutExpired):
            process = self._start(*words, stdin=subprocess.DEVNULL)
            text = self._heard(process)
            return process.returncode, text
        return None, ""

    def _start(
        self, *words: str, stdin: int | IO[bytes] | None
    ) -> subprocess.Popen[bytes]:
        place = str(self.repository.common_dir)
        return subprocess.Popen(  # noqa: S603 - fixed words, hashes and literal paths
            ["git", "--git-dir", place, "--literal-pathspecs", *_ALONE, *words],  # noqa: S607 - as the user calls it
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=self._environ,
            cwd=place,
        )

    def _heard(self, process: subprocess.Popen[bytes]) -> str:
        try:
            left = max(0.0, self._ends - time.monotonic())
            output, _ = process.communicate(timeout=left)
        finally:
            _stop(process)
        return output[:MOST_OUTPUT].decode("utf-8", "surrogateescape")


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.kill()
        process.wait()
