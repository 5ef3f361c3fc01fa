"""Captures of an artificial fleet: real recordings under labels of hosts, versions and hours, with three planted
causes.

The tables of a capture are hard links to those of its recording, so that a thousand fit on the disk. Each manifest is
its own, so no two captures have the same content, and none is answered from the cache of another.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from pathlib import Path

SEED = 20
HOSTS, VERSIONS, HOURS = 20, ("1.9", "2.0", "2.1"), 12
BAD_HOST, BAD_VERSION, SLOW_ROUTE = "host-07", "orders 2.1", "stock GET /stock/B2"
"""The planted causes: a host whose captures are short of cores, a version that waits synchronously, and a route that
waits for another service."""
ORDINARY = {
    "orders": ("orders-warm", "catalog-locks", "label-queue", "archive", "reminders", "thumbnails", "price-fan-out"),
    "media": ("site-crawler", "order-etl", "invoice-worker", "event-pipeline", "inbox-watcher", "session-cache"),
    "front": ("booking-api", "export-limiter", "ticket-shop", "barcode-scanner", "bank-journal", "pool-tuner"),
    "stock": ("stock-async",),
}
"""The zoo's programs for each service."""
ON_BAD_HOST = ("video-encoder", "catalog-import", "billing-run", "metrics-rollup")
OF_BAD_VERSION = ("checkout-result", "payments-getresult", "report-mailer", "login-gate")


def recordings(folder: Path, program: str) -> list[Path]:
    """Returns the decoded recordings of a program of the zoo."""
    return sorted(path for path in folder.glob(f"{program}-net*") if (path / "tables" / "streams.npz").exists())


def make(zoo: Path, target: Path, captures: int) -> dict[str, int]:
    """Writes `captures` captures to a new folder; returns the number of distinct recordings in them, and the number of
    captures with each planted cause. The same arguments give the same captures."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    draw = random.Random(SEED)
    used: set[Path] = set()
    planted = dict.fromkeys((BAD_HOST, BAD_VERSION, SLOW_ROUTE), 0)
    services = list(ORDINARY)
    for number in range(captures):
        service, version = services[number % len(services)], draw.choice(VERSIONS)
        host, hour = f"host-{draw.randrange(HOSTS):02}", draw.randrange(HOURS)
        if host == BAD_HOST:
            programs: tuple[str, ...] = ON_BAD_HOST
        elif f"{service} {version}" == BAD_VERSION:
            programs = OF_BAD_VERSION
        else:
            programs = ORDINARY[service]
        known = [path for program in programs for path in recordings(zoo, program)]
        if not known:
            raise FileNotFoundError(f"{zoo} has no recording of {', '.join(programs)}: run ./build.sh zoo --runs 1")
        source = draw.choice(known)
        used.add(source)
        planted[BAD_HOST] += host == BAD_HOST
        planted[BAD_VERSION] += programs is OF_BAD_VERSION
        planted[SLOW_ROUTE] += source.name.startswith("stock-async")
        labels = {"service": service, "version": version, "host": host, "zone": f"zone-{int(host[-2:]) // 5}"}
        _place(source, target / f"{number:05}", labels, hour)
    return {"recordings": len(used), **planted}


def _place(source: Path, folder: Path, labels: dict[str, str], hour: int) -> None:
    manifest = json.loads((source / "capture.json").read_text("utf-8"))
    manifest["labels"] = labels
    manifest["clock"]["start_utc"] = f"2026-03-02T{hour:02}{manifest['clock']['start_utc'][13:]}"
    (folder / "tables").mkdir(parents=True)
    (folder / "capture.json").write_text(json.dumps(manifest), "utf-8")
    for table in (source / "tables").iterdir():
        try:
            os.link(table, folder / "tables" / table.name)
        except OSError:
            shutil.copy(table, folder / "tables" / table.name)
