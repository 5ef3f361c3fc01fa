"""The charts of a fleet: the excess of each row, the hours, and the versions."""

from __future__ import annotations

import math
from typing import Any

from poolscope.base.words import duration as said
from poolscope.html.chart_style import FLOOR_MS, SHAPES, TICKS_MS, axis, bar_marker, count_axis, plain_layout, variable
from poolscope.html.escape import plotly_text
from poolscope.html.formatting import duration
from poolscope.product.causes import CAUSES, CAUSE_WORDS

ROW_HEIGHT = 30
DASHES = ("solid", "dot", "dash", "dashdot", "longdash", "longdashdot")
SERVICES = 6
"""Lines of the chart of versions: as many as there are dashes."""
LABEL = 34
"""Characters of a row's name beside its bar; the table has the whole of it."""


def figures(content: dict[str, Any]) -> dict[str, dict[str, object]]:
    """Returns every chart that there is data for, by the id of its place in the page."""
    made = {"ranking": _ranking(content), "hours": _hours(content), "versions": _versions(content)}
    return {name: figure for name, figure in made.items() if figure is not None}


def _ranking(content: dict[str, Any]) -> dict[str, object] | None:
    """Returns what each row's group waited beyond the others, on one axis."""
    rows = content["ranking"]
    if not rows:
        return None
    names = [plotly_text(f"{at}. {_short(row['key'] + ' ' + row['value'])}") for at, row in enumerate(rows, 1)]
    layout = plain_layout(90 + ROW_HEIGHT * len(rows)) | {"dragmode": False, "showlegend": False, "bargap": 0.35}
    layout["xaxis"] = count_axis("seconds beyond the others") | {"nticks": 5}
    layout["yaxis"] = axis("") | {
        "type": "category",
        "categoryarray": names[::-1],
        "automargin": True,
        "fixedrange": True,
    }
    bars = {
        "type": "bar",
        "orientation": "h",
        "x": [row["seconds"] for row in rows],
        "y": names,
        "text": [plotly_text(f"{said(1e3 * row['seconds'])} of {row['words']}") for row in rows],
        "textposition": "none",
        "hovertemplate": "%{y}<br>%{text}<extra></extra>",
        "marker": {"color": variable("cause"), "line": {"width": 1, "color": variable("card")}},
    }
    return {"data": [bars], "layout": layout}


def _short(name: str) -> str:
    return name if len(name) <= LABEL else f"{name[: LABEL - 1]}\N{HORIZONTAL ELLIPSIS}"


def _hours(content: dict[str, Any]) -> dict[str, object] | None:
    """Returns the mean wait of each hour, stacked by cause; none if all captures are of one hour."""
    hours = [row for group in content["groups"] if group["key"] == "hour" for row in group["values"] if row["items"]]
    if len(hours) < 2:
        return None
    layout = plain_layout(320) | {"barmode": "stack", "bargap": 0.2, "dragmode": False}
    layout["xaxis"] = axis("hour, UTC") | {"type": "category", "fixedrange": True, "nticks": 8, "automargin": True}
    layout["yaxis"] = count_axis("mean wait, milliseconds")
    data = []
    for cause in CAUSES:
        ms = [1e3 * row["wait_s"][cause] / row["items"] for row in hours]
        if not any(ms):
            continue
        data.append(
            {
                "type": "bar",
                "name": f"{SHAPES[cause]} {CAUSE_WORDS[cause]}",
                "x": [row["value"] for row in hours],
                "y": [round(value, 6) for value in ms],
                "text": [duration(value) for value in ms],
                "textposition": "none",
                "hovertemplate": f"%{{x}}, {CAUSE_WORDS[cause]}<br>%{{text}} per item<extra></extra>",
                "marker": bar_marker(cause),
            }
        )
    return {"data": data, "layout": layout} if data else None


def _versions(content: dict[str, Any]) -> dict[str, object] | None:
    """Returns the 99th percentile of the wait, version by version, a line for each service."""
    lines = [(one["service"], [v for v in one["versions"] if v["items"]]) for one in content["trends"]]
    lines = [(name, versions) for name, versions in lines if len(versions) > 1][:SERVICES]
    if not lines:
        return None
    values = [max(v["wait_ms"]["p99"], FLOOR_MS) for _, versions in lines for v in versions]
    span = [math.log10(min(values)) - 0.3, math.log10(max(values)) + 0.3]
    layout = plain_layout(340) | {"dragmode": False}
    layout["xaxis"] = axis("version, in the order of its first capture") | {
        "fixedrange": True,
        "dtick": 1,
        "tickprefix": "",
        "range": [0.6, max(len(versions) for _, versions in lines) + 0.4],
    }
    layout["yaxis"] = axis("p99 wait") | {
        "type": "log",
        "range": span,
        "tickvals": [ms for ms in TICKS_MS if span[0] <= math.log10(ms) <= span[1]],
        "ticktext": [words for ms, words in TICKS_MS.items() if span[0] <= math.log10(ms) <= span[1]],
        "fixedrange": True,
    }
    data = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": plotly_text(_short(name)),
            "x": list(range(1, len(versions) + 1)),
            "y": [max(v["wait_ms"]["p99"], FLOOR_MS) for v in versions],
            "text": [plotly_text(f"{name} {v['version_name']}: {duration(v['wait_ms']['p99'])}") for v in versions],
            "hovertemplate": "%{text}<extra></extra>",
            "line": {"color": variable("busy" if at % 2 else "goal"), "dash": DASHES[at], "width": 1.8},
            "marker": {"color": variable("busy" if at % 2 else "goal"), "size": 8},
        }
        for at, (name, versions) in enumerate(lines)
    ]
    return {"data": data, "layout": layout}
