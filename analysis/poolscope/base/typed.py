"""Durations and sizes as people type them. The collector reads the same forms; traces/command-line.json tests both.

    duration := part+ | clock | number        a number alone only where an option has a unit for it
    part     := number unit                   each unit smaller than the one before; a fraction only in the last part
    unit     := "h" | "m" | "min" | "s" | "ms" | "us" | "µs" | "ns"
    clock    := [[days ":"] hours ":"] minutes ":" seconds       as dotnet-trace has it

    size := number unit | number        a number alone only where an option has a unit for it
    unit := "B" | ("k" | "M" | "G" | "T") ["i"] ["B"]       in any case; powers of 1024, with and without the i
"""

from __future__ import annotations

import re
from decimal import Context, Decimal

NS = {
    "h": 3_600_000_000_000,
    "min": 60_000_000_000,
    "m": 60_000_000_000,
    "s": 1_000_000_000,
    "ms": 1_000_000,
    "us": 1_000,
    "µs": 1_000,
    "μs": 1_000,
    "ns": 1,
}
"""Nanoseconds of each unit. The micro sign and the Greek letter are two characters that look alike."""
_MOST_NS = (1 << 63) - 1
_NUMBER = r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+"
_BARE = re.compile(_NUMBER)
_PART = re.compile(rf"({_NUMBER}) *({'|'.join(sorted(NS, key=len, reverse=True))}) *")
_CLOCK = re.compile(r"(?:(?:([0-9]{1,9}):)?([0-9]{1,9}):)?([0-9]{1,9}):([0-9]{1,9}(?:\.[0-9]+)?)")
_CLOCK_LIMITS = (None, 24, 60, 60)
"""The limits of days, hours, minutes and seconds; the first part of a clock has none."""
_EXACT = Context(prec=60)


def duration_ns(text: str, bare: str | None = None) -> int | None:
    """Returns a duration such as 500ms, 30s, 1h30m or 00:05:00 in ns, rounded down. `bare`: the unit of a number
    without one.

    Returns None if the text is no duration, or is longer than 292 years.
    """
    said = text.strip(" \t\r\n")
    if bare is not None and _BARE.fullmatch(said):
        return _whole(_of(said, bare))
    if clock := _CLOCK.fullmatch(said):
        return _clock(clock.groups())
    return _parts(said)


def _parts(said: str) -> int | None:
    total, smaller, at = Decimal(0), None, 0
    while at < len(said):
        part = _PART.match(said, at)
        if part is None or (smaller is not None and NS[part[2]] >= smaller):
            return None
        if "." in part[1] and part.end() < len(said):
            return None
        total, smaller, at = _EXACT.add(total, _of(part[1], part[2])), NS[part[2]], part.end()
    return None if smaller is None else _whole(total)


def _clock(parts: tuple[str | None, ...]) -> int | None:
    given = [(Decimal(part), most) for part, most in zip(parts, _CLOCK_LIMITS) if part is not None]
    if any(most is not None and part >= most for part, most in given[1:]):
        return None
    days, hours, minutes, seconds = (Decimal(part or 0) for part in parts)
    return _whole(_EXACT.multiply(((days * 24 + hours) * 60 + minutes) * 60 + seconds, Decimal(NS["s"])))


def _of(number: str, unit: str) -> Decimal:
    return _EXACT.multiply(Decimal(number), Decimal(NS[unit]))


def _whole(ns: Decimal) -> int | None:
    return int(ns) if ns <= _MOST_NS else None


_SIZE = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+) *(?:(?:([kmgt])i?)?(b)?)", re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_BARE_UNITS = {"B": "", "MB": "m"}
_MOST_BYTES = (1 << 63) - 1


def size_bytes(text: str, bare: str | None = None) -> int | None:
    """Returns a size such as 4GB or 512MiB in bytes, at least 1 and rounded down. `bare`: the unit of a number without
    one, B or MB. Returns None if the text is no size."""
    match = _SIZE.fullmatch(text.strip(" \t\r\n"))
    if match is None:
        return None
    power = (match[2] or "").lower()
    if not power and match[3] is None:
        if bare is None:
            return None
        power = _BARE_UNITS[bare]
    size = int(Decimal(match[1]) * 1024 ** _POWERS[power])
    return size if 1 <= size <= _MOST_BYTES else None
