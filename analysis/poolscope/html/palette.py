"""How each cause and each state looks. Colours are CSS variables (assets/style.css), which charts.js resolves for
charts.

Every cause has a shape of its own as well, and bars have a pattern and a label: nothing is reported by colour alone.
"""

from __future__ import annotations


SYMBOLS = {
    "injection": "circle",
    "blocking": "square",
    "core": "triangle-up",
    "runtime": "diamond",
    "unknown": "x",
}
"""Marker of each cause; a lower bound has the open form of it."""

SHAPES = {
    "injection": "\N{BLACK CIRCLE}",
    "blocking": "\N{BLACK SQUARE}",
    "core": "\N{BLACK UP-POINTING TRIANGLE}",
    "runtime": "\N{BLACK DIAMOND}",
    "unknown": "\N{MULTIPLICATION SIGN}",
}
"""The same shapes in text, as the key of bars and tables."""

PATTERNS = {"injection": "", "blocking": "/", "core": "|", "runtime": "\\", "unknown": "-"}
"""For the bars of each cause in charts, as in the style sheet's bars."""

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
"""Marker of each reason for a change of the goal."""


def variable(name: str) -> str:
    """Returns the colour of this name, resolved in the browser so that charts follow light, dark and print."""
    return f"var(--{name})"


def bar_marker(cause: str) -> dict[str, object]:
    """Returns how plotly draws a bar of this cause: its colour under its pattern."""
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
