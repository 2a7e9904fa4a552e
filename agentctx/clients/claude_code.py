"""Claude Code: where it keeps its settings, and our entries put there and taken back.

Every change is planned first, on the files as they are, and shown. What is applied is
planned again on the files as they are then, under a lock of ours, for Claude Code
itself rewrites the file that holds its servers.
"""

from __future__ import annotations

import os
import shutil
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from agentctx.clients.claude_hooks import PROGRAM
from agentctx.clients.claude_settings import (
    SERVERS,
    Added,
    add_hooks,
    add_servers,
    program_of,
    remove_hooks,
    remove_servers,
)
from agentctx.clients.clientfile import (
    FileMovedError,
    read_client_file,
    remove_stage,
    replace_client_file,
    require_editable,
    search_client_file,
)
from agentctx.clients.journal import (
    Step,
    Trail,
    bytes_like,
    digest,
    followed,
    read_journal,
    text_of,
    tidy_journal,
    walked_back,
    write_journal,
)
from agentctx.clients.jsontext import Draft, Edit, JsonTextError, parse_strictly
from agentctx.config import Problem
from agentctx.errors import ClientBusyError, ClientFileError, HomeError
from agentctx.privatefile import folder_lock
from corpus.errors import CodedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

NAME = "claude-code"
TITLE = "Claude Code"
FOLDER_VARIABLE = "CLAUDE_CONFIG_DIR"
SETTINGS = "settings.json"
ACCOUNT = ".claude.json"

ATTEMPTS = 20
"""How often a file may change under us before we give up."""

_BLANK = " \t\r\n"


class Places(NamedTuple):
    """Where Claude Code keeps its settings and, with its account, its servers."""

    folder: str
    settings: str
    account: str


class Change(NamedTuple):
    """What one file is and what it is to be; None where there is no such file.

    `problem` says why our entries could not be taken out of it.
    """

    path: str
    before: bytes | None
    after: bytes | None
    edits: tuple[Edit, ...] = ()
    added: Added = Added()
    problem: CodedError | None = None

    @property
    def is_one(self) -> bool:
        """Whether anything changes at all."""
        return self.before != self.after


def places(environ: Mapping[str, str]) -> Places:
    """Say where Claude Code keeps its files."""
    given = environ.get(FOLDER_VARIABLE, "")
    user = environ.get("HOME") or os.path.expanduser("~")  # noqa: PTH111 - text
    folder = os.path.abspath(given or f"{user}/.claude")  # noqa: PTH100 - text
    account = f"{folder if given else os.path.abspath(user)}/{ACCOUNT}"  # noqa: PTH100 - text
    return Places(folder, f"{folder}/{SETTINGS}", account)


def is_present(environ: Mapping[str, str]) -> bool:
    """Say whether Claude Code seems to be installed here."""
    usual = places({**environ, FOLDER_VARIABLE: ""}).folder
    folders = (places(environ).folder, usual)
    if any(os.path.isdir(folder) for folder in folders):  # noqa: PTH112 - text
        return True
    return shutil.which("claude", path=environ.get("PATH", "")) is not None


def plan(where: Places) -> tuple[Change, ...]:
    """Say what would be added to each file; nothing is changed.

    Raises `ClientFileError` for a file that we cannot write our entries into.
    """
    return tuple(_with_ours(path, write) for path, write in _targets(where))


def apply(home: str, where: Places) -> tuple[Change, ...]:
    """Add what is missing, and keep in the store's folder how to take it back.

    Raises `ClientFileError`, `ClientBusyError`, and `HomeError` when nothing can be
    kept; a file then stands as it was, and the hint says which others were written.
    """
    changes: list[Change] = []
    with _alone(home):
        plan(where)  # nothing is begun that could be seen to fail
        tidy_journal(home, NAME)
        for path, write in _targets(where):
            try:
                changes.append(_added(home, path, write))
            except CodedError as problem:
                tell_done(problem, changes)
                raise
    return tuple(changes)


def plan_removal(home: str, where: Places) -> tuple[Change, ...]:
    """Say what would be taken out of each file, those of an earlier `init` included.

    A file that cannot be edited comes with its problem, and only if it holds entries.
    """
    trails = read_journal(home, NAME)
    changes = []
    for path in _known(where, trails):
        try:
            changes.append(_without_ours(path, trails.get(path)))
        except ClientFileError as problem:
            changes.append(Change(path, None, None, problem=problem))
    return tuple(changes)


def remove(home: str, where: Places) -> tuple[Change, ...]:
    """Take our entries out; a file nobody else changed is as it was to the last byte.

    One file keeps nobody from the others: what fails is in its change.
    """
    changes = []
    with _alone(home):
        tidy_journal(home, NAME)
        known = _known(where, read_journal(home, NAME))
        for path in reversed(known):  # the folder was made for the first file
            try:
                changes.append(_removed(home, path))
            except (ClientFileError, ClientBusyError) as problem:
                changes.append(Change(path, None, None, problem=problem))
    return tuple(reversed(changes))


def tell_done(problem: CodedError, changes: Sequence[Change]) -> None:
    """Say with a problem which files were changed before or beside it."""
    done = [f"`{change.path}`" for change in changes if change.is_one]
    if done:
        problem.hint = f"{problem.hint}; done already: {', '.join(done)}"


def warnings(
    environ: Mapping[str, str], changes: Sequence[Change]
) -> tuple[Problem, ...]:
    """Say what would keep hooks or servers from working, now or later."""
    return tuple(_warnings(environ, changes))


def sets_in_settings(changes: Sequence[Change], key: str) -> bool:
    """Say whether Claude Code's settings give their hooks a variable."""
    variables = _settings(changes).get("env")
    return isinstance(variables, dict) and bool(variables.get(key))


def _warnings(
    environ: Mapping[str, str], changes: Sequence[Change]
) -> Iterator[Problem]:
    for program in dict.fromkeys((PROGRAM, *map(program_of, SERVERS))):
        if shutil.which(program, path=environ.get("PATH", "")) is None:
            yield Problem(
                "PROGRAM_NOT_ON_PATH",
                f"`{program}` is not on the PATH, where {TITLE} looks for it",
                "install it there, or start the client where it is on the PATH",
            )
    settings = _settings(changes)
    if settings.get("disableAllHooks") is True:
        yield Problem(
            "HOOKS_DISABLED",
            f"the settings of {TITLE} turn all hooks off",
            "take `disableAllHooks` out of them",
        )
    if _has_plugin(settings):
        yield Problem(
            "PLUGIN_TOO",
            f"the plugin `{PROGRAM}` is enabled, too: every hook would run twice",
            "disable the plugin, or run `agentctx uninstall` and keep the plugin",
        )
    for change in changes:
        for name in change.added.taken:
            yield Problem(
                "SERVER_NAME_TAKEN",
                f"the server `{name}` in {change.path} is not ours; it stays as it is",
                "give it another name and run `agentctx init` again",
            )


def _settings(changes: Sequence[Change]) -> Mapping[str, object]:
    for change in changes:
        if os.path.basename(change.path) == SETTINGS and change.after:  # noqa: PTH119 - text
            value = parse_strictly(text_of(change.after))
            return value if isinstance(value, dict) else {}
    return {}


def _has_plugin(settings: Mapping[str, object]) -> bool:
    enabled = settings.get("enabledPlugins")
    if not isinstance(enabled, dict):
        return False
    return any(
        value is not False and key.partition("@")[0] == PROGRAM
        for key, value in enabled.items()
    )


def _targets(where: Places) -> tuple[tuple[str, Callable[[Draft], Added]], ...]:
    return ((where.settings, add_hooks), (where.account, add_servers))


def _known(where: Places, trails: Mapping[str, Trail]) -> tuple[str, ...]:
    """Give every file that may hold entries of ours."""
    earlier = [
        path
        for path in trails
        if os.path.isabs(path)  # noqa: PTH117 - text
        and os.path.basename(path) in {SETTINGS, ACCOUNT}  # noqa: PTH119 - text
    ]
    return tuple(dict.fromkeys((where.settings, where.account, *earlier)))


def _with_ours(path: str, write: Callable[[Draft], Added]) -> Change:
    """Plan what is added to one file."""
    before = read_client_file(path)
    text = _text(path, before)
    is_blank = not text.strip(_BLANK)
    try:
        draft = Draft("{}" if is_blank else _whole_object(text))
        added = write(draft)
    except JsonTextError as problem:
        raise ClientFileError(path=path, reason=problem.reason) from None
    except RecursionError:
        raise ClientFileError(path=path, reason="it is nested too deeply") from None
    edits = tuple(draft.edits)
    if not is_blank:
        return Change(path, before, bytes_like(before, draft.text), edits, added)
    written = f"{draft.text}\n"
    edits = () if before is None else (Edit(0, text, written),)
    return Change(path, before, bytes_like(before, written), edits, added)


def _without_ours(path: str, trail: Trail | None) -> Change:
    """Plan what is taken out of one file; only then it has to be one we may edit."""
    try:
        before = search_client_file(path)
    except ClientFileError:
        if trail is not None:
            raise
        before = None  # nothing says that we were ever there
    change = _cleaned(path, before, trail)
    if change.is_one:
        require_editable(path)
    return change


def _cleaned(path: str, before: bytes | None, trail: Trail | None) -> Change:
    if before is None:
        return Change(path, None, None)
    kept = before
    if trail is not None:
        earlier, _ = walked_back(before, trail)
        if earlier is None:
            return Change(path, before, None)
        kept = earlier
    if not any(name.encode() in kept for name in SERVERS):
        return Change(path, before, kept)
    text = _text(path, kept)
    try:
        draft = Draft(_whole_object(text))
        made = None if trail is None else trail.made
        remove_hooks(draft, made)
        remove_servers(draft, None if trail is None else trail.servers, made)
    except JsonTextError as problem:
        raise ClientFileError(path=path, reason=problem.reason) from None
    except RecursionError:
        raise ClientFileError(path=path, reason="it is nested too deeply") from None
    return Change(path, before, bytes_like(kept, draft.text))


def _added(home: str, path: str, write: Callable[[Draft], Added]) -> Change:
    remove_stage(path, held=home)
    for _ in range(ATTEMPTS):
        change = _with_ours(path, write)
        if not change.is_one:
            return change
        trails = read_journal(home, NAME)
        trails[path] = _noted(trails.get(path, Trail()), change)
        _keep(home, trails)
        try:
            _make_folder(path)
            replace_client_file(path, old=change.before, new=change.after, held=home)
        except FileMovedError:
            continue
        return change
    raise ClientBusyError(path=path)


def _removed(home: str, path: str) -> Change:
    remove_stage(path, held=home)
    for _ in range(ATTEMPTS):
        trails = read_journal(home, NAME)
        change = _without_ours(path, trails.get(path))
        try:
            if change.is_one:
                replace_client_file(
                    path, old=change.before, new=change.after, held=home
                )
        except FileMovedError:
            continue
        trail = trails.pop(path, None)
        if trail is not None:
            if trail.folder is not None:
                with suppress(OSError):  # somebody else uses it
                    os.rmdir(trail.folder)  # noqa: PTH106 - text
            try:
                _keep(home, trails)
            except HomeError as problem:
                return change._replace(problem=problem)
        return change
    raise ClientBusyError(path=path)


def _noted(trail: Trail, change: Change) -> Trail:
    """Add a change to a trail, before it is made."""
    after = digest(change.after)
    assert after is not None  # entries are added, a file never taken away
    step = Step(digest(change.before), after, change.edits)
    folder = os.path.dirname(change.path)  # noqa: PTH120 - text
    is_made = not os.path.lexists(folder)
    trail = followed(trail, change.before, step)
    return trail._replace(
        made=tuple(dict.fromkeys((*trail.made, *change.added.made))),
        servers=tuple(dict.fromkeys((*trail.servers, *change.added.servers))),
        folder=folder if is_made else trail.folder,
    )


def _keep(home: str, trails: Mapping[str, Trail]) -> None:
    try:
        write_journal(home, NAME, trails)
    except OSError:
        reason = "what is changed cannot be kept there, to be taken back"
        raise HomeError(reason=reason) from None


def _make_folder(path: str) -> None:
    folder = os.path.dirname(path)  # noqa: PTH120 - text
    try:
        with suppress(FileExistsError):
            os.mkdir(folder, mode=0o700)  # noqa: PTH102 - text
    except OSError:
        raise ClientFileError(path=path, reason="its folder cannot be made") from None


@contextmanager
def _alone(home: str) -> Iterator[None]:
    """Keep another `init` and `uninstall` of this home out, where there is a home."""
    with ExitStack() as locked:
        with suppress(OSError):  # there is none, or none that we may open
            locked.enter_context(folder_lock(home))
        yield


def _text(path: str, content: bytes | None) -> str:
    try:
        return "" if content is None else text_of(content)
    except UnicodeDecodeError as problem:
        reason = f"it is not UTF-8 at byte {problem.start}"
        raise ClientFileError(path=path, reason=reason) from None


def _whole_object(text: str) -> str:
    if not isinstance(parse_strictly(text), dict):
        reason = "it is not one JSON object"
        raise JsonTextError(reason)
    return text
