"""Corpora inside the limits that are made to be slow, and what is asked of them.

    python tests/speed/adversarial.py NAME FOLDER

Each writer gives the reports of a corpus; `common_words` what it is asked for.
"""

from __future__ import annotations

import sys
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING

if __package__ in {None, ""}:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.speed.tree import PROJECT_ID, make_model, report_head, write_frame

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

MIB = 2**20
LARGEST_SOURCE = 8 * MIB
HEAD_ROOM = 1_024
MANY_TERMS = 10_000

SENTENCE = "The latch of door seven stays open for five seconds after the command."


def one_term() -> Iterator[str]:
    """Repeat one word over 49,000 lines."""
    for _ in range(24):
        yield "\n\n".join(["latch " * 12] * 2_040)


def identical_passages() -> Iterator[str]:
    """Repeat a passage under each of 20,000 headings."""
    for _ in range(400):
        yield "\n\n".join(["### Latch", SENTENCE] * 50)


def identical_lines() -> Iterator[str]:
    """Give 2,046 sources 24 lines that are all the same."""
    for _ in range(2_046):
        yield "\n".join([SENTENCE] * 24)


def one_long_line() -> Iterator[str]:
    """Fill two sources of 8 MiB with a single line of prose each."""
    model = make_model(2)
    for _ in range(2):
        line = " ".join(model.line("en") for _ in range(2_000)) + " "
        size = LARGEST_SOURCE - HEAD_ROOM
        yield (line * (size // len(line) + 1))[:size]


def unspaced() -> Iterator[str]:
    """Fill 20 MiB with Chinese in lines of about a kilobyte."""
    model = make_model(3)
    for _ in range(4):
        size, lines = 0, []
        while size < 5 * MIB:
            line = "".join(model.line("zh") for _ in range(10))
            size += 3 * len(line)
            lines.append(line)
        yield "\n\n".join(lines)


def largest() -> Iterator[str]:
    """Fill 1,900 sources with 63 MiB of prose in all."""
    model = make_model(4)
    paragraphs = [" ".join(model.line("en") for _ in range(20)) for _ in range(2_000)]
    around = cycle(paragraphs)
    for _ in range(1_900):
        size, lines = 0, [next(around)]
        while size + len(lines[-1]) < 63 * MIB // 1_900 - HEAD_ROOM:
            size += len(lines[-1]) + 2
            lines.append(next(around))
        yield "\n\n".join(lines)


def many_headings() -> Iterator[str]:
    """Put a line below each of 24,000 headings on six levels."""
    model = make_model(5)
    for _ in range(12):
        levels = islice(cycle((1, 2, 3, 4, 5, 6, 3)), 2_000)
        yield "\n\n".join(f"{'#' * n} {model.line('en')}\n\nlatch" for n in levels)


def woven_supersession() -> Iterator[str]:
    """Let each of 700 sources supersede all that come before it."""
    for number in range(700):
        older = ", ".join(f"report-{n:05}" for n in range(number))
        said = f"Supersedes: {older}\n\n" if older else ""
        yield f"# Latch {number}\n\n{said}{SENTENCE}"


def deep_nesting() -> Iterator[str]:
    """Nest quotes and lists hundreds deep; open brackets that never close."""
    for _ in range(40):
        quotes = "\n".join(f"{'> ' * depth}latch" for depth in range(1, 400))
        lists = "\n".join(f"{'  ' * depth}- latch" for depth in range(200))
        yield "\n\n".join([quotes, lists, "[" * 5_000, "*latch " * 2_000])


CORPORA: dict[str, Callable[[], Iterable[str]]] = {
    "one term": one_term,
    "identical passages": identical_passages,
    "identical lines": identical_lines,
    "8 MiB lines": one_long_line,
    "CJK, 20 MiB": unspaced,
    "63 MiB": largest,
    "many headings": many_headings,
    "deep nesting": deep_nesting,
    "woven supersession": woven_supersession,
}


def common_words(name: str) -> str:
    """Give a query that much of a corpus answers."""
    if name in {"8 MiB lines", "63 MiB"}:
        seed = 2 if name == "8 MiB lines" else 4
        return make_model(seed).line("en")
    return make_model(3).line("zh") if name == "CJK, 20 MiB" else SENTENCE


def many_terms() -> str:
    """Give a query of 10,000 distinct words, some of which every corpus has."""
    numbered = (f"w{number}" for number in range(MANY_TERMS - 3))
    return " ".join(["latch", "door", "command", *numbered])


def write_adversary(name: str, root: Path) -> None:
    """Write one of the corpora below `root`."""
    home = write_frame(root, PROJECT_ID)
    plain = name in {"identical lines", "woven supersession"}
    for number, body in enumerate(CORPORA[name]()):
        head = [] if plain else report_head(number, PROJECT_ID)
        path = home / "reports" / f"report-{number:05}.md"
        path.write_text("\n".join([*head, body]), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write_adversary(sys.argv[1], Path(sys.argv[2]))
