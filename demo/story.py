"""Two people and a decision: said, taken back, told, shared, proven, let go.

Anna's agent remembers what she says; Ben has a clone and a home of his own, and no key.
"""

from __future__ import annotations

import shutil
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from demo import client, sharing
from demo.client import Session
from demo.plot import (
    FILE,
    IN_FORCE,
    LET_GO,
    MEMORY,
    SUPERSEDED,
    TEST_CODE,
    TRY_IT,
    WHERE,
)
from demo.recording import Recording
from demo.stage import (
    NAME,
    SAMPLE,
    Desk,
    act,
    edit,
    own_environment,
    programs,
    require,
    say,
    title,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

POLICY = Path(".project-corpus") / "policy.toml"
OFFERED = '    "corpus.validate",\n'
MORE = "".join(
    f'    "{name}",\n'
    for name in ("corpus.records", "corpus.memory", "report.create", "audit.read")
)
IGNORED = ".project-corpus/audit/\n.project-corpus/cache/\nbundle.json\n"
PATIENCE = 120
"""Seconds after which something that has to happen will not."""

PROVEN = (
    "what was said in a session is kept, with its words, without being asked for",
    "what was decided later is in force; what it superseded is history, and not told",
    "the next session is told what is in force; small talk is told nothing",
    "a person's act shares a decision through git; nothing else got into the file",
    "a teammate's clone is told it in its first session, as a teammate's",
    "a bundle carries files, records and memory, each line hashed; it verifies",
    "from a line of the bundle, and from the report, `why` reaches the words",
    "a report was written under a grant, by a person's act, and not before",
    "what was forgotten is gone: from search, prompts and every file of ours",
    "no service was asked: the model was a recording on this machine",
)


def play(folder: Path) -> None:
    """Tell the story on one machine, in two homes."""
    require(shutil.which("git"), "git is installed")
    anna, ben = person(folder, "anna"), person(folder, "ben")
    with Recording() as model:
        key = {"ANTHROPIC_API_KEY": "recorded", "ANTHROPIC_BASE_URL": model.url}
        anna = replace(anna, env={**anna.env, **key})
        set_out(anna)
        a_day_of_sessions(anna)
        the_next_day(anna)
        record = sharing.share(anna, folder / "origin.git")
        sharing.arrive(ben, folder / "origin.git")
        sharing.carry(anna)
        sharing.rise(anna, record)
        let_go(anna)
        asked = model.asked
        for desk in (anna, ben):
            rest(desk)
    act("WHAT WAS PROVEN")
    for number, one in enumerate(PROVEN, start=1):
        say(f"{number:>3}. {one}")
    require(asked, "the recording was asked")
    say(f"\nThe recording was asked {asked} times. Nothing left this machine.")


def person(folder: Path, name: str) -> Desk:
    """Give somebody a home, a name for git, and Claude Code."""
    home = folder / name
    home.mkdir()
    named = f"[user]\n\tname = {name.title()}\n\temail = {name}@example.org\n"
    named += "[init]\n\tdefaultBranch = main\n"
    (home / ".gitconfig").write_text(named, encoding="utf-8")
    env = own_environment(home, programs())
    client.install(home)
    return Desk(root=home / NAME, env=env, person=name)


def set_out(anna: Desk) -> None:
    """Put the corpus under version control, and let sessions remember."""
    act("THE STORY: Anna and Ben work on the lockers, each in a home of their own")
    title(
        "The model here is a recording: a small server on this machine that answers"
        " from a written script (demo/recording.json). All else is real: the"
        " processes, the hooks and what they are given, the databases, git."
    )
    shutil.copytree(SAMPLE, anna.root)
    edit(anna.root / POLICY, '"READ_ONLY"', '"SAFE_EDIT"')
    edit(anna.root / POLICY, OFFERED, OFFERED + MORE)
    edit(anna.root / POLICY, "write = []", 'write = [".project-corpus/reports/**"]')
    (anna.root / ".gitignore").write_text(IGNORED, encoding="utf-8")
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "The lockers")):
        require(anna.ask("git", *words).status == 0, f"git {words[0]} works")
    title("One command makes Claude Code's hooks remember; it shows what it changes.")
    anna.show("agentctx", "init", "--yes", only=outline)


def outline(text: str) -> str:
    """Leave the summary of what was changed, without the changes."""
    kept = [line for line in text.splitlines() if line[:1] not in {"+", "-", "@", ""}]
    return "\n".join([*kept, "  (the changes to both files are not repeated here)"])


def a_day_of_sessions(anna: Desk) -> None:
    """Decide, wish, and decide otherwise."""
    act("A DAY OF SESSIONS: a decision is made, and taken back")
    title(
        "In the morning Anna decides something, and says how she works. Nothing is"
        " known yet, so her agent is told nothing."
    )
    morning = Session(anna, "morning")
    morning.start()
    morning.ask(MEMORY, "Then the controller counts them in its memory.")
    morning.ask(TEST_CODE, "I will.")
    morning.end()
    work(anna)
    title(
        "The session has ended. In the background a model has read what she said, and"
        " what it proposes is kept only where her own words bear it."
    )
    listed = anna.show("agentctx", "memory", "list").out
    require(SUPERSEDED in listed, "the decision was kept")
    require(LET_GO in listed, "the wish was kept")
    title("In the afternoon she thinks again, and says why.")
    afternoon = Session(anna, "afternoon")
    afternoon.start()
    afternoon.ask(FILE, "I move the count to a file that is replaced as a whole.")
    afternoon.end()
    work(anna)
    listed = anna.value("agentctx", "memory", "list")
    require(SUPERSEDED not in str(listed), "the first decision is not in force")
    item = item_of(listed, IN_FORCE)
    title("The new decision is in force. The old one is not lost: it is history.")
    versions = anna.show("agentctx", "memory", "history", item).out
    require(SUPERSEDED in versions, "the first decision is in the history")
    require(IN_FORCE in versions, "so is the one in force")
    anna.show("agentctx", "search", "lockout count")


def the_next_day(anna: Desk) -> None:
    """See what a new session is told."""
    act("THE NEXT SESSION: it is told what is in force, and nothing that is not")
    title("A session begins with where work stands, before Anna has said a word.")
    session = Session(anna, "next-day")
    told = session.start()
    title("A prompt is told what is surely about it. Small talk is told nothing.")
    told += session.ask(WHERE, "In a file, because it has to survive a power cut.")
    small_talk = session.ask("ok, thanks!", "You are welcome.")
    require(not small_talk, "small talk is told nothing")
    session.end()
    work(anna)
    require(IN_FORCE in told, "the decision in force is told")
    require(SUPERSEDED not in told, "the superseded decision is not told")


def let_go(anna: Desk) -> None:
    """Forget what should never have been said."""
    act("LETTING GO: what is forgotten is gone")
    title(
        "The code that Anna tries the test cabinet with is her own. She lets it go,"
        " and the words it stood on with it."
    )
    item = item_of(anna.value("agentctx", "memory", "list"), LET_GO)
    require(any(holding(anna, LET_GO)), "it was kept in a file until now")
    forget = ("memory", "forget", item, "--purge-quotes", "--confirm")
    anna.show("agentctx", *forget)
    title("No search finds it, no prompt is told it, and no file of ours holds it.")
    anna.show("agentctx", "memory", "search", "test cabinet")
    session = Session(anna, "last")
    session.start()
    told = session.ask(TRY_IT, "I do not know.")
    session.end()
    work(anna)
    require(LET_GO not in told, "no prompt is told what was forgotten")
    left = list(holding(anna, LET_GO))
    require(not left, f"no file holds what was forgotten, not even {left}")
    say(f"(files of ours that hold `{LET_GO}`: {len(left)})")


def work(desk: Desk) -> None:
    """Wait for the worker that a hook has woken."""
    done = desk.ask("agentctx", "work", "--now", "--max-seconds", str(PATIENCE))
    require(done.status == 0, "the worker does what waits")


def rest(desk: Desk) -> None:
    """Wait until no worker of somebody's is at work."""
    ends = time.monotonic() + PATIENCE
    while desk.value("agentctx", "status")["worker"]["running"]:
        require(time.monotonic() < ends, "the worker ends when nothing waits")
        time.sleep(0.2)


def item_of(listed: Mapping[str, Sequence[Mapping[str, str]]], words: str) -> str:
    """Give the id of the item that says some words."""
    found = [one["id"] for one in listed["items"] if words in one["statement"]]
    require(len(found) == 1, f"one item says `{words}`")
    return str(found[0])


def holding(desk: Desk, words: str) -> Iterator[Path]:
    """Give our files, of the project and of the user, that hold some words."""
    places = (desk.root / ".agentctx", Path(desk.env["AGENTCTX_HOME"]))
    for place in places:
        for path in sorted(place.rglob("*")):
            if path.is_file() and words.encode() in path.read_bytes():
                yield path
