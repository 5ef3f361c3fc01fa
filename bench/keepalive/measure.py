"""One run: the service under load, first bare, then recorded, then bare again."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

import poolscope
from overhead.recorders import DEFAULT
from overhead.service import ServiceTarget
from overhead.target import Reading, cpu_of

ENDPOINT = "/plain"
CONNECTIONS = 1_000
WARM_UP_S = 4.0
"""Time until the code of the request path is compiled at its last tier."""
WINDOW_S = 4.0
SETTLE_S = 0.5


def run(rate: int, folder: Path) -> dict[str, Any]:
    """Measures one run and keeps its capture in `folder`. Raises RecorderFailed if the collector does not start."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    load = ("--rate", str(rate), "--connections", str(CONNECTIONS))
    service = ServiceTarget(load, db_ms=1, endpoint=ENDPOINT)
    try:
        service.read()
        time.sleep(WARM_UP_S)
        before = _window(service, None)
        with DEFAULT.running(service.pid, folder, SETTLE_S) as recorder:
            recorded = _window(service, recorder)
        time.sleep(SETTLE_S)
        after = _window(service, None)
    finally:
        service.close()
    return {"rate": rate, "connections": CONNECTIONS, "bare": [before, after], "recorded": recorded}


def _window(service: ServiceTarget, recorder: int | None) -> dict[str, float]:
    """Returns the answers a second, and the cores used by the service, its load and the recorder."""
    own = [service.load_pid, *([recorder] if recorder else [])]
    used, begun = [cpu_of(pid) for pid in own], service.read()
    time.sleep(WINDOW_S)
    done: Reading = service.read().since(begun)
    cores = [(cpu_of(pid) - cpu) / done.wall_ns for pid, cpu in zip(own, used, strict=True)]
    return {
        "answers_per_s": done.items / done.wall_ns * 1e9,
        "service_cores": done.cpu_ns / done.wall_ns,
        "load_cores": cores[0],
        "recorder_cores": cores[1] if recorder else 0.0,
        "service_us_per_request": done.cpu_ns / max(done.items, 1) / 1e3,
    }


def evidence(folder: Path) -> dict[str, Any]:
    """Analyses the decoded capture of a run; returns how many requests it ties to their bytes, and its losses."""
    capture = folder / "capture"
    begun = time.monotonic()
    content = poolscope.open(capture).analysis()
    coverage, requests = content["coverage"], content["requests"]
    assert requests is not None, "the web server reported no request"
    return {
        "seconds": content["capture"]["seconds"],
        "requests": requests["count"],
        "tied": requests["tied"],
        "answered": requests["answered"],
        "mean_ms": requests["latency_ms"]["mean"],
        "losses": sum(loss["count"] or 0 for loss in coverage["losses"]),
        "megabytes": sum(file.stat().st_size for file in capture.glob("*.*") if file.is_file()) / 1e6,
        "verdict": content["verdict"]["id"],
        "analysis_s": time.monotonic() - begun,
    }
