"""`project-corpus init`: write a new corpus that validates."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from corpus.cli.call import corpus_above
from corpus.cli.writing import written
from corpus.errors import RootNotFoundError, UsageError
from corpus.protocol.layout import PROJECT_PATH

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Sequence

    from corpus.cli.call import Call
    from corpus.protocol.importable import Importable
    from corpus.protocol.scaffold import Language, Order, Profile, Template
    from corpus.refs import RelPath

SUMMARY = "Write a new corpus that validates, overwriting nothing."
EXAMPLE = (
    "project-corpus init . --template software --name 'Weather Station' --mcp"
    " --gitignore"
)


SHOWN = 10
"""How many files of a kind are named on a terminal."""

OFFER = "nothing was written; add --apply to write "


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What was written, or with `applied` false what could be.

    `paths` are relative to `root`. `order` is what a new corpus was made of; None where
    files were added to the corpus that is there. `agents_lines` are to be added to an
    AGENTS.md that was left alone. `inside` is the corpus around a new one, `named` ROOT
    as it was given.
    """

    root: Path
    project_id: str
    name: str
    order: Order | None
    applied: bool
    paths: tuple[str, ...] = ()
    agents_lines: tuple[str, ...] = ()
    importable: Importable | None = None
    inside: Path | None = None
    named: str = "."

    def as_json(self) -> dict[str, object]:
        """Give the outcome as one JSON object."""
        found = self.importable
        return {
            "root": str(self.root),
            "inside": str(self.inside) if self.inside else None,
            "project_id": self.project_id,
            "name": self.name,
            "template": self.order.template if self.order else None,
            "language": self.order.language if self.order else None,
            "applied": self.applied,
            "created": list(self.paths),
            "agents_lines": list(self.agents_lines),
            "imports": [each.as_json() for each in found.imports] if found else [],
            "already_imported": (
                [each.as_json() for each in found.already] if found else []
            ),
            "left_out": [each.as_json() for each in found.left_out] if found else [],
            "not_considered": found.not_considered if found else 0,
        }


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    parser.add_argument(
        "root",
        metavar="ROOT",
        nargs="?",
        default=".",
        help="the folder to make a corpus of (default: this one)",
    )
    parser.add_argument(
        "--template",
        choices=("minimal", "software", "research"),
        default="minimal",
        help="what kind of project it is (default: minimal)",
    )
    parser.add_argument(
        "--language",
        choices=("en", "ru", "zh"),
        default="en",
        help="the language of the guiding prose (default: en)",
    )
    parser.add_argument(
        "--project-id",
        metavar="ID",
        help="the project's id (default: the folder's name made an id)",
    )
    parser.add_argument(
        "--name", help="the project's name for people (default: the folder's name)"
    )
    _configure_policy(parser)
    parser.add_argument(
        "--gitignore",
        action="store_true",
        help="add the cache folder to .gitignore",
    )
    parser.add_argument(
        "--from-existing",
        action="store_true",
        help="list decision records, memory banks and specs that could be imported",
    )
    parser.add_argument(
        "--apply",
        action="store_true",
        help="with --from-existing: write the corpus and the imports",
    )


def _configure_policy(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--profile",
        choices=("READ_ONLY", "SAFE_EDIT"),
        default="READ_ONLY",
        help="what the policy offers: reading, or also controlled writes and the MCP"
        " server, which still take the owner's grant (default: READ_ONLY)",
    )
    parser.add_argument(
        "--mcp",
        action="store_true",
        help="let the policy offer the MCP server too, which still takes the owner's"
        " grant (beyond the published vocabulary, unless under SAFE_EDIT)",
    )
    parser.add_argument(
        "--with-records",
        action="store_true",
        help="allow records and MCP as well, beyond the published vocabulary",
    )


def run(  # noqa: PLR0913 - one keyword an option
    call: Call,
    *,
    root: str,
    template: Template,
    language: Language,
    project_id: str | None,
    name: str | None,
    profile: Profile,
    mcp: bool,
    gitignore: bool,
    with_records: bool,
    from_existing: bool,
    apply: bool,
) -> Outcome:
    """Write the scaffold, or list what `--from-existing` would add to it."""
    from corpus.protocol.scaffold import create, make_order  # noqa: PLC0415 - slow

    if apply and not from_existing:
        raise UsageError(problem="`--apply` goes with `--from-existing`")
    try:
        folder = Path(os.path.realpath(root))
    except FileNotFoundError:  # the working directory was removed under us
        raise RootNotFoundError(root=root) from None
    if from_existing:
        outcome = _into_standing(folder, project_id=project_id, apply=apply)
        if outcome is not None:
            return replace(outcome, named=root)
    order = make_order(
        folder,
        project_id=project_id,
        name=name,
        template=template,
        language=language,
    )
    order = replace(
        order, profile=profile, mcp=mcp, with_records=with_records, gitignore=gitignore
    )
    outcome = Outcome(
        root=folder,
        project_id=order.project_id,
        name=order.name,
        order=order,
        applied=False,
        importable=_find(folder, order.project_id, ()) if from_existing else None,
        inside=corpus_above(folder),
        named=root,
    )
    found = outcome.importable
    if found is not None and not apply:
        return outcome
    created = create(
        folder, order, now=call.now, imports=found.texts() if found else {}
    )
    return replace(
        outcome,
        applied=True,
        paths=created.paths,
        agents_lines=created.agents_lines,
    )


def lines(value: Outcome) -> Iterator[str]:
    """Tell what was written and what to do next."""
    found = value.importable
    if found is not None:
        yield from _import_lines(found, applied=value.applied)
        yield ""
    if not value.applied:
        if value.order is not None:
            yield f"{OFFER}a new corpus with these files"
        elif found is not None and found.imports:
            yield f"{OFFER}these files into the corpus"
        else:
            yield "there is nothing to add to the corpus"
        return
    imported = {each.target for each in found.imports} if found else set()
    for path in value.paths:
        if path not in imported:
            yield f"wrote {path}"
    if value.order is None:
        yield f"next: run {written('validate', root=_named(value))}"
        return
    yield f"{value.name} ({value.project_id}) is a corpus now"
    if value.inside is not None:
        yield (
            f"note: it lies inside the corpus {value.inside}; commands below"
            f" {value.root} mean the new one now"
        )
    page = os.path.normpath(os.path.join(value.named, PROJECT_PATH))  # noqa: PTH118
    yield f"next: describe the project in {shlex.quote(page)}"
    if value.agents_lines:
        yield ""
        yield "AGENTS.md was there already and was left alone; add these lines to it:"
        yield "----------"
        yield from value.agents_lines
        yield "----------"


def _named(value: Outcome) -> str | None:
    return None if value.named == "." else value.named


def _into_standing(
    folder: Path, *, project_id: str | None, apply: bool
) -> Outcome | None:
    """Add to the corpus that is there, or say what could be; None without one."""
    from corpus.protocol.scaffold import add, read_standing  # noqa: PLC0415 - slow

    standing = read_standing(folder, project_id=project_id)
    if standing is None:
        return None
    found = _find(folder, standing.project_id, standing.artifacts)
    return Outcome(
        root=folder,
        project_id=standing.project_id,
        name=standing.name,
        order=None,
        applied=apply,
        paths=add(folder, found.texts()) if apply else (),
        importable=found,
    )


def _find(folder: Path, project_id: str, present: Iterable[RelPath]) -> Importable:
    from corpus.confined.reader import open_root  # noqa: PLC0415 - slow
    from corpus.protocol.importable import find_importable  # noqa: PLC0415 - slow

    with open_root(folder) as opened:
        return find_importable(opened, project_id=project_id, present=present)


def _import_lines(found: Importable, *, applied: bool) -> Iterator[str]:
    """Sum up by folder and reason, then name the first ones."""
    if found.imports:
        verb = "imported" if applied else "could import"
        yield f"{verb} {_count(len(found.imports), 'file')}:"
        groups = Counter(
            (_place(each.source), each.kind, each.reason) for each in found.imports
        )
        for (place, kind, reason), count in sorted(groups.items()):
            yield f"  {count} from {place} as {kind}: {reason}"
        yield "for example:" if len(found.imports) > SHOWN else "namely:"
        yield from _first([f"{each.source} as {each.target}" for each in found.imports])
    elif not found.already and not found.left_out:
        yield "found no decision records, memory banks or specs to import"
    if found.already:
        yield f"imported already, left as they are: {len(found.already)}"
        yield from _first([f"{each.source} as {each.target}" for each in found.already])
    if found.left_out:
        yield f"left out {_count(len(found.left_out), 'file')}:"
        yield from _first([f"{each.source}: {each.reason}" for each in found.left_out])
    if found.not_considered:
        yield (
            f"not considered: {_count(found.not_considered, 'other Markdown file')}; "
            "to bring one in, copy it into .project-corpus/history/, which takes any "
            "Markdown as it is"
        )


def _first(named: Sequence[str]) -> Iterator[str]:
    for line in named[:SHOWN]:
        yield f"  {line}"
    if len(named) > SHOWN:
        yield f"  … and {len(named) - SHOWN} more; `--format json` lists all"


def _place(source: str) -> str:
    """Give the first two folders of a path: where a reader would look."""
    return "/".join(source.split("/")[:-1][:2])


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
