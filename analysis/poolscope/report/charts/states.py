"""The activity of the workers that held an item."""

from __future__ import annotations

from typing import Literal

from poolscope.contract.analysis_json import AnalysisJson
from poolscope.html.chart_layout import base_layout, count_axis, steps
from poolscope.html.palette import variable

STATES: dict[Literal["running", "ready", "blocked"], tuple[str, str]] = {
    "running": ("running on a core", ""),
    "ready": ("runnable without a core", "/"),
    "blocked": ("blocked", "."),
}
"""Words of each state, and the pattern of its area."""


def states_figure(analysis: AnalysisJson) -> dict[str, object] | None:
    """Draws the workers by scheduler state, stacked. Returns None without a kernel stream, because only that
    distinguishes them."""
    if analysis["coverage"]["tier"] == "none":
        return None
    layout = base_layout(analysis["capture"]["seconds"], 270)
    layout["yaxis"] = count_axis("workers with an item")
    data = []
    for state, (words, pattern) in STATES.items():
        data.append(
            steps(analysis["timeline"], analysis["timeline"][state])
            | {
                "type": "scatter",
                "mode": "lines",
                "name": words,
                "stackgroup": "workers",
                "line": {"shape": "hv", "width": 0.8, "color": variable(f"state-{state}")},
                "fillcolor": variable(f"state-{state}-fill"),
                # Patterns of areas came with plotly.js 2.21; older ones ignore them and keep order, label and hover.
                "fillpattern": {"shape": pattern, "fgcolor": variable(f"state-{state}"), "size": 6, "solidity": 0.25},
                "hovertemplate": f"%{{x:.3f}} s: %{{y:.1f}} {words}<extra></extra>",
            }
        )
    return {"data": data, "layout": layout}
