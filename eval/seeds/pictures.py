"""The charts of the originals, as plotly figures and as a table of cells."""

from __future__ import annotations

from typing import Any

import numpy as np

from poolscope.html.chart_style import base_layout, count_axis, time_axis, variable
from seeds.outcome import Outcome
from seeds.shapes import Runs

POLICIES = {
    "table-net11": ("net11", "goal"),
    "table-net35": ("net35", "busy"),
    "table-modern": (".NET today", "threads"),
}
"""Row, its name on the chart, and its colour."""
DASHES = ("solid", "dash", "dot")
STARTS = ("trickle-v1", "trickle-v2", "trickle-v3", "schedule-pool-100", "barrier-default", "rotor-growth")
"""Rows whose start times are drawn."""
SYMBOLS = ("circle", "square", "triangle-up", "diamond", "x", "cross")
COLOURS = ("cause-injection", "cause-blocking", "cause-core", "cause-runtime", "cause-unknown", "queue")
MOST_POINTS = 1000


def figures(runs: Runs) -> dict[str, dict[str, Any]]:
    """Draws the charts, by the id of their place."""
    made = {"policies": _policies(runs), "starts": _starts(runs)}
    return {name: figure for name, figure in made.items() if figure["data"]}


def _layout(seconds: float, x: str, y: dict[str, Any], height: int) -> dict[str, Any]:
    layout = base_layout(seconds, height)
    layout["xaxis"] = time_axis(seconds, x)
    layout["yaxis"] = y
    return layout


def _policies(runs: Runs) -> dict[str, Any]:
    """Draws, for each policy, the number of threads that had computed a cell, over time."""
    traces = []
    longest = 0.0
    for (row, (name, colour)), dash in zip(POLICIES.items(), DASHES):
        if row not in runs or runs[row].truth is None:
            continue
        first = _first_starts(runs[row])
        end = runs[row].elapsed_s
        longest = max(longest, end)
        traces.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": name,
                "x": [0, *[round(float(t), 3) for t in first], round(end, 3)],
                "y": [0, *range(1, len(first) + 1), len(first)],
                "line": {"shape": "hv", "width": 2, "dash": dash, "color": variable(colour)},
                "hovertemplate": f"%{{x:.2f}} s: %{{y}} threads ({name})<extra></extra>",
            }
        )
    return {
        "data": traces,
        "layout": _layout(longest, "seconds since the first cell was queued", count_axis("threads"), 340),
    }


def _first_starts(run: Outcome) -> Any:
    """Returns the time at which each thread began its first item, in order, seconds since the first enqueue."""
    assert run.truth is not None
    start = (run.truth["start_ns"] - run.truth["enqueue_ns"].min()) / 1e9
    return np.sort([start[run.truth["start_tid"] == tid].min() for tid in np.unique(run.truth["start_tid"])])


def _starts(runs: Runs) -> dict[str, Any]:
    """Draws the start of each item over its number, as a share of the row's items, so that all rows fit one chart."""
    traces = []
    longest = 0.0
    for row, symbol, colour in zip(STARTS, SYMBOLS, COLOURS):
        if row not in runs:
            continue
        starts = runs[row].starts_s
        if not len(starts):
            continue
        chosen = np.unique(np.linspace(0, len(starts) - 1, min(len(starts), MOST_POINTS)).astype(int))
        longest = max(longest, float(starts[-1]))
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": row,
                "x": [round(float(s), 3) for s in starts[chosen]],
                "y": [round(100 * (int(i) + 1) / len(starts), 2) for i in chosen],
                "marker": {"symbol": symbol, "size": 6, "color": variable(colour), "opacity": 0.8},
                "hovertemplate": f"{row}: %{{y:.0f}} % started by %{{x:.2f}} s<extra></extra>",
            }
        )
    y = count_axis("items started, percent") | {"range": [0, 101]}
    return {"data": traces, "layout": _layout(longest * 1.02, "seconds since the first enqueue", y, 380)}


def tables(runs: Runs) -> list[dict[str, Any]]:
    """Returns the multiplication tables: cells with the number of the thread that computed each, numbered by first use."""
    made = []
    for row, (name, _) in POLICIES.items():
        if row not in runs or runs[row].truth is None:
            continue
        truth = runs[row].truth
        assert truth is not None
        order = np.argsort(truth["start_ns"], kind="stable")
        number: dict[int, int] = {}
        for tid in truth["start_tid"][order]:
            number.setdefault(int(tid), len(number) + 1)
        cells = [number[int(tid)] for tid in truth["start_tid"]]
        side = int(np.ceil(np.sqrt(len(cells))))
        grid = [
            [
                {"product": (r + 1) * (c + 1), "thread": cells[r * side + c]}
                for c in range(side)
                if r * side + c < len(cells)
            ]
            for r in range(side)
        ]
        made.append({"name": name, "row": row, "threads": len(number), "seconds": runs[row].elapsed_s, "grid": grid})
    return made
