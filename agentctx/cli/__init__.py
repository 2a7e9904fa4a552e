"""The command `agentctx`."""
