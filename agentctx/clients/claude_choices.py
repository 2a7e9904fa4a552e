"""What the developer chose or typed where a tool asked: answers, and refusals.

The client keeps both in the result of a tool, a place that tools write to as well. An
answer counts where the client's own fields carry it, or where the tool that asked is
known to be the one that asks; a reason for a refusal where the client says that the
user refused, or where the tool is one whose failures no server words.
"""

from __future__ import annotations

import re

from agentctx.clients.claude_records import as_list, as_record, as_text, text_of
from agentctx.clients.claude_words import own_words
from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentctx.clients.claude_records import Record

ASKS = "AskUserQuestion"
_FROM_SERVERS = "mcp__"
_REFUSED = "The user doesn't want to proceed with this tool use."
_REASON = "the user said:"
_NOTE = "\n\nNote: The user's next message may contain a correction or preference."
_ASKED_BACK = (
    "The user wants to clarify these questions.",
    "The user has indicated they have provided enough answers",
)
_LISTED = re.compile(r"^- \".*\"\n {2}Answer: (.*)$", re.MULTILINE)
_ANSWERED = ("User has answered your questions:", "Your questions have been answered:")
_ANSWERS_END = re.compile(r"\"[^\"]{0,200}?\. You can now continue with .{0,60}$")
_PAIR = re.compile(r"\"[^\"]*\"=\"([^\"]*)\"")
_NO_ANSWER = frozenset(
    ("", "__other__", "(no option selected)", "(No answer provided)", "Unanswered")
)


def questions_of(asked: Record) -> tuple[str, ...]:
    """Give the questions that a call of the asking tool puts to the developer."""
    each = (as_record(question) for question in as_list(asked.get("questions")))
    texts = (as_text(question.get("question")) for question in each)
    return tuple(text for text in texts if text)


def asked_aloud(asked: Record) -> str:
    """Give the questions with their options, as the context of the answers."""
    lines = []
    for one in as_list(asked.get("questions")):
        question = as_record(one)
        options = (as_record(option) for option in as_list(question.get("options")))
        labels = [as_text(option.get("label")) for option in options]
        offered = " | ".join(label for label in labels if label)
        text = as_text(question.get("question"))
        if text:
            lines.append(f"{text} [{offered}]" if offered else text)
    return "\n".join(lines)


def chosen_words(
    record: Record, result: Record, *, tool: str | None, questions: Sequence[str]
) -> str:
    """Give what the developer said in answer to a tool; most often that is nothing.

    `tool` is the name of the tool whose result it is, None where the call was not seen.
    """
    text = text_of(result.get("content")).strip()
    if result.get("is_error") is True:
        return own_words(_reason(record, text, tool))
    if tool not in {None, ASKS}:
        return ""
    told = as_record(record.get("toolUseResult"))
    if isinstance(told.get("answers"), dict) and isinstance(
        told.get("questions"), list
    ):
        words = list(_answers(told))
    elif tool == ASKS and text.startswith(_ANSWERED):
        words = _answers_in(text, questions)
    else:
        return ""
    return own_words("\n".join(word for word in words if word not in _NO_ANSWER))


def _answers(told: Record) -> Iterator[str]:
    notes = as_record(told.get("annotations"))
    for question, answer in as_record(told.get("answers")).items():
        for one in answer if isinstance(answer, list) else [answer]:
            yield as_text(one).strip()
        yield as_text(as_record(notes.get(question)).get("notes")).strip()


def _answers_in(text: str, questions: Sequence[str]) -> list[str]:
    """Find the answers in the sentence that tells the model of them."""
    starts = []
    place = 0
    for question in questions:
        mark = f'"{question}"="'
        found = text.find(mark, place)
        if found >= 0:
            place = found + len(mark)
            starts.append((found, place))
    if not starts:
        return [answer.strip() for answer in _PAIR.findall(text)]
    ends = [found for found, _ in starts[1:]]
    closing = _ANSWERS_END.search(text, starts[-1][1])
    ends.append(closing.start() if closing else len(text))
    answers = []
    for (_, begin), end in zip(starts, ends, strict=True):
        answer = text[begin:end].rstrip(", \n")
        answers.append(answer.removesuffix('"').strip())
    return answers


def _reason(record: Record, text: str, tool: str | None) -> str:
    if not text.startswith(_REFUSED) or not _is_a_persons(record, tool):
        return ""
    _, found, reason = text.partition(_REASON)
    if not found:
        return ""
    reason = reason.partition(_NOTE)[0].strip()
    if reason.startswith(_ASKED_BACK):
        listed = [answer.strip() for answer in _LISTED.findall(reason)]
        return "\n".join(answer for answer in listed if answer not in _NO_ANSWER)
    return reason


def _is_a_persons(record: Record, tool: str | None) -> bool:
    denied = record.get("toolDenialKind")
    if isinstance(denied, str):
        return denied.startswith("user")
    return tool is not None and not tool.startswith(_FROM_SERVERS)
