"""Something wrong in a user's files: a value that is reported, never raised."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One finding, with the place and the next step.

    `severity` is ERROR or WARNING from `validate`, FAIL or WARN from `doctor`. `line`
    counts from 1; 0 means the whole file. `detail` never quotes a secret.
    """

    code: str
    severity: str
    path: str
    line: int
    detail: str
    hint: str

    def as_json(self) -> dict[str, str | int]:
        """Give the finding as the JSON object every report carries."""
        return {
            "code": self.code,
            "severity": self.severity,
            "path": self.path,
            "line": self.line,
            "detail": self.detail,
            "hint": self.hint,
        }

    @property
    def order(self) -> tuple[str, int, str, str]:
        """The key that sorts findings the same way in every run."""
        return (self.path, self.line, self.code, self.detail)
