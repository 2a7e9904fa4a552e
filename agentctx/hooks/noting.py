"""Keep what was seen of a tool's use: observations, and stubs of what failed (A4.7).

A stub is a guess that came from a tool: it is never more than that without a person. A
failure that is known and still open makes no second one; when the same command passes
later, the stub says so.
"""

from __future__ import annotations

from agentctx.briefing.budget import shortened
from agentctx.errors import (
    AlreadySupersededError,
    BodyError,
    ForgottenError,
    OtherNamespaceError,
    TitleError,
)
from agentctx.records.graph import LONGEST_NAME, link
from agentctx.records.learning import learn_record
from agentctx.records.model import BODY_CHARACTERS, TITLE_CHARACTERS, NewRecord
from agentctx.records.observed import (
    Observation,
    note_observations,
    observed,
    seen_before,
)
from agentctx.records.read import by_id, head_of
from agentctx.records.sessions import note_session
from agentctx.records.staged import staging_of
from agentctx.redact import redact
from corpus.checksum import sha256
from corpus.values import TYPE_CHECKING
from corpus.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentctx.branches import Standing
    from agentctx.hooks.here import Here
    from agentctx.observing.model import Failure, Observed, Tests
    from agentctx.records.model import Record
    from agentctx.records.store import Store

PASSED = "The same command passed later"
"""What the stub of a failure says once it is over."""

_KEY = 24
MOST_FIXING = 8
"""Files named that were changed between a failure and its end."""


def note_seen(here: Here, session_id: str, seen: Observed) -> None:
    """Keep what one use of a tool has shown."""
    project_id = here.project.project_id
    now = here.clock()

    def act(store: Store) -> None:
        found = list(_observations(here, seen))
        if seen.failure is not None:
            found.append(_noted_failure(here, store, session_id, seen.failure))
        elif seen.tests is not None and seen.tests.ok:
            _note_passed(here, store, session_id, seen.tests)
        with store.writing() as tx:
            note_session(tx, session_id, project_id, now=now)
            note_observations(tx, session_id, project_id, found, now=now)

    here.keep(act)


def _observations(here: Here, seen: Observed) -> Iterator[Observation]:
    for path in seen.files:
        name = here.file_of(path)
        if name is not None:
            yield Observation("file", name)
    if seen.tests is not None:
        yield Observation("tests", seen.tests.runner, _outcome(seen.tests))
    for act in seen.git:
        yield Observation(act.kind, act.name, f"{act.name} {act.title}".strip())


def _outcome(tests: Tests) -> str:
    """Say how a run ended in a few words."""
    counts = [
        f"{number} {word}"
        for number, word in (
            (tests.failed, "failed"),
            (tests.passed, "passed"),
            (tests.skipped, "skipped"),
        )
        if number
    ]
    told = ", ".join(counts) or ("passed" if tests.ok else "failed")
    return f"{tests.runner}: {told}"


def _noted_failure(
    here: Here, store: Store, session_id: str, failure: Failure
) -> Observation:
    """Make a stub of a failure that is not known yet; give what is noted of it.

    One that had passed since is news: the stub that says so makes way for a new one.
    """
    known = _known_stub(here, store, _key(failure))
    if known is None or PASSED in known.body:
        known = _stub(here, store, session_id, failure, fixed=known) or known
    return Observation("failure", _key(failure), "" if known is None else known.id)


def _known_stub(here: Here, store: Store, key: str) -> Record | None:
    """Give the current record of a failure, however often it came and went.

    What waits on another branch is not known here.
    """
    project_id = here.project.project_id
    seen_here = {project_id, staging_of(store.db, project_id, here.project.branch)}
    for one in seen_before(store.db, project_id, "failure", key):
        record = by_id(store.db, one.detail) if one.detail else None
        head = None if record is None else head_of(store.db, record)
        if head is not None and head.current and head.project_id in seen_here:
            return head
    return None


def _stub(
    here: Here,
    store: Store,
    session_id: str,
    failure: Failure,
    *,
    fixed: Record | None,
) -> Record | None:
    name = None if failure.file is None else here.file_of(failure.file)
    new = NewRecord(
        type="bugfix",
        title=shortened(_plain(failure.summary), characters=TITLE_CHARACTERS - 1),
        body=shortened(
            f"{_first_line(failure.command)}\n{visible(failure.detail)}",
            characters=BODY_CHARACTERS - 1,
        ),
        source="hook_observation",
        confidence="inferred",
        trust="tool",
        session_id=session_id,
        key=_key(failure),
        files=() if name is None else (name,),
    )
    project = here.project
    old = None if fixed is None else fixed.id
    try:
        record = learn_record(
            store, project.project_id, new, where=_standing(here), supersedes=old
        ).record
    except (AlreadySupersededError, OtherNamespaceError):  # another was first
        return _known_stub(here, store, _key(failure))
    except (ForgottenError, TitleError, BodyError) as error:
        here.fails(error.code)
        return None
    if project.branch is not None:
        branch = ("branch", redact(_plain(project.branch)).text[:LONGEST_NAME])
        with store.writing() as tx:
            link(store, tx, project.project_id, record.id, branch, "observed_in")
    return record


def _note_passed(here: Here, store: Store, session_id: str, tests: Tests) -> None:
    """Let the stubs of this session that the same command made say that it passes."""
    command = here.payload.get("tool_input")
    text = command.get("command") if isinstance(command, dict) else None
    if not isinstance(text, str):
        return
    first = redact(_first_line(_plain(text)[:200])).text
    edited = [one.name for one in observed(store.db, session_id, "file")]
    for record_id in dict.fromkeys(
        one.detail for one in observed(store.db, session_id, "failure") if one.detail
    ):
        record = by_id(store.db, record_id)
        if record is None or not record.current or record.source != "hook_observation":
            continue
        if PASSED not in record.body and record.body.split("\n", 1)[0] == first:
            _supersede_fixed(here, store, record, tests, edited[-MOST_FIXING:])


def _supersede_fixed(
    here: Here, store: Store, record: Record, tests: Tests, edited: list[str]
) -> None:
    ended = f"{PASSED} ({_outcome(tests)})"
    ended += f"; changed in the session: {', '.join(edited)}." if edited else "."
    rest = shortened(record.body, characters=BODY_CHARACTERS - len(ended) - 2)
    new = NewRecord(
        type="bugfix",
        title=record.title,
        body=shortened(f"{rest}\n{ended}", characters=BODY_CHARACTERS - 1),
        source="hook_observation",
        confidence="inferred",
        trust="tool",
        session_id=record.session_id,
        key=record.key,
        files=tuple(edited),
    )
    try:
        learn_record(
            store,
            here.project.project_id,
            new,
            where=_standing(here),
            supersedes=record.id,
        )
    except (
        AlreadySupersededError,
        OtherNamespaceError,
        ForgottenError,
        BodyError,
    ) as error:
        here.fails(error.code)


def _standing(here: Here) -> Standing:
    from agentctx.branches import standing_at  # noqa: PLC0415 - where something failed

    return standing_at(here.project.folder, home=here.home, environ=here.environ)


def _key(failure: Failure) -> str:
    """Give what the same failure is known by; it holds nothing of its text."""
    text = failure.key.encode("utf-8", "surrogatepass")
    return sha256(text).hexdigest()[:_KEY]


def _first_line(command: str) -> str:
    return f"`{command}` failed."


def _plain(text: str) -> str:
    return " ".join(visible(text).split())
