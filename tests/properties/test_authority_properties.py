"""Whatever the layers hold, nothing is allowed that one of them does not hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.authority import REASONS, Session, decide
from corpus.policy import CAPABILITIES, READING_CAPABILITIES
from corpus.refs import Sha256
from tests.granted import policy_offering, sample_grant

pytestmark = pytest.mark.requirement("P3.3")

subsets = st.frozensets(st.sampled_from(sorted(CAPABILITIES)))
transports = st.frozensets(st.sampled_from(["cli", "stdio-mcp"]))


@given(
    hard=subsets,
    ceiling=subsets,
    offered=subsets,
    asked=st.none() | subsets,
    granted=transports,
    flags=st.tuples(st.booleans(), st.booleans(), st.booleans()),
)
def test_nothing_is_wider_than_any_layer(
    hard: frozenset[str],
    ceiling: frozenset[str],
    offered: frozenset[str],
    asked: frozenset[str] | None,
    granted: frozenset[str],
    flags: tuple[bool, bool, bool],
) -> None:
    approved, matches, same_project = flags
    policy = policy_offering(
        *offered, project_id="demo-one" if same_project else "demo-two"
    )
    grant = sample_grant()._replace(
        capability_ceiling=ceiling,
        policy_sha256=policy.sha256 if approved else Sha256("f" * 64),
        transports=granted,
    )
    session = Session("cli", asked, hard)
    decision = decide(
        grant=grant, policy=policy, session=session, identity_matches=matches
    )
    held = hard & ceiling & offered & (CAPABILITIES if asked is None else asked)
    if approved and matches and same_project and "cli" in granted:
        assert decision.effective == held
    assert decision.effective <= held
    if not approved:
        assert decision.effective <= READING_CAPABILITIES
    if not matches:
        assert decision.effective <= {"corpus.validate"}
    if "cli" not in granted or not same_project:
        assert decision.effective == frozenset()
    assert set(decision.denied) == CAPABILITIES - decision.effective
    for reasons in decision.denied.values():
        assert reasons
        assert list(reasons) == sorted(set(reasons), key=REASONS.index)


@given(ceiling=subsets, offered=subsets, more=subsets)
def test_a_wider_policy_never_widens_a_grant(
    ceiling: frozenset[str], offered: frozenset[str], more: frozenset[str]
) -> None:
    grant = sample_grant()._replace(capability_ceiling=ceiling)
    for names in (offered, offered | more, CAPABILITIES):
        decision = decide(
            grant=grant,
            policy=policy_offering(*names),
            session=Session("cli"),
            identity_matches=True,
        )
        assert decision.effective <= ceiling
