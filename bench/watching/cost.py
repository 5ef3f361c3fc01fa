"""The cost of watching a healthy service: pairs of stretches in one run, watched and not, in turn."""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path
from typing import Any

from .processes import Service, Watcher, usage

SETTLE_S = 5.0
"""Time in which the service compiles and the watcher takes its rundown, before a stretch counts."""
DB_MS = 20


def stretch(service: Service, rate: int, seconds: float, options: tuple[str, ...] | None) -> dict[str, Any]:
    """Loads the service for this long and measures it. `options` are the watcher's; None: without a watcher."""
    with tempfile.TemporaryDirectory(prefix="poolscope-watching-") as folder:
        watcher = None
        if options is not None:
            watcher = Watcher(service.pid, Path(folder) / "out", *options)
            watcher.wait_until_watching()
        load = service.load("/async", rate, seconds + 2 * SETTLE_S)
        time.sleep(SETTLE_S)
        begin, cpu = time.monotonic(), service.cpu_s()
        first = usage(watcher.pid) if watcher else None
        time.sleep(seconds)
        elapsed = time.monotonic() - begin
        row: dict[str, Any] = {
            "rate": rate,
            "watched": watcher is not None,
            "seconds": elapsed,
            "service": (service.cpu_s() - cpu) / elapsed,
        }
        if watcher is not None and first is not None:
            last = usage(watcher.pid)
            row["watcher"] = (last.cpu_s - first.cpu_s) / elapsed
            row["rss_mb"] = last.rss_mb
            row["written_mb_s"] = (last.written_mb - first.written_mb) / elapsed
            row["disk_mb"] = watcher.disk_mb()
        report = json.loads(load.communicate()[0])
        row["load"] = report.get("load", report)
        if watcher is not None:
            row["warnings"] = [line["message"] for line in watcher.events("warning")]
            row["exit"] = watcher.close()
        return row


def run(rates: tuple[int, ...], pairs: int, seconds: float, options: tuple[str, ...]) -> list[dict[str, Any]]:
    """Returns the results of a separate service for each rate; a first stretch does not count."""
    rows = []
    for rate in rates:
        service = Service(DB_MS)
        try:
            service.load("/async", rate, SETTLE_S).communicate()
            for pair in range(pairs):
                order = (None, options) if pair % 2 == 0 else (options, None)
                for chosen in order:
                    rows.append(stretch(service, rate, seconds, chosen))
                    print(json.dumps(rows[-1]), flush=True)
        finally:
            service.close()
    return rows
