"""Weeks of watching in a short time: slots end six times a second. No resource may grow, and no event may be lost at a
cut."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .processes import Service, Usage, Watcher, usage

BEFORE_S = 1.0
"""The minimum of `watch`; a slot is a sixth of it."""
SLOTS = 6
RATE = 50


def run(rotations: int, service: Service) -> dict[str, Any]:
    """Watches a loaded service for this many slots. Returns the resources of watcher and service each second, and their
    reported losses."""
    most = 4 * rotations * BEFORE_S / SLOTS
    with tempfile.TemporaryDirectory(prefix="poolscope-watching-") as folder:
        watcher = Watcher(service.pid, Path(folder) / "out", "--before", "1s", "--after", "1s", "--when", "wait>60s")
        watcher.wait_until_watching()
        load = service.load("/async", RATE, most)
        rows: list[tuple[Usage, Usage, float]] = []
        end = time.monotonic() + most
        highest = 0
        while highest < rotations and time.monotonic() < end:
            rows.append((usage(watcher.pid), usage(service.pid), watcher.disk_mb()))
            names = [path.name for path in watcher.folder.glob(".recording-[0-9]*")]
            highest = max([highest, *(int(name.rsplit("-", 1)[1]) for name in names)])
            time.sleep(1.0)
        load.terminate()
        load.wait()
        lost = max(int(line.get("lost", 0)) for line in watcher.lines if "state" in line)
        warnings = [line["message"] for line in watcher.events("warning")]
        code = watcher.close()
        left = [path.name for path in watcher.folder.parent.iterdir()]
        return {"rows": rows, "slots": highest, "lost": lost, "warnings": warnings, "exit": code, "left": left}


COLUMNS: dict[str, Callable[[tuple[Usage, Usage, float]], float]] = {
    "watcher_rss_mb": lambda row: row[0].rss_mb,
    "watcher_files": lambda row: row[0].files,
    "watcher_threads": lambda row: row[0].threads,
    "service_rss_mb": lambda row: row[1].rss_mb,
    "service_files": lambda row: row[1].files,
    "service_threads": lambda row: row[1].threads,
    "disk_mb": lambda row: row[2],
}


def curves(found: dict[str, Any]) -> dict[str, list[float]]:
    """Returns every second's figures, a list for each column."""
    return {name: [round(value(row), 1) for row in found["rows"]] for name, value in COLUMNS.items()}


def summary(found: dict[str, Any]) -> dict[str, Any]:
    """Returns medians of the second tenth and of the last one. The first tenth compiles code and allocates buffers."""

    def at(tenth: int, value: Any) -> float:
        rows = found["rows"]
        part = sorted(value(row) for row in rows[len(rows) * tenth // 10 : len(rows) * (tenth + 1) // 10])
        return round(float(part[len(part) // 2]), 1)

    return {name: (at(1, value), at(9, value)) for name, value in COLUMNS.items()} | {
        key: found[key] for key in ("slots", "lost", "warnings", "exit", "left")
    }
