"""CPU time of what reads texts from outside, on hard inputs and on twice as much.

    python tests/speed/linear.py

Prints a JSON array with one object for each reader: `once` and `twice` are the CPU
seconds of its worst input at n and 2n, the least of at least three rounds, `ratio` is
that of the two, and `rate` the most seconds a MiB, where a bound on it is promised.
"""

from __future__ import annotations

import gc
import json
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

if __package__ in {None, ""}:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from corpus.browse import find, open_holdings
from corpus.errors import InputJsonError
from corpus.excerpt import excerpt, shorten
from corpus.jsoninput import parse_json
from corpus.lexical import names, numbers, terms
from corpus.markdown import parse_markdown
from corpus.protocol.citations import cited_paths
from corpus.protocol.layout import STATUS_PATH
from corpus.reading import read
from corpus.scopes import Scope
from corpus.suspicion import suspicions, volatile_words
from tests.corpora import dirs_of, write, write_corpus

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Work = Callable[[], object]

MIB = 2**20
BEGINS = ("xyz", "klm")
"""What the texts of each round begin with; the last three are for what looks dear."""

DEAR = 2.5
"""The ratio above which an input is measured again."""
SHORTEST = 0.01
"""Seconds below which the clock says little: the least that n is taken to need."""

TABLE = "|a" * 90 + "|\n" + "|-" * 90 + "|\n" + "a\n" * 700 + "\n"
MARKDOWN = (
    *("a\n=\n", "#\n", "<\n", "# a | b\n---|--\n", "> a\n\n", "[\n", "<b>\n\n"),
    *("[", "<!--", "`", "- a\n```\n", "> - > - 1. \n", TABLE),
)
WORDS = ("é.", "İ", "бА", "aA1/", "a\u00ad", "a-b-", "a.b.", "1,", "aя漢ก가1_é", "漢")
RUNS = (
    *("a\u200b", "\u00ad", "```\r", "ignore ", "-eyJ" + "a" * 20, "aB3"),
    *("password=" + "aB3" * 7 + "\n", "-----BEGIN PRIVATE KEY-----"),
)
SENTENCES = (".", ". ", "a", "a ", "。", "字", "a.\n", "!x")
TEXTS = ('\\"', '"', "\\", "[[],", "{")
LINKS = ("[", "](", "](<", "<!--", "a/", "%41", ":1", "`", "*")
PATTERNS = ("**/" * 60 + "b", "*a" * 250 + "b", "**a" * 160 + "b", "a*" * 250 + "b")
REPORT = ".project-corpus/reports/r-001.md"
MANY = Path(".project-corpus") / "history" / "many.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """What reads a text: its hard inputs, how many characters, and how it is run.

    `prepare` makes the work for a text of an input; what it does itself is not counted.
    """

    name: str
    inputs: Sequence[str]
    size: int
    prepare: Callable[[str, str], Work]
    rated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """What the worst of a reader's inputs costs, in CPU seconds."""

    name: str
    once: float
    twice: float
    ratio: float
    rate: float | None


def _markdown(text: str, _: str) -> Work:
    return lambda: parse_markdown(text)


def _terms(text: str, _: str) -> Work:
    return lambda: terms(text)


def _names(text: str, _: str) -> Work:
    return lambda: (names(text), numbers(text))


def _suspicions(text: str, _: str) -> Work:
    def work() -> None:
        reading = read(text)
        suspicions(reading)
        volatile_words(reading)

    return work


def _excerpt(text: str, _: str) -> Work:
    room = len(text.encode()) // 2
    return lambda: (shorten(text, room), excerpt(text, {"a": 1.0}, room=room))


def _json(text: str, _: str) -> Work:
    content = f'"{text}'.encode()

    def work() -> None:
        with suppress(InputJsonError):
            parse_json(content, name="x")

    return work


def _scope(text: str, pattern: str) -> Work:
    scope = Scope.parse(pattern)
    paths = [("a" * len(text)), "a/" * (len(text) // 2), "ab" * (len(text) // 2) + "a"]
    return lambda: [scope.matches(path) for path in paths]


def _citations(text: str, _: str) -> Work:
    document = parse_markdown(f"x {text}.md")
    return lambda: cited_paths(document, STATUS_PATH, (STATUS_PATH, REPORT))


def _find(text: str, _: str) -> Work:
    with tempfile.TemporaryDirectory(prefix="project-corpus-speed-") as folder:
        root = write_corpus(Path(folder).resolve() / "tree")
        write(root / MANY, text)
        holdings = open_holdings(root, "corpus.search", dirs=dirs_of(root))
    return lambda: find(holdings, "ab ab")


READERS = (
    Reader(
        name="parse_markdown",
        inputs=MARKDOWN,
        size=MIB // 4,
        prepare=_markdown,
        rated=True,
    ),
    Reader(name="terms", inputs=WORDS, size=MIB // 8, prepare=_terms, rated=True),
    Reader(name="names and numbers", inputs=WORDS, size=MIB // 8, prepare=_names),
    Reader(name="suspicions", inputs=RUNS, size=MIB // 4, prepare=_suspicions),
    Reader(name="find", inputs=("ab ab ab ab\n",), size=240_000, prepare=_find),
    Reader(name="excerpt", inputs=SENTENCES, size=60_000, prepare=_excerpt),
    # Escaped texts cost one step more from somewhere above half a MiB: n is behind it.
    Reader(name="parse_json", inputs=TEXTS, size=MIB, prepare=_json),
    Reader(name="scopes", inputs=PATTERNS, size=40_000, prepare=_scope),
    Reader(name="citations", inputs=LINKS, size=200_000, prepare=_citations),
)


def growth(reader: Reader, *, size: int) -> Growth:
    """Measure every input of a reader at `size` characters and at twice as many."""
    worst: Growth | None = None
    rate = 0.0
    for piece in reader.inputs:
        found = _growth(reader, piece, size)
        rate = max(rate, found.rate or 0.0)
        if worst is None or found.ratio > worst.ratio:
            worst = found
    if worst is None:
        message = f"{reader.name} has no inputs"
        raise ValueError(message)
    return replace(worst, rate=rate if reader.rated else None)


def _growth(reader: Reader, piece: str, size: int) -> Growth:
    """Measure one input, and once more when it looks dear: others only add time."""
    once = twice = ratio = float("inf")
    for begins in BEGINS:
        once = min(once, _seconds(reader, piece, size, begins))
        twice = min(twice, _seconds(reader, piece, 2 * size, begins))
        ratio = twice / max(once, SHORTEST)
        if ratio <= DEAR:
            break
    written = len(_text(piece, 2 * size).encode()) / MIB
    return Growth(
        name=reader.name, once=once, twice=twice, ratio=ratio, rate=twice / written
    )


def _text(piece: str, size: int, begin: str = "") -> str:
    return begin + piece * max(1, size // len(piece))


def _seconds(reader: Reader, piece: str, size: int, begins: str) -> float:
    """Give the least CPU seconds; words begin anew in each round, so none is known."""
    least = float("inf")
    for letter in begins:
        begin = "" if reader.prepare in {_markdown, _find} else letter
        work = reader.prepare(_text(piece, size, begin), piece)
        gc.collect()
        gc.disable()
        started = time.process_time()
        work()
        least = min(least, time.process_time() - started)
        gc.enable()
    return least


def main() -> None:
    """Print what every reader costs."""
    found = [asdict(growth(reader, size=reader.size)) for reader in READERS]
    sys.stdout.write(f"{json.dumps(found)}\n")


if __name__ == "__main__":
    main()
