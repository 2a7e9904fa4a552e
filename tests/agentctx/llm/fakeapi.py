"""A real local server that speaks the messages API, told what to answer.

In a test:

    with FakeApi([Says({"facts": []}), fails(529), Says({"facts": []})]) as api:
        ...  # environment: ANTHROPIC_BASE_URL=api.url, ANTHROPIC_API_KEY=anything
    assert [asked.text for asked in api.asked] == [...]

A script is a sequence of answers, given in the order in which requests come, the last
one for ever; or a function from `Asked` to an answer. Rules, looked at first, answer
whatever holds their words, in whatever order requests come.

As a process, for tests of whole programs (see `running`):

    python -m tests.agentctx.llm.fakeapi SCRIPT.json

prints its URL as one line and serves until its standard input ends. SCRIPT.json is
`{"answers": [ANSWER…], "rules": [{"when": TEXT, "answer": ANSWER}…]}`, an ANSWER being
an object with fields of `Says`. `GET /asked` gives what was asked as JSON.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from typing import Self

ROOT = Path(__file__).parents[3]
MOST_BODY = 32 * 1024 * 1024
START_SECONDS = 30
PIECE = 7
"""Characters of a piece that is streamed."""

ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}


class Says(NamedTuple):
    """One answer. What is left out is as the API usually has it.

    `value` is the JSON of the text, unless `text` is given; `thinking` is a block that
    comes first. `usage` replaces counts. `body` replaces everything in the body. After
    `wait` seconds the answer begins; `hang` is for ever, until the server closes.
    `cut` ends the connection after so many bytes of the body; `drip` waits so long
    before each byte of it, `drip_head` before each of the headers.

    Where a stream is asked for the answer comes as events, a few words in each.
    `calls` are tools it asks for: a name, and the JSON of the arguments or a text that
    is none. `trouble` is an error that comes after the words, `stall` lets nothing
    come after them until the server closes.
    """

    value: object = None
    text: str | None = None
    status: int = 200
    message: str = "as the script says"
    stop_reason: str | None = "end_turn"
    thinking: str | None = None
    usage: Mapping[str, object] | None = None
    headers: Mapping[str, str] = {}
    content_type: str = "application/json"
    body: str | None = None
    wait: float = 0.0
    hang: bool = False
    cut: int | None = None
    drip: float = 0.0
    drip_head: float = 0.0
    calls: Sequence[tuple[str, object]] = ()
    trouble: str | None = None
    stall: bool = False


class Asked(NamedTuple):
    """One request, in the order of arrival; header names are in lower case."""

    number: int
    headers: Mapping[str, str]
    body: Mapping[str, object]

    @property
    def key(self) -> str:
        return self.headers.get("authorization", "").removeprefix("Bearer ")

    @property
    def model(self) -> str:
        return str(self.body.get("model"))

    @property
    def system(self) -> str:
        return _texts(self.body.get("system"))

    @property
    def text(self) -> str:
        """What the user's turns say."""
        turns = cast("Sequence[Mapping[str, object]]", self.body.get("messages") or ())
        return "\n".join(_texts(turn.get("content")) for turn in turns)

    @property
    def schema(self) -> object:
        config = cast("Mapping[str, Mapping[str, object]]", self.body["output_config"])
        return config["format"]["schema"]


Script = Sequence[Says] | Callable[[Asked], Says]
Rule = tuple[str, Says]
Block = tuple[dict[str, object], str, str, str]
"""A block as it begins, the kind and the field of its pieces, and all they say."""


def fails(
    status: int, *, retry_after: str | None = None, message: str = "as the script says"
) -> Says:
    """Give a failure as the API words it."""
    headers = {} if retry_after is None else {"retry-after": retry_after}
    return Says(status=status, headers=headers, message=message)


class FakeApi:
    """The server; a context manager, usable from any number of threads.

    `key` is the only one it accepts, where one is given. `unknown` are fields it
    refuses as an older gateway does: `thinking`, `output_config`, `effort`, `format`.
    """

    def __init__(
        self,
        script: Script,
        *,
        rules: Sequence[Rule] = (),
        key: str | None = None,
        unknown: Sequence[str] = (),
    ) -> None:
        self._script = script
        self._rules = tuple(rules)
        self._key = key
        self._unknown = tuple(unknown)
        self._asked: list[Asked] = []
        self._scripted = 0
        self._lock = threading.Lock()
        self.closing = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.api = self
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}
        )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def asked(self) -> tuple[Asked, ...]:
        """Everything that was asked up to now."""
        with self._lock:
            return tuple(self._asked)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def answer(self, headers: Mapping[str, str], body: Mapping[str, object]) -> Says:
        """Record a request and choose its answer."""
        with self._lock:
            asked = Asked(len(self._asked), headers, body)
            self._asked.append(asked)
            refused = self._refused(asked)
            if refused is not None:
                return refused
            for words, found in self._rules:
                if words in asked.text or words in asked.system:
                    return found
            if not callable(self._script):
                place = min(self._scripted, len(self._script) - 1)
                self._scripted += 1
                return self._script[place]
        return self._script(asked)

    def _refused(self, asked: Asked) -> Says | None:
        if not asked.key or (self._key is not None and asked.key != self._key):
            return fails(401, message="invalid authentication")
        if "anthropic-version" not in asked.headers:
            return fails(400, message="anthropic-version: header is required")
        config = asked.body.get("output_config")
        for field in self._unknown:
            if field in asked.body or (isinstance(config, Mapping) and field in config):
                return fails(400, message=f"{field}: Extra inputs are not permitted")
        return None


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    api: FakeApi

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that went away."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server
    timeout = 60

    def do_GET(self) -> None:
        asked = [one._asdict() for one in self.server.api.asked]
        self._send(200, {"content-type": "application/json"}, _encoded(asked))

    def do_POST(self) -> None:
        size = int(self.headers.get("content-length") or 0)
        content = self.rfile.read(min(size, MOST_BODY))
        if urlsplit(self.path).path != "/v1/messages":  # a proxy gets whole addresses
            self._answer(fails(404, message="no such path"), {})
            return
        try:
            body = json.loads(content)
        except ValueError:
            body = None
        if not isinstance(body, dict):
            self._answer(fails(400, message="the body is not a JSON object"), {})
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        self._answer(self.server.api.answer(headers, body), body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name
        """Say nothing."""

    def _answer(self, given: Says, asked: Mapping[str, object]) -> None:
        closing = self.server.api.closing
        if given.hang or (given.wait and closing.wait(given.wait)):
            closing.wait()
            self.close_connection = True
            return
        streams = asked.get("stream") is True and given.status == 200
        kind = "text/event-stream" if streams else given.content_type
        headers = {"content-type": kind, "request-id": "req_1", **given.headers}
        if streams and given.body is None:
            content = b"".join(_events(given, asked))
        else:
            content = _body(given, asked)
        if given.stall:
            self.close_connection = True
            self._drip(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n", 0)
            self._drip(content, 0)
            closing.wait()
            return
        if given.cut is None and not given.drip and not given.drip_head:
            self._send(given.status, headers, content)
            return
        self.close_connection = True
        head = f"HTTP/1.1 {given.status} Scripted\r\n" + "".join(
            f"{name}: {value}\r\n"
            for name, value in {**headers, "content-length": len(content)}.items()
        )
        self._drip(f"{head}\r\n".encode(), given.drip_head)
        self._drip(content[: given.cut], given.drip)

    def _send(self, status: int, headers: Mapping[str, str], content: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _drip(self, content: bytes, pause: float) -> None:
        if not pause:
            self.wfile.write(content)
            return
        for place in range(len(content)):
            if self.server.api.closing.wait(pause):
                return
            self.wfile.write(content[place : place + 1])


def _body(given: Says, asked: Mapping[str, object]) -> bytes:
    if given.body is not None:
        return given.body.encode("utf-8")
    if given.status != 200:
        kind = ERROR_TYPES.get(given.status, "api_error")
        error = {"type": kind, "message": given.message}
        return _encoded({"type": "error", "error": error, "request_id": "req_1"})
    text = _text(given)
    blocks: list[object] = [{"type": "text", "text": text}]
    if given.thinking is not None:
        thought = {"type": "thinking", "thinking": given.thinking, "signature": "s"}
        blocks.insert(0, thought)
    usage = _usage(text, asked)
    return _encoded(
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": asked.get("model"),
            "content": blocks,
            "stop_reason": given.stop_reason,
            "stop_sequence": None,
            "usage": usage if given.usage is None else dict(given.usage),
        }
    )


def _text(given: Says) -> str:
    return json.dumps(given.value) if given.text is None else given.text


def _usage(text: str, asked: Mapping[str, object]) -> dict[str, object]:
    return {
        "input_tokens": len(json.dumps(asked)) // 4,
        "output_tokens": max(1, len(text) // 4),
        "cache_read_input_tokens": 0,
        "cache_creation_input_tokens": 0,
    }


def _events(given: Says, asked: Mapping[str, object]) -> Iterator[bytes]:
    """Give an answer as the API streams it, as far as it comes."""
    text = "" if given.text is None and given.calls else _text(given)
    usage = _usage(text, asked) if given.usage is None else dict(given.usage)
    message: dict[str, object] = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "content": [],
    }
    message |= {"model": asked.get("model"), "stop_reason": None}
    yield _event("message_start", message={**message, "usage": usage})
    yield _event("ping")
    said: Block = ({"type": "text", "text": ""}, "text_delta", "text", text)
    blocks = [said] * bool(text)
    if given.thinking is not None:
        thought: dict[str, object] = {"type": "thinking", "thinking": ""}
        blocks.insert(0, (thought, "thinking_delta", "thinking", given.thinking))
    for number, (name, value) in enumerate(given.calls):
        call: dict[str, object] = {"type": "tool_use", "name": name, "input": {}}
        call["id"] = f"call_{number}"
        given_text = value if isinstance(value, str) else json.dumps(value)
        blocks.append((call, "input_json_delta", "partial_json", given_text))
    for index, (block, kind, field, whole) in enumerate(blocks):
        yield _event("content_block_start", index=index, content_block=block)
        for place in range(0, len(whole), PIECE):
            delta = {"type": kind, field: whole[place : place + PIECE]}
            yield _event("content_block_delta", index=index, delta=delta)
        if given.stall:
            return
        yield _event("content_block_stop", index=index)
    if given.trouble is not None:
        error = {"type": given.trouble, "message": given.message}
        yield _event("error", error=error)
        return
    reason = "tool_use" if given.calls else given.stop_reason
    counted = {"output_tokens": usage.get("output_tokens")}
    yield _event("message_delta", delta={"stop_reason": reason}, usage=counted)
    yield _event("message_stop")


def _event(kind: str, **fields: object) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (
        kind.encode(),
        _encoded({"type": kind, **fields}),
    )


def _encoded(value: object) -> bytes:
    return json.dumps(value).encode("utf-8")


def _texts(content: object) -> str:
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "\n".join(_words(block) for block in blocks)


def _words(block: Mapping[str, object]) -> str:
    """Give the text of a block, or what a tool came to."""
    return str(block.get("text", block.get("content", "")))


class Running(NamedTuple):
    """A fake API in a process of its own."""

    url: str

    def asked(self) -> tuple[Asked, ...]:
        """Ask it what it was asked up to now."""
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"{self.url}/asked", timeout=START_SECONDS) as answer:
            return tuple(Asked(**one) for one in json.load(answer))


@contextlib.contextmanager
def running(script: Mapping[str, object], folder: Path) -> Iterator[Running]:
    """Run the server as a process of its own, as long as the context lasts."""
    path = folder / "fakeapi-script.json"
    path.write_text(json.dumps(script), encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, "-m", "tests.agentctx.llm.fakeapi", str(path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        try:
            url = process.stdout.readline().strip()
            assert url, "it did not start"
            yield Running(url)
        finally:
            process.stdin.close()  # it ends with its input
            process.wait(START_SECONDS)


def main(arguments: Sequence[str]) -> int:
    """Serve a script until standard input ends."""
    script = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    answers = [Says(**one) for one in script.get("answers", [{"value": {}}])]
    rules = [(rule["when"], Says(**rule["answer"])) for rule in script.get("rules", ())]
    with FakeApi(answers, rules=rules) as api:
        print(api.url, flush=True)
        sys.stdin.buffer.read()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
