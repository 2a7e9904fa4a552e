"""`agentctx project`: the namespace of this project and where it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentctx.cli.opening import (
    STORE_ERRORS,
    open_for_reading,
    problem_of,
    this_project,
)
from agentctx.cli.sheet import row
from agentctx.records.namespaces import (
    NOTHING_LIKELY,
    Likely,
    likely_earlier,
    list_namespaces,
)
from corpus.cli.render import counted, visible

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.config import Problem
    from agentctx.project import Project
    from agentctx.records.namespaces import Namespace
    from corpus.cli.call import Call

SUMMARY = "Show the project's namespace and where it comes from."
EXAMPLE = "agentctx project"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The project, how many records it has, and what it could adopt.

    Of the `others` only the name is told: where they lie is nobody's business here.
    """

    project: Project
    records: int
    likely: Likely = NOTHING_LIKELY
    others: tuple[Namespace, ...] = ()
    problem: Problem | None = None

    def as_json(self) -> dict[str, object]:
        """Give the project as one JSON object."""
        value = {
            **project_json(self.project),
            "records": self.records,
            "earlier": [one._asdict() for one in self.likely.earlier],
            "above": None if self.likely.above is None else self.likely.above._asdict(),
            "others": [
                {"project_id": one.project_id, "name": one.name, "records": one.records}
                for one in self.others
            ],
        }
        if self.problem is not None:
            value["problem"] = self.problem._asdict()
        return value


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    parser.add_argument(
        "action", metavar="show", nargs="?", choices=("show",), help="the same"
    )


def run(call: Call, *, action: str | None) -> Standing:
    """Resolve the project; a store that cannot be read leaves its records unknown."""
    del action
    project = this_project()
    try:
        with open_for_reading(call) as opened:
            found = list_namespaces(opened.store.db)
            likely = likely_earlier(opened.store.db, project)
    except STORE_ERRORS as error:
        return Standing(project=project, records=0, problem=problem_of(error))
    others = [one for one in found if one.project_id != project.project_id]
    return Standing(
        project=project,
        records=sum(
            one.records for one in found if one.project_id == project.project_id
        ),
        likely=likely,
        others=tuple(one for one in others if one not in likely.earlier),
    )


def exit_status(value: Standing) -> int:
    """Answer 1 where the store could not be asked."""
    return 0 if value.problem is None else 1


def lines(value: Standing) -> Iterator[str]:
    """Draw the card, and name what could be adopted."""
    yield from project_lines(value.project)
    yield from row("records", str(value.records))
    for title, listed in (
        ("was perhaps", value.likely.earlier),
        ("other projects", value.others),
    ):
        if listed:
            yield ""
            yield f"{title}:"
        for one in listed:
            what = counted(one.records, "record")
            yield f"  {one.project_id[:12]}  {what}  {visible(one.name)}".rstrip()
    yield from likely_lines(value.likely)
    if value.problem is not None:
        yield f"degraded: {value.problem.code}: {value.problem.detail}"


def likely_lines(likely: Likely) -> Iterator[str]:
    """Say whose records may be meant here, and what would bring them."""
    for one in likely.earlier:
        what = counted(one.records, "record")
        old = one.project_id[:12]
        yield (
            f"{what} of an earlier namespace {old} may be this project's:"
            f" `agentctx project adopt {old}`"
        )
    if likely.above is not None:
        what = counted(likely.above.records, "record")
        place = visible(likely.above.root or likely.above.name)
        yield (
            f"{what} of the folder above, {place}, may be meant: work there, or"
            f" `agentctx project adopt {likely.above.project_id[:12]}`"
        )


def project_json(project: Project) -> dict[str, object]:
    """Give a project as one JSON object."""
    return {
        "project_id": project.project_id,
        "name": project.name,
        "root": str(project.root),
        "main_root": str(project.main_root),
        "worktree": project.worktree,
        "branch": project.branch,
        "remote": project.remote,
        "origin": "path" if project.remote is None else "remote",
    }


def project_lines(project: Project) -> Iterator[str]:
    """Draw a project's name, namespace and place."""
    yield from row("project", visible(project.name))
    yield from row("namespace", project.project_id)
    if project.remote is not None:
        yield from row("from", f"the remote {visible(project.remote)}")
    else:
        yield from row("from", f"the path {visible(str(project.main_root))}")
    yield from row("root", visible(str(project.root)))
    if project.worktree is not None:
        yield from row("worktree", visible(project.worktree))
    if project.branch is not None:
        yield from row("branch", visible(project.branch))
