"""What tests of models share: a question, a model at a fake API, its failures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from agentctx.errors import ModelError
from agentctx.llm.claude import Pace, open_model
from agentctx.llm.model import Ask, ModelSettings

if TYPE_CHECKING:
    from typing import Any

    from agentctx.llm.model import Model
    from tests.agentctx.llm.fakeapi import FakeApi

KEY = "sk-ant-api03-a-key-that-nobody-may-see"
SECRET_WORDS = "the harbour opens at dawn"  # noqa: S105 - words of a question
MODEL = "claude-haiku-5-5"
SCHEMA = {
    "type": "object",
    "properties": {"facts": {"type": "array", "items": {"type": "string"}}},
    "required": ["facts"],
}
ASK = Ask("You read talk.", f"user: {SECRET_WORDS}", SCHEMA, 500, "test")
ANSWER = {"facts": ["UTC"]}


class Waits:
    """A pace that notes how long it should have waited, and waits not at all."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.now = 0.0

    @property
    def pace(self) -> Pace:
        return Pace(self._wait, lambda: self.now, lambda: 0.0)

    def _wait(self, seconds: float) -> None:
        self.seconds.append(seconds)
        self.now += seconds


USUAL = ModelSettings(MODEL, timeout=30.0, attempt=10.0)


def model_at(api: FakeApi | str, waits: Waits | None = None, **changed: Any) -> Model:  # noqa: ANN401 - fields of settings
    """Give a model that asks this API and does not wait between attempts."""
    url = api if isinstance(api, str) else api.url
    pace = (Waits() if waits is None else waits).pace
    return open_model(USUAL._replace(**changed), key=KEY, base_url=url, pace=pace)


def failure(model: Model, ask: Ask = ASK) -> ModelError:
    """Give the error that a question ends in."""
    with pytest.raises(ModelError) as caught:
        model.complete(ask)
    return caught.value
