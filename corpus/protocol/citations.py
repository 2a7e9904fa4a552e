"""What STATUS and the active task cite: paths, links and ids of artifacts (P7.5).

Only what the text itself says counts, not code, quotes or comments. A reference and an
artifact meet in a *form*: a text each of them has, so that an index can keep hashes of
forms instead of names.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from corpus.markdown import visible
from corpus.protocol.layout import (
    EVIDENCE_REFERENCES,
    HOME,
    STATUS_PATH,
    ArtifactType,
    artifact_type,
)
from corpus.protocol.metadata import instant
from corpus.refs import is_id, is_markdown_name, name_problem, stem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from corpus.markdown import Document


class Citation(NamedTuple):
    """A reference as written, without code ticks and fragment, and its line.

    `required` says that the words can mean nothing but an artifact, so that a target
    which does not exist is a mistake and not merely prose.
    """

    target: str
    line: int
    form: Literal["path", "link", "id"]
    required: bool


class Resolved(NamedTuple):
    """The artifacts that citations name, and the citations that name none."""

    paths: frozenset[str]
    dangling: tuple[Citation, ...]


class Artifacts:
    """The artifacts that may be referred to, by path and by id."""

    def __init__(self, ids: Mapping[str, str | None]) -> None:
        """Take each visible path and the id its metadata declares, if any.

        The file's stem is an id of it too: the two differ only by mistake.
        """
        self._paths: dict[str, set[str]] = {}
        for path, declared in ids.items():
            forms = name_forms(path)
            if declared is not None:
                forms += _id_forms(declared, artifact_type(path))
            for form in forms:
                self._paths.setdefault(form, set()).add(path)

    def resolve(self, cited: Iterable[Citation], *, base: str) -> Resolved:
        """Divide what the file `base` cites into artifacts and dangling citations.

        A link to a file that could not be an artifact is neither. An id that several
        artifacts share means the report.
        """
        paths: set[str] = set()
        dangling: list[Citation] = []
        for citation in cited:
            if citation.form == "id":
                forms = _id_forms(citation.target, "report")
            else:
                forms = _path_forms(citation.target, base)
            path = self._only(forms)
            if path is not None:
                paths.add(path)
            elif citation.required and forms and _is_certain(citation, base):
                dangling.append(citation)
        return Resolved(frozenset(paths), tuple(dangling))

    def superseded(self, target: str, *, base: str) -> str | None:
        """Find the one artifact a `Supersedes` target in the file `base` means."""
        return self._only(target_forms(target, base))

    def _only(self, forms: Iterable[str]) -> str | None:
        """Give the artifact of the first form that only one artifact has."""
        for form in forms:
            paths = self._paths.get(form, ())
            if len(paths) == 1:
                return next(iter(paths))
        return None


def citations(
    document: Document, path: str, *, section: str | None = None
) -> tuple[Citation, ...]:
    """Give what a document cites, in line order, each target once a line.

    `path` is the document's own. With `section`, only what stands below the H2 of that
    name counts. Ids count where they cannot be plain words: in STATUS's Evidence
    References, between code ticks, or with a digit in them.
    """
    evidence = (
        _section_lines(document, EVIDENCE_REFERENCES) if path == STATUS_PATH else ()
    )
    wanted = None if section is None else _section_lines(document, section)
    found: dict[tuple[str, int], Citation] = {}
    for number in document.plain_lines(1, len(document.lines)):
        if wanted is not None and number not in wanted:
            continue
        line = visible(document.lines[number - 1])
        for citation in _in_line(line, number, evidence=number in evidence):
            known = found.get((citation.target, number))
            if known is None or (citation.required and not known.required):
                found[citation.target, number] = citation
    return tuple(found.values())


def cited_paths(document: Document, path: str, known: Iterable[str]) -> frozenset[str]:
    """Give the `known` artifacts that the document at `path` cites."""
    artifacts = Artifacts(dict.fromkeys(known))
    return artifacts.resolve(citations(document, path), base=path).paths


def name_forms(path: str) -> tuple[str, ...]:
    """Give the forms an artifact is known by: its path, its kind with its id, its id.

    Case is folded: portable names never differ in case alone.
    """
    return (path.casefold(), *_id_forms(stem(path), artifact_type(path)))


def target_forms(target: str, path: str) -> tuple[str, ...]:
    """Give the forms of what the file `path` refers to by a path, link or id.

    The likeliest comes first. A path is tried from `.project-corpus/`, from the file's
    own folder and from the project root; a shared id means the file's own kind.
    """
    target = _without_fragment(target)
    forms = _path_forms(target, path)
    if "/" in target:
        return forms
    name = stem(target) if is_markdown_name(target) else target
    return (*forms, *_id_forms(name, artifact_type(path)))


def _id_forms(name: str, kind: ArtifactType | None) -> tuple[str, ...]:
    folded = name.casefold()
    return (f"{kind}:{folded}", folded) if is_id(folded) else ()


_LINK = re.compile(r"\]\([ \t]*(?:<([^<>]*)>|([^\s()<>]*))")
_DEFINITION = re.compile(r"\A {0,3}\[[^\[\]]+\]:[ \t]*(?:<([^<>]*)>|([^\s<>]+))")
_WORD = re.compile(r"[^\s`\"'()<>\[\]{}|,;，、；：！？（）《》「」“”‘’]+")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|[0-9]{1,9}[.)])?[ \t]+")
_PLACE = re.compile(r":[0-9]{1,7}(?:[-:][0-9]{1,7}){0,2}\Z")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_DIGIT = re.compile(r"[0-9]")


def _in_line(line: str, number: int, *, evidence: bool) -> Iterator[Citation]:
    links: set[str] = set()
    for match in (*_LINK.finditer(line), *_DEFINITION.finditer(line)):
        target = _without_fragment(match[1] or match[2] or "")
        if is_markdown_name(target) and not _SCHEME.match(target):
            links.add(target)
            yield Citation(target, number, "link", required=True)
    whole = _whole_item(line)
    for match in _WORD.finditer(line):
        word = match[0].lstrip("*_~").rstrip("*_~.:!?…")
        word = _PLACE.sub("", _without_fragment(word))
        if word in links or "://" in match[0]:
            continue
        ticked = line[match.start() - 1 : match.start()] == "`"
        if is_markdown_name(word):
            if "/" in word:
                yield Citation(word, number, "path", required=True)
            elif is_id(stem(word).lower()):
                yield Citation(stem(word), number, "id", required=False)
        elif is_id(word.lower()) and (evidence or ticked or _DIGIT.search(word)):
            alone = evidence and word == whole and _looks_made(word)
            yield Citation(word, number, "id", required=alone)


def _whole_item(line: str) -> str:
    """Give the text of a list item or line, when it may be a single word."""
    marker = _ITEM.match(line)
    return line[marker.end() if marker else 0 :].strip(" \t`*_.")


def _looks_made(word: str) -> bool:
    """Say whether a word was made as an id: `r-014` and not `utf8` or a date."""
    return (
        word == word.lower()
        and _DIGIT.search(word) is not None
        and ("-" in word or "_" in word)
        and instant(word) is None
    )


def _section_lines(document: Document, name: str) -> frozenset[int]:
    """Give the lines below each H2 of this name, up to the next H1 or H2."""
    tops = [heading for heading in document.headings if heading.level <= 2]  # noqa: PLR2004 - H2
    ends = (*(heading.line for heading in tops[1:]), len(document.lines) + 1)
    return frozenset(
        number
        for heading, end in zip(tops, ends, strict=False)
        if heading.level == 2 and heading.text.casefold() == name.casefold()  # noqa: PLR2004 - H2
        for number in range(heading.last + 1, end)
    )


def _without_fragment(target: str) -> str:
    """Drop what follows `#` or `?`, and read percent escapes."""
    path = target.partition("#")[0].partition("?")[0]
    if "%" in path:
        from urllib.parse import unquote  # noqa: PLC0415 - start-up time, and rare

        path = unquote(path)
    return path


def _is_certain(citation: Citation, base: str) -> bool:
    """Say whether a target with an artifact's form was meant to be one.

    `docs/x.md` may mean a file of the project, though it is written as if relative.
    """
    target = citation.target
    if citation.form == "id" or target.startswith((".", "/")):
        return True
    if artifact_type(f"{HOME}/{target}") is not None:
        return True
    return "/" not in target and artifact_type(base) != "state"


def _path_forms(target: str, base: str) -> tuple[str, ...]:
    """Give the artifact paths a target may mean, the likeliest first."""
    folder = base.rpartition("/")[0]
    if target.startswith((f"{HOME}/", "/")):
        joined: tuple[str, ...] = (target.lstrip("/"),)
    else:
        joined = (f"{HOME}/{target}", f"{folder}/{target}", target)
    paths = dict.fromkeys(_normal(path) for path in joined)
    return tuple(
        path.casefold() for path in paths if path is not None and artifact_type(path)
    )


def _normal(path: str) -> str | None:
    """Resolve `.` and `..`; None outside the root or for a name no file has."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in {"", "."}:
            if name_problem(part) is not None:
                return None
            parts.append(part)
    return "/".join(parts) or None
