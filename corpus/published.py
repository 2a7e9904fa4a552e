"""Read the files that ship with the program: templates and published formats.

They live in the repository's own `templates/` and `exports/`; the build puts both
inside the package, and this module is the only one that knows the difference.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    Kind = Literal["templates", "exports"]

_PACKAGE = Path(__file__).parent


def read_published(kind: Kind, *parts: str) -> str:
    """Give the text of one shipped file, named by the parts of its path."""
    return _folder(kind).joinpath(*parts).read_text(encoding="utf-8")


def published_names(kind: Kind) -> tuple[str, ...]:
    """List the shipped files of a kind, sorted, `/` between the parts of a name."""
    folder = _folder(kind)
    return tuple(
        sorted(
            path.relative_to(folder).as_posix()
            for path in folder.rglob("*")
            if path.is_file()
        )
    )


def _folder(kind: Kind) -> Path:
    packaged = _PACKAGE / "_published" / kind
    return packaged if packaged.is_dir() else _PACKAGE.parent / kind
