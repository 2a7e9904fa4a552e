"""Clones of one team file that change it at once: merged, nothing is lost (A8.4)."""

from __future__ import annotations

import random
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentctx.team.blocks import Block, escaped, normal, unescaped
from agentctx.team.merging import merge_contexts
from agentctx.team.reading import parse_context
from tests.agentctx.team.written import SINCE, block, page

EDITS, CLONES = 1_000, 3
TURNED = 8
"""Every so many merges both directions are compared."""

KINDS = ("decision", "convention", "discovery", "bugfix")


class Clone(NamedTuple):
    """What one person's copy holds, and which blocks that person touched."""

    blocks: dict[str, Block]
    touched: dict[str, str]
    acts: int


def changed(base: dict[str, Block], chance: random.Random, fresh: int) -> Clone:
    """Let one person add, edit, supersede and remove: one to three acts of these."""
    blocks, touched = dict(base), dict[str, str]()
    acts = chance.randint(1, 3)
    for act in range(acts):
        kind = chance.choice(("add", "add", "edit", "supersede", "remove"))
        if kind == "add" or not blocks:
            new = block(fresh + act, kind=chance.choice(KINDS))
            blocks[new.key] = new
            continue
        key = chance.choice(sorted(blocks))
        old = blocks[key]
        touched[key] = kind
        if kind == "remove":
            del blocks[key]
        elif kind == "edit":  # by hand: the comment stays as it was
            blocks[key] = old._replace(body=f"{old.body}\nSaid anew {fresh + act}.")
        else:
            blocks[key] = old._replace(
                body=f"Something else since {fresh + act}.",
                valid_from=SINCE.replace("2026", str(2027 + act)),
                confidence="reinforced",
            )
    return Clone(blocks, touched, acts)


def round_of(number: int) -> tuple[str, list[Clone]]:
    """Give a file of a hundred blocks and what three clones made of it."""
    chance = random.Random(number)  # noqa: S311 - the same every time
    base = {
        one.key: one
        for one in (block(n, kind=chance.choice(KINDS)) for n in range(100))
    }
    clones = [changed(base, chance, 1_000 * (n + 1)) for n in range(CLONES)]
    return page(*base.values()), clones


@pytest.mark.requirement("A8.4", "A8.1")
def test_of_a_thousand_concurrent_changes_almost_all_merge_and_none_is_lost() -> None:
    edits = merges = torn = number = 0
    while edits < EDITS:
        base, clones = round_of(number)
        merged = page(*clones[0].blocks.values()).encode()
        for count, clone in enumerate(clones[1:], 2):
            theirs = page(*clone.blocks.values()).encode()
            found = merge_contexts(base.encode(), merged, theirs)
            merges += 1
            if merges % TURNED == 0:
                require_same_from_both_sides(base.encode(), merged, theirs)
            require_kept(base, clones[:count], found.content.decode())
            merged = found.content
            if found.conflicts:
                torn += 1
                break
        edits += sum(clone.acts for clone in clones)
        number += 1
    assert torn <= edits * 0.01


def require_same_from_both_sides(base: bytes, ours: bytes, theirs: bytes) -> None:
    found = merge_contexts(base, ours, theirs)
    other = merge_contexts(base, theirs, ours)
    assert bool(found.conflicts) == bool(other.conflicts)
    assert found.conflicts or found.content == other.content


def require_kept(base: str, clones: list[Clone], merged: str) -> None:
    """Demand every text that somebody wrote, and every block nobody removed."""
    original = {one.key: one for one in parse_context(base.encode()).blocks}
    for clone in clones:
        for key, one in clone.blocks.items():
            if key not in original or one.body != original[key].body:
                assert escaped(normal(one.body)) in merged, key
    for key, one in original.items():
        if not any(key in clone.touched for clone in clones):
            assert escaped(normal(one.body)) in merged, key
        elif any(clone.touched.get(key) == "remove" for clone in clones) and not any(
            clone.touched.get(key) in {"edit", "supersede"} for clone in clones
        ):
            assert key not in merged


LINES = st.sampled_from(
    [
        *("# a", "## b", "### c", "####### d", "\\# e", "```", "````sh", "~~~", "---"),
        *(
            "===",
            "<!-- f -->",
            "g <!-- h",
            "\\<!--",
            "<<<<<<< i",
            "=======",
            ">>>>>>> j",
        ),
        *("<!-- agentctx: id=x -->", "<script>", "  ### k", "    ## l", "", "m \\n"),
    ]
)


@pytest.mark.requirement("A8.1")
@given(st.lists(LINES | st.text(max_size=12), max_size=9).map("\n".join))
def test_any_text_is_one_block_and_comes_back_as_it_was(text: str) -> None:
    said = normal(text)
    written = escaped(said)
    assert unescaped(written) == said
    for line in written.split("\n"):
        assert not line.startswith(("## ", "### ", "<!--", "<<<<<<< ", ">>>>>>> "))
