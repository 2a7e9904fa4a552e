"""Only the owner's grant, kept where the project cannot reach it, changes limits."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from corpus.errors import GrantLimitsError
from corpus.refs import ProjectId
from corpus.trust import Limits, grant_limits

if TYPE_CHECKING:
    from pathlib import Path

ID = ProjectId("demo-one")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def trust(tmp_path: Path) -> Path:
    folder = tmp_path / "config" / "trust"
    folder.mkdir(parents=True, mode=0o700)
    return folder


def grant(
    trust: Path,
    root: Path,
    limits: str = "",
    *,
    project_id: str = ID,
    mode: int = 0o600,
) -> Path:
    """Write a grant as the owner's command would, other fields included."""
    place = trust / f"{ID}.toml"
    place.write_text(
        f"""
        grant_version = "1"
        project_id = "{project_id}"
        physical_root = '{root}'
        policy_sha256 = "{"0" * 64}"
        capability_ceiling = ["corpus.read"]
        transports = ["cli"]
        approved_at = 2026-01-01T00:00:00Z
        {limits}
        """,
        "utf-8",
    )
    place.chmod(mode)
    return place


def refusal(project: Path, trust: Path) -> str:
    with pytest.raises(GrantLimitsError) as caught:
        grant_limits(project, ID, trust_directory=trust)
    return str(caught.value.facts["reason"])


@pytest.mark.requirement("P14", "P3.4")
def test_without_a_grant_the_usual_limits_hold(project: Path, trust: Path) -> None:
    for folder in (trust, trust / "none"):
        assert grant_limits(project, ID, trust_directory=folder) == Limits()


@pytest.mark.requirement("P14", "P3.4")
def test_a_grant_raises_and_lowers_the_limits_it_names(
    project: Path, trust: Path
) -> None:
    grant(trust, project, "[limits]\nsources = 9000\nnonblank_lines = 10")
    assert grant_limits(project, ID, trust_directory=trust) == Limits(
        sources=9000, nonblank_lines=10
    )
    grant(trust, project, "[limits]\ntotal_bytes = 1")
    assert grant_limits(project, ID, trust_directory=trust) == Limits(total_bytes=1)
    grant(trust, project)
    assert grant_limits(project, ID, trust_directory=trust) == Limits()


@pytest.mark.requirement("P14")
def test_a_grant_for_something_else_has_no_say(
    project: Path, trust: Path, tmp_path: Path
) -> None:
    limits = "[limits]\nsources = 9000"
    (tmp_path / "other").mkdir()
    for root in (tmp_path / "other", tmp_path / "none", "project", ""):
        grant(trust, root, limits)  # type: ignore[arg-type]
        assert grant_limits(project, ID, trust_directory=trust) == Limits()
    grant(trust, project, limits, project_id="demo-two")
    assert grant_limits(project, ID, trust_directory=trust) == Limits()


@pytest.mark.requirement("P14")
def test_the_root_of_a_grant_is_known_by_identity(
    project: Path, trust: Path, tmp_path: Path
) -> None:
    (tmp_path / "way").symlink_to(project)
    grant(trust, tmp_path / "way", "[limits]\nsources = 9000")
    assert grant_limits(project, ID, trust_directory=trust).sources == 9000
    grant(trust, project, "[limits]\nsources = 8000")
    found = grant_limits(tmp_path / "way", ID, trust_directory=trust)
    assert found.sources == 8000


@pytest.mark.requirement("P3.4", "P14")
@pytest.mark.parametrize(
    "limits",
    [
        "[limits]\nsource = 1",
        "[limits]\nsources = 0",
        "[limits]\nsources = -5",
        "[limits]\nsources = true",
        "[limits]\nsources = 1.5",
        '[limits]\nsources = "9"',
        "limits = 9",
        "[limits",
        "limits = " + "[" * 10_000,
    ],
)
def test_malformed_limits_are_refused(project: Path, trust: Path, limits: str) -> None:
    grant(trust, project, limits)
    assert refusal(project, trust)


@pytest.mark.requirement("P3.4")
@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_grant_that_others_can_write_is_refused(
    project: Path, trust: Path, mode: int
) -> None:
    grant(trust, project, mode=mode)
    assert refusal(project, trust) == "others can write it"


@pytest.mark.requirement("P3.4")
def test_a_grant_that_others_can_replace_is_refused(project: Path, trust: Path) -> None:
    grant(trust, project)
    trust.chmod(0o777)
    assert refusal(project, trust) == "others can write its folder"


@pytest.mark.requirement("P3.4")
def test_a_grant_that_is_no_file_of_the_owner_is_refused(
    project: Path, trust: Path
) -> None:
    place = grant(trust, project)
    place.rename(trust / "real.toml")
    place.symlink_to("real.toml")
    assert refusal(project, trust) == "it is a symbolic link"
    place.unlink()
    place.mkdir()
    assert refusal(project, trust) == "it is not a regular file"
    place.rmdir()
    os.mkfifo(place)
    assert refusal(project, trust) == "it is not a regular file"
    place.unlink()
    place.write_bytes(b"#" * (1024 * 1024 + 1))
    assert refusal(project, trust) == "it is too large"


@pytest.mark.requirement("P3.4")
def test_a_grant_of_another_user_is_refused(project: Path, trust: Path) -> None:
    place = grant(trust, project)
    try:
        os.chown(place, 65534, -1)
    except PermissionError:
        pytest.skip("giving files away is for root alone")
    assert refusal(project, trust) == "it belongs to another user"


@pytest.mark.requirement("P3.4")
def test_a_grant_that_the_project_carries_or_points_to_is_refused(
    project: Path, trust: Path, tmp_path: Path
) -> None:
    inside = project / "config"
    inside.mkdir(mode=0o700)
    grant(inside, project)
    assert refusal(project, inside) == "it lies inside the project"
    (tmp_path / "way").symlink_to(inside)
    assert refusal(project, tmp_path / "way") == "it lies inside the project"
    grant(trust, project)
    (project / "pointer").symlink_to(trust)
    assert refusal(project, project / "pointer") == "it lies inside the project"
