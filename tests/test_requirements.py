"""The contract and the tests know each other, in both directions."""

from __future__ import annotations

import ast
import runpy
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

TESTS = Path(__file__).parent
_TABLES = runpy.run_path(str(TESTS / "requirements.py"))
REQUIREMENTS: dict[str, str] = _TABLES["REQUIREMENTS"]
PENDING: dict[str, str] = _TABLES["PENDING"]


def tests_by_requirement() -> dict[str, list[str]]:
    """Map every id some test names to the tests that name it."""
    found: dict[str, list[str]] = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for test, requirement in _marked(tree):
            node = f"{path.relative_to(TESTS.parent).as_posix()}::{test}"
            found.setdefault(requirement, []).append(node)
    return found


def _marked(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Give test and id for every id in a marker, a file's own markers included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for decorator in node.decorator_list:
                yield from ((node.name, one) for one in _ids(decorator))
        elif isinstance(node, ast.Assign) and ast.unparse(node).startswith(
            "pytestmark = "
        ):
            for part in ast.walk(node.value):
                yield from (("(the whole file)", one) for one in _ids(part))


def _ids(marker: ast.AST) -> Iterator[str]:
    if isinstance(marker, ast.Call) and (
        ast.unparse(marker.func) == "pytest.mark.requirement"
    ):
        for argument in marker.args:
            assert isinstance(argument, ast.Constant), ast.unparse(marker)
            yield str(argument.value)


def test_every_requirement_that_does_not_wait_has_a_test() -> None:
    covered = tests_by_requirement()
    missing = {
        requirement: about
        for requirement, about in REQUIREMENTS.items()
        if requirement not in PENDING and requirement not in covered
    }
    assert missing == {}


def test_no_test_names_a_requirement_that_does_not_exist() -> None:
    unknown = {
        requirement: tests
        for requirement, tests in tests_by_requirement().items()
        if requirement not in REQUIREMENTS
    }
    assert unknown == {}


def test_what_waits_is_a_requirement_with_a_reason() -> None:
    assert [name for name in PENDING if name not in REQUIREMENTS] == []
    assert all(PENDING.values())
