"""Write a task or a report from a person's words, so that nobody types metadata.

What is composed says exactly what was given: it is read again, and words that would
add metadata, begin a section or hide one are refused with `ArtifactConformanceError`.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from corpus.lines import split_lines
from corpus.markdown import parse_markdown
from corpus.protocol.conformance import check_content
from corpus.protocol.layout import FOLDERS, NONE
from corpus.protocol.metadata import read_metadata
from corpus.protocol.scaffold import TIME_FORM, fill_template
from corpus.protocol.sections import SECTION_LEVEL, sections
from corpus.published import read_published
from corpus.refs import RelPath, is_id, name_problem
from corpus.refusals import ArtifactConformanceError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from corpus.markdown import Document

TITLE_LENGTH = 200
_ID_LENGTH = 64
_LATIN: Mapping[int, str] = {
    ord(letter): written
    for letters, words in (
        ("абвгдезийклмнопрстуфхцыэ", "abvgdezijklmnoprstufxcye"),
        ("іґўјѓѕљњќђћџәғқңөұүһ", "igujgzlnkdcdagknouuh"),
        ("ёжчшщюяєї", ("yo", "zh", "ch", "sh", "shh", "yu", "ya", "ye", "yi")),
        ("ъь", ("", "")),
    )
    for letter, written in zip(letters, words, strict=True)
}
"""Cyrillic letters, as system B of GOST 7.79-2000 writes them, without its accents."""


class TaskDraft(NamedTuple):
    """What a person says of a new task; whatever is left empty says NONE.

    Several values of one section become the items of a list.
    """

    title: str
    objective: str
    scope: Sequence[str] = ()
    constraints: Sequence[str] = ()
    acceptance: Sequence[str] = ()


class ReportDraft(NamedTuple):
    """What a person says of something done; whatever is left empty says NONE.

    `task_id` is NONE where no task asked for it.
    """

    title: str
    task_id: str
    result: str
    summary: str
    evidence: Sequence[str] = ()
    limitations: Sequence[str] = ()


def compose_task(
    draft: TaskDraft, *, project_id: str, task_id: str, now: datetime
) -> bytes:
    """Give the text of a new task, which is OPEN; `now` is UTC."""
    words = {
        "title": draft.title.strip(),
        "project_id": project_id,
        "task_id": task_id,
        "now": now.strftime(TIME_FORM),
    }
    texts = {
        "objective": _section([draft.objective]),
        "scope": _section(draft.scope),
        "constraints": _section(draft.constraints),
        "acceptance": _section(draft.acceptance),
    }
    path = RelPath(f"{FOLDERS['task']}/{task_id}.md")
    return _composed("task.md", path, words, texts)


def compose_report(
    draft: ReportDraft, *, project_id: str, report_id: str, now: datetime
) -> bytes:
    """Give the text of a new report; `now` is UTC."""
    words = {
        "title": draft.title.strip(),
        "project_id": project_id,
        "report_id": report_id,
        "task_id": draft.task_id,
        "result": draft.result,
        "now": now.strftime(TIME_FORM),
    }
    texts = {
        "summary": _section([draft.summary]),
        "evidence": _section(draft.evidence),
        "limitations": _section(draft.limitations),
    }
    path = RelPath(f"{FOLDERS['report']}/{report_id}.md")
    return _composed("report.md", path, words, texts)


def id_from_title(title: str) -> str | None:
    """Make an id of a title's words, or None when too little is left of it.

    Cyrillic letters are written in Latin ones, letters lose their marks (`é` counts as
    `e`), everything that is not a letter or a digit then becomes a hyphen, and at most
    64 characters stay. None is also the name of a device, which no file can have
    everywhere.
    """
    composed = unicodedata.normalize("NFC", title).casefold()
    folded = unicodedata.normalize("NFKD", composed.translate(_LATIN))
    plain = "".join(c for c in folded if not unicodedata.combining(c))
    words = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:_ID_LENGTH].rstrip("-")
    usable = is_id(words) and name_problem(f"{words}.md") is None
    return words if usable else None


def is_written_in_latin(title: str) -> bool:
    """Say whether a title has Latin letters or digits and no letter of other scripts.

    One that is, and still makes no id, is only too short.
    """
    folded = unicodedata.normalize("NFKD", title.casefold())
    letters = [c for c in folded if c.isalpha()]
    return bool(letters) and all(c.isascii() for c in letters)


def _section(values: Sequence[str]) -> str:
    """Give one value as it is, several as a list, and none as NONE."""
    given = [lines for lines in map(_trimmed, values) if lines]
    if not given:
        return NONE
    if len(given) == 1:
        return "\n".join(given[0])
    return "\n".join(_item(lines) for lines in given)


def _trimmed(value: str) -> list[str]:
    lines = [line.rstrip() for line in split_lines(value)]
    filled = [number for number, line in enumerate(lines) if line]
    return lines[filled[0] : filled[-1] + 1] if filled else []


def _item(lines: Sequence[str]) -> str:
    rest = [f"  {line}" if line else "" for line in lines[1:]]
    return "\n".join([f"- {lines[0].lstrip()}", *rest])


def _composed(
    template: str, path: RelPath, words: dict[str, str], texts: dict[str, str]
) -> bytes:
    """Fill the template, and refuse words that say more than their own place does.

    The same template with NONE in every section has the metadata and the headings that
    are meant, whatever `texts` hold.
    """
    problems = list(_word_problems(words))
    if problems:
        raise ArtifactConformanceError(path=path, problems="; ".join(problems))
    form = read_published("templates", "artifacts", template)
    text = fill_template(form, words | texts)
    try:
        content = text.encode("utf-8")
    except UnicodeEncodeError:
        raise ArtifactConformanceError(path=path, problems=_NOT_TEXT) from None
    plain = fill_template(form, words | dict.fromkeys(texts, NONE))
    problems = [
        f"{found.code} in line {found.line}: {found.detail}"
        for found in check_content(path, content, project_id=words["project_id"])
    ]
    if _reads_otherwise(parse_markdown(text), parse_markdown(plain), texts):
        problems.append("the words would begin or hide a section")
    if problems:
        raise ArtifactConformanceError(path=path, problems="; ".join(problems))
    return content


_NOT_TEXT = "the words are not UTF-8 text"


def _word_problems(words: Mapping[str, str]) -> Iterator[str]:
    """Say which words are not one line each, so that none can hold another key."""
    title = words["title"]
    for name, word in words.items():
        if not word.isprintable():
            yield f"`{name}` is not one line of printable characters"
    if not 0 < len(title) <= TITLE_LENGTH:
        yield f"a title has 1 to {TITLE_LENGTH} characters"
    elif not parse_markdown(f"# {title}").headings[0].text:
        yield "the title has no words"


def _reads_otherwise(
    document: Document, meant: Document, texts: Mapping[str, str]
) -> bool:
    """Say whether a text changes anything but the lines of its own section."""
    bodies = [
        "\n".join(document.lines[each.first - 1 : each.last]).strip("\n")
        for each in sections(document)
    ]
    return (
        _outline(document) != _outline(meant)
        or read_metadata(document) != read_metadata(meant)
        or bodies != list(texts.values())
    )


def _outline(document: Document) -> list[tuple[int, str]]:
    upper = (h for h in document.headings if h.level <= SECTION_LEVEL)
    return [(heading.level, heading.text) for heading in upper]
