"""`project-corpus init`: write a new corpus that validates."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from corpus.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call
    from corpus.protocol.importable import Importable
    from corpus.protocol.scaffold import Language, Order, Template

SUMMARY = "Write a new corpus that validates, overwriting nothing."
EXAMPLE = "project-corpus init . --template software --name 'Weather Station'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What was written, or with `applied` false what could be.

    `paths` are relative to `root`. `agents_lines` are to be added to an AGENTS.md that
    was left alone.
    """

    root: Path
    order: Order
    applied: bool
    paths: tuple[str, ...]
    agents_lines: tuple[str, ...]
    importable: Importable | None

    def as_json(self) -> dict[str, object]:
        """Give the outcome as one JSON object."""
        found = self.importable
        return {
            "root": str(self.root),
            "project_id": self.order.project_id,
            "name": self.order.name,
            "template": self.order.template,
            "language": self.order.language,
            "applied": self.applied,
            "created": list(self.paths),
            "agents_lines": list(self.agents_lines),
            "imports": [each.as_json() for each in found.imports] if found else [],
            "left_out": [each.as_json() for each in found.left_out] if found else [],
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
    parser.add_argument(
        "--gitignore",
        action="store_true",
        help="add the cache folder to .gitignore",
    )
    parser.add_argument(
        "--with-records",
        action="store_true",
        help="allow records and MCP as well, beyond the published vocabulary",
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


def run(  # noqa: PLR0913 - one keyword an option
    call: Call,
    *,
    root: str,
    template: Template,
    language: Language,
    project_id: str | None,
    name: str | None,
    gitignore: bool,
    with_records: bool,
    from_existing: bool,
    apply: bool,
) -> Outcome:
    """Write the scaffold, or list what `--from-existing` would add to it."""
    from corpus.protocol.importable import find_importable  # noqa: PLC0415 - slow
    from corpus.protocol.scaffold import create, make_order  # noqa: PLC0415 - slow

    if apply and not from_existing:
        raise UsageError(problem="`--apply` goes with `--from-existing`")
    folder = Path(os.path.realpath(root))
    order = make_order(
        folder,
        project_id=project_id,
        name=name,
        template=template,
        language=language,
    )
    order = replace(order, with_records=with_records, gitignore=gitignore)
    found = None
    if from_existing:
        from corpus.confined.reader import open_root  # noqa: PLC0415 - only here

        with open_root(folder) as opened:
            found = find_importable(opened, project_id=order.project_id)
        if not apply:
            return Outcome(
                root=folder,
                order=order,
                applied=False,
                paths=(),
                agents_lines=(),
                importable=found,
            )
    created = create(
        folder, order, now=call.now, imports=found.texts() if found else {}
    )
    return Outcome(
        root=folder,
        order=order,
        applied=True,
        paths=created.paths,
        agents_lines=created.agents_lines,
        importable=found,
    )


def lines(value: Outcome) -> Iterator[str]:
    """Tell what was written and what to do next."""
    if value.importable is not None:
        yield from _import_lines(value.importable, applied=value.applied)
    if not value.applied:
        yield "nothing was written; add --apply to write the corpus with these files"
        return
    for path in value.paths:
        yield f"wrote {path}"
    if value.agents_lines:
        yield ""
        yield "AGENTS.md was there already and was left alone; add these lines to it:"
        yield ""
        yield from value.agents_lines
    yield ""
    yield f"{value.order.name} ({value.order.project_id}) is a corpus now"
    yield "next: describe the project in .project-corpus/state/PROJECT.md"


def _import_lines(found: Importable, *, applied: bool) -> Iterator[str]:
    verb = "imported" if applied else "could import"
    for each in found.imports:
        yield f"{verb} {each.source}"
        yield f"  as {each.target}: {each.reason}"
    for left in found.left_out:
        yield f"left out {left.source}: {left.reason}"
    if not found.imports and not found.left_out:
        yield "found no decision records, memory banks or specs to import"
