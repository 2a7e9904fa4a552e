"""Killed at any step, a grant is the old one, the new one, or none: never half."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from corpus.trust import read_grant, write_grant
from tests.corpora import fixed_bytes
from tests.faults.test_publish_kills import killed
from tests.granted import sample_grant

if TYPE_CHECKING:
    from pathlib import Path

STEPS = ["open", "write", "fsync", "close"]
RENAMED = ("replace", True)
MOST_CALLS = 9


@pytest.mark.requirement("P3.1")
@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
@pytest.mark.parametrize(
    ("step", "replace"),
    [*((step, False) for step in STEPS), *((step, True) for step in STEPS), RENAMED],
)
def test_a_writer_killed_at_a_step_leaves_a_whole_grant(
    tmp_path: Path, step: str, *, replace: bool, before: bool
) -> None:
    deaths = 0
    root = tmp_path / "project"
    root.mkdir()
    old = sample_grant(root)
    new = old._replace(filesystem="xfs")
    for call in range(1, MOST_CALLS):
        place = tmp_path / str(call) / "trust" / "demo-one.toml"
        if replace:
            write_grant(place, old, root=root, replace=False, random=fixed_bytes)

        def work(place: Path = place) -> None:
            write_grant(place, new, root=root, replace=replace, random=fixed_bytes)

        if not killed(work, step, call, before=before):
            break
        deaths += 1
        found = read_grant(place, root=root) if place.exists() else None
        assert found in ({old, new} if replace else {None, new})
        write_grant(place, new, root=root, replace=place.exists(), random=bytes)
        assert read_grant(place, root=root) == new
        assert [child.name for child in place.parent.iterdir()] == [place.name]
    assert deaths
