"""Keyed facts become records of the profile, one current record a key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from agentctx.records.profile import Refreshed, profile_records, refresh_profile
from agentctx.records.tombstones import bury
from agentctx.records.write import confirm_record, retire_record
from tests.recorded import store_at

if TYPE_CHECKING:
    from pathlib import Path

    from agentctx.records.profile import Fact

OWN = "ab" * 32
STACK: Fact = ("stack", "Stack: Python", "weather is built with Python.")
CI: Fact = ("ci", "CI: GitHub Actions", ".github/workflows/test.yml: test")


@pytest.mark.requirement("A7.3", "A2.9")
def test_a_fact_that_a_person_deleted_is_not_learned_again(tmp_path: Path) -> None:
    with store_at(tmp_path) as store:
        assert refresh_profile(store, OWN, [STACK, CI]).added == ("ci", "stack")
        retire_record(store, OWN, profile_records(store, OWN)["stack"].id)
        with store.writing() as tx:
            bury(store, tx, OWN, STACK[1], STACK[2])
        again = refresh_profile(store, OWN, [STACK, CI])
        assert again == Refreshed(same=("ci",), forgotten=("stack",))
        assert list(profile_records(store, OWN)) == ["ci"]


@pytest.mark.requirement("A7.3", "A10.1")
def test_a_fact_with_a_secret_stays_the_same_fact(tmp_path: Path) -> None:
    fact = ("run", "Run", "DATABASE_PASSWORD=hunter2hunter2XX9 make run")
    with store_at(tmp_path) as store:
        assert refresh_profile(store, OWN, [fact]).added == ("run",)
        assert "hunter2" not in profile_records(store, OWN)["run"].body
        assert refresh_profile(store, OWN, [fact]) == Refreshed(same=("run",))


@pytest.mark.requirement("A7.3", "A10.2")
def test_a_fact_that_a_person_confirmed_is_not_replaced_by_another(
    tmp_path: Path,
) -> None:
    with store_at(tmp_path) as store:
        refresh_profile(store, OWN, [STACK])
        confirm_record(store, OWN, profile_records(store, OWN)["stack"].id)
        other = ("stack", "Stack: Rust", "weather is built with Rust.")
        assert refresh_profile(store, OWN, [other]) == Refreshed(kept=("stack",))
        assert refresh_profile(store, OWN, [STACK]) == Refreshed(same=("stack",))
        assert refresh_profile(store, OWN, []) == Refreshed()


@pytest.mark.requirement("A7.3")
def test_one_project_never_changes_the_profile_of_another(tmp_path: Path) -> None:
    other = "cd" * 32
    with store_at(tmp_path) as store:
        refresh_profile(store, OWN, [STACK])
        refresh_profile(store, other, [CI])
        assert list(profile_records(store, OWN)) == ["stack"]
        assert refresh_profile(store, other, []).retired == ("ci",)
        assert list(profile_records(store, OWN)) == ["stack"]
