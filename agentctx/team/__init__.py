"""What a team shares of its records: one file that git carries."""
