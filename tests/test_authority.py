"""A policy that withholds a capability is obeyed; the limits are the contract's."""

from __future__ import annotations

import json

import pytest

from corpus import authority
from corpus.authority import Limits, require, require_context
from corpus.errors import PolicyDeniedError
from corpus.policy import Policy, parse_policy


def policy_allowing(*allowed: str) -> Policy:
    return parse_policy(
        f"""
        policy_version = "2.0"
        project_id = "demo-one"
        profile = "READ_ONLY"
        capabilities.allow = {json.dumps(allowed)}
        scopes = {{ read = ["a/**"], write = [] }}
        [requirements]
        expected_hash = false
        verified_readback = false
        audit_receipt = false
        """.encode()
    )


@pytest.mark.requirement("P3.4")
def test_the_context_is_denied_where_the_policy_withholds_it() -> None:
    with pytest.raises(PolicyDeniedError) as caught:
        require_context(policy_allowing("corpus.read"))
    assert caught.value.code == "POLICY_DENIED"
    assert caught.value.facts == {"capability": "corpus.context"}
    require_context(policy_allowing("corpus.context"))


@pytest.mark.requirement("P3.4")
def test_a_capability_that_is_not_listed_is_denied() -> None:
    require(policy_allowing("corpus.stat"), "corpus.stat")
    with pytest.raises(PolicyDeniedError) as caught:
        require(policy_allowing("corpus.stat"), "corpus.search")
    assert caught.value.facts == {"capability": "corpus.search"}


@pytest.mark.requirement("P14")
def test_the_usual_limits_are_those_of_the_contract() -> None:
    mib = 1024 * 1024
    limits = Limits()
    assert (limits.sources, limits.nonblank_lines) == (2048, 50_000)
    assert limits.total_bytes == 64 * mib
    found = [authority.SOURCE_BYTES, authority.JSON_BYTES, authority.POLICY_BYTES]
    assert found == [8 * mib, mib, mib]
    assert authority.INDEX_BYTES // mib == 128
