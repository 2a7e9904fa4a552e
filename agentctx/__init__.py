"""What agents on a project learn and hear; this release holds the ground only."""

from corpus import __version__

__all__ = ["__version__"]
