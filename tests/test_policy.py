"""policy.toml is a closed schema, and its scopes decide what is in scope."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.errors import (
    BadScopeError,
    CodedError,
    PolicyCapabilityError,
    PolicyParseError,
    PolicyProfileCapabilityError,
    PolicyProfileError,
    PolicyProjectIdError,
    PolicySchemaError,
    PolicyUnknownKeyError,
    PolicyVersionError,
    PolicyWriteError,
)
from corpus.policy import CAPABILITIES, MAX_ENTRIES, PROFILES, Policy, parse_policy
from tests.corpora import policy_page

if TYPE_CHECKING:
    from collections.abc import Mapping

FIELDS = {
    "policy_version": '"2.0"',
    "project_id": '"demo-one"',
    "profile": '"SAFE_EDIT"',
    "capabilities.allow": '["corpus.read", "corpus.context"]',
    "scopes.read": '[".project-corpus/state/**", ".project-corpus/reports/**"]',
    "scopes.write": "[]",
    "requirements.expected_hash": "false",
    "requirements.verified_readback": "false",
    "requirements.audit_receipt": "false",
}
WRITERS = {"state.update", "task.create", "task.update", "report.create"}


def page(changes: Mapping[str, str | None] | None = None) -> bytes:
    """Write a policy with some fields changed, added, or (None) left out."""
    fields = {**FIELDS, **(changes or {})}
    lines = [f"{key} = {value}" for key, value in fields.items() if value is not None]
    return "\n".join(lines).encode()


def policy(**changes: str) -> Policy:
    return parse_policy(page({f"scopes.{key}": text for key, text in changes.items()}))


@pytest.mark.requirement("P2.1")
def test_a_policy_says_what_its_file_says() -> None:
    content = page()
    found = parse_policy(content)
    assert (found.project_id, found.profile) == ("demo-one", "SAFE_EDIT")
    assert found.capabilities == {"corpus.read", "corpus.context"}
    assert [str(scope) for scope in found.read] == [
        ".project-corpus/state/**",
        ".project-corpus/reports/**",
    ]
    assert (found.write, found.deny) == ((), ())
    assert [found.expected_hash, found.verified_readback] == [False, False]
    assert found.audit_receipt is False
    assert found.sha256 == hashlib.sha256(content).hexdigest()


@pytest.mark.requirement("P2.1")
def test_a_byte_order_mark_is_accepted_and_hashed() -> None:
    content = b"\xef\xbb\xbf" + page()
    assert parse_policy(content).sha256 == hashlib.sha256(content).hexdigest()


@pytest.mark.requirement("P2.1")
def test_the_published_example_is_a_policy() -> None:
    tool = Path(__file__).parents[2] / "shared" / "tools" / "make_corpus.py"
    if not tool.exists():
        pytest.skip("the published example is not here")
    example = re.search(r'POLICY = """(.*?)"""', tool.read_text("utf-8"), re.DOTALL)
    assert example is not None
    found = parse_policy(example[1].format(pid="python-peps").encode())
    assert (found.project_id, found.profile) == ("python-peps", "READ_ONLY")
    assert found.may_read(".project-corpus/reports/deep/er/pep-8.md")


WRONG = [
    pytest.param({"policy_version": '"2.1"'}, PolicyVersionError, id="version"),
    pytest.param({"policy_version": "2.0"}, PolicySchemaError, id="version type"),
    pytest.param({"policy_version": None}, PolicySchemaError, id="no version"),
    pytest.param({"extra": "1"}, PolicyUnknownKeyError, id="unknown key"),
    pytest.param({"scopes.reads": "[]"}, PolicyUnknownKeyError, id="in scopes"),
    pytest.param({"capabilities.deny": "[]"}, PolicyUnknownKeyError, id="in allow"),
    pytest.param({"requirements.x": "true"}, PolicyUnknownKeyError, id="in needs"),
    pytest.param({"project_id": '"Demo"'}, PolicyProjectIdError, id="id"),
    pytest.param({"project_id": "7"}, PolicySchemaError, id="id type"),
    pytest.param({"profile": '"OWNER"'}, PolicyProfileError, id="profile"),
    pytest.param({"profile": "[]"}, PolicySchemaError, id="profile type"),
    pytest.param({"profile": None}, PolicySchemaError, id="no profile"),
    pytest.param(
        {"capabilities.allow": '["corpus.fly"]'}, PolicyCapabilityError, id="cap"
    ),
    pytest.param(
        {"capabilities.allow": '["migration.apply"]'},
        PolicyProfileCapabilityError,
        id="capability above the profile",
    ),
    pytest.param({"capabilities.allow": '"x"'}, PolicySchemaError, id="allow type"),
    pytest.param({"capabilities.allow": "[1]"}, PolicySchemaError, id="allow entry"),
    pytest.param(
        {"capabilities.allow": '["corpus.read", "corpus.read"]'},
        PolicySchemaError,
        id="allow twice",
    ),
    pytest.param({"capabilities.allow": None}, PolicySchemaError, id="no allow"),
    pytest.param(
        {"capabilities.allow": None, "capabilities": "1"}, PolicySchemaError, id="table"
    ),
    pytest.param({"scopes.read": None}, PolicySchemaError, id="no read"),
    pytest.param({"scopes.write": None}, PolicySchemaError, id="no write"),
    pytest.param({"scopes.read": '["a", "a"]'}, PolicySchemaError, id="read twice"),
    pytest.param({"scopes.deny": "1"}, PolicySchemaError, id="deny type"),
    pytest.param(
        {"scopes.read": str([f"a{n}" for n in range(MAX_ENTRIES + 1)])},
        PolicySchemaError,
        id="too many",
    ),
    pytest.param({"scopes.read": '["/etc/**"]'}, BadScopeError, id="scope"),
    pytest.param({"scopes.deny": '["a/../b"]'}, BadScopeError, id="deny scope"),
    pytest.param(
        {"requirements.expected_hash": "1"}, PolicySchemaError, id="need type"
    ),
    pytest.param({"requirements.audit_receipt": None}, PolicySchemaError, id="no need"),
    pytest.param({"scopes.write": '["a/**"]'}, PolicyWriteError, id="write"),
]


@pytest.mark.requirement("P2.1", "P2.2")
@pytest.mark.parametrize(("changes", "error"), WRONG)
def test_what_the_schema_does_not_hold_is_refused(
    changes: dict[str, str | None], error: type[CodedError]
) -> None:
    with pytest.raises(error) as caught:
        parse_policy(page(changes))
    assert type(caught.value) is error


@pytest.mark.requirement("P2.1")
def test_a_field_is_named_where_it_stands() -> None:
    with pytest.raises(PolicySchemaError) as caught:
        parse_policy(page({"scopes.read": None}))
    assert caught.value.facts["field"] == "scopes.read"
    with pytest.raises(PolicyUnknownKeyError) as unknown:
        parse_policy(page({'scopes."re\\u0007ad"': "[]"}))
    assert unknown.value.facts["field"] == "scopes.re\\x07ad"


@pytest.mark.requirement("P2.1")
@pytest.mark.parametrize(
    "missing", ["expected_hash", "verified_readback", "audit_receipt"]
)
def test_writing_needs_every_requirement(missing: str) -> None:
    needs = dict.fromkeys(("expected_hash", "verified_readback", "audit_receipt"), True)
    needs[missing] = False
    changes = {f"requirements.{key}": str(on).lower() for key, on in needs.items()}
    with pytest.raises(PolicyWriteError) as caught:
        parse_policy(page({"scopes.write": '["a/**"]', **changes}))
    assert caught.value.facts["field"] == missing


def test_a_policy_may_write_where_its_write_scopes_say() -> None:
    needs = {
        f"requirements.{name}": "true"
        for name in ("expected_hash", "verified_readback", "audit_receipt")
    }
    scopes = {"scopes.write": '["a/**"]', "scopes.deny": '["a/b/**"]'}
    found = parse_policy(page({**scopes, **needs}))
    assert found.may_write("a/x.md")
    assert not found.may_write("a/b/x.md")
    assert not found.may_write("c.md")


@pytest.mark.requirement("P2.2")
def test_the_profiles_hold_what_the_contract_lists() -> None:
    assert list(PROFILES) == ["READ_ONLY", "SAFE_EDIT", "MAINTAINER"]
    assert "mcp.stdio" in PROFILES["READ_ONLY"]
    assert PROFILES["SAFE_EDIT"] - PROFILES["READ_ONLY"] == WRITERS
    assert PROFILES["MAINTAINER"] - PROFILES["SAFE_EDIT"] == {"migration.apply"}
    assert PROFILES["MAINTAINER"] == CAPABILITIES
    assert {"corpus.records", "corpus.memory"} < PROFILES["READ_ONLY"]


@pytest.mark.requirement("P2.2")
@pytest.mark.parametrize("profile", list(PROFILES))
def test_a_profile_accepts_everything_it_holds(profile: str) -> None:
    allowed = str(sorted(PROFILES[profile]))
    changes = {"profile": f'"{profile}"', "capabilities.allow": allowed}
    assert parse_policy(page(changes)).capabilities == PROFILES[profile]


@pytest.mark.requirement("P2.3")
def test_deny_wins_over_read() -> None:
    found = policy(read='["r/**"]', deny='["r/private/**", "r/*.secret.md"]')
    assert found.may_read("r/a.md")
    assert not found.may_read("r/private/a.md")
    assert not found.may_read("r/a.secret.md")
    assert found.may_read("r/deep/a.secret.md")


@pytest.mark.requirement("P2.3")
def test_denying_a_folder_by_its_name_denies_what_is_in_it() -> None:
    found = policy(read='["r/**"]', deny='["r/private"]')
    assert not found.may_read("r/private")
    assert not found.may_read("r/private/deep/a.md")
    assert not found.may_enter("r/private/deep")
    assert found.may_read("r/private2/a.md")


@pytest.mark.requirement("P2.3", "P2.4")
def test_a_folder_is_entered_only_when_something_in_it_may_be_in_scope() -> None:
    found = policy(read='["r/**", "t/*.md"]', deny='["r/private/**", "r/*/x.md"]')
    assert [
        found.may_enter(folder)
        for folder in ("", "r", "r/deep", "r/private", "r/private/deep", "t", "t/deep")
    ] == [True, True, True, False, False, True, False]
    assert not found.may_enter("other")


PARTS = st.sampled_from(["a", "b", "*", "**", "?b", "a*"])
SCOPES = st.lists(
    st.lists(PARTS, min_size=1, max_size=4).map("/".join), max_size=3, unique=True
)
PATHS = st.lists(st.sampled_from(["a", "b", "ab"]), min_size=1, max_size=4)


@pytest.mark.requirement("P2.3", "P2.4")
@given(SCOPES, SCOPES, PATHS)
def test_every_folder_above_a_readable_file_may_be_entered(
    read: list[str], deny: list[str], path: list[str]
) -> None:
    found = policy(read=str(read), deny=str(deny))
    if found.may_read("/".join(path)):
        assert all(found.may_enter("/".join(path[:n])) for n in range(len(path)))


@pytest.mark.requirement("P2.1")
@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "content",
    [
        b"policy_version = ",
        b"\xff\xfe",
        b"x = " + b"[" * 100_000,
        b"x = " + b"{a=" * 50_000,
        b"a." * 500_000 + b"a = 1",
        b'"\xe2\x80\xa8".' * 100_000 + b"a = 1",
        b"x = " + b"9" * 10_000,
        b"x = 2026-13-45",
        b"\x00",
    ],
    ids=["cut", "bytes", "arrays", "tables", "keys", "quoted", "number", "date", "nul"],
)
def test_what_is_not_toml_is_refused_however_long_or_deep(content: bytes) -> None:
    with pytest.raises(PolicyParseError):
        parse_policy(content)


def test_dots_in_texts_and_comments_are_no_nesting() -> None:
    found = parse_policy(
        page({"scopes.deny": f'["{".a" * 100}"]'}) + b"\n# " + b"." * 300
    )
    assert len(found.deny) == 1


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_bytes_are_a_policy_or_a_reported_failure(content: bytes) -> None:
    with pytest.raises(CodedError):
        parse_policy(content)


@pytest.mark.requirement("P2.3", "P2.4")
@pytest.mark.parametrize(
    "pattern",
    [
        pytest.param("**/private", id="any depth"),
        pytest.param(".project-corpus/*/private", id="one segment"),
        pytest.param(".project-corpus/reports/priv*", id="beginning"),
        pytest.param(".project-corpus/reports/private", id="exact"),
        pytest.param(".project-corpus/reports/private/**", id="below"),
    ],
)
def test_denying_a_folder_denies_all_below_it(pattern: str) -> None:
    policy = parse_policy(
        policy_page(read=[".project-corpus/**"], deny=[pattern]).encode()
    )
    assert not policy.may_read(".project-corpus/reports/private/deep/x.md")
    assert not policy.may_enter(".project-corpus/reports/private/deep")
    assert not policy.covers(".project-corpus/reports")
    assert policy.may_read(".project-corpus/reports/x.md")
