"""Durations as people type them: a number with its unit."""

from __future__ import annotations

import re

from poolscope.errors import InvalidArgument

_DURATION = re.compile(r"(?P<number>\d+(\.\d*)?|\.\d+)\s*(?P<unit>us|µs|ms|s|min)")
_MS = {"us": 1e-3, "µs": 1e-3, "ms": 1.0, "s": 1e3, "min": 6e4}


def parse_duration(option: str, text: str | None) -> float | None:
    """Returns a duration such as 100ms, 2s or 1.5min in ms, above 0; None for None.

    Raises InvalidArgument, which names `option`, for anything else.
    """
    if text is None:
        return None
    match = _DURATION.fullmatch(text.strip())
    if match is None:
        raise InvalidArgument(f"{option} {text}: a time with its unit, such as 100ms or 2s")
    if not (ms := float(match["number"]) * _MS[match["unit"]]):
        raise InvalidArgument(f"{option} {text}: a time above 0")
    return ms
