"""Waits over time: each item by the cause of most of its wait."""

from __future__ import annotations

import math

from poolscope.contract.analysis_json import AnalysisJson, WaitsJson
from poolscope.html.chart_layout import FLOOR_MS, TICKS_MS, axis, base_layout, time_axis
from poolscope.html.escape import plotly_text
from poolscope.html.formatting import AT_LEAST, duration
from poolscope.html.palette import SYMBOLS, variable
from poolscope.product.causes import CAUSE_WORDS


def waits_figure(analysis: AnalysisJson) -> dict[str, object] | None:
    """Returns a scatter of wait against time of enqueue; None without items."""
    waits = analysis["timeline"]["waits"]
    if not waits:
        return None
    layout = base_layout(analysis["capture"]["seconds"], 230)
    longest = max(max(w["wait_ms"]) for w in waits)
    shortest = max(min(min(w["wait_ms"]) for w in waits), FLOOR_MS)
    decades = [math.floor(math.log10(shortest) - 0.05), math.ceil(math.log10(max(longest, FLOOR_MS)) + 0.05)]
    layout["yaxis"] = {
        **axis("wait before start"),
        "type": "log",
        "range": decades,
        "tickvals": list(TICKS_MS),
        "ticktext": list(TICKS_MS.values()),
        "fixedrange": True,
    }
    layout["xaxis"] = time_axis(analysis["capture"]["seconds"], "time of enqueue, seconds")
    return {"data": [trace for w in waits for trace in _traces(w)], "layout": layout}


def _traces(waits: WaitsJson) -> list[dict[str, object]]:
    """Draws the known waits of one cause, and those that are only lower bounds."""
    cause = waits["cause"]
    made: list[dict[str, object]] = []
    for bound in (False, True):
        chosen = [i for i, at_least in enumerate(waits["at_least"]) if at_least is bound]
        if not chosen:
            continue
        name = f"{CAUSE_WORDS[cause]}, lower bounds ({AT_LEAST.strip()})" if bound else CAUSE_WORDS[cause]
        made.append(
            {
                "type": "scatter",
                "mode": "markers",
                "cliponaxis": False,
                "name": plotly_text(name),
                "x": [waits["seconds"][i] for i in chosen],
                "y": [max(waits["wait_ms"][i], FLOOR_MS) for i in chosen],
                "text": [duration(waits["wait_ms"][i], bound) for i in chosen],
                "customdata": [waits["item"][i] for i in chosen],
                "hovertemplate": "item %{customdata}, enqueued at %{x:.3f} s<br>waited %{text}"
                f"<br>mainly {CAUSE_WORDS[cause]}<extra></extra>",
                "marker": {
                    "color": variable(f"cause-{cause}"),
                    "symbol": SYMBOLS[cause] + ("-open" if bound else ""),
                    "size": 8,
                    "opacity": 1 if bound else 0.8,
                    "line": {"width": 1.5 if bound else 0},
                },
            }
        )
    return made
