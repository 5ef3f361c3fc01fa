"""The runs as a table of docs/measured/requests.md."""

from __future__ import annotations

from typing import Any

import numpy as np

BEGIN = "<!-- begin: written by ./build.sh bench latency -->"
END = "<!-- end -->"


_HEAD = (
    "fault",
    "requests/s",
    "runs",
    "answered",
    "tied",
    "outside the client's time",
    "client, ms",
    "Poolscope, ms",
    "error median, ms",
    "error p99, ms",
    "against the wire: requests",
    "median, ms",
    "p99, ms",
    "worst, ms",
    "explained",
    "parts off by",
)


def markdown(rows: list[dict[str, Any]], machine: str) -> str:
    """Returns medians over the runs of each fault and rate, with minimum and maximum."""
    lines = [
        f"{machine} Median of the runs, least and most in parentheses. *Client*: the load generator's mean latency of good "
        "answers; *Poolscope*: the mean of the same requests. *Error*: per request, the client's latency less Poolscope's, so "
        "with what the client itself took to send and to receive. *Against the wire*: Poolscope's latency less that between the packets on "
        "the loopback interface, absolute; of the given number of requests, over all runs. *Explained*: latency that is not `other`.",
        "",
        "| " + " | ".join(_HEAD) + " |",
        "| --- |" + " ---: |" * (len(_HEAD) - 1),
    ]
    for fault, rate in dict.fromkeys((row["fault"], row["rate"]) for row in rows):
        own = [row for row in rows if (row["fault"], row["rate"]) == (fault, rate)]
        answered, tied = sum(row["answered"] for row in own), sum(row["tied"] for row in own)
        lines.append(
            f"| `{fault}` | {rate} | {len(own)} | {answered:,} of {sum(row['requests'] for row in own):,} "
            f"| {tied:,} ({100 * tied / max(answered, 1):.1f} %) | {sum(row['outside'] for row in own)} "
            f"| {_span(own, 'client_ms')} | {_span(own, 'own_ms')} | {_span(own, 'error_median')} | {_span(own, 'error_p99')} "
            f"| {_wire(own)} "
            f"| {100 * min(row['explained'] for row in own):.1f} % | {max(row['residual_ns'] for row in own)} ns |"
        )
    return "\n".join(lines) + "\n"


def _wire(rows: list[dict[str, Any]]) -> str:
    """Returns the cells of the comparison with the wire. They mention packets that the tap lost, because requests are
    then missing."""
    seen = [row for row in rows if row.get("wire_of")]
    if not seen:
        return "| | |"
    lost = sum(row["wire_lost"] for row in seen)
    of = f"{sum(row['wire_of'] for row in seen):,}" + (f", {lost:,} packets lost" if lost else "")
    worst = max(row["wire_worst"] for row in seen)
    return f"{of} | {_span(seen, 'wire_median', 3)} | {_span(seen, 'wire_p99', 3)} | {worst:,.2f}"


def _span(rows: list[dict[str, Any]], key: str, small: int = 2) -> str:
    """Returns the median with minimum and maximum; `small` is the number of digits below 100."""
    values = [row[key] for row in rows if row["tied"]]
    if not values:
        return ""
    digits = small if np.median(values) < 100 else 0
    return f"{np.median(values):,.{digits}f} ({min(values):,.{digits}f} to {max(values):,.{digits}f})"
