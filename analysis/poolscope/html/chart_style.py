"""Shapes and colours of causes and states, and the time axis, fonts and margins that align charts.

Colours are CSS variables (assets/style.css); charts.js resolves them for charts. Every cause also has a shape, and bars
have a pattern and a label, so that nothing is shown by colour alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from poolscope.contract.analysis_json import TimelineJson

SYMBOLS = {
    "injection": "circle",
    "blocking": "square",
    "core": "triangle-up",
    "runtime": "diamond",
    "unknown": "x",
}
"""The marker of each cause. A lower bound has its open form."""

SHAPES = {
    "injection": "\N{BLACK CIRCLE}",
    "blocking": "\N{BLACK SQUARE}",
    "core": "\N{BLACK UP-POINTING TRIANGLE}",
    "runtime": "\N{BLACK DIAMOND}",
    "unknown": "\N{MULTIPLICATION SIGN}",
}
"""The same shapes as text, for the key of bars and tables."""

PATTERNS = {"injection": "", "blocking": "/", "core": "|", "runtime": "\\", "unknown": "-"}
"""The pattern of each cause's bars in charts, as in the style sheet."""

REASON_SYMBOLS = {
    "Starvation": "triangle-up",
    "CooperativeBlocking": "square",
    "ThreadTimedOut": "triangle-down",
    "ClimbingMove": "diamond",
    "RandomMove": "diamond-open",
    "ChangePoint": "star",
    "Stabilizing": "circle-open",
    "Warmup": "circle",
    "Initializing": "cross",
}
"""The marker of each reason for a change of the goal."""


def variable(name: str) -> str:
    """Returns the colour variable of this name. The browser resolves it, so that charts follow light, dark and
    print."""
    return f"var(--{name})"


def bar_marker(cause: str) -> dict[str, object]:
    """Returns plotly's marker for a bar of this cause: its colour under its pattern."""
    return {
        "color": variable(f"cause-{cause}"),
        "line": {"width": 1, "color": variable("card")},
        "pattern": {
            "shape": PATTERNS[cause],
            "fillmode": "overlay",
            "size": 8,
            "solidity": 0.2,
            "fgcolor": variable("card"),
        },
    }


MARGIN_LEFT = 62
"""Pixels. The same for all charts, so that their time axes align."""
FLOOR_MS = 0.001
"""A logarithmic axis has no zero. Shorter waits are drawn at 1 µs, the clock's resolution."""
TICKS_MS = {
    0.001: "1 µs", 0.01: "10 µs", 0.1: "100 µs", 1.0: "1 ms", 10.0: "10 ms", 100.0: "100 ms",
    1e3: "1 s", 1e4: "10 s", 1e5: "100 s", 1e6: "17 min", 1e7: "2.8 h", 1e8: "28 h",
}  # fmt: skip


def base_layout(seconds: float, height: int) -> dict[str, object]:
    """Returns the layout of a chart over the `seconds` of a capture, without y axes. `height` in pixels."""
    return {**plain_layout(height), "xaxis": time_axis(seconds)}


def time_axis(seconds: float, title: str = "seconds since the capture began") -> dict[str, object]:
    """Returns the x axis of a chart over time."""
    return {**axis(title), "range": [0, seconds]}


def plain_layout(height: int) -> dict[str, object]:
    """Returns the layout without axes. `height` in pixels."""
    return {
        "height": height,
        "margin": {"l": MARGIN_LEFT, "r": 14, "t": 10, "b": 46},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": variable("font"), "size": 12, "color": variable("ink")},
        "hoverlabel": {
            "bgcolor": variable("card"),
            "bordercolor": variable("line"),
            "font": {"color": variable("ink"), "family": variable("font")},
        },
        "hovermode": "closest",
        "dragmode": "zoom",
        "showlegend": True,
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "bgcolor": "rgba(0,0,0,0)"},
    }


def axis(title: str) -> dict[str, object]:
    """Returns an axis with a title, in muted colours."""
    return {
        "title": {"text": title, "font": {"size": 12, "color": variable("muted")}, "standoff": 6},
        "gridcolor": variable("grid"),
        "linecolor": variable("line"),
        "zerolinecolor": variable("line"),
        "tickfont": {"color": variable("muted")},
        "separatethousands": True,
        "fixedrange": False,
    }


def count_axis(title: str) -> dict[str, object]:
    """Returns a y axis for counts: it starts at zero and does not zoom."""
    return {**axis(title), "rangemode": "tozero", "fixedrange": True}


def steps(timeline: TimelineJson, y: Sequence[float | None]) -> dict[str, object]:
    """Returns x and y of a series of the timeline. The last bin is drawn to its end. None is an unknown value."""
    x = timeline["seconds"]
    if not x:
        return {"x": [], "y": []}
    return {"x": [*x, round(x[-1] + timeline["bin_seconds"], 4)], "y": [*y, y[-1]], "line": {"shape": "hv"}}
