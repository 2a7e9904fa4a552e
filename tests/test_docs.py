"""The documentation agrees with the program, and its links lead somewhere."""

from __future__ import annotations

import re
import runpy
import tomllib
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agentctx.cli.app import PROGRAM as AGENTCTX
from corpus.cli.app import PROGRAM

if TYPE_CHECKING:
    from corpus.cli.program import Program

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.rglob("*.md"), *ROOT.glob("*.md")])
GENERATED = (
    *("agentctx-cli.md", "agentctx-mcp.md", "agentctx-memory-mcp.md", "cli.md"),
    *("errors.md", "mcp.md", "settings.md"),
)

_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")


def page_name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def anchors(text: str) -> set[str]:
    """Give the anchors of a page's headings, as forges make them."""
    headings = re.findall(r"^#+ +(.+)$", _FENCE.sub("", text), re.MULTILINE)
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        for heading in headings
    }


@pytest.mark.requirement("P18.2")
@pytest.mark.parametrize("name", GENERATED)
def test_a_generated_page_is_up_to_date(name: str) -> None:
    pages = runpy.run_path(str(DOCS / "_generate.py"))["PAGES"]
    assert sorted(pages) == sorted(GENERATED)
    assert (DOCS / name).read_text(encoding="utf-8") == pages[name]()


@pytest.mark.requirement("P18.3")
@pytest.mark.parametrize(
    ("name", "program"),
    [("cli.md", PROGRAM), ("agentctx-cli.md", AGENTCTX)],
    ids=["project-corpus", "agentctx"],
)
def test_every_command_is_documented_with_an_example(
    name: str, program: Program
) -> None:
    page = (DOCS / name).read_text(encoding="utf-8")
    sections = re.split(r"^## ", page, flags=re.MULTILINE)[1:]
    found = {section.partition("\n")[0]: section for section in sections}
    assert list(found) == [command.name for command in program.commands]
    assert [one for one, text in found.items() if "Example:" not in text] == []


@pytest.mark.parametrize("path", PAGES, ids=page_name)
def test_a_link_inside_the_project_leads_somewhere(path: Path) -> None:
    text = _CODE.sub("", _FENCE.sub("", path.read_text(encoding="utf-8")))
    broken = []
    for target in _LINK.findall(text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        page = (path.parent / name).resolve() if name else path
        if not page.exists() or (
            anchor and anchor not in anchors(page.read_text(encoding="utf-8"))
        ):
            broken.append(target)
    assert broken == []


def test_every_dependency_is_explained() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    named = [
        *project["build-system"]["requires"],
        *project["project"]["dependencies"],
        *chain.from_iterable(project["project"]["optional-dependencies"].values()),
        *project["dependency-groups"]["dev"],
    ]
    page = (DOCS / "dependencies.md").read_text(encoding="utf-8")
    names = [re.split(r"[<>=\[ ]", one)[0] for one in named]
    assert [name for name in names if f"`{name}`" not in page] == []


def test_the_version_has_an_entry_in_the_changelog() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## {PROGRAM.version}" in changes
