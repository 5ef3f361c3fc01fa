"""The charts of a comparison: both sides next to each other, on the same axes."""

from __future__ import annotations

import math
from typing import Literal

from poolscope.base.words import change
from poolscope.compare.comparison_json import ComparisonJson, RowJson
from poolscope.compare.judge import CANNOT_TELL, LONGER, NO_CHANGE, SHORTER
from poolscope.compare.texts import changed, range_of
from poolscope.html.chart_style import FLOOR_MS, SHAPES, TICKS_MS, axis, bar_marker, count_axis, plain_layout, variable
from poolscope.html.escape import plotly_text
from poolscope.html.formatting import duration, percent
from poolscope.product.causes import CAUSES, CAUSE_WORDS

SIDES: tuple[Literal["a", "b"], ...] = ("a", "b")
LEFT, RIGHT = [0.0, 0.485], [0.515, 1.0]
DASHES = ("solid", "dot", "dash", "dashdot", "longdash", "longdashdot")
LOOKS = {
    LONGER: ("cause", "triangle-right"),
    SHORTER: ("good", "triangle-left"),
    NO_CHANGE: ("plain", "circle"),
    CANNOT_TELL: ("unsure", "x"),
}
"""The colour and marker of each verdict."""
LEAST_REACH = 0.3
"""The axis of the changes shows at least 30 % either way, so that no change looks like no change."""
MOST_REACH = 10.0
ROW_HEIGHT = 24


def figures(content: ComparisonJson) -> dict[str, dict[str, object]]:
    """Returns every chart that has data, by the id of its place in the page."""
    made = {"changes": _changes(content), "parts": _parts(content), "distribution": _distribution(content)}
    return {name: figure for name, figure in made.items() if figure is not None}


def _changes(content: ComparisonJson) -> dict[str, object] | None:
    """Returns each row's estimate and interval, as shares of side A."""
    rows = [row for row in content["rows"] if row["change_share"] is not None and _is_drawn(row)]
    shares = [row["change_share"] or [] for row in rows]
    if not rows:
        return None
    reach = max(LEAST_REACH, *(1.4 * abs(share[0]) for share in shares))
    low, high = -min(reach, 1.05), min(reach, MOST_REACH)
    layout = plain_layout(90 + ROW_HEIGHT * len(rows))
    layout["dragmode"] = False
    layout["xaxis"] = axis("change from A to B") | {
        "range": [low, high],
        "tickvals": _share_ticks(low, high),
        "ticktext": [change(share) for share in _share_ticks(low, high)],
        "zeroline": True,
        "zerolinewidth": 2,
        "fixedrange": True,
    }
    names = [plotly_text(_name(row)) for row in rows]
    layout["yaxis"] = axis("") | {
        "type": "category",
        "categoryarray": names[::-1],
        "range": [-0.6, len(rows) - 0.4],
        "automargin": True,
        "fixedrange": True,
    }
    data: list[dict[str, object]] = []
    for verdict, (colour, symbol) in LOOKS.items():
        chosen = [i for i, row in enumerate(rows) if row["verdict"] == verdict]
        if not chosen:
            continue
        ends = [[min(max(v, low), high) for v in shares[i]] for i in chosen]
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": verdict,
                "x": [end[0] for end in ends],
                "y": [names[i] for i in chosen],
                "error_x": {
                    "type": "data",
                    "symmetric": False,
                    "array": [round(end[2] - end[0], 6) for end in ends],
                    "arrayminus": [round(end[0] - end[1], 6) for end in ends],
                    "color": variable(colour),
                    "thickness": 2,
                    "width": 4,
                },
                "marker": {"color": variable(colour), "symbol": symbol, "size": 10},
                "text": [plotly_text(f"{changed(rows[i])} ({range_of(rows[i])})") for i in chosen],
                "hovertemplate": f"%{{y}}<br>%{{text}}: {verdict}<extra></extra>",
            }
        )
    return {"data": data, "layout": layout}


def _is_drawn(row: RowJson) -> bool:
    """Returns whether a row is drawn. A bound has no place on the axis, and the table lists the routes of requests one
    by one."""
    return not row["at_least"] and row["route"] is None


def _share_ticks(low: float, high: float) -> list[float]:
    """Returns even steps around zero, at most two to a side: a phone has no room for more."""
    step = next((s for s in (0.1, 0.2, 0.25, 0.5, 1.0, 2.0) if high / s <= 2), 5.0)
    return [round(i * step, 2) for i in range(math.ceil(low / step), math.floor(high / step) + 1)]


SHORT = {
    "holding.mean": "blocking: threads held",
    "dependency.mean": "blocking: lock or item",
    "execution.ready": "runnable, no core",
    "execution.suspended": "suspended",
}
"""Names beside an axis; the table has the full names."""


def _name(row: RowJson) -> str:
    words = SHORT.get(row["key"], row["words"])
    # The same words may name a part of the wait, one of the execution, and one of a request.
    if row["group"] == "request parts":
        return f"{words} (request)"
    return f"{words} (execution)" if row["key"] == "execution.blocked" else words


def _parts(content: ComparisonJson) -> dict[str, object] | None:
    """Returns the mean wait of every capture by cause, stacked."""
    totals = [sum(run["wait_ms"].values()) for side in SIDES for run in content[side]]
    most = max(totals)
    if most <= 0:
        return None
    scale, unit = (1e3, "seconds") if most >= 2000 else (1.0, "milliseconds")
    layout = plain_layout(340) | {"barmode": "stack", "bargap": 0.25, "dragmode": False}
    data: list[dict[str, object]] = []
    for number, side in enumerate(SIDES):
        runs = content[side]
        suffix = "" if number == 0 else "2"
        title = f"side {side.upper()}"
        layout[f"xaxis{suffix}"] = axis(title) | {
            "domain": RIGHT if number else LEFT,
            "type": "category",
            "fixedrange": True,
        }
        layout[f"yaxis{suffix}"] = count_axis("" if number else f"mean wait, {unit}") | {
            "range": [0, most / scale * 1.05],
            "anchor": f"x{suffix}",
            "showticklabels": number == 0,
        }
        for cause in CAUSES:
            if not any(run["wait_ms"].get(cause) for s in SIDES for run in content[s]):
                continue
            data.append(
                {
                    "type": "bar",
                    "name": f"{SHAPES[cause]} {CAUSE_WORDS[cause]}",
                    "legendgroup": cause,
                    "showlegend": number == 0,
                    "xaxis": f"x{suffix}",
                    "yaxis": f"y{suffix}",
                    "x": [f"{side.upper()}{i}" for i in range(1, len(runs) + 1)],
                    "y": [round(run["wait_ms"].get(cause, 0.0) / scale, 6) for run in runs],
                    "text": [plotly_text(f"{run['name']}: {duration(run['wait_ms'].get(cause, 0.0))}") for run in runs],
                    "textposition": "none",
                    "hovertemplate": f"%{{x}}, {CAUSE_WORDS[cause]}<br>%{{text}}<extra></extra>",
                    "marker": bar_marker(cause),
                }
            )
    return {"data": data, "layout": layout}


def _distribution(content: ComparisonJson) -> dict[str, object] | None:
    """Returns the share of the items that waited at most this long, with a curve for every capture."""
    waits = [max(ms, FLOOR_MS) for side in SIDES for run in content[side] for ms in run["curve_ms"] if ms is not None]
    if not waits:
        return None
    span = [math.log10(min(waits)) - 0.05, math.log10(max(waits)) + 0.05]
    layout = plain_layout(340) | {"dragmode": False}
    data: list[dict[str, object]] = []
    for number, side in enumerate(SIDES):
        suffix = "" if number == 0 else "2"
        layout[f"xaxis{suffix}"] = axis(f"wait, side {side.upper()}") | {
            "domain": RIGHT if number else LEFT,
            "type": "log",
            "range": span,
            "tickvals": _ticks(span),
            "ticktext": [duration(ms) for ms in _ticks(span)],
            "fixedrange": True,
        }
        layout[f"yaxis{suffix}"] = count_axis("" if number else "share of the items") | {
            "range": [0, 1.02],
            "tickformat": ".0%",
            "anchor": f"x{suffix}",
            "showticklabels": number == 0,
        }
        for i, run in enumerate(content[side], 1):
            if not run["curve_ms"]:
                continue
            data.append(
                {
                    "type": "scatter",
                    "mode": "lines",
                    "name": f"{side.upper()}{i}",
                    "xaxis": f"x{suffix}",
                    "yaxis": f"y{suffix}",
                    "x": [max(ms or 0.0, FLOOR_MS) for ms in run["curve_ms"]],
                    "y": content["shares"],
                    "line": {
                        "color": variable("goal" if number else "busy"),
                        "width": 1.8,
                        "dash": DASHES[(i - 1) % len(DASHES)],
                    },
                    "text": [plotly_text(f"{percent(s)} of {run['name']}") for s in content["shares"]],
                    "hovertemplate": "%{text} waited at most %{x:.4g} ms<extra></extra>",
                }
            )
    return {"data": data, "layout": layout}


def _ticks(span: list[float]) -> list[float]:
    """Returns the decades, and also 2 and 5 times each if the axis shows only a few decades."""
    steps = (1.0,) if span[1] - span[0] > 1.2 else (1.0, 2.0, 5.0)
    return [ms * step for ms in TICKS_MS for step in steps if span[0] <= math.log10(ms * step) <= span[1]]
