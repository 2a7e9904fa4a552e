"""The fake API that other tests stand on does what it is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.agentctx.llm.asking import ANSWER, ASK, KEY, failure, model_at
from tests.agentctx.llm.fakeapi import FakeApi, Says, running

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.requirement("A6.1")


def test_rules_answer_by_words_and_the_last_answer_stays() -> None:
    rules = [("harbour", Says({"facts": ["harbour"]}))]
    script = [Says({"facts": ["first"]}), Says({"facts": ["rest"]})]
    with FakeApi(script, rules=rules) as api:
        model = model_at(api)
        said = [
            model.complete(ASK._replace(text=text)).value
            for text in ("tide", "the harbour", "tide", "tide")
        ]
    assert said == [{"facts": [x]} for x in ("first", "harbour", "rest", "rest")]


def test_a_key_that_is_not_the_one_is_refused() -> None:
    with FakeApi([Says(ANSWER)], key="another") as api:
        assert failure(model_at(api)).code == "MODEL_KEY"


def test_it_runs_as_a_process_and_tells_what_it_was_asked(tmp_path: Path) -> None:
    script = {
        "answers": [{"value": ANSWER}],
        "rules": [{"when": "tide", "answer": {"status": 401}}],
    }
    with running(script, tmp_path) as api:
        model = model_at(api.url)
        assert model.complete(ASK).value == ANSWER
        assert failure(model, ASK._replace(text="tide")).code == "MODEL_KEY"
        asked = api.asked()
    assert [one.text for one in asked] == [ASK.text, "tide"]
    assert {one.key for one in asked} == {KEY}
    assert asked[0].schema
