"""What each package offers to others is written down, complete and sorted."""

from __future__ import annotations

import ast
import importlib
import types
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("corpus", "agentctx")
OFFERING = (*PACKAGES, "agentctx.memory")
INNER = sorted(
    path
    for package in PACKAGES
    for path in (ROOT / package).glob("**/__init__.py")
    if ".".join(path.parent.relative_to(ROOT).parts) not in OFFERING
)


@pytest.mark.parametrize("name", OFFERING)
def test_all_names_exist_and_are_sorted(name: str) -> None:
    package = importlib.import_module(name)
    offered = package.__all__
    assert list(offered) == sorted(offered)
    assert [one for one in offered if not hasattr(package, one)] == []


@pytest.mark.parametrize("name", OFFERING)
def test_no_public_name_is_left_out_of_all(name: str) -> None:
    package = importlib.import_module(name)
    public = {
        one
        for one, value in vars(package).items()
        if not one.startswith("_") and not isinstance(value, types.ModuleType)
    }
    assert public - {"annotations", "TYPE_CHECKING"} - set(package.__all__) == set()


@pytest.mark.parametrize("path", INNER, ids=lambda p: p.parent.name)
def test_an_inner_package_holds_a_docstring_and_nothing_else(path: Path) -> None:
    body = ast.parse(path.read_text(encoding="utf-8")).body
    assert len(body) == 1
    assert isinstance(body[0], ast.Expr)
    assert isinstance(body[0].value, ast.Constant)
