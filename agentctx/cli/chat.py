"""`agentctx chat`: talk with a model that remembers this project, in a terminal."""

from __future__ import annotations

import signal
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from corpus.cli.render import Screen, counted
from corpus.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator
    from types import FrameType
    from typing import NoReturn

    from agentctx.chat.host import Host
    from agentctx.cli.chat_opening import Opened
    from agentctx.cli.chat_voice import JsonVoice, TextVoice
    from corpus.cli.call import Call

SUMMARY = "Talk with a model that remembers this project, in a terminal."
EXAMPLE = "agentctx chat\nagentctx chat --review findings.json --run lint-41"

PROMPT, REVIEW_PROMPT = "> ", "review> "
_GREETING = "Type a message, or /help. Ctrl-C stops an answer; /quit or Ctrl-D ends."
_LEAVING = "Memory takes in what was said; Ctrl-C leaves that for the next start.\n"


class Talked(NamedTuple):
    """How a chat went; `pending` jobs of memory wait for the next start."""

    turns: int
    failed: int
    pending: int
    interactive: bool

    def as_json(self) -> dict[str, object]:
        """Give the counts as the last line of a chat in JSON."""
        return {
            "event": "end",
            "turns": self.turns,
            "failed": self.failed,
            "pending": self.pending,
        }


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    parser.add_argument(
        "--intent",
        metavar="LABEL",
        help="what turns are labelled with (default: general_chat)",
    )
    parser.add_argument(
        "--model", metavar="NAME", help="whom to talk with (default: setting `model`)"
    )
    parser.add_argument(
        "--window",
        metavar="TOKENS",
        type=int,
        help="the context window of a model that is not known",
    )
    parser.add_argument(
        "--review", metavar="FILE", help="begin with a review of a tool's findings"
    )
    parser.add_argument(
        "--run", metavar="RUN", dest="review_run", help="the name of the tool's run"
    )


def run(
    call: Call,
    *,
    intent: str | None,
    model: str | None,
    window: int | None,
    review: str | None,
    review_run: str | None,
) -> Talked:
    """Talk until the input ends or a person ends it; what waits then has its time."""
    from agentctx.cli.chat_opening import Wanted, open_chat  # noqa: PLC0415 - when run

    if (review is None) != (review_run is None):
        raise UsageError(problem="`--review` and `--run` are given together")
    screen = Screen(sys.stdout, sys.stderr)
    voice = _voice(call, screen)
    with (
        _interrupts_again(),
        open_chat(call, voice, Wanted(intent, model, window)) as chat,
    ):
        voice.tell()
        if review is not None and review_run is not None:
            chat.host.reviewing.begin(review, review_run)
        _talk(chat, _lines(call, screen, chat.host))
        turns = chat.host.turns
        if turns.count and call.asks and screen.out_is_terminal:
            screen.tell(_LEAVING)
        pending = chat.finish()
        voice.tell()
        return Talked(turns.count, turns.failed, pending, call.asks)


def exit_status(value: Talked) -> int:
    """Tell a script that not every message was answered."""
    return 1 if value.failed and not value.interactive else 0


def lines(value: Talked) -> Iterator[str]:
    """Say only what a person may want to know."""
    if value.pending:
        yield f"{counted(value.pending, 'memory job')} left for the next start"


def json_lines(value: Talked) -> Iterator[str]:
    """Give the last line of a chat in JSON."""
    from corpus.cli.render import json_text  # noqa: PLC0415 - only for JSON

    yield json_text(value.as_json(), indent=None)


FORMATS = {"json": json_lines, "text": lines}


def _voice(call: Call, screen: Screen) -> TextVoice | JsonVoice:
    from agentctx.cli.chat_voice import JsonVoice, TextVoice  # noqa: PLC0415 - when run

    return JsonVoice(screen) if call.format == "json" else TextVoice(screen)


def _talk(chat: Opened, given: Iterator[str]) -> None:
    for line in given:
        if not chat.host.take(line):
            return
        chat.background.wake()


def _lines(call: Call, screen: Screen, host: Host) -> Iterator[str]:
    """Give what is typed, or what comes through a pipe, line by line."""
    reconfigure = getattr(sys.stdin, "reconfigure", None)
    if sys.stdin is None or sys.stdin.closed:
        return
    if reconfigure is not None:
        reconfigure(encoding="utf-8", errors="replace")
    if call.asks and screen.out_is_terminal:
        screen.tell(f"{_GREETING}\n")
        yield from _typed(screen, host)
        return
    yield from sys.stdin


def _typed(screen: Screen, host: Host) -> Iterator[str]:
    """Ask for one line after the other; the second Ctrl-C in a row ends the chat."""
    _load_editing()
    stopped = False
    while True:
        try:
            line = input(REVIEW_PROMPT if host.reviewing.goes_on else PROMPT)
        except EOFError:
            screen.write("\n")
            return
        except KeyboardInterrupt:
            screen.write("\n")
            if stopped:
                return
            stopped = True
            screen.tell("Ctrl-C once more, /quit or Ctrl-D ends the chat\n")
            continue
        stopped = False
        yield line


def _load_editing() -> None:
    """Let a line be edited, and earlier ones of this chat be recalled."""
    try:
        import readline  # noqa: F401, PLC0415 - `input` uses it once it is loaded
    except ImportError:  # a system without it; lines are typed as they are
        return


@contextmanager
def _interrupts_again() -> Iterator[None]:
    """Let every Ctrl-C interrupt: one ends an answer, and the chat goes on."""

    def interrupt(number: int, frame: FrameType | None) -> NoReturn:
        del number, frame
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before: Callable[[int, FrameType | None], object] | int | None
    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)
