"""What agentctx adds to a corpus: records and memory items, as sources it provides."""
