"""Numbers and fixes in the words of people."""

from __future__ import annotations

import math

_SIZES = ("bytes", "kB", "MB", "GB", "TB")


def duration(ms: float) -> str:
    """Returns a duration with three significant digits and a suitable unit."""
    if ms >= 120_000:
        return f"{ms / 60_000:.1f} min"
    if ms >= 999.5:
        return f"{ms / 1000:.3g} s"
    if ms >= 0.995:
        return f"{ms:.3g} ms"
    return f"{ms * 1000:.3g} µs"


def moment(seconds: float) -> str:
    """Returns a time since the start of the capture."""
    return f"{seconds:,.3f} s"


def size(number: float) -> str:
    """Returns a number of bytes, 0 or more, in decimal units and with three significant digits."""
    unit = 0
    while number >= 999.5 and unit < len(_SIZES) - 1:
        number, unit = number / 1000, unit + 1
    return f"{number:.3g} {_SIZES[unit]}"


def percent(share: float) -> str:
    """Returns a share as a whole percentage; never rounds up to 100 or down to 0."""
    if 0.0 < share < 0.01:
        return "under 1 %"
    if 0.99 < share < 1.0:
        return "over 99 %"
    return f"{share * 100:.0f} %"


def change(share: float | None) -> str:
    """Returns a difference as a share of its base, such as +24 %; from ten times on as a multiple. None and inf give
    "no figure"."""
    if share is None or math.isinf(share):
        return "no figure"
    if share >= 9:
        return f"{share + 1:,.0f} times"
    number = round(100 * share)
    return f"{number:+d} %" if number else "0 %"


def predicted(ms: float, low: float, high: float, lower_bound: bool) -> str:
    """Returns a predicted duration in ms with the least and the most of its runs, such as `30 ms (28 ms to 33 ms)`. A
    lower bound carries its sign; inf is `never`."""
    said, least, most = (or_never(value) for value in (ms, low, high))
    bound = "\N{GREATER-THAN OR EQUAL TO}\N{NO-BREAK SPACE}" if lower_bound else ""
    return bound + said + ("" if least == most else f" ({least} to {most})")


def or_never(ms: float) -> str:
    """Returns a duration of a simulation: `never` if it is infinite, and zero without a unit."""
    return "never" if not math.isfinite(ms) else duration(ms) if ms > 0 else "0"


def items(count: int) -> str:
    return "1 work item" if count == 1 else f"{count:,} work items"


def times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"
