"""A proposal is adopted by the next turn of its session, which agrees and no more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.agentctx.memory.heard import meaning, quoting, turn, verdict, window

if TYPE_CHECKING:
    from agentctx.memory.model import Meaning

PROPOSAL = "I suggest we use SQLite for the store."


def adopted(statement: str = "Use SQLite for the store.") -> Meaning:
    said = meaning(statement, kind="project_decision", subject="SQLite store")
    return said._replace(origin="adopted_proposal")


def judge(answer: str, agreed: str, quote: str = "", **changes: str) -> str:
    before = turn(1, "What shall the store be?", answer)._replace(**changes)  # type: ignore[arg-type] # state or session
    heard = window(turn(2, agreed), adjacent=before)
    return verdict(
        quoting(adopted(), (1, "assistant", quote or answer), (2, "user", agreed)),
        heard,
    )


@pytest.mark.requirement("M5.3(a)", "M11.4")
@pytest.mark.parametrize(
    "agreed",
    [
        "ok do that",
        "就这样",
        "да, давай",
        "はい、それで",
        "네 그렇게 해요",
        "Ja, mach das.",
    ],
)
def test_short_agreement_adopts_what_was_proposed(agreed: str) -> None:
    assert judge(PROPOSAL, agreed) == "admitted"


@pytest.mark.requirement("M5.3(a)")
def test_the_proposal_may_be_in_the_same_batch() -> None:
    heard = window(turn(1, "And the store?", PROPOSAL), turn(2, "yes"))
    said = quoting(adopted(), (1, "assistant", PROPOSAL), (2, "user", "yes"))
    assert verdict(said, heard) == "admitted"


@pytest.mark.requirement("M5.3(b)")
def test_without_either_source_it_is_refused() -> None:
    heard = window(turn(2, "yes"), adjacent=turn(1, "And the store?", PROPOSAL))
    assert verdict(quoting(adopted(), (1, "assistant", PROPOSAL)), heard) == (
        "no_user_source"
    )
    alone = quoting(adopted(), (2, "user", "yes"))
    assert verdict(alone, heard) == "no_proposal"


@pytest.mark.requirement("M5.3(a)", "M5.9(a)", "M4.5(a)", "M4.5(b)")
@pytest.mark.parametrize(
    ("answer", "agreed", "rule"),
    [
        (PROPOSAL, "yes, but with Postgres", "no_acknowledgement"),
        (PROPOSAL, "apply it", "no_acknowledgement"),
        ("The store uses SQLite.", "yes", "no_proposal"),
        ("I suggest SQLite for the store for now.", "yes", "temporary"),
        ("I suggest we use SQLite for the store here.", "yes", "local_without_path"),
        ("```\nI suggest SQLite for the store\n```", "yes", "no_proposal"),
    ],
)
def test_what_was_not_proposed_or_not_agreed_to_is_refused(
    answer: str, agreed: str, rule: str
) -> None:
    assert judge(answer, agreed, answer.strip("`\n")) == rule


@pytest.mark.requirement("M5.3(a)", "H1")
def test_a_proposal_of_another_session_or_of_a_failed_turn_is_not_adopted() -> None:
    assert judge(PROPOSAL, "yes", session_id="s2") == "no_proposal"
    assert judge(PROPOSAL, "yes", state="failed") == "no_proposal"


@pytest.mark.requirement("M5.3(a)")
def test_a_proposal_of_an_earlier_turn_is_not_adopted() -> None:
    heard = window(
        turn(2, "Fix the login page."), turn(3, "yes"), adjacent=turn(1, "?", PROPOSAL)
    )
    said = quoting(adopted(), (1, "assistant", PROPOSAL), (3, "user", "yes"))
    assert verdict(said, heard) == "no_proposal"


@pytest.mark.requirement("M11.3")
def test_more_than_was_proposed_is_not_adopted() -> None:
    heard = window(turn(2, "yes"), adjacent=turn(1, "And the store?", PROPOSAL))
    more = adopted("Use SQLite for the store and Redis for the cache.")
    said = quoting(more, (1, "assistant", PROPOSAL), (2, "user", "yes"))
    assert verdict(said, heard) == "name_uncovered"


@pytest.mark.requirement("M5.3(a)", "M5.9(a)", "M5.1(b)")
@pytest.mark.parametrize(
    ("answer", "recall", "rule"),
    [
        ("We can see the store module is slow.", "on_match", "code_fact"),
        ("I suggest we rename the button.", "on_match", "anchor_not_shared"),
        (PROPOSAL, "always", "always_not_continuous"),
        ("I suggest we always use SQLite for the store.", "always", "admitted"),
    ],
)
def test_a_proposal_is_of_the_decision_and_lasts_as_long(
    answer: str, recall: str, rule: str
) -> None:
    heard = window(turn(2, "yes"), adjacent=turn(1, "And the store?", answer))
    said = adopted()._replace(recall_mode=recall)  # type: ignore[arg-type] # a table
    candidate = quoting(said, (1, "assistant", answer), (2, "user", "yes"))
    assert verdict(candidate, heard) == rule
