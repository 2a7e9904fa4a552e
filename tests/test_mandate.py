"""What a session may do is decided at each call; a refusal says who can help."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from corpus.authority import Session
from corpus.confined.reader import open_root
from corpus.errors import PolicyMissingError
from corpus.grant import Grant, serialize_grant
from corpus.mandate import Mandate, find_grant, mandate_for
from corpus.refs import ProjectId
from corpus.refusals import (
    CapabilityDeniedError,
    CapabilityUnknownError,
    GrantMissingError,
    GrantUnsafeError,
)
from corpus.sources.scan import read_policy
from corpus.trust import write_grant
from corpus.userdirs import UserDirs
from tests.corpora import HOME, dirs_of, fixed_bytes, write, write_corpus
from tests.granted import ALLOWED, ID, open_policy

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.requirement("P3.3")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "project", policy=open_policy())


def granted(project: Path, **changes: object) -> Path:
    """Grant everything the policy offers, but for the changes, and give the file."""
    with open_root(project) as opened:
        policy = read_policy(opened)
        fields: dict[str, object] = {
            "project_id": policy.project_id,
            "physical_root": str(project),
            "root_identity": opened.identity,
            "policy_sha256": policy.sha256,
            "capability_ceiling": frozenset(ALLOWED),
            "filesystem": opened.filesystem,
            "transports": frozenset({"cli"}),
            "approved_at": "2026-01-01T00:00:00Z",
            **changes,
        }
        path = find_grant(opened, trust=None, dirs=dirs_of(project))
    grant = Grant(**fields)  # type: ignore[arg-type]
    write_grant(path, grant, root=project, replace=True, random=fixed_bytes)
    return path


def mandate(project: Path, path: Path, session: Session | None = None) -> Mandate:
    with open_root(project) as opened:
        return mandate_for(opened, project, path, session or Session("cli"))


def reasons(found: Mandate, capability: str) -> str:
    with pytest.raises(CapabilityDeniedError) as caught:
        found.require(capability)
    assert caught.value.facts["capability"] == capability
    assert caught.value.hint != CapabilityDeniedError.hint
    return str(caught.value.facts["reasons"])


def test_a_grant_permits_what_all_layers_hold(project: Path) -> None:
    found = mandate(project, granted(project))
    assert found.decision.effective == set(ALLOWED)
    for capability in ALLOWED:
        found.require(capability)
        assert found.permits(capability)
    assert not found.permits("git.status")


def test_a_refusal_names_each_layer(project: Path) -> None:
    path = granted(project, capability_ceiling=frozenset({"corpus.read"}))
    found = mandate(project, path, Session("cli", frozenset({"corpus.context"})))
    assert reasons(found, "corpus.read") == "SESSION_LIMIT"
    assert reasons(found, "corpus.context") == "OWNER_GRANT_LIMIT"
    assert reasons(found, "git.diff") == (
        "RUNTIME_HARD_LIMIT, OWNER_GRANT_LIMIT, PROJECT_POLICY_LIMIT, SESSION_LIMIT"
    )
    path = granted(project, capability_ceiling=frozenset({"task.update"}))
    assert reasons(mandate(project, path), "task.update") == "PROJECT_POLICY_LIMIT"
    found = mandate(project, path, Session("stdio-mcp"))
    assert reasons(found, "task.update").endswith("TRANSPORT_NOT_GRANTED")
    with pytest.raises(CapabilityUnknownError):
        found.require("corpus.everything")


def test_what_changed_a_moment_ago_holds(project: Path) -> None:
    path = granted(project)
    with open_root(project) as opened:
        for _ in range(2):
            one = mandate_for(opened, project, path, Session("cli"))
            assert one.permits("state.update")
        write(project / HOME / "policy.toml", open_policy() + "# more\n")
        one = mandate_for(opened, project, path, Session("cli"))
        assert reasons(one, "state.update") == "POLICY_DRIFT"
        assert one.permits("corpus.context")
        granted(project, capability_ceiling=frozenset())
        one = mandate_for(opened, project, path, Session("cli"))
        assert reasons(one, "corpus.context") == "OWNER_GRANT_LIMIT"
        path.unlink()
        with pytest.raises(GrantMissingError) as caught:
            mandate_for(opened, project, path, Session("cli"))
        assert caught.value.facts == {"project_id": ID}


@pytest.mark.requirement("P3.1")
def test_the_folder_itself_and_its_place_must_be_the_granted_ones(
    project: Path, tmp_path: Path
) -> None:
    path = granted(project)
    project.rename(tmp_path / "moved")
    moved = mandate(tmp_path / "moved", path)
    assert moved.decision.effective == {"corpus.validate"}
    write_corpus(project, policy=open_policy())
    for place in (project, tmp_path / "moved"):
        other = mandate(place, path)
        assert reasons(other, "corpus.read") == "ROOT_IDENTITY_MISMATCH"
    for root in ("/", str(tmp_path), str(tmp_path / "none"), "/nul"):
        granted(project, physical_root=root)
        assert mandate(project, path).decision.effective == {"corpus.validate"}
    (tmp_path / "way").symlink_to(project)
    granted(project, physical_root=str(tmp_path / "way"))
    assert mandate(tmp_path / "way", path).permits("corpus.context")


def test_a_grant_of_another_project_permits_nothing(project: Path) -> None:
    path = granted(project)
    write(project / HOME / "policy.toml", open_policy(project_id="demo-two"))
    found = mandate(project, path)
    assert found.decision.effective == frozenset()
    assert reasons(found, "corpus.validate") == "PROJECT_ID_MISMATCH"


def test_nothing_is_decided_on_a_grant_that_is_unsafe(project: Path) -> None:
    path = granted(project)
    content = path.read_bytes()
    path.chmod(0o666)
    with pytest.raises(GrantUnsafeError):
        mandate(project, path)
    inside = project / HOME / "grant.toml"
    inside.write_bytes(content)
    inside.chmod(0o600)
    with pytest.raises(GrantUnsafeError):
        mandate(project, inside)


def test_nothing_is_decided_without_a_policy(project: Path) -> None:
    path = granted(project)
    (project / HOME / "policy.toml").unlink()
    with pytest.raises(PolicyMissingError):
        mandate(project, path)


@pytest.mark.requirement("P3.1")
def test_a_grant_is_found_by_name_or_by_project(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dirs = UserDirs(state=tmp_path / "state", trust=tmp_path / "trust")
    monkeypatch.chdir(tmp_path)
    with open_root(project) as opened:
        usual = find_grant(opened, trust=None, dirs=dirs)
        assert usual == tmp_path / "trust" / f"{ID}.toml"
        named = find_grant(opened, trust="mine.toml", dirs=dirs)
        assert named == tmp_path / "mine.toml"
    assert b"limits" not in serialize_grant(
        mandate(project, granted(project)).grant._replace(project_id=ProjectId("abc"))
    )
