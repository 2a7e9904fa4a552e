"""What a new corpus offers beyond reading, and what `init` says about its place."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from corpus.policy import parse_policy
from corpus.protocol.layout import AGENTS_PATH
from corpus.protocol.scaffold import LANGUAGES, make_order, render

if TYPE_CHECKING:
    from pathlib import Path

    from corpus.protocol.scaffold import Language
    from tests.conftest import InProcess

NOW = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
POLICY = ".project-corpus/policy.toml"


@pytest.mark.requirement("P1.7", "P2.2", "P15.1")
def test_the_server_is_offered_where_it_is_asked_for(
    tmp_path: Path, cli: InProcess
) -> None:
    for number, words in enumerate(((), ("--profile", "SAFE_EDIT"))):
        root = tmp_path / f"root-{number}"
        assert cli("init", str(root), "--mcp", *words).status == 0
        policy = parse_policy((root / POLICY).read_bytes())
        assert "mcp.stdio" in policy.capabilities
        assert cli("validate", str(root)).status == 0


@pytest.mark.requirement("P1.7", "P13.1")
@pytest.mark.parametrize("language", LANGUAGES)
def test_agents_are_told_how_to_write_where_they_may(
    tmp_path: Path, language: Language
) -> None:
    calls = ("task create", "report create", "state update", "`task.create`")
    texts = {}
    for profile in ("READ_ONLY", "SAFE_EDIT"):
        order = make_order(
            tmp_path, project_id=None, name=None, template="minimal", language=language
        )
        files = render(replace(order, profile=profile), now=NOW)
        texts[profile] = files[AGENTS_PATH]
    assert all(call in texts["SAFE_EDIT"] for call in calls)
    assert not any(call in texts["READ_ONLY"] for call in calls)
    assert texts["SAFE_EDIT"].startswith(texts["READ_ONLY"])


@pytest.mark.requirement("P1.7", "P18.1")
def test_a_corpus_inside_another_one_is_told(tmp_path: Path, cli: InProcess) -> None:
    outer = tmp_path / "outer"
    assert json.loads(cli("init", str(outer)).out)["inside"] is None
    answer = json.loads(cli("init", "deep/inner", cwd=outer).out)
    assert answer["inside"] == str(outer)
    text = cli("init", "my notes", cwd=outer, terminal=True).out
    assert str(outer) in text
    assert "'my notes/.project-corpus/state/PROJECT.md'" in text
