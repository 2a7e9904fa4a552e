"""The only way to touch a project's files: pinned, link-free, bounded."""
