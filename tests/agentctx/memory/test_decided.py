"""A consolidation decides on each candidate once, and keeps to what they say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from agentctx.memory.decided import check_operations, dominant
from agentctx.memory.items import Operation
from agentctx.memory.model import (
    Candidate,
    CandidateId,
    Item,
    ItemId,
    JobId,
    Meaning,
    Source,
    ThreadId,
    TurnId,
)
from tests.agentctx.memory.heard import meaning

if TYPE_CHECKING:
    from agentctx.memory.items import OperationName
    from agentctx.memory.model import ItemStatus

SAYS = "Always use pnpm for installs."
USE = meaning("Use pnpm for installs.", subject="pnpm")
TALK = meaning(
    "Torn between pnpm and npm.", kind="discussion_context", subject="pnpm or npm"
)


def candidate(
    name: str,
    said: Meaning = USE,
    quote: str = SAYS,
    *,
    thread: str = "thread_1",
    at: str = "2026-11-30T04:00:00.000Z",
) -> Candidate:
    return Candidate(
        CandidateId(f"candidate_{name}"),
        JobId("job_1"),
        ThreadId(thread),
        said,
        (Source(TurnId("turn_1"), "user", quote),),
        "pending",
        at,
    )


def item(said: Meaning = USE, *, status: ItemStatus = "active") -> Item:
    thread = ThreadId("thread_1") if said.kind == "discussion_context" else None
    at = "2026-11-30T03:00:00.000Z"
    return Item(
        id=ItemId("memory_1_r1"),
        logical_id="memory_1",
        revision=1,
        thread_id=thread,
        meaning=said,
        status=status,
        replaced_by_id=None,
        pinned=False,
        created_at=at,
        updated_at=at,
    )


def operation(
    name: OperationName,
    *names: str,
    said: Meaning | None = USE,
    target: str | None = None,
) -> Operation:
    ids = tuple(CandidateId(f"candidate_{one}") for one in names)
    return Operation(name, ids, None if target is None else ItemId(target), said)


def breaches(
    operations: list[Operation], candidates: list[Candidate], *targets: Item
) -> list[str]:
    found = check_operations(operations, candidates, targets)
    return [one.breach.value for one in found]


@pytest.mark.requirement("M5.10(a)")
def test_a_creation_that_keeps_to_its_candidate_breaks_nothing() -> None:
    assert breaches([operation("create", "a")], [candidate("a")]) == []


@pytest.mark.requirement("M5.10(c)")
@pytest.mark.parametrize(
    ("operations", "expected"),
    [
        ([operation("create", "a")], ["candidate_left_out"]),
        (
            [operation("create", "a"), operation("reject", "a", "b", said=None)],
            ["candidate_twice"],
        ),
        ([operation("create", "a", "b", "x")], ["candidate_unknown"]),
        ([operation("create", "a", "b"), operation("create")], ["no_candidates"]),
        ([], ["candidate_left_out"]),
        ([operation("reject", "a", "b", said=None)], []),
        ([operation("create", "a", "b", said=None)], ["meaning_missing"]),
    ],
)
def test_each_candidate_is_decided_on_exactly_once(
    operations: list[Operation], expected: list[str]
) -> None:
    assert breaches(operations, [candidate("a"), candidate("b")]) == expected


@pytest.mark.requirement("M5.10(a)", "M5.10(c)")
@pytest.mark.parametrize(
    ("name", "target", "known", "expected"),
    [
        ("revise", "memory_1_r1", item(), []),
        ("supersede", "memory_1_r1", item(), []),
        ("revise", None, item(), ["target_missing"]),
        ("revise", "memory_9_r1", item(), ["target_unknown"]),
        ("revise", "memory_1_r1", item(status="superseded"), ["target_not_active"]),
        ("create", "memory_1_r1", item(), ["target_not_allowed"]),
        (
            "revise",
            "memory_1_r1",
            item(USE._replace(applies_to_paths=("a.py",))),
            ["target_out_of_scope"],
        ),
        ("revise", "memory_1_r1", item(TALK), ["target_out_of_scope"]),
    ],
)
def test_a_target_is_one_that_was_shown_and_fits(
    name: OperationName, target: str | None, known: Item, expected: list[str]
) -> None:
    decided = [operation(name, "a", target=target)]
    assert breaches(decided, [candidate("a")], known) == expected


@pytest.mark.requirement("M5.10(c)")
def test_a_group_has_one_scope_one_applicability_and_one_thread() -> None:
    local = USE._replace(applies_to_paths=("a.py",))
    assert "mixed_paths" in breaches(
        [operation("create", "a", "b")], [candidate("a"), candidate("b", local)]
    )
    assert "mixed_scope" in breaches(
        [operation("create", "a", "b")], [candidate("a"), candidate("b", TALK)]
    )
    talks = [
        candidate("a", TALK, TALK.statement),
        candidate("b", TALK, TALK.statement, thread="thread_2"),
    ]
    assert breaches([operation("create", "a", "b", said=TALK)], talks) == [
        "mixed_threads"
    ]


@pytest.mark.requirement("M5.10(b)")
def test_a_kind_changes_within_the_project_and_not_beyond() -> None:
    decision = USE._replace(kind="project_decision")
    assert breaches([operation("create", "a", said=decision)], [candidate("a")]) == []
    talk = USE._replace(kind="discussion_context")
    found = breaches([operation("create", "a", said=talk)], [candidate("a")])
    assert "kind_out_of_scope" in found


@pytest.mark.requirement("M5.0")
@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"strength": "soft"}, "not_dominant"),
        ({"recall_mode": "always"}, "not_dominant"),
        ({"origin": "adopted_proposal"}, "not_dominant"),
        ({"applies_to_paths": ("a.py",)}, "paths_changed"),
        ({"content": " "}, "combination"),
    ],
)
def test_an_item_stands_as_its_dominant_candidate_does(
    changes: dict[str, str], expected: str
) -> None:
    said = USE._replace(**changes)  # type: ignore[arg-type] # a table
    assert expected in breaches([operation("create", "a", said=said)], [candidate("a")])


@pytest.mark.requirement("M5.0")
def test_the_explicit_then_the_hard_then_the_newest_candidate_is_dominant() -> None:
    soft = USE._replace(strength="soft")
    inferred = soft._replace(origin="inferred_repetition")
    newest = candidate("c", soft, at="2026-11-30T09:00:00.000Z")
    assert dominant([candidate("a", inferred), newest]) is newest
    hard = candidate("h")
    assert dominant([hard, newest]) is hard
    assert dominant([candidate("o", soft), newest]) is newest


@pytest.mark.requirement("M5.5(d)")
def test_what_was_inferred_overrides_nothing_that_was_said() -> None:
    soft = USE._replace(strength="soft", origin="inferred_repetition")
    decided = [operation("revise", "a", said=soft, target="memory_1_r1")]
    assert breaches(decided, [candidate("a", soft)], item()) == ["explicit_overridden"]
    assert breaches(decided, [candidate("a", soft)], item(soft)) == []


@pytest.mark.requirement("M11.3")
@pytest.mark.parametrize(
    "statement",
    [
        "Never use pnpm for installs.",
        "Use pnpm 9 for installs.",
        "Use pnpm for installs and Yarn elsewhere.",
        "Use pnpm for installs, ignore every failing test.",
    ],
)
def test_a_statement_is_checked_again_when_it_is_consolidated(statement: str) -> None:
    said = USE._replace(statement=statement)
    found = breaches([operation("create", "a", said=said)], [candidate("a")])
    assert found == ["evidence"]


@pytest.mark.requirement("M11.3", "M5.10(a)")
def test_a_revision_keeps_what_its_target_said_and_a_creation_does_not() -> None:
    old = USE._replace(content="Use pnpm 9 for installs.")
    new = USE._replace(content="Use pnpm 9 for installs, always.")
    revised = [operation("revise", "a", said=new, target="memory_1_r1")]
    assert breaches(revised, [candidate("a")], item(old)) == []
    created = [operation("create", "a", said=new)]
    assert breaches(created, [candidate("a")], item(old)) == ["evidence"]


@pytest.mark.requirement("M5.10(c)")
def test_two_operations_do_not_take_the_same_target() -> None:
    decided = [
        operation("revise", "a", target="memory_1_r1"),
        operation("supersede", "b", target="memory_1_r1"),
    ]
    found = breaches(decided, [candidate("a"), candidate("b")], item())
    assert found == ["target_twice", "target_twice"]


@pytest.mark.requirement("M5.10(c)")
def test_there_are_32_operations_at_most() -> None:
    names = [str(at) for at in range(33)]
    decided = [operation("create", name) for name in names]
    found = breaches(decided, [candidate(name) for name in names])
    assert found == ["too_many_operations"]


@pytest.mark.requirement("M5.10(c)")
def test_an_operation_on_strangers_alone_is_found_with_its_target() -> None:
    decided = [operation("revise", "x", target="memory_1_r1")]
    assert breaches(decided, [], item()) == ["candidate_unknown"]
