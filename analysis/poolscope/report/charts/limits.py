"""The limit of the pool at each instant with queued items: a ribbon with one line for each limit."""

from __future__ import annotations

from poolscope.contract.analysis_json import AnalysisJson, LimitTotalJson, TimelineJson
from poolscope.html.chart_style import axis, base_layout, variable
from poolscope.html.escape import plotly_text

LINES = {
    "suspended": ("suspended", "x"),
    "cores": ("cores", "/"),
    "cap": ("maximum", ""),
    "gate": ("gate", "."),
    "goal": ("goal", "\\"),
    "none": ("room", "-"),
}
"""The word of each limit that fits beside the axis, and the pattern of its bars."""
LINE_HEIGHT = 24
"""Pixels of each line."""


def limits_figure(analysis: AnalysisJson) -> dict[str, object] | None:
    """Draws what limited the pool, with only the limits that held. Returns None without a kernel stream, or if nothing
    was queued for long enough."""
    timeline = analysis["timeline"]
    limit, totals = timeline["limit"], timeline["limit_totals"]
    if limit is None or totals is None or all(which is None for which in limit):
        return None
    # The first that is asked for stands on top.
    present = [i for i in reversed(range(len(totals))) if i in limit]
    labels = [LINES[totals[i]["limit"]][0] for i in present]
    layout = base_layout(analysis["capture"]["seconds"], 62 + LINE_HEIGHT * len(present))
    layout |= {"showlegend": False, "barmode": "overlay", "bargap": 0.15}
    layout["yaxis"] = {
        **axis(""),
        "type": "category",
        "categoryorder": "array",
        "categoryarray": labels,
        "range": [-0.5, len(present) - 0.5],
        "fixedrange": True,
        "tickfont": {"size": 11, "color": variable("ink")},
    }
    return {"data": [_line(timeline, limit, totals[i], i) for i in present], "layout": layout}


def _line(timeline: TimelineJson, limits: list[int | None], total: LimitTotalJson, which: int) -> dict[str, object]:
    """Draws one limit; neighbouring bins with the same limit are one bar."""
    name, words = total["limit"], plotly_text(total["words"])
    width, (label, pattern) = timeline["bin_seconds"], LINES[name]
    runs: list[list[int]] = []
    for number, limit in enumerate(limits):
        if limit != which:
            continue
        if runs and runs[-1][1] == number:
            runs[-1][1] = number + 1
        else:
            runs.append([number, number + 1])
    starts = [timeline["seconds"][first] for first, _ in runs]
    lengths = [round((last - first) * width, 6) for first, last in runs]
    return {
        "type": "bar",
        "orientation": "h",
        "name": words,
        "base": starts,
        "x": lengths,
        "y": [label] * len(runs),
        "text": [f"{start:.3f} s to {start + length:.3f} s<br>{words}" for start, length in zip(starts, lengths)],
        "textposition": "none",
        "hovertemplate": "%{text}<extra></extra>",
        "marker": {
            "color": variable(f"limit-{name}"),
            "line": {"width": 0.8, "color": variable(f"limit-{name}")},
            "pattern": {
                "shape": pattern,
                "size": 6,
                "solidity": 0.2,
                "fillmode": "overlay",
                "fgcolor": variable("card"),
            },
        },
    }
