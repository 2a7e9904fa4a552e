"""Providers: where the sources of a corpus come from."""
