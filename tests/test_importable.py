"""`init --from-existing` offers what a project already wrote down, and changes none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.confined.reader import open_root
from corpus.protocol.importable import Importable, find_importable
from corpus.protocol.scaffold import create, make_order
from corpus.refs import is_id, stem
from tests.scaffolded import NOW, Project

if TYPE_CHECKING:
    from collections.abc import Callable

    Cli = Callable[..., tuple[int, str, str]]

OPENSPEC = Path(__file__).resolve().parents[2] / "shared/data/corpora/openspec/files"


def issues(root: Path) -> list[tuple[str, str, int]]:
    return Project(root).findings()


def tree(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file()
    }


def write(root: Path, found: Importable) -> None:
    order = make_order(
        root, project_id="weather", name="W", template="minimal", language="en"
    )
    create(root, order, now=NOW, imports=found.texts())


DECISION = """# 3. Keep readings in {store}

Date: 2024-05-06

## Status

{status}

## Summary

We keep them in {store}.

Evidence
--------

A benchmark.

```text
an open fence
"""


def existing_project(root: Path) -> None:
    files = {
        "docs/adr/0003-store.md": DECISION.format(store="files", status="Accepted"),
        "docs/adr/0002-store.md": DECISION.format(
            store="a table", status="Superseded by 0003"
        ),
        "docs/adr/README.md": "# How we decide\n",
        "docs/adr/template.md": "# Title\n",
        "adr/0003-store.md": "---\nstatus: rejected\nProject-ID: other\n---\n# No\n",
        "decisions/2023-11-02-name.md": "No heading at all.\n",
        "memory-bank/projectbrief.md": "# Brief\n",
        "memory-bank/activeContext.md": "# Now\n",
        "openspec/specs/auth/spec.md": "# Auth\n\n## Requirements\n",
        "openspec/changes/archive/x/proposal.md": "# X\n",
        ".specify/memory/constitution.md": "# Rules\n",
        ".specify/templates/plan.md": "# Plan\n",
        "CLAUDE.md": "# For one agent\n",
        "docs/guide.md": "# Not a decision\n",
    }
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    (root / "docs/adr/latin.md").write_bytes(b"caf\xe9\n")
    (root / "docs/adr/link.md").symlink_to(root / "docs/guide.md")


BECOMES = {
    ".specify/memory/constitution.md": "reports/specify-memory-constitution.md",
    "adr/0003-store.md": "history/adr-0003-store.md",
    "decisions/2023-11-02-name.md": "reports/decisions-2023-11-02-name.md",
    "docs/adr/0002-store.md": "history/adr-0002-store.md",
    "docs/adr/0003-store.md": "reports/adr-0003-store-2.md",
    "memory-bank/activeContext.md": "history/memory-bank-activecontext.md",
    "memory-bank/projectbrief.md": "reports/memory-bank-projectbrief.md",
    "openspec/changes/archive/x/proposal.md": (
        "history/openspec-changes-archive-x-proposal.md"
    ),
    "openspec/specs/auth/spec.md": "reports/openspec-specs-auth-spec.md",
}


@pytest.mark.requirement("P1.7")
def test_from_existing_lists_what_it_could_import_and_writes_nothing(
    tmp_path: Path, cli: Cli
) -> None:
    existing_project(tmp_path)
    before = tree(tmp_path)
    status, out, _ = cli("init", str(tmp_path), "--from-existing")
    answer = json.loads(out)
    assert (status, answer["applied"], answer["created"]) == (0, False, [])
    assert {each["source"]: each["target"] for each in answer["imports"]} == {
        source: f".project-corpus/{target}" for source, target in BECOMES.items()
    }
    assert {each["source"]: each["reason"] for each in answer["left_out"]} == {
        "docs/adr/latin.md": "not UTF-8 at byte 3",
        "docs/adr/link.md": "symbolic link",
    }
    assert tree(tmp_path) == before


@pytest.mark.requirement("P1.7")
def test_applying_imports_gives_a_corpus_that_validates_and_keeps_the_originals(
    tmp_path: Path, cli: Cli
) -> None:
    existing_project(tmp_path)
    before = tree(tmp_path)
    status, out, _ = cli("init", str(tmp_path), "--from-existing", "--apply")
    assert status == 0
    assert issues(tmp_path) == []
    after = tree(tmp_path)
    assert {path: after[path] for path in before} == before
    targets = {i["source"]: i["target"] for i in json.loads(out)["imports"]}
    for source, target in targets.items():
        assert f"`{source}`".encode() in after[target]
    decision = after[targets["docs/adr/0003-store.md"]].decode()
    assert "\nCreated-At: 2024-05-06\n" in decision
    assert "\n## Status\n\nAccepted\n" in decision
    assert "\n### Summary\n\nWe keep them in files.\n" in decision


@pytest.mark.requirement("P1.7")
def test_apply_alone_is_a_usage_error(tmp_path: Path, cli: Cli) -> None:
    status, _, err = cli("init", str(tmp_path), "--apply")
    assert (status, json.loads(err)["error"]) == (2, "USAGE")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.requirement("P1.7")
def test_a_real_specification_folder_can_be_imported(tmp_path: Path) -> None:
    if not OPENSPEC.is_dir():
        pytest.skip("the documents of shared/data/corpora are not here")
    with open_root(OPENSPEC) as opened:
        found = find_importable(opened, project_id="weather")
    assert len(found.imports) > 10
    assert found.left_out == ()
    write(tmp_path, found)
    assert issues(tmp_path) == []


@pytest.mark.requirement("P1.7")
@settings(max_examples=40, deadline=None)
@given(
    pieces=st.lists(
        st.one_of(
            st.text(max_size=20),
            st.sampled_from(
                [
                    "---\nstatus: old\n---\n",
                    "## Summary\n",
                    "Evidence\n---\n",
                    "# Title\n",
                    "```\n",
                    "<!--\n",
                    "Project-ID: other\n",
                    "\n\n",
                ]
            ),
        ),
        max_size=12,
    )
)
def test_any_text_can_be_imported(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[str]
) -> None:
    root = tmp_path_factory.mktemp("imports")
    (root / "adr").mkdir()
    content = "".join(pieces).encode("utf-8", "ignore")
    (root / "adr" / "one.md").write_bytes(content)
    with open_root(root) as opened:
        found = find_importable(opened, project_id="weather")
    assert len(found.imports) == 1
    write(root, found)
    assert issues(root) == []


@pytest.mark.requirement("P1.1", "P1.7")
def test_long_and_equal_names_give_different_ids(tmp_path: Path) -> None:
    deep = "openspec/specs/" + "/".join(f"part-{n:02}" for n in range(12))
    for folder in (deep, f"{deep}/x", "openspec/specs/部分", "openspec/specs/其他"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / "spec.md").write_text("# S\n", encoding="utf-8")
    with open_root(tmp_path) as opened:
        found = find_importable(opened, project_id="weather")
    ids = [stem(each.target) for each in found.imports]
    assert len(set(ids)) == len(ids) == 4
    assert all(map(is_id, ids))
