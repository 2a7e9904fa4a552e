"""The files alone: checked, asked, compiled, proven, and written within a grant."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

from demo.stage import (
    NAME,
    SAMPLE,
    Desk,
    act,
    first,
    own_environment,
    programs,
    require,
    say,
    title,
    with_words,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from demo.stage import Answer

REPORTS = ".project-corpus/reports"
LATCH_AT_BENCH = f"{REPORTS}/report-0003-latch-bench-rotterdam.md"
LATCH_IN_FIELD = f"{REPORTS}/report-0010-latch-field-rotterdam.md"
MQTT = f"{REPORTS}/report-0002-transport-mqtt-decision.md"
HTTPS = f"{REPORTS}/report-0007-transport-https-decision.md"
COLD = f"{REPORTS}/report-0004-cold-chamber-kazan.md"
BATTERY = f"{REPORTS}/report-0009-factory-latch-check.md"
STATUS = ".project-corpus/state/STATUS.md"
EDITED = f"{REPORTS}/report-0014-lockout-prototype.md"

BUILD = ("context", "build", "--format", "json")
FILES = ("--bundle", "bundle.json", "--receipt", "receipt.json")
VERIFY = ("context", "verify", *FILES)

ADDED = "The second cabinet joined on 2026-03-29."

HOW_LONG = "how long does the latch stay open after an unlock command"
COLD_START = "за сколько запускается контроллер на морозе"
BATTERY_TIME = "断电后备用电池可以支持多长时间"
TRANSPORT = "how do cabinets receive commands from the server"


def look_at_the_corpus(desk: Desk) -> None:
    """Validate the files and read the status card."""
    title("A corpus is Markdown under .project-corpus/. Does it follow the rules?")
    show(desk, "validate")
    report = desk.value("project-corpus", "validate")
    require(report["ok"] and not report["issues"], "validate finds nothing wrong")
    title("Where does the project stand?")
    show(desk, "status")


def build(desk: Desk) -> None:
    """Build the index from scratch."""
    title("Build the index: hashes, line numbers and keyed terms, no text.")
    built = show(desk, *BUILD, only=with_words('"parsed"', '"source_count"')).value
    require(built["parsed"] == built["source_count"], "every source is read")


def ask_three_questions(desk: Desk) -> None:
    """Ask in three languages; the first answer holds a contradiction."""
    title("Ask. Two reports disagree in a number: both come, and each names the other.")
    found = query(desk, HOW_LONG)
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
    best = query(desk, COLD_START)[0]
    require(best["source_path"] == COLD, "the report on the cold chamber comes first")
    title("Ask in Chinese: how long does the backup battery last in a power cut?")
    best = query(desk, BATTERY_TIME)[0]
    require(best["source_path"] == BATTERY, "the factory's report comes first")


def bundle(desk: Desk) -> None:
    """Compile a prompt; the superseded decision stays out of it."""
    title("Compile what an agent should know, ready to paste into a prompt.")
    say("The first decision, MQTT, was superseded; only its successor is in.\n")
    standing = {
        result["source_path"]: result["temporal_status"]
        for result in query(desk, TRANSPORT, show_it=False)
    }
    require(standing.get(MQTT) == "superseded", "a query labels what is superseded")
    command = ("context", "bundle", TRANSPORT, "--max-tokens", "900")
    prompt = show(
        desk,
        *command,
        "--format",
        "prompt",
        only=with_words("# Project", "[", "bundle "),
    ).out
    require(f"{HTTPS}:" in prompt, "the decision that holds is cited with its lines")
    require(f"{MQTT}:" not in prompt, "the superseded decision is left out")


def prove(desk: Desk) -> None:
    """Save a bundle, state what was handed over, verify both."""
    title("Keep a bundle, note who got it, and check both later.")
    command = ("context", "bundle", TRANSPORT, "--format", "json")
    show(desk, *command, into="bundle.json")
    receipt = ("context", "receipt", "--bundle", "bundle.json")
    show(desk, *receipt, "--consumer", "review-agent", into="receipt.json")
    show(desk, *VERIFY)
    verdict = desk.value("project-corpus", *VERIFY)
    require(verdict["ok"] and verdict["receipt_ok"], "bundle and receipt hold")


def change_a_source(desk: Desk) -> None:
    """Edit one report: the old index is refused, the new one costs one file."""
    title("A report changes. An index that is out of date is refused, not trusted.")
    say(rf"$ printf '\n{ADDED}\n' >> {EDITED}")
    with (desk.root / EDITED).open("a", encoding="utf-8", newline="\n") as source:
        source.write(f"\n{ADDED}\n")
    refused = show(desk, "context", "query", "second cabinet", status=2)
    require("INDEX_STALE" in refused.err, "the refusal is INDEX_STALE")
    require(EDITED in refused.err, "it names the file that changed")
    title("Build again: only that file is read.")
    built = show(desk, *BUILD, only=with_words('"parsed"', '"source_count"')).value
    require(built["parsed"] == 1, "one source is read")
    found = query(desk, "when did the second cabinet join", show_it=False)
    require(found[0]["source_path"] == EDITED, "the new line is found")
    title("The bundle is still intact; it is no longer the state of the corpus.")
    shown = ('"intact"', '"snapshot_current"', EDITED)
    command = (*VERIFY, "--format", "json")
    verdict = show(desk, *command, status=1, only=with_words(*shown)).value
    require(verdict["intact"] and not verdict["snapshot_current"], "verify says both")


def diagnose(desk: Desk) -> None:
    """Let the doctor look at everything."""
    title("Is anything wrong with the corpus or its index?")
    show(desk, "context", "doctor", only=first(8))


def write_within_a_grant(desk: Desk) -> None:
    """Write a report under the owner's grant; what is not granted is refused."""
    title("A project may offer controlled writes. Nothing is written without a grant.")
    where = ("--project-id", "locker-pilot", "--profile", "SAFE_EDIT")
    show(desk, "init", "pilot", *where, only=first(3))
    report = (
        *("report", "create", "pilot", "--id", "report-pilot-opened"),
        *("--title", "The pilot is open", "--task", "NONE", "--result", "PASS"),
        *("--summary", "Forty lockers were handed over on 2026-03-30."),
    )
    refused = show(desk, *report, status=2)
    require("TRUST_MISSING" in refused.err, "the refusal names the missing grant")
    title("The owner grants it, outside the project.")
    show(desk, "trust", "create", "pilot", "--writes")
    wanted = ("phase", '"sha256"', "transaction_id")
    as_json = ("--format", "json")
    outcome = show(desk, *report, *as_json, only=with_words(*wanted)).value
    require(outcome["phase"] == "COMPLETE", "the write is complete")
    title("The receipt says what became what, in hashes.")
    named = ("--transaction-id", outcome["transaction_id"])
    command = ("audit-read", "pilot", *named, *as_json)
    receipt = show(desk, *command, only=with_words("_sha256")).value["receipt"]
    require(receipt["new_sha256"] == outcome["sha256"], "receipt and write agree")
    title("Who read STATUS before it changed cannot overwrite it.")
    status = ("state", "update", "pilot", "--input", f"pilot/{STATUS}")
    stale = show(desk, *status, "--expected-sha256", "0" * 64, status=2)
    require("STALE_HASH" in stale.err, "it is refused as stale")


STEPS: tuple[Callable[[Desk], None], ...] = (
    look_at_the_corpus,
    build,
    ask_three_questions,
    bundle,
    prove,
    change_a_source,
    diagnose,
    write_within_a_grant,
)


def play(folder: Path) -> None:
    """Show what the files alone can do."""
    act("THE FILES: what is true about a project, in Markdown")
    home = folder / "home"
    desk = Desk(root=folder / NAME, env=own_environment(home, programs()))
    shutil.copytree(SAMPLE, desk.root)
    for step in STEPS:
        step(desk)


def query(desk: Desk, words: str, *, show_it: bool = True) -> list[dict[str, Any]]:
    """Ask one question, for people and again for the checks."""
    command = ("context", "query", words, "--limit", "2")
    if show_it:
        show(desk, *command)
    results: list[dict[str, Any]] = desk.value("project-corpus", *command)["results"]
    require(bool(results), "something is found")
    return results


def show(
    desk: Desk,
    *words: str,
    status: int = 0,
    into: str = "",
    only: Callable[[str], str] | None = None,
) -> Answer:
    """Show a command of the corpus."""
    return desk.show("project-corpus", *words, status=status, into=into, only=only)
