"""A row of the benchmark: Poolscope's figure and a peer's, and the greatest acceptable ratio of the two."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any


def row(
    name: str, ours: Sequence[float], peer: Sequence[float], peer_name: str, unit: str, goal: float | None
) -> dict[str, Any]:
    """Makes one row of reports/decode.json. `name` is STREAM.FIGURE. `ours` and `peer` have one value for each run, or
    for each pair if their lengths are equal; the row has their medians, minima and maxima. `goal` is the greatest ratio
    ours / peer, or None."""
    middle, other = statistics.median(ours), statistics.median(peer)
    # The ratio is taken pair by pair, because other work on the machine affects both values of a pair.
    ratios = [a / b for a, b in zip(ours, peer)] if len(ours) == len(peer) else [middle / other]
    ratio = statistics.median(ratios)
    return {
        "id": name,
        "ours": round(middle, 3),
        "peer": round(other, 3),
        "peer_name": peer_name,
        "unit": unit,
        "ratio": round(ratio, 3),
        "goal": goal,
        "met": None if goal is None else ratio <= goal,
        "ours_spread": [round(min(ours), 3), round(max(ours), 3)],
        "peer_spread": [round(min(peer), 3), round(max(peer), 3)],
        "ratio_spread": [round(min(ratios), 3), round(max(ratios), 3)],
        "runs": len(ours),
    }


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Returns the rows in columns."""
    cells = [["figure", "ours", "peer", "ours / peer", "goal", ""]]
    for found in rows:
        low, high = found["ratio_spread"]
        goal = found["goal"]
        cells.append(
            [
                found["id"],
                f"{found['ours']:.2f} {found['unit']}",
                f"{found['peer']:.2f} {found['unit']} ({found['peer_name']})",
                f"{found['ratio']:.2f} ({low:.2f} to {high:.2f})",
                "" if goal is None else f"at most {goal:.2f}",
                {None: "", True: "met", False: "MISSED"}[found["met"]],
            ]
        )
    widths = [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]
    return "\n".join("  ".join(c.ljust(w) for c, w in zip(line, widths)).rstrip() for line in cells)
