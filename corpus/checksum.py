"""SHA-256 of what is short, without loading what the interpreter links for long texts.

The interpreter's own one gives the same; `hashlib` loads a library first, which costs a
hook more than everything that it hashes.
"""

from __future__ import annotations

from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import sha256
else:
    try:
        from _sha2 import sha256  # from Python 3.12 on
    except ImportError:
        try:
            from _sha256 import sha256
        except ImportError:  # an interpreter that has none of its own
            from hashlib import sha256

__all__ = ["sha256"]
