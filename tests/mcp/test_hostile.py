"""Any bytes on stdin leave the server alive, or cleanly closed, and stdout pure."""

from __future__ import annotations

import json
import os
import random
from typing import TYPE_CHECKING, Any

import pytest

from corpus.mcp.wire import LONGEST, Lines
from tests.agentctx.mcp.serving import command_at
from tests.mcp.serving import command_of, served_corpus
from tests.mcp.wires import MODERN, Hands

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tests.mcp.wires import Ended

PARTS, MESSAGES = 7, 150
SEED = 20_260_728
DEPTH = 100_000
HUGE = 5 * 1024 * 1024
LARGE = 100_000

METHODS = (
    "initialize",
    "ping",
    "tools/list",
    "tools/call",
    "server/discover",
    "resources/list",
    "prompts/get",
    "completion/complete",
    "logging/setLevel",
    "subscriptions/listen",
    "notifications/initialized",
    "notifications/cancelled",
    "notifications/progress",
    "notifications/roots/list_changed",
    "rpc.discover",
    "",
    "../../etc/passwd",
    "__class__",
)
SCALARS: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**31, 2**63, 2**64, -(2**70), 10**30, 1.5, 1e308),
    *("", "a", "id", "\x00", "\u202e", "\U0001f600", "é" * 100, "null", "[1]"),
    *("corpus.context_query", "corpus.read", "state.update", "gauge", "2.0", "1.0"),
    *("2026-07-28", "2025-06-18", "io.modelcontextprotocol/protocolVersion"),
    [],
    {},
)
KEYS = (
    *("jsonrpc", "id", "method", "params", "result", "error", "name", "arguments"),
    *("_meta", "progressToken", "requestId", "protocolVersion", "capabilities"),
    *("clientInfo", "cursor", "query", "limit", "path", "candidate", "code", "message"),
    *("__proto__", "é", ""),
)

ARGUMENTS = (
    *("query", "limit", "path", "id", "lines"),
    *("ids", "type", "title", "body", "file", "old_id", "as_of", "rationale"),
)


class Hostile:
    """Messages made from a seed, each one wrong in some way or strange."""

    def __init__(self, seed: int) -> None:
        self._dice = random.Random(seed)  # noqa: S311 - the same at every run
        self._kinds: tuple[Callable[[], bytes], ...] = (
            *[self._mutant] * 8,
            *[self._call] * 6,
            self._value,
            self._cut,
            self._bytes,
            self._invalid,
            self._surrogate,
            self._batch,
            self._answer,
            self._text,
        )

    def message(self) -> bytes:
        """Give one line."""
        return self._dice.choice(self._kinds)().replace(b"\n", b" ")

    def rare(self) -> list[bytes]:
        """Give the large ones, which are few."""
        deep_list = b"[" * DEPTH + b"]" * DEPTH
        deep_object = b'{"a":' * DEPTH + b"1" + b"}" * DEPTH
        wide, wider = (b"[" + b"1," * count + b"1]" for count in (LARGE, HUGE // 2))
        long, longer = (b'"' + b"x" * count + b'"' for count in (LARGE, HUGE))
        lines = [b"[" * DEPTH, b"{" * 5 * DEPTH]
        lines += [one * HUGE for one in (b"\x00", b"\xff", b"9")]
        lines += [wider, longer, b'{"jsonrpc":"2.0","id":%s,"method":"ping"}' % longer]
        for text in (deep_list, deep_object, wide, long):
            lines += [text, b'{"jsonrpc":"2.0","id":' + text + b',"method":"ping"}']
            for method in (b"ping", b"tools/list", b"notifications/cancelled"):
                lines.append(
                    b'{"jsonrpc":"2.0","id":7,"method":"%s","params":{"_meta":%s}}'
                    % (method, text)
                )
            for name, key in (
                (b"corpus.candidate_validate", b"candidate"),
                (b"ctx_search", b"query"),
                (b"ctx_get", b"ids"),
            ):
                lines.append(
                    b'{"jsonrpc":"2.0","id":8,"method":"tools/call","params":'
                    b'{"name":"%s","arguments":{"%s":%s}}}' % (name, key, text)
                )
        return lines

    def _scalar(self) -> Any:  # noqa: ANN401 - any JSON
        return self._dice.choice(SCALARS)

    def _tree(self, depth: int = 3) -> Any:  # noqa: ANN401 - any JSON
        roll = self._dice.random()
        if depth == 0 or roll < 0.5:
            return self._scalar()
        if roll < 0.7:
            return [self._tree(depth - 1) for _ in range(self._dice.randrange(4))]
        return {
            self._dice.choice(KEYS): self._tree(depth - 1)
            for _ in range(self._dice.randrange(5))
        }

    def _request(self) -> dict[str, Any]:
        return {
            "jsonrpc": "2.0",
            "id": self._dice.choice([1, "1", self._dice.randrange(50)]),
            "method": self._dice.choice(METHODS),
            "params": self._tree(),
        }

    def _mutant(self) -> bytes:
        """Change, add or drop some keys of a request, or its whole envelope."""
        request = self._request()
        if isinstance(request["params"], dict) and self._dice.random() < 0.3:
            request["params"] |= MODERN
        for _ in range(self._dice.randrange(4)):
            key = self._dice.choice([*request, *KEYS[:6]])
            if self._dice.random() < 0.4:
                request.pop(key, None)
            else:
                request[key] = self._tree(2)
        return json.dumps(request).encode()

    def _call(self) -> bytes:
        request = self._request() | {"method": "tools/call"}
        names = ["corpus.context_query", "corpus.read", "task.create", "corpus.show"]
        names += ["ctx_search", "ctx_get", "ctx_record", "ctx_supersede", "ctx_related"]
        arguments = {key: self._tree(2) for key in self._dice.sample(ARGUMENTS, 3)}
        request["params"] = {"name": self._dice.choice(names), "arguments": arguments}
        if self._dice.random() < 0.3:
            request["params"] |= MODERN
        return json.dumps(request).encode()

    def _value(self) -> bytes:
        return json.dumps(self._tree()).encode()

    def _text(self) -> bytes:
        return self._dice.choice(
            [
                b"NaN",
                b"Infinity",
                b"-",
                b"hello",
                b"\xef\xbb\xbf{}",
                b"Content-Length: 5",
            ]
        )

    def _cut(self) -> bytes:
        line = self._mutant()
        return line[: self._dice.randrange(len(line))]

    def _bytes(self) -> bytes:
        return self._dice.randbytes(self._dice.randrange(1, 300))

    def _invalid(self) -> bytes:
        """Put bytes that are not UTF-8 inside a text."""
        bad = self._dice.choice([b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf8\x88"])
        return self._call().replace(b'"query"', b'"que%sry"' % bad, 1)

    def _surrogate(self) -> bytes:
        """Put half a character, escaped, wherever a text may stand."""
        lone = self._dice.choice(
            [b"\\ud800", b"\\udfff", b"\\ud800a", b"\\udc00\\ud800"]
        )
        place = self._dice.choice(
            [b'"id"', b'"method"', b'"name"', b'"jsonrpc"', b'""']
        )
        whole = b'{"jsonrpc":"2.0","id":"%s","method":"ping","params":{}}' % lone
        line = self._call().replace(place, b'"%s"' % lone, 1)
        return self._dice.choice([whole, line])

    def _batch(self) -> bytes:
        return b"[" + b",".join(self._mutant() for _ in range(3)) + b"]"

    def _answer(self) -> bytes:
        body = self._dice.choice(["result", "error"])
        value = {"jsonrpc": "2.0", "id": self._scalar(), body: self._tree()}
        return json.dumps(value).encode()


@pytest.fixture(params=["corpus", "records"])
def words(tmp_path: Path, request: pytest.FixtureRequest) -> Sequence[str]:
    """Give the words that start one of the two servers."""
    return started(tmp_path, request.param)


def started(tmp_path: Path, server: str) -> Sequence[str]:
    root = served_corpus(tmp_path / "project")
    return command_of(root) if server == "corpus" else command_at(root)


def pure(ended: Ended) -> bool:
    """Say whether a server ended as one should; its lines were read one by one."""
    return ended.status == 0 and "Traceback" not in ended.err


def alive(hands: Hands, era: str, named: str) -> None:
    """Ask what only a living server answers."""
    params = MODERN if era == "modern" else {}
    if era == "legacy":
        assert hands.ask("ping", params, named=f"ping {named}")["result"] is not None
    tools = hands.ask("tools/list", params, named=f"list {named}")["result"]["tools"]
    assert tools


@pytest.mark.requirement("P15.3", "A5.3")
@pytest.mark.timeout(300)
@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_a_server_outlives_what_it_is_sent(
    words: Sequence[str], program_env: dict[str, str], era: str
) -> None:
    with Hands(words, program_env) as hands:
        if era == "legacy":
            hands.begin()
        else:
            hands.ask("tools/list", MODERN, named="first")
        for part in range(PARTS):
            made = Hostile(SEED + part + 100 * (era == "modern"))
            for _ in range(MESSAGES):
                hands.send(made.message())
            alive(hands, era, f"after {part}")
        ended = hands.end()
    assert pure(ended), ended.err


@pytest.mark.requirement("P15.3", "A5.3")
@pytest.mark.timeout(300)
@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_a_server_outlives_depth_and_size(
    words: Sequence[str], program_env: dict[str, str], era: str
) -> None:
    with Hands(words, program_env) as hands:
        if era == "legacy":
            hands.begin()
        else:
            hands.ask("tools/list", MODERN, named="first")
        for line in Hostile(SEED).rare():
            hands.send(line)
        hands.send(b"x" * (LONGEST + 1))
        alive(hands, era, "after all")
        ended = hands.end()
    assert pure(ended), ended.err


@pytest.mark.requirement("P15.3")
def test_a_server_that_was_never_greeted_outlives_it_too(
    words: Sequence[str], program_env: dict[str, str]
) -> None:
    with Hands(words, program_env) as hands:
        for made in map(Hostile, range(6)):
            for _ in range(40):
                hands.send(made.message())
        ended = hands.end()
    assert pure(ended), ended.err


LAST = {
    "nothing": b"",
    "half a line": b'{"jsonrpc":"2.0","id":1,"meth',
    "no end": b'{"jsonrpc":"2.0","id":"last","method":"ping"}',
    "half a character": b"\xf0\x9f",
    "depth": b"[" * DEPTH,
    "size": b"x" * HUGE,
    "blank": b"\n\n\r\n  \n",
}


@pytest.mark.requirement("P15.3")
@pytest.mark.parametrize("greeted", [True, False], ids=["greeted", "silent"])
@pytest.mark.parametrize(("place", "last"), [*enumerate(LAST.values())], ids=LAST)
def test_the_end_of_input_closes_the_server(
    tmp_path: Path,
    program_env: dict[str, str],
    place: int,
    last: bytes,
    greeted: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    """Each server meets each end, greeted before one and silent before the next."""
    words = started(tmp_path, "corpus" if (place % 2 == 0) == greeted else "records")
    with Hands(words, program_env) as hands:
        if greeted:
            hands.begin()
        hands.send_raw(last)
        ended = hands.end()
    assert pure(ended), ended.err


NO_MESSAGES: dict[str, tuple[bytes, object, int]] = {
    "half": (b"{", None, -32700),
    "a batch": (b"[1]", None, -32600),
    "no version": (b'{"id":5,"method":"ping"}', 5, -32600),
    "a list of parameters": (
        b'{"jsonrpc":"2.0","id":"a","method":"ping","params":[]}',
        "a",
        -32600,
    ),
    "an id": (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', None, -32600),
    "half a character": (
        b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}',
        None,
        -32600,
    ),
    "a number": (
        b'{"jsonrpc":"2.0","method":"x","params":{"a":%s,"id":1}}' % (b"9" * 5_000),
        None,
        -32700,
    ),
    "a method": (b'{"jsonrpc":"2.0","id":6,"method":"x"}', 6, -32601),
    "a name": (
        b'{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":5}}',
        6,
        -32602,
    ),
}


@pytest.mark.requirement("P15.3")
def test_what_is_no_message_is_answered_with_its_id_where_it_has_one(
    words: Sequence[str], program_env: dict[str, str]
) -> None:
    answered: dict[str, list[tuple[object, int]]] = {}
    with Hands(words, program_env) as hands:
        hands.begin()
        for about, (line, _, _) in NO_MESSAGES.items():
            before = len(hands.lines)
            hands.send(line)
            hands.ask("ping", {}, named=f"after {about}")
            errors = [one for one in [*hands.answers()][before:] if "error" in one]
            answered[about] = [(e["id"], e["error"]["code"]) for e in errors]
        ended = hands.end()
    wanted = {about: [(i, code)] for about, (_, i, code) in NO_MESSAGES.items()}
    assert answered == wanted
    assert len([one for one in ended.answers if "error" in one]) == len(NO_MESSAGES)


@pytest.mark.requirement("P15.3")
def test_lines_are_cut_whatever_the_pieces_they_come_in() -> None:
    read, write = os.pipe()
    lines = Lines(read, longest=10)
    taken: list[object] = []
    content = b"one\n" + b"x" * 11 + b"\nten bytes!\n\n" + b"y" * 40 + b"\nend"
    for at in range(0, len(content), 3):
        os.write(write, content[at : at + 3])
        assert lines.fill()
        while (line := lines.next()) is not None:
            taken.append(line)
    os.close(write)
    assert not lines.fill()
    os.close(read)
    assert [*taken, lines.rest()] == [
        *(b"one", "TOO LONG", b"ten bytes!", b"", "TOO LONG"),
        b"end",
    ]
