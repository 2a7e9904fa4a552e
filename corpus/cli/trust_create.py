"""`project-corpus trust create`: what agents may do at most, kept by the owner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpus.cli.arguments import add_root, positive_argument
from corpus.cli.granting import (
    account_lines,
    add_trust,
    add_yes,
    change_lines,
    filesystem_text,
    place_of,
    row,
)
from corpus.confined.reader import open_root
from corpus.errors import CodedError, UsageError
from corpus.grant import TRANSPORTS, Limits
from corpus.refusals import GrantMissingError
from corpus.trust import read_grant, write_grant

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from pathlib import Path

    from corpus.approval import Account, Terms
    from corpus.cli.call import Call
    from corpus.cli.granting import Place
    from corpus.grant import Grant

SUMMARY = "Grant agents what the owner allows at most, outside the project."
EXAMPLE = (
    "project-corpus trust create --allow corpus.read --allow corpus.context"
    " --allow mcp.stdio"
)

_COMMAND = "trust create --replace"


@dataclass(frozen=True, slots=True, kw_only=True)
class Created:
    """A grant that was written, and what it gives now."""

    path: Path
    account: Account

    def as_json(self) -> dict[str, object]:
        """Give the answer as one JSON object."""
        return {
            "ok": True,
            "project_id": self.account.grant.project_id,
            "trust_path": str(self.path),
            **self.account.as_json(),
        }


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_root(parser)
    add_trust(parser)
    parser.add_argument(
        "--allow",
        metavar="CAPABILITY",
        action="append",
        help="grant this capability; may be repeated (default: those that only read,"
        " as far as the policy offers them)",
    )
    parser.add_argument(
        "--writes",
        action="store_true",
        help="without --allow: grant also the controlled writes that the policy offers",
    )
    parser.add_argument(
        "--transport",
        action="append",
        choices=TRANSPORTS,
        help="grant this way of access; may be repeated (default: cli, and stdio-mcp"
        " when mcp.stdio is granted)",
    )
    usual = Limits()
    for option, name, number in (
        ("--max-sources", "sources", usual.sources),
        ("--max-bytes", "bytes in all sources", usual.total_bytes),
        ("--max-lines", "non-blank lines", usual.nonblank_lines),
    ):
        parser.add_argument(
            option,
            metavar="N",
            type=positive_argument,
            help=f"let the project hold so many {name} (default: {number})",
        )
    parser.add_argument(
        "--replace", action="store_true", help="take the place of the grant there is"
    )
    add_yes(parser)


def run(  # noqa: PLR0913 - one for each option
    call: Call,
    *,
    root: str | None,
    trust: str | None,
    allow: list[str] | None,
    writes: bool,
    transport: list[str] | None,
    max_sources: int | None,
    max_bytes: int | None,
    max_lines: int | None,
    replace: bool,
    yes: bool,
) -> Created:
    """Draft the grant, ask where one is replaced, and write it."""
    from corpus.approval import account, draft  # noqa: PLC0415 - parses Markdown

    if writes and allow is not None:
        raise UsageError(problem="`--writes` does not go with `--allow`")
    terms = _terms(allow, transport, (max_sources, max_bytes, max_lines))
    terms = terms._replace(writes=writes)
    place = place_of(call, root, trust)
    with open_root(place.root) as opened:
        grant = draft(opened, place.root, terms, now=call.now)
        old = _confirmed(call, place, grant, yes=yes) if replace else False
        write_grant(place.path, grant, root=place.root, replace=old, random=call.random)
        return Created(path=place.path, account=account(opened, grant))


def lines(value: Created) -> Iterator[str]:
    """Show where the grant is and what it gives now."""
    yield f"granted {value.account.grant.project_id}"
    yield ""
    yield from row("grant", str(value.path))
    yield from row("file system", filesystem_text(value.account))
    yield from account_lines(value.account)


def _terms(
    allow: list[str] | None,
    transport: list[str] | None,
    limits: tuple[int | None, int | None, int | None],
) -> Terms:
    from corpus.approval import Terms  # noqa: PLC0415 - parses Markdown
    from corpus.authority import known_capabilities  # noqa: PLC0415 - as `run` does

    given = {
        name: number
        for name, number in zip(Limits._fields, limits, strict=True)
        if number is not None
    }
    return Terms(
        capabilities=None if allow is None else known_capabilities(allow),
        transports=None if transport is None else frozenset(transport),
        limits=Limits(**given) if given else None,
    )


def _confirmed(call: Call, place: Place, new: Grant, *, yes: bool) -> bool | Grant:
    """Show what is replaced and ask; give what must still stand there."""
    from corpus.approval import changes  # noqa: PLC0415 - parses Markdown

    try:
        old = read_grant(place.path, root=place.root)
    except GrantMissingError:
        return False
    except CodedError as error:
        question = f"replace a grant that cannot be used ({error})?"
        call.require_yes(_COMMAND, question, yes=yes)
        return True
    shown = [*change_lines(changes(old, new)), "replace the grant?"]
    call.require_yes(_COMMAND, "\n".join(shown), yes=yes)
    return old
