"""The watcher's memory, files, CPU and disk over time, with its captures, as a plot for the docs."""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 860, 110
"""Size of one curve in px; the curves are stacked."""
LEFT, TOP = 170, 24
INK, GRID, MARK = "#1f2933", "#d5dbe1", "#c2410c"


def svg(found: dict[str, Any]) -> str:
    """Draws the samples of `faults.run`, with a line at each fault."""
    samples = found["samples"]
    end = max(samples[-1]["at"], 1.0)
    curves = [
        ("memory, MB", [row["rss_mb"] for row in samples]),
        ("open files", [row["files"] for row in samples]),
        ("CPU, % of a core", _slopes(samples)),
        ("on the disk, MB", [row["disk_mb"] for row in samples]),
    ]
    total = TOP + len(curves) * HEIGHT + 30
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 20} {total}" font-family="sans-serif" font-size="13">',
        f'<rect width="100%" height="100%" fill="#ffffff"/><text x="{LEFT}" y="16" fill="{MARK}">lines: faults</text>',
    ]
    for number, (name, values) in enumerate(curves):
        parts += _curve(name, values, samples, end, TOP + number * HEIGHT)
    for fault in found["faults"]:
        x = LEFT + fault["at"] / end * WIDTH
        parts.append(f'<path d="M{x:.1f} {TOP}V{total - 30}" stroke="{MARK}" stroke-dasharray="3 3"/>')
    step = 60 if end < 900 else 120
    for second in range(0, int(end) + 1, step):
        x = LEFT + second / end * WIDTH
        parts.append(f'<text x="{x:.1f}" y="{total - 10}" text-anchor="middle" fill="{INK}">{second // 60} min</text>')
    return "\n".join([*parts, "</svg>", ""])


def _slopes(samples: list[dict[str, float]]) -> list[float]:
    """Averages CPU over ten samples, because the clock is too coarse for single ones."""
    values = []
    for i, row in enumerate(samples):
        before = samples[max(0, i - 10)]
        values.append(100 * (row["cpu_s"] - before["cpu_s"]) / max(row["at"] - before["at"], 1.0))
    return values


def _curve(name: str, values: list[float], samples: list[dict[str, float]], end: float, top: float) -> list[str]:
    highest = max(*values, 1e-9)
    bottom = top + HEIGHT - 16
    points = " ".join(
        f"{LEFT + row['at'] / end * WIDTH:.1f},{bottom - value / highest * (HEIGHT - 34):.1f}"
        for row, value in zip(samples, values, strict=True)
    )
    return [
        f'<text x="10" y="{top + 30}" fill="{INK}">{escape(name)}</text>',
        f'<text x="{LEFT - 8}" y="{top + 22}" text-anchor="end" fill="{INK}">{highest:.0f}</text>',
        f'<text x="{LEFT - 8}" y="{bottom}" text-anchor="end" fill="{INK}">0</text>',
        f'<path d="M{LEFT} {bottom}H{LEFT + WIDTH}" stroke="{GRID}"/>',
        f'<polyline fill="none" stroke="{INK}" stroke-width="1.3" points="{points}"/>',
    ]
