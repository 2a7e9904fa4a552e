"""Four layers, each of which can only take away, and a reason for all that is gone."""

from __future__ import annotations

import itertools

import pytest

from corpus.authority import (
    REASONS,
    RUNTIME_HARD_LIMITS,
    Decision,
    Session,
    decide,
    known_capabilities,
)
from corpus.policy import CAPABILITIES, READING_CAPABILITIES
from corpus.refs import Sha256
from corpus.refusals import CapabilityUnknownError
from tests.granted import policy_offering, sample_grant

pytestmark = pytest.mark.requirement("P3.3")

CONTEXT = "corpus.context"
LIMITS = (
    "RUNTIME_HARD_LIMIT",
    "OWNER_GRANT_LIMIT",
    "PROJECT_POLICY_LIMIT",
    "SESSION_LIMIT",
)
ALL = frozenset(CAPABILITIES)
POLICY = policy_offering(*CAPABILITIES)
GRANT = sample_grant()._replace(
    capability_ceiling=ALL,
    policy_sha256=POLICY.sha256,
    transports=frozenset({"cli", "stdio-mcp"}),
)


def decided(
    *,
    session: Session | None = None,
    policy_sha256: str = POLICY.sha256,
    project_id: str = "demo-one",
    identity: bool = True,
    transports: tuple[str, ...] = ("cli",),
) -> Decision:
    """Decide with everything granted but for what a test changes."""
    grant = GRANT._replace(
        policy_sha256=Sha256(policy_sha256), transports=frozenset(transports)
    )
    return decide(
        grant=grant,
        policy=policy_offering(*CAPABILITIES, project_id=project_id)
        if project_id != "demo-one"
        else POLICY,
        session=session or Session("cli"),
        identity_matches=identity,
    )


@pytest.mark.parametrize("layers", list(itertools.product([True, False], repeat=4)))
def test_the_context_needs_all_four_layers(layers: tuple[bool, ...]) -> None:
    runtime, owner, offered, asked = layers
    policy = policy_offering(*(ALL if offered else ALL - {CONTEXT}))
    decision = decide(
        grant=GRANT._replace(
            capability_ceiling=ALL if owner else ALL - {CONTEXT},
            policy_sha256=policy.sha256,
        ),
        policy=policy,
        session=Session(
            "stdio-mcp",
            asked=ALL if asked else ALL - {CONTEXT},
            hard_limits=ALL if runtime else ALL - {CONTEXT},
        ),
        identity_matches=True,
    )
    missing = tuple(
        reason for reason, held in zip(LIMITS, layers, strict=True) if not held
    )
    assert (CONTEXT in decision.effective) == all(layers)
    assert decision.denied.get(CONTEXT, ()) == missing


def test_a_session_that_names_nothing_asks_for_everything() -> None:
    assert decided().effective == RUNTIME_HARD_LIMITS
    assert decided(session=Session("cli", frozenset())).effective == frozenset()
    asked = decided(session=Session("cli", frozenset({CONTEXT, "git.diff"})))
    assert asked.effective == {CONTEXT}
    assert asked.denied["git.diff"] == ("RUNTIME_HARD_LIMIT",)
    assert asked.denied["corpus.read"] == ("SESSION_LIMIT",)


def test_what_the_program_cannot_do_is_never_effective() -> None:
    denied = decided().denied
    for capability in ("git.status", "git.diff", "migration.plan"):
        assert denied[capability] == ("RUNTIME_HARD_LIMIT",)
    assert denied["migration.apply"] == ("RUNTIME_HARD_LIMIT",)
    assert RUNTIME_HARD_LIMITS <= CAPABILITIES


def test_under_drift_reading_goes_on_and_writing_stops() -> None:
    decision = decided(policy_sha256="1" * 64)
    assert decision.effective == RUNTIME_HARD_LIMITS & READING_CAPABILITIES
    assert {"mcp.stdio", CONTEXT, "audit.read"} <= decision.effective
    assert decision.denied["state.update"] == ("POLICY_DRIFT",)
    assert decision.denied["task.update"] == ("POLICY_DRIFT",)
    assert decision.reasons == ("POLICY_DRIFT",)


def test_in_another_folder_only_the_check_stays() -> None:
    decision = decided(identity=False)
    assert decision.effective == {"corpus.validate"}
    assert decision.denied[CONTEXT] == ("ROOT_IDENTITY_MISMATCH",)
    assert decision.reasons == ("ROOT_IDENTITY_MISMATCH",)


def test_a_way_of_access_that_is_not_granted_gives_nothing() -> None:
    decision = decided(session=Session("stdio-mcp"))
    assert decision.effective == frozenset()
    assert decision.denied["corpus.validate"] == ("TRANSPORT_NOT_GRANTED",)


def test_a_grant_of_another_project_gives_nothing() -> None:
    other = policy_offering(*CAPABILITIES, project_id="demo-two")
    decision = decided(project_id="demo-two", policy_sha256=other.sha256)
    assert decision.effective == frozenset()
    assert decision.denied["corpus.validate"] == ("PROJECT_ID_MISMATCH",)


def test_every_layer_that_withholds_is_named_in_one_order() -> None:
    grant = GRANT._replace(
        capability_ceiling=frozenset(),
        policy_sha256=Sha256("1" * 64),
        transports=frozenset(),
    )
    decision = decide(
        grant=grant,
        policy=policy_offering(project_id="demo-two"),
        session=Session("cli", asked=frozenset(), hard_limits=frozenset()),
        identity_matches=False,
    )
    assert decision.denied["state.update"] == REASONS
    assert decision.reasons == REASONS[4:]


def test_a_name_that_is_no_capability_is_refused() -> None:
    assert known_capabilities([CONTEXT, CONTEXT]) == {CONTEXT}
    for name in ("corpus.everything", "", "corpus.read\n"):
        with pytest.raises(CapabilityUnknownError):
            known_capabilities([name])
