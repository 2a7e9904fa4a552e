"""What `init` did to a client's files, so that it can be taken back to the last byte.

One private file a client in the store's folder. Only our own edits are in it, never
what stands around them, for those files hold what is nobody else's business. It may be
lost, or written by anybody: what it says is believed only where the hashes agree.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from agentctx.clients.jsontext import Edit, undone
from agentctx.privatefile import remove_stages, write_private
from agentctx.smallfile import small_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FOLDER = "clients"
MOST_BYTES = 4 * 1024 * 1024
MOST_STEPS = 50
_VERSION = 1
_MARK = "\ufeff"


class Step(NamedTuple):
    """One change of one file: the hash before, the hash after, and the edits between.

    A file that was not there has no hash.
    """

    before: str | None
    after: str
    edits: tuple[Edit, ...]


class Trail(NamedTuple):
    """What was done to one file, oldest first.

    `made` are the containers that were put there for our entries, `servers` the names
    of the servers, `folder` the folder that was made for the file.
    """

    steps: tuple[Step, ...] = ()
    made: tuple[tuple[str, ...], ...] = ()
    servers: tuple[str, ...] = ()
    folder: str | None = None


def digest(content: bytes | None) -> str | None:
    """Give the hash of a file's bytes, None where there is no file."""
    return None if content is None else hashlib.sha256(content).hexdigest()


def text_of(content: bytes) -> str:
    """Give a file's text without its byte-order mark; UnicodeDecodeError."""
    return content.decode("utf-8").removeprefix(_MARK)


def bytes_like(content: bytes | None, text: str) -> bytes:
    """Give a text as bytes, after the byte-order mark that `content` begins with."""
    mark = _MARK.encode()
    begins = content is not None and content.startswith(mark)
    return (mark if begins else b"") + text.encode()


def journal_path(home: str, client: str) -> str:
    """Say where the journal of a client lies."""
    return f"{home}/{FOLDER}/{client}.json"


def read_journal(home: str, client: str) -> dict[str, Trail]:
    """Give the trail of each file; nothing where the journal is lost or is not ours."""
    text = small_text(Path(journal_path(home, client)), limit=MOST_BYTES)
    try:
        stored = json.loads(text or "")
        if stored["version"] != _VERSION:
            return {}
        return {str(path): _trail(kept) for path, kept in stored["files"].items()}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}


def write_journal(home: str, client: str, trails: Mapping[str, Trail]) -> None:
    """Keep the trails; where there are none, no journal. OSError when it cannot be."""
    path = journal_path(home, client)
    kept = {name: trail for name, trail in trails.items() if trail != Trail()}
    if kept:
        files = {name: _stored(trail) for name, trail in kept.items()}
        value = {"version": _VERSION, "client": client, "files": files}
        text = json.dumps(value, ensure_ascii=True, indent=1)
        write_private(path, f"{text}\n".encode())
        return
    for remove, name in ((os.unlink, path), (os.rmdir, os.path.dirname(path))):  # noqa: PTH120 - text
        try:
            remove(name)
        except OSError:  # it is not there, or not empty
            return


def tidy_journal(home: str, client: str) -> None:
    """Remove what processes left of it when they were killed.

    Only for those who keep other writers out of the store's folder.
    """
    path = journal_path(home, client)
    remove_stages(path)
    with suppress(OSError):  # it is not there, or not empty
        os.rmdir(os.path.dirname(path))  # noqa: PTH106, PTH120 - text


def walked_back(
    content: bytes | None, trail: Trail
) -> tuple[bytes | None, tuple[Step, ...]]:
    """Take the last steps back as far as the file is what they left behind.

    Gives the bytes and the steps that could not be taken back. A step that never came
    about, since its process was killed, is left out.
    """
    steps = list(trail.steps)
    while steps:
        step = steps[-1]
        found = digest(content)
        if found == step.before:
            steps.pop()
            continue
        if content is None or found != step.after:
            break
        if step.before is None:
            content = None
        else:
            earlier = _earlier(content, step)
            if earlier is None:
                break
            content = earlier
        steps.pop()
    return content, tuple(steps)


def followed(trail: Trail, content: bytes | None, step: Step) -> Trail:
    """Add a step to a trail; steps that can never be taken back any more are dropped.

    `content` is the file as the step finds it.
    """
    steps = trail.steps
    while steps and digest(content) == steps[-1].before != steps[-1].after:
        steps = steps[:-1]  # it never came about
    if steps and steps[-1].after != digest(content):
        steps = ()  # somebody else has been there since
    return trail._replace(steps=(*steps, step)[-MOST_STEPS:])


def _earlier(content: bytes, step: Step) -> bytes | None:
    try:
        text = undone(text_of(content), step.edits)
    except UnicodeDecodeError:
        return None
    if text is None:
        return None
    earlier = bytes_like(content, text)
    return earlier if digest(earlier) == step.before else None


def _trail(kept: Mapping[str, object]) -> Trail:
    made = kept["made"]
    folder = kept["folder"]
    return Trail(
        steps=tuple(_step(one) for one in _listed(kept["steps"])),
        made=tuple(tuple(_texts(path)) for path in _listed(made)),
        servers=tuple(_texts(kept["servers"])),
        folder=folder if isinstance(folder, str) else None,
    )


def _step(kept: object) -> Step:
    if not isinstance(kept, dict):
        raise TypeError
    before = kept["before"]
    if not isinstance(before, str | None):
        raise TypeError
    edits = []
    for one in _listed(kept["edits"]):
        start, old, new = _listed(one)
        if type(start) is not int:
            raise TypeError
        edits.append(Edit(start, *_texts([old, new])))
    (after,) = _texts([kept["after"]])
    return Step(before, after, tuple(edits))


def _listed(value: object) -> Sequence[object]:
    if not isinstance(value, list):
        raise TypeError
    return value


def _texts(value: object) -> tuple[str, ...]:
    texts = tuple(one for one in _listed(value) if isinstance(one, str))
    if len(texts) != len(_listed(value)):
        raise TypeError
    return texts


def _stored(trail: Trail) -> dict[str, object]:
    return {
        "made": trail.made,
        "servers": trail.servers,
        "folder": trail.folder,
        "steps": [
            {"before": one.before, "after": one.after, "edits": one.edits}
            for one in trail.steps
        ],
    }
