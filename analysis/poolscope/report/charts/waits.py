"""Waits over time, each item by the cause of most of its wait, and their distribution with its percentiles."""

from __future__ import annotations

import math
from typing import Literal

from poolscope.contract.analysis_json import AnalysisJson, DistributionJson, SummaryJson, WaitsJson
from poolscope.html.chart_style import (
    FLOOR_MS,
    SHAPES,
    SYMBOLS,
    TICKS_MS,
    axis,
    bar_marker,
    base_layout,
    count_axis,
    time_axis,
    variable,
)
from poolscope.html.escape import plotly_text
from poolscope.html.formatting import AT_LEAST, counted, duration
from poolscope.product.causes import BINS_PER_DECADE, CAUSE_WORDS

PERCENTILES: tuple[Literal["p50", "p90", "p99", "max"], ...] = ("p50", "p90", "p99", "max")
LABEL_HEIGHT = 0.085
"""A share of the chart's height. Labels of percentiles that lie close together are placed below each other."""
HEADROOM = 1 / (1 - len(PERCENTILES) * LABEL_HEIGHT)
"""The factor for the axis over the highest bar, which makes room for the labels."""


def distribution_figure(analysis: AnalysisJson) -> dict[str, object] | None:
    """Draws the histogram of waits. Returns None without items.

    The axis is linear in log10 of ms, because bars on a logarithmic axis have uneven widths.
    """
    distribution = analysis["timeline"]["distribution"]
    if distribution is None:
        return None
    low = math.log10(distribution["from_ms"][0])
    high = math.log10(distribution["to_ms"][-1])
    layout = base_layout(analysis["capture"]["seconds"], 320)
    layout |= {"meta": "own-axis", "barmode": "stack", "bargap": 0.04}
    layout["xaxis"] = time_axis(analysis["capture"]["seconds"], "wait before start") | {
        "range": [low - 0.1, high + 0.1],
        "tickvals": [math.log10(ms) for ms in TICKS_MS],
        "ticktext": list(TICKS_MS.values()),
        "fixedrange": True,
    }
    highest = max(map(sum, zip(*distribution["items"].values())))
    layout["yaxis"] = count_axis("items") | {"range": [0, highest * HEADROOM]}
    layout["dragmode"] = False
    overall = distribution["percentiles"][0]["wait_ms"]
    layout["shapes"], layout["annotations"] = _marks(overall)
    return {"data": [_bars(distribution, cause, low) for cause in distribution["items"]], "layout": layout}


def _bars(distribution: DistributionJson, cause: str, low: float) -> dict[str, object]:
    counts = distribution["items"][cause]
    kept = [i for i, number in enumerate(counts) if number]
    ranges = [
        f"{duration(distribution['from_ms'][i])} to {duration(distribution['to_ms'][i])}"
        + (f" ({counted(distribution['at_least'][i], 'lower bound')})" if distribution["at_least"][i] else "")
        for i in kept
    ]
    return {
        "type": "bar",
        "name": f"{SHAPES[cause]} {CAUSE_WORDS[cause]}",
        "x": [round(low + (i + 0.5) / BINS_PER_DECADE, 4) for i in kept],
        "y": [counts[i] for i in kept],
        "width": 1 / BINS_PER_DECADE,
        "text": ranges,
        "textposition": "none",
        "hovertemplate": f"%{{y:,}} mainly {CAUSE_WORDS[cause]}<br>waited %{{text}}<extra></extra>",
        "marker": bar_marker(cause),
    }


def _marks(wait_ms: SummaryJson) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """Returns a line and a label for each percentile. Neighbouring labels have different heights."""
    shapes: list[dict[str, object]] = []
    labels: list[dict[str, object]] = []
    for row, name in enumerate(PERCENTILES):
        at = round(math.log10(max(wait_ms[name] or 0.0, min(TICKS_MS))), 4)
        shapes.append(
            {
                "type": "line", "xref": "x", "yref": "paper", "x0": at, "x1": at, "y0": 0, "y1": 1 - row * LABEL_HEIGHT,
                "line": {"width": 1.4, "dash": "dot", "color": variable("ink")},
            }
        )  # fmt: skip
        labels.append(
            {
                "xref": "x", "yref": "paper", "x": at, "y": 1 - row * LABEL_HEIGHT, "xanchor": "right", "yanchor": "top",
                "showarrow": False, "text": f"{name} {duration(wait_ms[name], name in wait_ms['at_least'])}",
                "font": {"size": 11, "color": variable("ink")}, "bgcolor": variable("card"), "borderpad": 1,
            }
        )  # fmt: skip
    return shapes, labels


def waits_figure(analysis: AnalysisJson) -> dict[str, object] | None:
    """Returns a scatter of wait against time of enqueue, or None without items."""
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
