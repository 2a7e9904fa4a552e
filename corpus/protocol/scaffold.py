"""Write a new corpus that validates, whole or not at all (P1.7).

Everything is staged beside its place and moved into it at the end; nothing that was
there is overwritten, and a failure leaves the folder as it was.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import unicodedata
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from corpus.authority import SOURCE_BYTES
from corpus.confined.reader import Unreadable, open_root
from corpus.errors import InitTargetError, InitValueError, OutputError
from corpus.protocol.conformance import inspect, validate
from corpus.protocol.layout import (
    AGENTS_PATH,
    CACHE,
    FOLDERS,
    HOME,
    POLICY_PATH,
    PROJECT_PATH,
    STATUS_PATH,
)
from corpus.published import read_published
from corpus.refs import ID_PATTERN, RelPath, is_id, is_markdown_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

Template = Literal["minimal", "software", "research"]
Language = Literal["en", "ru", "zh"]
Profile = Literal["READ_ONLY", "SAFE_EDIT"]

TEMPLATES: tuple[Template, ...] = ("minimal", "software", "research")
LANGUAGES: tuple[Language, ...] = ("en", "ru", "zh")

PUBLISHED_CAPABILITIES = (
    "corpus.read",
    "corpus.stat",
    "corpus.search",
    "corpus.timeline",
    "corpus.context",
    "corpus.validate",
)
"""What the default scaffold allows: every implementation knows these."""

SERVER_CAPABILITY = "mcp.stdio"
"""What `--mcp` adds; under READ_ONLY not every implementation knows it."""

RECORD_CAPABILITIES = ("corpus.records", SERVER_CAPABILITY)
"""What `--with-records` adds, beyond the published READ_ONLY vocabulary."""

EDITING_CAPABILITIES = (
    "audit.read",
    SERVER_CAPABILITY,
    "state.update",
    "task.create",
    "task.update",
    "report.create",
)
"""What the profile SAFE_EDIT adds: controlled writes, their receipts, the server."""

GITIGNORE = RelPath(".gitignore")
IGNORED = f"{CACHE}/"
"""The line `--gitignore` adds."""

TIME_FORM = "%Y-%m-%dT%H:%M:%SZ"
"""How a template's moment is written; it is UTC."""

NAME_LENGTH = 200
_ID_LENGTH = 64
_WRITE = "".join(
    f'\n    "{scope}",'
    for scope in (STATUS_PATH, f"{FOLDERS['task']}/**", f"{FOLDERS['report']}/**")
)
_EXAMPLES: Mapping[Template, tuple[str, str]] = {
    "software": ("task-0001-describe-the-software", "report-0001-corpus-created"),
    "research": ("task-0001-state-the-question", "report-0001-corpus-created"),
}
"""The ids of the example task and report of a template that has them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What to write: checked values only."""

    project_id: str
    name: str
    template: Template
    language: Language
    profile: Profile = "READ_ONLY"
    mcp: bool = False
    with_records: bool = False
    gitignore: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Created:
    """What was written: paths relative to the root, in order.

    `agents_lines` are the lines to add to an AGENTS.md that was there already, or
    empty when the scaffold wrote its own.
    """

    order: Order
    paths: tuple[str, ...]
    agents_lines: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A valid corpus that is there already, and its reports and history files."""

    project_id: str
    name: str
    artifacts: tuple[RelPath, ...]


def make_order(
    root: Path,
    *,
    project_id: str | None,
    name: str | None,
    template: Template,
    language: Language,
) -> Order:
    """Check what was asked for and fill in the id and name from the folder's name.

    Raises `InitValueError` for an id or a name that cannot be used.
    """
    chosen = project_id if project_id is not None else id_from_name(root.name)
    if not is_id(chosen):
        reason = f"an id matches {ID_PATTERN}"
        raise InitValueError(field="--project-id", found=chosen, reason=reason)
    title = name if name is not None else _name_from_folder(root.name, chosen)
    problem = _name_problem(title)
    if problem is not None:
        raise InitValueError(field="--name", found=title, reason=problem)
    return Order(
        project_id=chosen,
        name=title.strip(),
        template=template,
        language=language,
    )


def id_from_name(name: str) -> str:
    """Make an id of a folder's name: folded to ASCII, padded when too short."""
    folded = unicodedata.normalize("NFKD", name.casefold())
    ascii_only = "".join(c for c in folded if not unicodedata.combining(c))
    slug = re.sub(r"[^a-z0-9._]+", "-", ascii_only).strip("-._")[:_ID_LENGTH]
    slug = slug.rstrip("-._")
    if is_id(slug):
        return slug
    return f"project-{slug}" if slug else "project"


def render(order: Order, *, now: datetime) -> dict[RelPath, str]:
    """Give the text of every file of the scaffold, by path; `now` is UTC."""
    words = _words(order, now)

    def text(*parts: str) -> str:
        return fill_template(
            read_published("templates", "corpus", order.language, *parts), words
        )

    agents = text("AGENTS.md")
    if order.profile == "SAFE_EDIT":
        agents += f"\n{text('writing.md')}"
    files = {
        AGENTS_PATH: agents,
        POLICY_PATH: text("policy.toml"),
        PROJECT_PATH: text(order.template, "PROJECT.md"),
        STATUS_PATH: text(order.template, "STATUS.md"),
    }
    if order.template in _EXAMPLES:
        task, report = _EXAMPLES[order.template]
        files[RelPath(f"{FOLDERS['task']}/{task}.md")] = text(order.template, "task.md")
        files[RelPath(f"{FOLDERS['report']}/{report}.md")] = text(
            order.template, "report.md"
        )
    return files


def create(
    root: Path,
    order: Order,
    *,
    now: datetime,
    imports: Mapping[RelPath, str] | None = None,
) -> Created:
    """Write the scaffold into `root`, which is made when it does not exist.

    `imports` are further artifacts, path to text, written with it. An AGENTS.md that is
    there stays as it is. Raises `InitTargetError` when any other target exists,
    `InitValueError` when the result would not validate, `OutputError` when the folder
    cannot be written; in each case nothing is left behind.
    """
    files = render(order, now=now) | dict(imports or {})
    for folder in FOLDERS.values():
        if not any(path.startswith(f"{folder}/") for path in files):
            files[RelPath(f"{folder}/.gitkeep")] = ""
    refuse_existing(root)
    agents_text = files[AGENTS_PATH]
    try:
        with ExitStack() as undo:
            keeps_agents = _write(root, order, files, undo)
            undo.pop_all()
    except OSError as error:
        raise OutputError(reason=_reason(error)) from error
    paths = sorted(path for path in files if not (keeps_agents and path == AGENTS_PATH))
    lines = agents_text.splitlines()
    section = next(n for n, line in enumerate(lines) if line.startswith("## "))
    return Created(
        order=order,
        paths=tuple(paths) + ((GITIGNORE,) if order.gitignore else ()),
        agents_lines=tuple(lines[section:]) if keeps_agents else (),
    )


def read_standing(root: Path, *, project_id: str | None) -> Standing | None:
    """Read the corpus that imports may be added to; None where `create` can write one.

    Raises `InitTargetError` for something that is no corpus, and `InitValueError` for
    one that does not validate or is not the project `project_id`, where that is given.
    """
    home = root / HOME
    if not os.path.lexists(home) or _is_empty_folder(home):
        return None
    if home.is_symlink() or not home.is_dir():
        raise InitTargetError(path=HOME)
    with open_root(root) as opened:
        found = inspect(opened)
        issue = next(
            (i for i in found.validation.issues if i.severity == "ERROR"), None
        )
        artifacts = tuple(
            each.path
            for kind in (FOLDERS["report"], FOLDERS["history"])
            for each in opened.entries(
                kind, wanted=is_markdown_name, enter=lambda _: True
            )
        )
    if issue is not None or found.project is None:
        problem = f"{issue.code} in {issue.path}" if issue else "no PROJECT.md"
        reason = f"its corpus must validate before files are added to it: {problem}"
        raise InitValueError(field="ROOT", found=root.name, reason=reason)
    known = found.validation.project_id or ""
    if project_id is not None and project_id != known:
        reason = f"the corpus that is there is `{known}`"
        raise InitValueError(field="--project-id", found=project_id, reason=reason)
    name = found.project.metadata.get("Logical-Name") or known
    return Standing(project_id=known, name=name, artifacts=artifacts)


def add(root: Path, files: Mapping[RelPath, str]) -> tuple[str, ...]:
    """Write further artifacts into the corpus at `root` and give their paths, sorted.

    Nothing is replaced: `InitTargetError` for a target that has appeared meanwhile.
    `OutputError` when the folder cannot be written. Then nothing is left behind.
    """
    try:
        with ExitStack() as undo:
            with _staged(root, files) as stage:
                for path in files:
                    _publish_new(stage / path, root / path)
                    undo.callback((root / path).unlink, missing_ok=True)
            for folder in sorted({(root / path).parent for path in files}):
                _sync_folder(folder)
            undo.pop_all()
    except OSError as error:
        raise OutputError(reason=_reason(error)) from error
    return tuple(sorted(files))


def fill_template(template: str, words: Mapping[str, str]) -> str:
    """Put the words into their places in one pass, so no word is filled itself."""
    return re.sub(r"\{\{(\w+)\}\}", lambda match: words[match[1]], template)


def refuse_existing(root: Path) -> None:
    """Raise `InitTargetError` when the corpus's own folder holds anything.

    A folder without a file below it counts as none; a link or a file does not.
    """
    home = root / HOME
    if os.path.lexists(home) and not _is_empty_folder(home):
        raise InitTargetError(path=HOME)


def _is_empty_folder(folder: Path) -> bool:
    if folder.is_symlink() or not folder.is_dir():
        return False
    for inner, folders, files in os.walk(folder):
        if files or any(Path(inner, name).is_symlink() for name in folders):
            return False
    return True


def _write(
    root: Path, order: Order, files: Mapping[RelPath, str], undo: ExitStack
) -> bool:
    """Stage, check, publish; say whether an AGENTS.md was there and stays."""
    _make_root(root, undo)
    ignored = _gitignore_text(root) if order.gitignore else None
    keeps_agents = os.path.lexists(root / AGENTS_PATH)
    with _staged(root, files) as stage:
        _refuse_findings(stage, order)
        if not keeps_agents:
            _publish_new(stage / AGENTS_PATH, root / AGENTS_PATH)
            undo.callback((root / AGENTS_PATH).unlink, missing_ok=True)
        refuse_existing(root)
        _clear_empty(root / HOME, undo)
        (stage / HOME).rename(root / HOME)
        undo.callback(shutil.rmtree, root / HOME, ignore_errors=True)
        if ignored is not None:
            (stage / GITIGNORE).write_bytes(ignored)
            _keep_mode(root / GITIGNORE, stage / GITIGNORE)
            (stage / GITIGNORE).replace(root / GITIGNORE)
    _sync_folder(root)
    return keeps_agents


@contextmanager
def _staged(root: Path, files: Mapping[RelPath, str]) -> Iterator[Path]:
    """Write the files into a folder inside `root` that is removed at the end."""
    with tempfile.TemporaryDirectory(dir=root, prefix=".project-corpus-init-") as name:
        stage = Path(name)
        for path, text in files.items():
            target = stage / path
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("wb") as staged:
                staged.write(text.encode("utf-8"))
                staged.flush()
                os.fsync(staged.fileno())
        for folder, _, _ in os.walk(stage, topdown=False):
            _sync_folder(folder)
        yield stage


def _sync_folder(folder: Path | str) -> None:
    """Make the names in a folder durable, on systems that know how."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)  # noqa: TID251 - a folder we made
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _clear_empty(home: Path, undo: ExitStack) -> None:
    """Make room where only folders are; one that has just got a file stays."""
    for folder, _, _ in os.walk(home, topdown=False):
        Path(folder).rmdir()
        undo.callback(Path(folder).mkdir)


def _make_root(root: Path, undo: ExitStack) -> None:
    missing = []
    folder = root
    while not os.path.lexists(folder):
        missing.append(folder)
        folder = folder.parent
    for folder in reversed(missing):
        folder.mkdir()
        undo.callback(_remove_empty, folder)
    if not root.is_dir():
        raise InitValueError(field="ROOT", found=root.name, reason="it is not a folder")


def _remove_empty(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError:
        return  # somebody put a file there meanwhile; it is theirs


def _publish_new(staged: Path, target: Path) -> None:
    """Move a file into place without ever replacing one that has just appeared."""
    try:
        os.link(staged, target)
    except FileExistsError:
        raise InitTargetError(path=target.name) from None
    except OSError:  # no hard links on this file system
        with target.open("xb") as created:
            created.write(staged.read_bytes())
    else:
        staged.unlink()


def _refuse_findings(stage: Path, order: Order) -> None:
    """Hold the staged corpus to our own validator before anybody sees it."""
    with open_root(stage) as opened:
        found = validate(opened).issues
    if found:
        first = found[0]
        reason = f"it would give {first.code} in {first.path}: {first.detail}"
        raise InitValueError(field="--name", found=order.name, reason=reason)


def _gitignore_text(root: Path) -> bytes:
    """Give .gitignore with the cache's line at its end, unless it has it already."""
    try:
        with open_root(root) as opened:
            text = opened.read(GITIGNORE, limit=SOURCE_BYTES).content
    except Unreadable as problem:
        if problem.reason != "not found":
            raise InitValueError(
                field="--gitignore", found=GITIGNORE, reason=problem.reason
            ) from None
        text = b""
    line = IGNORED.encode()
    if line in (known.strip() for known in text.splitlines()):
        return text
    newline = b"\r\n" if b"\r\n" in text else b"\n"
    gap = newline if text and not text.endswith((b"\n", b"\r")) else b""
    return text + gap + line + newline


def _keep_mode(existing: Path, staged: Path) -> None:
    if existing.exists():
        shutil.copymode(existing, staged)


def _words(order: Order, now: datetime) -> dict[str, str]:
    editing = order.profile == "SAFE_EDIT"
    added: tuple[str, ...] = EDITING_CAPABILITIES if editing else ()
    if order.mcp:
        added += (SERVER_CAPABILITY,)
    if order.with_records:
        added += RECORD_CAPABILITIES
    capabilities = dict.fromkeys((*PUBLISHED_CAPABILITIES, *added))
    task, report = _EXAMPLES.get(order.template, ("", ""))
    return {
        "project_id": order.project_id,
        "name": order.name,
        "capabilities": "\n".join(f'    "{name}",' for name in capabilities),
        "profile": order.profile,
        "audit": f'    "{HOME}/audit/**",\n' if editing else "",
        "write": f"{_WRITE}\n" if editing else "",
        "deny": "deny = []\n" if order.with_records else "",
        "task_id": task,
        "report_id": report,
        "now": now.strftime(TIME_FORM),
    }


def _name_from_folder(folder: str, fallback: str) -> str:
    printable = "".join(c if c.isprintable() else " " for c in folder)
    name = " ".join(printable.split())[:NAME_LENGTH]
    return name if name and _name_problem(name) is None else fallback


def _name_problem(name: str) -> str | None:
    if not name.strip():
        return "a name has at least one character"
    if len(name) > NAME_LENGTH:
        return f"a name has at most {NAME_LENGTH} characters"
    if not name.isprintable():
        return "a name is one line of printable characters"
    return None


def _reason(error: OSError) -> str:
    return os.strerror(error.errno).lower() if error.errno else "the device refused"
