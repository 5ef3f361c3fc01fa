"""Compares the page's figures for requests with the clients' and servers' own clocks: `python -m zoo.clocks CAPTURES
ANALYSES [--write]`.

Clients' lines are in RUN.clients.csv and servers' in RUN.SERVER.log beside the captures (zoo/servers.py). Means are
over answered requests. A client's clock begins before the request is on the wire and ends after its answer's last byte,
so it shows slightly more. `--write` stores the figures in docs/measured/clocks.json, and the table in
docs/measured/requests.md.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import pandas as pd

from poolscope.base.files import write_text
from poolscope.contract.analysis_json import AnalysisJson
from poolscope.findings.finding import PLACE_WORDS
from zoo.clocks_table import BEGIN, END, markdown

MEASURED = Path(__file__).resolve().parents[2] / "docs" / "measured"
CLIENTS = ".clients.csv"
NS_PER_MS = 1e6
POSTGRES = re.compile(r"duration: ([\d.]+) ms")
NGINX = re.compile(r"^[\d.]+ (?P<request>[\d.]+) (?P<upstream>[\d.]+) 200 ", re.MULTILINE)


@dataclass(frozen=True)
class Clocks:
    """One run. Times in ms, None if no clock has them."""

    run: str
    verdict: str
    sent: int
    answered: int
    client_ms: float | None
    """Mean of the clients' own clocks."""
    page_answered: int | None
    """Answered requests on the page, or calls if it has no requests."""
    page_ms: float | None
    """Their mean latency on the page."""
    explained: float | None
    """Share of that latency that the page assigns to a part, or its verdict to a place, 0..1; None for calls."""
    services_ms: float | None
    """The part of that latency that the page shows as a wait for other services."""
    server_ms: float | None
    """The server's own figure: for PostgreSQL the time of its statements per answered request, for nginx its mean wait
    for the program."""
    server: str | None
    """postgres or nginx."""


def clocks(log: Path, analyses: Path) -> Clocks:
    """Reads a run's clients, server and page. Raises OSError if the analysis is not kept."""
    run = log.name.removesuffix(CLIENTS)
    page: AnalysisJson = json.loads((analyses / f"{run}.json").read_text("utf-8"))
    clients = pd.read_csv(log, names=["process", "path", "begun", "ended"])
    done = clients[clients.ended > 0]
    server, server_ms = _server(log.with_name(run), len(done))
    answered, mean, explained, services = _page(page)
    return Clocks(
        run=run,
        verdict=page["verdict"]["id"],
        sent=len(clients),
        answered=len(done),
        client_ms=float((done.ended - done.begun).mean() / NS_PER_MS) if len(done) else None,
        page_answered=answered,
        page_ms=mean,
        explained=explained,
        services_ms=services,
        server_ms=server_ms,
        server=server,
    )


def _page(page: AnalysisJson) -> tuple[int | None, float | None, float | None, float | None]:
    """Returns the number of answered requests, their mean latency, its explained share, and their wait for services."""
    requests, calls = page["requests"], page["calls"]
    if requests is None:
        return (None, None, None, None) if calls is None else (calls["count"], calls["latency_ms"]["mean"], None, None)
    parts = requests["parts_ms"]
    if parts is None or not requests["answered"]:
        return requests["answered"], None, None, None
    mean = sum(float(str(part)) for part in parts.values())
    # A place is known without an event of the request's own, such as the silence of a service.
    places = [
        f["item_seconds"] for f in page["findings"] if f["id"] == page["verdict"]["id"] and f["id"] in PLACE_WORDS
    ]
    dark = max(parts["other"] - 1e3 * sum(places) / requests["answered"], 0.0)
    return requests["answered"], mean, 1.0 - dark / mean if mean else None, parts["services"]


def _server(run: Path, answered: int) -> tuple[str | None, float | None]:
    for name in ("postgres", "nginx"):
        file = run.with_name(f"{run.name}.{name}.log")
        if not file.is_file() or not answered:
            continue
        text = file.read_text("utf-8", "replace")
        if name == "postgres":
            return name, sum(map(float, POSTGRES.findall(text))) / answered
        waits = [float(found["upstream"]) * 1000 for found in NGINX.finditer(text)]
        return name, sum(waits) / len(waits) if waits else None
    return None, None


def main(captures: Path, analyses: Path, write: bool = False) -> None:
    """Prints a table of all runs with a kept page."""
    rows = [
        clocks(log, analyses)
        for log in sorted(captures.glob(f"*{CLIENTS}"))
        if (analyses / f"{log.name.removesuffix(CLIENTS)}.json").is_file()
    ]
    print(pd.DataFrame(rows).to_string(index=False, float_format="{:.2f}".format))
    if write:
        told = [asdict(row) for row in rows]
        write_text(MEASURED / "clocks.json", json.dumps(told, indent=1) + "\n")
        page = MEASURED / "requests.md"
        text = page.read_text("utf-8")
        first, last = text.index(BEGIN) + len(BEGIN), text.index(END)
        write_text(page, f"{text[:first]}\n\n{markdown(told)}\n\n{text[last:]}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), "--write" in sys.argv[3:])
