"""Show the program at work on a small corpus, and fail if it does not keep its word.

    python demo/run.py [--keep]

The corpus beside this file is copied into a temporary folder together with a home of
its own, so nothing reaches the user's folders. Every command is printed before its
output. `--keep` leaves the folder for a closer look.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

SAMPLE = Path(__file__).parent / "corpus"
NAME = "parcel-lockers"
REPORTS = ".project-corpus/reports"
LATCH_AT_BENCH = f"{REPORTS}/report-0003-latch-bench-rotterdam.md"
LATCH_IN_FIELD = f"{REPORTS}/report-0010-latch-field-rotterdam.md"
MQTT = f"{REPORTS}/report-0002-transport-mqtt-decision.md"
HTTPS = f"{REPORTS}/report-0007-transport-https-decision.md"
COLD = f"{REPORTS}/report-0004-cold-chamber-kazan.md"
BATTERY = f"{REPORTS}/report-0009-factory-latch-check.md"
STATUS = ".project-corpus/state/STATUS.md"
EDITED = f"{REPORTS}/report-0014-lockout-prototype.md"

ADDED = "The second cabinet joined on 2026-03-29."

HOW_LONG = "how long does the latch stay open after an unlock command"
COLD_START = "за сколько запускается контроллер на морозе"
BATTERY_TIME = "断电后备用电池可以支持多长时间"
TRANSPORT = "how do cabinets receive commands from the server"


class BrokenPromiseError(Exception):
    """A step did not do what it says."""


class Answer(NamedTuple):
    """What one command left."""

    status: int
    out: str
    err: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A temporary folder with the corpus, and the environment to run commands in."""

    folder: Path
    program: Sequence[str]
    env: Mapping[str, str]

    @property
    def root(self) -> Path:
        """The project's folder; commands run in it, so none has to name it."""
        return self.folder / NAME

    def ask(self, *arguments: str) -> Answer:
        """Run a command without showing it."""
        done = subprocess.run(  # noqa: S603 - our own program
            [*self.program, *arguments],
            cwd=self.root,
            env=self.env,
            capture_output=True,
            check=False,
        )
        return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())

    def show(self, *arguments: str, status: int = 0, into: str = "") -> Answer:
        """Print a command and run it; its output is printed, or goes `into` a file."""
        say(f"$ project-corpus {shlex.join(arguments)}{f' > {into}' if into else ''}")
        answer = self.ask(*arguments)
        if into:
            (self.root / into).write_text(answer.out, encoding="utf-8")
        elif answer.out:
            say(answer.out.rstrip("\n"))
        if answer.err:
            say(answer.err.rstrip("\n"))
        if answer.status:
            say(f"(exit status {answer.status})")
        say()
        require(answer.status == status, f"the command ends with status {status}")
        return answer


def look_at_the_corpus(stage: Stage) -> None:
    """Validate the files and read the status card."""
    title("A corpus is Markdown under .project-corpus/. Does it follow the rules?")
    stage.show("validate", "--format", "text")
    report = json.loads(stage.ask("validate").out)
    require(report["ok"] and not report["issues"], "validate finds nothing wrong")
    title("Where does the project stand?")
    stage.show("status", "--format", "text")


def build(stage: Stage) -> None:
    """Build the index from scratch."""
    title("Build the index: hashes, line numbers and keyed terms, no text.")
    built = json.loads(stage.show("context", "build").out)
    require(built["parsed"] == built["source_count"], "every source is read")


def ask_three_questions(stage: Stage) -> None:
    """Ask in three languages; the first answer holds a contradiction."""
    title("Ask. Two reports disagree in a number: both come, and each names the other.")
    found = query(stage, HOW_LONG)
    by_path = {result["source_path"]: result for result in found}
    require(LATCH_AT_BENCH in by_path, "the bench measurement is found")
    require(LATCH_IN_FIELD in by_path, "the field measurement is found")
    bench, field = by_path[LATCH_AT_BENCH], by_path[LATCH_IN_FIELD]
    require(
        field["item_id"] in bench.get("conflicts_with", ())
        and bench["item_id"] in field.get("conflicts_with", ()),
        "the two measurements point at each other",
    )
    title("Ask in Russian: how fast does the controller start in the cold?")
    first = query(stage, COLD_START)[0]
    require(first["source_path"] == COLD, "the report on the cold chamber comes first")
    title("Ask in Chinese: how long does the backup battery last in a power cut?")
    first = query(stage, BATTERY_TIME)[0]
    require(first["source_path"] == BATTERY, "the factory's report comes first")


def bundle(stage: Stage) -> None:
    """Compile a prompt; the superseded decision stays out of it."""
    title("Compile what an agent should know, ready to paste into a prompt.")
    say("The first decision, MQTT, was superseded; only its successor is in.\n")
    standing = {
        result["source_path"]: result["temporal_status"]
        for result in query(stage, TRANSPORT, show=False)
    }
    require(standing.get(MQTT) == "superseded", "a query labels what is superseded")
    command = ("context", "bundle", TRANSPORT, "--max-tokens", "900")
    prompt = stage.show(*command, "--format", "prompt").out
    require(f"{HTTPS}:" in prompt, "the decision that holds is cited with its lines")
    require(f"{MQTT}:" not in prompt, "the superseded decision is left out")


def prove(stage: Stage) -> None:
    """Save a bundle, state what was handed over, verify both."""
    title("Keep a bundle, note who got it, and check both later.")
    command = ("context", "bundle", TRANSPORT, "--format", "json")
    stage.show(*command, into="bundle.json")
    receipt = ("context", "receipt", "--bundle", "bundle.json")
    stage.show(*receipt, "--consumer", "review-agent", into="receipt.json")
    say((stage.root / "receipt.json").read_text(encoding="utf-8"))
    verdict = json.loads(stage.show(*verify()).out)
    require(verdict["ok"] and verdict["receipt_ok"], "bundle and receipt hold")


def change_a_source(stage: Stage) -> None:
    """Edit one report: the old index is refused, the new one costs one file."""
    title("A report changes. An index that is out of date is refused, not trusted.")
    say(rf"$ printf '\n{ADDED}\n' >> {EDITED}")
    with (stage.root / EDITED).open("a", encoding="utf-8", newline="\n") as source:
        source.write(f"\n{ADDED}\n")
    refused = stage.show("context", "query", "second cabinet", status=2)
    failure = json.loads(refused.err)
    require(failure["error"] == "INDEX_STALE", "the refusal is INDEX_STALE")
    require(failure["facts"]["changed"] == [EDITED], "it names the file that changed")
    title("Build again: only that file is read.")
    built = json.loads(stage.show("context", "build").out)
    require(built["parsed"] == 1, "one source is read")
    found = query(stage, "when did the second cabinet join", show=False)
    require(found[0]["source_path"] == EDITED, "the new line is found")
    title("The bundle is still intact; it is no longer the state of the corpus.")
    verdict = json.loads(stage.show(*verify(), status=1).out)
    require(verdict["intact"] and not verdict["snapshot_current"], "verify says both")


def diagnose(stage: Stage) -> None:
    """Let the doctor look at everything."""
    title("Is anything wrong with the corpus or its index?")
    report = json.loads(stage.show("context", "doctor").out)
    require(report["ok"], "the doctor finds nothing that fails")


def write_within_a_grant(stage: Stage) -> None:
    """Write a report under the owner's grant; what is not granted is refused."""
    title("A project may offer controlled writes. Nothing is written without a grant.")
    where = ("--project-id", "locker-pilot", "--profile", "SAFE_EDIT")
    stage.show("init", "pilot", *where, "--format", "text")
    report = (
        *("report", "create", "pilot", "--id", "report-pilot-opened"),
        *("--title", "The pilot is open", "--task", "NONE", "--result", "PASS"),
        *("--summary", "Forty lockers were handed over on 2026-03-30."),
    )
    refused = stage.show(*report, status=2)
    require("TRUST_MISSING" in refused.err, "the refusal names the missing grant")
    title("The owner grants it, outside the project.")
    stage.show("trust", "create", "pilot", "--writes", "--format", "text")
    outcome = json.loads(stage.show(*report).out)
    require(outcome["phase"] == "COMPLETE", "the write is complete")
    title("The receipt says what became what, in hashes.")
    named = ("--transaction-id", outcome["transaction_id"])
    receipt = json.loads(stage.show("audit-read", "pilot", *named).out)["receipt"]
    require(receipt["new_sha256"] == outcome["sha256"], "receipt and write agree")
    title("Who read STATUS before it changed cannot overwrite it.")
    status = ("state", "update", "pilot", "--input", f"pilot/{STATUS}")
    stale = stage.show(*status, "--expected-sha256", "0" * 64, status=2)
    require(json.loads(stale.err)["error"] == "STALE_HASH", "it is refused as stale")


STEPS: tuple[Callable[[Stage], None], ...] = (
    look_at_the_corpus,
    build,
    ask_three_questions,
    bundle,
    prove,
    change_a_source,
    diagnose,
    write_within_a_grant,
)


def query(stage: Stage, words: str, *, show: bool = True) -> list[dict[str, Any]]:
    """Ask one question, for people and again for the checks."""
    command = ("context", "query", words, "--limit", "3")
    if show:
        stage.show(*command, "--format", "text")
    answer = stage.ask(*command, "--format", "json")
    require(answer.status == 0, "the query answers")
    results: list[dict[str, Any]] = json.loads(answer.out)["results"]
    require(bool(results), "something is found")
    return results


def verify() -> tuple[str, ...]:
    """Give the command that checks the saved bundle and receipt."""
    files = ("--bundle", "bundle.json", "--receipt", "receipt.json")
    return ("context", "verify", *files)


def require(kept: object, promise: str) -> None:
    """Stop the demonstration when a promise is not kept."""
    if not kept:
        raise BrokenPromiseError(promise)


def say(text: str = "") -> None:
    """Print and flush, so that what is seen is what has happened."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def title(text: str) -> None:
    """Announce a step."""
    say(f"\n# {text}\n")


def program() -> tuple[str, ...]:
    """Find the installed command beside this interpreter, else run the source tree."""
    installed = Path(sys.executable).with_name("project-corpus")
    if installed.is_file():
        return (str(installed),)
    tree = str(Path(__file__).resolve().parents[1])
    code = (
        f"import sys; sys.path.append({tree!r});from corpus.cli.app import run; run()"
    )
    return (sys.executable, "-c", code)


def own_environment(home: Path) -> dict[str, str]:
    """Give the environment of a user who has nothing yet."""
    folders = {
        "HOME": "",
        "XDG_CONFIG_HOME": ".config",
        "XDG_STATE_HOME": ".local/state",
        "XDG_DATA_HOME": ".local/share",
        "XDG_CACHE_HOME": ".cache",
        "LOCALAPPDATA": "AppData/Local",
    }
    places = {name: str(home / folder) for name, folder in folders.items()}
    return {**os.environ, **places}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run every step; 0 when all did what they say, else 1."""
    parser = argparse.ArgumentParser(description="Show the program at work.")
    parser.add_argument("--keep", action="store_true", help="leave the folder behind")
    keep = parser.parse_args(arguments).keep
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8")
    folder = Path(tempfile.mkdtemp(prefix="project-corpus-demo-")).resolve()
    stage = Stage(
        folder=folder, program=program(), env=own_environment(folder / "home")
    )
    try:
        say(f"working in {stage.root}{'' if keep else ', removed at the end'}")
        shutil.copytree(SAMPLE, stage.root)
        for step in STEPS:
            step(stage)
        say("every step did what it says")
    except BrokenPromiseError as broken:
        say(f"FAILED: it is not so that {broken}")
        return 1
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
