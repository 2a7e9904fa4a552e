"""The seven tools, one row each; there is no eighth (A5.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.mcp import reading, schemas, writing
from agentctx.mcp.offer import Tool
from corpus.mcp.offer import CREATES, READS

if TYPE_CHECKING:
    from agentctx.mcp.desk import Desk

TOOLS: tuple[Tool[Desk], ...] = (
    Tool(
        "ctx_search",
        "Search records",
        "Search what is recorded of this project and for all. Gives titles only; read"
        " the ones you need with ctx_get.",
        schemas.SEARCH,
        schemas.ENTRIES,
        READS,
        reading.ctx_search,
    ),
    Tool(
        "ctx_get",
        "Read records",
        "Read records whole by their ids. What is unknown or superseded is in"
        " `missing`, its current id in `heads`.",
        schemas.GET,
        schemas.RECORDS,
        READS,
        reading.ctx_get,
    ),
    Tool(
        "ctx_record",
        "Record a fact",
        "Record one lasting fact, when it is decided or learned. No secrets.",
        schemas.RECORD,
        schemas.RECORDED,
        CREATES,
        writing.ctx_record,
    ),
    Tool(
        "ctx_supersede",
        "Replace a record",
        "Replace a current record that no longer holds; history keeps it.",
        schemas.SUPERSEDE,
        schemas.SUPERSEDED,
        CREATES,
        writing.ctx_supersede,
    ),
    Tool(
        "ctx_project",
        "Describe the project",
        "Stack, commands, entry points and counts of records. What is in `corrected`, a"
        " person says, and it holds.",
        schemas.NOTHING,
        schemas.PROJECT,
        READS,
        reading.ctx_project,
    ),
    Tool(
        "ctx_related",
        "Find records on a file",
        "List records about a file, before you change it.",
        schemas.RELATED,
        schemas.ENTRIES,
        READS,
        reading.ctx_related,
    ),
    Tool(
        "ctx_sync_claudemd",
        "Compare CLAUDE.md",
        "Report where CLAUDE.md and the records differ, with a diff. Writes nothing.",
        schemas.NOTHING,
        schemas.DRIFT,
        READS,
        reading.ctx_sync_claudemd,
    ),
)
"""Every tool, in the order clients are given them."""

BY_NAME = {tool.name: tool for tool in TOOLS}
