"""What a command is given besides its arguments: the outside world, as values."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from corpus.errors import RootNotFoundError
from corpus.protocol.layout import is_corpus
from corpus.refusals import ConfirmationError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime


class Call(NamedTuple):
    """One run of one command.

    `now` is UTC, the same for the whole run; a command that runs on and on asks
    `clock` again. `format` is the chosen output format. `interactive` says that stdout
    is a terminal. `progress(done, total, label)` may be called as often as one likes.
    `write_json` and `write_lines` are only for a command that reports while it runs.
    `asks` says that a person is there to answer `confirm(question)`, which is True only
    for a plain yes. `notify(code, text)` tells what the result does not, and is no
    failure, on stderr.
    """

    now: datetime
    clock: Callable[[], datetime]
    format: str
    interactive: bool
    progress: Callable[[int, int, str], None]
    random: Callable[[int], bytes]
    write_json: Callable[[object], None]
    write_lines: Callable[[Iterable[str]], None]
    asks: bool
    confirm: Callable[[str], bool]
    notify: Callable[[str, str], None]

    def root(self, root: str | None) -> Path:
        """Find the corpus: the folder named, else the nearest one above us.

        RootNotFoundError: the folder named, or every folder above, is no corpus.
        """
        if root is not None:
            if not is_corpus(root):
                raise RootNotFoundError(root=root)
            return Path(root).resolve()
        try:
            here = Path.cwd()
        except OSError as error:  # the working directory was removed under us
            raise RootNotFoundError(root=".") from error
        for folder in (here, *here.parents):
            if is_corpus(str(folder)):
                return folder
        raise RootNotFoundError(root=".")

    def require_yes(self, command: str, question: str, *, yes: bool) -> None:
        """Go on when `--yes` was said or a person says so, else ConfirmationError."""
        if not yes and not (self.asks and self.confirm(question)):
            raise ConfirmationError(command=command)


def corpus_above(folder: Path) -> Path | None:
    """Give the nearest corpus that a folder lies in, None where it lies in none."""
    return next((one for one in folder.parents if is_corpus(str(one))), None)
