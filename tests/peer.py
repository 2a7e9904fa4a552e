"""Another implementation of schema version 1, where one is installed beside us.

It lives in an environment of its own, `.venv-peer`; tests that ask it skip without it.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

PYTHON = Path(__file__).parents[1] / ".venv-peer/bin/python"

_RECEIPT = """
import json, sys
from project_corpus.context import make_receipt
with open(sys.argv[1], encoding="utf-8") as file:
    bundle = json.load(file)
print(json.dumps(make_receipt(bundle, sys.argv[2])))
"""


def peer_receipt(bundle: Path, consumer: str) -> dict[str, Any]:
    """Let the other implementation verify a bundle and make the receipt."""
    return _answer([str(_python()), "-c", _RECEIPT, str(bundle), consumer])


def peer_bundle(root: Path, query: str) -> dict[str, Any]:
    """Let the other implementation compile a bundle, with an index of its own."""
    command = [str(_python().with_name("project-corpus")), "context"]
    cache = root / ".project-corpus/cache"
    cache.mkdir(exist_ok=True)
    index = str(cache / "peer.sqlite3")
    _answer([*command, "build", str(root), "--index", index])
    return _answer([*command, "bundle", str(root), query, "--index", index])


def peer_says(script: str, *arguments: str) -> dict[str, Any]:
    """Run a script with the other implementation and give the JSON it prints."""
    return _answer([str(_python()), "-c", script, *arguments])


def _python() -> Path:
    if not PYTHON.exists():
        pytest.skip("no other implementation in .venv-peer")
    return PYTHON


def _answer(command: list[str]) -> dict[str, Any]:
    done = subprocess.run(command, capture_output=True, check=True, timeout=60)
    value: dict[str, Any] = json.loads(done.stdout)
    return value
