"""The edge that gives records to AI agents: seven tools over MCP on stdio (A5)."""
