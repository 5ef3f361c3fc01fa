"""Wait and completion against the minimum of threads, with the present minimum and the knee marked; also as a picture
that needs no script."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypedDict, cast

from poolscope.contract.analysis_json import AnalysisJson, WhatIfRowJson
from poolscope.html.chart_style import axis, base_layout, count_axis, variable
from poolscope.html.escape import plotly_text
from poolscope.html.formatting import duration
from poolscope.report.sections.whatif import MISFIT

CURVES: tuple[tuple[Literal["completion_ms", "wait_ms"], str, str, str, str, str], ...] = (
    ("completion_ms", "mean", "mean enqueue to end", "goal", "solid", "square"),
    ("wait_ms", "p99", "p99 wait", "threads", "dot", "diamond"),
    ("wait_ms", "mean", "mean wait", "busy", "solid", "circle"),
)
"""Key, statistic, words, colour, dash and marker of each curve."""
TICKS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000]


def whatif_figure(analysis: AnalysisJson) -> dict[str, object] | None:
    """Draws the sweep. Returns None if fewer than two points end."""
    what_if = analysis["what_if"]
    if what_if is None or what_if["calibration"]["confidence"] == MISFIT:
        return None
    rows = [r for r in what_if["rows"] if r["group"] == "min-threads"]
    rows = [r for r in rows if r["completion_ms"]["mean"] is not None and r["wait_ms"]["p99"] is not None]
    if len(rows) < 2:
        return None
    longest = max(max(r["completion_ms"]["mean"] or 0.0, r["wait_ms"]["p99"] or 0.0) for r in rows)
    unit, scale = ("seconds", 1e3) if longest >= 2000 else ("milliseconds", 1.0)
    layout = base_layout(analysis["capture"]["seconds"], 240)
    layout["meta"] = "own-axis"  # not time: page.js does not zoom it with the others
    threads = [r["setting"]["min_threads"] or 0 for r in rows]
    layout["xaxis"] = {
        **axis("minimum of threads"),
        "type": "log",
        "tickvals": [t for t in TICKS if threads[0] <= t <= threads[-1]],
        "fixedrange": True,
    }
    layout["yaxis"] = count_axis(unit)
    present = what_if["captured"]["min_threads"]
    marks = [(present, f"now: {present:,}", "dash", "muted", 1.0)]
    if what_if["knee"] is not None and what_if["knee"] != present:
        marks.append((what_if["knee"], f"knee: {what_if['knee']:,}", "solid", "good", 0.9))
    elif what_if["knee"] == present:
        marks = [(present, f"now, and the knee: {present:,}", "solid", "good", 1.0)]
    layout["shapes"] = [_line(at, dash, colour) for at, _, dash, colour, _ in marks]
    layout["annotations"] = [_label(at, text, threads, height) for at, text, _, _, height in marks]
    data: list[dict[str, object]] = []
    for key, statistic, words, colour, dash, symbol in CURVES:
        data += _curve(rows, threads, scale, key, statistic, words, colour, dash, symbol)
    return {"data": data, "layout": layout}


def _curve(
    rows: list[WhatIfRowJson],
    threads: list[int],
    scale: float,
    key: Literal["completion_ms", "wait_ms"],
    statistic: str,
    words: str,
    colour: str,
    dash: str,
    symbol: str,
) -> list[dict[str, object]]:
    """Returns a curve with the range of its runs as bars."""
    ranges = [r["interval_ms"][f"{key.removesuffix('_ms')}_{statistic}"] for r in rows]
    values = [r[key][statistic] or 0.0 for r in rows]
    return [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": words,
            "x": threads,
            "y": [v / scale for v in values],
            "text": [plotly_text(duration(v)) for v in values],
            "error_y": {
                "type": "data",
                "symmetric": False,
                "array": [((high if high is not None else v) - v) / scale for (_, high), v in zip(ranges, values)],
                "arrayminus": [(v - (low if low is not None else v)) / scale for (low, _), v in zip(ranges, values)],
                "thickness": 1,
                "width": 3,
                "color": variable(colour),
            },
            "line": {"dash": dash, "width": 1.8, "color": variable(colour)},
            "marker": {"symbol": symbol, "size": 7, "color": variable(colour)},
            "hovertemplate": f"minimum of %{{x:,}}: {words} %{{text}}<extra></extra>",
        }
    ]


def _line(at: int, dash: str, colour: str) -> dict[str, object]:
    return {
        "type": "line",
        "x0": at,
        "x1": at,
        "xref": "x",
        "y0": 0,
        "y1": 1,
        "yref": "paper",
        "line": {"dash": dash, "width": 1.5, "color": variable(colour)},
    }


def _label(at: int, text: str, threads: list[int], height: float) -> dict[str, object]:
    """Returns a label beside its line, on the side that has room. Annotations on a logarithmic axis are placed by
    exponent."""
    left = at * at > threads[0] * threads[-1]
    return {
        "x": math.log10(at),
        "xref": "x",
        "y": height,
        "yref": "paper",
        "xanchor": "right" if left else "left",
        "yanchor": "top",
        "text": f" {plotly_text(text)} ",
        "showarrow": False,
        "font": {"size": 12, "color": variable("ink")},
        "bgcolor": variable("card"),
    }


WIDTH, HEIGHT = 720, 280
LEFT, RIGHT, TOP, BOTTOM = 58, 12, 30, 44
"""The margins of the picture, for the numbers and titles of the axes."""
STEPS = (1, 2, 2.5, 5, 10)
LINES = 5
"""The approximate number of horizontal lines."""


@dataclass(frozen=True)
class Curve:
    """One statistic over the minimum of threads. `path` is an SVG path, `colour` the name of a CSS variable."""

    words: str
    path: str
    dots: list[tuple[float, float]]
    colour: str
    dash: str


@dataclass(frozen=True)
class Mark:
    """A vertical line with its label."""

    x: float
    label: str
    left: bool
    y: float


@dataclass(frozen=True)
class Still:
    """The input of the template: ticks with their places, curves and marks, in the picture's own coordinates."""

    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int
    across: list[tuple[float, str]]
    up: list[tuple[float, str]]
    unit: str
    curves: list[Curve]
    marks: list[Mark]


class _Line(TypedDict):
    color: str
    dash: str


class _Trace(TypedDict):
    name: str
    x: list[int]
    y: list[float]
    line: _Line


class _Ticks(TypedDict):
    tickvals: list[int]


class _Title(TypedDict):
    text: str


class _Titled(TypedDict):
    title: _Title


class _Shape(TypedDict):
    x0: float


class _Label(TypedDict):
    text: str
    xanchor: str


class _Layout(TypedDict):
    xaxis: _Ticks
    yaxis: _Titled
    shapes: list[_Shape]
    annotations: list[_Label]


class _Figure(TypedDict):
    """The part of the result of `whatif_figure` that is drawn."""

    data: list[_Trace]
    layout: _Layout


def whatif_still(figure: Mapping[str, object] | None) -> Still | None:
    """Returns the plotly figure of the curve as a still picture, or None without a figure."""
    if figure is None:
        return None
    drawn = cast(_Figure, figure)
    data, layout = drawn["data"], drawn["layout"]
    threads = data[0]["x"]
    low, high = math.log10(threads[0]), math.log10(threads[-1])
    highest: float = max(max(curve["y"]) for curve in data)
    step = _step(highest)
    most = step * max(math.ceil(highest / step), 1)

    def x(at: float) -> float:
        share: float = (math.log10(at) - low) / (high - low) if high > low else 0.5
        return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)

    def y(at: float) -> float:
        return round(HEIGHT - BOTTOM - at / most * (HEIGHT - TOP - BOTTOM), 1)

    return Still(
        width=WIDTH,
        height=HEIGHT,
        left=LEFT,
        right=WIDTH - RIGHT,
        top=TOP,
        bottom=HEIGHT - BOTTOM,
        across=[(x(at), f"{at:,}") for at in layout["xaxis"]["tickvals"]],
        up=[(y(i * step), f"{i * step:,g}") for i in range(round(most / step) + 1)],
        unit=layout["yaxis"]["title"]["text"],
        curves=[
            Curve(
                words=curve["name"],
                path="M" + "L".join(f"{x(a)} {y(b)}" for a, b in zip(curve["x"], curve["y"], strict=True)),
                dots=[(x(a), y(b)) for a, b in zip(curve["x"], curve["y"], strict=True)],
                colour=curve["line"]["color"],
                dash="2 4" if curve["line"]["dash"] == "dot" else "none",
            )
            for curve in data
        ],
        marks=[
            Mark(x(line["x0"]), label["text"].strip(), label["xanchor"] == "right", TOP + 12 + 16 * number)
            for number, (line, label) in enumerate(zip(layout["shapes"], layout["annotations"], strict=True))
        ],
    )


def _step(most: float) -> float:
    """Returns a round distance between lines, for about LINES of them up to `most`."""
    if most <= 0:
        return 1.0
    power: float = 10.0 ** math.floor(math.log10(most / LINES))
    return next(step * power for step in STEPS if step * power * LINES >= most * 0.999)
