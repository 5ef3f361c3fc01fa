"""Faults at random moments under a steady load: each must leave a capture that reaches back far enough, with the right verdict."""

from __future__ import annotations

import random
import threading
import time
from pathlib import Path
from typing import Any

from poolscope.capture import open_capture
from poolscope.product import analyse

from .processes import Service, Watcher, usage

BURST_S = 5.0
BURST_RATE = 120
FAULTS = {
    "/sync": ("gate-suppressed-by-progress", "injection-delay", "goal-lowered-under-backlog"),
    "/sync-over-async": ("sync-over-async",),
}
"""Endpoints that block, and the verdicts that are right for each: docs/service.md."""
DB_MS = 200
"""As in docs/service.md: with queries of 20 ms the burst on /sync made no item wait for a second."""


def run(count: int, minutes: float, rate: int, folder: Path, options: tuple[str, ...], seed: int) -> dict[str, Any]:
    """Watches a service for so long, with so many faults. `options`: of the watcher."""
    chance = random.Random(seed)
    share = minutes * 60 / count
    service = Service(DB_MS)
    samples: list[dict[str, float]] = []
    faults: list[dict[str, Any]] = []
    watcher = Watcher(service.pid, folder, *options)
    stop = threading.Event()
    try:
        watcher.wait_until_watching()
        load = service.load("/async", rate, minutes * 60 + BURST_S)
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
            # Anywhere in the first half of its share, so that no capture runs into the next fault.
            moment = begin + share * (number + 0.5 * chance.random())
            time.sleep(max(0.0, moment - time.monotonic()))
            endpoint = list(FAULTS)[number % len(FAULTS)]
            faults.append({"at": time.monotonic() - begin, "endpoint": endpoint})
            print(f"{faults[-1]['at']:.0f} s: {endpoint}", flush=True)
            service.load(endpoint, BURST_RATE, BURST_S, seed=number + 1).communicate()
        load.communicate()
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
    captured = watcher.events("captured")
    return {
        "faults": faults,
        "fired": watcher.events("fired"),
        "captures": [_judge(Path(line["capture"]), line) for line in captured],
        "warnings": [line["message"] for line in watcher.events("warning") + watcher.events("failed")],
        "samples": samples,
        "exit": code,
    }


def _judge(capture: Path, line: dict[str, Any]) -> dict[str, Any]:
    analysis = dict(analyse(open_capture(capture)).to_json())
    size = sum(path.stat().st_size for path in capture.rglob("*") if path.is_file()) / 1e6
    return {
        "capture": capture.name,
        "term": line["term"],
        "history_s": line["history_s"],
        "verdict": analysis["verdict"]["id"],
        "mb": round(size),
    }
