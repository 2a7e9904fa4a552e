"""`agentctx extract`: read one transcript now and keep what matters of it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from agentctx.cli.activity import extraction_of
from agentctx.cli.opening import open_for_writing, this_project
from agentctx.cli.work import as_json, lines
from agentctx.clock import moment_of
from agentctx.config import environment, home, read_config
from agentctx.errors import FieldError, TranscriptError, WorkerBusyError
from agentctx.records.sessions import note_session
from agentctx.records.transcripts import Source, hear

if TYPE_CHECKING:
    import argparse

    from agentctx.extraction.worker import Worked
    from corpus.cli.call import Call

SUMMARY = "Read one session's transcript now and keep what matters of it."
EXAMPLE = "agentctx extract --session-id 4f1e --transcript session.jsonl"

LONGEST_ID, LIFE = 200, 900
_TAIL = 1024 * 1024

__all__ = ["EXAMPLE", "SUMMARY", "as_json", "configure", "lines", "run"]


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    parser.add_argument(
        "--session-id", metavar="ID", required=True, help="the session's id"
    )
    parser.add_argument(
        "--transcript", metavar="PATH", required=True, help="its transcript"
    )


def run(call: Call, *, session_id: str, transcript: str) -> Worked:
    """Note the session as ended, and bring it up to date."""
    from agentctx.clients.claude_transcript import (  # noqa: PLC0415 - when it works
        read_last_turns,
        size,
    )
    from agentctx.extraction.session import last_said  # noqa: PLC0415 - the same
    from agentctx.extraction.worker import World, work  # noqa: PLC0415 - the same

    if not (0 < len(session_id) <= LONGEST_ID and session_id.isprintable()):
        raise FieldError(
            field="session-id", found=session_id[:40], known="1 to 200 characters"
        )
    path = os.path.realpath(transcript) if "\x00" not in transcript else transcript
    size(path)  # TranscriptError where it cannot be read
    project = this_project()
    with open_for_writing(call, create=True) as opened:
        asks = extraction_of(read_config(home()), environment()).on
        here = os.getcwd()  # noqa: PTH109 - text
        source = Source(session_id, project.project_id, here, path, asks)
        said = last_said(read_last_turns(path, limit_bytes=_TAIL), now=call.now)
        spoken = call.now if said is None else moment_of(said)  # not later sessions'
        with opened.store.writing() as tx:
            note_session(tx, session_id, project.project_id, now=call.now)
            hear(tx, source, now=spoken)
            hear(tx, source, now=spoken, ended=True)
    world = World(home(), environment(), call.clock, call.random)
    found = work(world, seconds=LIFE, linger=False)
    if found.busy:
        raise WorkerBusyError
    if TranscriptError.code in found.problems and not found.records:
        raise TranscriptError(path=path, reason="it changed while it was read")
    return found
