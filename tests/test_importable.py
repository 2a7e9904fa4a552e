"""`init --from-existing` offers what a project already wrote down, and changes none."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.confined.reader import open_root
from corpus.markdown import parse_markdown
from corpus.protocol.importable import Import, Importable, find_importable
from corpus.protocol.metadata import read_metadata
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


def digest(path: str) -> str:
    return hashlib.sha256(path.encode()).hexdigest()[:6]


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
    "docs/adr/0003-store.md": "reports/adr-0003-store-{digest}.md",
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
        source: f".project-corpus/{target.format(digest=digest(source))}"
        for source, target in BECOMES.items()
    }
    assert answer["not_considered"] == 4
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
        assert f"\nImported-From: {source}\n".encode() in after[target]
    decision = after[targets["docs/adr/0003-store.md"]].decode()
    assert "\nCreated-At: 2024-05-06\n" in decision
    assert "\n## Status\n\nAccepted\n" in decision
    assert "\n### Summary\n\nWe keep them in files.\n" in decision


def put(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")


def planned(root: Path, files: dict[str, str]) -> dict[str, Import]:
    put(root, files)
    with open_root(root) as opened:
        found = find_importable(opened, project_id="weather")
    write(root, found)
    assert issues(root) == []
    return {each.source: each for each in found.imports}


def stated(made: Import, key: str) -> str | None:
    return read_metadata(parse_markdown(made.text)).get(key)


@pytest.mark.requirement("P1.7")
@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("adr/a.md", "# T\n\nDate: 2024-05-06\n", "2024-05-06"),
        ("adr/a.md", "---\ndate: 2024-05-06\n---\n# T\n", "2024-05-06"),
        ("adr/a.md", "# T\n\n* **Date:** 2024/05/06\n", "2024-05-06"),
        ("adr/a.md", "# T\n\n## Context\n\nDate: 2024-05-06\n", "2024-05-06"),
        ("adr/a.md", "# T\n\n| Date | 20240506 |\n", "2024-05-06"),
        ("adr/a.md", "# T\n\n## Date\n\n2024-05-06\n", "2024-05-06"),
        ("adr/2023-01-02-a.md", "# T\n\nDate: 2024-05-06\n", "2024-05-06"),
        ("adr/2023-01-02-a.md", "# T\n\nDate: 2024-02-30\n", "2023-01-02"),
        ("adr/20230102_a.md", "# T\n", "2023-01-02"),
        ("openspec/changes/2025-01-11-x/tasks.md", "# T\n", "2025-01-11"),
        ("openspec/20250111-x/2025-02-30/spec.md", "# T\n", "2025-01-11"),
        ("adr/20231302-a.md", "```\nDate: 2024-05-06\n```\n", "2001-09-09T01:46:40Z"),
    ],
)
def test_a_date_is_taken_from_the_text_then_the_path_then_the_file(
    tmp_path: Path, path: str, text: str, expected: str
) -> None:
    put(tmp_path, {path: text})
    os.utime(tmp_path / path, (1_000_000_000, 1_000_000_000))
    with open_root(tmp_path) as opened:
        (made,) = find_importable(opened, project_id="weather").imports
    assert stated(made, "Created-At") == expected


@pytest.mark.requirement("P1.7")
@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("openspec/specs/cli-update/spec.md", "## Purpose\n", "cli-update: spec"),
        ("openspec/specs/cli-update/spec.md", "# Updating\n", "Updating"),
        ("openspec/changes/add-x/tasks.md", "# Tasks\n", "add-x: Tasks"),
        (".specify/specs/001-x/data-model.md", "words\n", "001-x: data-model"),
        ("adr/0001-keep-files.md", "words\n", "0001-keep-files"),
    ],
)
def test_a_title_says_what_a_generic_name_does_not(
    tmp_path: Path, path: str, text: str, expected: str
) -> None:
    made = planned(tmp_path, {path: text})[path]
    assert made.text.splitlines()[0] == f"# {expected}"


@pytest.mark.requirement("P1.7", "P7.4")
@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("", "Supersedes [1. One](0001-one.md)"),
        ("", "- Supersedes: ADR-1"),
        ("", "* **Supersedes**: `0001-one.md`"),
        ("", "## Status\n\nAccepted. Supersedes ADR 0001."),
        ("", "Supersedes: docs/adr/0001-one.md"),
        ("Superseded by [2. Two](0002-two.md)", ""),
        ("## Status\n\nSuperseded by 0002", ""),
        ("Status: superseded by ADR-2", ""),
        ("Superseded-By: 0002-two", ""),
    ],
)
def test_a_record_that_replaces_another_supersedes_its_import(
    tmp_path: Path, older: str, newer: str
) -> None:
    made = planned(
        tmp_path,
        {
            "docs/adr/0001-one.md": f"# One\n\n{older}\n",
            "docs/adr/0002-two.md": f"# Two\n\n{newer}\n",
            "docs/adr/0003-three.md": "# Three\n",
        },
    )
    target = made["docs/adr/0001-one.md"].target
    assert {source: each.supersedes for source, each in made.items()} == {
        "docs/adr/0001-one.md": (),
        "docs/adr/0002-two.md": (target,),
        "docs/adr/0003-three.md": (),
    }
    assert stated(made["docs/adr/0002-two.md"], "Supersedes") == target


@pytest.mark.requirement("P1.7", "P7.4")
@pytest.mark.parametrize(
    "text",
    [
        "Supersedes [9](0009-nine.md)",
        "Not superseded by ADR-2",
        "Supersedes ADR-1",
        "Supersedes [it](https://example.org/0002-two.md)",
        "```\nSupersedes ADR-2\n```",
        "Superseded on 2002-02-02",
        "Supersedes ADR-2, superseded by ADR-2",
    ],
)
def test_words_that_name_no_other_import_supersede_nothing(
    tmp_path: Path, text: str
) -> None:
    made = planned(
        tmp_path,
        {
            "docs/adr/0001-one.md": f"# One\n\n{text}\n",
            "docs/adr/0002-two.md": "# Two\n",
        },
    )
    assert [each.supersedes for each in made.values()] == [(), ()]


@pytest.mark.requirement("P1.5", "P1.7")
def test_nothing_but_metadata_and_owed_headings_is_generated(tmp_path: Path) -> None:
    path = "docs/adr/0001-one.md"
    made = planned(tmp_path, {path: "# One\n\nWe keep files.\n"})[path]
    _, _, rest = made.text.partition("\n\n# ")
    assert rest == (
        "Report Form\n\n## Summary\n\nNONE\n\n## Evidence\n\nNONE\n\n"
        "## Limitations\n\nNONE\n\n# One\n\nWe keep files.\n"
    )
    document = parse_markdown(made.text)
    empty = [p for p in document.passages if document.lines[p.first - 1] == "NONE"]
    paths = [document.heading_path(passage) for passage in empty]
    assert len(paths) == 3
    assert not any("One" in path for path in paths)


@pytest.mark.requirement("P1.7")
def test_a_later_import_adds_what_is_new_and_overwrites_nothing(
    tmp_path: Path, cli: Cli
) -> None:
    root = str(tmp_path)
    put(tmp_path, {"adr/0001-one.md": "# One\n"})
    assert cli("init", root, "--project-id", "weather", "--name", "Weather")[0] == 0
    status, out, _ = cli("init", root, "--from-existing", "--apply")
    first = ".project-corpus/reports/adr-0001-one.md"
    assert (status, json.loads(out)["created"]) == (0, [first])
    (tmp_path / first).write_text("# Mine now\n", encoding="utf-8")
    (tmp_path / first).rename(tmp_path / ".project-corpus/history/adr-0001-one.md")
    put(tmp_path, {"adr/0002-two.md": "# Two\n\nSupersedes ADR-1\n"})
    before = tree(tmp_path)
    dry = json.loads(cli("init", root, "--from-existing")[1])
    assert (dry["applied"], tree(tmp_path)) == (False, before)
    answer = json.loads(cli("init", root, "--from-existing", "--apply")[1])
    second = ".project-corpus/reports/adr-0002-two.md"
    assert answer["created"] == [second]
    assert answer["imports"] == dry["imports"]
    assert answer["already_imported"] == [
        {
            "source": "adr/0001-one.md",
            "target": ".project-corpus/history/adr-0001-one.md",
        }
    ]
    assert (answer["project_id"], answer["name"]) == ("weather", "Weather")
    assert {path: tree(tmp_path)[path] for path in before} == before
    assert issues(tmp_path) == []


@pytest.mark.requirement("P1.7")
@pytest.mark.parametrize("apply", [(), ("--apply",)], ids=["dry run", "apply"])
@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        ("no status", "INIT_VALUE"),
        ("other id", "INIT_VALUE"),
        ("a file", "INIT_TARGET_EXISTS"),
    ],
)
def test_what_cannot_take_imports_is_refused_by_both_runs_alike(
    tmp_path: Path, cli: Cli, damage: str, expected: str, apply: tuple[str, ...]
) -> None:
    put(tmp_path, {"adr/0001-one.md": "# One\n"})
    options = ["--project-id", "other"] if damage == "other id" else []
    if damage == "a file":
        put(tmp_path, {".project-corpus": "mine"})
    else:
        cli("init", str(tmp_path), "--project-id", "weather")
    if damage == "no status":
        (tmp_path / ".project-corpus/state/STATUS.md").unlink()
    before = tree(tmp_path)
    status, _, err = cli("init", str(tmp_path), "--from-existing", *apply, *options)
    assert (status, json.loads(err)["error"]) == (2, expected)
    assert tree(tmp_path) == before


@pytest.mark.requirement("P1.7", "P18.2")
def test_a_terminal_gets_a_summary_and_the_agents_lines_last(
    tmp_path: Path, cli: Cli
) -> None:
    put(tmp_path, {f"adr/{n:04}-x.md": f"# {n}\n" for n in range(1, 31)})
    put(tmp_path, {"openspec/changes/a/tasks.md": "# Tasks\n", "AGENTS.md": "# Mine\n"})
    put(tmp_path, {"notes/idea.md": "# Idea\n", "node_modules/x/a.md": "# Other\n"})
    _, dry, _ = cli("init", "--from-existing", cwd=tmp_path, terminal=True)
    assert "could import 31 files:" in dry
    assert "  30 from adr as report: describes what holds now" in dry
    assert "  1 from openspec/changes as history: a proposed change" in dry
    assert "… and 21 more" in dry
    assert "1 other Markdown file;" in dry
    assert len(dry.splitlines()) < 25
    _, done, _ = cli("init", "--from-existing", "--apply", cwd=tmp_path, terminal=True)
    told = done.splitlines()
    start = told.index("## Project corpus")
    assert told[start - 1] == told[-1] == "-" * 10
    assert not any(line.startswith(("wrote", "next:")) for line in told[start:])
    assert not any(
        line.startswith("wrote .project-corpus/reports/adr") for line in told
    )


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
    assert ids[0].startswith("openspec-specs-part-00-")
    assert ids[0].endswith(f"-{digest(f'{deep}/spec.md')}")
    assert all(map(is_id, ids))
