"""`agentctx profile show`: what this project is made of, and the preferences here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentctx.cli.opening import STORE_ERRORS, open_for_reading, problem_of
from agentctx.cli.sheet import confidence
from agentctx.records.model import GLOBAL
from agentctx.records.profile import profile_records
from agentctx.records.read import current_records
from corpus.cli.render import visible

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.config import Problem
    from agentctx.records.model import Record
    from corpus.cli.call import Call

SUMMARY = "Show what this project is made of, and your preferences."
EXAMPLE = "agentctx profile show"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileShown:
    """The current profile by key, and the current preferences, own ones first."""

    profile: tuple[Record, ...] = ()
    preferences: tuple[Record, ...] = ()
    problem: Problem | None = None

    def as_json(self) -> dict[str, object]:
        """Give both lists as one JSON object."""
        value: dict[str, object] = {
            "profile": [one.as_json() for one in self.profile],
            "preferences": [one.as_json() for one in self.preferences],
        }
        if self.problem is not None:
            value["problem"] = self.problem._asdict()
        return value


def configure(parser: argparse.ArgumentParser) -> None:
    """Take nothing."""
    del parser


def run(call: Call) -> ProfileShown:
    """Read the current records of both types."""
    try:
        with open_for_reading(call) as opened:
            found = profile_records(opened.store, opened.project_id)
            db = opened.store.db
            wanted = [
                one
                for namespace in (opened.project_id, GLOBAL)
                for one in current_records(db, namespace, record_type="preference")
            ]
            return ProfileShown(
                profile=tuple(record for _, record in sorted(found.items())),
                preferences=tuple(wanted),
            )
    except STORE_ERRORS as error:
        return ProfileShown(problem=problem_of(error))


def exit_status(value: ProfileShown) -> int:
    """Answer 1 where the store could not be asked."""
    return 0 if value.problem is None else 1


def lines(value: ProfileShown) -> Iterator[str]:
    """Show one entry a line, with who says so."""
    if value.problem is not None:
        yield f"degraded: {value.problem.code}: {value.problem.detail}"
        return
    for title, records in (
        ("profile", value.profile),
        ("preferences", value.preferences),
    ):
        yield f"{title}:{'' if records else ' none'}"
        for one in records:
            yield f"  {one.id}  {visible(one.title)}  ({_standing(one)})"
            if one.body != one.title:
                yield from (f"    {visible(line)}" for line in one.body.splitlines())


def _standing(record: Record) -> str:
    where = ", global" if record.scope == "global" else ""
    return f"{record.trust}, {confidence(record)}{where}"
