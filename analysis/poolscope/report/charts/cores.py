"""The use of cores: the target, all others, how many the target may use, and the states of the workers that held an
item."""

from __future__ import annotations

from typing import Literal

from poolscope.contract.analysis_json import AnalysisJson
from poolscope.html.chart_style import base_layout, count_axis, steps, variable

STATES: dict[Literal["running", "ready", "blocked"], tuple[str, str]] = {
    "running": ("running on a core", ""),
    "ready": ("runnable without a core", "/"),
    "blocked": ("blocked", "."),
}
"""The words of each state, and the pattern of its area."""


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
                # plotly.js 2.21 introduced patterns of areas. Older versions ignore them and keep order, label and
                # hover.
                "fillpattern": {"shape": pattern, "fgcolor": variable(f"state-{state}"), "size": 6, "solidity": 0.25},
                "hovertemplate": f"%{{x:.3f}} s: %{{y:.1f}} {words}<extra></extra>",
            }
        )
    return {"data": data, "layout": layout}


USERS: dict[Literal["cpu_target", "cpu_others"], tuple[str, str, str]] = {
    "cpu_target": ("this process", "target", ""),
    "cpu_others": ("all others", "others", "/"),
}
"""Words, colour and pattern of each area, from below."""


def cores_figure(analysis: AnalysisJson) -> dict[str, object] | None:
    """Draws the cores in use, stacked. Returns None without a kernel stream."""
    timeline = analysis["timeline"]
    if timeline["cpu_target"] is None:
        return None
    layout = base_layout(analysis["capture"]["seconds"], 270)
    layout["yaxis"] = count_axis("cores")
    data: list[dict[str, object]] = []
    for series, (words, colour, pattern) in USERS.items():
        cores = timeline[series]
        if cores is None:
            continue
        data.append(
            {
                **steps(timeline, cores),
                "type": "scatter",
                "mode": "lines",
                "name": f"cores used by {words}",
                "stackgroup": "cores",
                "line": {"shape": "hv", "width": 0.8, "color": variable(f"cpu-{colour}")},
                "fillcolor": variable(f"cpu-{colour}-fill"),
                "fillpattern": {"shape": pattern, "fgcolor": variable(f"cpu-{colour}"), "size": 6, "solidity": 0.25},
                "hovertemplate": f"%{{x:.3f}} s: %{{y:.2f}} cores, {words}<extra></extra>",
            }
        )
    return {"data": [*data, _allowed(analysis)], "layout": layout}


def _allowed(analysis: AnalysisJson) -> dict[str, object]:
    """Returns the cores that the target may use, by affinity and quota, to the end of the capture."""
    rows = analysis["capture"]["capacity"]
    return {
        "type": "scatter",
        "mode": "lines",
        "name": "cores that this process may use",
        "x": [*(row["from_s"] for row in rows), analysis["capture"]["seconds"]],
        "y": [*(row["cores"] for row in rows), rows[-1]["cores"]],
        "line": {"shape": "hv", "width": 1.8, "dash": "dash", "color": variable("ink")},
        "hovertemplate": "from %{x:.3f} s: may use %{y:.2f} cores<extra></extra>",
    }
