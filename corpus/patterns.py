"""Regular expressions that are compiled when they are first used.

Most texts need few of them, and compiling one costs a hook more than using it.
"""

from __future__ import annotations

from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from re import compile as pattern
else:
    import re

    _METHODS = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub")

    class pattern:  # noqa: N801 - it stands for a function
        """A regular expression; what it can do is bound at its first use."""

        def __init__(self, source: str, flags: int = 0) -> None:
            self._given = source, flags

        def __getattr__(self, name: str) -> object:
            if name not in _METHODS:
                raise AttributeError(name)
            compiled = re.compile(*self._given)
            vars(self).update((one, getattr(compiled, one)) for one in _METHODS)
            return vars(self)[name]


__all__ = ["pattern"]
