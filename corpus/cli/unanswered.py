"""Why a query found nothing, for a person who wonders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.cli.render import counted
from corpus.sources.provided import RUNGS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpus.ranker import Options
    from corpus.view import View

MOST = 100
"""How many passages of the past are counted."""

_WORDS = 8
_WORD = 40


def why_nothing(view: View, query: str, options: Options) -> str:
    """Say what kept a query that has usable terms from finding anything.

    That is a filter no source passes, words that occur nowhere, or passages of the
    past that were not wanted. The empty string when none of these.
    """
    return "; ".join(_reasons(view, query, options))


def _reasons(view: View, query: str, options: Options) -> Iterator[str]:
    facts = view.rows.facts
    if options.kind in RUNGS:
        yield f"no {options.kind} that may be shown here holds its words"
        return
    if options.kind is not None:
        facts = tuple(each for each in facts if each.kind == options.kind)
        if not facts:
            yield f"no source has the type `{options.kind}`"
            return
    if options.path is not None and not any(
        options.path.matches(each.path) for each in facts
    ):
        of_kind = f" of type `{options.kind}`" if options.kind is not None else ""
        yield f"no source{of_kind} matches `--path {options.path.text}`"
        return
    words = _absent(view, query)
    if words:
        more = len(words) - _WORDS
        named = ", ".join(f"`{word[:_WORD]}`" for word in words[:_WORDS])
        others = f" and {more} more" if more > 0 else ""
        occur = "occurs" if len(words) == 1 else "occur"
        yield f"{named}{others} {occur} nowhere in scope"
    if options.temporal != "any":
        yield from _left_out(view, query, options)


def _absent(view: View, query: str) -> list[str]:
    """Give the words of a query of which no term is in the index, each once."""
    from corpus.lexical import query_terms, tokens  # noqa: PLC0415 - the word lists
    from corpus.ranking import weigh  # noqa: PLC0415 - the same

    weighed = weigh(view.layout, query_terms(query), view.hashed)
    asked = {one.term.token for one in weighed}
    found = {one.term.token for one in weighed if one.ranges}
    texts = [token.text for token in tokens(query)]
    return list(dict.fromkeys(texts[at] for at in sorted(asked - found)))


def _left_out(view: View, query: str, options: Options) -> Iterator[str]:
    from corpus.search import search  # noqa: PLC0415 - the word lists

    anytime = options._replace(temporal="any", limit=MOST, explain=False)
    count = len(search(view, query, anytime).hits)
    if count:
        other = "historical" if options.temporal == "current" else "current"
        passages = counted(count, f"{other} passage")
        least = "at least " if count == MOST else ""
        yield f"`--temporal {options.temporal}` left out {least}{passages}"
