"""The runs as a table of docs/requests.md."""

from __future__ import annotations

from typing import Any

import numpy as np

BEGIN = "<!-- begin: written by ./build.sh bench latency -->"
END = "<!-- end -->"


def markdown(rows: list[dict[str, Any]], machine: str) -> str:
    """Medians over the runs of each fault and rate, with least and most."""
    lines = [
        f"{machine} Median of the runs, least and most in parentheses. *Client*: the load generator's mean latency of good "
        "answers; *Poolscope*: the mean of the same requests. *Error*: per request, the client's latency less Poolscope's, so "
        "with what the client itself took to send and to receive. *Explained*: latency that is not `other`.",
        "",
        "| fault | requests/s | runs | answered | tied | outside the client's time | client, ms | Poolscope, ms | error median, ms | error p99, ms | explained | parts off by |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for fault, rate in dict.fromkeys((row["fault"], row["rate"]) for row in rows):
        own = [row for row in rows if (row["fault"], row["rate"]) == (fault, rate)]
        answered, tied = sum(row["answered"] for row in own), sum(row["tied"] for row in own)
        lines.append(
            f"| `{fault}` | {rate} | {len(own)} | {answered:,} of {sum(row['requests'] for row in own):,} "
            f"| {tied:,} ({100 * tied / max(answered, 1):.1f} %) | {sum(row['outside'] for row in own)} "
            f"| {_span(own, 'client_ms')} | {_span(own, 'own_ms')} | {_span(own, 'error_median')} | {_span(own, 'error_p99')} "
            f"| {100 * min(row['explained'] for row in own):.1f} % | {max(row['residual_ns'] for row in own)} ns |"
        )
    return "\n".join(lines) + "\n"


def _span(rows: list[dict[str, Any]], key: str) -> str:
    values = [row[key] for row in rows if row["tied"]]
    if not values:
        return ""
    digits = 2 if np.median(values) < 100 else 0
    return f"{np.median(values):,.{digits}f} ({min(values):,.{digits}f} to {max(values):,.{digits}f})"
