"""Everything that reaches a person or a script: two streams, always UTF-8.

On a terminal no stored text can move the cursor, change colours, reorder a line or
hide: such characters are shown as escapes. A lone surrogate is escaped everywhere.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from corpus.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TextIO

    from corpus.errors import CodedError

_UNSEEN = (
    "\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u2800\u3164\ud800-\udfff\ufdd0-\ufdef\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Deletes, C1 controls, direction marks, joiners, fillers, blanks, selectors, tags."""

_HIDDEN = f"[\x00-\x08\x0a-\x1f{_UNSEEN}]"
_HIDDEN_IN_JSON = f"[{_UNSEEN}]"
# Patterns, not compiled ones: `re` keeps them from the first use, start-up does not.

PATIENCE = 0.5
"""Seconds of work before progress is shown."""

PLACES = 5
"""How many paths a failure names in text; JSON has more."""

_REPAINT = 0.1
"""Seconds between two paints of the progress line."""


class ReaderGoneError(Exception):
    """Whoever read our output has closed it; there is nobody left to tell."""


_LONE = re.compile("[\ud800-\udfff]")
"""Half a character, from an argument that is not text; no JSON reader need take it."""


def visible(text: str) -> str:
    r"""Show what a terminal would obey or hide: `\x1b`, `\u202e`, `\U000e0041`.

    A tab stays; a line break does not, so one line stays one line.
    """
    return re.sub(_HIDDEN, _escaped, text)


def counted(number: int, one: str, more: str | None = None) -> str:
    """Write a number with its noun: `1 source`, `2 sources`, `3 further matches`."""
    return f"{number} {one if number == 1 else more or f'{one}s'}"


def json_text(value: object, *, indent: int | None = 2) -> str:
    """Write `value` as JSON, asking nested values for their `as_json()`."""
    import json  # noqa: PLC0415 - no page of help needs it

    text = json.dumps(
        value, ensure_ascii=False, indent=indent, allow_nan=False, default=_plain
    )
    return text if text.isascii() else _LONE.sub("\ufffd", text)


class Screen:
    """The two streams of one run of a program."""

    def __init__(self, out: TextIO | None, err: TextIO | None) -> None:
        self._out = _utf8(out)
        self._err = _utf8(err)
        self.out_is_terminal = out is not None and out.isatty()
        self.err_is_terminal = err is not None and err.isatty()

    def write(self, text: str) -> None:
        """Write to stdout at once.

        ReaderGoneError: the pipe is closed. OutputError: anything else in the way.
        """
        if self._out is None:
            raise OutputError(reason="standard output is closed")
        try:
            self._out.write(text)
            self._out.flush()
        except BrokenPipeError as error:
            self._give_up()
            raise ReaderGoneError from error
        except OSError as error:
            self._give_up()
            raise OutputError(reason=_reason(error)) from error

    def write_json(self, value: object, *, indent: int | None = 2) -> None:
        """Write one JSON value and a line break."""
        text = json_text(value, indent=indent)
        if self.out_is_terminal:
            text = re.sub(_HIDDEN_IN_JSON, _escaped_in_json, text)
        self.write(f"{text}\n")

    def write_lines(self, lines: Iterable[str], *, raw: bool = False) -> None:
        """Write text for people, one element a line.

        `raw` lines are somebody's own text: in a pipe or a file they stay as they are.
        """
        shown = lines if raw and not self.out_is_terminal else map(visible, lines)
        text = "\n".join(shown)
        if text:
            self.write(f"{text}\n")

    def tell(self, text: str) -> None:
        """Write to stderr; nobody can be told when that fails, so nothing is."""
        if self._err is not None:
            with suppress(OSError, ValueError):
                self._err.write(text)
                self._err.flush()

    def tell_failure(self, error: CodedError, *, as_json: bool) -> None:
        """Report a failure on stderr: one JSON object on a line, or text."""
        if as_json:
            text = json_text(
                {
                    "ok": False,
                    "error": error.code,
                    "detail": str(error),
                    "hint": error.hint,
                    "facts": error.facts,
                },
                indent=None,
            )
            if self.err_is_terminal:
                text = re.sub(_HIDDEN_IN_JSON, _escaped_in_json, text)
            self.tell(f"{text}\n")
        else:
            self.tell(f"error[{error.code}]: {visible(str(error))}\n")
            for line in _places(error):
                self.tell(f"  {visible(line)}\n")
            self.tell(f"hint: {visible(error.hint)}\n")

    def tell_notice(self, code: str, text: str, *, as_json: bool) -> None:
        """Tell on stderr, on one line, what is no failure and belongs to no result."""
        if not as_json:
            self.tell(f"note[{code}]: {visible(text)}\n")
            return
        line = json_text({"notice": code, "detail": text}, indent=None)
        if self.err_is_terminal:
            line = re.sub(_HIDDEN_IN_JSON, _escaped_in_json, line)
        self.tell(f"{line}\n")

    def _give_up(self) -> None:
        """Close stdout now, so that the interpreter's own last flush stays silent."""
        assert self._out is not None
        with suppress(OSError):
            self._out.close()
        self._out = None


class Progress:
    """A line on a terminal's stderr that says how far long work has come.

    Silent when stderr is no terminal and for the first `PATIENCE` seconds. `clock`
    counts seconds and never goes back.
    """

    def __init__(self, screen: Screen, clock: Callable[[], float]) -> None:
        self._screen = screen
        self._clock = clock
        self._started = clock()
        self._painted: float | None = None
        self._width = 0

    def __call__(self, done: int, total: int, label: str) -> None:
        """Show that `done` of `total` steps of `label` are behind us."""
        now = self._clock()
        if not self._screen.err_is_terminal or now - self._started < PATIENCE:
            return
        if self._painted is not None and now - self._painted < _REPAINT:
            return
        line = f"{visible(label)} {done}/{total}"
        self._screen.tell(f"\r{line:<{self._width}}")
        self._painted, self._width = now, max(self._width, len(line))

    def clear(self) -> None:
        """Take the line away, so that nothing is written behind it."""
        if self._painted is not None:
            self._screen.tell(f"\r{' ' * self._width}\r")
            self._painted = None


def _utf8(stream: TextIO | None) -> TextIO | None:
    r"""Make a stream write UTF-8 whatever the locale, and never fail on a character.

    `backslashreplace` turns a lone surrogate into `\udXXX`, which inside a JSON string
    is that same surrogate, escaped.
    """
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    return stream


def _plain(value: object) -> object:
    as_json = getattr(value, "as_json", None)
    if as_json is None:
        message = f"{type(value).__name__} has no JSON form"
        raise TypeError(message)
    return as_json()


def _places(error: CodedError) -> Iterator[str]:
    """Name some of the sources that make an index stale, then how many more."""
    count = error.facts.get("count")
    told = []
    for state in ("changed", "added", "removed"):
        paths = error.facts.get(state)
        if isinstance(count, int) and isinstance(paths, Sequence):
            told += [f"{state} {path}" for path in paths]
    yield from told[:PLACES]
    if told and isinstance(count, int) and count > len(told[:PLACES]):
        yield f"and {count - len(told[:PLACES])} more"


def _reason(error: OSError) -> str:
    return os.strerror(error.errno).lower() if error.errno else "the device refused"


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x100:  # noqa: PLR2004 - one byte is written `\x1b`
        return {"\n": "\\n", "\r": "\\r"}.get(match[0], f"\\x{code:02x}")
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"  # noqa: PLR2004


def _escaped_in_json(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
