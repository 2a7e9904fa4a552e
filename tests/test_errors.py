"""The registry of failures: codes, sentences, documentation, and every raise site."""

from __future__ import annotations

import ast
import re
import string
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import agentctx.errors
import agentctx.memory.refusals
import agentctx.team.refusals
import corpus.errors
import corpus.refusals
from corpus.errors import CodedError

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs" / "errors.md"
MODULES = (
    corpus.errors,
    corpus.refusals,
    agentctx.errors,
    agentctx.memory.refusals,
    agentctx.team.refusals,
)
TREE = "".join(str(module.__doc__) for module in MODULES)
SOURCES = sorted(
    path for name in ("corpus", "agentctx") for path in (ROOT / name).rglob("*.py")
)
CODE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*")


def leaves(base: type[CodedError] = CodedError) -> Iterator[type[CodedError]]:
    """Walk down to the errors that are raised; the bases only group them."""
    for error in base.__subclasses__():
        if error.__subclasses__():
            yield from leaves(error)
        else:
            yield error


ERRORS = {error.__name__: error for error in leaves()}


def fields(error: type[CodedError]) -> set[str]:
    """Name the facts a raiser must give."""
    named = {
        re.split(r"[.\[]", name)[0]
        for _, name, _, _ in string.Formatter().parse(error.sentence)
        if name
    }
    return named | set(error.extra)


def constructions() -> Iterator[tuple[str, ast.Call]]:
    """Give every place where the packages make one of the errors."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ERRORS:
                yield f"{path.relative_to(ROOT)}:{node.lineno}", node


def test_every_error_has_a_code_of_its_own() -> None:
    codes = Counter(error.code for error in ERRORS.values())
    assert [code for code, uses in codes.items() if uses > 1] == []
    assert [
        c for c in codes if not re.fullmatch(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*", c)
    ] == []


@pytest.mark.parametrize("error", ERRORS.values(), ids=lambda error: error.code)
def test_an_error_says_what_happened_and_what_to_do(error: type[CodedError]) -> None:
    assert error.sentence.strip()
    assert error.hint.strip()
    assert not error.sentence.endswith(".")
    assert error.exit_status in {1, 2, 70, 130}


@pytest.mark.requirement("P18.2")
@pytest.mark.parametrize("error", ERRORS.values(), ids=lambda error: error.code)
def test_a_code_is_documented_and_drawn_in_the_tree(error: type[CodedError]) -> None:
    documented = DOCS.read_text(encoding="utf-8")
    assert f"`{error.code}` | {error.exit_status} |" in documented
    assert re.search(rf"  {error.__name__} +{re.escape(error.code)}\n", TREE)


def test_the_tree_draws_only_errors_that_exist() -> None:
    drawn = re.findall(r"^  (\w+Error) +[A-Z_]+$", TREE, re.MULTILINE)
    assert sorted(drawn) == sorted(error.__name__ for error in ERRORS.values())


def test_every_raise_gives_exactly_the_facts_of_its_sentence() -> None:
    wrong = []
    for place, call in constructions():
        error = ERRORS[ast.unparse(call.func)]
        given = {keyword.arg for keyword in call.keywords}
        if call.args or given != fields(error):
            wrong.append((place, error.__name__, sorted(map(str, given))))
    assert wrong == []


def test_every_error_is_used() -> None:
    named = {
        node.id
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Name)
    }
    assert [name for name in ERRORS if name not in named] == []
