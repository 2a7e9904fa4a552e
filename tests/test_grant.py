"""A grant is read whole or refused with the name of the field that is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.errors import CodedError
from corpus.grant import TRANSPORTS, Limits, parse_grant, serialize_grant
from corpus.policy import CAPABILITIES
from corpus.refusals import GrantParseError, GrantSchemaError, GrantVersionError
from tests.granted import sample_grant

if TYPE_CHECKING:
    from corpus.grant import Grant

pytestmark = pytest.mark.requirement("P3.1")

PAGE = serialize_grant(sample_grant()).decode()
FIELDS = [line.partition(" =")[0] for line in PAGE.splitlines()]


def replaced(field: str, value: str) -> bytes:
    """Write the sample with another value for one field."""
    rows = [
        f"{field} = {value}" if row.startswith(f"{field} =") else row
        for row in PAGE.splitlines()
    ]
    return "\n".join(rows).encode()


def refused_field(content: bytes) -> object:
    with pytest.raises(GrantSchemaError) as caught:
        parse_grant(content)
    return caught.value.facts["field"]


def test_what_is_written_is_what_is_read() -> None:
    grant = sample_grant()
    assert parse_grant(serialize_grant(grant)) == grant
    limited = grant._replace(limits=Limits(sources=9000))
    assert parse_grant(serialize_grant(limited)) == limited


@given(
    root=st.text(st.characters(codec="utf-8", exclude_characters="\0")),
    ceiling=st.frozensets(st.sampled_from(sorted(CAPABILITIES))),
    transports=st.frozensets(st.sampled_from(TRANSPORTS)),
    limits=st.none()
    | st.builds(
        Limits,
        sources=st.integers(1, 2**53 - 1),
        total_bytes=st.integers(1, 2**53 - 1),
        nonblank_lines=st.integers(1, 2**53 - 1),
    ),
)
def test_every_grant_survives_writing_and_reading(
    root: str,
    ceiling: frozenset[str],
    transports: frozenset[str],
    limits: Limits | None,
) -> None:
    grant = sample_grant(f"/{root}")._replace(
        capability_ceiling=ceiling, transports=transports, limits=limits
    )
    assert parse_grant(serialize_grant(grant)) == grant


@given(content=st.binary(max_size=400) | st.text(max_size=400).map(str.encode))
def test_no_bytes_make_anything_but_a_grant_or_a_refusal(content: bytes) -> None:
    with pytest.raises(CodedError):
        parse_grant(content)


@pytest.mark.parametrize("field", FIELDS)
def test_a_missing_field_is_named(field: str) -> None:
    rows = [row for row in PAGE.splitlines() if not row.startswith(f"{field} =")]
    assert refused_field("\n".join(rows).encode()) == field


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("grant_version", "1"),
        ("project_id", '"No Id"'),
        ("project_id", "7"),
        ("physical_root", '"relative/place"'),
        ("physical_root", '""'),
        ("physical_root", '"/a\\u0000b"'),
        ("physical_root", '["/a"]'),
        ("root_identity", '""'),
        ("root_identity", '"two\\nlines"'),
        ("root_identity", f'"{"x" * 300}"'),
        ("policy_sha256", f'"{"A" * 64}"'),
        ("policy_sha256", f'"{"0" * 63}"'),
        ("capability_ceiling", '"corpus.read"'),
        ("capability_ceiling", "[1]"),
        ("capability_ceiling", '["corpus.everything"]'),
        ("capability_ceiling", '["corpus.read", "corpus.read"]'),
        ("filesystem", "true"),
        ("transports", '["http"]'),
        ("transports", '["cli", "cli"]'),
        ("transports", "{}"),
        ("approved_at", "2026-01-01T00:00:00Z"),
        ("approved_at", '"2026-02-30T00:00:00Z"'),
        ("approved_at", '"2026-01-01T00:00:00+00:00"'),
        ("approved_at", '"yesterday"'),
        ("protocol_version", '"3.0"'),
        ("protocol_version", "2.0"),
    ],
)
def test_a_wrong_value_is_refused_by_field(field: str, value: str) -> None:
    assert refused_field(replaced(field, value)) == field


@pytest.mark.parametrize(
    ("rows", "field"),
    [
        ("surprise = 1", "surprise"),
        ("[limits]\nfiles = 1", "limits.files"),
        ("[limits]\nsources = 0", "limits.sources"),
        ("[limits]\nsources = true", "limits.sources"),
        ("[limits]\ntotal_bytes = 1.5", "limits.total_bytes"),
        ("[limits]\nnonblank_lines = 99999999999999999999", "limits.nonblank_lines"),
        ("[[limits]]\nsources = 1", "limits"),
    ],
)
def test_what_the_format_does_not_know_is_refused(rows: str, field: str) -> None:
    assert refused_field(f"{PAGE}{rows}\n".encode()) == field


def test_another_version_is_refused_as_such() -> None:
    with pytest.raises(GrantVersionError) as caught:
        parse_grant(replaced("grant_version", '"2"'))
    assert caught.value.facts == {"found": "2"}


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"grant_version = ", id="half a line"),
        pytest.param(PAGE.encode() + b'project_id = "demo-two"\n', id="duplicate key"),
        pytest.param(PAGE.encode() + b"\0", id="NUL"),
        pytest.param(b"\xff\xfe", id="not UTF-8"),
        pytest.param(b"a = " + b"[" * 100_000, id="deep arrays"),
        pytest.param(b"a" + b".a" * 200_000 + b" = 1", id="deep keys"),
        pytest.param(b"a = " + b"9" * 5000, id="a long number"),
        pytest.param(b"a = 2026-02-30", id="an impossible date"),
    ],
)
def test_what_is_no_toml_is_refused(content: bytes) -> None:
    with pytest.raises(GrantParseError):
        parse_grant(content)


def test_a_byte_order_mark_is_accepted() -> None:
    grant: Grant = parse_grant(b"\xef\xbb\xbf" + PAGE.encode())
    assert grant == sample_grant()
