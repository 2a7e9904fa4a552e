"""Why something is believed: the ladder from a report down to what was said (P19.3).

It is walked from any rung, up and down. A rung that is gone is said to be gone, with
the hash and the date that are known of it; it never breaks the walk.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from corpus.acceptance import as_it_stands
from corpus.confined.reader import open_root
from corpus.inbox import open_inbox
from corpus.markdown import decode, parse_markdown
from corpus.origins import ORDER, Rung, rungs_below
from corpus.protocol.layout import HOME
from corpus.protocol.metadata import read_metadata
from corpus.protocol.sections import section_text
from corpus.refs import ID_PATTERN, stem
from corpus.refusals import RungUnknownError
from corpus.scopes import shown
from corpus.view import open_project

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from corpus.inbox import Entry
    from corpus.origins import Origins, RungKind
    from corpus.sources.scan import Source
    from corpus.userdirs import UserDirs

SCHEMA_VERSION = "1"

_CANDIDATE = re.compile(rf"^(?:- )?Candidate `({ID_PATTERN})`", re.MULTILINE)
_ORIGIN = re.compile(
    r"^(?:- )?Origin `([^`\n]{1,400})`(?:, SHA-256 `([0-9a-f]{64})`)?", re.MULTILINE
)


class Ladder(NamedTuple):
    """The rungs that are linked to the one asked about, the highest first.

    `start` is its id. `above` gives the rungs that stand on a rung.
    """

    start: str
    rungs: tuple[Rung, ...]

    def above(self, rung: Rung) -> tuple[str, ...]:
        """Give the ids of the rungs that stand on a rung."""
        higher = self.rungs[: self.rungs.index(rung)]
        place = ORDER.index(rung.rung)
        return tuple(
            one.id
            for one in higher
            if rung.id in one.below and ORDER.index(one.rung) < place
        )

    def as_json(self) -> dict[str, object]:
        """Give the ladder as one JSON object (`why`)."""
        return {
            "schema_version": SCHEMA_VERSION,
            "start": self.start,
            "rungs": [
                {
                    "rung": one.rung,
                    "id": one.id,
                    "state": one.state,
                    "says": one.says,
                    "place": one.place,
                    "sha256": one.sha256,
                    "at": one.at,
                    "stands_on": list(one.below),
                    "rises_to": list(self.above(one)),
                }
                for one in self.rungs
            ],
            "non_authoritative": True,
        }


class Held(NamedTuple):
    """What a corpus knows of the ladder: its reports and the inbox of candidates."""

    reports: tuple[Source, ...] = ()
    entries: tuple[Entry, ...] = ()

    def entry(self, candidate_id: str) -> Entry | None:
        """Give a candidate of the inbox, None where there is none."""
        return next((one for one in self.entries if one.id == candidate_id), None)

    def report(self, name: str) -> Source | None:
        """Give a report by its path or its id; None for what is no report in scope."""
        path = name.removeprefix("./")
        forms = {path, f"{HOME}/{path}"}
        for source in self.reports:
            if source.path in forms or stem(source.path) == name:
                return source
        return None


def held_by(root: Path, *, dirs: UserDirs) -> Held:
    """Read a corpus' reports in scope and its inbox; raises as `open_project`."""
    project = open_project(root, dirs=dirs)
    reports = tuple(one for one in project.scan.sources if one.kind == "report")
    with (
        open_root(root) as opened,
        open_inbox(project.project_id, state=dirs.state) as inbox,
    ):
        entries = tuple(as_it_stands(one, opened) for one in inbox.entries())
    return Held(reports, entries)


def climb(text: str, held: Held, root: Path, origins: Sequence[Origins]) -> Ladder:
    """Walk from the rung that `text` names; `RungUnknownError` when there is none.

    `root` is the project's folder, which the origins look for their own by.
    """
    report = held.report(text)
    if report is not None:
        rungs = (
            _report_rung(held, report),
            *_under_report(held, report, root, origins),
        )
        return Ladder(rungs[0].id, _ordered(rungs))
    entry = held.entry(text)
    if entry is not None:
        rungs = (*_reports_of(held, [entry]), *_from_entry(entry, root, origins))
        return Ladder(entry.id, _ordered(rungs))
    found = _asked(text, root, origins)
    if not found:
        raise RungUnknownError(found=shown(text)[:200])
    names = {name for one in found for name in (one.id, *one.names)}
    risen = [
        one for one in held.entries if one.origin is not None and one.origin.id in names
    ]
    now = {name: one.id for one in found for name in one.names}
    candidates = [_linked(_candidate_rung(one), now) for one in risen]
    rungs = (*_reports_of(held, risen), *candidates, *found)
    return Ladder(found[0].id, _ordered(rungs))


def _linked(rung: Rung, now: Mapping[str, str]) -> Rung:
    """Let a rung stand on what an earlier version of its origin has become."""
    return rung._replace(below=tuple(now.get(one, one) for one in rung.below))


def _asked(text: str, root: Path, origins: Sequence[Origins]) -> tuple[Rung, ...]:
    for one in origins:
        found = one.rungs(root, text)
        if found:
            return found
    return ()


def _under_report(
    held: Held, report: Source, root: Path, origins: Sequence[Origins]
) -> tuple[Rung, ...]:
    """Give what a report stands on: by the inbox, else by its own words."""
    evidence = _evidence_of(report)
    named = _candidate_of(held, report)
    if named is None:
        return ()
    entry = held.entry(named)
    if entry is not None and (entry.sha256 in evidence or _is_of(entry, report)):
        return _from_entry(entry, root, origins)
    origin = _ORIGIN.search(evidence)
    gone = Rung("candidate", named, "inbox", state="gone")
    if origin is None:
        return (gone,)
    lost = origin[1].rpartition("/")[2]
    gone = gone._replace(below=(lost,))
    found = _asked(origin[1], root, origins)
    if found:
        now = {name: one.id for one in found for name in one.names}
        top, *rest = _only_below(found)
        if origin[2] not in {None, top.sha256} and top.state == "here":
            top = top._replace(state="changed")
        return (_linked(gone, now), top, *rest)
    kind: RungKind = "record" if ":records/" in origin[1] else "item"
    return (gone, Rung(kind, lost, origin[1], state="gone"))


def _from_entry(
    entry: Entry, root: Path, origins: Sequence[Origins]
) -> tuple[Rung, ...]:
    """Give a candidate and what it stands on; what is gone as it was noted then."""
    own = _candidate_rung(entry)
    if entry.origin is None:
        return (own,)
    found = _only_below(_asked(entry.origin.place, root, origins))
    now = {name: one.id for one in found for name in one.names}
    own = _linked(own, now)
    known = {one.id for one in found} | now.keys()
    lost = [one for one in entry.origin.chain if one.id not in known]
    gone = [
        Rung(_kind(one.rung), one.id, "", sha256=one.sha256, at=one.at, state="gone")
        for one in lost
    ]
    if gone and gone[0].id == entry.origin.id:
        gone[0] = gone[0]._replace(
            place=entry.origin.place, below=tuple(one.id for one in gone[1:])
        )
    return (own, *_noted(found, entry), *gone)


def _noted(found: Iterable[Rung], entry: Entry) -> Iterator[Rung]:
    """Say of each rung whether it still is what the candidate was made of."""
    assert entry.origin is not None
    hashes = {one.id: one.sha256 for one in entry.origin.chain}
    for one in found:
        then = hashes.get(one.id, one.sha256)
        newer = one.id not in hashes and any(name in hashes for name in one.names)
        changed = newer or (then is not None and then != one.sha256)
        yield one._replace(state="changed") if changed and one.state == "here" else one


def _only_below(rungs: tuple[Rung, ...]) -> tuple[Rung, ...]:
    return rungs_below(rungs, rungs[0].id) if rungs else ()


def _reports_of(held: Held, entries: Iterable[Entry]) -> Iterator[Rung]:
    for entry in entries:
        if entry.state != "accepted" or entry.report is None:
            continue
        source = held.report(entry.report.path)
        if source is not None:
            yield _report_rung(held, source)
            continue
        known = entry.report
        yield Rung(
            "report",
            known.report_id,
            known.path,
            sha256=known.sha256,
            at=entry.decided_at,
            below=(entry.id,),
            state="gone",
        )


def _report_rung(held: Held, source: Source) -> Rung:
    document = parse_markdown(decode(source.content))
    named = _candidate_of(held, source)
    entry = None if named is None else held.entry(named)
    made = None if entry is None or entry.report is None else entry.report
    same = made is None or made.path != source.path or made.sha256 == source.sha256
    return Rung(
        "report",
        stem(source.path),
        source.path,
        says=section_text(document, "Summary"),
        sha256=source.sha256,
        at=read_metadata(document).get("Created-At"),
        below=() if named is None else (named,),
        state="here" if same else "changed",
    )


def _candidate_of(held: Held, report: Source) -> str | None:
    """Say which candidate a report was made of: the inbox knows, else its own words."""
    for entry in held.entries:
        if _is_of(entry, report):
            return entry.id
    found = _CANDIDATE.search(_evidence_of(report))
    return None if found is None else found[1]


def _evidence_of(report: Source) -> str:
    """Give what a report says under Evidence; what it says elsewhere is no evidence."""
    return section_text(parse_markdown(decode(report.content)), "Evidence") or ""


def _is_of(entry: Entry, report: Source) -> bool:
    made = entry.report if entry.state == "accepted" else None
    return made is not None and made.path == report.path


def _candidate_rung(entry: Entry) -> Rung:
    return Rung(
        "candidate",
        entry.id,
        f"inbox, {entry.state}",
        says=entry.statement,
        sha256=entry.sha256,
        at=entry.submitted_at,
        below=() if entry.origin is None else (entry.origin.id,),
    )


def _kind(text: str) -> RungKind:
    return next((kind for kind in ORDER if kind == text), "turn")


def _ordered(rungs: Iterable[Rung]) -> tuple[Rung, ...]:
    """Put the highest rungs first, each once."""
    once: dict[tuple[str, str], Rung] = {}
    for one in rungs:
        once.setdefault((one.rung, one.id), one)
    return tuple(sorted(once.values(), key=lambda one: ORDER.index(one.rung)))
