"""`project-corpus trust create`: what agents may do at most, kept by the owner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

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
from corpus.cli.writing import written
from corpus.confined.reader import open_root
from corpus.errors import CodedError, UsageError
from corpus.grant import TRANSPORTS, Grant, Limits
from corpus.protocol.layout import POLICY_PATH
from corpus.refusals import GrantMissingError
from corpus.trust import read_grant, write_grant

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from pathlib import Path

    from corpus.approval import Account, Terms
    from corpus.cli.call import Call
    from corpus.cli.granting import Place

SUMMARY = "Grant agents what the owner allows at most, outside the project."
EXAMPLE = (
    "project-corpus trust create --allow corpus.read --allow corpus.context"
    " --allow mcp.stdio"
)

_COMMAND = "trust create --replace"


@dataclass(frozen=True, slots=True, kw_only=True)
class Created:
    """A grant that was written, and what it gives now.

    `changed` is false where the grant that was there says the same. `next` is what to
    do where something granted has no effect, or where there is `nothing_to_write`.
    """

    path: Path
    account: Account
    changed: bool
    next: tuple[str, ...]
    nothing_to_write: bool

    def as_json(self) -> dict[str, object]:
        """Give the answer as one JSON object."""
        return {
            "ok": True,
            "project_id": self.account.grant.project_id,
            "trust_path": str(self.path),
            "changed": self.changed,
            "nothing_to_write": self.nothing_to_write,
            "next": list(self.next),
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
    from corpus.approval import (  # noqa: PLC0415 - parses Markdown
        WRITING,
        account,
        changes,
        draft,
    )

    if writes and allow is not None:
        raise UsageError(problem="`--writes` does not go with `--allow`")
    terms = _terms(allow, transport, (max_sources, max_bytes, max_lines))
    terms = terms._replace(writes=writes)
    place = place_of(call, root, trust)
    with open_root(place.root) as opened:
        grant = draft(opened, place.root, terms, now=call.now)
        old = _standing(place) if replace else False
        if isinstance(old, Grant) and not changes(old, grant):
            grant = old
        else:
            _confirm(call, old, grant, yes=yes)
            write_grant(
                place.path,
                grant,
                root=place.root,
                replace=old if isinstance(old, Grant) else old is not False,
                random=call.random,
            )
        given = account(opened, grant)
        return Created(
            path=place.path,
            account=given,
            changed=grant is not old,
            next=_next(given, root, trust, writes=writes),
            nothing_to_write=writes and not grant.capability_ceiling & WRITING,
        )


def lines(value: Created) -> Iterator[str]:
    """Show where the grant is and what it gives now."""
    project_id = value.account.grant.project_id
    if value.changed:
        yield f"granted {project_id}"
    else:
        yield f"{project_id}: nothing changes, the grant is the one there was"
    yield ""
    yield from row("grant", str(value.path))
    yield from row("file system", filesystem_text(value.account))
    yield from account_lines(value.account)
    if value.nothing_to_write:
        yield "nothing to write: the policy offers no controlled writes"
    for line in value.next:
        yield f"next: {line}"


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


def _standing(place: Place) -> Grant | CodedError | Literal[False]:
    """Give the grant that stands there, or why it cannot be used; False without one."""
    try:
        return read_grant(place.path, root=place.root)
    except GrantMissingError:
        return False
    except CodedError as error:
        return error


def _confirm(
    call: Call, old: Grant | CodedError | Literal[False], new: Grant, *, yes: bool
) -> None:
    """Show what is replaced, if anything is, and ask."""
    from corpus.approval import changes  # noqa: PLC0415 - parses Markdown

    if isinstance(old, CodedError):
        question = f"replace a grant that cannot be used ({old})?"
        call.require_yes(_COMMAND, question, yes=yes)
    elif old:
        shown = [*change_lines(changes(old, new)), "replace the grant?"]
        call.require_yes(_COMMAND, "\n".join(shown), yes=yes)


def _next(
    given: Account, root: str | None, trust: str | None, *, writes: bool
) -> tuple[str, ...]:
    """Say what to change in the policy, and how to approve that."""
    from corpus.approval import WRITING, missing_in_policy  # noqa: PLC0415 - parses

    lines = missing_in_policy(given, writes=writes)
    if not lines:
        return ()
    words = ["trust", "approve-policy"]
    if writes and not given.grant.capability_ceiling & WRITING:
        words = ["trust", "create", "--writes", "--replace"]
    options = [] if trust is None else ["--trust", trust]
    return (
        *(f"in {POLICY_PATH}: {line}" for line in lines),
        written(*words, root=root, options=options),
    )
