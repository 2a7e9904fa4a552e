"""Where each source stands: its authority, its time, and what supersedes what.

Everything here is decided from STATUS, the active task and explicit metadata, never
guessed from prose (P7.3 to P7.5).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpus.protocol.layout import FOLDERS, PROJECT_PATH, STATUS_PATH
from corpus.protocol.metadata import instant
from corpus.refs import stem
from corpus.sources.facts import Relation, Standing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from corpus.sources.facts import Facts, Verdict

_DATE_LENGTH = len("2026-01-01")


@dataclass(frozen=True, slots=True, kw_only=True)
class Present:
    """What STATUS says is so now, and what it and the active task cite."""

    active_task: str | None
    last_verified: str | None
    cited: frozenset[str]
    cited_by_status: frozenset[str]


def active_task_path(task_id: str | None, paths: Iterable[str]) -> str | None:
    """Find the active task's path among the sources in scope."""
    if not task_id:
        return None
    folder = FOLDERS["task"] + "/"
    named = [p for p in paths if p.startswith(folder) and stem(p) == task_id]
    return min(named, key=lambda path: (path.count("/"), path), default=None)


def relations(
    facts: Sequence[Facts], names: Mapping[int, str], present: Present
) -> tuple[Relation, ...]:
    """Resolve every `Supersedes` and judge it; the order is by source and line."""
    found = []
    for source in facts:
        for reference in source.supersedes:
            target = next((names[n] for n in reference.names if n in names), "")
            verdict = _verdict(source, target, present)
            found.append(Relation(source.path, reference.line, target, verdict))
    edges: dict[str, set[str]] = {}
    for relation in found:
        if relation.verdict == "VALID":
            edges.setdefault(relation.source, set()).add(relation.target)
    components = _components(edges)
    return tuple(
        r._replace(verdict="CYCLE")
        if r.verdict == "VALID" and components[r.source] == components[r.target]
        else r
        for r in sorted(found)
    )


def standings(
    facts: Sequence[Facts], related: Iterable[Relation], present: Present
) -> tuple[Standing, ...]:
    """Give each source's standing, in the order of `facts`."""
    superseded = {r.target for r in related if r.verdict == "VALID"}
    horizon = _horizon(facts, present)
    return tuple(
        Standing(_authority(f, present), _temporal(f, present, superseded, horizon))
        for f in facts
    )


def _verdict(source: Facts, target: str, present: Present) -> Verdict:
    if not target:
        return "ORPHAN"
    protected = {PROJECT_PATH, STATUS_PATH, present.active_task, source.path}
    if source.kind == "state" or target in protected:
        return "INVALID"
    cited = present.cited_by_status
    if source.kind == "report" and target in cited and source.path not in cited:
        return "UNCITED"
    return "VALID"


def _authority(facts: Facts, present: Present) -> str:
    if facts.path in {PROJECT_PATH, STATUS_PATH}:
        return "CANONICAL"
    if facts.path == present.active_task:
        return "ACTIVE_TASK"
    if facts.kind == "report":
        return "CITED_REPORT" if facts.path in present.cited else "SCOPED_REPORT"
    return "HISTORY" if facts.kind == "history" else "OTHER_TASK"


def _temporal(
    facts: Facts,
    present: Present,
    superseded: AbstractSet[str],
    horizon: str | None,
) -> str:
    if facts.path in superseded:
        return "superseded"
    if facts.path in {PROJECT_PATH, STATUS_PATH, present.active_task}:
        return "current"
    if facts.kind in {"history", "task"}:
        return "historical"
    if facts.kind == "report":
        uncited = facts.path not in present.cited
        return "historical" if uncited and _older(facts, horizon) else "scoped"
    return "unknown"


def _horizon(facts: Sequence[Facts], present: Present) -> str | None:
    """Give the moment before which an uncited report is the past."""
    if present.last_verified and instant(present.last_verified):
        return present.last_verified
    cited = [
        f.timestamp
        for f in facts
        if f.kind == "report" and f.path in present.cited and f.timestamp
    ]
    return max(cited, key=_moment, default=None)


def _older(facts: Facts, horizon: str | None) -> bool:
    if horizon is None or facts.timestamp is None:
        return False
    own, other = _moment(facts.timestamp), _moment(horizon)
    if min(len(facts.timestamp), len(horizon)) <= _DATE_LENGTH:
        return own[:_DATE_LENGTH] < other[:_DATE_LENGTH]
    return own < other


def _moment(timestamp: str) -> str:
    moment = instant(timestamp)
    return moment.isoformat() if moment else ""


def _components(edges: Mapping[str, AbstractSet[str]]) -> dict[str, int]:
    """Give each node its strongly connected component (Tarjan 1972), unrecursed."""
    nodes = sorted({*edges, *(t for targets in edges.values() for t in targets)})
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    component: dict[str, int] = {}
    path: list[str] = []
    for root in nodes:
        if root in order:
            continue
        work = [(root, iter(sorted(edges.get(root, ()))))]
        order[root] = low[root] = len(order)
        path.append(root)
        while work:
            node, targets = work[-1]
            step = next((t for t in targets if t not in component), None)
            if step is None:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == order[node]:
                    cut = path.index(node)
                    component.update(dict.fromkeys(path[cut:], order[node]))
                    del path[cut:]
            elif step in order:
                low[node] = min(low[node], order[step])
            else:
                order[step] = low[step] = len(order)
                path.append(step)
                work.append((step, iter(sorted(edges.get(step, ())))))
    return component
