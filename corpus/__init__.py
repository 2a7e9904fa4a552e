"""Read a project's own Markdown and hand out its current, provable context.

The names below are the library; each is loaded when it is first asked for, so that
importing the package costs nothing.
"""

from __future__ import annotations

import importlib

from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from corpus.bundle import compile_bundle
    from corpus.candidate import validate_candidate
    from corpus.errors import CodedError
    from corpus.prompt import render_prompt
    from corpus.ranker import Options
    from corpus.receipt import make_receipt, verify_bundle
    from corpus.userdirs import UserDirs, user_dirs
    from corpus.view import build_index, live_view, open_project, open_view

__version__ = "0.5.0"

__all__ = [
    "CodedError",
    "Options",
    "UserDirs",
    "build_index",
    "compile_bundle",
    "live_view",
    "make_receipt",
    "open_project",
    "open_view",
    "render_prompt",
    "user_dirs",
    "validate_candidate",
    "verify_bundle",
]

_HOMES = {
    "CodedError": "errors",
    "Options": "ranker",
    "UserDirs": "userdirs",
    "build_index": "view",
    "compile_bundle": "bundle",
    "live_view": "view",
    "make_receipt": "receipt",
    "open_project": "view",
    "open_view": "view",
    "render_prompt": "prompt",
    "user_dirs": "userdirs",
    "validate_candidate": "candidate",
    "verify_bundle": "receipt",
}


def __getattr__(name: str) -> object:
    """Load a public name from the module it lives in."""
    if name not in _HOMES:
        message = f"module `corpus` has no attribute `{name}`"
        raise AttributeError(message)
    return getattr(importlib.import_module(f"corpus.{_HOMES[name]}"), name)
