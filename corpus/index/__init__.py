"""The derived index: hashes, line spans and postings, never the text."""
