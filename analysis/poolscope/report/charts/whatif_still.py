"""The curve of the what-if as a picture that needs no script: on paper, and where JavaScript is off."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypedDict, cast

WIDTH, HEIGHT = 720, 280
LEFT, RIGHT, TOP, BOTTOM = 58, 12, 30, 44
"""For the picture: room for the numbers and the titles of the axes."""
STEPS = (1, 2, 2.5, 5, 10)
LINES = 5
"""About this many horizontal lines."""


@dataclass(frozen=True)
class Curve:
    """One statistic over the minimum of threads. `path` is of an SVG, `colour` the name of a CSS variable."""

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
    """What the template draws: ticks with their places, curves and marks, in the picture's own coordinates."""

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
    """The drawn part of the figure that whatif.py makes."""

    data: list[_Trace]
    layout: _Layout


def whatif_still(figure: Mapping[str, object] | None) -> Still | None:
    """Returns the plotly figure of the curve as a still picture; None without one."""
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
