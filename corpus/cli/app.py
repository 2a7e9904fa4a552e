"""The edge of `project-corpus`: the clock, the streams, every failure, the exit status.

Commands take values and give values; only this module prints, catches and asks the
clock or the environment. Exit status: 0 done; 1 checked and found problems; 2 bad
input, stale, refused or denied; 70 a defect; 130 interrupted. A reader that closes
the pipe early changes neither the status nor stderr.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING

from corpus.cli.commands import COMMANDS, PROGRAM
from corpus.cli.program import meant, overview
from corpus.cli.render import Progress, ReaderGoneError, Screen, visible
from corpus.defect import defect
from corpus.errors import (
    CodedError,
    InterruptError,
    RootNotFoundError,
    UsageError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime
    from types import ModuleType
    from typing import NoReturn, TextIO

    from corpus.cli.arguments import CommandParser
    from corpus.cli.call import Call
    from corpus.cli.program import Command, Program

    Formats = Mapping[str, Callable[[object], Iterable[str]] | None]

__all__ = [
    "COMMANDS",
    "PROGRAM",
    "command_parser",
    "main",
    "run",
    "run_process",
    "run_program",
]

DEBUG = "PROJECT_CORPUS_DEBUG"
"""Set to 1 to see the traceback of a defect."""

COLLECT_AFTER = 100_000
"""Allocations between two collections in a process of our own."""

READABLE = ("text", "prompt")
"""The formats made for reading, whose failures are text too."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `project-corpus` and give its exit status."""
    return run_program(PROGRAM, sys.argv[1:] if arguments is None else arguments)


def run() -> NoReturn:
    """Be the process `project-corpus`."""
    run_process(main)


def run_process(entry: Callable[[], int]) -> NoReturn:
    """Be a process that runs one program to its end.

    A short process makes many values and keeps them: garbage is looked for seldom, and
    the system takes everything back at the end, which takes it no time. Everything
    that is to last was written and flushed by then.
    """
    gc.set_threshold(COLLECT_AFTER, 50, 50)
    _interrupt_once()
    status = entry()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # closed by who started us
            with suppress(OSError, ValueError):  # closed by the reader
                stream.flush()
    os._exit(status)


def _interrupt_once() -> None:
    """Let the first Ctrl-C interrupt, and no other one what follows from it."""
    import signal  # noqa: PLC0415 - only for a process of our own

    def interrupt(number: int, frame: object) -> NoReturn:
        del frame
        signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupt)


def run_program(program: Program, arguments: Sequence[str]) -> int:
    """Run one call of a program, turning every failure into a report and a status."""
    screen = Screen(sys.stdout, sys.stderr)
    try:
        return _answer(program, arguments, screen)
    except ReaderGoneError:
        return 0
    except CodedError as error:
        failure = error
    except KeyboardInterrupt:
        failure = InterruptError()
    except Exception as error:  # noqa: BLE001 - the one net below every command
        if os.environ.get(DEBUG) == "1":
            _tell_traceback(screen, error)
        failure = defect(error)
    screen.tell_failure(failure, as_json=_wants_json(screen, arguments))
    return failure.exit_status


def command_parser(
    program: Program, command: Command, module: ModuleType
) -> CommandParser:
    """Build what a command takes, `--format` and `--help` included."""
    from corpus.cli.arguments import CommandParser  # noqa: PLC0415 - argparse is slow

    parser = CommandParser(
        prog=f"{program.name} {command.name}",
        summary=module.SUMMARY,
        example=module.EXAMPLE,
    )
    module.configure(parser)
    formats = _formats(module)
    if len(formats) > 1:
        parser.add_argument(
            "--format",
            choices=tuple(formats),
            help="how to print the result (default: json, but text on a terminal)"
            if "text" in formats
            else "how to print the result",
        )
    return parser


def _answer(program: Program, arguments: Sequence[str], screen: Screen) -> int:
    command = program.find(arguments)
    if command is None and _names_nothing(program, arguments):
        if not _wants_json(screen, arguments):
            screen.tell(_overview(program, arguments))
            return UsageError.exit_status
        raise UsageError(
            problem=f"`{' '.join([program.name, *arguments])}` needs a command"
        )
    if command is None:
        screen.write(_page(program, arguments))
        return 0
    module = import_module(command.module)
    parser = command_parser(program, command, module)
    return _run(module, parser, arguments[len(command.path) :], screen)


def _names_nothing(program: Program, arguments: Sequence[str]) -> bool:
    """Say whether a call ends before it names a command, as `context` alone does."""
    return not arguments or bool(program.group(arguments))


def _overview(program: Program, arguments: Sequence[str]) -> str:
    return overview(program, program.group_words(arguments))


def _page(program: Program, arguments: Sequence[str]) -> str:
    """Give the page that a call without a command asks for."""
    first = arguments[0] if arguments else ""
    words = program.group_words(arguments)
    rest = arguments[len(words) :]
    if rest and rest[0] in {"-h", "--help"}:
        return overview(program, words)
    if first == "--version":
        return f"{program.name} {program.version}\n"
    wanted = " ".join([*words, *rest[:1]])
    error = UsageError(problem=f"`{wanted}` is not a command of {program.name}")
    near = meant(program, arguments)
    error.hint = f"`{' '.join([program.name, *words])} --help` lists the commands"
    if near is not None:
        error.hint = f"did you mean `{program.name} {near}`? {error.hint}"
    raise error


def _run(
    module: ModuleType,
    parser: CommandParser,
    arguments: Sequence[str],
    screen: Screen,
) -> int:
    from corpus.cli.arguments import help_asked  # noqa: PLC0415 - argparse is slow

    if help_asked(arguments):
        screen.write(parser.format_help())
        return 0
    values = parser.parse(arguments)
    formats = _formats(module)
    chosen = _format(formats, values.pop("format", None), screen)
    progress = Progress(screen, time.monotonic)
    call = _call(chosen, screen, progress)
    try:
        value = module.run(call, **values)
    except RootNotFoundError as error:
        parser.advise(error)
        raise
    finally:
        progress.clear()
    status = _exit_status(module, value)
    try:
        _print(module, formats[chosen], value, screen)
    except ReaderGoneError:
        return status
    return status


def _call(chosen: str, screen: Screen, progress: Progress) -> Call:
    from corpus.cli.call import Call  # noqa: PLC0415 - pathlib is slow

    return Call(
        now=_clock(),
        clock=_clock,
        format=chosen,
        interactive=screen.out_is_terminal,
        progress=progress,
        random=os.urandom,
        write_json=lambda value: screen.write_json(value, indent=None),
        write_lines=screen.write_lines,
        asks=_is_terminal(sys.stdin) and screen.err_is_terminal,
        confirm=lambda question: _confirm(screen, question),
        notify=lambda code, text: screen.tell_notice(
            code, text, as_json=chosen not in READABLE
        ),
    )


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and not stream.closed and stream.isatty()


def _confirm(screen: Screen, question: str) -> bool:
    """Ask a person on stderr; anything but a plain yes is a no."""
    shown = "\n".join(map(visible, question.splitlines()))
    screen.tell(f"{shown} [y/N] ")
    try:
        answer = sys.stdin.readline()
    except ValueError:  # not text
        return False
    return answer.strip().lower() in {"y", "yes"}


def _clock() -> datetime:
    from datetime import UTC, datetime  # noqa: PLC0415 - no page of help needs it

    return datetime.now(UTC)


def _formats(module: ModuleType) -> Formats:
    formats: Formats = getattr(module, "FORMATS", {"json": None, "text": module.lines})
    return formats


def _format(formats: Formats, asked: object, screen: Screen) -> str:
    """Choose the format: the one asked for, else what suits the reader."""
    if isinstance(asked, str):
        return asked
    if not screen.out_is_terminal and "json" in formats:
        return "json"
    readable = [name for name, lines in formats.items() if lines is not None]
    return "text" if "text" in readable else readable[0]


def _exit_status(module: ModuleType, value: object) -> int:
    exit_status: Callable[[object], int] = getattr(module, "exit_status", lambda _: 0)
    return exit_status(value)


def _print(
    module: ModuleType,
    lines: Callable[[object], Iterable[str]] | None,
    value: object,
    screen: Screen,
) -> None:
    """Print what `run` gave; None means that the command has printed as it went."""
    if value is None:
        return
    if lines is None:
        as_json: Callable[[object], object] = getattr(module, "as_json", lambda it: it)
        screen.write_json(as_json(value))
    else:
        screen.write_lines(lines(value), raw=getattr(module, "RAW", False))


def _wants_json(screen: Screen, arguments: Sequence[str]) -> bool:
    """Say whether a failure is to be JSON, which must not need the parsed call."""
    from corpus.cli.arguments import format_asked  # noqa: PLC0415 - argparse is slow

    asked = format_asked(arguments)
    if asked in READABLE:
        return False
    return asked == "json" or not screen.out_is_terminal


def _tell_traceback(screen: Screen, error: BaseException) -> None:
    import traceback  # noqa: PLC0415 - only for whoever hunts a defect

    screen.tell("".join(traceback.format_exception(error)))
