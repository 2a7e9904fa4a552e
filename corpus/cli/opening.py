"""How commands say which index they mean, and open the corpus with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from corpus.cli.call import Call
    from corpus.index.build import BuildReport
    from corpus.view import View


def add_index(parser: argparse.ArgumentParser) -> None:
    """Declare `--index`."""
    parser.add_argument(
        "--index",
        metavar="PATH",
        help="the index, a .sqlite3 file directly inside .project-corpus/cache/"
        " (default: context.sqlite3 there)",
    )


def add_refresh(parser: argparse.ArgumentParser) -> None:
    """Declare `--refresh`."""
    parser.add_argument(
        "--refresh", action="store_true", help="bring the index up to date first"
    )


def build(call: Call, root: str | None, index: str | None) -> BuildReport:
    """Bring the index up to date, showing progress."""
    from corpus.userdirs import user_dirs  # noqa: PLC0415 - no page of help needs it
    from corpus.view import build_index  # noqa: PLC0415 - parses Markdown

    return build_index(
        call.root(root),
        index,
        dirs=user_dirs(),
        random=call.random,
        now=call.now.timestamp(),
        progress=call.progress,
    )


def open_current(
    call: Call, root: str | None, index: str | None, *, refresh: bool = False
) -> View:
    """Open the corpus with an index that is proved current (P5.7), files alone."""
    from corpus.userdirs import user_dirs  # noqa: PLC0415 - no page of help needs it
    from corpus.view import open_view  # noqa: PLC0415 - opens the index

    if refresh:
        build(call, root, index)
    return open_view(call.root(root), index, dirs=user_dirs())


def open_joined(
    call: Call, root: str | None, index: str | None, *, refresh: bool = False
) -> View:
    """Open it so, with what providers may add to an answer (P16.1)."""
    from corpus.userdirs import user_dirs  # noqa: PLC0415 - no page of help needs it
    from corpus.view import provision_for  # noqa: PLC0415 - opens the index

    view = open_current(call, root, index, refresh=refresh)
    return view._replace(provision=provision_for(view.project, dirs=user_dirs()))
