"""The tools that read. Each gives a value of its output schema, and one line of text.

They see the project's own records and the global ones, and of those only what is
current, unless a moment in the past is asked for. Where the store cannot be read they
say so and find nothing; the engine is imported when a tool is first called.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from agentctx.clock import parse_moment
from agentctx.errors import BadTimeError, FileOutsideError, SearchLimitError
from agentctx.mcp.cleaned import clean, told
from agentctx.mcp.desk import STORE_ERRORS
from agentctx.mcp.schemas import MOST_RESULTS, USUAL_RESULTS
from agentctx.records.model import SCOPES, TYPES, check_choice
from agentctx.records.read import Moment, head_of, holds_at, records_by_id
from agentctx.records.staged import replacements_on, staging_of
from corpus.mcp.offer import Answer, counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentctx.mcp.desk import Desk
    from agentctx.project import Project
    from agentctx.records.model import Record
    from agentctx.records.search import Answer as Found
    from agentctx.records.search import Filters
    from agentctx.records.store import Store

    Arguments = Mapping[str, Any]

_SHOWN_DIGITS = 40
MOST_DRIFT = 20
"""Entries of each kind in a report; the next report names the next ones."""


def ctx_search(desk: Desk, asked: Arguments) -> Answer:
    """Give one short entry for each record that answers the query, the best first."""
    from agentctx.records.card import index_line  # noqa: PLC0415 - after the start
    from agentctx.records.search import (  # noqa: PLC0415 - loads the word lists
        Filters,
        require_query,
    )

    require_query(asked["query"])
    limit = _limit(asked.get("limit", USUAL_RESULTS))
    project = desk.project()
    filters = Filters(
        type=_choice(asked, "type", TYPES),
        scope=_choice(asked, "scope", SCOPES),
        file=_file(desk, project, asked["file"]) if "file" in asked else None,
        moment=_moment(asked),
    )
    try:
        found = _searched(desk, project, asked["query"], filters, limit)
    except STORE_ERRORS as error:
        return _entries([], error.code)
    now = desk.place.clock()
    entries = [
        index_line(one.record, now=now, score=one.score) for one in found.results
    ]
    return _entries(entries, found.degraded)


def ctx_get(desk: Desk, asked: Arguments) -> Answer:
    """Give whole records, and count that they were fetched."""
    from agentctx.records.write import count_access  # noqa: PLC0415 - after the start

    ids = list(dict.fromkeys(asked["ids"]))
    moment = _moment(asked)
    project = desk.project()
    unknown = [told(one) for one in ids]
    value: dict[str, Any] = {"records": [], "missing": unknown, "heads": {}}
    with desk.reading() as store:
        if store is not None and ids:
            value = _fetched(store, project, ids, moment)
            with suppress(*STORE_ERRORS):  # they are given, counted or not
                fetched = [one["id"] for one in value["records"]]
                count_access(store, fetched, session_id=desk.session_id)
    found, missing = len(value["records"]), len(value["missing"])
    return Answer(value, f"{counted(found, 'record')}, {missing} missing")


def ctx_project(desk: Desk, asked: Arguments) -> Answer:
    """Describe the project by its own files, corrected by what a person says."""
    del asked
    from agentctx.profile.detect import (  # noqa: PLC0415 - reads every manifest
        detect_profile,
    )
    from agentctx.records.accounts import records_counted  # noqa: PLC0415 - the same
    from agentctx.records.profile import profile_records  # noqa: PLC0415 - the same
    from agentctx.records.sessions import last_session_at  # noqa: PLC0415 - the same

    project = desk.project()
    profile = detect_profile(project.root)
    value: dict[str, Any] = {
        "name": clean(project.name),
        "project_id": project.project_id,
        "stack": [clean(one) for one in profile.stack],
        "commands": {
            clean(name): clean(text) for name, text in profile.commands.items()
        },
        "entry_points": [clean(one) for one in profile.entry_points],
        "record_counts_by_type": {},
        "last_session_at": None,
    }
    try:
        with desk.reading() as store:
            if store is not None:
                project_id = project.project_id
                counts = records_counted(store.db, project_id)
                kept = profile_records(store, project_id)
                value["record_counts_by_type"] = counts.by_type
                value["last_session_at"] = last_session_at(store.db, project_id)
                corrected = _corrected(kept)
                value |= {"corrected": corrected} if corrected else {}
    except STORE_ERRORS as error:
        value["degraded"] = error.code
    total = sum(value["record_counts_by_type"].values())
    return Answer(value, f"project {value['name']}, {counted(total, 'record')}")


def ctx_related(desk: Desk, asked: Arguments) -> Answer:
    """Give the newest records about a file, as a search does."""
    from agentctx.records.card import index_line  # noqa: PLC0415 - after the start
    from agentctx.records.graph import records_of_file  # noqa: PLC0415 - the same

    project = desk.project()
    name = _file(desk, project, asked["file"])
    try:
        with desk.reading() as store:
            if store is None:
                return _entries([])
            staging = staging_of(store.db, project.project_id, project.branch)
            found = records_of_file(store.db, project.project_id, name, staging=staging)
    except STORE_ERRORS as error:
        return _entries([], error.code)
    now = desk.place.clock()
    return _entries([index_line(one, now=now) for one in found[:MOST_RESULTS]])


def ctx_sync_claudemd(desk: Desk, asked: Arguments) -> Answer:
    """Compare what the client's files of instructions say with the records."""
    del asked
    from agentctx.drift.report import scan  # noqa: PLC0415 - reads every file

    project, environ = desk.project(), desk.place.environ
    degraded = None
    try:
        with desk.reading() as store:
            report = scan(store, project, environ)
    except STORE_ERRORS as error:
        degraded = error.code
        report = scan(None, project, environ)
    missing, contradicted = report.missing, report.contradicted
    value: dict[str, Any] = {
        "missing": [_told(one.as_json()) for one in missing[:MOST_DRIFT]],
        "contradicted": [_told(one.as_json()) for one in contradicted[:MOST_DRIFT]],
        "proposed_diff": _clean_diff(report.proposed_diff),
    }
    line = f"{len(missing)} missing, {len(contradicted)} contradicted"
    if report.candidates:
        line += "; a person applies them with `agentctx sync`"
    if degraded is not None:
        value["degraded"] = degraded
        line += f", degraded: {degraded}"
    return Answer(value, line)


def _clean_diff(diff: str) -> str:
    """Give a diff without secrets and hidden characters, its line ends as they are."""
    lines = diff.split("\n")
    cleaned = clean("\n".join(line.removesuffix("\r") for line in lines)).split("\n")
    if len(cleaned) != len(lines):  # a secret of several lines became one
        return "\n".join(cleaned)
    return "\n".join(
        f"{new}\r" if old.endswith("\r") else new
        for old, new in zip(lines, cleaned, strict=True)
    )


def _told(entry: Mapping[str, object]) -> dict[str, object]:
    """Give one entry of a report without what nobody is to see, or need not."""
    return {
        name: clean(one) if isinstance(one, str) else one
        for name, one in entry.items()
        if name not in {"change", "ours"}
    }


def _entries(
    entries: Sequence[Mapping[str, Any]], degraded: str | None = None
) -> Answer:
    value: dict[str, Any] = {"results": list(entries)}
    line = counted(len(entries), "result")
    if degraded is not None:
        value["degraded"] = degraded
        line += f", degraded: {degraded}"
    return Answer(value, line)


def _searched(
    desk: Desk, project: Project, query: str, filters: Filters, limit: int
) -> Found:
    """Search; where nothing could be read, once more over a new connection.

    Opening says what is wrong with a store that a search passes over in silence.
    """
    from agentctx.records import search  # noqa: PLC0415 - loads the word lists

    found = search.Answer(())
    for _ in range(2):
        with desk.reading() as store:
            if store is None:
                return found
            staging = staging_of(store.db, project.project_id, project.branch)
            if staging is not None:
                filters = filters._replace(staging=(staging,))
            found = search.search_records(
                store, project.project_id, query, filters=filters, limit=limit
            )
        if found.degraded != search.PINNED_ONLY:
            break
        desk.forget()
    return found


def _fetched(
    store: Store, project: Project, ids: Sequence[str], moment: Moment
) -> dict[str, Any]:
    """Give what holds of these ids; the others are named as they were given.

    What the branch has another record in place of does not hold there.
    """
    written = {one: one.strip().upper() for one in ids}
    known = records_by_id(store.db, project.project_id, list(written.values()))
    holding = {one.id for one in holds_at(store.db, known.values(), moment)}
    staging = staging_of(store.db, project.project_id, project.branch)
    instead = {}
    if staging is not None and moment.is_present:
        instead = replacements_on(store.db, staging)
        holding -= instead.keys()
    missing = [one for one in ids if written[one] not in holding]
    heads = {}
    for one in missing:
        record = known.get(written[one])
        if record is not None and record.id in instead:
            heads[told(one)] = instead[record.id]
            continue
        head = None if record is None else head_of(store.db, record)
        if head is not None and head.current and head != record:
            heads[told(one)] = head.id
    given = dict.fromkeys(name for name in written.values() if name in holding)
    return {
        "records": [_whole(store, known[one]) for one in given],
        "missing": [told(one) for one in missing],
        "heads": heads,
    }


def _whole(store: Store, record: Record) -> dict[str, object]:
    """Give everything that is known of a record but secrets and hidden characters."""
    from agentctx.records.card import standing  # noqa: PLC0415 - after the start
    from agentctx.records.graph import files_of  # noqa: PLC0415 - after the start

    value = record.as_json()
    for name in _TEXTS:
        text = value[name]
        if isinstance(text, str):
            value[name] = clean(text)
    return {
        **value,
        "standing": standing(record),
        "files": [clean(one) for one in files_of(store.db, record.id)],
    }


def _corrected(profile: Mapping[str, Record]) -> dict[str, str]:
    """Give what a person has said of the project, by its key."""
    return {
        clean(key): clean(one.body)
        for key, one in sorted(profile.items())
        if one.by_person
    }


_TEXTS = (
    *("title", "body", "rationale", "quote", "key", "session_id"),
    *("valid_from", "recorded_at", "superseded_at", "last_accessed"),
)
"""What of a record any program may have written as it liked."""


def _limit(number: int) -> int:
    if not 1 <= number <= MOST_RESULTS:
        known = abs(number) < 10**_SHOWN_DIGITS
        found = number if known else "a number beyond all bounds"
        raise SearchLimitError(
            field="limit", found=found, minimum=1, maximum=MOST_RESULTS
        )
    return number


def _choice(asked: Arguments, name: str, known: Sequence[str]) -> str | None:
    if name not in asked:
        return None
    value: str = asked[name]
    return check_choice(value if value in known else told(value), known, field=name)


def _moment(asked: Arguments) -> Moment:
    """Read the dates of a question; a date alone is the whole of that day."""
    times = {}
    for name in Moment._fields:
        if name not in asked:
            continue
        try:
            times[name] = parse_moment(asked[name], field=name, end_of_day=True)
        except BadTimeError:
            raise BadTimeError(field=name, found=told(asked[name])) from None
    return Moment(**times)


def _file(desk: Desk, project: Project, path: str) -> str:
    name = desk.file_of(project, path)
    if name is None:
        raise FileOutsideError(found=f"{len(path)} characters", size=len(path))
    return name
