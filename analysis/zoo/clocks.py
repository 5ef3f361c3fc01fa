"""What the page says of requests beside what clients and servers saw themselves: `python -m zoo.clocks CAPTURES ANALYSES`.

Clients' lines are RUN.clients.csv, servers' RUN.SERVER.log beside the captures (zoo/servers.py). Means are of what was
answered. A client's clock begins before the request is on the wire, so it is a little later on each request.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

CLIENTS = ".clients.csv"
NS_PER_MS = 1e6
POSTGRES = re.compile(r"duration: ([\d.]+) ms")
NGINX = re.compile(r"^[\d.]+ (?P<request>[\d.]+) (?P<upstream>[\d.]+) 200 ", re.MULTILINE)


@dataclass(frozen=True)
class Clocks:
    """One run. Times in ms, None if nobody says."""

    run: str
    sent: int
    answered: int
    client_ms: float | None
    """Mean of the clients' own clocks."""
    page_requests: int | None
    """Requests, or calls if there are no requests, that the page counts."""
    page_ms: float | None
    """Mean latency on the page."""
    services_ms: float | None
    """Of that, what the page has as waiting for other services."""
    server_ms: float | None
    """What the server says: PostgreSQL the time of its statements for each answered request, nginx the mean of what it
    waited for the program."""


def clocks(log: Path, analyses: Path) -> Clocks:
    """Reads a run's clients, server and page. Raises OSError where the analysis is not kept."""
    run = log.name.removesuffix(CLIENTS)
    page = json.loads((analyses / f"{run}.json").read_text("utf-8"))
    told = page["requests"] or page["calls"]
    parts = (page["requests"] or {}).get("parts_ms") or {}
    clients = pd.read_csv(log, names=["process", "path", "begun", "ended"])
    done = clients[clients.ended > 0]
    return Clocks(
        run=run,
        sent=len(clients),
        answered=len(done),
        client_ms=float((done.ended - done.begun).mean() / NS_PER_MS) if len(done) else None,
        page_requests=told["count"] if told else None,
        page_ms=told["latency_ms"]["mean"] if told and told["latency_ms"] else None,
        services_ms=parts.get("services"),
        server_ms=_server(log.with_name(run), len(done)),
    )


def _server(run: Path, answered: int) -> float | None:
    for name in ("postgres", "nginx"):
        file = run.with_name(f"{run.name}.{name}.log")
        if not file.is_file() or not answered:
            continue
        text = file.read_text("utf-8", "replace")
        if name == "postgres":
            return sum(map(float, POSTGRES.findall(text))) / answered
        waits = [float(found["upstream"]) * 1000 for found in NGINX.finditer(text)]
        return sum(waits) / len(waits) if waits else None
    return None


def main(captures: Path, analyses: Path) -> None:
    """Prints a table of all runs whose page is kept."""
    rows = [
        clocks(log, analyses)
        for log in sorted(captures.glob(f"*{CLIENTS}"))
        if (analyses / f"{log.name.removesuffix(CLIENTS)}.json").is_file()
    ]
    print(pd.DataFrame(rows).to_string(index=False, float_format="{:.1f}".format))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
