"""Fleets of corpora for tests, and a provider that does what a corpus says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from corpus.sources.provided import CAPABILITIES
from tests.corpora import (
    ALLOW,
    HOME,
    policy_page,
    report_page,
    status_page,
    write,
    write_corpus,
)

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = '''\
"""Does to its process what files of the corpus say."""

import os, signal, threading


class Hostile:
    capability = "corpus.records"
    prefix = "hostile:records/"

    def find(self, question):
        return ()

    def named(self, place, paths):
        if (place.root / "die").exists():
            os.kill(os.getpid(), signal.SIGKILL)
        if (place.root / "hang").exists():
            threading.Event().wait()
        if (place.root / "here").exists():
            self.line = os.open(place.root / "here", os.O_WRONLY)
            os.write(self.line, b"%d\\n" % os.getpid())
            with open(place.root / "go"):
                pass
        return ()


PROVIDER = Hostile()
'''


def install_hostile(folder: Path) -> Path:
    """Write the provider as a package is installed; give the folder to be on the path.

    In a corpus that allows providers the file `die` kills the process that asks, `hang`
    keeps it waiting, and the pipe `here` gets its number and stays open until it ends,
    while the pipe `go` is waited for.
    """
    write(folder / "hostile_provider.py", HOSTILE)
    package = folder / "hostile-1.dist-info"
    write(package / "METADATA", "Metadata-Version: 2.1\nName: hostile\nVersion: 1\n")
    entry = "[corpus.providers]\nhostile.records = hostile_provider:PROVIDER\n"
    write(package / "entry_points.txt", entry)
    return folder


def open_policy(project_id: str) -> str:
    """Write a policy that lets providers be asked."""
    return policy_page(project_id, allow=(*ALLOW, *sorted(CAPABILITIES)))


def write_fleet(folder: Path) -> tuple[str, ...]:
    """Write corpora below `folder`, some in a bad way; give their names in order.

    Each has a word of its own. `bare` has no dataset, `dangling` a doctor's failure,
    and a case of its dataset fails; `broken` has no policy that can be read.
    """
    names = ("alpha", "bare", "broken", "dangling", "missing", "omega")
    for name in names:
        if name == "missing":
            continue
        cited = f"{HOME}/reports/report-{'nine' if name == 'dangling' else 'one'}.md"
        root = write_corpus(
            folder / name,
            project_id=f"the-{name}",
            reports={
                "report-one": report_page(
                    "report-one",
                    project_id=f"the-{name}",
                    summary=f"Only here the gauge is called {name}ium.",
                )
            },
            status=status_page(f"the-{name}", evidence_references=f"- {cited}"),
            policy="{" if name == "broken" else None,
        )
        path = f"{HOME}/reports/report-one.md"
        wanted = "nothing.md" if name == "dangling" else path
        cases = [{"query": f"the gauge {name}ium", "expected_source_paths": [wanted]}]
        if name != "bare":
            dataset = {"schema_version": "1", "cases": cases}
            write(root / "eval.json", json.dumps(dataset))
    return names
