"""A row of the benchmark: our figure against a peer's, and the greatest ratio of the two that is good enough."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any


def row(
    name: str, ours: Sequence[float], peer: Sequence[float], peer_name: str, unit: str, goal: float | None
) -> dict[str, Any]:
    """Makes one row of reports/decode.json. `name` is STREAM.FIGURE. `ours` and `peer` have one value of each run, or
    of each pair if they are as many; the row has their medians, lowest and highest. `goal` is the greatest ratio ours /
    peer; None if there is none."""
    middle, other = statistics.median(ours), statistics.median(peer)
    # Of pairs the ratio of each: what else the machine did meanwhile hit both.
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
