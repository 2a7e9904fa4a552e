"""The tools a model may use in a turn; what is not admitted is a tool's error (C8).

`memory_search` and `memory_read` spend from the turn's own request. `read_source`
gives the file of the item under review and no other, `propose_draft` takes a draft for
that item and for no other: what memory says cannot widen either (M7.3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, NoReturn

from agentctx.errors import MemoryContractError
from agentctx.llm.talk import Tool, ToolResult
from agentctx.memory.clipping import api_tokens, clipped
from agentctx.memory.model import ItemId
from agentctx.redact import redact
from corpus.confined.reader import Unreadable, open_root
from corpus.refs import RelPath
from corpus.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from agentctx.llm.talk import ToolCall
    from agentctx.memory.model import ReviewItem
    from agentctx.memory.request import Request

SOURCE_BYTES = 1024 * 1024
SOURCE_TOKENS = 24 * 1024
DRAFT_CHARACTERS = 64 * 1024

_CUT = "\n[…the rest of the file is not shown]"


def _of_one(name: str, about: str) -> dict[str, object]:
    field = {"type": "string", "description": about}
    return {"type": "object", "properties": {name: field}, "required": [name]}


SEARCH = Tool(
    "memory_search",
    "Find what is remembered of this project by its words, best match first.",
    _of_one("query", "words to look for"),
)
READ = Tool(
    "memory_read",
    "Read one item of memory that the map or a search has shown.",
    _of_one("id", "the id in brackets, such as memory_…_r1"),
)
SOURCE = Tool(
    "read_source",
    "Read the file of the finding under review, as it is now, with line numbers.",
    {"type": "object", "properties": {}},
)
PROPOSE = Tool(
    "propose_draft",
    "Give the draft of a change for the finding under review; the last one counts.",
    {
        "type": "object",
        "properties": {
            "item_id": {"type": "string", "description": "the id of the finding"},
            "draft": {"type": "string", "description": "a unified diff"},
        },
        "required": ["item_id", "draft"],
    },
)


class NotAdmittedError(Exception):
    """A call that is not taken; the model is told why."""


class Proposed(NamedTuple):
    """A draft as the model gave it; it may be for another item than was asked."""

    item_id: str
    draft: str


class Toolbox:
    """The tools of one turn; `item` is under review, `drafts` lets one be proposed."""

    def __init__(
        self, root: Path, item: ReviewItem | None = None, *, drafts: bool = False
    ) -> None:
        self.proposed: Proposed | None = None
        self._root = root
        self._item = item
        self._has_read = False
        self.tools: tuple[Tool, ...] = (SEARCH, READ)
        if item is not None:
            self.tools += (SOURCE,)
        if drafts:
            self.tools += (PROPOSE,)

    def use(self, call: ToolCall, request: Request) -> ToolResult:
        """Do what a call asks; what it may not have is an error of the tool."""
        try:
            return ToolResult(call.id, self._use(call, request))
        except NotAdmittedError as refusal:
            return ToolResult(call.id, str(refusal), is_error=True)
        except MemoryContractError as error:
            return ToolResult(call.id, f"{error}; {error.hint}", is_error=True)

    def _use(self, call: ToolCall, request: Request) -> str:
        if call.given is None:
            _refuse("the arguments are no JSON object")
        if call.name not in {tool.name for tool in self.tools}:
            _refuse("there is no such tool here")
        uses: dict[str, Callable[[Mapping[str, object], Request], str]] = {
            SEARCH.name: _search,
            READ.name: _read,
            SOURCE.name: self._source,
            PROPOSE.name: self._propose,
        }
        return uses[call.name](call.given, request)

    def _source(self, given: Mapping[str, object], _: Request) -> str:
        del given  # the file is the item's, whatever is asked
        assert self._item is not None
        try:
            with open_root(self._root) as opened:
                content = opened.content(RelPath(self._item.path), limit=SOURCE_BYTES)
        except Unreadable as problem:
            _refuse(f"the file: {problem.reason}")
        self._has_read = True
        text = redact(visible(content.decode("utf-8", "replace"))).text
        lines = text.splitlines()
        whole = "\n".join(f"{number}: {line}" for number, line in enumerate(lines, 1))
        return clipped(whole or "(empty)", SOURCE_TOKENS, api_tokens, mark=_CUT)

    def _propose(self, given: Mapping[str, object], _: Request) -> str:
        item_id, draft = _text(given, "item_id"), _text(given, "draft")
        if not self._has_read:
            _refuse("read the source first, with read_source")
        if len(draft) > DRAFT_CHARACTERS:
            _refuse("a draft has at most 65,536 characters")
        self.proposed = Proposed(item_id, visible(draft))
        return "taken; it is checked when you are done"


def _search(given: Mapping[str, object], request: Request) -> str:
    query = _text(given, "query")
    _require_open(request)
    return request.search(query).text or "memory has nothing about that"


def _read(given: Mapping[str, object], request: Request) -> str:
    item_id = _text(given, "id")
    _require_open(request)
    return request.read(ItemId(item_id)).text or "memory cannot be read now"


def _require_open(request: Request) -> None:
    if not request.is_open:
        _refuse("there is no memory in this turn; answer without it")


def _refuse(reason: str) -> NoReturn:
    raise NotAdmittedError(reason)


def _text(given: Mapping[str, object], name: str) -> str:
    value = given.get(name)
    if not isinstance(value, str) or not value.strip():
        _refuse(f"`{name}` is a text that is not empty")
    return value
