"""What `trust` says where a grant has no effect, exists already or changes hands."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from corpus.userdirs import user_dirs
from tests.corpora import HOME, policy_page, write, write_corpus
from tests.trusted import editing_policy

if TYPE_CHECKING:
    from tests.conftest import InProcess

pytestmark = pytest.mark.requirement("P3.2")

DOCS = Path(__file__).parents[2] / "docs"
WRITES = ["report.create", "state.update", "task.create", "task.update"]
_BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)


def created(cli: InProcess, root: Path, *words: str) -> Any:  # noqa: ANN401 - JSON
    done = cli("trust", "create", *words, cwd=root)
    assert (done.status, done.err) == (0, "")
    return json.loads(done.out)


def test_a_grant_with_its_whole_effect_leaves_nothing_to_do(
    cli: InProcess, tmp_path: Path
) -> None:
    root = write_corpus(tmp_path / "project", policy=editing_policy())
    answer = created(cli, root, "--writes")
    assert (answer["next"], answer["changed"]) == ([], True)
    assert answer["nothing_to_write"] is False


def test_what_the_policy_has_to_say_is_told_line_by_line(
    cli: InProcess, tmp_path: Path
) -> None:
    root = write_corpus(tmp_path / "project", policy=policy_page())
    allow = ("state.update", "task.create", "audit.read", "mcp.stdio", "git.status")
    answer = created(cli, root, *(w for one in allow for w in ("--allow", one)))
    *lines, last = answer["next"]
    told = "\n".join(lines)
    assert all(line.startswith(f"in {HOME}/policy.toml: ") for line in lines)
    assert 'profile = "SAFE_EDIT"' in told
    assert '"audit.read", "mcp.stdio", "state.update", "task.create"' in told
    assert "git.status" not in told
    assert f'"{HOME}/audit/**"' in told
    assert f'"{HOME}/state/STATUS.md", "{HOME}/tasks/**"' in told
    assert "audit_receipt = true" in told
    assert last == "project-corpus trust approve-policy"


def test_doing_what_is_told_gives_the_grant_its_effect(
    cli: InProcess, tmp_path: Path
) -> None:
    root = write_corpus(tmp_path / "project", policy=policy_page())
    answer = created(cli, root, *(w for one in WRITES for w in ("--allow", one)))
    write(root / HOME / "policy.toml", editing_policy())
    words = shlex.split(answer["next"][-1])
    assert cli(*words[1:], cwd=root).status == 0
    shown = json.loads(cli("trust", "show", cwd=root).out)
    assert shown["effective"]["cli"] == WRITES


def test_a_write_scope_that_is_missing_is_told_though_nothing_is_denied(
    cli: InProcess, tmp_path: Path
) -> None:
    policy = editing_policy(write=[f"{HOME}/tasks/**"])
    root = write_corpus(tmp_path / "project", policy=policy)
    answer = created(cli, root, "--writes")
    assert answer["without_effect"] == []
    assert len(answer["next"]) == 2
    assert f'"{HOME}/state/STATUS.md", "{HOME}/reports/**"' in answer["next"][0]


def test_writes_that_the_policy_does_not_offer_are_told(
    cli: InProcess, tmp_path: Path
) -> None:
    root = write_corpus(tmp_path / "my project", policy=policy_page())
    grant = str(tmp_path / "keep" / "mine.toml")
    words = ("my project", "--writes", "--trust", grant)
    answer = created(cli, tmp_path, *words)
    assert answer["nothing_to_write"] is True
    text = cli("trust", "create", *words, "--replace", cwd=tmp_path, terminal=True).out
    assert "nothing to write" in text
    write(root / HOME / "policy.toml", editing_policy())
    again = shlex.split(answer["next"][-1])
    assert cli(*again[1:], "--yes", cwd=tmp_path).status == 0
    shown = json.loads(cli("trust", "show", "--trust", grant, cwd=tmp_path).out)
    assert set(WRITES) <= set(shown["effective"]["cli"])


def test_replacing_a_grant_by_the_same_asks_nothing(
    cli: InProcess, tmp_path: Path
) -> None:
    root = write_corpus(tmp_path / "project", policy=editing_policy())
    created(cli, root)
    before = (user_dirs().trust / "demo-one.toml").read_bytes()
    assert created(cli, root, "--replace")["changed"] is False
    done = cli("trust", "create", "--replace", cwd=root, terminal=True)
    assert "nothing changes" in done.out
    assert (user_dirs().trust / "demo-one.toml").read_bytes() == before


def test_a_grant_that_exists_says_for_which_folder(
    cli: InProcess, tmp_path: Path
) -> None:
    root = write_corpus(tmp_path / "project", policy=editing_policy())
    created(cli, root)
    clone = tmp_path / "clone"
    shutil.copytree(root, clone)
    told = json.loads(cli("trust", "create", cwd=clone).err)
    assert told["error"] == "TRUST_EXISTS"
    assert told["facts"]["physical_root"] == str(root)
    write(user_dirs().trust / "demo-one.toml", "broken")
    told = json.loads(cli("trust", "create", cwd=clone).err)
    assert told["error"] == "TRUST_EXISTS"


def test_renewing_says_from_which_folder_the_grant_is_taken(
    cli: InProcess, tmp_path: Path
) -> None:
    root = write_corpus(tmp_path / "project", policy=editing_policy())
    created(cli, root)
    clone = tmp_path / "clone"
    shutil.copytree(root, clone)
    text = cli("trust", "renew", "--yes", cwd=clone, terminal=True).out
    assert f"taken away from {root}" in text
    assert "trust create --trust FILE" in text
    own = ("--trust", str(tmp_path / "keep" / "root.toml"))
    created(cli, root, *own)
    for folder, words in ((root, own), (clone, ())):
        assert cli("trust", "show", *words, cwd=folder).status == 0
    moved = clone.rename(tmp_path / "moved")
    answer = json.loads(cli("trust", "renew", "--yes", cwd=moved).out)
    assert answer["taken_from"] is None


@pytest.mark.requirement("P3.2", "P18.3")
def test_the_first_example_of_the_page_of_grants_works(
    cli: InProcess, tmp_path: Path
) -> None:
    page = (DOCS / "trust.md").read_text(encoding="utf-8")
    block = _BLOCK.search(page)
    assert block is not None
    for line in block[1].splitlines():
        done = cli(*shlex.split(line)[1:], cwd=tmp_path)
        assert (done.status, done.err) == (0, "")
        assert json.loads(done.out).get("without_effect", []) == []


@pytest.mark.requirement("P3.2", "P18.3")
def test_the_examples_of_the_page_of_commands_work_together(
    cli: InProcess, tmp_path: Path
) -> None:
    page = (DOCS / "cli.md").read_text(encoding="utf-8")
    examples = [block.strip() for block in _BLOCK.findall(page)]
    for start in ("project-corpus init ", "project-corpus trust create "):
        line = next(one for one in examples if one.startswith(start))
        done = cli(*shlex.split(line)[1:], cwd=tmp_path)
        assert (done.status, done.err) == (0, "")
    assert json.loads(done.out)["without_effect"] == []
