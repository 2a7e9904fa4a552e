"""What does not fit is shed in an order, cut with a mark, or not asked about."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from agentctx.extraction.memory.modelled import EXTRACTION_FORM
from agentctx.extraction.memory.payload import EVIDENCE_TOKENS, pack_extraction
from agentctx.memory.clipping import api_tokens
from agentctx.memory.model import ThreadId
from agentctx.memory.pipeline import ExtractionTask
from agentctx.memory.turns import turn_of
from agentctx.memory.window import check_envelope
from tests.agentctx.llm.fakeapi import Says
from tests.agentctx.memory.heard import meaning, quoting, turn
from tests.agentctx.memory.memories import LATER, count, say
from tests.agentctx.memory.pipeline.minds import (
    extracted,
    minding,
    payload,
    remembering,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentctx.extraction.memory.payload import Fits, Packed
    from agentctx.memory.store import MemoryStore
    from agentctx.records.store import Store
    from tests.recorded import Ticking

LONG = " ".join(f"word{number}" for number in range(900))
SAYING = ExtractionTask(
    ThreadId("thread_1"),
    "s1",
    "What was so far. " * 50,
    turn(4, "The turn before. " * 50, "Its answer. " * 50),
    (turn(5, f"Begin. {LONG} End.", f"First. {LONG} Last."),),
    tuple(turn(n, f"Finding {n}. " * 30, keys=(f"run:{n}",)) for n in range(3)),
)


def size(shown: Mapping[str, object]) -> int:
    return api_tokens(json.dumps(shown, ensure_ascii=False))


def within(tokens: int) -> Fits:
    return lambda shown: size(shown) <= tokens


def packed(tokens: int, task: ExtractionTask = SAYING) -> Packed:
    found = pack_extraction(task, within(tokens))
    assert found is not None
    return found


def only(shown: Packed) -> dict[str, str]:
    """Give the one turn as it is shown."""
    turns: list[dict[str, str]] = json.loads(json.dumps(shown.payload["turns"]))
    (one,) = turns
    return one


def shape(shown: Packed) -> tuple[int, bool, bool, bool, bool]:
    """Say how much evidence there is, and what else is whole."""
    one = only(shown)
    return (
        len(shown.window.evidence),
        shown.window.adjacent is not None,
        shown.payload["previous_compaction"] != "",
        "left out" not in one["assistant"],
        "left out" not in one["user"],
    )


@pytest.mark.requirement("M4.3(a)")
def test_it_is_shed_in_order_as_little_as_helps() -> None:
    whole = size(packed(10**6).payload)
    shapes = [shape(packed(tokens)) for tokens in range(whole, 500, -20)]
    assert shapes[0] == (3, True, True, True, True)
    assert list(dict.fromkeys(shapes)) == [
        (3, True, True, True, True),
        (2, True, True, True, True),
        (1, True, True, True, True),
        (0, True, True, True, True),
        (0, False, True, True, True),
        (0, False, False, True, True),
        (0, False, False, False, True),
        (0, False, False, False, False),
    ]
    for tokens in range(whole, 500, -100):
        shown = packed(tokens)
        assert size(shown.payload) <= tokens
        assert [one.id for one in shown.window.evidence] == [
            f"turn_{n}" for n in range(3 - len(shown.window.evidence), 3)
        ]


@pytest.mark.requirement("M4.3(a)", "M5.7(b)")
def test_a_cut_text_keeps_its_ends_and_what_was_cut_is_no_source() -> None:
    middle = "The middle says: from now on indent with tabs."
    long = f"Begin. {LONG}{middle}{LONG} End."
    task = SAYING._replace(turns=(turn(5, long),))
    shown = packed(1_000, task)
    one = only(shown)
    assert one["user"].startswith("Begin. ")
    assert one["user"].endswith(" End.")
    said = meaning("Indent with tabs.")

    def judge(quote: str) -> str | None:
        return check_envelope(quoting(said, (5, "user", quote)), shown.window)

    assert judge("Begin. word0 word1") is None
    assert judge(" End.") is None
    assert judge(middle) == "quote_not_in_sent"
    before, mark, after = one["user"].partition("\n[…")
    assert judge(f"{mark}{after}"[:40]) == "quote_not_in_raw"
    assert judge(before[-20:] + long[len(before) : len(before) + 5]) == (
        "quote_not_in_sent"
    )


@pytest.mark.requirement("M5.7(b)")
def test_the_words_of_our_mark_are_no_source_though_the_user_said_them_too() -> None:
    size_of = len(LONG) * 3
    marks = "".join(f"[… {n} characters left out …]" for n in range(18_400, 18_800))
    text = f"{LONG}{marks}{LONG}{LONG}"[:size_of]
    shown = packed(1_000, SAYING._replace(turns=(turn(5, text),)))
    mark = only(shown)["user"].partition("\n")[2].partition("\n")[0]
    assert mark in text
    quoted = quoting(meaning("Indent."), (5, "user", mark))
    assert check_envelope(quoted, shown.window) == "quote_not_in_sent"


@pytest.mark.requirement("M5.7(b)", "M4.3(a)")
def test_what_was_shed_is_no_source() -> None:
    shown = packed(5_000)
    assert shown.window.adjacent is None
    said = quoting(meaning("Indent."), (4, "user", "The turn before."))
    assert check_envelope(said, shown.window) == "turn_unknown"


@pytest.mark.requirement("M5.5(b)")
def test_the_newest_evidence_within_its_share_is_shown_oldest_first() -> None:
    much = "word " * (EVIDENCE_TOKENS // 5)
    turns = tuple(turn(n, f"{n} {much}", keys=(f"run:{n}",)) for n in range(6))
    shown = packed(10**6, SAYING._replace(evidence=turns))
    kept = shown.payload["recent_review_evidence"]
    assert size({"kept": kept}) <= EVIDENCE_TOKENS
    assert [one["turn_id"] for one in kept] == ["turn_4", "turn_5"]  # type: ignore[attr-defined] # a list


@pytest.mark.parametrize(
    "text",
    ["漢字かな交じり文。" * 2_000, "\x01\x02" * 9_000, '"\\' * 9_000, "🦭" * 9_000],
    ids=["wide", "control", "escaped", "astral"],
)
def test_any_text_is_cut_to_what_fits_and_stays_text(text: str) -> None:
    shown = packed(2_000, SAYING._replace(turns=(turn(5, text, text),)))
    assert size(shown.payload) <= 2_000
    json.dumps(shown.payload, ensure_ascii=False).encode()
    one = only(shown)
    head, _, rest = one["user"].partition("\n[…")
    assert text.startswith(head)
    assert text.endswith(rest.partition("…]\n")[2])


@pytest.mark.requirement("M4.3(b)", "M4.3(c)")
def test_a_turn_that_cannot_fit_is_left_out_and_stays_whole(
    memory: MemoryStore, store: Store
) -> None:
    kept = say(memory, LONG)
    with minding(memory, store) as mind:
        mind.capacity = 100
        ran = mind.run()
        assert (ran.left_out, mind.asked) == (1, ())
        assert mind.diagnosis() == (
            "succeeded_no_output",
            "capacity",
            "prepare",
            None,
            "extraction_payload",
        )
        assert mind.jobs("provider_calls") == [(0,)]
    assert turn_of(memory.db, kept.id).user_text == LONG


@pytest.mark.requirement("M4.3(a)", "M4.3(b)")
def test_a_small_model_is_asked_about_the_ends_of_a_long_turn(
    memory: MemoryStore, store: Store
) -> None:
    kept = say(memory, LONG)
    with minding(memory, store, [Says(extracted())]) as mind:
        form = EXTRACTION_FORM
        fixed = api_tokens(form.system) + api_tokens(json.dumps(form.schema))
        mind.capacity = fixed + 600
        assert mind.run().empty == 1
        (asked,) = mind.asked
    assert "characters left out" in payload(asked)["turns"][0]["user"]
    assert api_tokens(asked.text) <= 600
    assert turn_of(memory.db, kept.id).user_text == LONG


@pytest.mark.requirement("M4.4(a)", "M4.4(b)")
def test_a_decision_that_does_not_fit_is_not_asked_for_and_suppressed(
    memory: MemoryStore, store: Store, clock: Ticking
) -> None:
    say(memory)
    with minding(memory, store, remembering) as mind:
        mind.run(stops=iter([False, True]).__next__)
        clock.tick(LATER)
        mind.capacity = 1_000
        assert mind.run().left_out == 1
        assert len(mind.asked) == 1
        assert mind.diagnosis() == (
            "succeeded_no_output",
            "capacity",
            "prepare",
            None,
            "consolidation_payload",
        )
    assert count(memory, "memory_candidates", "status = 'suppressed'") == 1
    assert count(memory, "memory_items") == 0
