"""Names for new artifacts: an id of the title's words, else the next free number."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from corpus.protocol.compose import id_from_title, is_written_in_latin
from corpus.protocol.layout import FOLDERS, artifact_type
from corpus.refs import stem
from corpus.sources.scan import read_policy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpus.writes.writer import Writer

ID_RULE = "3 to 64 of a-z, 0-9, dot, underscore and hyphen"
"""What an id is made of, for whoever has to give one."""

_NUMBER = re.compile(r"[a-z]+-([0-9]{1,6})(?![0-9])")


def id_for_title(
    writer: Writer, kind: Literal["task", "report"], title: str
) -> str | None:
    """Give the id of a new artifact with this title.

    It is made of the title's words (`id_from_title`); a title that has none of Latin
    letters gets the next number that no artifact in scope has, such as `task-0002`.
    None for a Latin title that makes no id: only its author can say what is meant.
    """
    found = id_from_title(title)
    if found is not None or is_written_in_latin(title):
        return found
    number = 1 + max(_numbers(writer, kind), default=0)
    return f"{kind}-{number:04}"


def _numbers(writer: Writer, kind: str) -> Iterator[int]:
    """Give the number in each id in scope that begins as `task-0007-cold-start`."""
    policy = read_policy(writer.opened)

    def wanted(path: str) -> bool:
        return artifact_type(path) == kind and policy.may_read(path)

    folder = FOLDERS["task" if kind == "task" else "report"]
    for entry in writer.opened.entries(folder, wanted=wanted, enter=policy.may_enter):
        name = stem(entry.path)
        match = _NUMBER.match(name)
        if match and name.startswith(f"{kind}-"):
            yield int(match[1])
