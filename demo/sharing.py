"""How a decision rises: to the team's file, into a bundle, and into the corpus."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from demo.client import Session
from demo.plot import (
    FILE,
    HISTORY,
    IN_FORCE,
    MEMORY,
    PROTOTYPE,
    REPORT,
    SUPERSEDED,
    TEAM_FILE,
)
from demo.stage import NAME, act, require, title, with_words

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from demo.stage import Desk

RUNGS = ("report", "candidate", "record", "item", "quote", "turn")


def share(anna: Desk, origin: Path) -> str:
    """Put one record into the team's file, and push it; give the record's id."""
    act("THE TEAM: one decision goes into a file that git carries")
    title("Anna shares the decision. Only this command ever puts anything there.")
    record = record_of(anna)
    anna.show("agentctx", "promote", record, "--yes")
    anna.show("agentctx", "team", "export")
    anna.show("git", "add", TEAM_FILE)
    anna.show("git", "diff", "--cached", "--unified=0", only=with_words("+", "### "))
    anna.show("git", "commit", "-qm", "Share where the lockout keeps its count")
    text = (anna.root / TEAM_FILE).read_text(encoding="utf-8")
    require(IN_FORCE in text, "the decision is in the team's file")
    require(text.count("### ") == 1, "nothing else is in the team's file")
    kept = anna.ask("git", "ls-files", ".agentctx").out.split()
    require(kept == [TEAM_FILE], "git carries the team's file, and no memory")
    anna.ask("git", "init", "-q", "--bare", str(origin))
    anna.ask("git", "remote", "add", "origin", str(origin))
    anna.show("git", "push", "-q", "origin", "main")
    return record


def arrive(ben: Desk, origin: Path) -> None:
    """Clone, and be told the team's decision in the first session."""
    act("A TEAMMATE: Ben clones the project and begins his first session")
    at_home = replace(ben, root=ben.root.parent)
    at_home.show("git", "clone", "-q", str(origin), NAME)
    require(ben.ask("agentctx", "init", "--yes").status == 0, "Ben installs it, too")
    title(
        "Nothing was ever recorded on Ben's machine, and there is no key. Still his"
        " first session is told what the team decided: quoted, and as a teammate's."
    )
    told = Session(ben, "ben-first").start()
    require(IN_FORCE in told, "the teammate's session is told the decision")
    (head,) = [line for line in told.splitlines() if line.startswith("[")]
    require("teammate" in head, "it is told as a teammate's")
    done = ben.ask("agentctx", "work", "--now")
    require(done.status == 0, "what is new in the file is taken in")
    title("Behind the session it was taken in, and can be looked up with its source.")
    shown = ben.show("agentctx", "show", head[1 : head.index("]")]).out
    require(IN_FORCE in shown, "the record says what Anna shared")
    require("from         teammate" in shown, "it stays a teammate's")


def carry(anna: Desk) -> None:
    """Compile a bundle of files, records and memory; follow one line to its words."""
    act("THE BUNDLE: files, records and memory in one, and each line can be proven")
    title(
        "The policy of this project lets bundles carry records and memory. Asked for"
        " the history, the bundle has the decision in force, what it superseded,"
        " labelled so, and the lines of files that are about it."
    )
    anna.show("project-corpus", "context", "build")
    command = ("context", "bundle", HISTORY)
    only = with_words("[", "Keep the lockout", "The lockout counts")
    anna.show("project-corpus", *command, "--format", "prompt", only=only)
    title("The same as JSON, to keep. Anyone can verify it later, line by line.")
    anna.show("project-corpus", *command, into="bundle.json")
    verify = ("context", "verify", "--bundle", "bundle.json")
    anna.show("project-corpus", *verify)  # ends with 1 where anything is not so
    bundle = json.loads((anna.root / "bundle.json").read_text(encoding="utf-8"))
    carried = {one["source_path"]: one for one in bundle["items"]}
    for place in (".project-corpus/", "agentctx:records/", "agentctx:memory/"):
        found = [path for path in carried if path.startswith(place)]
        require(found, f"the bundle carries a line of {place}")
    past = _line_of(carried, SUPERSEDED)
    require(carried[past]["temporal_status"] == "superseded", "the past is labelled so")
    line = _line_of(carried, IN_FORCE)
    title(
        f"Who doubts the line {line} asks why. The answer walks down, rung by rung, to"
        " what Anna said, and when."
    )
    walked = anna.show("project-corpus", "why", line).out
    require(rungs_in(walked) == RUNGS[2:], "every rung is there")
    require(f"| {FILE}\n" in walked, "the walk ends at the very words")
    walked = anna.ask("project-corpus", "why", past, "--format", "text").out
    require(f"| {MEMORY}\n" in walked, "so it does for what was superseded")


def rise(anna: Desk, record: str) -> None:
    """Propose the record for the corpus, and accept it under a grant."""
    act("THE CORPUS: a person makes the decision canonical, under a grant")
    title(
        "Nothing an agent says gets into the corpus by itself. Anna proposes the record"
        " with the lines of a report that support it, and it waits."
    )
    submit = ("candidate", "submit", "--record", record, "--source", PROTOTYPE)
    name = anna.show("project-corpus", *submit).out.split()[0]
    accept = ("candidate", "accept", name, "--report", REPORT, "--yes")
    refused = anna.show("project-corpus", *accept, status=2)
    require("TRUST_MISSING" in refused.err, "without a grant it is refused")
    title("The owner of the machine grants writing, outside the project.")
    grant = ("trust", "create", "--writes", "--yes")
    anna.show("project-corpus", *grant, only=with_words("granted", "cli", "writes:"))
    anna.show("project-corpus", *accept)
    title("The whole ladder, from the report down to the words.")
    walked = anna.show("project-corpus", "why", REPORT).out
    require(rungs_in(walked) == RUNGS, "every rung is there")
    require(f"| {FILE}\n" in walked, "the walk ends at the very words")
    anna.show("project-corpus", "validate")
    anna.show("git", "add", ".project-corpus")
    anna.show("git", "commit", "-qm", "Report where the lockout keeps its count")
    anna.show("git", "push", "-q", "origin", "main")


def record_of(desk: Desk) -> str:
    """Give the id of the record of the decision in force."""
    found = desk.value("agentctx", "search", "lockout count", "--type", "decision")
    require(len(found["results"]) == 1, "one decision about the lockout is in force")
    record: str = found["results"][0]["id"]
    shown = desk.value("agentctx", "show", record)["record"]
    require(shown["body"] == IN_FORCE, "it is the one that was said last")
    return record


def rungs_in(walked: str) -> tuple[str, ...]:
    """Give the rungs that are as they were, the highest first."""
    return tuple(re.findall(r"^[> ] (\w+) [^\s,]+$", walked, re.MULTILINE))


def _line_of(carried: Mapping[str, Mapping[str, str]], words: str) -> str:
    """Give the path of the one line of ours that says some words."""
    found = [path for path, one in carried.items() if words in one["text"]]
    require(len(found) == 1, f"one line says `{words}`")
    return found[0]
