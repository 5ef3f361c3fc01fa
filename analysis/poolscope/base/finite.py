"""Numbers as JSON values: null for infinite and undefined numbers."""

from __future__ import annotations

from math import isfinite
from typing import cast


def finite(value: float) -> float | None:
    """Returns the value rounded to six decimals; None for inf and nan."""
    return round(float(value), 6) if isfinite(value) else None


def replace_non_finite(content: object) -> None:
    """Replaces every inf and nan in the lists and dictionaries of `content` by None, in place."""
    pending = [content]
    while pending:
        inside = pending.pop()
        pairs = inside.items() if isinstance(inside, dict) else enumerate(cast(list[object], inside))
        for key, value in pairs:
            if isinstance(value, (dict, list)):
                pending.append(value)
            elif isinstance(value, float) and not isfinite(value):
                cast(dict[object, object], inside)[key] = None
