"""Faults at random times under a steady load: each must leave a capture that reaches back far enough, with the right
verdict."""

from __future__ import annotations

import datetime
import json
import random
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from poolscope.capture import open_capture
from poolscope.product import analyse

from .processes import Service, Watcher, usage


@dataclass(frozen=True)
class Fault:
    """A burst of requests to an endpoint that blocks."""

    endpoint: str
    rate: int
    """Requests a second."""
    seconds: float
    verdicts: tuple[str, ...]
    """The right verdicts: docs/service.md."""


FAULTS = (
    Fault(
        "/sync",
        120,
        2.0,
        ("gate-suppressed-by-progress", "injection-delay", "goal-lowered-under-backlog"),
    ),
    Fault("/sync-over-async", 100, 1.0, ("sync-over-async",)),
)
"""Beside 500 requests/s to /async the pool recovers from the first in about 15 s and from the second in about 20. After
120 requests a second for five seconds it did not recover within a minute: every new thread takes another request that
blocks."""
LAST_S = 30.0
"""Time for which the load continues after the last fault's share."""
WARM_S = 30.0
"""Time before the first share, in which the recording grows long enough and the service compiles."""
CALM_S = 3.0
"""An incident is over when no item has waited for a second for this long."""
DB_MS = 200
"""As in docs/service.md: with queries of 20 ms the burst on /sync made no item wait for a second."""


def run(count: int, minutes: float, rate: int, folder: Path, options: tuple[str, ...], seed: int) -> dict[str, Any]:
    """Watches a service for this long, with this many faults. `options` are the watcher's."""
    chance = random.Random(seed)
    share = minutes * 60 / count
    service = Service(DB_MS)
    samples: list[dict[str, float]] = []
    faults: list[dict[str, Any]] = []
    watcher = Watcher(service.pid, folder, "--keep", str(2 * count), *options)  # all captures are judged at the end
    stop = threading.Event()
    try:
        watcher.wait_until_watching()
        load = service.load("/async", rate, WARM_S + minutes * 60 + LAST_S)
        time.sleep(WARM_S)
        begin = time.monotonic()

        def sample() -> None:
            while not stop.wait(1.0):
                now = usage(watcher.pid)
                samples.append(
                    {
                        "at": now.at - begin,
                        "cpu_s": now.cpu_s,
                        "service_cpu_s": service.cpu_s(),
                        "rss_mb": now.rss_mb,
                        "files": now.files,
                        "threads": now.threads,
                        "disk_mb": watcher.disk_mb(),
                    }
                )

        sampler = threading.Thread(target=sample, daemon=True)
        sampler.start()
        for number in range(count):
            # Within the first half of its share, so that no capture runs into the next fault.
            moment = begin + share * (number + 0.5 * chance.random())
            time.sleep(max(0.0, moment - time.monotonic()))
            fault = FAULTS[number % len(FAULTS)]
            faults.append({"at": time.monotonic() - begin, "time": _now(), "endpoint": fault.endpoint})
            print(f"{faults[-1]['at']:.0f} s: {fault.endpoint}", flush=True)
            service.load(fault.endpoint, fault.rate, fault.seconds, seed=number + 1).communicate()
        report = json.loads(load.communicate()[0])
        deadline = time.monotonic() + 60
        while (
            len(watcher.events("captured")) + len(watcher.events("failed")) < len(watcher.events("fired"))
            and time.monotonic() < deadline
        ):
            time.sleep(0.5)
        stop.set()
        sampler.join()
    finally:
        code = watcher.close()
        service.close()
    over = _calm_moments(watcher.lines)
    for told in faults:
        told["over_s"] = next((round(_apart(told["time"], at), 1) for at in over if at > told["time"]), None)
    return {
        "faults": faults,
        "fired": watcher.events("fired"),
        "captured": watcher.events("captured"),
        "warnings": [line["message"] for line in watcher.events("warning") + watcher.events("failed")],
        "load": report.get("load", report),
        "samples": samples,
        "exit": code,
    }


def judged(found: dict[str, Any]) -> dict[str, Any]:
    """Returns the result of `run`, with a verdict for each capture."""
    rows = [_judge(Path(line["capture"]), found["faults"]) | _fired(line) for line in found["captured"]]
    return found | {"captures": rows}


def _judge(folder: Path, faults: list[dict[str, Any]]) -> dict[str, Any]:
    """Returns a capture's verdict, how far it reaches back before its fault, and whether it reaches to the incident's
    end."""
    if not folder.exists():
        return {"capture": folder.name, "deleted": True}  # deleted to keep within --max-size
    capture = open_capture(folder)
    analysis = analyse(capture).to_json()
    start = analysis["capture"]["start_utc"]
    duration = analysis["capture"]["seconds"]
    fault = max(
        (fault for fault in faults if _apart(start, fault["time"]) < duration),
        key=lambda fault: float(fault["at"]),
        default=None,
    )
    row: dict[str, Any] = {
        "capture": folder.name,
        "verdict": analysis["verdict"]["id"],
        "confidence": analysis["verdict"]["confidence"],
        "mb": round(sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6),
        "seconds": round(duration, 1),
    }
    if fault is not None:
        ahead = _apart(start, fault["time"])
        row |= {
            "endpoint": fault["endpoint"],
            "ahead_of_fault_s": round(ahead, 1),
            "whole": fault["over_s"] is not None and ahead + fault["over_s"] - CALM_S <= duration,
            "right": row["verdict"] in next(f.verdicts for f in FAULTS if f.endpoint == fault["endpoint"]),
        }
    return row


def _fired(line: dict[str, Any]) -> dict[str, Any]:
    return {"term": line["term"], "history_s": line["history_s"]}


def _calm_moments(lines: list[dict[str, Any]]) -> list[str]:
    """Returns the times at which no item had waited for a second for CALM_S, after some had."""
    moments, since, busy = [], None, False
    for line in lines:
        if "state" not in line:
            continue
        if (line.get("wait_s") or 0) >= 1.0:
            busy, since = True, None
        elif busy:
            since = since or line["time"]
            if _apart(since, line["time"]) >= CALM_S:
                moments.append(line["time"])
                busy = False
    return moments


def _now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).isoformat()


def _apart(earlier: str, later: str) -> float:
    """Returns the seconds between two ISO 8601 times with fractions of any length."""

    def seconds(text: str) -> float:
        whole, _, fraction = text.replace("Z", "").replace("+00:00", "").partition(".")
        moment = datetime.datetime.fromisoformat(whole).replace(tzinfo=datetime.timezone.utc)
        return moment.timestamp() + float(f"0.{fraction or 0}")

    return seconds(later) - seconds(earlier)
