"""The line to the service: the one module that knows the SDK.

Importing it costs a second, so whoever needs it imports it when the first question is
asked. The SDK gets the key by name, retries nothing, follows no redirect, traces
nothing, logs nothing and warns of nothing: what it would print names what was asked.
"""

from __future__ import annotations

import logging
import threading
import warnings
from typing import TYPE_CHECKING, TypeVar, cast

import anthropic
import httpx2

from agentctx.errors import ModelDownError, ModelReplyError, ModelTimeoutError
from agentctx.llm.access import is_loopback
from agentctx.llm.deadline import Deadline
from agentctx.llm.failure import Failure
from agentctx.llm.statuses import failure_of_status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    Take = Callable[[str, str], Failure | None]
    """Takes an event's name and data; a failure ends the answer."""

Got = TypeVar("Got")

MOST_BYTES = 4 * 1024 * 1024
"""What is read of an answer, good or bad."""

SILENCE = 90.0
"""Seconds in which an answer that comes piece by piece says nothing, at most."""

_CONNECT = 10.0
_LOUD = ("anthropic", "httpx2", "httpcore2")
_NEVER = logging.CRITICAL + 1
_NOT_SENT = (
    httpx2.ConnectError,
    httpx2.ConnectTimeout,
    httpx2.PoolTimeout,
    httpx2.ProxyError,
    httpx2.UnsupportedProtocol,
    httpx2.LocalProtocolError,
)
"""What fails before the question is out; it cannot have cost anything."""


class Line:
    """A client of the service; usable from several threads at once."""

    def __init__(self, client: anthropic.Anthropic, deadlines: _Deadlines) -> None:
        self._client = client
        self._deadlines = deadlines

    def send(self, request: Mapping[str, object], seconds: float) -> bytes | Failure:
        """Ask once, for so long at most; give the body of the answer."""
        return self._within(seconds, lambda: self._ask(request, seconds, _body))

    def stream(
        self, request: Mapping[str, object], seconds: float, take: Take
    ) -> Failure | None:
        """Ask once, for so long at most; `take` is given each event as it comes.

        The answer is over when the service ends it or `take` fails it.
        """
        events = {**request, "stream": True}
        silence = min(seconds, SILENCE)
        return self._within(
            seconds,
            lambda: self._ask(events, silence, lambda answer: _events(answer, take)),
        )

    def _within(
        self, seconds: float, ask: Callable[[], Got | Failure]
    ) -> Got | Failure:
        _hush()
        with Deadline(seconds) as deadline, self._deadlines.of(deadline):
            got = ask()
        if deadline.over and (got is None or isinstance(got, Failure)):
            return _late(seconds, billed=got is None or got.billed)
        return got

    def _ask(
        self,
        request: Mapping[str, object],
        seconds: float,
        read: Callable[[anthropic.APIResponse[Any]], Got | Failure],
    ) -> Got | Failure:
        limits = httpx2.Timeout(seconds, connect=min(seconds, _CONNECT))
        arguments = cast("dict[str, Any]", dict(request))
        try:
            with self._client.messages.with_streaming_response.create(
                timeout=limits,
                extra_headers={"Accept-Encoding": "identity"},
                **arguments,
            ) as response:
                return read(response)
        except anthropic.APIStatusError as error:
            return failure_of_status(error, str(request.get("model")))
        except anthropic.APITimeoutError as error:
            return _late(seconds, billed=not isinstance(error.__cause__, _NOT_SENT))
        except anthropic.APIConnectionError as error:
            return _lost(error.__cause__)
        except httpx2.TimeoutException:
            return _late(seconds)
        except httpx2.HTTPError as error:  # while the answer was read
            return _lost(error, reading=True)
        except UnicodeError:  # a header of the environment that is no text
            return Failure(ModelDownError(reason="no request can be made"))
        except anthropic.AnthropicError:
            return Failure(ModelReplyError(reason="the client cannot read it"))


def open_line(key: str, place: str) -> Line:
    """Make the client; ModelDownError where the environment makes it impossible.

    A proxy that the environment names is used as the SDK does, but never on the way to
    this machine itself. Each question has its own connection, so that cutting one that
    is late cuts no other.
    """
    for name in _LOUD:
        logging.getLogger(name).setLevel(_NEVER)
    deadlines = _Deadlines()
    failed = False
    try:
        client = anthropic.Anthropic(
            api_key=key,
            base_url=place,
            max_retries=0,
            default_headers={"Authorization": f"Bearer {key}"},
            open_telemetry=False,
            http_client=anthropic.DefaultHttpxClient(
                trust_env=not is_loopback(place),  # proxies
                verify=httpx2.create_ssl_context(),  # certificates it may name
                follow_redirects=False,
                limits=httpx2.Limits(max_keepalive_connections=0),
                event_hooks={"request": [deadlines.watch], "response": [_bound]},
            ),
        )
    except (ValueError, ImportError, OSError, httpx2.InvalidURL):
        failed = True
    if failed:  # outside, so that nothing of the cause hangs on to it
        raise ModelDownError(
            reason="a proxy or the certificates that the environment names cannot be"
            " used"
        )
    return Line(client, deadlines)


def _kind(answer: anthropic.APIResponse[Any]) -> str:
    kind = str(answer.headers.get("content-type", ""))
    return kind.partition(";")[0].strip().lower()


def _body(answer: anthropic.APIResponse[Any]) -> bytes | Failure:
    kind, body = _kind(answer), answer.read()
    if not kind.endswith("json"):
        return Failure(ModelReplyError(reason="it is not JSON but another type"))
    return body


def _events(answer: anthropic.APIResponse[Any], take: Take) -> Failure | None:
    if _kind(answer) != "text/event-stream":
        return Failure(ModelReplyError(reason="it does not come piece by piece"))
    for event in anthropic.Stream.raw_events(answer.http_response):
        failure = take(event.event or "", event.data)
        if failure is not None:
            return failure
    return None


class _Deadlines:
    """Which deadline the request has that this thread is making."""

    def __init__(self) -> None:
        self._here = threading.local()

    def of(self, deadline: Deadline) -> _Deadlines:
        self._here.deadline = deadline
        return self

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        self._here.deadline = None

    def watch(self, request: httpx2.Request) -> None:
        """Let the pool tell the deadline of the connections it makes."""
        deadline = getattr(self._here, "deadline", None)
        if deadline is not None:
            request.extensions = {**request.extensions, "trace": deadline.note}


class _Bounded(httpx2.SyncByteStream):
    """A stream that ends in an error when it goes on for too long."""

    def __init__(self, stream: httpx2.SyncByteStream) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for block in self._stream:
            size += len(block)
            if size > MOST_BYTES:
                raise _TooLargeError
            yield block

    def close(self) -> None:
        self._stream.close()


class _TooLargeError(httpx2.DecodingError):
    """More than any answer has, or packed so that its size cannot be told."""

    def __init__(self) -> None:
        super().__init__("too large")


def _bound(response: httpx2.Response) -> None:
    packed = response.headers.get("content-encoding", "identity").strip().lower()
    if packed not in {"", "identity"}:
        raise _TooLargeError
    stream = response.stream
    assert isinstance(stream, httpx2.SyncByteStream)
    response.stream = _Bounded(stream)


def _hush() -> None:
    """Keep the SDK from warning of a model's age; each time, for filters get reset."""
    warnings.filterwarnings(
        "ignore", message="The model '", category=DeprecationWarning
    )


def _late(seconds: float, *, billed: bool = True) -> Failure:
    error = ModelTimeoutError(seconds=f"{seconds:.3g}")
    return Failure(error, again=True, billed=billed)


def _lost(cause: BaseException | None, *, reading: bool = False) -> Failure:
    """Tell a connection that failed from an answer that came and is of no use."""
    if isinstance(cause, _TooLargeError):
        error = ModelReplyError(reason="it is too large or packed")
        return Failure(error, billed=True)
    if reading:
        error = ModelReplyError(reason="it broke off")
        return Failure(error, again=True, billed=True)
    if isinstance(cause, httpx2.LocalProtocolError | httpx2.UnsupportedProtocol):
        return Failure(ModelDownError(reason="no request can be made"))
    if isinstance(cause, _NOT_SENT):
        down = ModelDownError(reason="it cannot be reached")
        down.reached = "nobody"
        return Failure(down, again=True)
    lost = ModelDownError(reason="the connection was lost")
    return Failure(lost, again=True, billed=True)
