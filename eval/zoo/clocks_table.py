"""The table of docs/measured/requests.md that compares the page with the clients' and servers' own clocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

BEGIN = "<!-- begin: written by python -m zoo.clocks -->"
END = "<!-- end of clocks -->"
NEAR_MS, NEAR_SHARE = 3.0, 0.05
"""Maximum difference between two clocks: 3 ms or 5 %, whichever is more."""
EXPLAINED = 0.95
COLUMNS = (
    "program",
    "runs",
    "answered",
    "clients, ms",
    "page, ms",
    "largest difference",
    "explained",
    "server, ms",
    "page's part, ms",
    "largest difference",
)

Row = Mapping[str, object]


def markdown(rows: Sequence[Row]) -> str:
    """Returns the summary, and a line for each program whose page has the requests that its clients got answers to."""
    same = [row for row in rows if row["answered"] and row["answered"] == row["page_answered"]]
    client = [(_ms(row, "client_ms"), _ms(row, "page_ms")) for row in same if row["page_ms"] is not None]
    server = [pair for row in same if (pair := _of_server(row)) is not None]
    explained = [_ms(row, "explained") for row in same if row["explained"] is not None]
    lines = [
        f"In {len(same)} of {len(rows)} runs the page has exactly the requests that the clients had answered; in the others it lacks one "
        "or two, or clients count something else (streams, hubs, downloads), or had no answer. "
        f"Mean latency within {NEAR_MS:g} ms or {100 * NEAR_SHARE:g} % of the clients' clocks: {_near(client)} of {len(client)} runs. A "
        f"part within that of the server's own clock: {_near(server)} of {len(server)} runs. At least {100 * EXPLAINED:g} % explained: "
        f"{sum(share >= EXPLAINED for share in explained)} of {len(explained)} runs; the others await timers or a connection, which no event "
        "shows. *Server*: time of PostgreSQL's statements for each request (`log_duration`), if all requests were answered, beside the "
        "page's waits for services; or what nginx waited for the program (`$upstream_response_time`), beside the page's latency. Means "
        "of the runs.",
        "",
        f"| {' | '.join(COLUMNS)} |",
        f"| --- | {' | '.join(['---:'] * (len(COLUMNS) - 1))} |",
    ]
    by_program: dict[str, list[Row]] = {}
    for row in same:
        if row["page_ms"] is not None:
            by_program.setdefault(program_of(str(row["run"])), []).append(row)
    return "\n".join([*lines, *(f"| {' | '.join(_cells(name, own))} |" for name, own in sorted(by_program.items()))])


def program_of(run: str) -> str:
    """Returns the program in a run's name: `pg-async` of pg-async-net10.0-launched-1."""
    return run.rsplit("-", 3)[0]


def _cells(name: str, rows: Sequence[Row]) -> list[str]:
    clients = [(_ms(row, "client_ms"), _ms(row, "page_ms")) for row in rows]
    server = [pair for row in rows if (pair := _of_server(row)) is not None]
    explained = [_ms(row, "explained") for row in rows if row["explained"] is not None]
    return [
        f"`{name}`",
        str(len(rows)),
        f"{sum(int(str(row['answered'])) for row in rows):,} of {sum(int(str(row['sent'])) for row in rows):,}",
        *_means(clients),
        f"{100 * median(explained):.1f} %" if explained else "",
        *(_means(server) if server else ["", "", ""]),
    ]


def _means(pairs: Sequence[tuple[float, float]]) -> list[str]:
    """Returns the mean of each clock, and the largest difference, in ms and as a share of the first clock."""
    own, page = (sum(pair[side] for pair in pairs) / len(pairs) for side in (0, 1))
    worst = max(pairs, key=lambda pair: abs(pair[1] - pair[0]))
    off = worst[1] - worst[0]
    return [f"{own:,.1f}", f"{page:,.1f}", f"{off:+.2f} ms ({100 * off / worst[0]:+.1f} %)"]


def _of_server(row: Row) -> tuple[float, float] | None:
    """Returns the server's mean and the page's; None if they cover different requests."""
    if row["server_ms"] is None:
        return None
    if row["server"] == "nginx":
        return _ms(row, "server_ms"), _ms(row, "page_ms")
    whole = row["sent"] == row["answered"] and row["services_ms"]
    return (_ms(row, "server_ms"), _ms(row, "services_ms")) if whole else None


def _near(pairs: Sequence[tuple[float, float]]) -> int:
    return sum(abs(page - own) <= max(NEAR_MS, NEAR_SHARE * own) for own, page in pairs)


def _ms(row: Row, name: str) -> float:
    return float(str(row[name]))
