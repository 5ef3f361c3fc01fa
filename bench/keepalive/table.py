"""The table of docs/measured/requests.md."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import Any

BEGIN = "<!-- begin: written by ./build.sh bench keepalive -->"
END = "<!-- end of keepalive -->"
COLUMNS = (
    "requests/s asked",
    "runs",
    "answered, bare",
    "answered, recorded",
    "added to the service, µs per request",
    "cores: service, load, recorder",
    "requests in the capture",
    "tied",
    "events lost",
    "MB/s",
)

Row = dict[str, Any]


def markdown(kept: Row) -> str:
    """Returns the machine, the explanation and the table."""
    by_rate: dict[int, list[Row]] = {}
    for row in kept["runs"]:
        by_rate.setdefault(row["rate"], []).append(row)
    told = kept["machine"]
    lines = [
        f"Measured on {told['date']}, {told['cores']} cores ({told['processor']}), Linux {told['kernel']}. The cores also carry the load, "
        "one thread with raw sockets, on 1,000 open connections that take turns. The service answers at once. Each run is bare, "
        "recorded, and bare again; a median of the runs, least and most in parentheses. *Tied*: requests whose bytes Poolscope found on the "
        "wire, of all that the web server reported.",
        "",
        f"| {' | '.join(COLUMNS)} |",
        f"| {' | '.join(['---:'] * len(COLUMNS))} |",
    ]
    lines += [f"| {' | '.join(_cells(rate, rows))} |" for rate, rows in sorted(by_rate.items())]
    return "\n".join(lines)


def _cells(rate: int, rows: list[Row]) -> list[str]:
    requests, tied = sum(row["requests"] for row in rows), sum(row["tied"] for row in rows)
    cores = [
        f"{median(row['recorded'][name] for row in rows):.2f}"
        for name in ("service_cores", "load_cores", "recorder_cores")
    ]
    return [
        f"{rate:,}",
        str(len(rows)),
        _range(rows, lambda row: _bare(row, "answers_per_s"), "{:,.0f}"),
        _range(rows, lambda row: float(row["recorded"]["answers_per_s"]), "{:,.0f}"),
        _range(
            rows,
            lambda row: float(row["recorded"]["service_us_per_request"]) - _bare(row, "service_us_per_request"),
            "{:.0f}",
        ),
        ", ".join(cores),
        f"{requests:,}",
        f"{tied:,} ({100 * tied / requests:.2f} %)",
        f"{sum(row['losses'] for row in rows):,}",
        _range(rows, lambda row: float(row["megabytes"]) / float(row["seconds"]), "{:.0f}"),
    ]


def _bare(row: Row, name: str) -> float:
    return float(sum(window[name] for window in row["bare"])) / len(row["bare"])


def _range(rows: list[Row], value: Callable[[Row], float], form: str) -> str:
    values = sorted(value(row) for row in rows)
    return f"{form.format(median(values))} ({form.format(values[0])} to {form.format(values[-1])})"
