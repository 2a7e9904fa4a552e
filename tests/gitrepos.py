"""Repositories made by git itself, in a home of their own."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

URL = "https://git.example/acme/widget.git"


class Git(NamedTuple):
    """Runs git as a user whose home is `home`."""

    home: Path

    @property
    def environ(self) -> dict[str, str]:
        return {
            "HOME": str(self.home),
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "a",
            "GIT_AUTHOR_EMAIL": "a@example.org",
            "GIT_COMMITTER_NAME": "a",
            "GIT_COMMITTER_EMAIL": "a@example.org",
            "LC_ALL": "C.UTF-8",
        }

    def __call__(self, folder: Path, *arguments: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            env=self.environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
            encoding="utf-8",
        )
        return done.stdout.removesuffix("\n")

    def repository(self, folder: Path, *options: str, url: str | None = None) -> Path:
        """Make a repository with one commit on `main`."""
        folder.mkdir(parents=True)
        self(folder, "init", "-q", "-b", "main", *options)
        self(folder, "commit", "-q", "--allow-empty", "-m", "first")
        if url is not None:
            self(folder, "remote", "add", "origin", url)
        return folder
