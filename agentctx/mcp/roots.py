"""Ask the client which folder is open, where it offers to say (the older era only)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from mcp import types
from mcp.shared.exceptions import MCPError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mcp.server.context import ServerRequestContext

    from agentctx.mcp.whereabouts import Whereabouts

    Context = ServerRequestContext[Any]

PATIENCE, IMPATIENCE = 4.0, 0.5
"""Seconds a client has to say its roots, the first time and later."""

MOST_SILENT = 3
"""How often a client is asked that does not answer."""


def offers_roots(context: Context) -> bool:
    """Say whether the client can be asked."""
    session = context.session
    able = session.client_capabilities
    return able is not None and able.roots is not None and session.can_send_request


class Asker:
    """Asks one client for its root, at every call, for as long as it answers."""

    def __init__(self) -> None:
        self._silent = 0

    async def root(self, context: Context) -> Path | None:
        """Give the first root that is a folder here, None where none is named."""
        if self._silent >= MOST_SILENT or not offers_roots(context):
            return None
        patience = IMPATIENCE if self._silent else PATIENCE
        try:
            answer = await context.session.send_request(
                types.ListRootsRequest(), types.ListRootsResult, patience
            )
        except (MCPError, ValueError):  # no answer, or one that does not fit
            self._silent += 1
            return None
        self._silent = 0
        folders = (_folder(str(root.uri)) for root in answer.roots)
        return next((folder for folder in folders if folder is not None), None)


def asking(where: Whereabouts) -> Callable[[Context], Awaitable[None]]:
    """Give what asks a client for its root before each call of a tool.

    A root once known stays until another is named; the environment's needs no asking.
    """
    asker = Asker()

    async def meet(context: Context) -> None:
        if where.named_root is None:
            where.client_root = await asker.root(context) or where.client_root

    return meet


def _folder(uri: str) -> Path | None:
    parts = urlsplit(uri)
    if parts.scheme != "file" or "%00" in parts.path:
        return None
    folder = Path(url2pathname(parts.path))
    return folder if folder.is_dir() else None
