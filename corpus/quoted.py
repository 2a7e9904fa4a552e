"""Whether what a bundle quotes stands in its sources, where they are what they were."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from corpus.errors import BundleSchemaError
from corpus.lines import decode
from corpus.protocol.layout import artifact_type

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from corpus.canonical import Json
    from corpus.sources.scan import Source

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_SUMMED = re.compile(r"\n| \| ")


class Said:
    """What each source says now, as words, with and without its comments."""

    def __init__(
        self,
        sources: Mapping[str, Source],
        provided: Mapping[str, str],
        snapshot: Mapping[str, str],
    ) -> None:
        self._sources = sources
        self._provided = provided
        self._snapshot = snapshot
        self._known: dict[str, tuple[str, str]] = {}

    def of(self, path: str, sha256: Json) -> tuple[str, str] | None:
        """Give a source's words, where it is still what it was."""
        if self._snapshot.get(path) != sha256:
            return None
        if path not in self._known:
            text = self._provided.get(path)
            if text is None:
                text = decode(self._sources[path].content)
            self._known[path] = _words(text), _words(_COMMENT.sub(" ", text))
        return self._known[path]


def require_quotes(items: Sequence[Json], said: Said) -> None:
    """Raise `BundleSchemaError` for an item whose source says something else."""
    for number, item in enumerate(items):
        assert isinstance(item, dict)
        words = said.of(str(item["source_path"]), item["source_sha256"])
        if words is None:
            continue
        if not all(_stands(part, words) for part in _quoted(item)):
            raise BundleSchemaError(
                field=f"items[{number}].text", reason="does not stand in its source"
            )


def _quoted(item: Mapping[str, Json]) -> Iterator[str]:
    """Give what an item says its source says.

    A passage is one piece of it, with `…` at an end where it was cut. A summary is
    many: each line, or part between bars.
    """
    text = str(item["text"]).removeprefix("… ").removesuffix(" …")
    if _summed_up(item):
        for part in _SUMMED.split(text):
            yield part.removesuffix(" …")
    else:
        yield text


def _stands(part: str, said: Sequence[str]) -> bool:
    """Say whether a source says `part`, a section's name before it left aside."""
    named = _words(part.partition(": ")[2])
    return any(_words(part) in text or (named and named in text) for text in said)


def _words(text: str) -> str:
    return " ".join(text.split())


def _summed_up(item: Mapping[str, Json]) -> bool:
    """Say whether an item sums a primary source up instead of quoting it."""
    reasons = item.get("selection_reasons")
    primary = artifact_type(str(item["source_path"])) in {"state", "task"}
    summary = isinstance(reasons, list) and "bounded_authority_summary" in reasons
    return primary and summary
