"""The worked examples of `agentctx`: a day on the machine of somebody named Ana.

The clock stands still but where the story moves it, and a model answers as it is told,
so the same program gives the same bytes. What only this machine decides, paths and
sizes, is replaced by what might stand there.
"""

from __future__ import annotations

import json
from contextlib import chdir
from datetime import timedelta
from hashlib import sha256
from importlib import import_module
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from agentctx.cli import init, review_session, status, sync, work
from agentctx.failures import note_failure
from agentctx.hooks.app import EVENTS, output
from agentctx.hooks.here import Here, Outside
from agentctx.project import path_id, resolve_project
from agentctx.records.model import NewRecord, Replacement
from agentctx.records.namespaces import note_namespace
from agentctx.records.store import open_store
from agentctx.records.write import add_record, supersede_record
from corpus.cli.call import Call
from tests.agentctx.extraction.conftest import decision, found
from tests.agentctx.llm.fakeapi import FakeApi, Says
from tests.agentctx.spoken import transcript
from tests.published_memory import memory_told
from tests.recorded import START, Counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime
    from pathlib import Path

    from agentctx.records.store import Store

SESSION = "4f1e2a60-9c1d-4b5e-8a37-6f0d2b7c9e11"
REMOTE = "https://github.com/example/parcel-lockers.git"
HOME = "/home/ana"
USAGE = {
    "input_tokens": 2_400,
    "output_tokens": 180,
    "cache_read_input_tokens": 0,
    "cache_creation_input_tokens": 0,
}
RULES = """\
# Parcel lockers

Cabinets fetch their commands over MQTT, since modems sleep.

How to measure: @docs/bench.md
"""
OWN_RULES = "Commit messages are written in the past tense.\n"
REPLY = found(
    decisions=[
        decision(
            "Unlock codes expire after fifteen minutes",
            rationale="couriers wait at the door",
        ),
        decision("Cabinets are painted green"),
    ],
    conventions=[
        {
            "scope": "project",
            "convention": "Every timeout is written in seconds",
            "confidence": "inferred",
        }
    ],
    active_work={
        "current_task": "Let unlock codes expire",
        "blockers": [],
        "next_steps": ["test it on the bench in Rotterdam"],
        "open_questions": [],
    },
)


class Desk:
    """Ana's home, with a project in it, the store, and Claude Code's settings."""

    def __init__(self, folder: Path) -> None:
        self.user = folder.resolve() / "ana"
        self.home = self.user / ".agentctx"
        self.root = self.user / "projects" / "parcel-lockers"
        self.environ = {
            "HOME": str(self.user),
            "AGENTCTX_HOME": str(self.home),
            "PATH": str(self.user / "bin"),
        }
        self.now = START
        self.random = Counted()
        self._write(".claude/settings.json", '{\n  "model": "opus"\n}\n')
        self._write(".claude/CLAUDE.md", OWN_RULES)
        git = "projects/parcel-lockers/.git"
        self._write(f"{git}/HEAD", "ref: refs/heads/main\n")
        self._write(f"{git}/config", f'[remote "origin"]\n\turl = {REMOTE}\n')
        for name in ("objects", "refs"):
            (self.user / git / name).mkdir()
        self._write("projects/parcel-lockers/CLAUDE.md", RULES)
        self.project = resolve_project(self.root, environ=self.environ)
        self.old = path_id(self.root)
        self.said = transcript(self.user, self.root, SESSION)

    def pass_time(self, minutes: float = 1) -> None:
        """Let time pass; nothing else moves the clock."""
        self.now += timedelta(minutes=minutes)

    def clock(self) -> datetime:
        """Give the time that it is."""
        return self.now

    def store(self) -> Store:
        """Open the store, made when it is missing."""
        return open_store(
            str(self.home), clock=self.clock, random=self.random, create=True
        )

    def call(self) -> Call:
        """Give a command the outside world, with nobody to be asked."""
        return Call(
            now=self.now,
            clock=self.clock,
            format="json",
            interactive=False,
            progress=lambda done, total, label: None,  # noqa: ARG005 - its shape
            random=self.random,
            write_json=lambda value: None,  # noqa: ARG005 - its shape
            write_lines=lambda lines: None,  # noqa: ARG005 - its shape
            asks=False,
            confirm=lambda question: False,  # noqa: ARG005 - its shape
            notify=lambda code, text: None,  # noqa: ARG005 - its shape
        )

    def asked(self, command: Any, **words: object) -> object:  # noqa: ANN401 - a module
        """Run a command in the project; give what it prints as JSON."""
        self.pass_time()
        with patch.dict("os.environ", self.environ, clear=True), chdir(self.root):
            value = command.run(self.call(), **words)
        as_json = getattr(command, "as_json", None)
        return self._settled(value.as_json() if as_json is None else as_json(value))

    def hook(self, event: str, **more: object) -> object:
        """Call a hook as the client does; give what it prints as JSON, or None."""
        self.pass_time()
        module, name = EVENTS[event]
        payload = {
            "session_id": SESSION,
            "transcript_path": str(self.said.path),
            "cwd": str(self.root),
            "hook_event_name": name,
            **more,
        }
        outside = Outside(
            *(str(self.home), self.environ, self.clock, self.random, lambda _: True)
        )
        here = Here(event, payload, outside)
        try:
            text = str(import_module(module).answer(here))
        finally:
            here.finish()
        return self._settled(json.loads(output(name, text))) if text else None

    def let_ask(self, api: FakeApi) -> None:
        """Let a model be asked from now on."""
        more = {"ANTHROPIC_API_KEY": "sk-x", "ANTHROPIC_BASE_URL": api.url}
        self.environ = {**self.environ, **more}

    def let_nobody_ask(self) -> None:
        """Take the key away."""
        kept = self.environ.items()
        self.environ = {k: v for k, v in kept if not k.startswith("ANTHROPIC_")}

    def _settled(self, value: object) -> object:
        """Replace what only this machine decides."""
        if isinstance(value, dict):
            return {key: self._settled(part) for key, part in value.items()}
        if isinstance(value, list | tuple):
            return [self._settled(part) for part in value]
        if not isinstance(value, str):
            return value
        return value.replace(str(self.user), HOME).replace(self.old, "7" * 64)

    def _write(self, name: str, text: str) -> None:
        path = self.user / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")


def agentctx_examples(folder: Path) -> dict[str, object]:
    """Give what `agentctx` prints in the story, by the name of the format."""
    return dict(told(Desk(folder)))


def told(desk: Desk) -> Iterator[tuple[str, object]]:
    """Tell the story, with an example wherever one comes up."""
    words: dict[str, object]
    with FakeApi([Says(REPLY, usage=USAGE)]) as api:
        desk.let_ask(api)
        words = {"client": None, "dry_run": True, "memory": True, "yes": False}
        yield "registration", desk.asked(init, **words)
        decide(desk)
        desk.hook("session-start", source="startup")
        desk.said.turn("Unlock codes expire after fifteen minutes from now on, please.")
        desk.said.turn("I think every timeout is written in seconds, isn't it?")
        desk.hook("stop")
        yield "work", desk.asked(work, max_seconds=900, now=True)
        prompt = "How do the cabinets fetch commands from the server?"
        yield "hook", desk.hook("user-prompt-submit", prompt=prompt)
    desk.let_nobody_ask()
    desk.said.turn("Now show me how the cold chamber is measured in Kazan.")
    desk.hook("stop")
    desk.hook("session-end", reason="other")
    desk.asked(work, max_seconds=900, now=True)
    words = {"session": SESSION[:8], "confirm": None, "reject": None, "extract": False}
    yield "session-review", at_fixed_bytes(desk.asked(review_session, **words))
    words = {"apply": None, "plan": None, "check": True}
    yield "drift", of_this_plan(desk.asked(sync, **words))
    desk.pass_time()
    at = str(desk.home)
    note_failure(at, "post-tool-use", "HOOK_DEADLINE", "after 5 s", now=desk.now)
    yield "agentctx-status", of_fixed_size(desk.asked(status))
    yield from memory_told(desk)


def decide(desk: Desk) -> None:
    """Record what the project knows, and what was known before it had a remote."""
    own, old = desk.project.project_id, desk.old
    with desk.store() as store:
        note_namespace(store, old, name="parcel-lockers", root=str(desk.root))
        add_record(store, old, fact("decision", "Lockers have steel doors"))
        desk.pass_time()
        polled = add_record(
            store,
            own,
            fact(
                "decision",
                "Cabinets fetch their commands over MQTT",
                "Cabinets fetch their commands over MQTT, since modems sleep.",
            ),
        )
        past = add_record(
            store,
            own,
            fact(
                "preference",
                "Commit messages are written in the past tense",
                scope="global",
            ),
        )
        desk.pass_time()
        for record, title, why in (
            (
                polled.record,
                "Cabinets fetch their commands by long polling over HTTPS",
                "Two carriers block the port of MQTT.",
            ),
            (
                past.record,
                "Commit messages are written in the imperative",
                "Git writes its own so.",
            ),
        ):
            supersede_record(
                store,
                record.project_id,
                record.id,
                Replacement(
                    body=f"{title}.",
                    source="cli",
                    trust="developer",
                    title=title,
                    rationale=why,
                ),
            )
        add_record(store, own, fact("convention", "Door sensors are read twice"))


def fact(kind: str, title: str, body: str = "", *, scope: str = "project") -> NewRecord:
    """Give a fact as the command line adds it."""
    return NewRecord(
        type=kind, title=title, body=body or f"{title}.", source="cli", scope=scope
    )


def at_fixed_bytes(value: Any) -> object:  # noqa: ANN401 - JSON
    """Let what was left out lie where it might: lines hold paths of the machine."""
    for one in value["left_out"]:
        one["parts"] = [[1_412, 2_033]]
    return value


def of_this_plan(value: Any) -> object:  # noqa: ANN401 - JSON
    """Name the plan after the diffs as they are shown here.

    A diff ends a path that holds a blank with a tab; the path shown holds none.
    """
    own = value["own_diff"].replace(".md\t\n", ".md\n")
    whole = f"{value['proposed_diff']}\n{own}"
    plan = sha256(whole.encode()).hexdigest()[:12]
    return {**value, "own_diff": own, "plan": plan}


def of_fixed_size(value: Any) -> Mapping[str, object]:  # noqa: ANN401 - JSON
    """Give the store a size: each SQLite has its own."""
    size = {"bytes": 151_552}
    return {**value, "store": {**value["store"], **size}}
