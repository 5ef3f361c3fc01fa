"""Sizes as people type them. The collector reads the same forms; traces/command-line.json holds both to it.

    size := number unit | number        a number alone only where an option has a unit for it
    unit := "B" | ("k" | "M" | "G" | "T") ["i"] ["B"]       in any case; powers of 1024, with and without the i
"""

from __future__ import annotations

import re
from decimal import Decimal

_SIZE = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+) *(?:(?:([kmgt])i?)?(b)?)", re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_BARE = {"B": "", "MB": "m"}
_MOST_BYTES = (1 << 63) - 1


def size_bytes(text: str, bare: str | None = None) -> int | None:
    """Returns a size such as 4GB or 512MiB in bytes, at least 1 and rounded down. `bare`: the unit of a number without one, B
    or MB. None: it is no size."""
    match = _SIZE.fullmatch(text.strip(" \t\r\n"))
    if match is None:
        return None
    power = (match[2] or "").lower()
    if not power and match[3] is None:
        if bare is None:
            return None
        power = _BARE[bare]
    size = int(Decimal(match[1]) * 1024 ** _POWERS[power])
    return size if 1 <= size <= _MOST_BYTES else None
