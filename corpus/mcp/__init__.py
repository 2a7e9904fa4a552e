"""The edge that serves a corpus to AI agents: gated tools over MCP on stdio (P15)."""
