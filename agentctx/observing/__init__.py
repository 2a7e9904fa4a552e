"""What a tool call shows: files, failures, test outcomes, work with git (A4.7)."""
