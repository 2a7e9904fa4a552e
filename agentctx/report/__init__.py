"""A page about a project: what is known, from where, how it changed, what it cost."""
