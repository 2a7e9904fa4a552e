"""Make the corpus that speed is measured on: the same bytes for the same seed.

2,000 sources with about 47,000 lines that are not blank, near the limits of one
project. The prose comes from a word model of its own: words are put together from
parts, drawn by Zipf's law, and set into sentences, so that rare and common terms stand
in proportions like those of real prose. Most is English; one report in twelve is
Russian, one in twelve Chinese.

    python tests/speed/tree.py FOLDER [--sources 2000]
"""

from __future__ import annotations

import argparse
import random
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

SOURCES = 2_000
SEED = 20_260_401
PROJECT_ID = "speed-tree"
LINES = (7, 16)
"""Lines of prose in a report, fewest and most."""

OTHER_LANGUAGES = {0: "ru", 6: "zh"}
"""Which reports, modulo twelve, are not English."""

POLICY = """\
policy_version = "2.0"
project_id = "{id}"
profile = "READ_ONLY"

[capabilities]
allow = ["corpus.read", "corpus.stat", "corpus.search", "corpus.context"]

[scopes]
read = [
    ".project-corpus/state/**",
    ".project-corpus/tasks/**",
    ".project-corpus/reports/**",
    ".project-corpus/history/**",
]
write = []

[requirements]
expected_hash = true
verified_readback = true
audit_receipt = true
"""
PROJECT = """\
# Speed tree

Protocol-Version: 2.0
Project-ID: {id}
Logical-Name: Speed tree

## Objective

Give the measurements of speed something to read.

## Invariants

The same seed gives the same bytes.

## Durable Scope Boundaries

Prose that was put together from parts.

## Non-Goals

NONE
"""
STATUS = """\
# Status

Protocol-Version: 2.0
Project-ID: {id}
Lifecycle-Status: PAUSED
Active-Task-ID: NONE
Last-Verified-At: UNVERIFIED
Evidence-Class: DOCUMENTED

## Current Verified Baseline

The tree is made by a program.

## Blockers

NONE

## Evidence References

NONE

## Exact Next Action

NONE
"""

_STARTS = """
ba be bo bri ca cha clo co cra da de di do dra e fa fi flo fo fra ga ge glo
gra ha he ho in ja ju ka ke ki la le li lo lu ma me mi mo mu na ne no o pa pe
pla po pra qua ra re ri ro sa scho se shi so spa sta stri su ta te thi to tra
tu u va ve vi wa we wi wo ya
"""
_MIDDLES = """
ban ber bin cal cen cor dam den dic dol fer fin gal gen gic lam len lic lon
man men mit mon nal nen nic nor par pen pic por ral ren ric ros sal sen sic
son tal ten tic tor val ven vic vor
"""
_ENDS = """
ter ment tion ture ness ing ed er ly able ous ive ance ity al ist dom ward
fold age ry le on en ar ic ck nd st sh
"""
_SMALL = """
the of a and to in that is was for it on with as by at from are this were
which an be not has after when each only before between
"""
_RU_ROOTS = """
вод дом ход лет мир сил вер дел руч пол сет узл ключ замк двер шкаф почт склад
груз счет канал сигнал порт блок цикл кадр слой файл журнал поток запрос ответ
номер день город завод прибор датчик батар корпус плат схем экран кноп
"""
_RU_PARTS = """
пере при под над вы за по от до из раз со об про
"""
_RU_ENDS = """
а у ом е ы ов ам ами ах ный ная ное ные ного ния ние нием ка ки ку кой
"""
_RU_SMALL = """
и в не на что с по это как из за для от при к же был была были
"""
_HAN = (
    "天地人水火土木金山石田风云雨雪日月星海河路门车船机电池板线网站台号码数字时间年月温度"
    "高低长短大小新旧开关进出上下前后左右中外工厂柜锁灯屏箱包件货单表图书报告检查测试结果"
    "记录更新安装运行停止连接断开发送接收处理"
)

IDENTIFIERS = ("retry_limit", "openDoor", "store.cache", "x-trace-id", "Queue::drain")


class Words:
    """Words of one language with Zipf's law over them, and how a line is made."""

    def __init__(
        self, words: Sequence[str], small: Sequence[str], rng: random.Random
    ) -> None:
        self.words = words
        self.small = small
        self.rng = rng
        self.sums = list(accumulate(1 / (rank + 3) for rank in range(len(words))))

    def pick(self, count: int) -> list[str]:
        """Draw words; the first of the list are the commonest."""
        return self.rng.choices(self.words, cum_weights=self.sums, k=count)

    def spaced(self) -> str:
        """Make a sentence of a language that is written with spaces."""
        rng = self.rng
        parts: list[str] = []
        for word in self.pick(rng.randint(6, 12)):
            if rng.random() < 0.6:
                parts.append(rng.choice(self.small))
            parts.append(word)
        roll = rng.random()
        if roll < 0.10:
            parts.append(str(rng.randint(2, 5_000)))
        elif roll < 0.14:
            parts.append(f"`{rng.choice(IDENTIFIERS)}_{rng.randint(1, 400)}`")
        return " ".join(parts).capitalize() + "."

    def unspaced(self) -> str:
        """Make a sentence of a language that is written without spaces."""
        clauses = ["".join(self.pick(self.rng.randint(4, 8))) for _ in range(3)]
        return "，".join(clauses) + "。"


class Model(NamedTuple):
    """One way to make a line for each language."""

    lines: dict[str, Callable[[], str]]
    rng: random.Random

    def line(self, language: str) -> str:
        """Make one line of prose."""
        return self.lines[language]()


def make_model(seed: int = SEED) -> Model:
    """Build the vocabularies: 8,000 English words, 3,000 Russian, 3,000 Chinese."""
    rng = random.Random(seed)  # noqa: S311 - a made-up text needs no secrecy
    english = _vocabulary(rng, _STARTS, _MIDDLES, _ENDS, count=8_000)
    russian = _vocabulary(rng, _RU_PARTS, _RU_ROOTS, _RU_ENDS, count=3_000)
    chinese = _vocabulary(rng, " ".join(_HAN), "", " ".join(_HAN), count=3_000)
    lines = {
        "en": Words(english, _SMALL.split(), rng).spaced,
        "ru": Words(russian, _RU_SMALL.split(), rng).spaced,
        "zh": Words(chinese, (), rng).unspaced,
    }
    return Model(lines, rng)


def write_tree(root: Path, *, sources: int = SOURCES, seed: int = SEED) -> None:
    """Write the corpus below `root`; PROJECT and STATUS count as sources."""
    model = make_model(seed)
    home = write_frame(root, PROJECT_ID)
    for number in range(sources - 2):
        language = OTHER_LANGUAGES.get(number % 12, "en")
        text = "\n".join(_report(model, number, language)) + "\n"
        path = home / "reports" / f"report-{number:05}.md"
        path.write_text(text, encoding="utf-8", newline="\n")


def write_frame(root: Path, project_id: str) -> Path:
    """Write all of a corpus but its reports; give the folder that holds it."""
    home = root / ".project-corpus"
    for folder in ("state", "tasks", "reports", "history", "cache"):
        (home / folder).mkdir(parents=True, exist_ok=True)
    texts = {
        root / "AGENTS.md": "# Agents\n",
        home / "policy.toml": POLICY.format(id=project_id),
        home / "state/PROJECT.md": PROJECT.format(id=project_id),
        home / "state/STATUS.md": STATUS.format(id=project_id),
    }
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8", newline="\n")
    return home


def report_head(number: int, project_id: str) -> list[str]:
    """Give the first lines of a report, metadata included."""
    day = f"2026-{1 + number // 28 % 12:02}-{1 + number % 28:02}"
    return [
        f"# Report {number}",
        "",
        "Protocol-Version: 2.0",
        f"Project-ID: {project_id}",
        f"Report-ID: report-{number:05}",
        "Task-ID: NONE",
        f"Created-At: {day}T08:00:00Z",
        "Result: INFO",
        "",
        "## Summary",
        "",
    ]


REPORT_TAIL = ("", "## Evidence", "", "NONE", "", "## Limitations", "", "NONE")


def _report(model: Model, number: int, language: str) -> Iterator[str]:
    yield from report_head(number, PROJECT_ID)
    for at in range(model.rng.randint(*LINES)):
        if at and model.rng.random() < 0.35:
            yield ""
        bullet = "- " if model.rng.random() < 0.15 else ""
        yield bullet + model.line(language)
    yield from REPORT_TAIL


def _vocabulary(
    rng: random.Random, starts: str, middles: str, ends: str, *, count: int
) -> list[str]:
    """Put `count` distinct words together; about half have a middle."""
    parts = starts.split(), middles.split(), ends.split()
    words: dict[str, None] = {}
    while len(words) < count:
        middle = rng.choice(parts[1]) if parts[1] and rng.random() < 0.6 else ""
        words[rng.choice(parts[0]) + middle + rng.choice(parts[2])] = None
    return list(words)


def main() -> None:
    """Write the tree into the folder named on the command line."""
    parser = argparse.ArgumentParser(description="Make the corpus speed is measured on")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sources", type=int, default=SOURCES)
    asked = parser.parse_args()
    write_tree(asked.folder, sources=asked.sources)


if __name__ == "__main__":
    main()
