"""Grants are shared with another implementation: each reads what the other writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from corpus.confined.reader import open_root
from corpus.grant import Limits
from corpus.trust import read_grant, write_grant
from tests.corpora import fixed_bytes, write_corpus
from tests.granted import sample_grant
from tests.peer import peer_says

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.requirement("P3.1")

_LOAD = """
import json, sys
from pathlib import Path
from project_corpus.trust import load_trust_grant
grant = vars(load_trust_grant(Path(sys.argv[1])))
print(json.dumps({
    name: sorted(value) if isinstance(value, frozenset) else str(value)
    for name, value in grant.items()
}))
"""

_WRITE = """
import json, sys
from pathlib import Path
from project_corpus.platform import open_native_backend
from project_corpus.trust import TrustGrant, write_trust_grant
root, place = Path(sys.argv[1]), Path(sys.argv[2])
with open_native_backend(root) as backend:
    grant = TrustGrant(
        project_id="demo-one",
        physical_root=root,
        root_identity=backend.root_identity,
        policy_sha256="0" * 64,
        capability_ceiling=frozenset({"corpus.read", "git.diff"}),
        filesystem=backend.filesystem,
        transports=frozenset({"cli"}),
        approved_at="2026-01-01T00:00:00Z",
        protocol_version="2.0",
    )
write_trust_grant(place, grant)
print(json.dumps({"filesystem": backend.filesystem}))
"""


def test_the_other_implementation_reads_our_grant(tmp_path: Path) -> None:
    root = write_corpus(tmp_path / 'a "quoted" дом')
    place = tmp_path / "trust" / "demo-one.toml"
    grant = sample_grant(root)
    write_grant(place, grant, root=root, replace=False, random=fixed_bytes)
    found = peer_says(_LOAD, str(place))
    ours = grant.as_json()
    assert ours.pop("limits") is None
    assert ours.pop("grant_version") == "1"
    assert found == ours


def test_we_read_the_grant_of_the_other_implementation(on_disk: Path) -> None:
    root = write_corpus(on_disk / "project")
    place = on_disk / "trust" / "demo-one.toml"
    told = peer_says(_WRITE, str(root), str(place))
    grant = read_grant(place, root=root)
    with open_root(root) as opened:
        assert grant.root_identity == opened.identity
        assert grant.filesystem == opened.filesystem == told["filesystem"]
    assert grant.capability_ceiling == {"corpus.read", "git.diff"}
    assert grant.physical_root == str(root)
    limited = grant._replace(limits=Limits(sources=9000))
    write_grant(place, limited, root=root, replace=grant, random=fixed_bytes)
    assert read_grant(place, root=root) == limited
