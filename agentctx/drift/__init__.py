"""Where the instructions that a client loads and the records no longer agree (A7)."""
