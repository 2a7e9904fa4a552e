"""`agentctx init`: make the store, read the project, and tell the installed agents."""

from __future__ import annotations

import os.path
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentctx.briefing.digest import read_digest
from agentctx.cli import profile_refresh, remembrance
from agentctx.cli.changes import require_seen_consent, shown
from agentctx.cli.consent import add_yes
from agentctx.cli.opening import this_project
from agentctx.cli.sheet import row
from agentctx.clients import claude_code
from agentctx.config import environment, home, read_config, require_place
from agentctx.errors import ClientUnsupportedError
from agentctx.llm.access import KEY_VARIABLE, key_and_place
from agentctx.records.card import QUOTE
from agentctx.records.store import store_path
from corpus.cli.render import visible

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence

    from agentctx.cli.changes import Shown
    from agentctx.cli.profile_refresh import Renewed
    from agentctx.cli.remembrance import Remembrance
    from agentctx.clients.claude_code import Change
    from agentctx.config import Problem
    from agentctx.project import Project
    from corpus.cli.call import Call

SUMMARY = "Make the store, read the project, and register with the AI client here."
EXAMPLE = "agentctx init --dry-run"

UNSUPPORTED = ("codex", "cursor", "vscode", "gemini", "opencode", "cline", "windsurf")
"""Clients that have a name already and no adapter yet."""

_SCRUB = "CLAUDE_CODE_SUBPROCESS_ENV_SCRUB"


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """Whether a model will extract facts from sessions, and what it may cost."""

    runs: bool
    reason: str
    model: str
    spend_per_session: float
    spend_per_day: float

    def as_json(self) -> dict[str, object]:
        """Give it as one JSON object."""
        return {
            "runs": self.runs,
            "reason": self.reason,
            "model": self.model,
            "spend_per_session": self.spend_per_session,
            "spend_per_day": self.spend_per_day,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What is to be changed, or was; `asked` says that a person has seen it already.

    `corpus` is what sessions are told of the corpus here, None where there is none.
    """

    client: str | None
    home: str
    makes_store: bool
    files: tuple[Shown, ...]
    warnings: tuple[Problem, ...]
    extraction: Extraction
    memory: Remembrance
    applied: bool = False
    asked: bool = False
    profile: Renewed | None = None
    corpus: str | None = None

    def as_json(self) -> dict[str, object]:
        """Give the outcome as one JSON object."""
        return {
            "client": self.client,
            "home": self.home,
            "makes_store": self.makes_store,
            "files": [one._asdict() for one in self.files],
            "warnings": [one._asdict() for one in self.warnings],
            "extraction": self.extraction.as_json(),
            "memory": self.memory.as_json(),
            "applied": self.applied,
            "profile": None if self.profile is None else self.profile.as_json(),
            "corpus": self.corpus,
        }

    def lines(self) -> Iterator[str]:
        """Show what changes or has changed, and what to look at."""
        return lines(self)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    parser.add_argument(
        "--client",
        choices=(claude_code.NAME, *UNSUPPORTED),
        help="register with this client, whether it is found or not"
        " (default: the one that is found)",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="show what would change, change nothing"
    )
    parser.add_argument(
        "--no-memory",
        dest="memory",
        action="store_false",
        help="make no conversation memory for the project here",
    )
    add_yes(parser)


def run(
    call: Call, *, client: str | None, dry_run: bool, memory: bool, yes: bool
) -> Outcome:
    """Show every change, ask, make the store, and write our entries."""
    if client in UNSUPPORTED:
        raise ClientUnsupportedError(client=client)
    environ, folder = environment(), home()
    require_place(folder)
    project = this_project()  # UsageError before anything is asked
    where = claude_code.places(environ)
    is_used = client is not None or claude_code.is_present(environ)
    changes = claude_code.plan(where) if is_used else ()
    makes_store = not os.path.lexists(store_path(folder))
    remembered = remembrance.planned(
        project, home=folder, environ=environ, wanted=memory
    )
    told = _told(environ, folder, changes, remembered)
    if dry_run:
        return told
    asked = makes_store or remembered.makes or any(one.is_one for one in changes)
    if asked:
        question = "\n".join(_question(told))
        require_seen_consent(call, "init", question, plan=told, yes=yes)
    profile = profile_refresh.run(call)
    if remembered.makes:
        remembrance.make(call, project)
    if is_used:
        changes = claude_code.apply(folder, where)
    return Outcome(
        client=told.client,
        home=folder,
        makes_store=makes_store,
        files=tuple(map(shown, changes)),
        warnings=told.warnings,
        extraction=told.extraction,
        memory=remembered,
        applied=True,
        asked=asked and not yes,
        profile=profile,
        corpus=_corpus(folder, project),
    )


def as_json(value: Outcome) -> dict[str, object]:
    """Give the outcome as one JSON object."""
    return value.as_json()


def lines(value: Outcome) -> Iterator[str]:
    """Show what changes or has changed, and what to look at."""
    if not value.asked:
        yield from plan_lines(value)
        yield ""
    if value.profile is not None:
        refreshed = value.profile.refreshed
        keys = [key for keys in refreshed._asdict().values() for key in keys]
        told = ", ".join(visible(key) for key in keys)
        nothing = "no stack, command or entry point was found in its files"
        yield from row("project", told or nothing)
        for problem in value.profile.problems:
            yield from row("not read", visible(problem))
    for number, line in enumerate((value.corpus or "").splitlines()):
        yield from row("" if number else "told", visible(line))
    yield from row("memory", visible(value.memory.reason))
    yield from row("extraction", visible(value.extraction.reason))
    for one in value.warnings:
        yield from row("warning", f"{one.code}: {visible(one.detail)}")
        yield from row("", f"hint: {visible(one.hint)}")
    if not value.applied:
        yield "nothing was changed"
    elif value.client is None:
        yield "done; no client was told"
    else:
        yield "done; `agentctx uninstall` takes it back"


def plan_lines(value: Outcome) -> Iterator[str]:
    """Show the plan alone: the store, then a diff for each file that changes."""
    if value.makes_store:
        yield from row("store", f"{visible(value.home)} (new)")
    else:
        yield from row("store", f"{visible(value.home)} (there already)")
    if value.memory.makes:
        yield from row("memory", f"{visible(value.memory.folder)} (new)")
    if value.client is None:
        yield from row("client", f"{claude_code.TITLE} was not found here")
        yield from row("", f"`--client {claude_code.NAME}` registers all the same")
        return
    yield from row("client", claude_code.TITLE)
    yield from file_lines(value.files)


def file_lines(files: Sequence[Shown]) -> Iterator[str]:
    """Show what becomes of each file."""
    for one in files:
        if one.action == "none":
            yield from row("as it is", visible(one.path))
            continue
        yield from row(one.action, visible(one.path))
        if one.reason is not None:
            yield from row("", visible(one.reason))
            continue
        yield ""
        yield from map(visible, one.diff)
        yield ""


def _question(told: Outcome) -> Iterator[str]:
    yield from plan_lines(told)
    yield from row("memory", told.memory.reason)
    yield from row("extraction", told.extraction.reason)
    for one in told.warnings:
        yield from row("warning", one.detail)
    yield "make these changes?"


def _told(
    environ: Mapping[str, str],
    folder: str,
    changes: tuple[Change, ...],
    remembered: Remembrance,
) -> Outcome:
    return Outcome(
        client=claude_code.NAME if changes else None,
        home=folder,
        makes_store=not os.path.lexists(store_path(folder)),
        files=tuple(map(shown, changes)),
        warnings=claude_code.warnings(environ, changes) if changes else (),
        extraction=_extraction(environ, folder, changes),
        memory=remembered,
    )


def _corpus(folder: str, project: Project) -> str | None:
    """Give what the digest says of the corpus in the working tree here."""
    digest = read_digest(folder, project.project_id)
    notes = {} if digest is None else digest.corpora
    note = notes.get(project.worktree or "")
    if note is None or not note.text:
        return None
    return "\n".join(one.removeprefix(QUOTE) for one in note.text.splitlines())


def _extraction(
    environ: Mapping[str, str], folder: str, changes: tuple[Change, ...]
) -> Extraction:
    """Say whether a model will run, which needs a key and is allowed by default."""
    config = read_config(folder)
    model = config.text("model")
    session, day = config.number("spendPerSession"), config.number("spendPerDay")
    has_key = key_and_place(environ).key is not None
    has_key = has_key or claude_code.sets_in_settings(changes, KEY_VARIABLE)
    caps = f"at most ${session:.2f} a session and ${day:.2f} a day"
    runs = has_key and config.flag("llm")
    if not config.flag("llm"):
        reason = "off: `agentctx config --llm` turns it on"
    elif not has_key:
        reason = f"off: no {KEY_VARIABLE} is set; with one, {model}, {caps}"
    else:
        reason = f"on: {model}, {caps}; `agentctx config --no-llm` turns it off"
        if environ.get(_SCRUB) == "1":
            reason += f"; {_SCRUB} keeps the key from hooks, though"
    return Extraction(
        runs=runs,
        reason=reason,
        model=model,
        spend_per_session=session,
        spend_per_day=day,
    )
