"""Receipts that cannot be read: which refusal says so (P13.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from corpus.authority import Session
from corpus.confined.reader import open_root
from corpus.errors import CodedError
from corpus.mandate import mandate_for
from corpus.writes.audit import AUDIT, read_receipt
from tests.corpora import HOME, write
from tests.trusted import editing_policy, grant_everything, grant_file, write_trusted

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.requirement("P13.1", "P13.3")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_trusted(tmp_path / "corpus")


def audit(root: Path, transaction_id: str) -> CodedError:
    with open_root(root) as opened:
        mandate = mandate_for(opened, root, grant_file(root), Session("cli"))
        with pytest.raises(CodedError) as caught:
            read_receipt(opened, mandate, transaction_id)
    return caught.value


@pytest.mark.parametrize("text", ["", "F" * 32, "0" * 31, "../../state/STATUS", "\a"])
def test_a_transaction_id_that_is_none_is_refused(project: Path, text: str) -> None:
    error = audit(project, text)
    assert error.code == "TRANSACTION_ID"
    assert str(error).isprintable()


@pytest.mark.parametrize("content", [None, b"{", b"[]", b"[" * 100_000, b"\xff"])
def test_a_receipt_that_cannot_be_read_is_unknown(
    project: Path, content: bytes | None
) -> None:
    if content is not None:
        write(project / AUDIT / f"{'0' * 32}.json", content)
    assert audit(project, "0" * 32).code == "TRANSACTION_UNKNOWN"


def test_a_receipt_is_read_only_where_the_policy_lets_it(tmp_path: Path) -> None:
    policy = editing_policy(read=[f"{HOME}/state/**", f"{HOME}/tasks/**"])
    root = write_trusted(tmp_path / "corpus", policy=policy)
    assert audit(root, "0" * 32).code == "READ_SCOPE_DENIED"
    grant_everything(root, capability_ceiling=frozenset({"state.update"}))
    assert audit(root, "0" * 32).code == "CAPABILITY_DENIED"
