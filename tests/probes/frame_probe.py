"""A command that does what a test of the frame asks for."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from corpus.cli.arguments import budget_argument, limit_argument, root_and_text
from corpus.errors import IndexMissingError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call

    Value = dict[str, object]

SUMMARY = "Probe the frame."
SIGN = "ветер 風 \U0001f300"
EXAMPLE = "probe do 'some words'"


def configure(parser: argparse.ArgumentParser) -> None:
    root_and_text(parser, "query")
    parser.add_argument("--limit", type=limit_argument, default=20, help="at most")
    parser.add_argument("--max-tokens", type=budget_argument, default=99, help="most")


def run(
    call: Call, *, root: str | None, query: str, limit: int, max_tokens: int
) -> Value | None:
    if query == "fail":
        raise IndexMissingError(path="a.sqlite3")
    if query == "bug":
        message = "a secret in /home/someone"
        raise KeyError(message)
    if query == "interrupt":
        raise KeyboardInterrupt
    if query == "stream":
        for number in range(3):
            call.write_json({"number": number})
        return None
    if query == "wait":
        call.write_json({"ready": True})
        threading.Event().wait(60)
    return {
        "root": root,
        "query": query,
        "sign": SIGN,
        "limit": limit,
        "max_tokens": max_tokens,
        "format": call.format,
        "interactive": call.interactive,
        "now": call.now.isoformat(),
        "ok": query != "bad",
        "padding": ["x" * 99] * 9999 if query == "much" else [],
    }


def lines(value: Value) -> Iterator[str]:
    yield f"query {value['query']}"
    yield SIGN


def exit_status(value: Value) -> int:
    return 0 if value["ok"] else 1
