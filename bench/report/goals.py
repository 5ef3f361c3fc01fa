"""The goals for the report of a large capture, and their table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MOST_PAGE_BYTES = 5_000_000
"""Most ticket systems and mail servers accept an attachment of 5 MB."""
MOST_READY_MS = 2_000
"""From navigation until every chart is drawn and the main thread is idle."""
MOST_ANALYSE_S = 120.0
"""CPU time of both cores together, so that other programs do not count. A user who has recorded for ten minutes waits
for two."""
MOST_PEAK_BYTES = 6_000_000_000
"""A notebook with 16 GB can spare as much."""
MOST_ZOOM_MS = 100
"""For one zoom step that redraws every visible chart, in the costliest part of the page: up to this time the response
feels immediate."""


@dataclass(frozen=True)
class Row:
    """One row of the table. `met` is None without a goal."""

    what: str
    value: str
    goal: str = ""
    met: bool | None = None


def rows(result: dict[str, Any]) -> list[Row]:
    """Returns one row for each figure of a result, those with a goal first."""
    made, seen = result["made"], result["opened"]
    found = [
        Row("page", f"{made['page_bytes'] / 1e6:.2f} MB", "at most 5 MB", made["page_bytes"] <= MOST_PAGE_BYTES),
        Row("two renderings", "identical" if made["same_bytes"] else "differ", "identical", made["same_bytes"]),
        Row(
            "analysis",
            f"{made['analyse_cpu_s']:.1f} s of processor time",
            f"under {MOST_ANALYSE_S:.0f} s",
            made["analyse_cpu_s"] < MOST_ANALYSE_S,
        ),
        Row(
            "peak memory",
            f"{made['peak_bytes'] / 1e9:.2f} GB",
            f"under {MOST_PEAK_BYTES / 1e9:.0f} GB",
            made["peak_bytes"] < MOST_PEAK_BYTES,
        ),
    ]
    if "missing" in seen:
        found.append(Row("in the browser", f"not measured: {', '.join(seen['missing'])} missing"))
    else:
        ready, zoom = seen["ready_ms"], seen["zoom_ms"]
        found += [
            Row("ready to use", f"{ready} ms", f"under {MOST_READY_MS} ms", ready < MOST_READY_MS),
            Row(
                "a step of a zoom",
                f"{zoom} ms (worst {seen['zoom_worst_ms']})",
                f"{MOST_ZOOM_MS} ms",
                zoom <= MOST_ZOOM_MS,
            ),
            Row("longest task while opening", f"{seen['longest_task_ms']} ms"),
        ]
    sizes: dict[str, int] = made["json_bytes"]
    largest = sorted(sizes.items(), key=lambda part: -part[1])[:3]
    return found + [
        Row("analysis on this machine", f"{made['analyse_s']:.1f} s"),
        Row("rendering", f"{made['render_s']:.2f} s"),
        Row("largest parts of analysis.json", ", ".join(f"{name} {size / 1e3:.0f} kB" for name, size in largest)),
    ]


def table(found: list[Row]) -> str:
    """Returns the rows in columns."""
    marks = {None: "", True: "met", False: "MISSED"}
    cells = [(row.what, row.value, row.goal, marks[row.met]) for row in found]
    widths = [max(len(cell[i]) for cell in cells) for i in range(4)]
    return "\n".join("  ".join(c.ljust(w) for c, w in zip(cell, widths)).rstrip() for cell in cells)
