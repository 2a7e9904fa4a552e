"""Corpora for tests: real files in a folder of the test's own, small and conforming.

`write_corpus` without arguments gives a corpus that validates: PROJECT, STATUS, one
active task, one cited report, one page of history. Every part can be replaced by the
text a test is about; `task_page` and `report_page` write the usual rest around it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from corpus.userdirs import UserDirs
from corpus.view import build_index, live_view, open_view

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from corpus.view import View

HOME = ".project-corpus"
NOW = 1_767_225_600.0
"""2026-01-01T00:00:00Z, the moment indexes of tests are built at."""

READ = tuple(
    f"{HOME}/{folder}/**" for folder in ("state", "tasks", "reports", "history")
)
ALLOW = (
    "corpus.read",
    "corpus.stat",
    "corpus.search",
    "corpus.timeline",
    "corpus.context",
    "corpus.validate",
)

REQUIREMENTS = ("expected_hash", "verified_readback", "audit_receipt")


def fixed_bytes(count: int) -> bytes:
    """Stand in for randomness where a test needs none."""
    return bytes(range(1, count + 1))


def policy_page(
    project_id: str = "demo-one",
    *,
    allow: Sequence[str] = ALLOW,
    read: Sequence[str] = READ,
    deny: Sequence[str] = (),
) -> str:
    """Write a READ_ONLY policy."""
    rows = [
        'policy_version = "2.0"',
        f'project_id = "{project_id}"',
        'profile = "READ_ONLY"',
        "",
        "[capabilities]",
        f"allow = {json.dumps(list(allow))}",
        "",
        "[scopes]",
        f"read = {json.dumps(list(read))}",
        "write = []",
    ]
    if deny:
        rows.append(f"deny = {json.dumps(list(deny))}")
    rows += ["", "[requirements]"]
    rows += [f"{name} = false" for name in REQUIREMENTS]
    return "\n".join(rows) + "\n"


def project_page(project_id: str = "demo-one", **sections: str) -> str:
    """Write a PROJECT; a keyword such as `non_goals` replaces a section's text."""
    texts = {
        "objective": "Measure rainfall at twelve stations and publish daily totals.",
        "invariants": "- A reading is never changed after it is published.",
        "durable_scope_boundaries": "Only stations in the northern valley.",
        "non_goals": "Weather forecasts.",
        **sections,
    }
    metadata = {
        "Protocol-Version": "2.0",
        "Project-ID": project_id,
        "Logical-Name": "Rain Gauge Network",
    }
    return _page("Rain Gauge Network", metadata, texts)


def status_page(
    project_id: str = "demo-one",
    *,
    active_task: str = "task-one",
    verified: str = "2026-01-01T00:00:00Z",
    lifecycle: str = "ACTIVE",
    **sections: str,
) -> str:
    """Write a STATUS; a keyword such as `blockers` replaces a section's text."""
    texts = {
        "current_verified_baseline": "Nine of twelve stations report every hour.",
        "blockers": "NONE",
        "evidence_references": "- Report-ID: report-one",
        "exact_next_action": "Install the gauge at station ten.",
        **sections,
    }
    metadata = {
        "Protocol-Version": "2.0",
        "Project-ID": project_id,
        "Lifecycle-Status": lifecycle,
        "Active-Task-ID": active_task,
        "Last-Verified-At": verified,
        "Evidence-Class": "OBSERVED",
    }
    return _page("Status", metadata, texts)


def task_page(
    task_id: str,
    *,
    status: str = "OPEN",
    project_id: str = "demo-one",
    metadata: Mapping[str, str] | None = None,
    **sections: str,
) -> str:
    """Write a task; a keyword such as `scope` replaces a section's text."""
    texts = {
        "objective": f"Finish the work named {task_id}.",
        "scope": "The three stations without a gauge.",
        "constraints": "No station is offline for more than an hour.",
        "acceptance_criteria": "Each station reports for seven days.",
        **sections,
    }
    values = {
        "Protocol-Version": "2.0",
        "Project-ID": project_id,
        "Task-ID": task_id,
        "Task-Status": status,
        "Created-At": "2025-12-20T08:00:00Z",
        **(metadata or {}),
    }
    return _page(f"Task {task_id}", values, texts)


def report_page(
    report_id: str,
    *,
    created: str = "2026-01-05T08:00:00Z",
    project_id: str = "demo-one",
    metadata: Mapping[str, str] | None = None,
    **sections: str,
) -> str:
    """Write a report; a keyword such as `evidence` replaces a section's text."""
    texts = {
        "summary": f"What {report_id} found.",
        "evidence": "The log of the data collector.",
        "limitations": "One week of data.",
        **sections,
    }
    values = {
        "Protocol-Version": "2.0",
        "Project-ID": project_id,
        "Report-ID": report_id,
        "Task-ID": "task-one",
        "Created-At": created,
        "Result": "PASS",
        **(metadata or {}),
    }
    return _page(f"Report {report_id}", values, texts)


def write_corpus(  # noqa: PLR0913 - every part of a corpus can be replaced
    root: Path,
    *,
    project_id: str = "demo-one",
    tasks: Mapping[str, str] | None = None,
    reports: Mapping[str, str] | None = None,
    history: Mapping[str, str] | None = None,
    project: str | None = None,
    status: str | None = None,
    policy: str | None = None,
) -> Path:
    """Write a corpus below `root`, which is created, and give `root`.

    The mappings take a stem, or a path below the folder, to the page's whole text;
    the usual artifacts of a kind are written only when its mapping is None.
    """
    if tasks is None:
        tasks = {
            "task-one": task_page("task-one", status="ACTIVE", project_id=project_id)
        }
    if reports is None:
        reports = {"report-one": report_page("report-one", project_id=project_id)}
    if history is None:
        history = {"year-one": "# Year one\n\nThe first gauge froze in winter.\n"}
    home = root / HOME
    write(home / "policy.toml", policy or policy_page(project_id))
    write(home / "state/PROJECT.md", project or project_page(project_id))
    write(home / "state/STATUS.md", status or status_page(project_id))
    write(root / "AGENTS.md", "# Agents\n\nRead the corpus first.\n")
    folders = {"tasks": tasks, "reports": reports, "history": history}
    for folder, pages in folders.items():
        (home / folder).mkdir(parents=True, exist_ok=True)
        for name, text in pages.items():
            ended = name if "." in name.rpartition("/")[2] else f"{name}.md"
            write(home / folder / ended, text)
    return root


def write(path: Path, text: str | bytes) -> Path:
    """Write a file and the folders above it; line ends are kept as given."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8") if isinstance(text, str) else text)
    return path


def dirs_of(root: Path) -> UserDirs:
    """Give the folders of the user who owns a test's corpus: beside it, not in it."""
    user = root.parent / f"{root.name}-user"
    return UserDirs(state=user / "state", trust=user / "trust")


def view_of_corpus(root: Path) -> View:
    """Build the index of a corpus on disk and open it."""
    dirs = dirs_of(root)
    build_index(root, dirs=dirs, random=fixed_bytes, now=NOW)
    return open_view(root, dirs=dirs)


def live_view_of_corpus(root: Path) -> View:
    """Open a corpus with an index in memory; nothing is written."""
    return live_view(root, dirs=dirs_of(root), random=fixed_bytes)


def _page(title: str, metadata: Mapping[str, str], sections: Mapping[str, str]) -> str:
    rows = [f"# {title}", ""]
    rows += [f"{key}: {value}" for key, value in metadata.items()]
    for name, text in sections.items():
        rows += ["", f"## {_title(name)}", "", text]
    return "\n".join(rows) + "\n"


def _title(name: str) -> str:
    return "Non-Goals" if name == "non_goals" else name.replace("_", " ").title()
