"""What one run of `agentctx` answered, as values."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from agentctx.project import resolve_project

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.conftest import Outcome


def faults(status: Mapping[str, Any]) -> list[str]:
    """Give the codes of what is degraded; to be without a model is no fault."""
    codes = [one["code"] for one in status["degraded"]]
    return [code for code in codes if code != "no-llm"]


def answer(done: Outcome, *, status: int = 0) -> Any:  # noqa: ANN401 - any JSON
    """Give what was answered; the run must have ended as expected."""
    assert (done.status, done.err) == (status, ""), done.err
    return json.loads(done.out)


def refusal(done: Outcome) -> str:
    """Give the code of what was refused."""
    assert (done.status, done.out) == (2, "")
    return str(facts(done)["error"])


def withheld(done: Outcome) -> Any:  # noqa: ANN401 - any JSON
    """Give the plan that was shown where nobody could be asked."""
    assert (done.status, facts(done)["error"]) == (2, "CONSENT_REQUIRED")
    return json.loads(done.out)


def facts(done: Outcome) -> dict[str, Any]:
    """Give the failure as it was told."""
    value = json.loads(done.err)
    assert list(value) == ["ok", "error", "detail", "hint", "facts"]
    return dict(value)


def namespace(root: Path) -> str:
    """Give the namespace of a folder's project."""
    return resolve_project(root, environ={}).project_id
