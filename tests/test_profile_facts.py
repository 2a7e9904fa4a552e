"""A profile is a few keyed facts, and an empty one where nothing is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from agentctx.profile.detect import detect_profile
from tests.manifests import PACKAGE, UV, profile_of

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.requirement("A7.3")

PIPELINES = {
    ".github/workflows/ci.yml": (
        "name: CI\non:\n  push:\njobs:\n  test:\n    steps: []\n  lint:\n    x: y\n",
        "CI: GitHub Actions",
        "test, lint",
    ),
    ".gitlab-ci.yml": (
        "stages: [a]\n.hidden:\n  x: y\nunit tests:\n  script: x\nvariables:\n  A: b\n",
        "CI: GitLab CI",
        "unit tests",
    ),
    ".circleci/config.yml": (
        "version: 2.1\njobs:\n  build:\n    docker: []\nworkflows:\n  x: y\n",
        "CI: CircleCI",
        "build",
    ),
    "azure-pipelines.yml": ("jobs:\n- job: Build\n", "CI: Azure Pipelines", "Build"),
    "Jenkinsfile": ("stage('Unit') { }", "CI: Jenkins", "Unit"),
    ".travis.yml": ("language: c\n", "CI: Travis CI", "Travis CI"),
    "bitbucket-pipelines.yml": (
        "pipelines:\n  default:\n",
        "CI: Bitbucket Pipelines",
        "default",
    ),
    ".forgejo/workflows/a.yaml": ("jobs:\n  a:\n", "CI: Forgejo Actions", "a"),
}


@pytest.mark.parametrize("path", PIPELINES)
def test_continuous_integration_is_known_with_its_jobs(
    tmp_path: Path, path: str
) -> None:
    text, title, jobs = PIPELINES[path]
    found = profile_of(tmp_path, {path: text})
    fact = next(fact for fact in found.facts if fact.key == "ci")
    assert (fact.title, fact.body) == (title, f"{path}: {jobs}")


def test_what_a_project_names_itself_comes_first(tmp_path: Path) -> None:
    files = {"Makefile": "test:\n", "pyproject.toml": UV, "package.json": PACKAGE}
    found = profile_of(tmp_path, files)
    assert found.commands["test"] == "make test"
    assert found.commands["test (Python)"] == "pytest"
    assert found.commands["test (Node)"] == "npm test"
    assert list(found.commands)[:3] == ["install", "build", "test"]


def test_facts_are_keyed_and_say_what_scripts_run(tmp_path: Path) -> None:
    files = {
        "package.json": PACKAGE,
        "src/x": "",
        ".hidden/x": "",
        "node_modules/x": "",
    }
    found = profile_of(tmp_path, files)
    facts = {fact.key: fact for fact in found.facts}
    assert list(facts) == ["stack", "commands", "entry-points", "layout"]
    assert "test: `npm test` (vitest run)" in facts["commands"].body.split("\n")
    assert facts["entry-points"].body.split("\n")[0] == "widget = dist/cli.js"
    assert facts["layout"].title == "Folders: src"
    assert facts["stack"].title.startswith("Stack: Node >=20, TypeScript, npm, ")


def test_a_folder_without_manifests_has_an_empty_profile(tmp_path: Path) -> None:
    found = profile_of(tmp_path / "empty", {"README.md": "# Hello\n"})
    assert (found.name, found.stack, found.facts) == ("empty", (), ())
    assert dict(found.commands) == {}


@pytest.mark.parametrize("name", ["missing", "a\0b", "file"])
def test_a_folder_that_is_none_has_an_empty_profile(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    found = detect_profile(tmp_path / name)
    assert (found.stack, found.facts, found.problems) == ((), (), ())
