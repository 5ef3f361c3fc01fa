"""Worker lanes: a line for each worker, thick while it ran, thinner while it waited for a core, thinnest while blocked."""

from __future__ import annotations

from typing import Any

from poolscope.report.charts.layout import axis, base_layout
from poolscope.report.palette import variable

STATES = {
    "running": ("running on a core", 11.0),
    "ready": ("runnable without a core", 6.0),
    "blocked": ("blocked", 2.5),
}
"""Words of each state, and the thickness of its line in pixels: colour alone tells nothing."""
LANE_PIXELS = 16
LEAST_PIXELS = 190
FRAME_PIXELS = 96
"""Legend and time axis."""
TICKED = 1_500
"""So many items have a tick where they begin; more would hide the lanes."""


def lanes_figure(analysis: dict[str, Any]) -> dict[str, Any] | None:
    """None without lanes. Hover and click are those of lanes.js: plotly's know the ends of a line only."""
    lanes = analysis["lanes"]
    if lanes is None:
        return None
    workers = lanes["workers"]
    layout = base_layout(analysis, max(LEAST_PIXELS, FRAME_PIXELS + LANE_PIXELS * len(workers)))
    layout["hovermode"] = False
    layout["shapes"] = []  # the frame of the chosen item, from lanes.js
    layout["yaxis"] = {
        **axis("worker thread"),
        "range": [len(workers) - 0.4, -0.6],
        "tickmode": "array",
        "tickvals": list(range(len(workers))),
        "ticktext": [str(worker["tid"]) for worker in workers],
        "tickfont": {"size": 10, "color": variable("muted")},
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
    }
    segments = lanes["segments"]
    traces = [_state(segments, state, *look) for state, look in STATES.items() if state in segments["state"]]
    return {"data": [*traces, *_begins(lanes)], "layout": layout}


def _state(segments: dict[str, list[Any]], state: str, words: str, width: float) -> dict[str, Any]:
    """All segments of one state as one line with gaps."""
    mine = [i for i, of in enumerate(segments["state"]) if of == state]
    worker, start, end = segments["worker"], segments["start_s"], segments["end_s"]
    return {
        "type": "scatter",
        "mode": "lines",
        "name": words,
        "x": [x for i in mine for x in (start[i], end[i], None)],
        "y": [y for i in mine for y in (worker[i], worker[i], None)],
        "connectgaps": False,
        "hoverinfo": "skip",
        # Without simplification: it would draw over gaps that are a pixel wide and join items.
        "line": {"width": width, "color": variable(f"state-{state}"), "simplify": False},
    }


def _begins(lanes: dict[str, Any]) -> list[dict[str, Any]]:
    """A tick where an item begins; none where bins have merged items or there are too many to tell apart."""
    segments = lanes["segments"]
    count = len(segments["item"])
    first = [
        i
        for i in range(count)
        if i == 0
        or (segments["worker"][i - 1], segments["item"][i - 1]) != (segments["worker"][i], segments["item"][i])
    ]
    if lanes["bin_s"] is not None or len(first) > TICKED:
        return []
    worker, start = segments["worker"], segments["start_s"]
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "name": "an item begins",
            "x": [x for i in first for x in (start[i], start[i], None)],
            "y": [y for i in first for y in (worker[i] - 0.42, worker[i] + 0.42, None)],
            "hoverinfo": "skip",
            "line": {"width": 1, "color": variable("ink"), "simplify": False},
        }
    ]
