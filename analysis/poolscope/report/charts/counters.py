"""The queue, the threads and the completed items per second, by the runtime's own counters."""

from __future__ import annotations

from collections.abc import Sequence

from poolscope.contract.analysis_json import AnalysisJson
from poolscope.html.chart_style import base_layout, count_axis, time_axis, variable

GAPS = ((0.0, 0.27), (0.365, 0.635), (0.73, 1.0))
"""Heights of the three parts, from below."""


def counters_figure(analysis: AnalysisJson) -> dict[str, object] | None:
    """Marks at the readings, joined for the eye; None without counters."""
    counters = analysis.get("counters")
    if counters is None:
        return None
    seconds = analysis["capture"]["seconds"]
    layout = base_layout(seconds, 420)
    layout["xaxis"] = time_axis(seconds) | {"anchor": "y"}
    layout["yaxis"] = count_axis("completed/s") | {"domain": list(GAPS[0])}
    layout["yaxis2"] = count_axis("threads") | {"domain": list(GAPS[1]), "anchor": "x"}
    layout["yaxis3"] = count_axis("items queued") | {"domain": list(GAPS[2]), "anchor": "x"}
    x = counters["seconds"]
    return {
        "data": [
            _readings(x, counters["queue"], "items queued", "queue", "%{y:,.0f} items queued", "y3"),
            _readings(x, counters["threads"], "threads", "threads", "%{y:,.0f} threads", "y2"),
            _readings(
                x,
                counters["completed_per_s"],
                "completed per second",
                "goal",
                "%{y:,.1f} items completed per second",
                "y",
            ),
        ],
        "layout": layout,
    }


def _readings(
    x: list[float], y: Sequence[float | None], name: str, colour: str, hover: str, axis: str
) -> dict[str, object]:
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "x": x,
        "y": list(y),
        "yaxis": axis,
        "cliponaxis": False,
        "line": {"width": 1.2, "color": variable(colour)},
        "marker": {"size": 5, "color": variable(colour)},
        "hovertemplate": f"%{{x:.3f}} s: {hover}<extra></extra>",
    }
