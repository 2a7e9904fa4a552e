"""One line of a transcript as a value, and what its fields say about who wrote it.

The format is nobody's contract: every field may be missing, null or of another type,
and then it says nothing.
"""

from __future__ import annotations

import json

from corpus.patterns import pattern
from corpus.values import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Iterator

    Record = dict[str, object]

_DECODER = json.JSONDecoder(strict=False, parse_int=str, parse_float=str)
"""Numbers stay text, so that one of any length is read."""

_UNSTORABLE = pattern("[\x00\ud800-\udfff]")

_AROUND = b" \t\r\n\x00\xef\xbb\xbf"
"""Blanks, a byte-order mark, and the NULs a crash leaves behind."""

_NOT_TYPED = (
    "isMeta",
    "isCompactSummary",
    "isVisibleInTranscriptOnly",
    "isSynthetic",
    "sourceToolUseID",
)
_PERSON = "human"
_TURNS_OF_A_PERSON = frozenset((_PERSON, "user", "sdk"))
_ROLES_OF_A_PERSON = frozenset(("", "user", _PERSON))
_SYNTHETIC_MODEL = "<synthetic>"


def bare(content: bytes) -> bytes:
    """Give a line without what surrounds its JSON; empty for a blank line."""
    return content.strip(_AROUND)


def parsed(content: bytes) -> object:
    """Read the JSON of a line; ValueError when it is none, or nested too deeply.

    Bytes that are not UTF-8 become `�`.
    """
    try:
        value: object = _DECODER.decode(content.decode("utf-8", "replace"))
    except RecursionError:
        raise ValueError from None
    return value


def as_record(value: object) -> Record:
    """Give an object as one, and anything else as one without fields."""
    return cast("Record", value) if isinstance(value, dict) else {}


def as_text(value: object) -> str:
    """Give a text that can be stored, and anything else as none."""
    return storable(value) if isinstance(value, str) else ""


def storable(text: str) -> str:
    """Give a text without NULs and lone surrogates, which no store takes."""
    if text.isascii() and "\x00" not in text:
        return text
    return _UNSTORABLE.sub("\ufffd", text)


def as_list(value: object) -> list[object]:
    """Give a list as it is, and anything else as an empty one."""
    return value if isinstance(value, list) else []


def is_aside(record: Record) -> bool:
    """Say whether a record belongs to a sub-agent, not to the session itself."""
    return bool(record.get("isSidechain") or record.get("agentId"))


def is_the_clients_own(record: Record) -> bool:
    """Say whether the client marks a record as one that nobody typed."""
    return any(record.get(name) for name in _NOT_TYPED)


def is_typed(record: Record) -> bool:
    """Say whether a message may be a person's, by what the client says of it.

    An origin we do not know is not a person.
    """
    if is_the_clients_own(record) or record.get("promptSource") == "system":
        return False
    if as_text(as_record(record.get("message")).get("role")) not in _ROLES_OF_A_PERSON:
        return False
    kind = as_record(record.get("origin")).get("kind")
    if isinstance(kind, str):
        return kind == _PERSON
    turn = record.get("turnOrigin")
    return not isinstance(turn, str) or turn in _TURNS_OF_A_PERSON


def is_agents(record: Record) -> bool:
    """Say whether a record is a message of the agent."""
    return record.get("type") == "assistant"


def is_to_the_agent(record: Record) -> bool:
    """Say whether a record is a message to the agent, whoever wrote it."""
    return record.get("type") in ("user", _PERSON)  # a tuple: it may be unhashable


def is_models(record: Record) -> bool:
    """Say whether an assistant's record is a model's, not the client's in its name."""
    if is_the_clients_own(record) or record.get("isApiErrorMessage"):
        return False
    return as_record(record.get("message")).get("model") != _SYNTHETIC_MODEL


def blocks_of(content: object) -> Iterator[Record]:
    """Give the blocks of a message's content; a text alone is one block."""
    if isinstance(content, str):
        yield {"type": "text", "text": content}
    for block in as_list(content):
        if isinstance(block, str):
            yield {"type": "text", "text": block}
        elif isinstance(block, dict):
            yield block


def message_blocks(record: Record) -> list[Record]:
    """Give the blocks of a record's message."""
    return list(blocks_of(as_record(record.get("message")).get("content")))


def text_of(content: object) -> str:
    """Give the text of a content, its blocks on lines of their own."""
    texts = [
        as_text(block.get("text"))
        for block in blocks_of(content)
        if block.get("type") == "text"
    ]
    return "\n".join(text for text in texts if text)


def queued_prompt(record: Record) -> Record:
    """Give what was typed while the agent worked, when an attachment is that.

    The client keeps such a message as an attachment, most often without a message of
    its own. Notices of tasks and of other agents come the same way.
    """
    queued = as_record(record.get("attachment"))
    if queued.get("type") != "queued_command" or queued.get("commandMode") != "prompt":
        return {}
    return queued if is_typed(queued) and is_typed(record) else {}
