"""What a session is told when it begins: the digest, filtered and within its budget.

The sections come in their order, each within its share; what does not fit into the
whole is cut from the bottom. Every stored line is quoted, and introduced as evidence.
"""

from __future__ import annotations

from agentctx.briefing.budget import SESSION_TOKENS, SHARES, Page
from agentctx.briefing.digest import standing_blocks, status_sha256
from agentctx.records.card import INTRODUCTION, QUOTE
from corpus.tokens import injection_tokens
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentctx.briefing.digest import Block, Digest
    from corpus.sqlite import Db

FEWEST_DRIFTED = 2
"""Below so many candidates the hint of drift is left out (seed 4)."""

HINT = (
    "More records are kept than are shown. The tools ctx_search and ctx_get of the"
    " server agentctx find and read them; ctx_record keeps what the developer decides."
)

_TITLES = {
    "profile": "The project",
    "decisions": "In force",
    "handover": "Where work stopped",
    "preferences": "How the developer works",
    "tools": "Tools",
    "drift": "CLAUDE.md",
}


class Briefing(NamedTuple):
    """What to say, what it costs, and the records that it shows whole.

    `shown` are all records, `stale` says that the digest should be made anew.
    """

    text: str
    tokens: int
    whole: tuple[str, ...]
    shown: tuple[str, ...]
    stale: bool


class Place(NamedTuple):
    """The working tree of a session: its root, and its name unless it is the main."""

    root: str
    worktree: str = ""


def session_briefing(
    db: Db | None, digest: Digest, place: Place, *, degraded: str | None = None
) -> Briefing:
    """Say what a session of a working tree begins with; the text may be empty.

    Without a store nobody knows what still stands: no record is shown then. Raises the
    errors of a database that cannot be read.
    """
    blocks = digest.blocks
    standing: set[str] = set()
    if db is not None:
        standing = standing_blocks(db, digest.project_id, blocks)
    handover = digest.handovers.get(place.worktree, digest.handovers.get(""))
    corpus, corpus_gone = _corpus_text(digest, place)
    page = Page(SESSION_TOKENS)
    page.add(_head(digest.name, degraded))
    whole: list[str] = []
    shown: list[str] = []
    for name, found, lines in (
        ("profile", digest.profile, corpus),
        ("decisions", digest.decisions, ""),
        ("handover", () if handover is None else (handover,), ""),
        ("preferences", digest.preferences, ""),
    ):
        kept = [block for block in found if block.record_id in standing]
        added = _section(page, name, lines, kept)
        shown += [block.record_id for block, _ in added]
        whole += [block.record_id for block, fits in added if fits and block.whole]
    told = len(page.blocks) > 1
    if told or degraded:
        _section(page, "tools", HINT, ())
    if digest.drift >= FEWEST_DRIFTED and (told or degraded):
        _section(page, "drift", _drift_hint(digest.drift), ())
    text = str(page) if told or degraded else ""
    return Briefing(
        text=text,
        tokens=injection_tokens(text) if text else 0,
        whole=tuple(whole),
        shown=tuple(shown),
        stale=corpus_gone or len(standing) < len({one.record_id for one in blocks}),
    )


def project_lines(db: Db, digest: Digest, place: Place) -> str:
    """Give the section about the project alone, for whoever is told little else."""
    standing = standing_blocks(db, digest.project_id, digest.profile)
    page = Page(SHARES["profile"])
    corpus, _ = _corpus_text(digest, place)
    kept = [block for block in digest.profile if block.record_id in standing]
    _section(page, "profile", corpus, kept)
    return str(page)


def _head(name: str, degraded: str | None) -> str:
    lines = [f"agentctx. {INTRODUCTION}"]
    if degraded:
        lines.append(f"degraded: {degraded}")
    return "\n".join([*lines, f"{QUOTE}project {name}"])


def _section(
    page: Page, name: str, lines: str, blocks: Iterable[Block]
) -> list[tuple[Block, bool]]:
    """Add what fits of a section; give its records, and whether they stand whole."""
    share = Page(SHARES[name])
    share.add(f"## {_TITLES[name]}")
    empty = len(share.blocks)
    for line in lines.split("\n") if lines else ():
        share.add(line)
    added = []
    for block in blocks:
        fits = share.add(block.text)
        if fits or share.add_cut(block.text):
            added.append((block, fits))
        if not fits:
            break
    if len(share.blocks) == empty:
        return []
    text = str(share)
    if page.add(text):
        return added
    return [(block, False) for block, _ in added] if page.add_cut(text) else []


def _drift_hint(count: int) -> str:
    return (
        f"{count} places of CLAUDE.md or its rules differ from the records;"
        " `agentctx sync` shows them."
    )


def _corpus_text(digest: Digest, place: Place) -> tuple[str, bool]:
    """Give what the working tree's corpus says, and whether its STATUS is another.

    STATUS is hashed and nothing of it is given.
    """
    note = digest.corpora.get(place.worktree)
    now = status_sha256(place.root)
    if note is None or now != note.status_sha256:
        return "", note is not None or now is not None
    return note.text, False
