"""What one session was already given: a private file that may be lost (A4, seed 4).

Losing it repeats an injection and nothing else. It is read and written under a lock,
so that two hooks at once do not give the same record. No link is followed.
"""

from __future__ import annotations

import json
import os
import stat
import time
from contextlib import contextmanager, suppress

from corpus.checksum import sha256
from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = "sessions"
MOST_BYTES = 1024 * 1024
MOST_RECORDS = 2_000
MOST_ITEMS = 2_000
MOST_CAUSES = 50
PATIENCE, LOOK = 2.5, 0.5
"""Seconds that a hook waits for another one of its session: to change what it was
given, and to read it."""

NO_TURN = "none"
"""The turn of a prompt that was kept nowhere."""

_PAUSE = 0.005
_BLOCK = 65_536
_FLAGS = (
    os.O_RDWR
    | os.O_CREAT
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_BINARY", 0)
)


class SessionState:
    """What a session was given and what was noted of it; every part may be lost.

    `given` are records, `items` are items of memory, by their ids. `prompt` is the
    last one: it has no secret in it and is short; it ranks what a sub-agent is told.
    `asked_at` is when it was given, `turn` the turn that it began or is to begin (empty
    where that is not known) and `root` the project whose memory keeps it. `line` is the
    last process that writes behind the session.
    `checkpoint` says that the session knows what came before it, and `causes` are the
    failures that were told of already.
    """

    def __init__(self, given: list[str] | None = None, prompt: str = "") -> None:
        self.given = given or []
        self.items: list[str] = []
        self.causes: list[str] = []
        self.prompt = prompt
        self.root = ""
        self.turn = ""
        self.line = ""
        self.asked_at = ""
        self.checkpoint = False

    def add(self, record_ids: list[str]) -> None:
        """Note records as given; the oldest of very many are forgotten."""
        self.given = _grown(self.given, record_ids, MOST_RECORDS)

    def add_items(self, item_ids: list[str]) -> None:
        """Note items of memory as given; the oldest of very many are forgotten."""
        self.items = _grown(self.items, item_ids, MOST_ITEMS)

    def is_news(self, cause: str) -> bool:
        """Say whether a failure was not told of yet, and note that it is now."""
        news = cause not in self.causes
        self.causes = _grown(self.causes, [cause], MOST_CAUSES)
        return news

    def clear(self) -> None:
        """Forget what was given: the session has forgotten it, too."""
        self.given = []
        self.items = []


def state_path(home: str, session_id: str) -> str:
    """Say where a session's state lies; an id of any shape gives a plain name."""
    named = sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{home}/{FOLDER}/{named[:32]}.json"


@contextmanager
def session_state(home: str, session_id: str | None) -> Iterator[SessionState]:
    """Give the state of a session, to be changed; it is kept when the block ends.

    Where it cannot be kept the block sees what is there all the same, if another hook
    does not let go, and else an empty one: no home, a link in the way.
    """
    descriptor = None if session_id is None else _opened(home, session_id)
    if descriptor is None:
        yield read_state(home, session_id, patience=0.0)
        return
    with _state_in(descriptor) as state:
        yield state


def forget_prompts(home: str) -> None:
    """Keep no session's last prompt any longer: words of it are to be gone."""
    with suppress(OSError), os.scandir(f"{home}/{FOLDER}") as found:
        for one in found:
            if one.name.endswith(".json"):
                descriptor = _held(one.path, _FLAGS & ~os.O_CREAT)
                if descriptor is not None:
                    with _state_in(descriptor) as state:
                        state.prompt = ""


@contextmanager
def _state_in(descriptor: int) -> Iterator[SessionState]:
    try:
        text = _content(descriptor)
        state = _read(text)
        yield state
        written = json.dumps(vars(state)).encode()
        if written != text:
            with suppress(OSError):  # losing it only repeats an injection
                _write(descriptor, written)
    finally:
        os.close(descriptor)


def read_state(
    home: str, session_id: str | None, *, patience: float = LOOK
) -> SessionState:
    """Give the state of a session without keeping others from it.

    Another hook that does not let go is not waited for any longer: what it is writing
    may be missing, and read as nothing where it is half written.
    """
    if session_id is None:
        return SessionState()
    descriptor = _opened_at(state_path(home, session_id), _FLAGS & ~os.O_CREAT)
    if descriptor is None:
        return SessionState()
    try:
        _locked(descriptor, patience)
        return _read(_content(descriptor))
    finally:
        os.close(descriptor)


def _opened(home: str, session_id: str) -> int | None:
    """Open a session's file, made where it is not, as `_held` does."""
    try:
        with suppress(FileExistsError):
            os.mkdir(f"{home}/{FOLDER}", 0o700)  # noqa: PTH102 - hooks load it
    except OSError:
        return None
    return _held(state_path(home, session_id), _FLAGS)


def _held(path: str, flags: int) -> int | None:
    """Open and lock a file; None where that cannot be, or not in time."""
    descriptor = _opened_at(path, flags)
    if descriptor is None or _locked(descriptor, PATIENCE):
        return descriptor
    os.close(descriptor)
    return None


def _opened_at(path: str, flags: int) -> int | None:
    """Open the file; None for what is no file of the user's own."""
    try:
        descriptor = os.open(path, flags, 0o600)  # noqa: TID251 - the user's own
    except OSError:
        return None
    if _is_ours(descriptor):
        return descriptor
    os.close(descriptor)
    return None


def _is_ours(descriptor: int) -> bool:
    status = os.fstat(descriptor)
    own = os.name == "nt" or status.st_uid == os.geteuid()
    return own and stat.S_ISREG(status.st_mode) and status.st_nlink == 1


def _locked(descriptor: int, patience: float) -> bool:
    try:
        import fcntl  # noqa: PLC0415 - absent on Windows
    except ImportError:
        return True
    deadline = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(_PAUSE)
        except OSError:  # a file system without locks
            return True
        else:
            return True


def _content(descriptor: int) -> bytes:
    found = bytearray()
    with suppress(OSError):
        while len(found) <= MOST_BYTES:
            block = os.read(descriptor, _BLOCK)
            if not block:
                break
            found += block
    return bytes(found)


def _read(content: bytes) -> SessionState:
    """Read what was kept; what is no state is an empty one."""
    state = SessionState()
    try:
        value = json.loads(content)
        state.given = _texts(value["given"])[-MOST_RECORDS:]
        state.prompt = str(value["prompt"])
        state.items = _texts(value.get("items", []))[-MOST_ITEMS:]
        state.causes = _texts(value.get("causes", []))[-MOST_CAUSES:]
        state.root = str(value.get("root", ""))
        state.turn = str(value.get("turn", ""))
        state.line = str(value.get("line", ""))
        state.asked_at = str(value.get("asked_at", ""))
        state.checkpoint = value.get("checkpoint") is True
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return SessionState()
    return state


def _texts(value: list[object]) -> list[str]:
    return [one for one in value if isinstance(one, str)]


def _grown(known: list[str], new: list[str], most: int) -> list[str]:
    """Add what is not there yet, and let the oldest go of what is too many."""
    there = set(known)
    return [*known, *(one for one in new if one not in there)][-most:]


def _write(descriptor: int, content: bytes) -> None:
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.ftruncate(descriptor, 0)
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
