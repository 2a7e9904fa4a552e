"""Estimates of how many tokens a text costs.

`bundle_tokens` is the estimator the bundle format names
(`utf8_excerpt_bytes_div_4_ceil`): deterministic, the same in every implementation,
and no model's real count.
"""

from __future__ import annotations

BUNDLE_ESTIMATOR = "utf8_excerpt_bytes_div_4_ceil"
"""The name bundles carry for `bundle_tokens`."""


def bundle_tokens(text: str) -> int:
    """Estimate the tokens of an excerpt as ceil(UTF-8 bytes / 4), at least 1."""
    return max(1, (len(text.encode("utf-8")) + 3) // 4)
