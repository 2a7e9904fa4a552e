"""What a project's manifests say: its stack, its commands and where it starts."""
