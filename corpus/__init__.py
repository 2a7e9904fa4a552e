"""Read a project's own Markdown and hand out its current, provable context."""

__version__ = "0.1.0"
