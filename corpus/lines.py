"""A file's bytes as text, and its text as lines."""

from __future__ import annotations


def decode(content: bytes) -> str:
    """Read a file's bytes as UTF-8, without a byte order mark (P4.5).

    Raises `UnicodeDecodeError` for anything else.
    """
    return content.decode("utf-8-sig")


def split_lines(text: str) -> list[str]:
    """Divide a text at LF, CRLF and CR, as editors and git count lines.

    A line end at the very end begins no further line.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines
