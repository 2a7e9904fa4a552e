"""Patterns are compiled when they are first needed: importing us costs nothing."""

from __future__ import annotations

import functools
import re


@functools.cache
def compiled(source: str) -> re.Pattern[str]:
    """Compile a pattern whose `^` and `$` are the ends of lines."""
    return re.compile(source, re.MULTILINE)
