"""Examine a project as it lies on disk: sources, index, stages, and files handed in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpus.canonical import digest
from corpus.confined.reader import open_root
from corpus.doctor import diagnose
from corpus.errors import (
    BundleHashError,
    BundleProjectError,
    BundleSchemaError,
    BundleSizeError,
    CandidateEvidenceError,
    CandidateIdError,
    CandidateKindError,
    CandidateProjectError,
    CandidateSchemaError,
    CandidateStatementError,
    CandidateTimeError,
)
from corpus.findings import Finding
from corpus.index.store import index_name
from corpus.jsoninput import read_json_anywhere, read_json_inside
from corpus.provision import NO_PROVISION
from corpus.soundness import check_index, orphan_stages
from corpus.view import open_project, provision_for
from corpus.writes.interrupted import CODE, HINT, interrupted_write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path

    from corpus.canonical import Json
    from corpus.confined.reader import ConfinedRoot
    from corpus.doctor import Report
    from corpus.provision import Provision
    from corpus.userdirs import UserDirs
    from corpus.view import Project

_COMPILE_AGAIN = "compile the bundle again"


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """What is to be examined: a project, its index, and files made from it.

    `bundle` may lie anywhere the user can read; `candidate` lies inside the project.
    """

    root: Path
    index: Path | str | None = None
    bundle: str | None = None
    candidate: str | None = None


def examine(
    what: Examined,
    *,
    dirs: UserDirs,
    random: Callable[[int], bytes],
    now: datetime,
) -> Report:
    """Diagnose a project and the files named; `now` is UTC.

    Raises what keeps every `context` command from working: the errors of the policy,
    the state files and the limits, and those of an input that is no usable JSON.
    """
    name = index_name(what.root, what.index)
    project = open_project(what.root, dirs=dirs)
    provision = provision_for(project, dirs=dirs)
    with open_root(what.root) as opened:
        known = _handed(what, project, opened, now, provision)
        known += provision.probe()
        state = check_index(opened, project, name, dirs=dirs, random=random)
        known += state.findings
        known += orphan_stages(opened, project.policy, now=now.timestamp())
        known += _interrupted(opened, project, dirs)
    return diagnose(project, state.rows, known)


def _interrupted(
    opened: ConfinedRoot, project: Project, dirs: UserDirs
) -> Iterator[Finding]:
    found = interrupted_write(opened, project.policy, state=dirs.state)
    if found is not None:
        yield Finding(
            code=CODE,
            severity="WARN",
            path=found.path,
            line=0,
            detail=found.detail,
            hint=HINT,
        )


def _handed(
    what: Examined,
    project: Project,
    opened: ConfinedRoot,
    now: datetime,
    provision: Provision,
) -> list[Finding]:
    """Check the files handed in."""
    found: list[Finding] = []
    if what.bundle is not None:
        bundle = read_json_anywhere(what.bundle)
        found += check_bundle_file(project, what.bundle, bundle, provision)
    if what.candidate is not None:
        candidate = read_json_inside(opened, what.root, what.candidate)
        found += check_candidate_file(project, what.candidate, candidate, now=now)
    return found


def check_bundle_file(
    project: Project, name: str, bundle: Json, provision: Provision = NO_PROVISION
) -> Iterator[Finding]:
    """Report what is wrong with a bundle; `name` is the file's, as it was given."""
    from corpus.receipt import verify_bundle  # noqa: PLC0415 - only for a bundle

    try:
        verdict = verify_bundle(project, bundle, provision=provision)
    except BundleProjectError as error:
        yield _failure("BUNDLE_PROJECT_MISMATCH", name, str(error), error.hint)
        return
    except BundleSizeError as error:
        # Other content has another size too; the hash is what proves the tampering.
        told = error if _hash_holds(bundle) else BundleHashError()
        yield _failure(told.code, name, str(told), told.hint)
        return
    except (BundleSchemaError, BundleHashError) as error:
        yield _failure(error.code, name, str(error), error.hint)
        return
    for path, state in verdict.stale_sources:
        detail = f"the bundle relies on it, and it is {state} since"
        yield _failure("BUNDLE_STALE_SOURCE", path, detail, _COMPILE_AGAIN)
    if verdict.selected_current and not verdict.snapshot_current:
        detail = "a source in scope changed, none that the bundle relies on"
        yield _failure("BUNDLE_FULL_SNAPSHOT_MISMATCH", name, detail, _COMPILE_AGAIN)


def check_candidate_file(
    project: Project, name: str, candidate: Json, *, now: datetime
) -> Iterator[Finding]:
    """Report what is wrong with a candidate, or doubtful about its evidence."""
    from corpus.candidate import validate_candidate  # noqa: PLC0415 - only for one

    try:
        accepted = validate_candidate(project, candidate, now=now)
    except (
        CandidateEvidenceError,
        CandidateIdError,
        CandidateKindError,
        CandidateProjectError,
        CandidateSchemaError,
        CandidateStatementError,
        CandidateTimeError,
    ) as error:
        yield _failure(error.code, name, str(error), error.hint)
        return
    for code, field, detail in accepted.warnings:
        yield Finding(
            code=code,
            severity="WARN",
            path=name,
            line=0,
            detail=f"`{field}`: {detail}",
            hint=CandidateEvidenceError.hint,
        )


def _hash_holds(bundle: Json) -> bool:
    from corpus.bundle import NOT_HASHED  # noqa: PLC0415 - only for a bundle

    assert isinstance(bundle, dict)
    hashed = {key: bundle[key] for key in bundle if key not in NOT_HASHED}
    return digest(hashed) == bundle.get("bundle_sha256")


def _failure(code: str, path: str, detail: str, hint: str) -> Finding:
    return Finding(
        code=code, severity="FAIL", path=path, line=0, detail=detail, hint=hint
    )
