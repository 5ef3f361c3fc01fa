"""Numbers and fixes as people say them."""

from __future__ import annotations


def duration(ms: float) -> str:
    """A duration with three significant digits and the unit that suits it."""
    if ms >= 120_000:
        return f"{ms / 60_000:.1f} min"
    if ms >= 1000:
        return f"{ms / 1000:.3g} s"
    if ms >= 0.995:
        return f"{ms:.3g} ms"
    return f"{ms * 1000:.3g} µs"


def percent(share: float) -> str:
    """A share as a whole percentage; never rounded up to 100 or down to 0."""
    if 0.0 < share < 0.01:
        return "under 1 %"
    if 0.99 < share < 1.0:
        return "over 99 %"
    return f"{share * 100:.0f} %"


def items(count: int) -> str:
    return "1 work item" if count == 1 else f"{count:,} work items"


def times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"
