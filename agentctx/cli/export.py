"""`agentctx export`: write this project's records, with their history, as JSON."""

from __future__ import annotations

import json
import os.path
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentctx.cli.branching import waiting_on
from agentctx.cli.consent import add_yes, require_consent
from agentctx.cli.opening import open_for_reading
from agentctx.clock import parse_moment
from agentctx.privatefile import write_private
from agentctx.records.model import GLOBAL, SCOPES, check_choice
from agentctx.records.read import Moment
from agentctx.records.transfer import Exported, export_records
from corpus.cli.render import counted, visible
from corpus.errors import OutputError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call

SUMMARY = "Write this project's records, with their history, as JSON."
EXAMPLE = "agentctx export --out records.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """The document; `path` is None where it goes to standard output.

    What is staged on branches is not in it.
    """

    exported: Exported
    path: str | None
    staged: int = 0

    def as_json(self) -> dict[str, object]:
        """Give the document itself, or where it was written to."""
        if self.path is None:
            value: dict[str, object] = json.loads(self.exported.content)
            return value
        told = {"staged": self.staged} if self.staged else {}
        return {"path": self.path, "records": self.exported.records, **told}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    parser.add_argument(
        "--out", metavar="FILE", help="where to write it (default: standard output)"
    )
    parser.add_argument(
        "--scope",
        metavar="|".join(SCOPES),
        default="project",
        help="this project's records, or the global ones (default: %(default)s)",
    )
    parser.add_argument(
        "--as-of",
        metavar="T",
        help="only what was believed then, as it stood then",
    )
    parser.add_argument("--valid-at", metavar="T", help="only what was true then")
    add_yes(parser)


def run(
    call: Call,
    *,
    out: str | None,
    scope: str,
    as_of: str | None,
    valid_at: str | None,
    yes: bool,
) -> Written:
    """Write the document; a file that is there is replaced only when it may be."""
    check_choice(scope, SCOPES, field="scope")
    moment = Moment(_moment(as_of, "as_of"), _moment(valid_at, "valid_at"))
    with open_for_reading(call) as opened:
        namespace = GLOBAL if scope == "global" else opened.project_id
        name = GLOBAL if scope == "global" else opened.project.name
        exported = export_records(opened.store, namespace, name=name, moment=moment)
        waiting = waiting_on(opened.store.db, namespace)
    if out is None:
        return Written(exported=exported, path=None)
    path = os.path.abspath(out)  # noqa: PTH100 - without following links
    if os.path.lexists(path):
        require_consent(call, "export", f"replace {path}?", yes=yes)
    try:
        write_private(path, exported.content)
    except (OSError, ValueError):
        raise OutputError(reason="the file cannot be written") from None
    staged = sum(one.records for one in waiting)
    return Written(exported=exported, path=path, staged=staged)


def lines(value: Written) -> Iterator[str]:
    """Show the document, or say where it is."""
    if value.path is None:
        yield from value.exported.content.decode().splitlines()
    else:
        yield f"{counted(value.exported.records, 'record')} in {visible(value.path)}"
    if value.staged:
        waiting = counted(value.staged, "record")
        yield f"not in it: {waiting} staged on branches (`agentctx branch status`)"


def _moment(text: str | None, field: str) -> str | None:
    return None if text is None else parse_moment(text, field=field, end_of_day=True)
