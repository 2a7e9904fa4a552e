"""Estimates of how many tokens a text costs.

`bundle_tokens` is the estimator the bundle format names
(`utf8_excerpt_bytes_div_4_ceil`): deterministic, the same in every implementation,
and no model's real count. `injection_tokens` is the one for what hooks and tools put
into a context. `model_tokens` is the one for what a model is asked: rather too high.
"""

from __future__ import annotations

import functools
import re

BUNDLE_ESTIMATOR = "utf8_excerpt_bytes_div_4_ceil"
"""The name bundles carry for `bundle_tokens`."""


_WHOLE = (
    "[\u0e00-\u0e7f\u1100-\u11ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\uff66-\uff9f\U00020000-\U0003ffff]"
)
"""Characters that cost about a token each."""

_DENSE = r"[0-9!-/:-@\[-`{-~]"
_BEYOND = "[\U00010000-\U0001ffff\U00040000-\U0010ffff]"


def bundle_tokens(text: str) -> int:
    """Estimate the tokens of an excerpt as ceil(UTF-8 bytes / 4), at least 1."""
    return max(1, (len(text.encode("utf-8")) + 3) // 4)


def injection_tokens(text: str) -> int:
    """Estimate what a text costs where it is put into a model's context.

    One for each Han, kana, Hangul or Thai character, and a quarter for each UTF-8 byte
    of the rest, rounded up. An estimate, the same for hooks, records and the Map.
    """
    if text.isascii():
        return (len(text) + 3) // 4
    whole = len(_pattern(_WHOLE).findall(text))
    rest = len(_pattern(_WHOLE).sub("", text).encode("utf-8", "surrogatepass"))
    return whole + (rest + 3) // 4


def model_tokens(text: str) -> int:
    """Estimate, rather too high, what a text costs where a model is asked.

    One for each character of a script that costs about a token each, two for each
    other one beyond the basic plane, three quarters for each digit or ASCII mark, a
    quarter for each UTF-8 byte of the rest; then 30% more, as the newer tokenizers
    have, rounded up. For capacity and spending caps, where too low is the worse error:
    prose comes out a third above four bytes a token, code some 60%.
    """
    dense = len(_pattern(_DENSE).findall(text))
    quarters = 3 * dense
    if text.isascii():
        quarters += len(text) - dense
    else:
        whole = len(_pattern(_WHOLE).findall(text))
        beyond = len(_pattern(_BEYOND).findall(text))
        rest = text
        for one in (_WHOLE, _DENSE, _BEYOND):
            rest = _pattern(one).sub("", rest)
        quarters += 4 * whole + 8 * beyond
        quarters += len(rest.encode("utf-8", "surrogatepass"))
    return (quarters * 13 + 39) // 40


@functools.cache
def _pattern(source: str) -> re.Pattern[str]:
    """Compile a pattern when it is first needed: a hook may need none."""
    return re.compile(source)
