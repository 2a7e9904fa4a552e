"""Sessions that end without a word, and handovers in the order of the work (A4.2)."""

from __future__ import annotations

import os
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from agentctx.briefing.handover import (
    Author,
    Snapshot,
    current_handover,
    keep_handover,
)
from agentctx.clock import moment_of
from agentctx.records.transcripts import heard, waiting
from tests.agentctx.spoken import Transcript, transcript

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from tests.agentctx.hooked import Client
    from tests.agentctx.hooks.conftest import Desk

HOUR = timedelta(hours=1)


def begin(client: Client, said: Transcript, source: str = "startup") -> str:
    return client.hook(
        "session-start",
        session_id=said.session,
        transcript_path=str(said.path),
        source=source,
    )


def call(client: Client, event: str, said: Transcript) -> str:
    return client.hook(
        event, session_id=said.session, transcript_path=str(said.path), trigger="auto"
    )


def written(said: Transcript, at: datetime) -> None:
    os.utime(said.path, (at.timestamp(), at.timestamp()))


def waits(desk: Desk) -> list[str]:
    return [one.session_id for one in waiting(desk.store.db)]


@pytest.mark.requirement("A4.2", "A6.2")
def test_the_next_session_has_one_read_that_crashed(
    client: Client, desk: Desk, tmp_path: Path
) -> None:
    crashed = transcript(tmp_path, client.cwd, "crashed")
    begin(client, crashed)
    assert waits(desk) == []
    wrote_at = client.clock.tick(HOUR)
    written(crashed.turn("Store readings in UTC."), wrote_at)
    client.clock.tick(HOUR)
    begin(client, transcript(tmp_path, client.cwd, "next"))
    assert waits(desk) == ["crashed"]
    (one,) = waiting(desk.store.db)
    assert one.ended_at is not None
    assert moment_of(one.ended_at) - wrote_at < timedelta(seconds=1)
    assert client.woken > 0


@pytest.mark.requirement("A4.2")
@pytest.mark.parametrize(
    ("silent", "ended"),
    [
        pytest.param(timedelta(minutes=5), False, id="one that may go on"),
        pytest.param(HOUR, True, id="one that said that it ended"),
    ],
)
def test_no_other_session_is_taken_for_crashed(
    client: Client,
    desk: Desk,
    tmp_path: Path,
    silent: timedelta,
    ended: bool,  # noqa: FBT001 - a case
) -> None:
    other = transcript(tmp_path, client.cwd, "other")
    begin(client, other)
    other.turn("Store readings in UTC.")
    if ended:
        call(client, "session-end", other)
        with desk.store.writing() as tx:
            tx.execute("UPDATE transcripts SET settled_at = heard_at")
    written(other, client.clock.tick(HOUR))
    client.clock.tick(silent)
    begin(client, transcript(tmp_path, client.cwd, "next"))
    assert waits(desk) == []


@pytest.mark.requirement("A4.2")
@pytest.mark.parametrize("kind", ["missing", "folder"])
def test_a_transcript_that_is_gone_troubles_nobody(
    client: Client, desk: Desk, tmp_path: Path, kind: str
) -> None:
    gone = transcript(tmp_path, client.cwd, "gone")
    begin(client, gone)
    if kind == "folder":
        gone.path.mkdir()
    client.clock.tick(2 * HOUR)
    begin(client, transcript(tmp_path, client.cwd, "next"))
    assert waits(desk) in ([], ["gone"])


@pytest.mark.requirement("A4.2")
def test_a_session_that_waits_still_waits_when_it_is_resumed(
    client: Client, desk: Desk, tmp_path: Path
) -> None:
    said = transcript(tmp_path, client.cwd, "s").turn("Store readings in UTC.")
    call(client, "session-end", said)
    begin(client, said, "resume")
    (one,) = waiting(desk.store.db)
    assert one.ended_at is not None


@pytest.mark.requirement("A4.2")
def test_a_session_that_is_resumed_has_not_ended(
    client: Client, desk: Desk, tmp_path: Path
) -> None:
    said = transcript(tmp_path, client.cwd, "s").turn("Store readings in UTC.")
    call(client, "session-end", said)
    with desk.store.writing() as tx:
        tx.execute("UPDATE transcripts SET settled_at = heard_at")
    begin(client, said, "resume")
    known = heard(desk.store.db, "s")
    assert known is not None
    assert known.ended_at is None
    assert waits(desk) == []


@pytest.mark.requirement("A4.6", "A4.2")
def test_a_compacted_session_is_told_where_it_stood(
    client: Client, desk: Desk, tmp_path: Path
) -> None:
    desk.keep("Readings are stored in UTC")
    said = transcript(tmp_path, client.cwd, "s")
    begin(client, said)
    said.turn("Draw the humidity graph with a log scale")
    call(client, "pre-compact", said)
    told = begin(client, said, "compact")
    request = "> Last request: Draw the humidity graph with a log scale"
    assert request in told.split("\n")
    assert "> Readings are stored in UTC." in told.split("\n")


@pytest.mark.requirement("A4.6", "A2.6")
def test_a_handover_of_later_work_stays(
    client: Client, desk: Desk, tmp_path: Path
) -> None:
    early = transcript(tmp_path, client.cwd, "early").turn("Draw the humidity graph")
    late = transcript(tmp_path, client.cwd, "late").turn("Mend the rain gauge")
    call(client, "pre-compact", late)
    with desk.store.writing() as tx:  # as of a session that was read very late
        tx.execute(
            "INSERT INTO transcripts (session_id, project_id, cwd, path, heard_at)"
            " SELECT 'early', project_id, cwd, ?, '2020-01-01T00:00:00.000Z'"
            "   FROM transcripts",
            (str(early.path),),
        )
    author = Author("early", desk.project.project_id, "")
    assert keep_handover(desk.store, author, Snapshot(request="Draw it")) is None
    kept = current_handover(desk.store.db, desk.project.project_id, "")
    assert kept is not None
    assert kept.session_id == "late"
