"""Options that take a duration. `base.durations` has the grammar."""

from __future__ import annotations

from poolscope.base.durations import duration_ns
from poolscope.base.errors import InvalidArgument
from poolscope.base.units import NS_PER_MS, NS_PER_S


def parse_length(option: str, text: str | None) -> float | None:
    """Returns how long to do something, such as 30s, 1h30m, 300 or 00:05:00, in seconds, at least 1; None for None.

    Raises InvalidArgument, which names `option`, for anything else.
    """
    if text is None:
        return None
    length = duration_ns(text, bare="s")
    if length is None:
        raise InvalidArgument(f"{option} {text}: a time such as 30s, 5m, 1h30m or 300 (seconds)")
    if length < NS_PER_S:
        raise InvalidArgument(f"{option} {text}: at least 1 s")
    return length / NS_PER_S


def parse_moment(option: str, text: str | None) -> float | None:
    """Returns a moment of a recording, in s from its beginning; a number alone is seconds. None for None.

    Raises InvalidArgument, which names `option`, for anything else.
    """
    if text is None:
        return None
    at = duration_ns(text, bare="s")
    if at is None:
        raise InvalidArgument(
            f"{option} {text}: a time from the beginning of the recording, such as 90s, 1m30s or 250ms"
        )
    return at / NS_PER_S


def parse_duration(option: str, text: str | None) -> float | None:
    """Returns a duration with its unit, such as 100ms or 2s, in ms, above 0; None for None.

    Raises InvalidArgument, which names `option`, for anything else.
    """
    if text is None:
        return None
    duration = duration_ns(text)
    if duration is None:
        raise InvalidArgument(f"{option} {text}: a time with its unit, such as 100ms or 2s")
    if not duration:
        raise InvalidArgument(f"{option} {text}: a time above 0")
    return duration / NS_PER_MS
