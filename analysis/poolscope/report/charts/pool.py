"""The pool over time: the queue above the threads that work it off, with every change of the goal; the limit at each
instant with queued items; and the runtime's own counters."""

from __future__ import annotations

import math
from collections.abc import Sequence

from poolscope.contract.analysis_json import AnalysisJson, LimitTotalJson, PoolChangeJson, SuspensionJson, TimelineJson
from poolscope.coverage.gaps import POOL
from poolscope.html.chart_style import REASON_SYMBOLS, axis, base_layout, count_axis, steps, time_axis, variable
from poolscope.html.escape import plotly_text
from poolscope.html.formatting import duration

GAP = (0.56, 0.66)
"""The queue is drawn above this part of the height, the threads below it."""
BAND = (0.59, 0.63)
"""The band between the two, for suspensions of the runtime."""
BAND_ABOVE = (0.93, 0.99)
"""The same if no queue is drawn."""


def pool_figure(analysis: AnalysisJson) -> dict[str, object] | None:
    """Draws the queue length and, below it on the same time axis, the threads, the goal and its changes, and the busy
    workers.

    Without work items it draws only the threads. Returns None if neither was recorded.
    """
    layout, timeline = base_layout(analysis["capture"]["seconds"], 320), analysis["timeline"]
    items, pool = analysis["coverage"]["items_recorded"], pool_recorded(analysis)
    if not items and not pool:
        return None
    layout["xaxis"] = time_axis(analysis["capture"]["seconds"]) | {"anchor": "y"}
    layout["yaxis"] = count_axis("threads") | {"domain": [0, GAP[0] if items else BAND_ABOVE[0]]}
    if items:
        layout["yaxis2"] = count_axis("items queued") | {"domain": [GAP[1], 1], "anchor": "x"}
    queue: dict[str, object] = {
        **steps(timeline, timeline["queue"]),
        **_line("items queued (most in each bin)", "queue", "%{y:,.0f} items queued"),
        "yaxis": "y2",
        "fill": "tozeroy",
        "fillcolor": variable("queue-fill"),
    }
    threads: list[dict[str, object]] = [
        # An area, the only one below: dashes along a line that constantly falls and rises look like no line.
        {
            **_threads(steps(timeline, timeline["busy"]), "busy with an item", "busy", "solid", width=1),
            "fill": "tozeroy",
            "fillcolor": variable("busy-fill"),
        },
        _threads(steps(timeline, timeline["threads"]), "threads that exist", "threads", "dot"),
        _threads(steps(timeline, _goal(analysis)), "goal", "goal", "solid"),
    ]
    # A line at 0 would say that nothing was queued and no thread busy, or that there was no thread.
    drawn = [queue, *threads] if pool else [queue, threads[0]]
    drawn = drawn if items else threads[1:]
    suspensions = timeline["suspensions"]
    if suspensions:
        drawn.append(_suspensions(suspensions))
        layout["yaxis3"] = {
            "domain": list(BAND if items else BAND_ABOVE),
            "range": [0, 1],
            "visible": False,
            "fixedrange": True,
            "anchor": "x",
        }
    return {"data": [*drawn, *_changes(timeline["pool_changes"])], "layout": layout}


def _goal(analysis: AnalysisJson) -> list[float | None]:
    """Returns the goal over time. Before its first change it is inferred from the running items; without work items it
    is unknown."""
    timeline, coverage = analysis["timeline"], analysis["coverage"]
    if coverage["goal_known"] or coverage["items_recorded"]:
        return list(timeline["goal"])
    first = min(timeline["pool_changes"], key=lambda change: change["seconds"], default=None)
    known = math.inf if first is None else first["seconds"]
    # The mean over the bin of the first change includes the inferred goal.
    return [
        goal if at >= known else first["goal"] if first and at + timeline["bin_seconds"] > known else None
        for at, goal in zip(timeline["seconds"], timeline["goal"])
    ]


def pool_recorded(analysis: AnalysisJson) -> bool:
    """Returns whether the pool's threads and goal are known: another tool may have left out their events."""
    return all(refused.get("wanted") != POOL for refused in analysis["capture"]["refused"])


def _suspensions(suspensions: list[SuspensionJson]) -> dict[str, object]:
    """Returns a thin band that is filled while the runtime was suspended.

    It has no outlines: with them, a hundred suspensions of 0.1 ms would look like the cause of everything. Zooming in
    shows them.
    """
    return {
        "type": "bar",
        "name": "runtime suspended",
        "x": [round(s["seconds"] + s["ms"] / 2000, 6) for s in suspensions],
        "width": [s["ms"] / 1000 for s in suspensions],
        "y": [1] * len(suspensions),
        "yaxis": "y3",
        "text": [f"{s['seconds']:.3f} s: runtime suspended for {duration(s['ms'])}" for s in suspensions],
        "textposition": "none",
        "hovertemplate": "%{text}<extra></extra>",
        "marker": {
            "color": variable("suspended-fill"),
            "line": {"width": 0},
            "pattern": {
                "shape": "x",
                "fillmode": "overlay",
                "size": 6,
                "solidity": 0.12,
                "fgcolor": variable("suspended"),
            },
        },
    }


def _line(name: str, colour: str, hover: str, dash: str | None = None, width: float = 1.6) -> dict[str, object]:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "line": {"shape": "hv", "width": width, "color": variable(colour), **({"dash": dash} if dash else {})},
        "hovertemplate": f"%{{x:.3f}} s: {hover}<extra></extra>",
    }


def _threads(drawn: dict[str, object], name: str, colour: str, dash: str, width: float = 1.6) -> dict[str, object]:
    return {**drawn, **_line(name, colour, f"%{{y:,.1f}} {name}", dash, width)}


def _changes(changes: list[PoolChangeJson]) -> list[dict[str, object]]:
    """Draws markers at every change of the goal, with a shape for each reason."""
    traces: list[dict[str, object]] = []
    for reason in dict.fromkeys(change["reason"] for change in changes):
        chosen = [change for change in changes if change["reason"] == reason]
        words = plotly_text(chosen[0]["words"])
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": plotly_text(reason),
                "x": [change["seconds"] for change in chosen],
                "y": [change["goal"] for change in chosen],
                # As data, because a template would also interpret %{...} in it.
                "text": [words] * len(chosen),
                "hovertemplate": "%{x:.3f} s: goal %{y}<br>%{text}<extra></extra>",
                "marker": {
                    "symbol": REASON_SYMBOLS.get(reason, "circle"),
                    "size": 9,
                    "color": variable("goal"),
                    "line": {"width": 1, "color": variable("card")},
                },
            }
        )
    return traces


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
"""The height of each line, pixels."""


def limits_figure(analysis: AnalysisJson) -> dict[str, object] | None:
    """Draws the limits of the pool that held at some time. Returns None without a kernel stream, or if nothing was
    queued for long enough."""
    timeline = analysis["timeline"]
    limit, totals = timeline["limit"], timeline["limit_totals"]
    if limit is None or totals is None or all(which is None for which in limit):
        return None
    # The limit with the highest precedence is at the top.
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
    return {"data": [_limit_line(timeline, limit, totals[i], i) for i in present], "layout": layout}


def _limit_line(
    timeline: TimelineJson, limits: list[int | None], total: LimitTotalJson, which: int
) -> dict[str, object]:
    """Draws one limit. Neighbouring bins with the same limit are one bar."""
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


GAPS = ((0.0, 0.27), (0.365, 0.635), (0.73, 1.0))
"""The heights of the three parts, from below."""


def counters_figure(analysis: AnalysisJson) -> dict[str, object] | None:
    """Draws marks at the readings, joined for the eye. Returns None without counters."""
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
