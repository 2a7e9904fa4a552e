"""What a project's memory is called: names alone, for whoever only looks for it."""

from __future__ import annotations

FOLDER, FILE = ".agentctx", "memory.db"
