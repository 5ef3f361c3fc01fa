"""The part of docs/measured/whatif-accuracy.md about advised fixes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from .advice import WITHIN, Outcome
from .page import table

BEGIN = "<!-- advised: begin (made by ./build.sh whatif-check --advised) -->"
END = "<!-- advised: end -->"
HEAD = ["program", "advised fix", "clock", "before", "after", "removed", "predicted", "error", "in the interval"]


def markdown(results: Mapping[str, Outcome | str]) -> str:
    """Returns the measured part of the page."""
    body = [_row(name, result) for name, result in results.items()]
    return "\n".join([*summary(results), "", *table(HEAD, body), ""])


def summary(results: Mapping[str, Outcome | str]) -> list[str]:
    """Returns the three figures, as sentences."""
    told = [r for r in results.values() if isinstance(r, Outcome)]
    right, close = sum(o.right_direction for o in told), sum(o.close for o in told)
    far = [o.program for o in told if o.beyond > 1]
    return [
        f"{len(told)} of {len(results)} programs have advice with a figure that was applied. The direction is right in "
        f"{right}, the removed delay within {WITHIN:.0%} in {close}. "
        + (
            f"The truth leaves the interval by more than its width in {len(far)}: {', '.join(far)}."
            if far
            else "No truth leaves the interval by more than its width."
        )
    ]


def line(outcome: Outcome) -> str:
    """Returns one program as a line for the terminal."""
    return "; ".join(_row(outcome.program, outcome)[1:])


def _row(name: str, result: Outcome | str) -> list[str]:
    if isinstance(result, str):
        return [f"`{name}`", result, *["-"] * (len(HEAD) - 2)]
    o = result
    of = "requests" if o.advised.of_requests else "items"
    whole = "" if o.whole else f" ({o.before.begun - o.before.done} not done before)"
    spread = f" ({_ms(min(c.mean_ms for c in o.after))} to {_ms(max(c.mean_ms for c in o.after))})"
    return [
        f"`{name}`",
        o.advised.label + (" (lower bound)" if o.advised.lower_bound else ""),
        o.clock,
        _ms(o.before.mean_ms) + whole,
        _ms(o.after_ms) + (spread if len(o.after) > 1 else ""),
        _ms(o.removed_ms),
        f"{_ms(o.predicted_ms)} ({_span(o.interval_ms)}{of})",
        f"{o.error:.0%}" if o.close else f"**{o.error:.0%}**",
        _interval(o.beyond),
    ]


def _span(interval: tuple[float, float]) -> str:
    return f"{_ms(interval[0])} to {_ms(interval[1])}; "


def _interval(beyond: float) -> str:
    if beyond == 0:
        return "yes"
    width = "no width" if math.isinf(beyond) else f"{beyond:.1f} widths off"
    return f"**{width}**" if beyond > 1 else width


def _ms(value: Any) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.1f}"
