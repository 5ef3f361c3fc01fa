"""The growth of the analysis as a plot. Both axes are logarithmic, so that a straight line of slope 1 means "twice the
items, twice the time"."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 64, 170, 24, 48
COLOURS = ("#1f5fa8", "#b3541e", "#4a7c3a")


def drawn(series: Mapping[str, Mapping[int, float]], x_title: str, y_title: str) -> str:
    """Returns an SVG of lines over a number of items.

    `series` maps each line's name to its values, above 0, by number of items. The same series give the same bytes.
    """
    xs = sorted({x for line in series.values() for x in line})
    values = [y for line in series.values() for y in line.values()]
    if not xs or min(values) <= 0:
        raise ValueError("a logarithmic plot needs values above 0")
    x_ends = _decades(xs)
    y_ends = _decades(values)

    def at(x: float, y: float) -> tuple[float, float]:
        return (
            LEFT + (math.log10(x) - x_ends[0]) / (x_ends[1] - x_ends[0]) * (WIDTH - LEFT - RIGHT),
            HEIGHT - BOTTOM - (math.log10(y) - y_ends[0]) / (y_ends[1] - y_ends[0]) * (HEIGHT - TOP - BOTTOM),
        )

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13" fill="#222">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
    ]
    for power in range(x_ends[0], x_ends[1] + 1):
        x, low = at(10.0**power, 10.0 ** y_ends[0])
        parts += [_line(x, TOP, x, low, "#ddd"), _text(x, low + 20, _number(power), "middle")]
    for power in range(y_ends[0], y_ends[1] + 1):
        left, y = at(10.0 ** x_ends[0], 10.0**power)
        parts += [_line(left, y, WIDTH - RIGHT, y, "#ddd"), _text(left - 8, y + 4, _number(power), "end")]
    for colour, (name, line) in zip(COLOURS, series.items()):
        points = [at(x, y) for x, y in sorted(line.items())]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>' for x, y in points]
        parts.append(_text(points[-1][0] + 10, points[-1][1] + 4, name, "start", colour))
    parts += [
        _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, x_title, "middle"),
        _text(LEFT, TOP - 8, y_title, "middle"),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _decades(values: Sequence[float]) -> tuple[int, int]:
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def _number(power: int) -> str:
    return f"{10**power:,}" if power >= 0 else f"{10.0**power:g}"


def _line(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'


def _text(x: float, y: float, text: str, anchor: str, colour: str = "#222") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{text}</text>'
