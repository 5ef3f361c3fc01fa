"""Durations as people type them: a number with its unit."""

from __future__ import annotations

import re

from poolscope.base.errors import InvalidArgument

_DURATION = re.compile(r"(?P<number>\d+(\.\d*)?|\.\d+)\s*(?P<unit>us|µs|ms|s|min)")
_MS = {"us": 1e-3, "µs": 1e-3, "ms": 1.0, "s": 1e3, "min": 6e4}

_LENGTH = re.compile(r"(?P<number>\d+(\.\d*)?|\.\d+)\s*(?P<unit>s|min|m|h)?")
_MOMENT = re.compile(r"(?P<number>\d+(\.\d*)?|\.\d+)\s*(?P<unit>ms|s|min|m|h)?")
_CLOCK = re.compile(r"((?P<days>\d+):)?(?P<hours>\d+):(?P<minutes>[0-5]?\d):(?P<seconds>[0-5]?\d)")
_SECONDS = {None: 1.0, "ms": 1e-3, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


def parse_length(option: str, text: str | None) -> float | None:
    """Returns a length of time such as 300, 30s, 5m, 1.5h, 00:05:00 or 1:00:00:00 in seconds, at least 1; None for None.

    The forms with colons are dotnet-trace's. Raises InvalidArgument, which names `option`, for anything else.
    """
    if text is None:
        return None
    length = _seconds(text, _LENGTH)
    if length is None:
        raise InvalidArgument(f"{option} {text}: a length of time such as 30s, 5m, 300 (seconds) or 00:05:00")
    if length < 1.0:
        raise InvalidArgument(f"{option} {text}: at least 1 s")
    return length


def parse_moment(option: str, text: str | None) -> float | None:
    """Returns a moment of a recording, in s from its beginning, of the same forms and of ms; None for None.

    Raises InvalidArgument, which names `option`, for anything else.
    """
    if text is None:
        return None
    at = _seconds(text, _MOMENT)
    if at is None:
        raise InvalidArgument(
            f"{option} {text}: a time from the beginning of the recording, such as 90s, 250ms or 00:01:30"
        )
    return at


def _seconds(text: str, forms: re.Pattern[str]) -> float | None:
    said = text.strip()
    if clock := _CLOCK.fullmatch(said):
        days, hours, minutes, seconds = (int(clock[name] or 0) for name in ("days", "hours", "minutes", "seconds"))
        return float(((days * 24 + hours) * 60 + minutes) * 60 + seconds)
    match = forms.fullmatch(said)
    return None if match is None else float(match["number"]) * _SECONDS[match["unit"]]


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
