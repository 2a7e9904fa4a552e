"""The records of the project that a corpus lies in, opened to be read; none are made.

The namespace is that of the corpus's own folder, whatever the working directory is: a
corpus is never given what belongs to another project.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from agentctx.config import environment, home
from agentctx.project import resolve_project
from agentctx.records.store import open_store, store_path
from agentctx.redact import redact
from corpus.sqlite import store_failures
from corpus.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from agentctx.project import Project
    from agentctx.records.store import Store


@contextmanager
def records_of(root: Path) -> Iterator[tuple[Store, Project] | None]:
    """Open the user's records, with the project that is meant; None without any.

    Raises the errors of `open_store`, and those of what is read.
    """
    folder = home()
    if not os.path.lexists(store_path(folder)):
        yield None
        return
    project = resolve_project(root, environ=environment())
    with (
        open_store(folder, clock=now, random=os.urandom, create=False) as store,
        store_failures(),
    ):
        yield store, project


def shown(text: str) -> str:
    """Give a stored text without what hides in it, and without a secret."""
    return redact(visible(text)).text


def now() -> datetime:
    """Give the present moment."""
    return datetime.now(UTC)  # noqa: TID251 - the edge: nobody gives us a clock
