"""The cost of looks for the clients of a web service: pairs of stretches in one run, with and without looks, in
turn."""

from __future__ import annotations

import csv
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from seeds.pressure import pressure_now
from watching.processes import Service

from .targets import COLLECT

DB_MS = 20
GOOD = "ok"
"""The outcome of an answered request."""
SETTLE_S = 3.0
"""Time in which the service compiles and the load starts before the first look."""
EVERY_S = 0.9
"""Time between the starts of two looks, unless a look takes longer."""


def stretch(service: Service, rate: int, looks: int, is_looked_at: bool, seed: int) -> dict[str, Any]:
    """Loads the service for the duration of the looks, and measures the clients' times."""
    seconds = SETTLE_S + looks * 1.15
    pressure = pressure_now()
    with tempfile.TemporaryDirectory(prefix="poolscope-look-") as folder:
        log = Path(folder) / "log.csv"
        load = service.load("/async", rate, seconds, seed, log)
        time.sleep(SETTLE_S)
        taken = refused = 0
        end = time.monotonic() + seconds - SETTLE_S
        while is_looked_at and taken < looks and time.monotonic() < end:
            due = time.monotonic() + EVERY_S
            command = [str(COLLECT), "look", "-p", str(service.pid), "--json"]
            done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            taken += 1
            refused += done.returncode != 0
            time.sleep(max(0.0, due - time.monotonic()))
        load.communicate()
        times = latencies(log.read_text("utf-8"), SETTLE_S)
    return {
        "looks": taken,
        "refused": refused,
        "pressure": round(pressure, 1),
        "requests": len(times),
        "p50_ms": quantile(times, 0.5),
        "p99_ms": quantile(times, 0.99),
        "max_ms": times[-1],
    }


def latencies(text: str, after_s: float) -> list[float]:
    """Returns the sorted ms of each good answer, counted from when its request was due. Skips requests due less than
    `after_s` after the first one."""
    rows = [row for row in csv.DictReader(text.splitlines()) if row["outcome"] == GOOD]
    first = min(int(row["intended"]) for row in rows) + after_s * 1e9
    return sorted((int(row["ended"]) - int(row["intended"])) / 1e6 for row in rows if int(row["intended"]) >= first)


def quantile(ordered: list[float], share: float) -> float:
    """Returns the value that this share of the sorted values does not exceed."""
    return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))], 2)


def run(rate: int, pairs: int, looks: int, seed: int) -> Iterator[dict[str, Any]]:
    """Measures one service, with a first stretch that does not count. The same seed gives both stretches of a pair the
    same arrivals."""
    service = Service(DB_MS)
    try:
        service.load("/async", rate, SETTLE_S).communicate()
        for pair in range(pairs):
            row: dict[str, Any] = {"rate": rate, "pair": pair}
            for is_looked_at in (False, True) if pair % 2 == 0 else (True, False):
                row["looked_at" if is_looked_at else "alone"] = stretch(service, rate, looks, is_looked_at, seed + pair)
            yield row
    finally:
        service.close()


def totals(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Returns the paired differences of the 99th percentile: median, minimum and maximum."""
    changes = sorted(round(row["looked_at"]["p99_ms"] - row["alone"]["p99_ms"], 2) for row in rows)
    alone = sorted(row["alone"]["p99_ms"] for row in rows)
    return {
        "pairs": len(rows),
        "looks": sum(row["looked_at"]["looks"] for row in rows),
        "refused": sum(row["looked_at"]["refused"] for row in rows),
        "requests": sum(row[key]["requests"] for row in rows for key in ("alone", "looked_at")),
        "p99_alone_ms_median": alone[len(alone) // 2] if alone else None,
        "p99_change_ms_median": changes[len(changes) // 2] if changes else None,
        "p99_change_ms_min": changes[0] if changes else None,
        "p99_change_ms_max": changes[-1] if changes else None,
    }
