"""What a command is given besides its arguments: above all, where the corpus is."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from corpus.cli.call import Call
from corpus.errors import RootNotFoundError

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import InProcess


def call_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    monkeypatch.chdir(folder)
    noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    return Call(
        now=noon,
        clock=lambda: noon,
        format="json",
        interactive=False,
        progress=lambda _done, _total, _label: None,
        random=os.urandom,
        write_json=lambda _: None,
        write_lines=lambda _: None,
        asks=False,
        confirm=lambda _: True,
        notify=lambda _code, _text: None,
    )


@pytest.mark.requirement("P18.1")
def test_root_defaults_to_the_nearest_corpus_above(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = tmp_path / "outer" / "inner"
    deep = inner / "a" / "b"
    deep.mkdir(parents=True)
    (tmp_path / "outer" / ".project-corpus").mkdir()
    (inner / ".project-corpus").mkdir()
    assert call_in(deep, monkeypatch).root(None) == inner.resolve()
    assert call_in(deep, monkeypatch).root("../../..") == (tmp_path / "outer").resolve()


@pytest.mark.requirement("P18.1")
@pytest.mark.parametrize("root", [None, "a", "missing", "nul\0", "x" * 5000])
def test_a_root_that_is_no_corpus_is_named_as_such(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, root: str | None
) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(RootNotFoundError):
        call_in(tmp_path, monkeypatch).root(root)


def test_a_working_directory_that_is_gone_is_no_corpus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    call = call_in(gone, monkeypatch)
    gone.rmdir()
    with pytest.raises(RootNotFoundError):
        call.root(None)


@pytest.mark.requirement("P18.2")
def test_init_in_a_working_directory_that_is_gone_is_a_failure_with_a_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: InProcess
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    done = cli("init")
    assert (done.status, json.loads(done.err)["error"]) == (2, "ROOT_NOT_FOUND")
