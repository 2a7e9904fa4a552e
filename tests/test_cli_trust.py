"""The owner's commands: what they write, show, ask and refuse."""

from __future__ import annotations

import json
import os
import select
import shutil
import stat
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from corpus.grant import parse_grant, serialize_grant
from corpus.userdirs import user_dirs
from tests.corpora import HOME, status_page, write, write_corpus
from tests.granted import ALLOWED, open_policy

if TYPE_CHECKING:
    from pathlib import Path

    from corpus.grant import Grant
    from tests.conftest import InProcess

pytestmark = pytest.mark.requirement("P3.2")

READS = sorted(name for name in ALLOWED if name.startswith(("corpus.", "audit", "mcp")))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "project", policy=open_policy())


def trust(cli: InProcess, *arguments: str, cwd: Path, status: int = 0) -> Any:  # noqa: ANN401 - JSON
    """Run one `trust` command and give its answer, or the failure's code."""
    done = cli("trust", *arguments, cwd=cwd)
    assert done.status == status, done.err
    if status == 2:
        return json.loads(done.err)["error"]
    return json.loads(done.out)


def default_grant() -> Path:
    return user_dirs().trust / "demo-one.toml"


def grant() -> Grant:
    return parse_grant(default_grant().read_bytes())


@pytest.mark.requirement("P3.1")
def test_created_without_a_word_a_grant_reads(cli: InProcess, project: Path) -> None:
    answer = trust(cli, "create", cwd=project)
    assert answer["ok"] is True
    assert answer["trust_path"] == str(default_grant())
    assert stat.S_IMODE(default_grant().stat().st_mode) == 0o600
    assert stat.S_IMODE(default_grant().parent.stat().st_mode) == 0o700
    assert sorted(grant().capability_ceiling) == READS
    assert grant().transports == {"cli", "stdio-mcp"}
    assert grant().physical_root == str(project)
    assert grant().limits is None
    assert answer["effective"] == {"cli": READS, "stdio-mcp": READS}
    assert answer["without_effect"] == []
    assert not list(project.rglob("*.toml.*"))


def test_what_is_named_is_granted_and_nothing_else(
    cli: InProcess, project: Path
) -> None:
    answer = trust(
        cli,
        *("create", "--allow", "state.update", "--allow", "corpus.read"),
        *("--allow", "corpus.read", "--allow", "git.status", "--allow", "task.update"),
        *("--transport", "stdio-mcp", "--max-sources", "9000"),
        *("--max-bytes", "123456789012", "--max-lines", "60000"),
        cwd=project,
    )
    assert answer["effective"]["cli"] == []
    assert answer["effective"]["stdio-mcp"] == ["corpus.read", "state.update"]
    assert answer["without_effect"] == [
        {
            "capability": "git.status",
            "reasons": ["RUNTIME_HARD_LIMIT", "PROJECT_POLICY_LIMIT"],
        },
        {"capability": "task.update", "reasons": ["PROJECT_POLICY_LIMIT"]},
    ]
    assert grant().limits == (9000, 123456789012, 60000)
    assert grant().transports == {"stdio-mcp"}


def test_writing_is_granted_only_by_name(cli: InProcess, project: Path) -> None:
    trust(cli, "create", cwd=project)
    assert not grant().capability_ceiling & {"state.update", "task.create"}
    trust(cli, "create", "--replace", "--yes", "--allow", "corpus.read", cwd=project)
    assert grant().transports == {"cli"}


def test_the_writes_the_policy_offers_are_granted_in_one_word(
    cli: InProcess, project: Path
) -> None:
    answer = trust(cli, "create", "--writes", cwd=project)
    assert answer["effective"]["cli"] == sorted(ALLOWED)
    both = ("create", "--writes", "--allow", "corpus.read")
    assert trust(cli, *both, cwd=project, status=2) == "USAGE"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--allow", "corpus.everything"), "CAPABILITY_UNKNOWN"),
        (("--transport", "http"), "USAGE"),
        (("--max-sources", "0"), "USAGE"),
        (("--max-lines", "many"), "USAGE"),
        (("--trust", "grant.toml"), "TRUST_UNSAFE"),
        (("--trust", f"{HOME}/grant.toml"), "TRUST_UNSAFE"),
    ],
)
def test_what_cannot_be_granted_is_refused(
    cli: InProcess, project: Path, arguments: tuple[str, ...], code: str
) -> None:
    assert trust(cli, "create", *arguments, cwd=project, status=2) == code
    assert not default_grant().parent.exists()


@pytest.mark.parametrize(
    ("path", "text", "code"),
    [
        ("policy.toml", "policy_version = ", "POLICY_PARSE"),
        ("policy.toml", open_policy(project_id="demo-two"), "TRUST_STATE"),
        ("state/PROJECT.md", "# Nothing\n", "TRUST_STATE"),
        ("state/STATUS.md", status_page("demo-two"), "TRUST_STATE"),
        ("state/STATUS.md", status_page(lifecycle="LOST"), "TRUST_STATE"),
    ],
)
def test_a_project_that_does_not_conform_gets_no_grant(
    cli: InProcess, project: Path, path: str, text: str, code: str
) -> None:
    write(project / HOME / path, text)
    assert trust(cli, "create", cwd=project, status=2) == code
    (project / HOME / path).unlink()
    assert trust(cli, "create", cwd=project, status=2) in {
        "TRUST_STATE",
        "POLICY_MISSING",
    }
    assert not default_grant().parent.exists()


def test_state_files_that_cannot_be_read_are_no_ground_for_a_grant(
    cli: InProcess, project: Path
) -> None:
    policy = open_policy()
    write(
        project / HOME / "policy.toml",
        policy.replace(f'"{HOME}/state/**"', f'"{HOME}/state/PROJECT.md"'),
    )
    assert trust(cli, "create", cwd=project, status=2) == "TRUST_STATE"
    write(project / HOME / "policy.toml", policy)
    (project / HOME / "state/STATUS.md").unlink()
    assert trust(cli, "create", cwd=project, status=2) == "TRUST_STATE"


def test_a_root_whose_path_is_no_text_gets_no_grant(
    cli: InProcess, tmp_path: Path
) -> None:
    try:
        root = write_corpus(tmp_path / os.fsdecode(b"\xff"), policy=open_policy())
    except OSError:
        pytest.skip("this file system takes only text as names")
    assert trust(cli, "create", cwd=root, status=2) == "TRUST_UNWRITABLE"


def test_a_grant_that_is_there_is_replaced_only_on_purpose(
    cli: InProcess, project: Path
) -> None:
    trust(cli, "create", "--allow", "corpus.read", cwd=project)
    before = default_grant().read_bytes()
    assert trust(cli, "create", cwd=project, status=2) == "TRUST_EXISTS"
    found = trust(cli, "create", "--replace", cwd=project, status=2)
    assert found == "CONFIRMATION_NEEDED"
    assert default_grant().read_bytes() == before
    trust(cli, "create", "--replace", "--yes", cwd=project)
    assert sorted(grant().capability_ceiling) == READS
    default_grant().write_bytes(b"broken")
    found = trust(cli, "create", "--replace", cwd=project, status=2)
    assert found == "CONFIRMATION_NEEDED"
    trust(cli, "create", "--replace", "--yes", cwd=project)
    default_grant().unlink()
    trust(cli, "create", "--replace", cwd=project)
    assert sorted(grant().capability_ceiling) == READS


def test_show_tells_each_layer_and_each_reason(cli: InProcess, project: Path) -> None:
    assert trust(cli, "show", cwd=project, status=2) == "TRUST_MISSING"
    trust(cli, "create", "--allow", "corpus.read", "--allow", "git.diff", cwd=project)
    answer = trust(cli, "show", cwd=project)
    assert answer["ok"] is True
    assert answer["layers"]["owner"] == ["corpus.read", "git.diff"]
    assert answer["layers"]["policy"] == sorted(ALLOWED)
    assert "task.update" in answer["layers"]["runtime"]
    assert answer["effective"] == {"cli": ["corpus.read"], "stdio-mcp": []}
    assert answer["denied"]["cli"]["corpus.context"] == ["OWNER_GRANT_LIMIT"]
    assert answer["denied"]["stdio-mcp"]["corpus.read"] == ["TRANSPORT_NOT_GRANTED"]
    assert answer["root_identity_matches"] is True
    assert answer["policy_drift"] is False
    assert isinstance(answer["filesystem_qualified"], bool)
    write(project / HOME / "policy.toml", open_policy() + "# changed\n")
    answer = trust(cli, "show", cwd=project, status=1)
    assert answer["policy_drift"] is True
    assert answer["effective"]["cli"] == ["corpus.read"]


def test_a_grant_named_alone_says_which_project_it_is_for(
    cli: InProcess, project: Path, tmp_path: Path
) -> None:
    file = tmp_path / "keep" / "mine.toml"
    trust(cli, "create", "--trust", "../keep/mine.toml", cwd=project)
    assert not default_grant().exists()
    for command in ("show", "approve-policy"):
        answer = trust(cli, command, "--trust", "keep/mine.toml", cwd=tmp_path)
        assert answer["trust_path"] == str(file)
    trust(cli, "revoke", "--trust", "keep/mine.toml", "--yes", cwd=tmp_path)
    assert not file.exists()
    for command in ("show", "approve-policy"):
        found = trust(cli, command, "--trust", str(file), cwd=tmp_path, status=2)
        assert found == "TRUST_MISSING"


def test_the_list_has_every_grant_and_what_is_wrong(
    cli: InProcess, project: Path, tmp_path: Path
) -> None:
    assert trust(cli, "list", cwd=tmp_path)["grants"] == []
    trust(cli, "create", cwd=project)
    (default_grant().parent / "broken.toml").write_bytes(b"=")
    (default_grant().parent / "broken.toml").chmod(0o600)
    listed = trust(cli, "list", cwd=tmp_path)["grants"]
    assert [(one["file"], one["error"]) for one in listed] == [
        ("broken.toml", "TRUST_PARSE"),
        ("demo-one.toml", None),
    ]
    assert listed[1]["root_present"] is True
    shutil.rmtree(project)
    assert trust(cli, "list", cwd=tmp_path)["grants"][1]["root_present"] is False


def test_a_changed_policy_is_accepted_within_the_grant(
    cli: InProcess, project: Path
) -> None:
    trust(cli, "create", "--allow", "corpus.read", cwd=project)
    old = grant()
    assert trust(cli, "approve-policy", cwd=project)["changed"] is False
    assert grant() == old
    write(project / HOME / "policy.toml", open_policy(["corpus.read", "state.update"]))
    answer = trust(cli, "approve-policy", cwd=project)
    assert answer["changed"] is True
    assert answer["old_policy_sha256"] == old.policy_sha256
    assert answer["offered"] == ["corpus.read"]
    assert answer["not_granted"] == ["state.update"]
    assert f"{HOME}/tasks/**" in answer["scopes"]["write"]
    assert answer["effective"]["cli"] == ["corpus.read"]
    changed = grant()
    assert changed.policy_sha256 == answer["policy_sha256"] != old.policy_sha256
    assert changed.capability_ceiling == old.capability_ceiling
    assert trust(cli, "show", cwd=project)["ok"] is True


def test_a_policy_is_not_accepted_for_another_folder_or_project(
    cli: InProcess, project: Path, tmp_path: Path
) -> None:
    trust(cli, "create", cwd=project)
    before = default_grant().read_bytes()
    shutil.copytree(project, tmp_path / "clone")
    found = trust(cli, "approve-policy", cwd=tmp_path / "clone", status=2)
    assert found == "TRUST_ROOT"
    write(project / HOME / "policy.toml", open_policy(project_id="demo-two"))
    arguments = ("--trust", str(default_grant()))
    for command in ("approve-policy", "renew"):
        found = trust(cli, command, *arguments, cwd=project, status=2)
        assert found == "TRUST_PROJECT"
    assert default_grant().read_bytes() == before


def test_a_moved_or_cloned_root_is_renewed_and_its_policy_stays(
    cli: InProcess, project: Path, tmp_path: Path
) -> None:
    trust(cli, "create", cwd=project)
    old = grant()
    assert trust(cli, "renew", cwd=project)["changes"] == []
    moved = project.rename(tmp_path / "moved")
    assert trust(cli, "show", cwd=moved, status=1)["root_identity_matches"] is False
    assert trust(cli, "renew", cwd=moved, status=2) == "CONFIRMATION_NEEDED"
    assert grant() == old
    answer = trust(cli, "renew", "--yes", cwd=moved)
    assert answer["changes"] == [
        {"field": "physical_root", "old": str(project), "new": str(moved)}
    ]
    clone = tmp_path / "clone"
    shutil.copytree(moved, clone)
    write(clone / HOME / "policy.toml", open_policy() + "# another\n")
    answer = trust(cli, "renew", "--yes", cwd=clone)
    assert [one["field"] for one in answer["changes"]] == [
        "physical_root",
        "root_identity",
    ]
    assert answer["root_identity_matches"] is True
    assert answer["policy_drift"] is True
    assert grant().policy_sha256 == old.policy_sha256
    assert grant().capability_ceiling == old.capability_ceiling
    assert trust(cli, "show", cwd=moved, status=1)["root_identity_matches"] is False


def test_a_revoked_grant_is_gone(cli: InProcess, project: Path) -> None:
    trust(cli, "create", cwd=project)
    assert trust(cli, "revoke", cwd=project, status=2) == "CONFIRMATION_NEEDED"
    assert default_grant().exists()
    answer = trust(cli, "revoke", "--yes", cwd=project)
    assert answer["project_id"] == "demo-one"
    assert not default_grant().exists()
    assert trust(cli, "revoke", "--yes", cwd=project, status=2) == "TRUST_MISSING"


def test_a_grant_is_revoked_without_its_project_and_when_it_is_broken(
    cli: InProcess, project: Path, tmp_path: Path
) -> None:
    trust(cli, "create", cwd=project)
    shutil.rmtree(project)
    arguments = ("--project-id", "demo-one", "--yes")
    trust(cli, "revoke", *arguments, cwd=tmp_path)
    default_grant().write_bytes(b"broken")
    assert trust(cli, "revoke", *arguments, cwd=tmp_path)["project_id"] is None
    os.mkfifo(default_grant())
    default_grant().parent.chmod(0o777)
    trust(cli, "revoke", "--trust", str(default_grant()), "--yes", cwd=tmp_path)
    assert list(default_grant().parent.iterdir()) == []


def test_a_file_that_is_no_grant_is_not_removed(cli: InProcess, tmp_path: Path) -> None:
    letter = write(tmp_path / "letter.txt", "Dear owner")
    found = trust(
        cli, "revoke", "--trust", str(letter), "--yes", cwd=tmp_path, status=2
    )
    assert found == "TRUST_PARSE"
    assert letter.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("--project-id", "No Id"),
        ("--project-id", "demo-one", "--trust", "grant.toml"),
        (".", "--project-id", "demo-one"),
    ],
)
def test_a_revocation_names_one_grant(
    cli: InProcess, project: Path, arguments: tuple[str, ...]
) -> None:
    assert trust(cli, "revoke", *arguments, "--yes", cwd=project, status=2) == "USAGE"


def test_every_command_is_readable(cli: InProcess, project: Path) -> None:
    def text(*arguments: str) -> str:
        done = cli("trust", *arguments, "--format", "text", cwd=project)
        assert done.status in {0, 1}, done.err
        return done.out

    made = text("create", "--allow", "corpus.read", "--allow", "git.diff")
    assert "no effect    git.diff: RUNTIME_HARD_LIMIT" in made
    assert "corpus.context: OWNER_GRANT_LIMIT" in text("show")
    assert "1 grant" in text("list")
    write(project / HOME / "policy.toml", open_policy(["corpus.read"]))
    assert "changed since it was approved" in text("show")
    assert "policy approved" in text("approve-policy")
    assert "the one approved before" in text("approve-policy")
    assert "the one granted before" in text("renew")
    write(default_grant(), serialize_grant(grant()._replace(root_identity="posix:1:1")))
    assert "another folder" in text("show")
    assert "root_identity" in text("renew", "--yes")
    text("create", "--replace", "--yes", "--max-sources", "9000")
    assert "sources 9000" in text("show")
    other = open_policy(["corpus.read"], project_id="demo-two")
    write(project / HOME / "policy.toml", other)
    write(default_grant().with_name("demo-two.toml"), "broken")
    default_grant().with_name("demo-two.toml").chmod(0o600)
    assert "TRUST_PARSE" in text("list")
    assert "another project" in text("show", "--trust", str(default_grant()))
    assert "removed" in text("revoke", "--project-id", "demo-one", "--yes")


@pytest.mark.parametrize(
    ("answer", "status"),
    [("y\n", 0), ("Yes\n", 0), ("n\n", 2), ("\n", 2), ("yess\n", 2), ("\x04", 2)],
)
def test_a_person_is_asked_on_a_terminal(
    cli: InProcess,
    project: Path,
    program_command: tuple[str, ...],
    program_env: dict[str, str],
    answer: str,
    status: int,
) -> None:
    trust(cli, "create", "--allow", "corpus.read", cwd=project)
    terminal, theirs = os.openpty()
    with subprocess.Popen(
        [*program_command, "trust", "revoke"],
        cwd=project,
        env=program_env,
        stdin=theirs,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    ) as asking:
        os.close(theirs)
        shown = _until(terminal, b"[y/N]")
        os.write(terminal, answer.encode())
        while _read(terminal):
            pass
    os.close(terminal)
    assert b"demo-one" in shown
    assert asking.returncode == status
    assert default_grant().exists() == (status != 0)


def _until(terminal: int, mark: bytes) -> bytes:
    shown = b""
    while mark not in shown:
        more = _read(terminal)
        assert more, shown
        shown += more
    return shown


def _read(terminal: int) -> bytes:
    ready, _, _ = select.select([terminal], [], [], 30)
    assert ready
    try:
        return os.read(terminal, 4096)
    except OSError:  # the child closed its end
        return b""
