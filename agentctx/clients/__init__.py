"""The AI agents we plug into: their settings, their hooks, their transcripts."""
